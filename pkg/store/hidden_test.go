package store_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// names are more than one address may have and still join them.
var names = []string{"ann", "anna", "ann-lee", "bo", "bob", "cy", "dee", "eve", "fay", "gus"}

var addresses = []string{"x@x", "y@y", "z@z"}

func genMail(t *rapid.T, i int) store.DocumentRecord {
	var texts []storetest.Text
	for j := range rapid.IntRange(1, 2).Draw(t, "chunks") {
		var ms []store.Mention
		seen := map[string]bool{}
		for range rapid.IntRange(0, 5).Draw(t, "mentions") {
			m := store.Mention{
				Kind: rapid.SampledFrom([]string{"person", "person", "topic"}).Draw(t, "kind"), Value: rapid.SampledFrom(names).Draw(t, "name"),
				Surface: rapid.SampledFrom([]string{"A", "B"}).Draw(t, "surface"), Count: rapid.IntRange(1, 3).Draw(t, "count"),
			}
			if key := m.Kind + m.Value + m.Surface; !seen[key] {
				seen[key] = true
				ms = append(ms, m)
			}
		}
		texts = append(texts, storetest.Text{Content: fmt.Sprint("text ", i, " ", j), TimeMS: int64(i), Mentions: ms})
	}
	doc := storetest.Doc(rapid.SampledFrom([]string{"mail:a", "mail:b", "mail:c"}).Draw(t, "source"), "email", fmt.Sprint("d", i), texts...)
	links := rapid.IntRange(0, 3).Draw(t, "links")
	if rapid.IntRange(0, 5).Draw(t, "list") == 0 {
		links = 9
	}
	address := rapid.SampledFrom(addresses)
	for range links {
		doc.Links = append(doc.Links, store.PersonLink{Kind: "email", Value: address.Draw(t, "address"), Person: rapid.SampledFrom(names).Draw(t, "person")})
	}
	return storetest.Rehash(doc)
}

// seen is all that a caller with a scope learns about entities, chunks and sources.
func seen(t *rapid.T, tb testing.TB, s *store.Store, scope store.Scope) map[string]any {
	ctx, out := tb.Context(), map[string]any{}
	add := func(what string, v any, err error) {
		if err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		out[what] = v
	}
	for _, kind := range []string{"", "person", "topic"} {
		for _, limit := range []int{2, 100} {
			top, err := s.TopEntities(ctx, kind, limit, scope)
			add(fmt.Sprint("top ", limit, " ", kind), top, err)
		}
	}
	for _, name := range append([]string{"an", "nobody"}, names...) {
		for _, kind := range []string{"person:", "topic:"} {
			page, total, err := s.ListChunks(ctx, store.ListQuery{Filter: store.Filter{EntityIDs: []string{kind + name}, Scope: scope}, Limit: 5})
			for i := range page {
				page[i].RowID = 0
			}
			add("list "+kind+name, []any{page, total}, err)
			nearest, err := s.NearestEntities(ctx, kind+name, 3, scope)
			add("nearest "+kind+name, nearest, err)
		}
	}
	for _, tag := range []string{"red", "it's", "of-mail:a", "of-mail:b", "of-mail:c"} {
		for what, f := range map[string]store.Filter{"with ": {Tags: []string{tag}}, "without ": {Exclude: &store.Filter{Tags: []string{tag}}}} {
			f.Scope = scope
			page, total, err := s.ListChunks(ctx, store.ListQuery{Filter: f, Limit: 5})
			for i := range page {
				page[i].RowID = 0
			}
			add(what+tag, []any{page, total}, err)
		}
	}
	sources, err := s.Sources(ctx, scope)
	add("sources", sources, err)
	page, _, err := s.ListChunks(ctx, store.ListQuery{Filter: store.Filter{Scope: scope}, Limit: 1000})
	add("chunks", len(page), err)
	for _, c := range page {
		d, err := s.Chunk(ctx, c.ChunkID, scope)
		if err == nil {
			d.RowID = 0
		}
		add("chunk "+c.ChunkID, d, err)
	}
	return out
}

