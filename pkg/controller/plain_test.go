package controller_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// over returns a controller over a store in memory with these documents.
func over(t testing.TB, o controller.Options, docs ...store.DocumentRecord) *controller.Controller {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	storetest.Put(t, s, docs...)
	o.Store = s
	return controller.New(o)
}

// life is a small memory with each kind of source.
func life() []store.DocumentRecord {
	return []store.DocumentRecord{
		storetest.Doc("notes:work", "document", "plan.md",
			storetest.Text{Content: "The budget plan for the café", Author: "Ann", TimeMS: 1_714_521_600_000, Tags: []string{"money"},
				Mentions: []store.Mention{{Kind: "person", Value: "ann-lee", Surface: "Ann Lee", Count: 1}, {Kind: "url", Value: "https://x.org", Surface: "https://x.org", Count: 4}}},
			storetest.Text{Content: "Second part of it", Author: "Ann", TimeMS: 1_714_521_600_000}),
		storetest.Doc("gmail:ann@x.org|bob@y.org", "email", "m1",
			storetest.Text{Content: "Bob, the budget is late", Author: "Ann", TimeMS: 1_714_700_000_000,
				Mentions: []store.Mention{{Kind: "email", Value: "bob@y.org", Surface: "bob@y.org", Count: 1}}}),
		storetest.Doc("slack:#eng", "chat", "eng/2024-05-03",
			storetest.Text{Content: "bob: standup moved to ten", Author: "bob", TimeMS: 1_714_800_000_000}),
	}
}

func TestGetChunk(t *testing.T) {
	docs := life()
	c := over(t, controller.Options{}, docs...)
	got, err := c.GetChunk(t.Context(), controller.GetChunkParams{ChunkID: " " + docs[0].Chunks[0].ChunkID + "\n"})
	if err != nil {
		t.Fatal(err)
	}
	want := controller.Chunk{
		ChunkID: docs[0].Chunks[0].ChunkID, NodeKind: "chunk", SourceKind: "document", SourceID: "notes:work", SourceRef: "plan.md",
		Title: "plan.md", Author: "Ann", Timestamp: "2024-05-01T00:00:00Z", TimestampMS: 1_714_521_600_000,
		TokenCount: docs[0].Chunks[0].TokenCount, Tags: []string{"money"}, Context: "plan.md", Content: "The budget plan for the café",
		NextChunkID: docs[0].Chunks[1].ChunkID,
		Entities: []controller.EntityRef{
			{EntityID: "url:https://x.org", Kind: "url", Surface: "https://x.org"}, {EntityID: "person:ann-lee", Kind: "person", Surface: "Ann Lee"},
		},
	}
	if diff := cmp.Diff(want, got.Chunk); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for id, code := range map[string]fault.Code{"": fault.Invalid, "  ": fault.Invalid, "nope": fault.NotFound} {
		if _, err := c.GetChunk(t.Context(), controller.GetChunkParams{ChunkID: id}); fault.CodeOf(err) != code || fault.HintOf(err) == "" {
			t.Errorf("%q: %v, want a %s fault with a hint", id, err, code)
		}
	}
}

func TestGetChunkWithManyEntities(t *testing.T) {
	var ms []store.Mention
	for i := range 400 {
		v := fmt.Sprintf("https://example.org/%d/%s", i, strings.Repeat("x", 500))
		ms = append(ms, store.Mention{Kind: "url", Value: v, Surface: v, Count: 1})
	}
	content := strings.Repeat("\"quoted\"\n", 900)
	doc := storetest.Doc("notes:a", "document", "a.md", storetest.Text{Content: content, Mentions: ms})
	c := over(t, controller.Options{}, doc)
	got, err := c.GetChunk(t.Context(), controller.GetChunkParams{ChunkID: doc.Chunks[0].ChunkID})
	if err != nil {
		t.Fatal(err)
	}
	if n := size(t, got); n > controller.DefaultMaxResultBytes {
		t.Errorf("%d bytes", n)
	}
	if got.Chunk.Content != content || len(got.Chunk.Entities) == 0 {
		t.Errorf("%d bytes of content, %d entities", len(got.Chunk.Content), len(got.Chunk.Entities))
	}
}

