package storetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// Run tests the contract on the stores that open returns; each call must return another, empty one.
func Run(t *testing.T, open func(t *testing.T) *store.Store) {
	for _, test := range []struct {
		name string
		run  func(*testing.T, *store.Store)
	}{
		{"empty store answers with nothing", testEmpty},
		{"an equal hash changes nothing", testUnchanged},
		{"a changed document keeps the rows of unchanged chunks", testReplace},
		{"a changed document loses its old words", testReplaceIndex},
		{"a failed transaction leaves nothing", testRollback},
		{"a panic leaves nothing and is passed on", testPanic},
		{"chunks have neighbours and entities", testChunk},
		{"filters", testFilters},
		{"pages joined are the whole list", testPages},
		{"accept decides before the limit", testAccept},
		{"a source has one kind", testKind},
		{"sources", testSources},
		{"a scope hides a source everywhere", testScope},
		{"a document goes with its last holder", testHolders},
		{"files", testFiles},
		{"forget", testForget},
		{"people", testPeople},
		{"people part again", testPeoplePart},
		{"a shared address joins nobody", testSharedAddress},
		{"crowding kinds are listed when asked for", testCrowding},
		{"nearest entities", testNearest},
		{"common terms", testTerms},
		{"meta", testMeta},
		{"the file stays sound", testIntegrity},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, open(t)) })
	}
}

func testEmpty(t *testing.T, s *store.Store) {
	ctx := t.Context()
	page, total, err := s.ListChunks(ctx, store.ListQuery{Limit: 10})
	check(t, err)
	if len(page) != 0 || total != 0 {
		t.Errorf("ListChunks: %d rows of %d", len(page), total)
	}
	if top, err := s.TopEntities(ctx, "", 10, nil); err != nil || len(top) != 0 {
		t.Errorf("TopEntities: %v, %v", top, err)
	}
	if src, err := s.Sources(ctx, nil); err != nil || len(src) != 0 {
		t.Errorf("Sources: %v, %v", src, err)
	}
	if _, err := s.Chunk(ctx, "x", nil); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("Chunk: %v, want a NotFound fault", err)
	}
	check(t, s.Finish(ctx))
	st, err := s.Stats(ctx)
	check(t, err)
	if st.Chunks != 0 || st.SchemaVersion != store.SchemaVersion {
		t.Errorf("Stats: %+v", st)
	}
}

func testUnchanged(t *testing.T, s *store.Store) {
	doc := Doc("notes:a", "document", "one.md", Text{Content: "first"}, Text{Content: "second"})
	id, res := put(t, s, doc)
	if res != store.Added {
		t.Fatalf("first: %v, want Added", res)
	}
	again, res := put(t, s, doc)
	if res != store.Unchanged || again != id {
		t.Errorf("second: document %d, %v; want %d, Unchanged", again, res, id)
	}
}

func testReplace(t *testing.T, s *store.Store) {
	doc := Doc("notes:a", "document", "one.md", Text{Content: "stays"}, Text{Content: "goes"})
	id, _ := put(t, s, doc)
	before := all(t, s)
	changed := Doc("notes:a", "document", "one.md", Text{Content: "comes"}, Text{Content: "stays"})
	id2, res := put(t, s, changed)
	if res != store.Replaced || id2 != id {
		t.Fatalf("document %d, %v; want %d, Replaced", id2, res, id)
	}
	after := all(t, s)
	if len(after) != 2 {
		t.Fatalf("%d chunks, want 2", len(after))
	}
	if b, a := byContent(before, "stays"), byContent(after, "stays"); a == nil || a.RowID != b.RowID || a.ChunkID != b.ChunkID {
		t.Errorf("the unchanged chunk was %+v and is %+v", b, a)
	}
	d, err := s.Chunk(t.Context(), byContent(after, "stays").ChunkID, nil)
	check(t, err)
	if d.PrevChunkID != byContent(after, "comes").ChunkID || d.NextChunkID != "" {
		t.Errorf("neighbours %q and %q are not those of the new order", d.PrevChunkID, d.NextChunkID)
	}
}

