package rpc_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openhuman/openhuman-core/internal/rpc"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

// withToken shows the token on every request of a client.
type withToken struct{}

func (withToken) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+token)
	return http.DefaultTransport.RoundTrip(r)
}

func (s *site) client(name string) *mcp.ClientSession {
	s.t.Helper()
	c, err := mcp.NewClient(&mcp.Implementation{Name: name, Version: "9"}, nil).Connect(s.t.Context(),
		&mcp.StreamableClientTransport{Endpoint: s.url + "/mcp", HTTPClient: &http.Client{Transport: withToken{}}, MaxRetries: -1}, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = c.Close() })
	return c
}

const (
	accept     = "application/json, text/event-stream"
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"By Hand","version":"0"}}}`
)

func TestMCPSession(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	c := s.client("some client")
	list, err := c.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 6 {
		t.Fatalf("%v %v", list, err)
	}
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory.search", Arguments: json.RawMessage(`{"query":"boiler"}`)})
	if err != nil || r.IsError || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, "boiler warranty") {
		t.Errorf("%+v %v", r, err)
	}
	if res, err := c.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "openhuman://prompts/soul"}); err != nil || len(res.Contents) != 1 {
		t.Errorf("%v %v", res, err)
	}
}

// TestMCPByHand: the answers of initialize are those of stdio, and nothing stands before the handshake.
func TestMCPByHand(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	status, answer, h := s.do("POST", "/mcp", initialize, "Accept", accept)
	want := `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2025-06-18","capabilities":{"tools":{},"resources":{"subscribe":false,"listChanged":false}},"serverInfo":{"name":"openhuman-core","version":"1.2.3"},"instructions":"`
	if status != 200 || !strings.HasPrefix(answer, want) || h.Get("Mcp-Session-Id") == "" {
		t.Errorf("%d %v %s", status, h, answer)
	}
	session := h.Get("Mcp-Session-Id")
	if status, answer, _ := s.do("POST", "/mcp", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Accept", accept, "Mcp-Session-Id", session); status != 202 {
		t.Errorf("%d %s", status, answer)
	}
	status, answer, _ = s.do("POST", "/mcp", `{"jsonrpc":"2.0","id":2,"method":"resources/templates/list"}`, "Accept", accept, "Mcp-Session-Id", session)
	if status != 200 || answer != `{"jsonrpc":"2.0","id":2,"result":{"resourceTemplates":[]}}` {
		t.Errorf("%d %s", status, answer)
	}
	if status, _, _ := s.do("DELETE", "/mcp", "", "Mcp-Session-Id", session); status != 204 {
		t.Errorf("ending a session: %d", status)
	}
	if status, _, _ := s.do("POST", "/mcp", `{"jsonrpc":"2.0","id":3,"method":"ping"}`, "Accept", accept, "Mcp-Session-Id", session); status != 404 {
		t.Errorf("a session that has ended: %d", status)
	}

	// Without a session, as from 2026-07-28 on.
	meta := `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"}}`
	status, answer, _ = s.do("POST", "/mcp", `{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"memory.search","arguments":{"query":"boiler"},`+meta+`}}`,
		"Accept", accept, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "tools/call", "Mcp-Name", "memory.search")
	if status != 200 || !strings.Contains(answer, `"resultType":"complete"`) || !strings.Contains(answer, "boiler warranty") {
		t.Errorf("%d %s", status, answer)
	}
	status, answer, _ = s.do("POST", "/mcp", `{"jsonrpc":"2.0","id":5,"method":"server/discover","params":{`+meta+`}}`,
		"Accept", accept, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "server/discover")
	if status != 200 || !strings.Contains(answer, `"supportedVersions":["2026-07-28"`) {
		t.Errorf("%d %s", status, answer)
	}
}

// session begins a session by hand.
func (s *site) session() string {
	_, _, h := s.do("POST", "/mcp", initialize, "Accept", accept)
	return h.Get("Mcp-Session-Id")
}

