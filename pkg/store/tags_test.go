package store_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/openhuman/openhuman-core/pkg/store"
)

// TestTagsGo: tags that nothing has any more leave no trace, and those that something has stay.
func TestTagsGo(t *testing.T) {
	ctx := t.Context()
	s, err := store.Open(ctx, store.Options{Path: filepath.Join(t.TempDir(), "memory.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	put := func(name, hash, tag string) {
		t.Helper()
		rec := store.DocumentRecord{
			Source: store.SourceMeta{SourceID: "notes:x", Kind: "document"}, Identity: name, SourceRef: name, Tags: []string{tag},
			Chunks: []store.ChunkRecord{{ChunkID: name + hash, SourceRef: name, Content: "text " + hash, TokenCount: 2}},
		}
		copy(rec.Hash[:], hash)
		err := s.Update(ctx, func(tx *store.Tx) error {
			file, err := tx.PutFile(store.FileRecord{Path: "/" + name, Root: "/", Complete: true, Outcome: "ok"})
			if err != nil {
				return err
			}
			id, _, err := tx.PutDocument(rec)
			if err != nil {
				return err
			}
			return tx.Hold(file, id)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	check := func(what string, want ...string) {
		t.Helper()
		if err := s.Finish(ctx); err != nil {
			t.Fatal(err)
		}
		got, err := s.Strings(ctx, "SELECT tags FROM tagsets ORDER BY tags")
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v; want %q", what, got, err, want)
		}
	}
	put("a", "1", "red")
	put("b", "1", "blue")
	check("new", `["blue"]`, `["red"]`)
	put("a", "2", "red")
	check("other text", `["blue"]`, `["red"]`)
	put("a", "3", "green")
	check("other tags", `["blue"]`, `["green"]`)
	err = s.Update(ctx, func(tx *store.Tx) error {
		_, _, err := tx.DropFile("/b")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	check("a file less", `["green"]`)
	err = s.Update(ctx, func(tx *store.Tx) error {
		_, _, err := tx.ForgetSource("notes:x")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	check("forgotten")
}
