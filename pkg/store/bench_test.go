package store_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// corpus makes documents of ten chunks of about 1 KB: words by Zipf's law from a vocabulary of
// 20,000, five mentions a chunk.
func corpus(chunks int) []store.DocumentRecord {
	rng := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(rng, 1.1, 2, 20_000)
	text := func(bytes int) string {
		var b strings.Builder
		for b.Len() < bytes {
			fmt.Fprintf(&b, "w%dx ", zipf.Uint64())
		}
		return b.String()
	}
	var docs []store.DocumentRecord
	for i := 0; i < chunks/10; i++ {
		var texts []storetest.Text
		for j := range 10 {
			person := fmt.Sprintf("person-%d", zipf.Uint64()%2000)
			texts = append(texts, storetest.Text{
				Content: text(1000), Author: person, TimeMS: int64(1_700_000_000_000 + i*1000 + j),
				Mentions: []store.Mention{
					{Kind: "person", Value: person, Surface: person, Count: 1},
					{Kind: "email", Value: person + "@example.org", Surface: person + "@example.org", Count: 1},
					{Kind: "hashtag", Value: fmt.Sprint("t", zipf.Uint64()%500), Surface: "#t", Count: 1},
					{Kind: "url", Value: fmt.Sprintf("https://example.org/%d-%d", i, j), Surface: "x", Count: 1},
					{Kind: "topic", Value: fmt.Sprint("topic-", zipf.Uint64()), Surface: "t", Count: 1},
				},
			})
		}
		doc := storetest.Doc("notes:bench", "document", fmt.Sprintf("doc-%d.md", i), texts...)
		person := doc.Chunks[0].Author
		doc.Links = []store.PersonLink{{Kind: "email", Value: person + "@example.org", Person: person}}
		docs = append(docs, doc)
	}
	return docs
}

func BenchmarkPut(b *testing.B) {
	docs := corpus(10_000)
	for b.Loop() {
		b.StopTimer()
		s, err := store.Open(b.Context(), store.Options{Path: filepath.Join(b.TempDir(), "memory.db")})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		for part := range 5 {
			err := s.Update(b.Context(), func(tx *store.Tx) error {
				for _, d := range docs[part*200 : (part+1)*200] {
					if _, _, err := tx.PutDocument(d); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		}
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
	b.ReportMetric(10_000*float64(b.N)/b.Elapsed().Seconds(), "chunks/s")
}

func BenchmarkFinish(b *testing.B) {
	docs := corpus(10_000)
	for b.Loop() {
		b.StopTimer()
		s, err := store.Open(b.Context(), store.Options{Path: filepath.Join(b.TempDir(), "memory.db")})
		if err != nil {
			b.Fatal(err)
		}
		err = s.Update(b.Context(), func(tx *store.Tx) error {
			for _, d := range docs {
				if _, _, err := tx.PutDocument(d); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := s.Finish(b.Context()); err != nil {
			b.Fatal(err)
		}
		b.StopTimer()
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
	}
}

// BenchmarkRead measures the reads over 100,000 chunks with 500,000 mentions.
func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "memory.db")
	w := open(b, store.Options{Path: path})
	docs := corpus(100_000)
	for part := range slices.Chunk(docs, 1000) {
		err := w.Update(b.Context(), func(tx *store.Tx) error {
			for _, d := range part {
				if _, _, err := tx.PutDocument(d); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	if err := w.Finish(b.Context()); err != nil {
		b.Fatal(err)
	}
	s := open(b, store.Options{Path: path, ReadOnly: true})
	ctx := b.Context()
	ms := func(v int64) *int64 { return &v }
	top := docs[0].Chunks[0].Author
	for name, read := range map[string]func() error{
		"TopEntities":       func() error { _, err := s.TopEntities(ctx, "", 10, nil); return err },
		"TopEntities/url":   func() error { _, err := s.TopEntities(ctx, "url", 50, nil); return err },
		"TopEntities/scope": func() error { _, err := s.TopEntities(ctx, "", 10, storetest.Without{"x"}); return err },
		"Sources":           func() error { _, err := s.Sources(ctx, nil); return err },
		"Stats":             func() error { _, err := s.Stats(ctx); return err },
		"NearestEntities":   func() error { _, err := s.NearestEntities(ctx, "person:preson-1", 3, nil); return err },
		"Chunk":             func() error { _, err := s.Chunk(ctx, docs[50].Chunks[5].ChunkID, nil); return err },
		"ListChunks":        func() error { _, _, err := s.ListChunks(ctx, store.ListQuery{Limit: 10}); return err },
		"ListChunks/deep":   func() error { _, _, err := s.ListChunks(ctx, store.ListQuery{Limit: 10, Offset: 50_000}); return err },
		"ListChunks/source": func() error {
			_, _, err := s.ListChunks(ctx, store.ListQuery{Limit: 10, Filter: store.Filter{SourceIDs: []string{"notes:bench"}}})
			return err
		},
		"ListChunks/kind": func() error {
			_, _, err := s.ListChunks(ctx, store.ListQuery{Limit: 10, Filter: store.Filter{SourceKinds: []string{"document"}}})
			return err
		},
		"ListChunks/author": func() error {
			_, _, err := s.ListChunks(ctx, store.ListQuery{Limit: 10, Filter: store.Filter{Authors: []string{top}}})
			return err
		},
		"ListChunks/entity": func() error {
			_, _, err := s.ListChunks(ctx, store.ListQuery{Limit: 10, Filter: store.Filter{EntityIDs: []string{"person:person-0"}}})
			return err
		},
		"ListChunks/time": func() error {
			_, _, err := s.ListChunks(ctx, store.ListQuery{Limit: 10, Filter: store.Filter{SinceMS: ms(1_700_005_000_000)}})
			return err
		},
		"ListChunks/match":  func() error { _, _, err := s.ListChunks(ctx, store.ListQuery{Limit: 10, Match: "w50x"}); return err },
		"ListChunks/common": func() error { _, _, err := s.ListChunks(ctx, store.ListQuery{Limit: 10, Match: "w0x"}); return err },
		"ListChunks/accept": func() error {
			_, _, err := s.ListChunks(ctx, store.ListQuery{Limit: 10, Match: "w50x", Accept: func(*store.Chunk) bool { return true }})
			return err
		},
		"Update/nothing": func() error { return w.Update(ctx, func(*store.Tx) error { return nil }) },
		"Finish/nothing": func() error { return w.Finish(ctx) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if err := read(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
