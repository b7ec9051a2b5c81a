package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openhuman/openhuman-core/internal/demo"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// served runs serve over the session's memory and returns where it is and the token.
func (s *session) served(args ...string) (url, token string, stderr *lockedBuffer) {
	s.t.Helper()
	stderr = &lockedBuffer{}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, append([]string{"serve", "--port", "0"}, args...), strings.NewReader(""), io.Discard, stderr, s.environ)
	}()
	s.t.Cleanup(func() {
		cancel()
		select {
		case status := <-done:
			if status != 0 {
				s.t.Errorf("serve ends with %d\n%s", status, stderr)
			}
		case <-time.After(20 * time.Second):
			s.t.Error("serve does not end")
		}
		http.DefaultClient.CloseIdleConnections()
	})
	address := regexp.MustCompile(`serving on (http://\S+),`)
	for range 500 {
		if m := address.FindStringSubmatch(stderr.String()); m != nil {
			data, err := os.ReadFile(filepath.Join(s.dir, "memory", "core.token"))
			if err != nil {
				s.t.Fatal(err)
			}
			return m[1], strings.TrimSpace(string(data)), stderr
		}
		time.Sleep(20 * time.Millisecond)
	}
	s.t.Fatalf("serve does not say where it is\n%s", stderr)
	return "", "", nil
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}
func (l *lockedBuffer) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

// post calls a method over HTTP.
func post(t *testing.T, url, token, method, params string) (result, failure json.RawMessage) {
	t.Helper()
	body := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`, method, params)
	r, err := http.NewRequestWithContext(t.Context(), "POST", url+"/rpc", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var answer struct{ Result, Error json.RawMessage }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.Result, answer.Error
}

// withToken shows the token on every request of an MCP client.
type withToken struct{ token string }

func (w withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	return http.DefaultTransport.RoundTrip(r)
}

// demoSession is a session over the built-in memory.
func demoSession(t *testing.T, environ ...string) *session {
	t.Helper()
	s := newSession(t, environ...)
	files := filepath.Join(s.dir, "files")
	if err := os.Mkdir(files, 0o700); err != nil {
		t.Fatal(err)
	}
	paths, err := demo.Write(demo.Memory(), files)
	if err != nil {
		t.Fatal(err)
	}
	s.run(0, append([]string{"ingest", "--no-embed"}, paths...)...)
	return s
}

// TestSurfacesAgree calls every row of the catalog over MCP, over HTTP and at the command line, and
// finds the same JSON, whether it is a result or an error.
func TestSurfacesAgree(t *testing.T) {
	s := demoSession(t)
	url, token, _ := s.served()
	first, _ := s.run(0, "call", "openhuman.memory_tree_search", `{"query":"boiler"}`)
	chunk := idPattern.FindString(first)
	if chunk == "" {
		t.Fatalf("nothing is found: %s", first)
	}
	// For every method what succeeds, and what fails.
	calls := map[string][]string{
		"openhuman.memory_tree_search":        {`{"query":"boiler warranty","k":"3"}`, `{"query":"龙井茶"}`, `{}`, `{"query":"x","limit":1}`},
		"openhuman.memory_tree_recall":        {`{"query":"when does the warranty end?"}`, `{"query":""}`},
		"openhuman.memory_tree_get_chunk":     {`{"chunk_id":"` + chunk + `"}`, `{"chunk_id":"nothing"}`},
		"openhuman.memory_tree_list_chunks":   {`{"k":2,"source_kinds":["email"]}`, `{"source_ids":["nothing"]}`, `{"k":0}`},
		"openhuman.memory_tree_top_entities":  {`{"kind":"person","k":5}`, `{"kind":"nothing"}`},
		"openhuman.memory_tree_list_sources":  {`{}`, `{"user_email_hint":"sam@example.org"}`, `{"x":1}`},
		"openhuman.memory_store":              {`{"title":"x","content":"y"}`, `{"title":"x"}`},
		"openhuman.memory_tree_ingest":        {`{"payload":{"source_kind":"x"}}`, `{"payload":1}`},
		"openhuman.tools_searxng_search":      {`{"query":"x"}`},
		"openhuman.tools_web_search":          {`{"query":"x"}`},
		"openhuman.tool_registry_list":        {`{}`},
		"openhuman.tool_registry_get":         {`{"tool_id":"memory.search"}`, `{"tool_id":"tools.web_search"}`, `{"tool_id":"memory.serch"}`},
		"openhuman.tool_registry_diagnostics": {`{}`},

		"openhuman.memory_tree_activity":       {`{}`, `{"months":3}`, `{"months":0}`},
		"openhuman.memory_tree_list_summaries": {`{"source_id":"nothing"}`, `{}`, `{"parent_id":"sum_nothing"}`},
		"openhuman.audit_calls":                {`{"days":0}`}, // what succeeds counts itself
	}
	client, err := mcp.NewClient(&mcp.Implementation{Name: "surfaces", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: withToken{token}}, DisableStandaloneSSE: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	stdio := overStdio(t, s, calls)
	for _, o := range tools.Catalog {
		if len(calls[o.Method]) == 0 {
			t.Errorf("%s is not called", o.Method)
		}
		for _, params := range calls[o.Method] {
			t.Run(o.Method+params, func(t *testing.T) {
				result, failure := post(t, url, token, o.Method, params)
				checkCLI(t, s, o.Method, params, result, failure)
				if o.Tool == nil {
					return
				}
				r, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: o.Tool.Name, Arguments: json.RawMessage(params)})
				if o.Tool.Name == "searxng_search" || o.Tool.Name == "memory.store" {
					if err == nil || !strings.Contains(err.Error(), "Unknown tool") || failure == nil {
						t.Errorf("a tool that is off: %v, %v", r, err)
					}
					return
				}
				if err != nil {
					t.Fatal(err)
				}
				text := r.Content[0].(*mcp.TextContent).Text
				if diff := cmp.Diff(text, stdio[o.Method+params]); diff != "" {
					t.Errorf("(-MCP over HTTP +stdio):\n%s", diff)
				}
				if r.IsError {
					if said := words(t, failure); text != said {
						t.Errorf("MCP says %s\nHTTP says %s", text, said)
					}
					return
				}
				if diff := cmp.Diff(string(result), text); diff != "" {
					t.Errorf("(-HTTP +MCP):\n%s", diff)
				}
			})
		}
	}
}

// overStdio calls every tool over stdio and returns the text of each answer.
func overStdio(t *testing.T, s *session, calls map[string][]string) map[string]string {
	t.Helper()
	in := &strings.Builder{}
	in.WriteString(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"surfaces","version":"1"}}}` + "\n")
	for _, o := range tools.Catalog {
		for _, params := range calls[o.Method] {
			if o.Tool != nil {
				fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%q,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", o.Method+params, o.Tool.Name, params)
			}
		}
	}
	var out, errs bytes.Buffer
	if status := run(context.Background(), []string{"mcp"}, strings.NewReader(in.String()), &out, &errs, s.environ); status != 0 {
		t.Fatalf("mcp ends with %d\n%s", status, &errs)
	}
	texts := map[string]string{}
	for line := range strings.Lines(out.String()) {
		var answer struct {
			ID     string
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if len(answer.Result.Content) == 1 {
			texts[answer.ID] = answer.Result.Content[0].Text
		}
	}
	return texts
}

