package rpc_test

import (
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/openhuman/openhuman-core/internal/inbox"
	"github.com/openhuman/openhuman-core/internal/rpc"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// writable is a backend over a memory of its own to which callers may write.
func writable(t *testing.T, o policy.Options) rpc.Backend {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	p, err := policy.New(o)
	if err != nil {
		t.Fatal(err)
	}
	s := store.Lazy(store.Options{Path: path, ReadOnly: true})
	c := controller.New(controller.Options{Store: s, Policy: p, Registry: controller.Registry{Tools: tools.Registry}, Writer: inbox.New(inbox.Options{Path: path})})
	return rpc.Backend{
		Deps:  tools.Deps{Controller: c, Policy: p},
		MCP:   tools.Server(tools.Options{Controller: c, Policy: p, Version: "1.2.3", Log: zerolog.Nop()}),
		Token: token, Host: "127.0.0.1", Close: func() { _ = s.Close() },
	}
}

const (
	ingestOne = `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_ingest","params":{"payload":` +
		`{"source_kind":"document","source_id":"drive:plans","tags":["roof"],"payload":{"title":"Roof","body":"The ` + secret + ` roof leaks.","modified_at":1714554000000,"source_ref":"roof.md"}}}}`
	searchRoof = `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_search","params":{"query":"roof leaks"}}`
)

// TestIngestOverRPC: a payload is taken in once, is found at once over every surface, and is in no log.
func TestIngestOverRPC(t *testing.T) {
	s := open(t, writable(t, policy.Options{}), nil)
	for _, want := range []string{`{"source_id":"drive:plans","documents":1,"chunks":1,"unchanged":0}`, `{"source_id":"drive:plans","documents":0,"chunks":0,"unchanged":1}`} {
		if got := s.rpc(ingestOne); !strings.Contains(got, `"result":`+want) {
			t.Errorf("want %s, got %s", want, got)
		}
	}
	if got := s.rpc(searchRoof); !strings.Contains(got, "drive:plans") {
		t.Error(got)
	}
	c := s.client("Some Client")
	list, err := c.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) != 7 || list.Tools[6].Name != "memory.store" {
		t.Fatalf("%v %v", list, err)
	}
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory.store", Arguments: json.RawMessage(`{"title":"Plumber","content":"The plumber is called Dana."}`)})
	if err != nil || r.IsError {
		t.Fatalf("%+v %v", r, err)
	}
	r, err = c.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory.search", Arguments: json.RawMessage(`{"query":"plumber"}`)})
	if err != nil || !strings.Contains(r.Content[0].(*mcp.TextContent).Text, `"source_id":"mcp:some-client"`) {
		t.Errorf("%+v %v", r, err)
	}
	if r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "memory_tree_ingest"}); err == nil {
		t.Errorf("ingest is a tool: %+v", r)
	}
	if strings.Contains(s.log.String(), secret) || strings.Contains(s.log.String(), "Roof") {
		t.Errorf("the log holds what was written:\n%s", s.log)
	}
}

// TestWritingIsRefused at the level readonly and by default.
func TestWritingIsRefused(t *testing.T) {
	for name, b := range map[string]rpc.Backend{"readonly": writable(t, policy.Options{Level: policy.ReadOnly}), "default": backend(memory(t), policy.Options{})} {
		s := open(t, b, nil)
		if got := s.rpc(ingestOne); !strings.Contains(got, `"code":-32003`) || !strings.Contains(got, `"hint":"`) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// TestTooOften: who calls too often gets 429 with the time to wait, in a form that JSON-RPC knows; a
// batch has an answer for each call.
func TestTooOften(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{MaxReadsPerMinute: 2}), nil)
	for range 2 {
		if status, answer, _ := s.do("POST", "/rpc", searchRoof); status != http.StatusOK {
			t.Fatalf("%d %s", status, answer)
		}
	}
	status, answer, h := s.do("POST", "/rpc", searchRoof)
	if status != http.StatusTooManyRequests || !strings.Contains(answer, `"id":1,"error":{"code":-32003`) {
		t.Errorf("%d %s", status, answer)
	}
	if after := h.Get("Retry-After"); after != "60" && after != "59" && after != "58" {
		t.Errorf("Retry-After is %q", after)
	}
	if status, answer, _ := s.do("POST", "/rpc", "["+searchRoof+"]"); status != http.StatusOK || !strings.Contains(answer, "-32003") {
		t.Errorf("a batch: %d %s", status, answer)
	}
}

