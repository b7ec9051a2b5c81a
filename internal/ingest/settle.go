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
	met := make(map[string]bool, len(entries))
	for _, e := range entries {
		met[e.name] = true
	}
	for range settlings {
		if len(r.reread) == 0 {
			return nil
		}
		waiting := r.reread
		r.reread = map[string]bool{}
		known := map[string]store.FileRecord{}
		err := r.update(ctx, func(tx ledger) error {
			for name := range waiting {
				f, ok, err := tx.File(name)
				if err != nil {
					return err
				}
				if ok && !f.Complete { // else the run has come to it since
					known[name] = f
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		var left []entry
		before := map[string]FileResult{}
		packed := map[string]bool{} // archives that they stand in
		for name, f := range known {
			before[name] = FileResult{name, doc.Outcome(f.Outcome), f.Reason}
			if r.idleInside[name] {
				delete(r.idleInside, name)
				r.sum.Unchanged--
			}
			if a, ok := archiveOf(name, func(s string) bool { return met[s] }); ok {
				packed[a] = true
			}
		}
		for _, e := range entries {
			if _, ok := known[e.name]; e.outcome != "" || !ok && !packed[e.name] {
				continue
			}
			if e.idle && !packed[e.name] {
				r.sum.Unchanged--
			}
			left = append(left, e)
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