// words are the message and the hint of a JSON-RPC error.
func words(t *testing.T, failure json.RawMessage) string {
	t.Helper()
	var f struct {
		Message string
		Data    struct{ Code, Hint string }
	}
	if err := json.Unmarshal(failure, &f); err != nil {
		t.Fatalf("%v: %s", err, failure)
	}
	return strings.TrimSpace(f.Message + " " + f.Data.Hint)
}

func checkCLI(t *testing.T, s *session, method, params string, result, failure json.RawMessage) {
	t.Helper()
	var out, errs bytes.Buffer
	status := run(context.Background(), []string{"call", method, params}, strings.NewReader(""), &out, &errs, s.environ)
	if failure != nil {
		if said := strings.TrimPrefix(strings.ReplaceAll(strings.TrimSpace(errs.String()), "\n", " "), "openhuman-core: "); status == 0 || said != words(t, failure) {
			t.Errorf("status %d\nthe command line says %s\nHTTP says %s", status, said, words(t, failure))
		}
		return
	}
	var compact bytes.Buffer
	if err := json.Compact(&compact, out.Bytes()); err != nil {
		t.Fatalf("%v: %s%s", err, &out, &errs)
	}
	if diff := cmp.Diff(string(result), compact.String()); diff != "" {
		t.Errorf("(-HTTP +command line):\n%s", diff)
	}
}