func testReplaceIndex(t *testing.T, s *store.Store) {
	put(t, s, Doc("notes:a", "document", "one.md", Text{Content: "kept words", Title: "oldtitle"}, Text{Content: "dropped"}))
	put(t, s, Doc("notes:a", "document", "one.md", Text{Content: "kept words", Title: "newtitle"}))
	for term, want := range map[string]int{"kept": 1, "oldtitl": 0, "newtitl": 1, "drop": 0} {
		if got := matches(t, s, term, nil); got != want {
			t.Errorf("%q is in %d chunks, want %d", term, got, want)
		}
	}
}

func testRollback(t *testing.T, s *store.Store) {
	put(t, s, Doc("notes:a", "document", "one.md", Text{Content: "stays", Mentions: mention("person", "ann", "Ann")}))
	before := dump(t, s)
	wrong := errors.New("wrong")
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.PutDocument(Doc("notes:b", "document", "two.md", Text{Content: "never", Mentions: mention("person", "bob", "Bob")}))
		check(t, err)
		_, _, err = tx.ForgetSource("notes:a")
		check(t, err)
		return wrong
	})
	if !errors.Is(err, wrong) {
		t.Errorf("Update returned %v", err)
	}
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Errorf("the store changed:\n%s", diff)
	}
	// What the failed transaction made must not be remembered.
	put(t, s, Doc("notes:b", "document", "two.md", Text{Content: "now", Mentions: mention("person", "bob", "Bob")}))
	if n := count(t, s, store.Filter{EntityIDs: []string{"person:bob"}, SourceIDs: []string{"notes:b"}}); n != 1 {
		t.Errorf("%d chunks after the second try, want 1", n)
	}
}

func testPanic(t *testing.T, s *store.Store) {
	func() {
		defer func() {
			if p := recover(); p != "oops" {
				t.Errorf("recovered %v", p)
			}
		}()
		err := s.Update(t.Context(), func(tx *store.Tx) error {
			_, _, err := tx.PutDocument(Doc("notes:a", "document", "one.md", Text{Content: "never"}))
			check(t, err)
			panic("oops")
		})
		t.Errorf("Update returned %v", err)
	}()
	put(t, s, Doc("notes:a", "document", "two.md", Text{Content: "works"}))
	if n := count(t, s, store.Filter{}); n != 1 {
		t.Errorf("%d chunks, want 1", n)
	}
}

func testChunk(t *testing.T, s *store.Store) {
	doc := Doc("slack:#eng", "chat", "eng/2024-05-01",
		Text{Content: "one", Author: "Ann", TimeMS: 1},
		Text{Content: "two", Author: "Böb", TimeMS: 2, Tags: []string{"x", "ü"}, Mentions: []store.Mention{
			{Kind: "topic", Value: "go", Surface: "Go", Count: 1},
			{Kind: "person", Value: "ann", Surface: "Ann", Count: 3},
		}},
		Text{Content: "three", TimeMS: 3})
	doc.Tags = []string{"team", "x"}
	put(t, s, Rehash(doc))
	d, err := s.Chunk(t.Context(), doc.Chunks[1].ChunkID, nil)
	check(t, err)
	want := &store.ChunkDetail{
		Chunk: store.Chunk{
			RowID: d.RowID, ChunkID: doc.Chunks[1].ChunkID, SourceID: "slack:#eng", SourceKind: "chat", SourceRef: "eng/2024-05-01",
			Title: "eng/2024-05-01", Author: "Böb", Context: "eng/2024-05-01", Content: "two", TimestampMS: 2,
			TokenCount: doc.Chunks[1].TokenCount, Tags: []string{"team", "x", "ü"},
		},
		PrevChunkID: doc.Chunks[0].ChunkID, NextChunkID: doc.Chunks[2].ChunkID,
		Entities: []store.EntityRef{
			{EntityID: "person:ann", Kind: "person", Surface: "Ann"},
			{EntityID: "topic:go", Kind: "topic", Surface: "Go"},
		},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("chunk (-want +got):\n%s", diff)
	}
}

