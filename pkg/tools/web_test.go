package tools_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/openhuman/openhuman-core/internal/audit"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// fakeWeb answers every search with the same, and remembers what it was asked.
type fakeWeb struct {
	asked  []controller.WebQuery
	answer controller.WebAnswer
	err    error
}

func (f *fakeWeb) Search(_ context.Context, q controller.WebQuery) (controller.WebAnswer, error) {
	f.asked = append(f.asked, q)
	return f.answer, f.err
}

func (f *fakeWeb) Defaults() (string, int) { return "en", 10 }

func serverOver(t *testing.T, o controller.Options, p *policy.Policy, edit func(*tools.Options)) *mcp.ClientSession {
	t.Helper()
	o.Policy = p
	if o.Store == nil {
		o.Store = fakeStore{do: fails(nil)}
	}
	to := tools.Options{Controller: controller.New(o), Policy: p, Version: "1.2.3", Log: zerolog.Nop()}
	if edit != nil {
		edit(&to)
	}
	return join(t, tools.Server(to), "Cursor", &mcp.ServerSessionOptions{State: tools.Unintroduced()})
}

func shownTools(t *testing.T, cs *mcp.ClientSession) (names []string) {
	t.Helper()
	list, err := cs.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names
}

// The tool is there while a web search is configured, after the others, and a call says what to
// configure while none is.
func TestWebSearchComesAndGoes(t *testing.T) {
	off := serverOver(t, controller.Options{}, nil, nil)
	if names := shownTools(t, off); slices.Contains(names, "searxng_search") || len(names) != 6 {
		t.Errorf("tools %q", names)
	}
	_, err := call(t, off, "searxng_search", `{"query":"x"}`)
	if codeOf(err) != -32602 || !strings.Contains(err.Error(), "OPENHUMAN_SEARXNG_ENABLED") || !strings.Contains(err.Error(), "[searxng]") {
		t.Errorf("while it is off: %v", err)
	}
	for _, method := range []string{"openhuman.tools_searxng_search", "openhuman.tools_web_search"} {
		o, _ := tools.ByMethod(method)
		_, err := o.Call(t.Context(), tools.Deps{Controller: controller.New(controller.Options{})}, json.RawMessage(`{"query":"x"}`))
		if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.HintOf(err), "OPENHUMAN_SEARXNG_ENABLED") {
			t.Errorf("%s while it is off: %v", method, err)
		}
	}

	web := &fakeWeb{answer: controller.WebAnswer{Results: []controller.WebResult{{Title: "T", URL: "https://a.example/?password=hunter2", Snippet: "S\u202e", Source: "e"}}}}
	on := serverOver(t, controller.Options{Web: web}, gate(t, policy.Options{RedactSecrets: true}), nil)
	if names := shownTools(t, on); len(names) != 7 || names[6] != "searxng_search" {
		t.Errorf("tools %q", names)
	}
	r, err := call(t, on, "searxng_search", `{"query":" boats ","categories":"news, web","max_results":"99"}`)
	if err != nil || r.IsError {
		t.Fatal(err, r)
	}
	if want := `{"query":"boats","results":[{"title":"T","url":"https://a.example/?password=[redacted:password]","snippet":"S[U+202E]","source":"e"}]}`; textOf(t, r) != want {
		t.Errorf("answer %s", textOf(t, r))
	}
	if want := (controller.WebQuery{Query: "boats", Categories: []string{"news", "web"}, Language: "en", MaxResults: 50}); !cmp.Equal(want, web.asked[0]) {
		t.Errorf("asked %+v", web.asked[0])
	}
	for args, want := range map[string]string{
		`{}`: `"query" is required`, `{"query":"x","max_results":0}`: "must be at least 1", `{"query":"x","categories":["videos"]}`: "The categories are web, news, images",
		`{"query":"x","language":"e; rm"}`: "is no language", `{"query":"` + strings.Repeat("x", 501) + `"}`: "501 characters", `{"q":"x"}`: `did you mean "query"`,
	} {
		if r, err := call(t, on, "searxng_search", args); err != nil || !r.IsError || !strings.Contains(textOf(t, r), want) {
			t.Errorf("%s: %v, %v", args, r, err)
		}
	}
	web.err = fault.New(fault.Unavailable, "It is away.").WithHint("Wait.")
	if r, err := call(t, on, "searxng_search", `{"query":"x"}`); err != nil || !r.IsError || textOf(t, r) != "It is away. Wait." {
		t.Errorf("a failure: %v, %v", r, err)
	}
}

// However long the results are, an answer stays small, and says what was cut.
func TestWebSearchFits(t *testing.T) {
	web := &fakeWeb{}
	for i := range 50 {
		web.answer.Results = append(web.answer.Results, controller.WebResult{
			Title: strings.Repeat("長", 300), URL: "https://a.example/" + strings.Repeat("x", 100+i), Snippet: strings.Repeat("語", 500), Source: "e",
		})
	}
	for _, most := range []int{4096, 30_000, 60_000, 10_000_000} {
		c := controller.New(controller.Options{Web: web, MaxResultBytes: most})
		res, err := c.SearXNGSearch(t.Context(), controller.SearXNGSearchParams{Query: "x"})
		if err != nil {
			t.Fatal(err)
		}
		data, err := tools.Encode(res)
		if err != nil {
			t.Fatal(err)
		}
		whole := len(res.Results) == 50 && res.Results[0].Snippet == web.answer.Results[0].Snippet
		if len(data) > most+1000 || whole != (res.Truncated == nil) || whole != (res.Hint == "") || whole != (most > 1_000_000) {
			t.Errorf("at most %d: %d bytes, %d rows, %+v, %q", most, len(data), len(res.Results), res.Truncated, res.Hint)
		}
	}
}

