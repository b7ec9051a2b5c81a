package controller

import (
	"context"

	"github.com/openhuman/openhuman-core/pkg/store"
)

// overAsk is how many times more neighbours are looked at before all chunks that a filter leaves are
// listed, which takes long when it leaves many.
const overAsk = 4

// neighbours returns up to k chunks for each model, of those that the filter and its scope leave:
// from a few more than are wanted where the filter leaves most, else by telling the index which
// chunks it leaves.
func (c *Controller) neighbours(ctx context.Context, queries []QueryVector, k int, filter store.Filter) ([]Neighbour, error) {
	for ask := k; ask <= overAsk*k; ask *= overAsk {
		found, err := c.vectors.Nearest(ctx, queries, ask, nil)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		rows := make([]int64, len(found))
		for i, n := range found {
			rows[i] = n.Chunk
		}
		if rows, err = c.store.FilterRows(ctx, rows, filter); err != nil {
			return nil, err
		}
		if picked, enough := pick(found, rows, queries, k, ask); enough {
			return picked, nil
		}
	}
	allowed, err := c.store.Rows(ctx, filter)
	if err != nil || allowed != nil && allowed.Len() == 0 {
		return nil, err
	}
	var allow func(int64) bool
	if allowed != nil {
		allow = allowed.Has
	}
	return c.vectors.Nearest(ctx, queries, k, allow)
}

// pick returns, for each model, the first k neighbours among rows, and whether no others can come
// before them: fewer are enough when the index had no more to give.
func pick(found []Neighbour, rows []int64, queries []QueryVector, k, asked int) (picked []Neighbour, enough bool) {
	passes := make(map[int64]bool, len(rows))
	for _, row := range rows {
		passes[row] = true
	}
	looked, kept := map[string]int{}, map[string]int{}
	for _, n := range found {
		looked[n.Model]++
		if passes[n.Chunk] && kept[n.Model] < k {
			kept[n.Model]++
			picked = append(picked, n)
		}
	}
	for _, q := range queries {
		if kept[q.Model] < k && looked[q.Model] == asked {
			return nil, false
		}
	}
	return picked, true
}