// TestMCPErrors: whatever is wrong with a request, the answer is an error of JSON-RPC with the id of
// the request, where that can be known, and says what is wrong.
func TestMCPErrors(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	const ping = `{"jsonrpc":"2.0","id":"x","method":"ping"}`
	for _, c := range []struct {
		name, method, body string
		headers            []string
		status, code       int
		id, says           string
	}{
		{"empty", "POST", "", nil, 400, -32700, "null", "empty"},
		{"no JSON", "POST", "{", nil, 400, -32700, "null", "not JSON"},
		{"not UTF-8", "POST", "\"\xff\"", nil, 400, -32700, "null", "UTF-8"},
		{"deep", "POST", strings.Repeat("[", 1000), nil, 400, -32600, "null", "deeper"},
		{"text", "POST", `"x"`, nil, 400, -32600, "null", ""},
		{"no method", "POST", `{"jsonrpc":"2.0"}`, nil, 400, -32600, "null", ""},
		{"a batch of a later revision", "POST", "[" + ping + "]", []string{"Mcp-Protocol-Version", "2025-06-18"}, 400, -32600, "null", "batching"},
		{"a session that is not there", "POST", ping, []string{"Mcp-Session-Id", "hunter2"}, 404, -32004, `"x"`, "session not found"},
		{"a session that is not there, listening", "GET", "", []string{"Mcp-Session-Id", "hunter2"}, 404, -32004, "null", "session not found"},
		{"ending nothing", "DELETE", "", nil, 400, -32600, "null", "Mcp-Session-Id"},
		{"a revision that is none", "POST", ping, []string{"Mcp-Protocol-Version", "2001-01-01"}, 400, -32600, `"x"`, "version"},
		{"accepts only text", "POST", ping, []string{"Accept", "text/plain"}, 400, -32600, `"x"`, "Accept"},
		{"another type", "POST", ping, []string{"Content-Type", "text/plain"}, 415, -32600, `"x"`, "Content-Type"},
		{"nothing before the handshake", "POST", `{"jsonrpc":"2.0","id":"x","method":"tools/list"}`, nil, 400, -32600, `"x"`, "Send initialize first"},
		{"calls before the handshake", "POST", `{"jsonrpc":"2.0","id":"x","method":"tools/call","params":{"name":"memory.search"}}`, nil, 400, -32600, `"x"`, "Send initialize first"},
		{"a method that nobody has", "POST", `{"jsonrpc":"2.0","id":"x","method":"nope"}`, nil, 200, -32601, `"x"`, `Method not found: "nope"`},
		{"a method that others have", "POST", `{"jsonrpc":"2.0","id":"x","method":"prompts/list"}`, []string{"Mcp-Session-Id", s.session()}, 200, -32601, `"x"`, "prompts/list"},
		{"a method that nobody has, in a session", "POST", `{"jsonrpc":"2.0","id":"x","method":"nope"}`, []string{"Mcp-Session-Id", s.session()}, 200, -32601, `"x"`, `Method not found: "nope"`},
		{"a place in a stream", "POST", ping, []string{"Last-Event-ID", "hunter2"}, 400, -32600, `"x"`, "Last-Event-ID"},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, answer, h := s.do(c.method, "/mcp", c.body, append([]string{"Accept", accept}, c.headers...)...)
			var got struct {
				JSONRPC string
				ID      json.RawMessage
				Error   struct {
					Code    int
					Message string
				}
			}
			if err := json.Unmarshal([]byte(answer), &got); err != nil || !strings.HasPrefix(h.Get("Content-Type"), "application/json") {
				t.Fatalf("%v\n%d %v %s", err, status, h, answer)
			}
			if status != c.status || got.JSONRPC != "2.0" || got.Error.Code != c.code || string(got.ID) != c.id || got.Error.Message == "" || !strings.Contains(got.Error.Message, c.says) {
				t.Errorf("%d %s", status, answer)
			}
		})
	}
	if strings.Contains(s.log.String(), "hunter2") {
		t.Errorf("the log quotes what was sent:\n%s", s.log)
	}
}

// TestUseEndsSessions: nobody goes on with what the old settings allowed.
func TestUseEndsSessions(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	c := s.client("some client")
	search := &mcp.CallToolParams{Name: "memory.search", Arguments: json.RawMessage(`{"query":"boiler"}`)}
	if _, err := c.CallTool(t.Context(), search); err != nil {
		t.Fatal(err)
	}
	next := backend(memory(t), policy.Options{DenyTools: []string{"memory.search"}})
	s.server.Use(next)
	if r, err := c.CallTool(t.Context(), search); err == nil {
		t.Errorf("the old session answers: %+v", r)
	}
	again := s.client("some client")
	if _, err := again.CallTool(t.Context(), search); err == nil || !strings.Contains(err.Error(), "Unknown tool") {
		t.Errorf("a new session: %v", err)
	}
}

// TestStopEndsStreams: a client that listens does not hold the server back.
func TestStopEndsStreams(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), func(o *rpc.Options) { o.Limits.Session = time.Hour })
	s.client("some client") // the SDK's client listens on a stream
	time.Sleep(100 * time.Millisecond)
	start := time.Now()
	s.stop()
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("stopping took %v", took)
	}
}
