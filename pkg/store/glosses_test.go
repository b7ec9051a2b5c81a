package store_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// Glosses are found by those who ask for them, follow their chunk, and go with it.
func TestGlosses(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	put := func(identity, content, gloss string, hash byte) {
		t.Helper()
		rec := store.DocumentRecord{
			Source: store.SourceMeta{SourceID: "notes:" + identity, Kind: "document"}, Identity: identity, Hash: [32]byte{hash},
			Chunks: []store.ChunkRecord{{
				ChunkID: identity, Content: content, TokenCount: 1, TimestampMS: 1, Vector: []byte{1, 2, 3}, Model: "model+zh",
				Index:    store.IndexText{Body: content, Gloss: gloss},
				Mentions: []store.Mention{{Kind: "person", Value: "wang", Surface: "王小丽", Count: 1}},
			}},
			VectorModel: store.VectorModel{Fingerprint: "model", Dims: 3},
		}
		if err := s.Update(t.Context(), func(tx *store.Tx) error { _, _, err := tx.PutDocument(rec); return err }); err != nil {
			t.Fatal(err)
		}
	}
	find := func(word string, glosses bool) []string {
		t.Helper()
		hits, err := s.SearchAny(t.Context(), store.AnyQuery{
			Terms: []store.AnyTerm{{Match: `"` + word + `"`}}, Glosses: glosses, Limit: 10, Candidates: 10,
			Scorer: func([]int, int) func(*store.Chunk) float64 { return func(*store.Chunk) float64 { return 1 } },
		})
		if err != nil {
			t.Fatal(err)
		}
		ids := []string{}
		for _, h := range hits {
			ids = append(ids, h.ChunkID)
		}
		slices.Sort(ids)
		return ids
	}
	check := func(what string, want, got []string) {
		t.Helper()
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", what, d)
		}
	}
	if has, err := s.HasGlosses(t.Context()); err != nil || has {
		t.Errorf("an empty store has glosses: %v, %v", has, err)
	}
	put("a", "会议", "meeting", 1)
	put("b", "meeting", "", 1)
	if has, err := s.HasGlosses(t.Context()); err != nil || !has {
		t.Errorf("no glosses: %v, %v", has, err)
	}
	check("by gloss", []string{"a"}, find("meeting", true))
	check("by text", []string{"b"}, find("meeting", false))

	names, err := s.ForeignNames(t.Context(), 10)
	if err != nil {
		t.Fatal(err)
	}
	check("names", []string{"王小丽"}, names)

	// A pending chunk is given another gloss with its vectors.
	var asked []string
	n, err := s.RenewForeign(t.Context(), func(_, content string) bool { asked = append(asked, content); return true },
		func(_, content string) string { return "get-together" })
	if err != nil || n != 1 {
		t.Fatalf("%d chunks to renew, %v", n, err)
	}
	check("asked for", []string{"会议"}, asked)
	check("the gloss of before", []string{}, find("meeting", true))
	check("that of now", []string{"a"}, find("get-together", true))
	pending, err := s.PendingVectors(t.Context(), []string{"model", "model+zh"}, store.PendingChunk{}, 10)
	if err != nil || len(pending) != 1 {
		t.Fatalf("%d pending, %v", len(pending), err)
	}
	gloss := "gathering"
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		_, err := tx.PutVectors(store.VectorModel{Fingerprint: "model", Dims: 3}, []store.ChunkVectors{
			{ChunkKey: pending[0].ChunkKey, Parts: [][]byte{{1}}, Model: "model+zh", Gloss: &gloss},
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	check("the old gloss", []string{}, find("meeting", true))
	check("the new gloss", []string{"a"}, find("gathering", true))

	put("a", "集会", "rally", 2)
	check("after a change, the old", []string{}, find("gathering", true))
	check("after a change, the new", []string{"a"}, find("rally", true))
	put("a", "rally", "", 3)
	check("after a change of language", []string{}, find("rally", true))

	put("c", "聚会", "party", 1)
	err = s.Update(t.Context(), func(tx *store.Tx) error { _, _, err := tx.ForgetSource("notes:c"); return err })
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	check("forgotten", []string{}, find("party", true))
	if has, err := s.HasGlosses(t.Context()); err != nil || has {
		t.Errorf("glosses are left: %v, %v", has, err)
	}
}

// How many texts hold a word is no matter of glosses, also for a caller from whom sources are hidden.
func TestGlossesBesideHiddenSources(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	put := func(source, identity, body, gloss string) {
		t.Helper()
		rec := store.DocumentRecord{
			Source: store.SourceMeta{SourceID: source, Kind: "document"}, Identity: identity, Hash: [32]byte{1},
			Chunks: []store.ChunkRecord{{ChunkID: identity, Content: body, TokenCount: 1, TimestampMS: 1, Index: store.IndexText{Body: body, Gloss: gloss}}},
		}
		if err := s.Update(t.Context(), func(tx *store.Tx) error { _, _, err := tx.PutDocument(rec); return err }); err != nil {
			t.Fatal(err)
		}
	}
	counts := func(scope store.Scope) (df []int, total int) {
		t.Helper()
		_, err := s.SearchAny(t.Context(), store.AnyQuery{
			Terms: []store.AnyTerm{{Match: `"meeting"`}}, Glosses: true, Limit: 10, Candidates: 10, Filter: store.Filter{Scope: scope},
			Scorer: func(d []int, n int) func(*store.Chunk) float64 {
				df, total = d, n
				return func(*store.Chunk) float64 { return 1 }
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		return df, total
	}
	put("notes", "foreign", "会议", "meeting")
	for i := range 60 {
		put("notes", fmt.Sprint("english", i), "meeting", "")
	}
	if df, total := counts(nil); !slices.Equal(df, []int{1}) || total != 61 {
		t.Errorf("the word is in %v of %d", df, total)
	}
	put("secret", "hidden", "会议", "meeting")
	if df, total := counts(storetest.Without{"secret"}); !slices.Equal(df, []int{1}) || total != 61 {
		t.Errorf("beside a hidden source the word is in %v of %d", df, total)
	}
}
