package store_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// wordsStore returns a store in memory with one chunk for each text, in sources s0, s1 and s2.
func wordsStore(t interface {
	Helper()
	Fatal(...any)
}, path string, texts []string) *store.Store {
	t.Helper()
	ctx := context.Background()
	st, err := store.Open(ctx, store.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	err = st.Update(ctx, func(tx *store.Tx) error {
		for i, s := range texts {
			id := fmt.Sprintf("c%05d", i)
			if _, _, err := tx.PutDocument(store.DocumentRecord{
				Source: store.SourceMeta{SourceID: fmt.Sprintf("notes:s%d", i%3), Kind: "document"}, Identity: id, TimestampMS: int64(i % 7),
				Hash:   sha256.Sum256([]byte(id + s)),
				Chunks: []store.ChunkRecord{{ChunkID: id, Content: s, TimestampMS: int64(i % 7), Index: store.IndexText{Body: string(text.AppendIndex(nil, s))}}},
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = st.Finish(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
	return st
}

func inOrder(hits []store.ChunkHit) bool {
	return slices.IsSortedFunc(hits, func(a, b store.ChunkHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.TimestampMS, a.TimestampMS), cmp.Compare(a.ChunkID, b.ChunkID))
	})
}

func hitIDs(hits []store.ChunkHit) []string {
	out := []string{}
	for _, h := range hits {
		out = append(out, h.ChunkID)
	}
	return out
}

// Whatever the limit, the answer is the beginning of the whole ranking, although hundreds of chunks
// have the same score; filters and Accept decide before the limit does.
func TestSearchChunksCutsATotalOrder(t *testing.T) {
	var texts []string
	for i := range 900 {
		texts = append(texts, "equal words"+strings.Repeat(" more", i%2))
	}
	for i := range 30 {
		texts = append(texts, fmt.Sprintf("equal equal words %d", i))
	}
	st := wordsStore(t, store.Memory, texts)
	defer st.Close()
	for name, q := range map[string]store.ChunkQuery{
		"plain":    {},
		"accepted": {Accept: func(c *store.Chunk) bool { return c.RowID%3 != 0 }},
		"filtered": {Filter: store.Filter{SourceIDs: []string{"notes:s1"}}},
	} {
		q.Match = `"equal"`
		q.Limit = 10_000
		whole, err := st.SearchChunks(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		if !inOrder(whole) || len(whole) < 300 || whole[0].Score <= whole[len(whole)-1].Score {
			t.Errorf("%s: %d hits, in order %v", name, len(whole), inOrder(whole))
		}
		for _, n := range []int{1, 5, 29, 31, 100, 299} {
			q.Limit = n
			hits, err := st.SearchChunks(t.Context(), q)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(hitIDs(hits), hitIDs(whole)[:n]) {
				t.Errorf("%s: limit %d is not the beginning of the whole", name, n)
			}
		}
	}
}

// Against a plain reckoning of which chunks hold which words.
func TestSearchAnyFindsTheBest(t *testing.T) {
	words := strings.Fields("ant bee cat dog elk fox gnu")
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 5).Draw(t, "words"), " ")
		}), 1, 30).Draw(t, "texts")
		asked := rapid.SliceOfNDistinct(rapid.SampledFrom(words), 1, 4, rapid.ID).Draw(t, "asked")
		must := rapid.SampledFrom(append(words, "")).Draw(t, "must")
		limit := rapid.IntRange(1, 40).Draw(t, "limit")
		st := wordsStore(t, store.Memory, texts)
		defer st.Close()

		q := store.AnyQuery{Limit: limit, Candidates: 3, Filter: store.Filter{SourceIDs: []string{"notes:s0", "notes:s2"}}}
		if must != "" {
			q.Must = `"` + must + `"`
		}
		for _, w := range asked {
			q.Terms = append(q.Terms, store.AnyTerm{Match: `"` + w + `"`})
		}
		holds := func(s, w string) bool { return slices.Contains(strings.Fields(s), w) }
		score := func(s string) (n float64) {
			for _, w := range asked {
				if holds(s, w) {
					n++
				}
			}
			return n
		}
		q.Scorer = func(df []int, total int) func(*store.Chunk) float64 {
			if total != len(texts) {
				t.Fatalf("total %d of %d", total, len(texts))
			}
			for i, w := range asked {
				n := 0
				for j, s := range texts {
					if j%3 != 1 && holds(s, w) && (must == "" || holds(s, must)) {
						n++
					}
				}
				if df[i] != n {
					t.Fatalf("df of %s is %d, want %d", w, df[i], n)
				}
			}
			return func(c *store.Chunk) float64 { return score(c.Content) }
		}
		hits, err := st.SearchAny(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		want := 0
		for j, s := range texts {
			if j%3 != 1 && score(s) > 0 && (must == "" || holds(s, must)) {
				want++
			}
		}
		if len(hits) != min(want, limit) || !inOrder(hits) {
			t.Fatalf("%d hits of %d, limit %d: %v", len(hits), want, limit, hits)
		}
		for _, h := range hits {
			if h.Score != score(h.Content) || must != "" && !holds(h.Content, must) || h.SourceID == "notes:s1" {
				t.Fatalf("hit %+v for %v with %q", h, asked, must)
			}
		}
	})
}

// When candidates are refused, more of them are looked at.
func TestSearchAnyLooksFurther(t *testing.T) {
	var texts []string
	for i := range 3000 {
		texts = append(texts, fmt.Sprintf("word %d", i))
	}
	st := wordsStore(t, store.Memory, texts)
	defer st.Close()
	hits, err := st.SearchAny(t.Context(), store.AnyQuery{
		Terms: []store.AnyTerm{{Match: `"word"`}}, Limit: 5, Candidates: 10,
		Accept: func(c *store.Chunk) bool { return c.RowID <= 2 },
		Scorer: func([]int, int) func(*store.Chunk) float64 { return func(*store.Chunk) float64 { return 1 } },
	})
	if err != nil || len(hits) != 2 {
		t.Errorf("%d hits, %v", len(hits), err)
	}
}

