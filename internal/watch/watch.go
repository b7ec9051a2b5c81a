// Package watch says when something below some folders may have changed, so that somebody looks. What
// has changed is for the one who looks to find out: what the system tells of changes is a hint that may be
// late, missing or about nothing, and so there is a look every now and then without one.
package watch

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Options say when to look; zero values are the defaults.
type Options struct {
	// Quiet is for how long nothing has to happen before a look, so that one does for an editor that
	// writes a file in several steps, or a folder that is being copied. Default 700 ms.
	Quiet time.Duration
	// Longest is for how long a look is put off when it never gets quiet. Default 10 s.
	Longest time.Duration
	// Now is the time of day, which goes on while the machine sleeps. nil: time.Now.
	Now func() time.Time
	// Hints tell of changes. nil: the system's.
	Hints Hints
}

// Hints are what a system tells of changes directly in folders. Changes may be told until Close.
type Hints interface {
	Add(dir string) error
	Remove(dir string) error
	Changes() <-chan Change
	Close() error
}

// A Change is a hint.
type Change struct {
	Path string // "" when it is not known where
	Gone bool   // what was at Path is no longer there
}

// A Folder is one to have hints of.
type Folder struct {
	Path    string
	Entries int    // how many there are in it
	Only    string // the only name in it that counts, if not empty
}

// A Reason says why to look.
type Reason string

// The reasons.
const (
	Changed Reason = "something changed"
	Due     Reason = "it was time"
	Woke    Reason = "the machine slept"
)

// beat is how often a sleep of the machine is looked for, slack how much longer than a beat something else
// may have kept it.
const (
	beat  = 5 * time.Second
	slack = 20 * time.Second
)

// A Watcher gathers hints.
type Watcher struct {
	o     Options
	ended sync.WaitGroup

	mu      sync.Mutex
	have    map[string]bool
	only    map[string][]string // by folder, of those in which not everything counts
	limited bool
	first   time.Time // of the hints since the last look; zero while there are none
	last    time.Time
	stir    chan struct{} // has a value when something has happened
}

// New returns a watcher without folders. Close ends it.
func New(o Options) (*Watcher, error) {
	set := func(d *time.Duration, otherwise time.Duration) {
		if *d == 0 {
			*d = otherwise
		}
	}
	set(&o.Quiet, 700*time.Millisecond)
	set(&o.Longest, 10*time.Second)
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Hints == nil {
		hints, err := newHints()
		if err != nil {
			return nil, err
		}
		o.Hints = hints
	}
	w := &Watcher{o: o, have: map[string]bool{}, stir: make(chan struct{}, 1)}
	w.ended.Go(func() {
		for c := range o.Hints.Changes() {
			w.take(c)
		}
	})
	return w, nil
}

// Close ends the watching.
func (w *Watcher) Close() error {
	err := w.o.Hints.Close()
	w.ended.Wait()
	return err
}

func (w *Watcher) take(c Change) {
	w.mu.Lock()
	var gone []string
	if c.Gone && w.have[c.Path] {
		// Another folder that gets the name has to be asked for anew, and those in one that was moved
		// would tell of it under their old names.
		for dir := range w.have {
			if dir == c.Path || strings.HasPrefix(dir, c.Path+"/") || strings.HasPrefix(dir, c.Path+`\`) {
				delete(w.have, dir)
				gone = append(gone, dir)
			}
		}
	}
	if names, some := w.only[filepath.Dir(c.Path)]; !some || slices.Contains(names, filepath.Base(c.Path)) {
		w.mark()
	}
	w.mu.Unlock()
	for _, dir := range gone {
		_ = w.o.Hints.Remove(dir) // mostly it has gone by itself
	}
}

// mark notes that something has happened.
func (w *Watcher) mark() {
	w.last = time.Now()
	if w.first.IsZero() {
		w.first = w.last
	}
	select {
	case w.stir <- struct{}{}:
	default:
	}
}

// Follow says which folders to have hints of from now on. What happened in a new one before that was not
// told, so that there is one more look.
func (w *Watcher) Follow(folders []Folder) {
	wanted := make(map[string]bool, len(folders))
	only, all := map[string][]string{}, map[string]bool{}
	for _, f := range folders {
		if f.Only != "" {
			only[f.Path] = append(only[f.Path], f.Only)
		} else {
			all[f.Path] = true
		}
	}
	maps.DeleteFunc(only, func(dir string, _ []string) bool { return all[dir] })
	room := mostEntries()
	limited, added := false, false
	for _, f := range folders {
		wanted[f.Path] = true
		if room -= f.Entries + 1; room < 0 {
			limited = true
		}
		w.mu.Lock()
		have := w.have[f.Path]
		w.mu.Unlock()
		if have || limited {
			continue
		}
		switch err := w.o.Hints.Add(f.Path); {
		case err == nil:
			added = true
			w.mu.Lock()
			w.have[f.Path] = true
			w.mu.Unlock()
		case full(err):
			limited = true
		}
		// Any other folder has just gone, or the file system of it tells nothing.
	}
	w.mu.Lock()
	var drop []string
	for dir := range w.have {
		if !wanted[dir] {
			delete(w.have, dir)
			drop = append(drop, dir)
		}
	}
	w.limited, w.only = limited, only
	if added {
		w.mark()
	}
	w.mu.Unlock()
	for _, dir := range drop {
		_ = w.o.Hints.Remove(dir)
	}
}

// Limited reports whether the system has no room for all the folders, so that changes in some are seen
// at the next look only.
func (w *Watcher) Limited() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.limited
}

// Wait waits until it is time to look, which without a hint is when every has passed, or until ctx ends.
func (w *Watcher) Wait(ctx context.Context, every time.Duration) (Reason, error) {
	due := time.NewTimer(every)
	defer due.Stop()
	heart := time.NewTicker(beat)
	defer heart.Stop()
	calm := time.NewTimer(w.o.Quiet)
	defer calm.Stop()
	seen := w.o.Now().Round(0) // the time of day, without what stands still in a sleep
	for {
		if wait, some := w.until(); some {
			if wait <= 0 {
				w.looked()
				return Changed, nil
			}
			calm.Reset(wait)
		}
		select {
		case <-ctx.Done():
			return "", fmt.Errorf("watch: %w", ctx.Err())
		case <-w.stir:
		case <-calm.C:
		case <-due.C:
			w.looked()
			return Due, nil
		case <-heart.C:
			now := w.o.Now().Round(0)
			slept := now.Sub(seen) > beat+slack
			seen = now
			if slept {
				w.looked()
				return Woke, nil
			}
		}
	}
}

// until returns how long to wait for quiet, and whether there is anything to wait with.
func (w *Watcher) until() (time.Duration, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.first.IsZero() {
		return 0, false
	}
	return min(time.Until(w.last.Add(w.o.Quiet)), time.Until(w.first.Add(w.o.Longest))), true
}

// looked says that what has happened so far is looked at from now on.
func (w *Watcher) looked() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.first = time.Time{}
}
