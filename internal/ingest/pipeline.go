package ingest

import (
	"context"
	"fmt"
	"sync"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// The pipeline: one scheduler goes through the entries in order and finds out what each file is;
// readers turn files into documents; builders turn documents into records; the writer takes the
// records in the order of the entries, whoever was ready first, so that a run always gives the same
// store. Everything between them is bounded.

const (
	queued  = 32 // files between the scheduler and the writer
	perFile = 8  // documents of one file between its reader and the writer
)

// A job is one file on its way.
type job struct {
	seq         int
	at          int // place of e in the entries of the run, -1 for what stands in an archive
	e           entry
	format      Format
	in          *doc.Input
	container   string // id of the source that its documents' keys belong to
	shown       string // id of the source that they go to
	fingerprint string
	sum         string // of how the file begins
	was         *store.FileRecord
	unchanged   bool       // since the run that stored was
	out         chan *item // closed when the file is read

	report doc.Report // valid once out is closed
	done   func()     // frees what the file was read from; nil: nothing to free

	// Of an archive.
	packed bool
	finish func() doc.Report // called once all that is in it was read
	// retry says that the next run has to look again, whatever became of the file.
	retry bool
	// gone are the names of what earlier runs found in it and this one did not.
	gone []string

	// The writer's own.
	fileID    int64
	docs      []int64
	committed int // of docs
	begun     bool
	kept      int // documents with text
	broken    int // documents that could not be built
}

// An item is one document on its way.
type item struct {
	d      *doc.Document
	weight int
	ready  chan struct{} // closed when rec is built
	rec    store.DocumentRecord
	broken bool // building it failed
	global bool // it belongs to the first file that brings it
	// longest says that of the files that bring it the one with the most text counts.
	longest bool
}

// pipeline takes the entries in. again, when set, says what became of each of them earlier in this
// run; of archives nothing else is read then.
func (r *run) pipeline(ctx context.Context, entries []entry, known map[string]store.FileRecord, again map[string]FileResult) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	r.meter.stage(Reading)
	p := &pipe{
		run: r, known: known, kinds: newKinds(), entries: entries, again: again, inside: packedNames(known), marks: r.marks(), nothing: make(chan *item),
		order: make(chan *job, queued), work: make(chan *job, queued), build: make(chan func(), 2*r.o.Workers),
		gate: newGate(r.o.Limits.InFlightBytes),
	}
	close(p.nothing)
	if err := p.kinds.load(ctx, r.o.Store); err != nil {
		return err
	}
	if r.dry != nil {
		r.dry.name(p.kinds)
	}
	stop := context.AfterFunc(ctx, p.gate.stop)
	defer stop()
	var scheduler, readers, builders sync.WaitGroup
	scheduler.Go(func() {
		defer close(p.order)
		defer close(p.work)
		p.schedule(ctx, entries)
	})
	for range r.o.Workers {
		readers.Go(func() {
			for j := range p.work {
				p.readFile(ctx, j)
			}
		})
		builders.Go(func() {
			for b := range p.build {
				b()
			}
		})
	}
	err := (&writer{r: r, p: p}).run(ctx)
	cancel(err)
	for j := range p.order { // let the others end
		for range j.out {
		}
	}
	scheduler.Wait()
	readers.Wait()
	close(p.build)
	builders.Wait()
	return err
}

type pipe struct {
	run     *run
	known   map[string]store.FileRecord
	entries []entry
	again   map[string]FileResult
	inside  []string // names of what is known to stand in archives, sorted
	marks   marks
	nothing chan *item // what a file that needs no reader brings
	seq     int
	kinds   *kinds
	order   chan *job
	work    chan *job
	build   chan func()
	gate    *gate
}

// formats are those that are asked about a file.
func (p *pipe) formats(s *said) []Format {
	if s == nil || s.Kind == "" {
		return p.run.o.Formats
	}
	var out []Format
	for _, f := range p.run.o.Formats {
		if s.takes(f) {
			out = append(out, f)
		}
	}
	return out
}

// extent returns the path of what makes up one source for an entry.
func extent(x Extent, e entry) string {
	if x != Mailbox { // a mail that is moved to another mailbox is in that one
		e = e.as()
	}
	switch x {
	case File:
		return e.name
	case Mailbox:
		if dir := parent(e.name); base(dir) == "cur" || base(dir) == "new" {
			return parent(dir)
		}
	}
	return e.root.path
}

