package controller

import (
	"context"
	"slices"
	"testing"

	"github.com/openhuman/openhuman-core/internal/query"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// counted is a store that says how many of a million chunks hold each word, and whose chunks all hold
// the commonest alone.
type counted struct {
	Store
	counts  map[string]int
	skipped [][]string // what each search left out
}

func (c *counted) TermCounts(context.Context, []string) (map[string]int, int, error) {
	return c.counts, 1_000_000, nil
}

func (c *counted) SearchAny(_ context.Context, q store.AnyQuery) ([]store.ChunkHit, error) {
	var skipped []string
	df := make([]int, len(q.Terms))
	for i, t := range q.Terms {
		if df[i] = t.Count; t.Skip {
			skipped = append(skipped, t.Match)
		}
	}
	c.skipped = append(c.skipped, skipped)
	score := q.Scorer(df, 1_000_000)
	if slices.Contains(skipped, `"letter"`) {
		return nil, nil
	}
	ch := store.Chunk{RowID: 1, ChunkID: "one", Content: "a letter"}
	return []store.ChunkHit{{Chunk: ch, Score: score(&ch)}}, nil
}

// A word that stands nowhere does not keep a very common one from finding what there is.
func TestCommonWordsFindWhenOthersDoNot(t *testing.T) {
	for name, c := range map[string]struct {
		counts   map[string]int
		searches int
	}{
		"absent and common":         {map[string]int{"letter": 200_000}, 1},
		"rare and common":           {map[string]int{"zebra": 3, "letter": 200_000}, 2},
		"rare, common and commoner": {map[string]int{"zebra": 3, "hous": 100_000, "letter": 200_000}, 3},
	} {
		s := &counted{counts: c.counts}
		r := recalling{c: New(Options{Store: s}), q: query.Natural("zebra house letter")}
		if name != "rare, common and commoner" {
			r.q = query.Natural("zebra letter")
		}
		if err := r.byWords(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(r.found) != 1 || r.found[0].Words <= 0 || len(s.skipped) != c.searches {
			t.Errorf("%s: %d found after leaving out %v", name, len(r.found), s.skipped)
		}
	}
}