func TestTermCounts(t *testing.T) {
	var texts []string
	for i := range 300 {
		texts = append(texts, fmt.Sprintf("common word%d", i)+strings.Repeat(" half", i%2))
	}
	st := wordsStore(t, store.Memory, texts)
	defer st.Close()
	counts, total, err := st.TermCounts(t.Context(), []string{"common", "half", "word7", "nowhere"})
	if err != nil || total != 300 || len(counts) != 2 || counts["common"] != 300 || counts["half"] != 150 {
		t.Errorf("%v of %d, %v", counts, total, err)
	}
	if counts, total, err := st.TermCounts(t.Context(), nil); err != nil || total != 300 || counts == nil || len(counts) != 0 {
		t.Errorf("of no terms: %v of %d, %v", counts, total, err)
	}
}

// A word in more chunks than are ranked still gives the best of the newest, and a filter that only
// old chunks pass still finds them. Prepared statements serve many callers and end with the deadline.
func TestSearchBroadly(t *testing.T) {
	n := 21_000 // more than are ranked
	if raceEnabled {
		n = 2_100
	}
	texts := make([]string, n)
	for i := range texts {
		texts[i] = "same filler"
	}
	texts[0], texts[n-500] = "same same old", "same same new"
	path := filepath.Join(t.TempDir(), "memory.db")
	st := wordsStore(t, path, texts)
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	st, err := store.Open(t.Context(), store.Options{Path: path, ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for range 2 { // the second time with statements that were used before
		hits, err := st.SearchChunks(t.Context(), store.ChunkQuery{Match: `"same"`, Tokens: []string{"same"}, Limit: 3})
		if err != nil || len(hits) != 3 || hits[0].Content != "same same new" || !inOrder(hits) {
			t.Fatalf("%v, %v", hitIDs(hits), err)
		}
		hits, err = st.SearchChunks(t.Context(), store.ChunkQuery{
			Match: `"same"`, Tokens: []string{"same"}, Limit: 3, Accept: func(c *store.Chunk) bool { return strings.HasSuffix(c.Content, "old") },
		})
		if err != nil || len(hits) != 1 || hits[0].ChunkID != "c00000" {
			t.Fatalf("%v, %v", hitIDs(hits), err)
		}
	}
	done := make(chan error, 8)
	for i := range cap(done) {
		go func() {
			hits, err := st.SearchChunks(context.Background(), store.ChunkQuery{Match: `"new" OR "old"`, Limit: 1 + i%2})
			if err == nil && len(hits) != 1+i%2 {
				err = fmt.Errorf("%d hits", len(hits))
			}
			done <- err
		}()
	}
	for range cap(done) {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	start := time.Now()
	if _, err := st.SearchChunks(ctx, store.ChunkQuery{Match: `"same" OR "filler"`, Limit: math.MaxInt32}); err == nil || time.Since(start) > 10*time.Second {
		t.Errorf("a search past its deadline: %v after %v", err, time.Since(start))
	}
}

// Among more chunks with one word than are read, those that say it often are found, however old.
func TestSearchAnyRanksTies(t *testing.T) {
	texts := make([]string, 2000)
	for i := range texts {
		texts[i] = fmt.Sprintf("word and filler %d", i)
	}
	texts[3], texts[4] = "word word word", "word word"
	st := wordsStore(t, store.Memory, texts)
	defer st.Close()
	hits, err := st.SearchAny(t.Context(), store.AnyQuery{
		Terms: []store.AnyTerm{{Match: `"word"`}, {Match: `"nowhere"`}}, Limit: 2, Candidates: 5,
		Scorer: func([]int, int) func(*store.Chunk) float64 {
			return func(c *store.Chunk) float64 { return float64(strings.Count(c.Content, "word")) }
		},
	})
	if err != nil || !slices.Equal(hitIDs(hits), []string{"c00003", "c00004"}) {
		t.Errorf("%v, %v", hitIDs(hits), err)
	}
}

// Where rare words lead to enough, those with a common one alone are not looked for, unless there are more
// than there is room for: then both words decide.
func TestSearchAnySparesCommonWords(t *testing.T) {
	texts := make([]string, 60)
	for i := range texts {
		texts[i] = "common"
		if i%6 == 0 {
			texts[i] = "rare"
		}
	}
	texts[12] = "rare common"
	st := wordsStore(t, store.Memory, texts)
	defer st.Close()
	for _, c := range []struct{ enough, candidates, hits int }{{0, 60, 60}, {5, 60, 10}, {5, 10, 10}, {11, 60, 60}, {5, 9, 60}} {
		hits, err := st.SearchAny(t.Context(), store.AnyQuery{
			Terms: []store.AnyTerm{{Match: `"rare"`}, {Match: `"common"`, Count: 60_000}}, Limit: 60, Candidates: c.candidates, Enough: c.enough,
			Scorer: func(df []int, _ int) func(*store.Chunk) float64 {
				if df[1] < 60_000 {
					t.Errorf("the common word counts for %d chunks", df[1])
				}
				return func(c *store.Chunk) float64 { return float64(len(strings.Fields(c.Content))) }
			},
		})
		if err != nil || len(hits) != c.hits || hits[0].Content != "rare common" {
			t.Errorf("%+v: %d hits, %v", c, len(hits), err)
		}
	}
}
