package store_test

import (
	"context"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/pkg/fault"
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

// TestBadStoreReadTogether: every one of many reads at once says what is wrong with the file, also
// while others drop the pool that met the same.
func TestBadStoreReadTogether(t *testing.T) {
	for _, test := range []struct {
		name, says string
		spoil      func(t *testing.T, path string)
	}{
		{"another program's", "another program", func(t *testing.T, path string) { script(t, path, "CREATE TABLE x (a)") }},
		{"newer", "newer version", func(t *testing.T, path string) { filled(t, path); script(t, path, "PRAGMA user_version = 99") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			test.spoil(t, path)
			s := store.Lazy(store.Options{Path: path, ReadOnly: true})
			var wg sync.WaitGroup
			for range 40 {
				wg.Go(func() {
					for range 5 {
						if _, err := s.Sources(t.Context(), nil); fault.CodeOf(err) != fault.Conflict || !strings.Contains(err.Error(), test.says) {
							t.Errorf("%v, want a Conflict fault that says %q", err, test.says)
						}
					}
				})
			}
			wg.Wait()
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}