// TestHiddenIsAsIfItNeverWas: what a scope hides changes nothing about the rest, neither who is the
// same person nor under which name.
func TestHiddenIsAsIfItNeverWas(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		full, err := store.Open(t.Context(), store.Options{Path: store.Memory})
		if err != nil {
			rt.Fatal(err)
		}
		defer full.Close()
		part, err := store.Open(t.Context(), store.Options{Path: store.Memory})
		if err != nil {
			rt.Fatal(err)
		}
		defer part.Close()
		scopes := []storetest.Without{{"mail:a"}, {"mail:b"}, {"mail:a", "mail:c"}}
		hide := rapid.SampledFrom(scopes).Draw(rt, "hidden")
		write := func(s *store.Store, docs []store.DocumentRecord) {
			err := s.Update(t.Context(), func(tx *store.Tx) error {
				for _, d := range docs {
					if _, _, err := tx.PutDocument(d); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				rt.Fatal(err)
			}
		}
		hidden := false
		for round := range 3 { // what was remembered of the round before must not be taken for this one
			var docs []store.DocumentRecord
			for range rapid.IntRange(1, 4).Draw(rt, "documents") {
				docs = append(docs, genMail(rt, rapid.IntRange(0, 7).Draw(rt, "document")))
			}
			write(full, docs)
			hidden = hidden || slices.ContainsFunc(docs, func(d store.DocumentRecord) bool { return hide.Hides(d.Source.SourceID) })
			write(part, slices.DeleteFunc(docs, func(d store.DocumentRecord) bool { return hide.Hides(d.Source.SourceID) }))
			if err := part.Finish(t.Context()); err != nil {
				rt.Fatal(err)
			}
			// Where something is hidden, it does not matter whether persons have been resolved since.
			if !hidden || rapid.Bool().Draw(rt, "finish") {
				if err := full.Finish(t.Context()); err != nil {
					rt.Fatal(err)
				}
			}
			if diff := gocmp.Diff(seen(rt, t, part, nil), seen(rt, t, full, hide)); diff != "" {
				rt.Fatalf("round %d without %v (-never there +hidden):\n%s", round, hide, diff)
			}
		}
	})
}

// TestHiddenNameOfAPerson: a file that is read over several connections, while another writes.
func TestHiddenNameOfAPerson(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	w := open(t, store.Options{Path: path})
	mail := func(source, key, person, surface string) store.DocumentRecord {
		doc := storetest.Doc(source, "email", key, storetest.Text{Content: key, Mentions: []store.Mention{{Kind: "person", Value: person, Surface: surface, Count: 1}}})
		doc.Links = []store.PersonLink{{Kind: "email", Value: "bob@x.example", Person: person}}
		return storetest.Rehash(doc)
	}
	storetest.Put(t, w, mail("mail:hr", "one", "bobby-hiddenname", "Bobby Hiddenname"), mail("mail:work", "two", "bob-pub", "bob pub"))
	r := open(t, store.Options{Path: path, ReadOnly: true})
	top := func(scope store.Scope) []store.EntityCount {
		t.Helper()
		got, err := r.TopEntities(t.Context(), "", 10, scope)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	bob := func(n int) []store.EntityCount {
		return []store.EntityCount{{EntityRef: store.EntityRef{EntityID: "person:bob-pub", Kind: "person", Surface: "bob pub"}, Count: n}}
	}
	if got := top(nil); len(got) != 1 || got[0].EntityID != "person:bobby-hiddenname" || got[0].Count != 2 {
		t.Errorf("with everything: %+v", got)
	}
	hide := storetest.Without{"mail:hr"}
	if diff := gocmp.Diff(bob(1), top(hide)); diff != "" {
		t.Errorf("without mail:hr (-want +got):\n%s", diff)
	}
	storetest.Put(t, w, mail("mail:work", "three", "bob-pub", "bob pub"))
	for range 8 {
		if diff := gocmp.Diff(bob(2), top(hide)); diff != "" {
			t.Errorf("after another mail (-want +got):\n%s", diff)
		}
	}
}