func TestListChunks(t *testing.T) {
	c := over(t, controller.Options{}, life()...)
	ms := func(v int64) *int64 { return &v }
	for name, test := range map[string]struct {
		p    controller.ListChunksParams
		want []string // beginnings of previews
		hint string
	}{
		"everything, newest first": {controller.ListChunksParams{}, []string{"bob:", "Bob,", "Second|The", "The|Second"}, ""},
		"kinds":                    {controller.ListChunksParams{SourceKinds: []string{"chat", " Email "}}, []string{"bob:", "Bob,"}, ""},
		"source":                   {controller.ListChunksParams{SourceIDs: []string{"slack:#eng"}}, []string{"bob:"}, ""},
		"entity":                   {controller.ListChunksParams{EntityIDs: []string{"email:bob@y.org"}}, []string{"Bob,"}, ""},
		"times":                    {controller.ListChunksParams{SinceMS: ms(1_714_700_000_000), UntilMS: ms(1_714_700_000_000)}, []string{"Bob,"}, ""},
		"query":                    {controller.ListChunksParams{Query: "budget"}, []string{"Bob,", "The"}, ""},
		"query with all words":     {controller.ListChunksParams{Query: "budget cafe"}, []string{"The"}, ""},
		"query with operators":     {controller.ListChunksParams{Query: "budget -late from:ann before:2024-05-02"}, []string{"The"}, ""},
		"query and kind":           {controller.ListChunksParams{Query: "budget kind:email", SourceKinds: []string{"email", "chat"}}, []string{"Bob,"}, ""},
		"kinds that exclude":       {controller.ListChunksParams{Query: "budget kind:email", SourceKinds: []string{"chat"}}, nil, "Nothing matches"},
		"excluded words alone":     {controller.ListChunksParams{Query: "-budget"}, []string{"bob:", "Second"}, ""},
		"operators alone":          {controller.ListChunksParams{Query: "tag:money"}, []string{"The"}, ""},
		"no match":                 {controller.ListChunksParams{Query: "zebra"}, nil, "Nothing matches"},
		"unknown source":           {controller.ListChunksParams{SourceIDs: []string{"slack:eng"}}, nil, "slack:#eng"},
		"one unknown source":       {controller.ListChunksParams{SourceIDs: []string{"notes:wrok", "slack:#eng"}}, []string{"bob:"}, "notes:work"},
		"unknown entity":           {controller.ListChunksParams{EntityIDs: []string{"person:ann"}}, nil, "person:ann-lee"},
		"entity like none":         {controller.ListChunksParams{EntityIDs: []string{"person:qqqq"}}, nil, "Nothing has a similar name"},
		"seconds":                  {controller.ListChunksParams{UntilMS: ms(1_714_700_000)}, nil, "look like seconds"},
		"past the end":             {controller.ListChunksParams{Offset: 40}, nil, "past the end"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := c.ListChunks(t.Context(), test.p)
			if err != nil {
				t.Fatal(err)
			}
			if got.Chunks == nil {
				t.Error("chunks are null")
			}
			if len(got.Chunks) != len(test.want) {
				t.Fatalf("%d rows, want %d", len(got.Chunks), len(test.want))
			}
			for i, r := range got.Chunks {
				if !slices.ContainsFunc(strings.Split(test.want[i], "|"), func(w string) bool { return strings.HasPrefix(r.Preview, w) }) {
					t.Errorf("row %d is %q, want %q", i, r.Preview, test.want[i])
				}
			}
			if (test.hint == "") != (got.Hint == "") || !strings.Contains(got.Hint, test.hint) {
				t.Errorf("hint %q, want one with %q", got.Hint, test.hint)
			}
			if test.p.Offset == 0 && got.Total != len(test.want) || got.NextOffset != nil {
				t.Errorf("total %d, next_offset %v", got.Total, got.NextOffset)
			}
		})
	}
}

