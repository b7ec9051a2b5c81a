// Package ingest takes files in: it walks folders, finds out what each file is, has readers turn it
// into documents, cuts those into chunks, and writes them so that an interrupted or repeated run
// gives the same store. Formats live in the packages below it; SQL lives in the store.
package ingest

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// Options say how to take files in.
type Options struct {
	// Store is where everything goes. A dry run may do without one; everything is new then.
	Store *store.Store
	// SourceName names the source instead of the folder: a whole source id such as "notes:work", or
	// the part after the colon. Documents that name their own source keep it.
	SourceName string
	// DryRun reads everything and writes nothing. The Summary is the one that a run would give.
	DryRun bool
	// Visited, when set, is told of every folder that was listed, and how many entries it has.
	Visited func(path string, entries int)
	// Progress, when set, is told how far the run is, by one call at a time.
	Progress func(Event)

	// Instant, when set, gives each chunk a vector in the transaction that writes it.
	Instant Model

	Formats []Format         // nil: Formats(Limits)
	Limits  Limits           // zero: DefaultLimits()
	Workers int              // 0: one for each processor
	FS      FS               // nil: OS{}
	Temp    string           // folder for what readers seek in of archives; "": that of the machine
	Now     func() time.Time // nil: time.Now
}

// A FileResult is what became of one file or folder.
type FileResult struct {
	Path    string
	Outcome doc.Outcome
	Reason  string
}

// A Summary is what a run did. Files is the sum of Outcomes.
type Summary struct {
	Files     int                 // everything that was met and has an outcome
	Outcomes  map[doc.Outcome]int // by outcome, unchanged files under the one they had
	Unchanged int                 // of Files: known from an earlier run and not read again
	Moved     int                 // files that were under another path
	Gone      int                 // files of earlier runs that are certainly no longer there
	Bytes     int64               // read

	Added, Replaced, Same, Removed int // documents
	Chunks                         int // written
	Sources                        []string

	Problems []FileResult // files that are not ok, at most Limits.Reported
	Refused  []SourceError
	Notes    []string // what the person should know beside that, in sentences
	Elapsed  time.Duration
}

// Complete reports whether everything that was meant to be taken in was.
func (s Summary) Complete() bool {
	return s.Outcomes[doc.Failed] == 0 && s.Outcomes[doc.Partial] == 0 && len(s.Refused) == 0
}

// Run takes in the files and folders at paths. What is wrong with a single file is told in the
// Summary; an error means that the run could not go on, and what was written until then stays: the
// next run finishes the work.
func Run(ctx context.Context, o Options, paths []string) (Summary, error) {
	return start(ctx, o, func(ctx context.Context, r *run) ([]target, error) { return r.targets(ctx, paths) })
}

// start makes a run over the targets that find returns.
func start(ctx context.Context, o Options, find func(context.Context, *run) ([]target, error)) (Summary, error) {
	if o.Limits == (Limits{}) {
		o.Limits = DefaultLimits()
	}
	if o.Formats == nil {
		o.Formats = Formats(o.Limits)
	}
	if o.FS == nil {
		o.FS = OS{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Store == nil && !o.DryRun {
		return Summary{}, errors.New("ingest: no store")
	}
	r := &run{o: o, start: o.Now(), sum: Summary{Outcomes: map[doc.Outcome]int{}}, reread: map[string]bool{}, idleInside: map[string]bool{}}
	r.meter = &meter{report: o.Progress, now: o.Now, start: r.start}
	if o.DryRun {
		r.dry = newRehearsal(o.Store)
	}
	err := r.do(ctx, find)
	r.sum.Elapsed = o.Now().Sub(r.start)
	if err != nil {
		return r.sum, fmt.Errorf("ingest: %w", err)
	}
	return r.sum, nil
}

// A run is one call of Run.
type run struct {
	o     Options
	start time.Time
	reg   *registry
	sum   Summary
	meter *meter
	rows  []Source   // what a sync was given
	dry   *rehearsal // nil: what is written is written to the store
	// idleInside are the files in archives that were not read since they are as they were.
	idleInside map[string]bool
	// reread are the files to read again before the run ends.
	reread map[string]bool
}

func (r *run) do(ctx context.Context, find func(context.Context, *run) ([]target, error)) error {
	reg, err := loadRegistry(ctx, r.o.Store)
	if err != nil {
		return err
	}
	r.reg = reg
	targets, err := find(ctx, r)
	if err != nil {
		return err
	}
	known, err := r.known(ctx, targets)
	if err != nil {
		return err
	}
	w := newWalk(r, targets)
	for _, t := range targets {
		if err := w.target(ctx, t); err != nil {
			return err
		}
	}
	if err := r.moves(ctx, w, targets, known); err != nil {
		return err
	}
	if err := r.joins(ctx, w.entries); err != nil {
		return err
	}
	if err := r.pipeline(ctx, w.entries, known, nil); err != nil {
		return err
	}
	if err := r.removeGone(ctx, w, targets, known); err != nil {
		return err
	}
	if err := r.settle(ctx, w.entries); err != nil {
		return err
	}
	if err := r.tellRoots(ctx, w, targets); err != nil {
		return err
	}
	if r.dry != nil {
		return nil
	}
	r.meter.stage(Finishing)
	return r.o.Store.Finish(ctx)
}

// known loads what earlier runs have stored about the files under the targets.
func (r *run) known(ctx context.Context, targets []target) (map[string]store.FileRecord, error) {
	known := map[string]store.FileRecord{}
	if r.o.Store == nil {
		return known, nil
	}
	roots := map[string]bool{}
	for _, t := range targets {
		for _, root := range append(t.former, r.reg.rootsAt(t.name)...) {
			roots[root] = true
		}
	}
	for root := range roots {
		files, err := r.o.Store.Files(ctx, root)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			known[f.Path] = f
		}
	}
	return known, nil
}

// note adds a sentence to the summary.
func (r *run) note(format string, args ...any) {
	r.sum.Notes = append(r.sum.Notes, fmt.Sprintf(format, args...))
}

// count adds a file to the summary.
func (r *run) count(f FileResult, unchanged bool) {
	r.sum.Files++
	r.sum.Outcomes[f.Outcome]++
	if unchanged {
		r.sum.Unchanged++
	}
	if f.Outcome != doc.OK && len(r.sum.Problems) < r.o.Limits.Reported {
		r.sum.Problems = append(r.sum.Problems, f)
	}
	r.meter.file(f)
}
