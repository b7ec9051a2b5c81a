//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// modules is the folder into which .ci/run has installed the clients.
func modules(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("E2E_NODE_MODULES")
	if dir == "" {
		t.Fatal("E2E_NODE_MODULES does not say where the MCP clients are; .ci/run e2e installs them")
	}
	return dir
}

// node runs a client and returns what it printed.
func node(t *testing.T, args ...string) (stdout, stderr string) {
	t.Helper()
	c := exec.CommandContext(t.Context(), "node", args...)
	c.Env = append(os.Environ(), "OPENHUMAN_WORKSPACE="+workspace, "HOME="+t.TempDir())
	var out, errs bytes.Buffer
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		t.Fatalf("node %s: %v\n%s%s", strings.Join(args, " "), err, out.String(), errs.String())
	}
	return out.String(), errs.String()
}

var toolNames = []string{"memory.search", "memory.recall", "tree.read_chunk", "tree.browse", "tree.top_entities", "tree.list_sources"}

func TestTypeScriptClients(t *testing.T) {
	dir := filepath.Dir(modules(t))
	for _, name := range []string{"drive.mjs", "sdk.mjs", "client.mjs"} {
		// Modules are looked up from where the importing file lies.
		src, err := os.ReadFile(filepath.Join("clients", name))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), src, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		args []string
		// label is what the server calls the client in every line of its log.
		label string
	}{
		{"sdk", []string{"sdk.mjs", program}, "mcp:e2e-sdk"},
		{"client/legacy", []string{"client.mjs", program, "legacy"}, "mcp:e2e-client"},
		{"client/auto", []string{"client.mjs", program, "auto"}, "mcp:e2e-client"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, _ := node(t, append([]string{filepath.Join(dir, c.args[0])}, c.args[1:]...)...)
			var seen struct {
				Server struct{ Name, Version string }
				Tools  []string
				Closed int
				Stderr string
			}
			if err := json.Unmarshal([]byte(stdout), &seen); err != nil {
				t.Fatalf("%v\n%s", err, stdout)
			}
			if seen.Server.Name != "openhuman-core" || !slices.Equal(seen.Tools, toolNames) {
				t.Errorf("server %v, tools %q", seen.Server, seen.Tools)
			}
			if seen.Closed > 1000 {
				t.Errorf("closing took %d ms", seen.Closed)
			}
			calls := 0
			for line := range strings.Lines(seen.Stderr) {
				var l struct{ Client, Tool string }
				if err := json.Unmarshal([]byte(line), &l); err != nil {
					t.Errorf("not a log line: %s", line)
				}
				if l.Client != c.label {
					t.Errorf("a line without the label %s: %s", c.label, line)
				}
				if l.Tool != "" {
					calls++
				}
				if strings.Contains(line, "boiler") || strings.Contains(line, "龙井茶") {
					t.Errorf("a query is in the log: %s", line)
				}
			}
			if calls < 100 {
				t.Errorf("%d calls in the log", calls)
			}
		})
	}
}

func TestInspector(t *testing.T) {
	inspector := filepath.Join(modules(t), "@modelcontextprotocol", "inspector")
	var manifest struct{ Bin map[string]string }
	data, err := os.ReadFile(filepath.Join(inspector, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &manifest); err != nil {
		t.Fatal(err)
	}
	entry := filepath.Join(inspector, manifest.Bin["mcp-inspector"])

	for _, era := range []string{"legacy", "auto", "modern"} {
		t.Run(era, func(t *testing.T) {
			// The inspector hands on no variables of its own accord.
			base := []string{entry, "--cli", "-e", "OPENHUMAN_WORKSPACE=" + workspace, program, "mcp", "--protocol-era", era, "--method"}
			inspect := func(args ...string) (stdout, stderr string) {
				return node(t, append(slices.Clone(base), args...)...)
			}
			for _, c := range []struct {
				want string
				args []string
			}{
				{"tree.top_entities", []string{"tools/list"}},
				{"warranty until March 2026", []string{"tools/call", "--tool-name", "memory.search", "--tool-arg", "query=boiler warranty", "k=2"}},
				{"openhuman://prompts/agents/mcp_setup", []string{"resources/list"}},
				{`"resourceTemplates": []`, []string{"resources/templates/list"}},
				{"text/markdown", []string{"resources/read", "--uri", "openhuman://prompts/soul"}},
			} {
				if out, _ := inspect(c.args...); !strings.Contains(out, c.want) {
					t.Errorf("%s: no %q in\n%s", strings.Join(c.args, " "), c.want, out)
				}
			}
			// Exit status 6 on an error, which node() reports; warnings are listed on stderr.
			if _, stderr := inspect("tools/list", "--strict"); strings.Contains(stderr, "warning") {
				t.Errorf("the schemas are not portable:\n%s", stderr)
			}
		})
	}
}
