package watch

import (
	"errors"
	"fmt"
	"runtime"
	"syscall"

	"github.com/fsnotify/fsnotify"
)

// mostEntries bounds what hints are asked for, in entries of folders. Where the system tells by kqueue, each
// entry takes an open file of this process.
func mostEntries() int {
	switch runtime.GOOS {
	case "linux", "windows", "android":
		return 5_000_000
	}
	return 4_000
}

// system is what the operating system tells.
type system struct {
	w       *fsnotify.Watcher
	changes chan Change
}

func newHints() (Hints, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watch folders: %w", err)
	}
	s := &system{w: w, changes: make(chan Change)}
	go s.pass()
	return s, nil
}

// pass tells what comes until the watcher is closed.
func (s *system) pass() {
	defer close(s.changes)
	for {
		select {
		case e, ok := <-s.w.Events:
			if !ok {
				return
			}
			if e.Op == fsnotify.Chmod {
				continue // nothing to read anew
			}
			s.changes <- Change{Path: e.Name, Gone: e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)}
		case _, ok := <-s.w.Errors:
			if !ok {
				return
			}
			s.changes <- Change{} // more has happened than was told
		}
	}
}

func (s *system) Add(dir string) error    { return s.w.Add(dir) }
func (s *system) Remove(dir string) error { return s.w.Remove(dir) }
func (s *system) Changes() <-chan Change  { return s.changes }
func (s *system) Close() error            { return s.w.Close() }

// full reports whether the system has no room for more.
func full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) || errors.Is(err, syscall.ENOMEM)
}
