package ingest_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// held is what matters of a chunk when its file moves: its id, its row and how many vectors it has.
func held(t tb, s *store.Store, ids map[string]string) {
	t.Helper()
	page, _, err := s.ListChunks(context.Background(), store.ListQuery{Limit: 1000})
	must(t, err)
	clear(ids)
	for _, c := range page {
		if was, twice := ids[c.Content]; twice {
			t.Fatalf("%q is there twice: %s", c.Content, was)
		}
		ids[c.Content] = fmt.Sprintf("%s %d", c.ChunkID, c.RowID)
	}
}

// TestPropertyMovesKeepIDs moves files and folders at random, sometimes with other files put into their
// places, and has every text keep its id and its row.
func TestPropertyMovesKeepIDs(t *testing.T) {
	dirs := 0
	rapid.Check(t, func(rt *rapid.T) {
		dirs++
		base := filepath.Join(folder(t, fmt.Sprint("m", dirs), nil), "home")
		files := []string{"a.md", "b.md", "sub/a.md", "sub/deep/c.md", "box.mbox", "talk.txt"}
		texts := 0
		put := func(name string) {
			texts++
			body := fmt.Sprintf("Text number %03d.", texts)
			switch filepath.Ext(name) {
			case ".mbox":
				body = "MBOX\n" + fmt.Sprintf("%d %s", texts, body)
			case ".txt":
				body = "CHAT\n1 " + body
			}
			path := filepath.Join(base, filepath.FromSlash(name))
			must(rt, os.MkdirAll(filepath.Dir(path), 0o700))
			must(rt, os.WriteFile(path, []byte(body), 0o600))
			at := when.Add(time.Duration(texts) * time.Second)
			if rapid.Bool().Draw(rt, "same time") {
				at = when // as files have that were unpacked together
			}
			must(rt, os.Chtimes(path, at, at))
		}
		for _, f := range files {
			put(f)
		}
		must(rt, os.WriteFile(filepath.Join(base, "stays.md"), []byte("It stays."), 0o600))
		s := open(t)
		defer s.Close()
		o := ingest.Options{Store: s, Formats: formats(), Limits: ingest.DefaultLimits(), Workers: 2}
		o.Limits.BatchChunks = rapid.IntRange(1, 5).Draw(rt, "batch")
		run(t, o, base)
		ids, next := map[string]string{}, map[string]string{}
		held(rt, s, ids)
		for range rapid.IntRange(1, 4).Draw(rt, "steps") {
			moved, vacated := map[string]bool{}, map[string]bool{}
			for n := range rapid.IntRange(1, 3).Draw(rt, "moves") {
				from := rapid.SampledFrom(files).Draw(rt, "from")
				to := rapid.SampledFrom([]string{"x/", "sub/", "", "y/z/"}).Draw(rt, "to") + fmt.Sprintf("n%d-", n) + filepath.Base(from)
				a, b := filepath.Join(base, filepath.FromSlash(from)), filepath.Join(base, filepath.FromSlash(to))
				// A file that takes the place of one that moves in the same moment is that one, changed.
				if _, err := os.Stat(b); err == nil || moved[from] || vacated[to] {
					continue
				}
				must(rt, os.MkdirAll(filepath.Dir(b), 0o700))
				must(rt, os.Rename(a, b))
				files[slices.Index(files, from)] = to
				moved[to], vacated[from] = true, true
			}
			sum := run(t, o, base)
			if sum.Moved != len(moved) || sum.Added+sum.Removed+sum.Gone != 0 {
				rt.Fatalf("%d moved: %+v", len(moved), sum)
			}
			held(rt, s, next)
			if diff := cmp.Diff(ids, next); diff != "" {
				rt.Fatalf("not the same: %s", diff)
			}
			if again := run(t, o, base); again.Unchanged != again.Files || again.Moved != 0 {
				rt.Fatalf("a second run is not idle: %+v", again)
			}
			// Another file comes to where one was.
			if name := rapid.SampledFrom([]string{"a.md", "sub/a.md", "box.mbox", "talk.txt"}).Draw(rt, "new"); !slices.Contains(files, name) {
				put(name)
				files = append(files, name)
				if sum := run(t, o, base); sum.Added != 1 || sum.Replaced+sum.Removed != 0 {
					rt.Fatalf("a new file is not one: %+v", sum)
				}
				was := ids
				ids = map[string]string{}
				held(rt, s, ids)
				for text, id := range was {
					if ids[text] != id {
						rt.Fatalf("%q was %s and is %s", text, id, ids[text])
					}
				}
			}
			// What is changed where it is now stays the same document.
			found := refs(t, s)
			for _, f := range files {
				if !slices.ContainsFunc(found, func(r string) bool { return strings.Contains(r, f) }) && filepath.Ext(f) == ".md" {
					rt.Fatalf("nothing leads to %s: %q", f, found)
				}
			}
		}
	})
}

// TestMoves: a folder that is moved whole, a file that is moved away and back, a copy.
func TestMoves(t *testing.T) {
	dir := folder(t, "home", map[string]string{"old/a.md": "A.", "old/b/c.md": "C.", "keep.md": "Keep."})
	s := open(t)
	o := ingest.Options{Store: s, Formats: formats()}
	run(t, o, dir)
	first, now := map[string]string{}, map[string]string{}
	held(t, s, first)
	before := dump(t, s)
	rename := func(from, to string) {
		t.Helper()
		must(t, os.Rename(filepath.Join(dir, from), filepath.Join(dir, to)))
	}
	rename("old", "new")
	dry := o
	dry.DryRun = true
	if sum := run(t, dry, dir); sum.Moved != 2 || sum.Gone != 0 {
		t.Errorf("%+v", sum)
	}
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Errorf("a dry run changes something: %s", diff)
	}
	if sum := run(t, o, dir); sum.Moved != 2 || sum.Added+sum.Removed+sum.Gone != 0 {
		t.Errorf("%+v", sum)
	}
	held(t, s, now)
	if diff := cmp.Diff(first, now); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(refs(t, s), "\n"); !strings.Contains(got, "new/b/c.md: C.") || strings.Contains(got, "old/") {
		t.Error(got)
	}
	rename("new", "old")
	run(t, o, dir)
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Errorf("moved and back: %s", diff)
	}
	// A copy is another file, whatever becomes of the first later.
	must(t, os.WriteFile(filepath.Join(dir, "copy.md"), []byte("A."), 0o600))
	must(t, os.Chtimes(filepath.Join(dir, "copy.md"), when, when))
	if sum := run(t, o, dir); sum.Moved != 0 || sum.Added != 1 {
		t.Errorf("%+v", sum)
	}
}