func testFilters(t *testing.T, s *store.Store) {
	Put(t, s,
		Doc("notes:work", "document", "a.md", Text{Content: "alpha", Author: "Zoë Ångström", TimeMS: 10, Tags: []string{"Ünï"}}),
		Doc("mail:inbox", "email", "b", Text{Content: "beta", Author: "bob@x.org", TimeMS: 20, Mentions: mention("email", "bob@x.org", "Bob@x.org")}),
		Doc("slack:#eng", "chat", "c", Text{Content: "gamma", Author: "100%_sure", TimeMS: 30, Tags: []string{"a", "b"}}),
		Doc("slack:#ops", "chat", "d", Text{Content: "delta", Author: "100 sure", TimeMS: 30, Tags: []string{"ab"}}),
	)
	ms := func(v int64) *int64 { return &v }
	for name, test := range map[string]struct {
		f    store.Filter
		want string
	}{
		"none":                    {store.Filter{}, "delta gamma beta alpha"},
		"kind":                    {store.Filter{SourceKinds: []string{"email", "document"}}, "beta alpha"},
		"source":                  {store.Filter{SourceIDs: []string{"slack:#eng", "nope"}}, "gamma"},
		"unknown source":          {store.Filter{SourceIDs: []string{"nope"}}, ""},
		"kind and source":         {store.Filter{SourceKinds: []string{"email"}, SourceIDs: []string{"slack:#eng"}}, ""},
		"glob":                    {store.Filter{SourceGlobs: []string{"SLACK:*"}}, "delta gamma"},
		"glob of one letter":      {store.Filter{SourceGlobs: []string{"slack:#?ps"}}, "delta"},
		"author folded":           {store.Filter{Authors: []string{"zoe ANG"}}, "alpha"},
		"author with wild cards":  {store.Filter{Authors: []string{"100%_"}}, "gamma"},
		"author %":                {store.Filter{Authors: []string{"%"}}, "gamma"},
		"authors are ORed":        {store.Filter{Authors: []string{"zoë", "bob"}}, "beta alpha"},
		"tag":                     {store.Filter{Tags: []string{"A"}}, "gamma"},
		"tag folded":              {store.Filter{Tags: []string{"uni"}}, "alpha"},
		"part of a tag":           {store.Filter{Tags: []string{"un"}}, ""},
		"entity":                  {store.Filter{EntityIDs: []string{"email:bob@x.org"}}, "beta"},
		"unknown entity":          {store.Filter{EntityIDs: []string{"email:x"}}, ""},
		"entity with quote":       {store.Filter{EntityIDs: []string{"email:' OR 1=1 --"}}, ""},
		"since is inclusive":      {store.Filter{SinceMS: ms(20)}, "delta gamma beta"},
		"until is inclusive":      {store.Filter{UntilMS: ms(20)}, "beta alpha"},
		"both":                    {store.Filter{SinceMS: ms(11), UntilMS: ms(29)}, "beta"},
		"without a kind":          {store.Filter{Exclude: &store.Filter{SourceKinds: []string{"chat"}}}, "beta alpha"},
		"without a glob":          {store.Filter{Exclude: &store.Filter{SourceGlobs: []string{"*:inbox"}}}, "delta gamma alpha"},
		"without an author":       {store.Filter{Exclude: &store.Filter{Authors: []string{"SURE"}}}, "beta alpha"},
		"without a tag":           {store.Filter{Exclude: &store.Filter{Tags: []string{"b"}}}, "delta beta alpha"},
		"without several":         {store.Filter{Exclude: &store.Filter{Tags: []string{"b"}, SourceIDs: []string{"notes:work"}}}, "delta beta"},
		"without an unknown":      {store.Filter{Exclude: &store.Filter{Authors: []string{"nobody"}}}, "delta gamma beta alpha"},
		"without a time on":       {store.Filter{Exclude: &store.Filter{SinceMS: ms(30)}}, "beta alpha"},
		"without a time up to":    {store.Filter{Exclude: &store.Filter{UntilMS: ms(20)}}, "delta gamma"},
		"scope":                   {store.Filter{Scope: Without{"mail:inbox"}}, "delta gamma alpha"},
		"scope that hides all":    {store.Filter{Scope: Without{"mail:inbox", "slack:#eng", "slack:#ops", "notes:work"}}, ""},
		"scope against a filter":  {store.Filter{Scope: Without{"mail:inbox"}, SourceIDs: []string{"mail:inbox"}}, ""},
		"scope against an entity": {store.Filter{Scope: Without{"mail:inbox"}, EntityIDs: []string{"email:bob@x.org"}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			page, total, err := s.ListChunks(t.Context(), store.ListQuery{Filter: test.f, Limit: 10})
			check(t, err)
			got := strings.Fields(contents(page))
			want := strings.Fields(test.want)
			slices.Sort(got)
			slices.Sort(want)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if total != len(want) {
				t.Errorf("total %d, want %d", total, len(want))
			}
			hits, err := s.SearchChunks(t.Context(), store.ChunkQuery{Match: "alpha OR beta OR gamma OR delta", Filter: test.f, Limit: 10})
			check(t, err)
			if len(hits) != len(want) {
				t.Errorf("SearchChunks: %d hits, want %d", len(hits), len(want))
			}
		})
	}
}

