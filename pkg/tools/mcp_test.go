package tools_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// secret stands for what must never be logged: it is in every query and in every failure's cause.
const secret = "hunter2"

// goodCalls has arguments for every tool.
var goodCalls = map[string]string{
	"memory.search":     `{"query":"` + secret + `"}`,
	"memory.recall":     `{"query":"` + secret + `"}`,
	"tree.read_chunk":   `{"chunk_id":"` + secret + `"}`,
	"tree.browse":       `{"query":"` + secret + `"}`,
	"tree.top_entities": `{}`,
	"tree.list_sources": `{"user_email_hint":"` + secret + `@example.com"}`,
}

// fakeStore does one thing whatever it is asked.
type fakeStore struct {
	controller.Store
	do func(context.Context) error
}

func (f fakeStore) SearchChunks(ctx context.Context, _ store.ChunkQuery) ([]store.ChunkHit, error) {
	return nil, f.do(ctx)
}

func (f fakeStore) SearchAny(ctx context.Context, _ store.AnyQuery) ([]store.ChunkHit, error) {
	return nil, f.do(ctx)
}

func (f fakeStore) TermCounts(ctx context.Context, _ []string) (map[string]int, int, error) {
	return nil, 1, f.do(ctx)
}

func (f fakeStore) Chunk(ctx context.Context, _ string, _ store.Scope) (*store.ChunkDetail, error) {
	return &store.ChunkDetail{}, f.do(ctx)
}

func (f fakeStore) Summary(ctx context.Context, _ string, _ store.Scope) (*store.SummaryDetail, error) {
	return &store.SummaryDetail{}, f.do(ctx)
}

func (f fakeStore) SearchSummaries(ctx context.Context, _ store.SummaryQuery) ([]store.SummaryHit, error) {
	return nil, f.do(ctx)
}

func (f fakeStore) ListChunks(ctx context.Context, _ store.ListQuery) ([]store.Chunk, int, error) {
	return nil, 0, f.do(ctx)
}

func (f fakeStore) TopEntities(ctx context.Context, _ string, _ int, _ store.Scope) ([]store.EntityCount, error) {
	return nil, f.do(ctx)
}

func (f fakeStore) Sources(ctx context.Context, _ store.Scope) ([]store.SourceInfo, error) {
	return nil, f.do(ctx)
}

func (f fakeStore) NearestEntities(ctx context.Context, _ string, _ int, _ store.Scope) ([]string, error) {
	return nil, f.do(ctx)
}

func (f fakeStore) Stats(ctx context.Context) (store.Stats, error) {
	return store.Stats{Chunks: 1}, f.do(ctx)
}

// logs collects log lines.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.b.Write(p) }
func (l *logs) String() string              { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

// connect starts a server over s and returns a client's view of it.
func connect(t *testing.T, s controller.Store, client string, edit func(*tools.Options)) (*mcp.ClientSession, *logs) {
	t.Helper()
	l := &logs{}
	o := tools.Options{Version: "1.2.3", Log: zerolog.New(l)}
	if edit != nil {
		edit(&o)
	}
	o.Controller = controller.New(controller.Options{Store: s, Policy: o.Policy})
	return join(t, tools.Server(o), client, &mcp.ServerSessionOptions{State: tools.Unintroduced()}), l
}

// join connects a client to a server.
func join(t *testing.T, server *mcp.Server, client string, so *mcp.ServerSessionOptions) *mcp.ClientSession {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	ss, err := server.Connect(t.Context(), far, so)
	if err != nil {
		t.Fatal(err)
	}
	cs, err := mcp.NewClient(&mcp.Implementation{Name: client, Version: "9"}, nil).Connect(t.Context(), near, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cs.Close(); _ = ss.Wait() })
	return cs
}

func call(t *testing.T, cs *mcp.ClientSession, name, args string) (*mcp.CallToolResult, error) {
	t.Helper()
	return cs.CallTool(t.Context(), &mcp.CallToolParams{Name: name, Arguments: json.RawMessage(args)})
}

func textOf(t *testing.T, r *mcp.CallToolResult) string {
	t.Helper()
	if len(r.Content) != 1 {
		t.Fatalf("%d pieces of content", len(r.Content))
	}
	return r.Content[0].(*mcp.TextContent).Text
}

func codeOf(err error) int64 {
	var e *jsonrpc.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return 0
}

func fails(err error) func(context.Context) error { return func(context.Context) error { return err } }

