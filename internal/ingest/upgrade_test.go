package ingest_test

import (
	"compress/gzip"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/embed/xling"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// unpack writes what a gzip file holds.
func unpack(t *testing.T, from, to string) {
	t.Helper()
	f, err := os.Open(from)
	must(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	must(t, err)
	data, err := io.ReadAll(z)
	must(t, err)
	must(t, os.WriteFile(to, data, 0o600))
}

// TestOldMemoryLearnsLanguages: a memory from before the models knew Chinese and Japanese keeps its
// English vectors and gets those of the other notes, and their glosses, at the next embedding.
func TestOldMemoryLearnsLanguages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	unpack(t, "../../pkg/store/testdata/migrate/schema3.db.gz", path)
	s := openAt(t, path)

	quick, err := static.Load()
	must(t, err)
	set, err := xling.Load()
	must(t, err)
	instant := xling.NewInstant(quick, set)
	model, err := minilm.Load()
	must(t, err)
	encoder := xling.NewEncoder(model, instant)

	// vectors are those of the notes by their titles: the model, and the data.
	vectors := func() map[string]string {
		titles, out := map[int64]string{}, map[string]string{}
		page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 10})
		must(t, err)
		for _, c := range page {
			titles[c.RowID] = c.Title
		}
		var models map[int64]store.ModelVectors
		_, err = s.Vectors(t.Context(), store.VectorState{}, store.VectorChanges{
			Models: func(m map[int64]store.ModelVectors) error { models = m; return nil },
			Dead:   func(int64) error { return nil },
			Vector: func(v *store.StoredVector) error {
				out[titles[v.Chunk]] += models[v.Model].Fingerprint + " " + string(v.Data)
				return nil
			},
		})
		must(t, err)
		return out
	}
	before := vectors()
	if d := cmp.Diff([]string{"Boat"}, slices.Collect(maps.Keys(before))); d != "" {
		t.Fatalf("vectors after the migration: %s", d)
	}

	sum, err := ingest.Embed(t.Context(), ingest.EmbedOptions{Store: s, Instant: instant, Encoder: encoder})
	must(t, err)
	if sum.Embedded != 2 || sum.Chunks != 3 {
		t.Errorf("%+v", sum)
	}
	after := vectors()
	if d := cmp.Diff([]string{"Boat", "搬家", "見積書"}, slices.Sorted(maps.Keys(after))); d != "" {
		t.Error(d)
	}
	if after["Boat"] != before["Boat"] {
		t.Error("the English note has another vector")
	}
	for _, title := range []string{"搬家", "見積書"} {
		if !strings.HasPrefix(after[title], encoder.FingerprintOf(title)+" ") || len(after[title]) < xling.Dims {
			t.Errorf("%s has the vector %.60q", title, after[title])
		}
	}
	hits, err := s.SearchAny(t.Context(), store.AnyQuery{
		Terms: []store.AnyTerm{{Match: `"move"`}, {Match: `"offic"`}, {Match: `"compani"`}}, Glosses: true, Limit: 10, Candidates: 10,
		Scorer: func([]int, int) func(*store.Chunk) float64 { return func(*store.Chunk) float64 { return 1 } },
	})
	must(t, err)
	if len(hits) != 1 || hits[0].Title != "搬家" {
		t.Errorf("found by what it says in English: %d notes", len(hits))
	}
	// Nothing is left to do.
	if sum, err = ingest.Embed(t.Context(), ingest.EmbedOptions{Store: s, Instant: instant, Encoder: encoder}); err != nil || sum.Embedded+sum.Instant != 0 {
		t.Errorf("once more: %+v, %v", sum, err)
	}
}