func TestListChunksRefuses(t *testing.T) {
	c := over(t, controller.Options{}, life()...)
	ms := func(v int64) *int64 { return &v }
	for name, test := range map[string]struct {
		p    controller.ListChunksParams
		says string
	}{
		"kind":     {controller.ListChunksParams{SourceKinds: []string{"letter"}}, "chat, email, document"},
		"k":        {controller.ListChunksParams{K: -1}, "from 1 to 50"},
		"offset":   {controller.ListChunksParams{Offset: -1}, "next_offset"},
		"times":    {controller.ListChunksParams{SinceMS: ms(2), UntilMS: ms(1)}, "Swap"},
		"a novel":  {controller.ListChunksParams{Query: strings.Repeat("ü", controller.MaxQueryRunes+1)}, "2000"},
		"all good": {controller.ListChunksParams{Query: strings.Repeat("ü", controller.MaxQueryRunes)}, ""},
	} {
		_, err := c.ListChunks(t.Context(), test.p)
		if test.says == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), test.says) {
			t.Errorf("%s: %v, want an Invalid fault that says %q", name, err, test.says)
		}
	}
}

func TestListChunksPages(t *testing.T) {
	var texts []storetest.Text
	for i := range 120 {
		texts = append(texts, storetest.Text{Content: fmt.Sprint("note ", i), TimeMS: int64(i)})
	}
	c := over(t, controller.Options{}, storetest.Doc("notes:a", "document", "a.md", texts...))
	for k, want := range map[int]int{0: controller.DefaultK, 1: 1, 50: 50, 1000: controller.MaxK} {
		got, err := c.ListChunks(t.Context(), controller.ListChunksParams{K: k})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Chunks) != want || got.Total != 120 {
			t.Errorf("k %d: %d rows of %d, want %d of 120", k, len(got.Chunks), got.Total, want)
		}
	}
	seen := map[string]bool{}
	for offset := 0; ; {
		got, err := c.ListChunks(t.Context(), controller.ListChunksParams{K: 50, Offset: offset, Query: "note"})
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range got.Chunks {
			seen[r.ChunkID] = true
		}
		if got.NextOffset == nil {
			break
		}
		if *got.NextOffset <= offset {
			t.Fatalf("next_offset %d after %d", *got.NextOffset, offset)
		}
		offset = *got.NextOffset
	}
	if len(seen) != 120 {
		t.Errorf("pages hold %d different chunks, want 120", len(seen))
	}
}

// An empty memory and one that the policy hides whole read alike.
func TestEmptyMemory(t *testing.T) {
	p, err := policy.New(policy.Options{DenySources: []string{"*"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]*controller.Controller{
		"empty": over(t, controller.Options{}), "hidden": over(t, controller.Options{Policy: p}, life()...),
	} {
		t.Run(name, func(t *testing.T) { checkEmpty(t, c) })
	}
}

func checkEmpty(t *testing.T, c *controller.Controller) {
	const want = "The memory is empty, or nothing in it may be read here. Fill it with: openhuman-core ingest PATH"
	for _, q := range []string{"budget", "from:ann source:notes:work budget", "source:x"} {
		if res := search(t, c, q, 5); res.Hint != want || len(res.Chunks) > 0 {
			t.Errorf("Search %s: %+v", q, res)
		}
		if res, err := c.Recall(t.Context(), controller.RecallParams{Query: q}); err != nil || res.Hint != want || len(res.Chunks) > 0 {
			t.Errorf("Recall %s: %+v, %v", q, res, err)
		}
	}
	browse, err := c.ListChunks(t.Context(), controller.ListChunksParams{})
	if err != nil || browse.Hint != want || browse.Chunks == nil {
		t.Errorf("ListChunks: %+v, %v", browse, err)
	}
	top, err := c.TopEntities(t.Context(), controller.TopEntitiesParams{Kind: "person"})
	if err != nil || top.Hint != want || top.Entities == nil {
		t.Errorf("TopEntities: %+v, %v", top, err)
	}
	src, err := c.ListSources(t.Context(), controller.ListSourcesParams{})
	if err != nil || src.Hint != want || src.Sources == nil {
		t.Errorf("ListSources: %+v, %v", src, err)
	}
}

func TestTopEntities(t *testing.T) {
	c := over(t, controller.Options{}, life()...)
	got, err := c.TopEntities(t.Context(), controller.TopEntitiesParams{})
	if err != nil {
		t.Fatal(err)
	}
	want := []controller.EntityRow{
		{EntityID: "email:bob@y.org", Kind: "email", Surface: "bob@y.org", Count: 1},
		{EntityID: "person:ann-lee", Kind: "person", Surface: "Ann Lee", Count: 1},
	}
	if diff := cmp.Diff(want, got.Entities); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got, err := c.TopEntities(t.Context(), controller.TopEntitiesParams{Kind: " URL "}); err != nil || len(got.Entities) != 1 {
		t.Errorf("urls: %+v, %v", got, err)
	}
	if got, err := c.TopEntities(t.Context(), controller.TopEntitiesParams{Kind: "location"}); err != nil || len(got.Entities) != 0 || !strings.Contains(got.Hint, "location") {
		t.Errorf("locations: %+v, %v", got, err)
	}
	if _, err := c.TopEntities(t.Context(), controller.TopEntitiesParams{Kind: "people"}); fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), "person, organization") {
		t.Errorf("unknown kind: %v", err)
	}
	if _, err := c.TopEntities(t.Context(), controller.TopEntitiesParams{K: -3}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("negative k: %v", err)
	}
}