func TestGoodCallsCarryTheSameValueTwice(t *testing.T) {
	cs, l := connect(t, fakeStore{do: fails(nil)}, "Some Client", nil)
	for name, args := range goodCalls {
		r, err := call(t, cs, name, args)
		if err != nil || r.IsError {
			t.Errorf("%s: %v %+v", name, err, r)
			continue
		}
		var fromText any
		if err := json.Unmarshal([]byte(textOf(t, r)), &fromText); err != nil {
			t.Errorf("%s: text is not JSON: %v", name, err)
		}
		if diff := cmp.Diff(r.StructuredContent, fromText); diff != "" {
			t.Errorf("%s: structured content and text differ:\n%s", name, diff)
		}
		if strings.Contains(textOf(t, r), "null") {
			t.Errorf("%s answers null: %s", name, textOf(t, r))
		}
	}
	if got := strings.Count(l.String(), `"client":"mcp:some-client"`); got < len(goodCalls) {
		t.Errorf("%d of %d log lines say who called:\n%s", got, len(goodCalls), l)
	}
	if strings.Contains(l.String(), secret) {
		t.Errorf("the log quotes arguments:\n%s", l)
	}
}

// TestBothSurfacesAgree: a call beside MCP returns what the tool returns.
func TestBothSurfacesAgree(t *testing.T) {
	memory := fakeStore{do: fails(nil)}
	cs, _ := connect(t, memory, "c", nil)
	for name, args := range goodCalls {
		r, err := call(t, cs, name, args)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		o, _ := tools.ByTool(name)
		out, err := o.Call(t.Context(), tools.Deps{Controller: controller.New(controller.Options{Store: memory})}, json.RawMessage(args))
		if err != nil {
			t.Errorf("%s: %v", o.Method, err)
			continue
		}
		direct, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(direct), textOf(t, r)); diff != "" {
			t.Errorf("%s (-called directly +called as a tool):\n%s", name, diff)
		}
	}
}

// TestSessionsAreKeptApart: one server may serve many sessions, also such as the SDK introduces itself.
func TestSessionsAreKeptApart(t *testing.T) {
	l := &logs{}
	server := tools.Server(tools.Options{Controller: controller.New(controller.Options{Store: fakeStore{do: fails(nil)}}), Log: zerolog.New(l)})
	sessions := map[string]*mcp.ClientSession{
		"one":   join(t, server, "one", nil),
		"two":   join(t, server, "two", &mcp.ServerSessionOptions{State: tools.Unintroduced()}),
		"three": join(t, server, "three", nil),
	}
	for name, cs := range sessions {
		if r, err := call(t, cs, "tree.list_sources", `{}`); err != nil || r.IsError {
			t.Errorf("%s: %v", name, err)
		}
		if want := `"client":"mcp:` + name + `","tool":"tree.list_sources"`; strings.Count(l.String(), want) != 1 {
			t.Errorf("%s is not in the log once:\n%s", name, l)
		}
	}
}