// readFile has a file read and hands its documents on. Whatever happens, out is closed.
func (p *pipe) readFile(ctx context.Context, j *job) {
	defer close(j.out)
	if j.done != nil {
		defer j.done()
	}
	defer func() {
		if v := recover(); v != nil {
			j.report = doc.Report{Outcome: doc.Failed, Reason: fmt.Sprintf("the %s reader stopped at something unexpected in it", j.format.Name())}
		}
	}()
	p.run.meter.current(j.e.name)
	report, err := j.format.Read(ctx, j.in, func(d *doc.Document) error { return p.emit(ctx, j, d) })
	if err != nil {
		report = doc.Report{Outcome: doc.Failed, Reason: "interrupted"}
	}
	j.report = report
}

// emit sends one document to the builders and, in its place, to the writer.
func (p *pipe) emit(ctx context.Context, j *job, d *doc.Document) error {
	j.e.said.on(d)
	j.e.place(d)
	it := &item{d: d, weight: weight(d), ready: make(chan struct{}), global: d.GlobalKey != "" || d.Identity != "", longest: d.Longest}
	if !p.gate.enter(j.seq, it.weight) {
		return context.Cause(ctx)
	}
	// Names are given in the order of the files, or one run would name sources otherwise than the next.
	if d.SourceID != "" && !p.kinds.has(d.SourceID) && !p.gate.turn(j.seq) {
		return context.Cause(ctx)
	}
	meta, name := p.place(j, d)
	select {
	case j.out <- it:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	b := func() {
		defer close(it.ready)
		defer func() { it.broken = recover() != nil }()
		it.rec = build(d, meta, name, j.in.ModTime)
		if !p.run.o.DryRun {
			addInstant(ctx, p.run.o.Instant, &it.rec)
		}
		it.d = nil
	}
	select {
	case p.build <- b:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	return nil
}

// place decides which source a document goes to and what its identity is.
func (p *pipe) place(j *job, d *doc.Document) (store.SourceMeta, string) {
	id, shown := j.container, j.shown
	d.Key = j.e.key(d.Key)
	switch {
	case d.SourceID != "":
		id, shown = ownSource(p.kinds, d)
	case d.Kind != j.format.Kind:
		id, shown = p.run.reg.source(d.Kind, j.e.root, extent(j.format.Source, j.e))
		fallthrough
	default:
		shown = p.kinds.fit(shown, d.Kind)
	}
	return store.SourceMeta{SourceID: shown, Kind: string(d.Kind), Owner: d.Owner}, identity(id, d)
}

// ownSource is where a document goes that names its source: the id that its identity is made with, and
// the one that the source is shown as.
func ownSource(k *kinds, d *doc.Document) (id, shown string) {
	return "own " + d.SourceID, k.fit(d.SourceID, d.Kind)
}

// kinds remembers the kind of every source, since a source has one kind only.
type kinds struct {
	mu sync.Mutex
	of map[string]doc.Kind
}

func newKinds() *kinds { return &kinds{of: map[string]doc.Kind{}} }

func (k *kinds) load(ctx context.Context, s *store.Store) error {
	if s == nil {
		return nil
	}
	sources, err := s.Sources(ctx, nil)
	for _, src := range sources {
		k.of[src.SourceID] = doc.Kind(src.Kind)
	}
	return err
}

// has reports whether the kind of a source is known.
func (k *kinds) has(id string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	_, ok := k.of[id]
	return ok
}

// fit returns id, or, when that holds another kind already, id with the kind after it.
func (k *kinds) fit(id string, kind doc.Kind) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	for {
		have, ok := k.of[id]
		if !ok {
			k.of[id] = kind
			return id
		}
		if have == kind {
			return id
		}
		id += "-" + string(kind)
	}
}

// A gate bounds how much text is between the readers and the writer. The file that the writer waits
// for may always pass, since the others wait for it.
type gate struct {
	mu      sync.Mutex
	free    *sync.Cond
	room    int
	head    int
	stopped bool
}

func newGate(room int) *gate {
	g := &gate{room: room}
	g.free = sync.NewCond(&g.mu)
	return g
}

// turn waits until the writer waits for a file and reports whether the run goes on.
func (g *gate) turn(seq int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.stopped && seq != g.head {
		g.free.Wait()
	}
	return !g.stopped
}

// enter waits for room and reports whether the run goes on.
func (g *gate) enter(seq, n int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.stopped && g.room < n && seq != g.head {
		g.free.Wait()
	}
	g.room -= n
	return !g.stopped
}

func (g *gate) leave(n int) {
	g.mu.Lock()
	g.room += n
	g.mu.Unlock()
	g.free.Broadcast()
}

// front says which file the writer waits for.
func (g *gate) front(seq int) {
	g.mu.Lock()
	g.head = seq
	g.mu.Unlock()
	g.free.Broadcast()
}

func (g *gate) stop() {
	g.mu.Lock()
	g.stopped = true
	g.mu.Unlock()
	g.free.Broadcast()
}