func TestListSources(t *testing.T) {
	var docs []store.DocumentRecord
	names := map[string][3]string{ // without a hint, with ann's, with bob's
		"gmail:ann@x.org|bob@y.org":        {"ann@x.org ↔ bob@y.org", "bob@y.org", "ann@x.org"},
		"gmail:ann@x.org|bob@y.org|c@z.de": {"ann@x.org ↔ bob@y.org ↔ c@z.de", "bob@y.org, c@z.de", "ann@x.org, c@z.de"},
		"gmail:ann@x.org":                  {"ann@x.org", "ann@x.org", "ann@x.org"},
		"gmail:ann@x.org|ANN@x.org":        {"ann@x.org ↔ ANN@x.org", "ann@x.org ↔ ANN@x.org", "ann@x.org ↔ ANN@x.org"},
		"slack:#eng":                       {"#eng", "#eng", "#eng"},
		"notes:a:b":                        {"a:b", "a:b", "a:b"},
		"plain":                            {"plain", "plain", "plain"},
		"slack:":                           {"slack:", "slack:", "slack:"},
	}
	for id := range names {
		docs = append(docs, storetest.Doc(id, "chat", id, storetest.Text{Content: id, TimeMS: int64(len(id))}))
	}
	c := over(t, controller.Options{}, docs...)
	for i, hint := range []string{"", " Ann@X.org ", "bob@y.org"} {
		got, err := c.ListSources(t.Context(), controller.ListSourcesParams{UserEmailHint: hint})
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Sources) != len(names) {
			t.Errorf("%d sources, want %d", len(got.Sources), len(names))
		}
		for _, s := range got.Sources {
			if want := names[s.SourceID][i]; s.DisplayName != want {
				t.Errorf("%s with hint %q is %q, want %q", s.SourceID, hint, s.DisplayName, want)
			}
			if s.ChunkCount != 1 || s.MostRecentMS != int64(len(s.SourceID)) || s.SourceKind != "chat" {
				t.Errorf("%+v", s)
			}
		}
		if !slices.IsSortedFunc(got.Sources, func(a, b controller.SourceRow) int { return int(b.MostRecentMS - a.MostRecentMS) }) {
			t.Error("not the most recent first")
		}
	}
}

func TestManySourcesAreCut(t *testing.T) {
	var docs []store.DocumentRecord
	for i := range 800 {
		id := fmt.Sprintf("slack:#channel-%d-%s", i, strings.Repeat("x", 60))
		docs = append(docs, storetest.Doc(id, "chat", id, storetest.Text{Content: "x", TimeMS: int64(i)}))
	}
	c := over(t, controller.Options{}, docs...)
	got, err := c.ListSources(t.Context(), controller.ListSourcesParams{})
	if err != nil {
		t.Fatal(err)
	}
	if n := size(t, got); n > controller.DefaultMaxResultBytes {
		t.Errorf("%d bytes", n)
	}
	if got.Truncated == nil || got.Truncated.Total != 800 || got.Truncated.Shown != len(got.Sources) || got.Hint == "" {
		t.Errorf("%d sources, truncated %+v, hint %q", len(got.Sources), got.Truncated, got.Hint)
	}
}