// Each call leaves one record with everything about it but what was asked and found.
func TestCallsAreRecorded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	log := audit.New(audit.Options{Dir: dir, MaxBytes: 1 << 20, MaxFiles: 2})
	defer log.Close()
	s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	storetest.Put(t, s, storetest.Doc("notes:a", "document", "one.md", storetest.Text{Content: "the harbour wall"}))
	p := gate(t, policy.Options{MaxReadsPerMinute: 5, Clients: map[string]policy.Client{"work": {DenyTools: []string{"tree.browse"}}}})
	cs := serverOver(t, controller.Options{Store: s}, p, func(o *tools.Options) { o.Audit, o.Pinned = log, "Work" })
	for _, c := range [][2]string{
		{"memory_search", `{"query":"harbour","k":3}`}, {"memory.search", `{"query":"hunter2","hunter2":"hunter2","hunter3":1}`},
		{"tree.read_chunk", `{"chunk_id":"hunter2"}`}, {"tree.browse", `{"query":"hunter2"}`}, {"nothing.hunter2", `{"hunter2":"hunter2"}`},
		{"memory.store", `{"content":"hunter2"}`}, {"tree.list_sources", ``}, {"tree.top_entities", `{"kind":null}`}, {"memory.search", `{"query":"hunter2"}`},
	} {
		_, _ = cs.CallTool(t.Context(), &mcp.CallToolParams{Name: c[0], Arguments: json.RawMessage(orEmpty(c[1]))})
	}
	var got []string
	if _, err := audit.Read(dir, func(r audit.Record) bool {
		args, _ := json.Marshal(r.Args)
		if r.Client != "mcp:cursor" || r.Pinned != "work" || r.Time.IsZero() {
			t.Errorf("%+v", r)
		}
		got = append(got, strings.TrimSpace(strings.Join([]string{r.Tool, string(args), string(rune('0' + r.Rows)), r.Decision, r.Code}, " ")))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		`memory.search {"k":1,"query":7} 1 allowed`,
		`memory.search {"?":8,"query":7} 0 allowed invalid`,
		`tree.read_chunk {"chunk_id":7} 0 allowed not_found`,
		`tree.browse {"query":7} 0 denied denied`,
		`unknown {"?":7} 0 allowed invalid`,
		`memory.store {"content":7} 0 denied denied`,
		`tree.list_sources {} 1 allowed`,
		`tree.top_entities {"kind":4} 0 allowed`,
		`memory.search {"query":7} 0 limited denied`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	data, err := os.ReadFile(filepath.Join(dir, "audit-000001.jsonl"))
	if err != nil || strings.Contains(string(data), "hunter") || strings.Contains(string(data), "harbour") {
		t.Errorf("%v\n%s", err, data)
	}
}

func orEmpty(s string) string {
	if s == "" {
		return "{}"
	}
	return s
}

// What is stored with secrets in it is served without them, in every member of every answer.
func TestSecretsAreNotServed(t *testing.T) {
	const secret = "postgres://ann:hunter2@db.example.com/x"
	s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	doc := storetest.Doc("notes:"+secret, "document", "one "+secret, storetest.Text{
		Content: "the wall " + strings.Repeat("of stones ", 60) + secret + "\u202e", Author: "Ann " + secret, Title: strings.Repeat("long ", 50) + secret, Tags: []string{secret},
		Mentions: []store.Mention{{Kind: "url", Value: secret, Surface: secret, Count: 1}},
	})
	storetest.Put(t, s, doc)
	p := gate(t, policy.Options{RedactSecrets: true})
	d := tools.Deps{Controller: controller.New(controller.Options{Store: s, Policy: p}), Policy: p}
	for _, c := range [][2]string{
		{"memory.search", `{"query":"wall"}`}, {"memory.recall", `{"query":"wall"}`}, {"tree.browse", `{}`},
		{"tree.browse", `{"source_ids":["notes:postgres"],"entity_ids":["url:postgres"]}`}, {"tree.read_chunk", `{"chunk_id":"` + doc.Chunks[0].ChunkID + `"}`},
		{"tree.top_entities", `{"kind":"url"}`}, {"tree.list_sources", `{}`},
	} {
		o, _ := tools.ByTool(c[0])
		for _, raw := range []bool{false, true} {
			ctx := clientinfo.With(t.Context(), clientinfo.MCP("x"))
			if raw {
				ctx = policy.Raw(ctx)
			}
			out, err := o.Call(ctx, d, json.RawMessage(c[1]))
			if err != nil {
				t.Fatal(err)
			}
			data, err := tools.Encode(out)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Contains(string(data), "hunter2") != raw {
				t.Errorf("%s %s (raw %v): %s", c[0], c[1], raw, data)
			}
			if !raw && strings.Contains(string(data), "\u202e") {
				t.Errorf("%s %s: what cannot be seen is served", c[0], c[1])
			}
		}
	}
}