// TestEveryErrorOfMCPHasACode: the SDK gives some errors none.
func TestEveryErrorOfMCPHasACode(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	_, _, h := s.do("POST", "/mcp", initialize, "Accept", accept)
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":"a,\"b","method":"tools/call","params":{"name":1}}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}`,
		`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{"cursor":"x"}}`,
		`{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":{}}}`,
		`{"jsonrpc":"2.0","id":5,"method":"logging/setLevel","params":{"level":1}}`,
	} {
		status, answer, _ := s.do("POST", "/mcp", body, "Accept", accept, "Mcp-Session-Id", h.Get("Mcp-Session-Id"))
		var got struct {
			ID    json.RawMessage
			Error *struct {
				Code    int
				Message string
			}
		}
		var sent struct{ ID json.RawMessage }
		if json.Unmarshal([]byte(answer), &got) != nil || json.Unmarshal([]byte(body), &sent) != nil {
			t.Errorf("%s: %d %s", body, status, answer)
			continue
		}
		if got.Error == nil || got.Error.Code == 0 || got.Error.Message == "" || string(got.ID) != string(sent.ID) {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
}

// TestGateOverHTTP: what the policy denies and what it redacts is denied and redacted on /rpc and /mcp.
func TestGateOverHTTP(t *testing.T) {
	m := memory(t)
	err := m.Update(t.Context(), func(tx *store.Tx) error {
		for i, source := range []string{"notes:open", "mail:hidden"} {
			_, _, err := tx.PutDocument(store.DocumentRecord{
				Source: store.SourceMeta{SourceID: source, Kind: "document"}, Identity: source, Hash: [32]byte{byte(i), 2},
				Chunks: []store.ChunkRecord{{
					ChunkID: "key" + source, Content: "The deploy key is ghp_abcdefghijklmnopqrstuvwxyz0123456789.", TokenCount: 9, TimestampMS: 1_700_000_000_000,
					Index: store.IndexText{Body: "deploy key"},
				}},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, backend(m, policy.Options{DenySources: []string{"mail:*"}, DenyTools: []string{"tree.browse"}, RedactSecrets: true}), nil)
	c := s.client("x")
	for method, call := range map[string][2]string{
		"openhuman.memory_tree_search":        {"memory.search", `{"query":"deploy key"}`},
		"openhuman.memory_tree_recall":        {"memory.recall", `{"query":"deploy key"}`},
		"openhuman.memory_tree_get_chunk":     {"tree.read_chunk", `{"chunk_id":"keynotes:open"}`},
		"openhuman.memory_tree_list_sources":  {"tree.list_sources", `{}`},
		"openhuman.memory_tree_list_chunks":   {"tree.browse", `{}`},
		"openhuman.memory_tree_top_entities":  {"tree.top_entities", `{}`},
		"openhuman.tool_registry_diagnostics": {"", `{}`},
	} {
		answers := []string{s.rpc(`{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + call[1] + `}`)}
		if call[0] != "" {
			r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: call[0], Arguments: json.RawMessage(call[1])})
			switch denied := call[0] == "tree.browse"; {
			case denied != (err != nil):
				t.Errorf("%s: %v", call[0], err)
			case denied:
				answers = append(answers, err.Error())
			default:
				answers = append(answers, r.Content[0].(*mcp.TextContent).Text)
			}
		}
		for _, a := range answers {
			if strings.Contains(a, "ghp_") || strings.Contains(a, "mail:") {
				t.Errorf("%s: %s", method, a)
			}
		}
		if method == "openhuman.memory_tree_list_chunks" && !strings.Contains(answers[0], "-32003") {
			t.Errorf("a denied method: %s", answers[0])
		}
		if strings.Contains(call[1], "deploy") && !strings.Contains(answers[0], "[redacted:api-token]") {
			t.Errorf("%s: %s", method, answers[0])
		}
		if strings.Contains(call[1], "keynotes") && !strings.Contains(answers[1], "[redacted:api-token]") {
			t.Errorf("%s: %s", method, answers[1])
		}
	}
	if got := s.rpc(`{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_get_chunk","params":{"chunk_id":"keymail:hidden"}}`); !strings.Contains(got, "-32004") {
		t.Errorf("a hidden chunk: %s", got)
	}
}

func TestCoded(t *testing.T) {
	for in, want := range map[string]string{
		`{"jsonrpc":"2.0","id":"a,b","error":{"code":0,"message":"a <b>"}}`:                                     `{"jsonrpc":"2.0","id":"a,b","error":{"code":-32603,"message":"a <b>"}}`,
		`{"jsonrpc":"2.0","error":{"code":0,"message":"m","data":{"x":1}}}`:                                     `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"m","data":{"x":1}}}`,
		`[{"jsonrpc":"2.0","id":1,"error":{"code":0,"message":"m"}},{"jsonrpc":"2.0","id":2,"result":{"x":1}}]`: `[{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"m"}},{"jsonrpc":"2.0","id":2,"result":{"x":1}}]`,
		// Everything else stays, byte for byte.
		`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}}`:       `{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"m"}}`,
		`{"jsonrpc":"2.0","id":1,"result":{"x":{"error":{"code":0,"y":"z"}}}}`: `{"jsonrpc":"2.0","id":1,"result":{"x":{"error":{"code":0,"y":"z"}}}}`,
		`"error":{"code":0,`: `"error":{"code":0,`,
	} {
		if got := string(rpc.Coded([]byte(in))); got != want {
			t.Errorf("%s\n got %s\nwant %s", in, got, want)
		}
	}
}
