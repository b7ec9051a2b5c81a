package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/watch"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// share is how much of the time looking without a hint may take: one part in so many.
const share = 20

// A watching is one sync --watch.
type watching struct {
	a       *app
	o       syncOptions
	names   []string
	w       *watch.Watcher
	log     func(string)
	looks   int
	said    map[string]bool   // what was said already
	files   map[string]string // what was told of files
	folders []watch.Folder
	loaded  *config.Loaded // the last settings without a mistake
}

// watch keeps sources current until ctx ends.
func (a *app) watch(ctx context.Context, o syncOptions, names []string) error {
	l := a.loadConfig()
	if err := l.Err(); err != nil {
		return err
	}
	a.warn(l)
	if _, _, err := rows(l, names); err != nil {
		return err
	}
	if err := os.MkdirAll(l.Config.Workspace, 0o700); err != nil {
		return fault.Wrap(fault.Internal, err, "The folder of the memory cannot be made: %v.", err)
	}
	one, err := lockWatch(l.Config)
	if err != nil {
		return err
	}
	defer one.Close()
	w, err := watch.New(watch.Options{})
	if err != nil {
		return err
	}
	defer w.Close()
	x := &watching{a: a, o: o, names: names, w: w, log: newProgress(a).say, said: map[string]bool{}, files: map[string]string{}, loaded: l}
	for {
		begin := time.Now()
		err := x.look(ctx)
		switch {
		case ctx.Err() != nil:
			x.log("Stopped.")
			return nil
		case err != nil && x.looks == 1:
			return err
		case err != nil:
			x.once(fmt.Sprintf("This look failed, and the next one tries again: %s", fault.Message(err)))
		default:
			x.forgetOnce("This look failed")
		}
		if x.looks == 1 {
			x.log("Watching for changes. Stop it with Ctrl-C.")
		}
		if w.Limited() {
			x.once(fmt.Sprintf("There are more folders than this system can watch; changes in some of them are seen every %s only.", o.every))
		}
		if _, err := w.Wait(ctx, max(o.every, share*time.Since(begin))); err != nil {
			x.log("Stopped.")
			return nil
		}
	}
}

// once says what was not said since it last was not so.
func (x *watching) once(text string) {
	if !x.said[text] {
		x.said[text] = true
		x.log(text)
	}
}

func (x *watching) forgetOnce(beginning string) {
	for text := range x.said {
		if len(text) >= len(beginning) && text[:len(beginning)] == beginning {
			delete(x.said, text)
		}
	}
}

// look takes in what has changed.
func (x *watching) look(ctx context.Context) error {
	x.looks++
	if x.looks > 1 {
		switch l := x.a.loadConfig(); {
		case l.Err() != nil:
			x.once("The settings have a mistake, and those before stay in effect. " + fault.Message(l.Err()))
		default:
			x.loaded = l
			for _, p := range l.Problems {
				x.once("warning: " + p.String())
			}
		}
	}
	sources, _, err := rows(x.loaded, x.names)
	if err != nil {
		return err
	}
	x.folders = x.folders[:0]
	visited := func(path string, entries int) {
		x.folders = append(x.folders, watch.Folder{Path: path, Entries: entries})
	}
	_, err = x.a.takeIn(ctx, x.loaded.Config, ingest.Options{Visited: visited}, intake{
		encode: !x.o.noEmbed, quiet: x.quiet, news: x.news,
		run: func(ctx context.Context, o ingest.Options) (ingest.Summary, error) {
			return ingest.Sync(ctx, o, sources)
		},
	})
	for dir, names := range awaited(sources, exists) {
		for _, name := range names {
			x.folders = append(x.folders, watch.Folder{Path: dir, Only: name})
		}
	}
	if ctx.Err() == nil {
		x.w.Follow(x.folders)
	}
	return err
}

// quiet leaves out of an event what was told in an earlier look.
func (x *watching) quiet(e *ingest.Event) {
	if f := e.File; f != nil {
		is := string(f.Outcome) + " " + f.Reason
		if x.files[f.Path] == is {
			e.File = nil
		}
		x.files[f.Path] = is
	}
}

// news reports whether a look after the first found anything that is worth a line.
func (x *watching) news(s ingest.Summary) bool {
	fresh := slices.ContainsFunc(s.Notes, func(n string) bool { return !x.said["note: "+n] })
	for _, n := range s.Notes {
		x.said["note: "+n] = true
	}
	for _, r := range s.Refused {
		text := "refused: " + r.Label + r.Err.Error()
		fresh = fresh || !x.said[text]
		x.said[text] = true
	}
	return x.looks == 1 || fresh || s.Added+s.Replaced+s.Removed+s.Gone > 0
}
