package store_test

import (
	"context"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/pkg/store"
)

// TestFirstReadsTogether: reads that start at once on a store just opened, each with queries that
// nobody has compiled yet, do not wait for each other's connections.
func TestFirstReadsTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	w, err := store.Open(t.Context(), store.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		s := store.Lazy(store.Options{Path: path, ReadOnly: true})
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				if _, _, err := s.TermCounts(ctx, []string{"word"}); err != nil {
					t.Error(err)
				}
				if _, err := s.SearchChunks(ctx, store.ChunkQuery{Match: `"word"`, Limit: 1}); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		cancel()
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
