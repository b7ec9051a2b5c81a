package store_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
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