func testPages(t *testing.T, s *store.Store) {
	var texts []Text
	for i := range 23 {
		texts = append(texts, Text{Content: fmt.Sprintf("word n%d", i), TimeMS: int64(i / 3)})
	}
	Put(t, s, Doc("notes:a", "document", "a.md", texts...))
	for _, match := range []string{"", "word"} {
		for _, accept := range []func(*store.Chunk) bool{nil, func(*store.Chunk) bool { return true }} {
			whole, total, err := s.ListChunks(t.Context(), store.ListQuery{Match: match, Accept: accept, Limit: 100})
			check(t, err)
			if total != 23 || len(whole) != 23 {
				t.Fatalf("%d rows, total %d, want 23", len(whole), total)
			}
			if !slices.IsSortedFunc(whole, newestFirst) {
				t.Error("not newest first, then by chunk_id")
			}
			var joined []store.Chunk
			for offset := 0; offset < 25; offset += 4 {
				page, total, err := s.ListChunks(t.Context(), store.ListQuery{Match: match, Accept: accept, Limit: 4, Offset: offset})
				check(t, err)
				if total != 23 {
					t.Errorf("total %d at offset %d, want 23", total, offset)
				}
				joined = append(joined, page...)
			}
			if diff := cmp.Diff(whole, joined); diff != "" {
				t.Errorf("pages joined:\n%s", diff)
			}
		}
	}
}

func testAccept(t *testing.T, s *store.Store) {
	var texts []Text
	for i := range 40 {
		texts = append(texts, Text{Content: fmt.Sprintf("word n%d", i), TimeMS: int64(i)})
	}
	Put(t, s, Doc("notes:a", "document", "a.md", texts...))
	accept := func(c *store.Chunk) bool {
		return strings.HasSuffix(c.Content, "n3") || strings.HasSuffix(c.Content, "n7")
	}
	page, total, err := s.ListChunks(t.Context(), store.ListQuery{Match: "word", Accept: accept, Limit: 1})
	check(t, err)
	if contents(page) != "word n7" || total != 2 {
		t.Errorf("%q of %d, want word n7 of 2", contents(page), total)
	}
	hits, err := s.SearchChunks(t.Context(), store.ChunkQuery{Match: "word", Accept: accept, Limit: 5})
	check(t, err)
	if len(hits) != 2 {
		t.Errorf("SearchChunks: %d hits, want 2", len(hits))
	}
}

func testKind(t *testing.T, s *store.Store) {
	put(t, s, Doc("x:a", "document", "one.md", Text{Content: "a"}))
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.PutDocument(Doc("x:a", "email", "two", Text{Content: "b"}))
		return err
	})
	if fault.CodeOf(err) != fault.Invalid {
		t.Errorf("another kind in one source: %v, want an Invalid fault", err)
	}
}