func TestPanicIsAnInternalErrorAndTheServerLives(t *testing.T) {
	cs, l := connect(t, fakeStore{do: func(context.Context) error { panic("about " + secret) }}, "c", nil)
	for range 2 {
		for name, args := range goodCalls {
			if _, err := call(t, cs, name, args); codeOf(err) != jsonrpc.CodeInternalError {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
	if !strings.Contains(l.String(), "request panicked") || strings.Contains(l.String(), secret) {
		t.Errorf("log:\n%s", l)
	}
}

func TestFaultsBecomeToolErrors(t *testing.T) {
	for _, code := range fault.Codes {
		cause := errors.New(secret)
		cs, l := connect(t, fakeStore{do: fails(fault.Wrap(code, cause, "It is <gone> & lost.").WithHint("Run tree.browse."))}, "c", nil)
		want := "It is <gone> & lost. Run tree.browse."
		if code == fault.Internal {
			want = "Internal error. The server's log (stderr) has the details."
		}
		r, err := call(t, cs, "tree.top_entities", `{}`)
		if err != nil || !r.IsError || textOf(t, r) != want || r.StructuredContent != nil {
			t.Errorf("%s: %v, %+v", code, err, r)
		}
		if logged := strings.Contains(l.String(), secret); logged != (code == fault.Internal) {
			t.Errorf("%s: cause logged = %v:\n%s", code, logged, l)
		}
	}
	cs, _ := connect(t, fakeStore{do: fails(errors.New("disk on fire"))}, "c", nil)
	r, err := call(t, cs, "tree.list_sources", `{}`)
	if err != nil || !r.IsError || strings.Contains(textOf(t, r), "fire") {
		t.Errorf("an unexpected error: %v, %+v", err, r)
	}
}

func TestSlowCallIsGivenUp(t *testing.T) {
	slow := fakeStore{do: func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}
	cs, _ := connect(t, slow, "c", func(o *tools.Options) { o.Timeout = 20 * time.Millisecond })
	r, err := call(t, cs, "tree.top_entities", `{}`)
	if err != nil || !r.IsError || !strings.Contains(textOf(t, r), "took longer than 20ms") {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestFewCallsRunAtOnce(t *testing.T) {
	var running, most atomic.Int32
	cs, _ := connect(t, fakeStore{do: func(context.Context) error {
		n := running.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(5 * time.Millisecond)
		running.Add(-1)
		return nil
	}}, "c", nil)
	var wg sync.WaitGroup
	for range 40 {
		wg.Go(func() {
			if _, err := call(t, cs, "tree.top_entities", `{}`); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if got := most.Load(); got != tools.DefaultConcurrency {
		t.Errorf("%d calls ran at once, want %d", got, tools.DefaultConcurrency)
	}
}

func TestDeniedToolDoesNotExist(t *testing.T) {
	p, err := policy.New(policy.Options{DenyTools: []string{"tree_browse", "openhuman.memory_tree_list_sources"}})
	if err != nil {
		t.Fatal(err)
	}
	cs, _ := connect(t, fakeStore{do: fails(nil)}, "c", func(o *tools.Options) { o.Policy = p })
	if diff := cmp.Diff([]string{"memory.search", "memory.recall", "tree.read_chunk", "tree.top_entities"}, listed(t, cs)); diff != "" {
		t.Errorf("tools/list (-want +got):\n%s", diff)
	}
	for _, name := range []string{"tree.browse", "tree_browse", "tree.list_sources"} {
		if _, err := call(t, cs, name, `{}`); codeOf(err) != jsonrpc.CodeInvalidParams || strings.Contains(err.Error(), "Did you mean \""+name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	o, _ := tools.ByTool("tree.browse")
	_, err = o.Call(t.Context(), tools.Deps{Controller: controller.New(controller.Options{}), Policy: p}, nil)
	if fault.CodeOf(err) != fault.Denied {
		t.Errorf("called beside MCP: %v", err)
	}
}

func listed(t *testing.T, cs *mcp.ClientSession) []string {
	t.Helper()
	r, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range r.Tools {
		names = append(names, tool.Name)
	}
	return names
}

func TestNamesFollowTheClientAndBothFormsAreCalled(t *testing.T) {
	dotted := []string{"memory.search", "memory.recall", "tree.read_chunk", "tree.browse", "tree.top_entities", "tree.list_sources"}
	var under []string
	for _, n := range dotted {
		under = append(under, underscore(n))
	}
	for _, tc := range []struct {
		client string
		style  tools.NameStyle
		want   []string
	}{
		{"claude-ai", "", under},
		{"Claude Code", tools.Auto, dotted},
		{"claude-ai", tools.Dotted, dotted},
		{"Cursor", tools.Underscore, under},
	} {
		t.Run(fmt.Sprintf("%s %s", tc.client, tc.style), func(t *testing.T) {
			cs, _ := connect(t, fakeStore{do: fails(nil)}, tc.client, func(o *tools.Options) { o.ToolNames = tc.style })
			if diff := cmp.Diff(tc.want, listed(t, cs)); diff != "" {
				t.Errorf("tools/list (-want +got):\n%s", diff)
			}
			for _, n := range append(dotted, under...) {
				args := goodCalls[n]
				if args == "" {
					args = goodCalls[strings.Replace(n, "_", ".", 1)]
				}
				if r, err := call(t, cs, n, args); err != nil || r.IsError {
					t.Errorf("%s: %v", n, err)
				}
			}
			r, err := cs.ListTools(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			all, _ := json.Marshal(r.Tools)
			for i := range dotted {
				if wrong := map[bool]string{true: dotted[i], false: under[i]}[tc.want[0] == under[0]]; bytes.Contains(all, []byte(wrong)) {
					t.Errorf("the list says %s somewhere", wrong)
				}
			}
		})
	}
}

func TestCancelledCallEndsItsController(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	cs, _ := connect(t, fakeStore{do: func(ctx context.Context) error {
		close(started)
		<-ctx.Done()
		close(ended)
		return ctx.Err()
	}}, "c", nil)
	ctx, cancel := context.WithCancel(t.Context())
	go func() { <-started; cancel() }()
	if _, err := cs.CallTool(ctx, &mcp.CallToolParams{Name: "tree.top_entities"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-ended
}

func indent(t *testing.T, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		t.Fatal(err)
	}
	return append(b.Bytes(), '\n')
}
