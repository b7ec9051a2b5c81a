package ingest

import (
	"context"
	"slices"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// settlings is how often a run reads files again at most. Once is enough unless files change while
// it runs; the next run does the rest.
const settlings = 3

// unsettle remembers files that are to be read again before the run ends.
func (r *run) unsettle(paths []string) {
	for _, p := range paths {
		r.reread[p] = true
	}
}

// settle reads again what has become the first file to hold a document while this run went on: what
// is stored of the document is still what a file gave that holds it no longer. Files that the run
// was not asked for wait for a run that is.
func (r *run) settle(ctx context.Context, entries []entry) error {
	for range settlings {
		if len(r.reread) == 0 {
			return nil
		}
		waiting := r.reread
		r.reread = map[string]bool{}
		entries := slices.DeleteFunc(slices.Clone(entries), func(e entry) bool { return !waiting[e.name] || e.outcome != "" })
		known := map[string]store.FileRecord{}
		err := r.o.Store.Update(ctx, func(tx *store.Tx) error {
			for _, e := range entries {
				f, ok, err := tx.File(e.name)
				if err != nil {
					return err
				}
				if ok && !f.Complete { // else the run has come to it since
					known[e.name] = f
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		var left []entry
		var before []FileResult
		for _, e := range entries {
			f, ok := known[e.name]
			if !ok {
				continue
			}
			if e.idle {
				r.sum.Unchanged--
			}
			left = append(left, e)
			before = append(before, FileResult{e.name, doc.Outcome(f.Outcome), f.Reason})
			r.meter.more(e.size)
		}
		if len(left) == 0 {
			return nil
		}
		if err := r.pipeline(ctx, left, known, before); err != nil {
			return err
		}
	}
	return nil
}

// recount corrects the summary for a file that was read twice.
func (r *run) recount(was, is FileResult) {
	if was == is {
		return
	}
	if r.sum.Outcomes[was.Outcome]--; r.sum.Outcomes[was.Outcome] == 0 {
		delete(r.sum.Outcomes, was.Outcome)
	}
	r.sum.Outcomes[is.Outcome]++
	r.sum.Problems = slices.DeleteFunc(r.sum.Problems, func(f FileResult) bool { return f == was })
	if is.Outcome != doc.OK && len(r.sum.Problems) < r.o.Limits.Reported {
		r.sum.Problems = append(r.sum.Problems, is)
	}
}
