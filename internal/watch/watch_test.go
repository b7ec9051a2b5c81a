package watch_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/openhuman/openhuman-core/internal/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// told is a system that tells what a test says.
type told struct {
	changes chan watch.Change
	room    int

	mu   sync.Mutex
	dirs []string
}

func (h *told) Add(dir string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.dirs) >= h.room {
		return syscall.ENOSPC
	}
	h.dirs = append(h.dirs, dir)
	return nil
}

func (h *told) Remove(dir string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.dirs = slices.DeleteFunc(h.dirs, func(d string) bool { return d == dir })
	return nil
}

func (h *told) Changes() <-chan watch.Change { return h.changes }

func (h *told) Close() error {
	close(h.changes)
	return nil
}

func (h *told) has() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Sorted(slices.Values(h.dirs))
}

// watched runs a test with a watcher in a bubble of time. slept moves the time of day.
func watched(t *testing.T, room int, f func(t *testing.T, w *watch.Watcher, h *told, slept *atomic.Int64)) {
	synctest.Test(t, func(t *testing.T) {
		h := &told{changes: make(chan watch.Change), room: room}
		var slept atomic.Int64
		w, err := watch.New(watch.Options{Quiet: time.Second, Longest: 10 * time.Second, Hints: h, Now: func() time.Time { return time.Now().Add(time.Duration(slept.Load())) }})
		if err != nil {
			t.Fatal(err)
		}
		f(t, w, h, &slept)
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
}

func wait(t *testing.T, w *watch.Watcher, reason watch.Reason, after time.Duration) {
	t.Helper()
	begin := time.Now()
	got, err := w.Wait(t.Context(), time.Minute)
	if took := time.Since(begin); err != nil || got != reason || took != after {
		t.Errorf("%q, %v after %v; want %q after %v", got, err, took, reason, after)
	}
}

func TestQuiet(t *testing.T) {
	watched(t, 9, func(t *testing.T, w *watch.Watcher, h *told, _ *atomic.Int64) {
		wait(t, w, watch.Due, time.Minute)
		h.changes <- watch.Change{Path: "a"}
		wait(t, w, watch.Changed, time.Second)
		wait(t, w, watch.Due, time.Minute) // a hint is used up
		go func() {
			for range 4 {
				time.Sleep(800 * time.Millisecond)
				h.changes <- watch.Change{Path: "a"}
			}
		}()
		wait(t, w, watch.Changed, 4200*time.Millisecond)
		stop := make(chan struct{})
		go func() { // it never gets quiet
			for {
				select {
				case <-stop:
					return
				case <-time.After(700 * time.Millisecond):
					h.changes <- watch.Change{}
				}
			}
		}()
		wait(t, w, watch.Changed, 10700*time.Millisecond)
		close(stop)
	})
}

func TestSleep(t *testing.T) {
	watched(t, 9, func(t *testing.T, w *watch.Watcher, _ *told, slept *atomic.Int64) {
		go func() {
			time.Sleep(7 * time.Second)
			slept.Store(int64(time.Hour))
		}()
		wait(t, w, watch.Woke, 10*time.Second)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		if _, err := w.Wait(ctx, time.Hour); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
}

func TestFollow(t *testing.T) {
	watched(t, 3, func(t *testing.T, w *watch.Watcher, h *told, _ *atomic.Int64) {
		follow := func(want []string, limited bool, paths ...string) {
			t.Helper()
			var folders []watch.Folder
			for _, p := range paths {
				folders = append(folders, watch.Folder{Path: p, Entries: 1})
			}
			w.Follow(folders)
			if got := h.has(); !slices.Equal(got, want) || w.Limited() != limited {
				t.Errorf("%q, %v; want %q, %v", got, w.Limited(), want, limited)
			}
		}
		follow([]string{"/a", "/a/b", "/c"}, false, "/a", "/a/b", "/c")
		wait(t, w, watch.Changed, time.Second) // what came before that was not told
		follow([]string{"/a", "/a/b", "/c"}, false, "/a", "/a/b", "/c")
		wait(t, w, watch.Due, time.Minute)
		follow([]string{"/a", "/a/b", "/c"}, true, "/a", "/a/b", "/c", "/d")
		follow([]string{"/a", "/a/b"}, false, "/a", "/a/b")
		// Of a folder in which something is awaited nothing else counts.
		w.Follow([]watch.Folder{{Path: "/a"}, {Path: "/c", Only: "usb"}, {Path: "/a/b", Only: "x"}, {Path: "/a/b"}})
		wait(t, w, watch.Changed, time.Second)
		h.changes <- watch.Change{Path: "/c/other"}
		wait(t, w, watch.Due, time.Minute)
		for _, path := range []string{"/c/usb", "/a/b/y"} {
			h.changes <- watch.Change{Path: path}
			wait(t, w, watch.Changed, time.Second)
		}
		follow([]string{"/a", "/a/b"}, false, "/a", "/a/b")
		// A folder that went and came back is another one.
		h.changes <- watch.Change{Path: "/a", Gone: true}
		synctest.Wait()
		if got := h.has(); len(got) != 0 {
			t.Errorf("%q", got)
		}
		follow([]string{"/a", "/a/b"}, false, "/a", "/a/b")
	})
}

// TestSystem: what this system tells of files that are written, renamed over and removed, and of folders
// that are moved.
func TestSystem(t *testing.T) {
	dir := t.TempDir()
	sub := filepath.Join(dir, "sub")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(sub, 0o700))
	w, err := watch.New(watch.Options{Quiet: 20 * time.Millisecond})
	must(err)
	defer w.Close()
	follow := func() {
		t.Helper()
		folders := []watch.Folder{{Path: dir}}
		if _, err := os.Stat(sub); err == nil {
			folders = append(folders, watch.Folder{Path: sub})
		}
		w.Follow(folders)
	}
	look := func(what string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		if reason, err := w.Wait(ctx, time.Hour); err != nil || reason != watch.Changed {
			t.Fatalf("%s: %q, %v", what, reason, err)
		}
		follow()
	}
	follow()
	look("new folders")
	file := filepath.Join(sub, "a.md")
	for _, step := range []struct {
		what string
		do   func() error
	}{
		{"written", func() error { return os.WriteFile(file, []byte("a"), 0o600) }},
		{"renamed over", func() error {
			return errors.Join(os.WriteFile(file+"~", []byte("b"), 0o600), os.Rename(file+"~", file))
		}},
		{"moved folder", func() error { return os.Rename(sub, filepath.Join(t.TempDir(), "away")) }},
		{"folder of the same name", func() error { return os.Mkdir(sub, 0o700) }},
		{"in the new folder", func() error { return os.WriteFile(file, []byte("c"), 0o600) }},
		{"removed", func() error { return os.Remove(file) }},
	} {
		must(step.do())
		look(step.what)
		for { // until nothing of that step is left to tell
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			_, err := w.Wait(ctx, time.Hour)
			cancel()
			if err != nil {
				break
			}
			follow()
		}
	}
}
