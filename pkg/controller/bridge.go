package controller

import (
	"context"

	"github.com/openhuman/openhuman-core/pkg/store"
)

// maxBridge is how many rows between two chunks are looked at to see that all of them are hidden.
const maxBridge = 2000

// bridge finds the chunks that follow on others for the caller although hidden ones lie between them:
// these must not part what would be neighbours without them. r.found is in the order of the rows.
func (r *recalling) bridge(ctx context.Context) error {
	scope := r.filter.Scope
	if scope == nil || scope.All() {
		return nil
	}
	for i := 1; i < len(r.found); i++ {
		a, b := &r.found[i-1].Chunk, &r.found[i].Chunk
		if gap := b.RowID - a.RowID; gap == 1 || gap > maxBridge || !sameTalk(a, b) {
			continue
		}
		var between []int64
		for row := a.RowID + 1; row < b.RowID; row++ {
			between = append(between, row)
		}
		there, err := r.c.store.FilterRows(ctx, between, store.Filter{})
		if err != nil {
			return err
		}
		if len(there) < len(between) {
			continue // what went would have been between them as well
		}
		seen, err := r.c.store.FilterRows(ctx, between, store.Filter{Scope: scope})
		if err != nil {
			return err
		}
		if len(seen) == 0 {
			if r.bridged == nil {
				r.bridged = map[int64]bool{}
			}
			r.bridged[b.RowID] = true
		}
	}
	return nil
}

// adjacent reports whether b goes on where a ends.
func (r *recalling) adjacent(a, b *store.Chunk) bool {
	return (a.RowID+1 == b.RowID || r.bridged[b.RowID]) && sameTalk(a, b)
}

// sameTalk reports whether two chunks are of the same conversation and of about the same time.
func sameTalk(a, b *store.Chunk) bool {
	return a.SourceID == b.SourceID && a.Title == b.Title &&
		max(a.TimestampMS-b.TimestampMS, b.TimestampMS-a.TimestampMS) < sameSitting
}
