//go:build e2e

package e2e

import (
	"encoding/json"
	"strings"
	"testing"
)

const (
	initialize  = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"smoke","version":"0"}}}`
	initialized = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

	smokeTools = initialize + "\n" + initialized + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n"
	smokeResources = initialize + "\n" + initialized + "\n" +
		`{"jsonrpc":"2.0","id":2,"method":"resources/list"}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"resources/templates/list"}` + "\n" +
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"openhuman://prompts/identity"}}` + "\n"
)

// smokeRuns is how often each smoke test has to succeed in a row.
const smokeRuns = 500

func TestSmoke(t *testing.T) {
	for _, c := range []struct {
		name, input string
		want        []string // the beginning of each line, in order
	}{
		{"tools", smokeTools, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{"subscribe":false,"listChanged":false}},"serverInfo":{"name":"openhuman-core","version":"`,
			`{"jsonrpc":"2.0","id":2,"result":{"tools":[{"name":"memory.search",`,
		}},
		{"resources", smokeResources, []string{
			`{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{"subscribe":false,"listChanged":false}},"serverInfo":{"name":"openhuman-core","version":"`,
			`{"jsonrpc":"2.0","id":2,"result":{"resources":[{"`,
			`{"jsonrpc":"2.0","id":3,"result":{"resourceTemplates":[]}}`,
			`{"jsonrpc":"2.0","id":4,"result":{"contents":[{"`,
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var first string
			for i := range smokeRuns {
				input := c.input
				if i%2 == 1 {
					input = strings.TrimSuffix(input, "\n") // the last line may lack its end
				}
				stdout, stderr, err := pipe(t, input)
				if err != nil || stderr != "" {
					t.Fatalf("run %d: %v\nstderr: %s", i, err, stderr)
				}
				if first == "" {
					first = stdout
					lines := strings.SplitAfter(stdout, "\n")
					if len(lines) != len(c.want)+1 || lines[len(c.want)] != "" {
						t.Fatalf("%d lines instead of %d:\n%s", len(lines)-1, len(c.want), stdout)
					}
					for n, want := range c.want {
						if !strings.HasPrefix(lines[n], want) || !json.Valid([]byte(lines[n])) {
							t.Errorf("line %d:\n%s\nwant it to begin\n%s", n+1, lines[n], want)
						}
					}
				}
				if stdout != first {
					t.Fatalf("run %d answers otherwise:\n%s", i, stdout)
				}
			}
		})
	}
}

// Whatever is wrong, standard output carries protocol lines only and the end of input is a success.
func TestStdoutIsProtocol(t *testing.T) {
	for name, args := range map[string][]string{
		"verbose":              {"--verbose"},
		"missing settings":     {"--config", "/does/not/exist.toml"},
		"missing memory":       {"--workspace", t.TempDir()},
		"workspace in a file":  {"--workspace", program},
		"settings in a folder": {"--config", t.TempDir()},
	} {
		t.Run(name, func(t *testing.T) {
			input := smokeTools + `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"memory.search","arguments":{"query":"boiler"}}}` + "\nnot json\n"
			stdout, _, err := pipe(t, input, args...)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
			if len(lines) != 4 {
				t.Fatalf("%d lines:\n%s", len(lines), stdout)
			}
			for _, line := range lines {
				var m struct{ JSONRPC string }
				if err := json.Unmarshal([]byte(line), &m); err != nil || m.JSONRPC != "2.0" {
					t.Errorf("not a message: %s", line)
				}
			}
		})
	}
}