func testSources(t *testing.T, s *store.Store) {
	Put(t, s,
		Doc("notes:old", "document", "a", Text{Content: "a", TimeMS: 5}, Text{Content: "b", TimeMS: 3}),
		Doc("mail:new", "email", "b", Text{Content: "c", TimeMS: 9}),
		Doc("chat:tie", "chat", "c", Text{Content: "d", TimeMS: 5}),
		Doc("notes:nothing", "document", "d"),
	)
	got, err := s.Sources(t.Context(), nil)
	check(t, err)
	want := []store.SourceInfo{
		{SourceID: "mail:new", Kind: "email", ChunkCount: 1, MostRecentMS: 9},
		{SourceID: "chat:tie", Kind: "chat", ChunkCount: 1, MostRecentMS: 5},
		{SourceID: "notes:old", Kind: "document", ChunkCount: 2, MostRecentMS: 5},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func testScope(t *testing.T, s *store.Store) {
	secret := Doc("notes:secret", "document", "s.md",
		Text{Content: "hidden word", Mentions: append(mention("person", "eve", "EVE"), mention("person", "ann", "ANN")...)},
		Text{Content: "hidden too", Mentions: mention("person", "ann", "ANN")})
	Put(t, s, secret, Doc("notes:open", "document", "o.md", Text{Content: "open word", Mentions: mention("person", "ann", "Ann")}))
	scope := Without{"notes:secret"}
	if n := count(t, s, store.Filter{Scope: scope}); n != 1 {
		t.Errorf("%d chunks, want 1", n)
	}
	if n := matches(t, s, "word", scope); n != 1 {
		t.Errorf("%d matches, want 1", n)
	}
	if _, err := s.Chunk(t.Context(), secret.Chunks[0].ChunkID, scope); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a hidden chunk: %v, want a NotFound fault", err)
	}
	src, err := s.Sources(t.Context(), scope)
	check(t, err)
	if len(src) != 1 || src[0].SourceID != "notes:open" {
		t.Errorf("sources: %v", src)
	}
	top, err := s.TopEntities(t.Context(), "", 10, scope)
	check(t, err)
	want := []store.EntityCount{{EntityRef: store.EntityRef{EntityID: "person:ann", Kind: "person", Surface: "Ann"}, Count: 1}}
	if diff := cmp.Diff(want, top); diff != "" {
		t.Errorf("entities (-want +got):\n%s", diff)
	}
	near, err := s.NearestEntities(t.Context(), "person:evee", 5, scope)
	check(t, err)
	if len(near) != 0 {
		t.Errorf("hints name hidden entities: %v", near)
	}
}

// check ends the test when err is not nil.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func put(t *testing.T, s *store.Store, rec store.DocumentRecord) (id int64, res store.PutResult) {
	t.Helper()
	check(t, s.Update(t.Context(), func(tx *store.Tx) (err error) {
		id, res, err = tx.PutDocument(rec)
		return err
	}))
	return id, res
}

func all(t *testing.T, s *store.Store) []store.Chunk {
	t.Helper()
	page, _, err := s.ListChunks(context.WithoutCancel(t.Context()), store.ListQuery{Limit: 1000})
	check(t, err)
	return page
}

func count(t *testing.T, s *store.Store, f store.Filter) int {
	t.Helper()
	_, total, err := s.ListChunks(t.Context(), store.ListQuery{Filter: f})
	check(t, err)
	return total
}

func matches(t *testing.T, s *store.Store, term string, scope store.Scope) int {
	t.Helper()
	_, total, err := s.ListChunks(t.Context(), store.ListQuery{Match: `"` + term + `"`, Filter: store.Filter{Scope: scope}})
	check(t, err)
	return total
}

func byContent(cs []store.Chunk, content string) *store.Chunk {
	for i := range cs {
		if cs[i].Content == content {
			return &cs[i]
		}
	}
	return nil
}

func contents(cs []store.Chunk) string {
	var out []string
	for _, c := range cs {
		out = append(out, c.Content)
	}
	return strings.Join(out, " ")
}

func newestFirst(a, b store.Chunk) int {
	if a.TimestampMS != b.TimestampMS {
		return int(b.TimestampMS - a.TimestampMS)
	}
	return strings.Compare(a.ChunkID, b.ChunkID)
}

func mention(kind, value, surface string) []store.Mention {
	return []store.Mention{{Kind: kind, Value: value, Surface: surface, Count: 1}}
}
