package controller

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/store"
)

// ranked is an index in which every chunk has a rank with one model or the other.
type ranked struct {
	VectorIndex
	near  []Neighbour
	calls int
}

func (r *ranked) Nearest(_ context.Context, queries []QueryVector, k int, allow func(int64) bool) ([]Neighbour, error) {
	r.calls++
	count := map[string]int{}
	var out []Neighbour
	for _, n := range r.near {
		asked := slices.ContainsFunc(queries, func(q QueryVector) bool { return q.Model == n.Model })
		if asked && count[n.Model] < k && (allow == nil || allow(n.Chunk)) {
			count[n.Model]++
			out = append(out, n)
		}
	}
	return out, nil
}

// visible is a store in which the filter leaves some of the chunks.
type visible struct {
	Store
	passes func(int64) bool
	listed bool
}

func (v *visible) FilterRows(_ context.Context, rows []int64, _ store.Filter) ([]int64, error) {
	return slices.DeleteFunc(slices.Clone(rows), func(r int64) bool { return !v.passes(r) }), nil
}

func (v *visible) Rows(ctx context.Context, _ store.Filter) (*store.RowSet, error) {
	v.listed = true
	return nil, fmt.Errorf("listed")
}

// Whatever share a filter leaves, the nearest of what it leaves are found, and where it leaves most,
// its chunks are not listed for it.
func TestNeighbours(t *testing.T) {
	const chunks, k = 1000, 10
	index := &ranked{}
	for i := range int64(chunks) {
		model := "encoder"
		if i%10 == 0 {
			model = "instant"
		}
		index.near = append(index.near, Neighbour{Chunk: i, Model: model, Cosine: 1 - float64(i)/chunks})
	}
	queries := []QueryVector{{Model: "encoder"}, {Model: "instant"}}
	want := func(passes func(int64) bool) []Neighbour {
		found, _ := index.Nearest(t.Context(), queries, math.MaxInt, passes)
		count := map[string]int{}
		return slices.DeleteFunc(found, func(n Neighbour) bool { count[n.Model]++; return count[n.Model] > k })
	}
	for _, c := range []struct {
		name   string
		passes func(int64) bool
		calls  int // of the index; 0: the chunks are listed
	}{
		{"all", func(int64) bool { return true }, 1},
		{"two of three", func(c int64) bool { return c%3 != 0 }, 2},
		{"one in four", func(c int64) bool { return c%4 == 1 || c%40 == 0 }, 2},
		{"hardly any", func(c int64) bool { return c%100 == 99 }, 0},
		{"none near", func(c int64) bool { return c > 900 }, 0},
	} {
		s := &visible{passes: c.passes}
		controller := &Controller{store: s, vectors: index}
		index.calls = 0
		got, err := controller.neighbours(t.Context(), queries, k, store.Filter{})
		if c.calls == 0 {
			if !s.listed {
				t.Errorf("%s: the chunks were not listed: %v, %v", c.name, got, err)
			}
			continue
		}
		calls := index.calls
		if d := cmp.Diff(want(c.passes), got); d != "" || err != nil || s.listed || calls != c.calls {
			t.Errorf("%s: %v, listed %v, asked %d times (-want +got):\n%s", c.name, err, s.listed, calls, d)
		}
	}
	// An index that has no more to give is asked no further.
	index.near = index.near[:12]
	s := &visible{passes: func(c int64) bool { return c == 3 }}
	got, err := (&Controller{store: s, vectors: index}).neighbours(t.Context(), queries, k, store.Filter{})
	if err != nil || s.listed || len(got) != 1 || got[0].Chunk != 3 {
		t.Errorf("a small index: %v, %v, listed %v", got, err, s.listed)
	}
}
