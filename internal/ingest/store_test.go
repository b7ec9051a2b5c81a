package ingest_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// TestLockedStore has another writer hold the store for longer than a run waits.
func TestLockedStore(t *testing.T) {
	dir := folder(t, "home", map[string]string{"a.md": "Alpha."})
	path := filepath.Join(t.TempDir(), "memory.db")
	other := openAt(t, path)
	s, err := store.Open(t.Context(), store.Options{Path: path, BusyWait: 50 * time.Millisecond})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	held, release := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- other.Update(t.Context(), func(*store.Tx) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	_, err = ingest.Run(t.Context(), ingest.Options{Store: s}, []string{dir})
	if fault.CodeOf(err) != fault.Conflict || fault.HintOf(err) == "" {
		t.Errorf("err = %v, hint %q", err, fault.HintOf(err))
	}
	close(release)
	must(t, <-done)
	// Once it is free the same command does it all.
	run(t, ingest.Options{Store: s}, dir)
	if diff := cmp.Diff([]string{"notes:home a.md: Alpha."}, refs(t, s)); diff != "" {
		t.Error(diff)
	}
}

// TestTwoRunsAtOnce lets two processes' worth of runs take in the same folder together.
func TestTwoRunsAtOnce(t *testing.T) {
	files := map[string]string{"box.mbox": "MBOX\n*1 one\n*2 two", "x.jsonl": line}
	for i := range 60 {
		files[string(rune('a'+i%26))+strings.Repeat("x", i)+".md"] = strings.Repeat("Mortar. ", i+1)
	}
	dir := folder(t, "home", files)
	path := filepath.Join(t.TempDir(), "memory.db")
	l := ingest.DefaultLimits()
	l.BatchChunks = 3
	errs := make(chan error, 2)
	for range 2 {
		s := openAt(t, path)
		go func() {
			_, err := ingest.Run(t.Context(), ingest.Options{Store: s, Limits: l, Formats: formats()}, []string{dir})
			errs <- err
		}()
	}
	must(t, <-errs)
	must(t, <-errs)
	fresh := open(t)
	run(t, ingest.Options{Store: fresh, Formats: formats()}, dir)
	if diff := cmp.Diff(dump(t, fresh), dump(t, openAt(t, path))); diff != "" {
		t.Error(diff)
	}
}

// TestNamesOfTwoRunsAtOnce has two runs name different folders at the same time; neither may lose
// what the other has named.
func TestNamesOfTwoRunsAtOnce(t *testing.T) {
	base := folder(t, "x", map[string]string{"one/a.md": "Alpha.", "two/b.md": "Beta.", "two/box.mbox": "MBOX\n1 first"})
	path := filepath.Join(t.TempDir(), "memory.db")
	s, inner := openAt(t, path), openAt(t, path)
	once := false
	run(t, ingest.Options{Store: s, Formats: formats(), Now: clock(), Progress: func(e ingest.Event) {
		if !once && e.Stage == ingest.Reading {
			once = true
			run(t, ingest.Options{Store: inner, Formats: formats()}, filepath.Join(base, "two"))
		}
	}}, filepath.Join(base, "one"))
	before := dump(t, s)
	run(t, ingest.Options{Store: s, Formats: formats()}, filepath.Join(base, "two"), filepath.Join(base, "one"))
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Error(diff)
	}
}