func TestDeniedSourceDoesNotExist(t *testing.T) {
	p, err := policy.New(policy.Options{DenySources: []string{"slack:*"}})
	if err != nil {
		t.Fatal(err)
	}
	docs := life()
	c := over(t, controller.Options{Policy: p}, docs...)
	if got, err := c.ListChunks(t.Context(), controller.ListChunksParams{SourceIDs: []string{"slack:#eng"}}); err != nil || got.Total != 0 || strings.Contains(got.Hint, "nearest are slack") {
		t.Errorf("browse: %+v, %v", got, err)
	}
	if _, err := c.GetChunk(t.Context(), controller.GetChunkParams{ChunkID: docs[2].Chunks[0].ChunkID}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("read: %v", err)
	}
	if got, err := c.ListSources(t.Context(), controller.ListSourcesParams{}); err != nil || len(got.Sources) != 2 {
		t.Errorf("sources: %+v, %v", got, err)
	}
}

// TestSizeBound: whatever is stored and however small the bound, an answer keeps to it, holds rows
// in order, and says what was cut.
func TestSizeBound(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.SampledFrom([]string{"plain ", "\"quo\"ted\\ ", "日本語の文 ", "👩‍👩‍👧 ", "<b>&amp; ", "\x01\x02 "})
		var texts []storetest.Text
		rows := rapid.IntRange(1, 50).Draw(rt, "rows")
		for i := range rows {
			texts = append(texts, storetest.Text{
				Content: fmt.Sprint(i, " ", strings.Repeat(word.Draw(rt, "word"), rapid.IntRange(1, 200).Draw(rt, "length"))),
				Title:   strings.Repeat(word.Draw(rt, "title"), rapid.IntRange(1, 100).Draw(rt, "title length")),
				TimeMS:  int64(-i),
			})
		}
		limit := rapid.IntRange(8_000, 70_000).Draw(rt, "bound")
		c := over(t, controller.Options{MaxResultBytes: limit}, storetest.Doc("notes:a", "document", "a.md", texts...))
		whole := over(t, controller.Options{MaxResultBytes: 1 << 30}, storetest.Doc("notes:a", "document", "a.md", texts...))
		got, err := c.ListChunks(t.Context(), controller.ListChunksParams{K: 50})
		if err != nil {
			rt.Fatal(err)
		}
		want, err := whole.ListChunks(t.Context(), controller.ListChunksParams{K: 50})
		if err != nil {
			rt.Fatal(err)
		}
		if n := size(t, got); n > limit && len(got.Chunks) > 1 {
			rt.Errorf("%d bytes with a bound of %d", n, limit)
		}
		if len(want.Chunks) != rows || want.Truncated != nil {
			rt.Fatalf("without a bound: %d rows of %d, %+v", len(want.Chunks), rows, want.Truncated)
		}
		cut := 0
		for i, r := range got.Chunks {
			w := want.Chunks[i]
			if r.Preview != w.Preview {
				cut++
				if n := utf8.RuneCountInString(r.Preview); n > controller.MaxPreviewRunes || n < 40 || !strings.HasSuffix(r.Preview, "…") {
					rt.Errorf("preview of %d characters: %q", n, r.Preview)
				}
			}
			r.Preview = w.Preview
			if diff := cmp.Diff(w, r); diff != "" {
				rt.Errorf("row %d (-whole +cut):\n%s", i, diff)
			}
		}
		switch {
		case len(got.Chunks) < rows:
			if got.Truncated == nil || got.Truncated.Field != "chunks" || got.NextOffset == nil || *got.NextOffset != len(got.Chunks) || got.Hint == "" {
				rt.Errorf("%d of %d rows: %+v, next %v, hint %q", len(got.Chunks), rows, got.Truncated, got.NextOffset, got.Hint)
			}
		case cut > 0:
			if got.Truncated == nil || *got.Truncated != (controller.Truncated{Field: "preview", Shown: rows - cut, Total: rows}) || got.NextOffset != nil || got.Hint == "" {
				rt.Errorf("%d of %d previews cut: %+v", cut, rows, got.Truncated)
			}
		case got.Truncated != nil:
			rt.Errorf("nothing was cut, but %+v", got.Truncated)
		}
	})
}

// size is the length of v in compact JSON as clients get it.
func size(t testing.TB, v any) int {
	t.Helper()
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		t.Fatal(err)
	}
	return b.Len() - 1
}
