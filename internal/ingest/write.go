package ingest

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// A writer stores what the pipeline brings, in transactions of bounded size. It gathers a batch
// before it begins a transaction, so that nobody else waits while it waits for readers.
type writer struct {
	r *run
	p *pipe

	batch  []op
	chunks int       // in the batch
	since  time.Time // when the batch was begun
}

// An op is a document of a file, or the end of the file.
type op struct {
	j  *job
	it *item // nil at the end
}

// A tally is what one transaction did.
type tally struct {
	added, replaced, same, removed, chunks int

	reread []string // see store.Tx.Reread
}

func (w *writer) run(ctx context.Context) error {
	tick := time.NewTicker(max(w.r.o.Limits.BatchTime/4, 10*time.Millisecond))
	defer tick.Stop()
	for j := range w.p.order {
		if j.unchanged {
			if j.at >= 0 {
				w.p.entries[j.at].idle = true
			} else {
				w.r.idleInside[j.e.name] = true
			}
			w.r.count(FileResult{j.e.name, j.report.Outcome, j.report.Reason}, true)
			w.r.meter.read(int(j.e.onDisk()))
			continue
		}
		w.p.gate.front(j.seq)
		for open := true; open; {
			var it *item
			select {
			case it, open = <-j.out:
			case <-tick.C:
				if err := w.late(ctx); err != nil {
					return err
				}
				continue
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			if !open {
				break
			}
			select {
			case <-it.ready:
			case <-ctx.Done():
				return context.Cause(ctx)
			}
			switch {
			case it.broken:
				j.broken++
			case len(it.rec.Chunks) > 0:
				j.kept++
			}
			if err := w.add(ctx, op{j, it}, len(it.rec.Chunks)); err != nil {
				return err
			}
		}
		if err := ctx.Err(); err != nil {
			return context.Cause(ctx) // what the reader said then means nothing
		}
		if j.finish != nil {
			j.report = j.finish()
		}
		if j.packed || j.at < 0 {
			w.r.meter.read(int(j.e.cost))
		}
		if err := w.add(ctx, op{j: j}, 0); err != nil {
			return err
		}
		if err := w.leave(ctx, j); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	return w.flush(ctx)
}

// leave removes what stood in an archive and certainly does not any more.
func (w *writer) leave(ctx context.Context, j *job) error {
	if len(j.gone) == 0 || !j.certain() {
		return nil
	}
	if err := w.flush(ctx); err != nil {
		return err
	}
	for part := range slices.Chunk(j.gone, 500) {
		if err := w.r.drop(ctx, part, w.p.known); err != nil {
			return err
		}
	}
	return nil
}

// add puts an op into the batch and writes it when it is large or old enough.
func (w *writer) add(ctx context.Context, o op, chunks int) error {
	if len(w.batch) == 0 {
		w.since = w.r.o.Now()
	}
	w.batch = append(w.batch, o)
	w.chunks += chunks
	if w.chunks >= w.r.o.Limits.BatchChunks || len(w.batch) >= 8*w.r.o.Limits.BatchChunks {
		return w.flush(ctx)
	}
	return w.late(ctx)
}

// late writes a batch that has waited long enough.
func (w *writer) late(ctx context.Context) error {
	if len(w.batch) > 0 && w.r.o.Now().Sub(w.since) >= w.r.o.Limits.BatchTime {
		return w.flush(ctx)
	}
	return nil
}

// flush writes the batch in one transaction.
func (w *writer) flush(ctx context.Context) error {
	if len(w.batch) == 0 {
		return nil
	}
	var t tally
	if w.r.dry != nil {
		if err := w.r.dry.expect(ctx, w.batch); err != nil {
			return err
		}
	}
	err := w.r.update(ctx, func(tx ledger) error {
		t = tally{}
		err := w.apply(tx, &t)
		t.reread = tx.Reread()
		return err
	})
	if err != nil {
		return err
	}
	w.r.reg.saved()
	s := &w.r.sum
	s.Added += t.added
	s.Replaced += t.replaced
	if w.p.again == nil { // they were counted
		s.Same += t.same
	}
	s.Removed += t.removed
	s.Chunks += t.chunks
	w.r.meter.wrote(t.added+t.replaced+t.same, t.chunks)
	w.r.unsettle(t.reread)
	for _, o := range w.batch {
		o.j.committed, o.j.begun = len(o.j.docs), true
		if o.it != nil {
			w.p.gate.leave(o.it.weight)
			if src := o.it.rec.Source.SourceID; src != "" && !slices.Contains(s.Sources, src) {
				s.Sources = append(s.Sources, src)
			}
			continue
		}
		report := o.j.outcome()
		if o.j.in != nil {
			s.Bytes += o.j.e.size
		}
		if f := (FileResult{o.j.e.name, report.Outcome, report.Reason}); w.p.again != nil {
			w.r.recount(w.p.again[o.j.e.name], f)
		} else {
			w.r.count(f, false)
		}
		o.j.docs = nil
	}
	clear(w.batch)
	w.batch, w.chunks = w.batch[:0], 0
	return nil
}

// apply writes the batch. It may run more than once, so it changes nothing but tx, t, and what it
// first puts back to where the last transaction left it.
func (w *writer) apply(tx ledger, t *tally) error {
	ends := map[*job]bool{}
	for _, o := range w.batch {
		o.j.docs = o.j.docs[:o.j.committed]
		ends[o.j] = ends[o.j] || o.it == nil
	}
	if err := w.r.reg.save(tx); err != nil {
		return err
	}
	begun := map[*job]bool{}
	for _, o := range w.batch {
		j := o.j
		if !j.begun && !begun[j] {
			begun[j] = true
			id, err := tx.PutFile(j.record(ends[j]))
			if err != nil {
				return err
			}
			j.fileID = id
		}
		var err error
		if o.it == nil {
			err = w.end(tx, t, j)
		} else {
			err = w.document(tx, t, j, o.it)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// document writes one document of a file.
func (w *writer) document(tx ledger, t *tally, j *job, it *item) error {
	if it.broken || len(it.rec.Chunks) == 0 {
		return nil
	}
	if it.global {
		// The same mail in several mailboxes stays where it was first.
		id, held, err := tx.HeldBefore(it.rec.Identity, j.fileID)
		if err != nil {
			return err
		}
		if held {
			t.same++
			j.docs = append(j.docs, id)
			return tx.HoldAs(j.fileID, id, &it.rec)
		}
	}
	if it.longest {
		id, held, err := tx.HeldLonger(it.rec.Identity, j.fileID, characters(it.rec.Chunks))
		if err != nil {
			return err
		}
		if held {
			t.same++
			j.docs = append(j.docs, id)
			return tx.HoldAs(j.fileID, id, &it.rec)
		}
	}
	id, res, err := tx.PutDocument(it.rec)
	if err != nil {
		return err
	}
	switch res {
	case store.Added:
		t.added++
		t.chunks += len(it.rec.Chunks)
	case store.Replaced:
		t.replaced++
		t.chunks += len(it.rec.Chunks)
	default:
		t.same++
	}
	j.docs = append(j.docs, id)
	// The document may be in another source, when a file that held it before this one was forgotten.
	return tx.HoldAs(j.fileID, id, &it.rec)
}

// characters counts the text of a document, as the store does.
func characters(chunks []store.ChunkRecord) int {
	n := 0
	for i := range chunks {
		n += utf8.RuneCountInString(chunks[i].Content)
	}
	return n
}

// end closes a file: what it held before and holds no longer goes, when it was read in full.
func (w *writer) end(tx ledger, t *tally, j *job) error {
	if j.begun {
		if _, err := tx.PutFile(j.record(true)); err != nil {
			return err
		}
	}
	if j.was == nil || !j.certain() {
		return nil
	}
	n, _, err := tx.ReleaseExcept(j.fileID, j.docs)
	t.removed += n
	return err
}

// certain reports whether what the file did not bring is not in it: a file that was not read to its
// end may hold it still.
func (j *job) certain() bool {
	switch r := j.outcome(); r.Outcome {
	case doc.OK, doc.NoText, doc.Skipped:
		return true
	case doc.Partial:
		return r.Whole
	}
	return false
}

// outcome is the report of the reader, corrected by what became of the documents.
func (j *job) outcome() doc.Report {
	r := j.report
	switch {
	case j.broken > 0 && r.Outcome != doc.Failed:
		return doc.Report{Outcome: doc.Partial, Reason: "some of it could not be cut into chunks"}
	case r.Outcome == doc.OK && j.kept == 0 && !j.packed:
		return doc.Report{Outcome: doc.NoText, Reason: "there is no text in it"}
	}
	return r
}

// record is what the store keeps about a file.
func (j *job) record(complete bool) store.FileRecord {
	rec := store.FileRecord{
		Path: j.e.name, Root: j.e.root.path, Size: j.e.size, MTimeNS: j.e.mtimeNS, Fingerprint: j.fingerprint, Complete: complete && !j.retry,
		Outcome: string(doc.Partial), Reason: "being taken in",
	}
	if complete {
		r := j.outcome()
		rec.Outcome, rec.Reason = string(r.Outcome), r.Reason
	}
	return rec
}

// removeGone takes out the files of earlier runs that are certainly not there any more.
func (r *run) removeGone(ctx context.Context, w *walk, targets []target, known map[string]store.FileRecord) error {
	if r.o.Store == nil {
		return nil
	}
	met := make(map[string]bool, len(w.entries))
	for _, e := range w.entries {
		met[e.name] = true
	}
	isFile := func(name string) bool { _, ok := known[name]; return ok }
	for _, t := range targets {
		if t.file {
			continue
		}
		var gone []string
		kept, held, away := 0, 0, false
		for name, f := range known {
			file := name
			if a, ok := archiveOf(name, isFile); ok {
				file = a
			}
			if !within(name, t.name) || name == t.name || !t.means(file) {
				continue
			}
			if f.Documents > 0 {
				held++
			}
			switch {
			case met[file]: // and what is in it was seen to
			case w.gone(name, t.name):
				gone = append(gone, name)
			default:
				kept++
				away = away || w.awayDisk(name, t.name)
			}
		}
		if kept > 0 {
			why := "not every folder could be listed"
			if away {
				why = "a disk that was there is not mounted now"
			}
			r.note("%d files under %s were not found, but %s; what was taken in from them stays.", kept, t.name, why)
		}
		if w.met[t.name] == 0 && held > 0 {
			if kept > 0 {
				continue // and the reason is told
			}
			r.note("%s is empty now, as an unmounted disk would be; what was taken in from its %d files stays. openhuman-core forget SOURCE removes it.", t.name, held)
			continue
		}
		slices.Sort(gone)
		for part := range slices.Chunk(gone, 500) {
			if err := r.drop(ctx, part, known); err != nil {
				return err
			}
		}
	}
	return nil
}

// drop removes files and what only they held.
func (r *run) drop(ctx context.Context, names []string, known map[string]store.FileRecord) error {
	files, documents := 0, 0
	for _, n := range names {
		if known[n].Outcome != string(doc.Skipped) {
			files++
		}
	}
	if r.dry != nil {
		if err := r.dry.expectGone(ctx, names); err != nil {
			return err
		}
	}
	var reread []string
	err := r.update(ctx, func(tx ledger) error {
		documents = 0
		for _, n := range names {
			d, _, err := tx.DropFile(n)
			if err != nil {
				return err
			}
			documents += d
		}
		reread = tx.Reread()
		return nil
	})
	if err != nil {
		return err
	}
	r.unsettle(reread)
	r.sum.Gone += files
	r.sum.Removed += documents
	return nil
}