// TestDiagnosticsAreRedacted plants secrets, paths and texts wherever the settings and the memory have
// room for them, and finds none of them in what the registry says.
func TestDiagnosticsAreRedacted(t *testing.T) {
	s := demoSession(t)
	config := `
[policy]
deny_tools = ["tree.browse"]
deny_sources = ["planted-source:*"]
[policy.clients.planted-client]
deny_sources = ["planted-scope:*"]
[embedding]
api_key = "planted-key"
[searxng]
base_url = "http://planted-user:planted-password@planted-host:8080"
[[capability_providers]]
id = "Planted Provider"
display_name = "planted name"
source_uri = "https://planted.example/uri"
source_digest = "sha256:planted-digest"
trust_state = "trusted"
enabled = true
`
	path := filepath.Join(s.dir, "memory", "config.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct{ text, providers string }{
		"valid":   {config, `{"total":1,"enabled":1,"trusted":1,"trusted_enabled":1,"errors":[]}`},
		"void":    {config + "[[capability_providers]]\nid = \"planted-provider\"\n", `{"total":2,"enabled":0,"trusted":0,"trusted_enabled":0,"errors":["entries 1 and 2 have the same id"]}`},
		"broken":  {config + "[[capability_providers]]\nid = \"b\"\ntrust_state = \"planted-state\"\n", `{"total":2,"enabled":0,"trusted":0,"trusted_enabled":0,"errors":["entry 2 is malformed"]}`},
		"no list": {"capability_providers = \"planted-text\"\n", `{"total":1,"enabled":0,"trusted":0,"trusted_enabled":0,"errors":["entry 1 is malformed"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			write(c.text)
			url, token, _ := s.served()
			// Something to remember: a denied call with planted words, by a planted name.
			_, _ = post(t, url, token, "openhuman.memory_tree_list_chunks", `{"query":"planted words"}`)
			got, failure := post(t, url, token, "openhuman.tool_registry_diagnostics", `{}`)
			if failure != nil {
				t.Fatal(string(failure))
			}
			list, _ := post(t, url, token, "openhuman.tool_registry_list", `{}`)
			for _, answer := range []string{string(got), string(list)} {
				for _, never := range []string{"planted", "Planted", token, s.dir, "memory.db", "sha256", "http://", "https://", "boiler", "龙井茶"} {
					if strings.Contains(answer, never) {
						t.Errorf("%q stands in\n%s", never, answer)
					}
				}
			}
			if !strings.Contains(string(got), `"capability_providers":`+c.providers) {
				t.Errorf("want %s in\n%s", c.providers, got)
			}
			if name != "no list" && !strings.Contains(string(got), `"client":"http","tool_id":"tree.browse"`) {
				t.Errorf("the denial is not there:\n%s", got)
			}
		})
	}
}

// TestServeFollowsItsSettings changes config.toml under a running server.
func TestServeFollowsItsSettings(t *testing.T) {
	s := demoSession(t)
	url, token, stderr := s.served()
	path := filepath.Join(s.dir, "memory", "config.toml")
	const search, params = "openhuman.memory_tree_search", `{"query":"boiler"}`
	ask := func() string {
		result, failure := post(t, url, token, search, params)
		return string(slices.Concat(result, failure))
	}
	until := func(what, want string) {
		t.Helper()
		for range 300 {
			if strings.Contains(ask(), want) {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
		t.Errorf("%s: no %s in %s\n%s", what, want, ask(), stderr)
	}
	change := func(text string) {
		t.Helper()
		// A size of its own each time: clocks of file systems are coarse.
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	until("at first", `"chunk_id"`)
	change("[policy]\ndeny_tools = [\"memory.search\"]\n")
	until("a tool is denied", "-32003")
	change("[policy]\ndeny_tools = [\"memory.serach\"]  # misspelt\n")
	until("nothing is served while the policy is not known", "-32001")
	change("log = \"info\"\n")
	until("all is well again", `"chunk_id"`)
	change("log = \"info\"\n[mcp]\nmax_result_bytes = \"many\"\n")
	for range 300 {
		if strings.Contains(stderr.String(), "only the policy") {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if !strings.Contains(stderr.String(), "only the policy") {
		t.Errorf("nothing is said about the mistake:\n%s", stderr)
	}
	until("the former settings stay", `"chunk_id"`)
	// What is hidden now does not wait until a mistake elsewhere is mended.
	change("[policy]\ndeny_tools = [\"memory.search\"]\n[mcp]\nmax_result_bytes = \"many\"\n")
	until("a tool is denied beside a mistake", "-32003")
	change("[policy]\ndeny_sources = [\"secret:plan,notes:x\"]\n")
	until("the policy is not known", "-32001")
	if answer := ask(); strings.Contains(answer, "secret:plan") || strings.Contains(answer, path) {
		t.Errorf("an answer tells what the policy hides: %s", answer)
	}
	change("log = \"info\"\n[mcp]\nmax_result_bytes = \"more\"\n")
	until("the policy is known again, beside a mistake", `"chunk_id"`)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	until("without a file", `"chunk_id"`)
}

func TestServeRefuses(t *testing.T) {
	s := newSession(t)
	if _, stderr := s.run(2, "serve", "--host", "0.0.0.0", "--port", "0"); !strings.Contains(stderr, "no token is set") {
		t.Error(stderr)
	}
	short := &session{s.t, s.dir, append(slices.Clone(s.environ), "OPENHUMAN_CORE_TOKEN=hunter2")}
	if _, stderr := short.run(2, "serve", "--host", "0.0.0.0", "--port", "0"); !strings.Contains(stderr, "the token can be guessed") || strings.Contains(stderr, "hunter2") {
		t.Error(stderr)
	}
	if _, stderr := s.run(2, "serve", "--port", "http"); !strings.Contains(stderr, "--port: server.port must be a whole number") {
		t.Error(stderr)
	}
	if _, stderr := s.run(2, "serve", "--port", "70000"); !strings.Contains(stderr, "must be from 0 to 65535") {
		t.Error(stderr)
	}
	s.environ = append(s.environ, "OPENHUMAN_POLICY_LEVEL=nothing")
	s.run(2, "serve", "--port", "0")
}

// A server starts without a memory, says what is missing, and serves it once it is there.
func TestServeBeforeTheMemory(t *testing.T) {
	s := newSession(t)
	url, token, _ := s.served()
	if _, failure := post(t, url, token, "openhuman.memory_tree_search", `{"query":"mason"}`); !strings.Contains(string(failure), "-32001") || !strings.Contains(string(failure), "ingest PATH") {
		t.Errorf("got %s", failure)
	}
	s.run(0, "ingest", "--no-embed", s.notes(3))
	if result, failure := post(t, url, token, "openhuman.memory_tree_search", `{"query":"mason"}`); !strings.Contains(string(result), "Mason") {
		t.Errorf("got %s %s", result, failure)
	}
}

func TestCall(t *testing.T) {
	s := newSession(t)
	for _, c := range []struct {
		status int
		args   []string
		want   string
	}{
		{2, []string{"call", "openhuman.memory_tree_serch"}, "Did you mean openhuman.memory_tree_search?"},
		{2, []string{"call", "tool_registry_list"}, "Did you mean openhuman.tool_registry_list?"},
		{2, []string{"call", "nothing"}, "The methods are openhuman.memory_tree_search,"},
		{2, []string{"call", "memory.search", "{"}, "not JSON"},
		{2, []string{"call", "memory.search", `["x"]`}, "must be a JSON object"},
		{7, []string{"call", "memory_search", `{"query":"x"}`}, "There is no memory"},
		{2, []string{"call"}, "accepts between 1 and 2 arg"},
	} {
		if _, stderr := s.run(c.status, c.args...); !strings.Contains(stderr, c.want) {
			t.Errorf("%q: %s", c.args, stderr)
		}
	}
	var out bytes.Buffer
	if status := run(t.Context(), []string{"call", "openhuman.tool_registry_get", "-"}, strings.NewReader(`{"tool_id":"memory.recall"}`), &out, io.Discard, s.environ); status != 0 || !strings.Contains(out.String(), `"tool_id": "memory.recall"`) {
		t.Errorf("%d %s", status, &out)
	}
}

// TestAuditInTheWay: a file where the record of calls should be fails no call, and whoever asks for the
// record is told what to do.
func TestAuditInTheWay(t *testing.T) {
	s := demoSession(t)
	path := filepath.Join(s.dir, "memory", "audit")
	if err := errors.Join(os.RemoveAll(path), os.WriteFile(path, []byte("hunter2"), 0o600)); err != nil {
		t.Fatal(err)
	}
	url, token, _ := s.served()
	if result, failure := post(t, url, token, "openhuman.memory_tree_search", `{"query":"boiler"}`); failure != nil {
		t.Errorf("%s %s", result, failure)
	}
	_, failure := post(t, url, token, "openhuman.audit_calls", `{}`)
	for _, want := range []string{"-32001", "cannot be read", "move that away"} {
		if !strings.Contains(string(failure), want) {
			t.Errorf("no %q in %s", want, failure)
		}
	}
	if strings.Contains(string(failure), s.dir) {
		t.Errorf("an answer names a path: %s", failure)
	}
	for _, args := range [][]string{{"audit"}, {"audit", "--sum"}} {
		if _, stderr := s.run(7, args...); !strings.Contains(stderr, "move that away") {
			t.Errorf("%v: %s", args, stderr)
		}
	}
}
