package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
)

const line = `{"source_kind":"chat","source_id":"slack:#eng","owner":"","tags":[],"payload":{"platform":"slack","channel_label":"#eng","messages":[{"author":"Ada","timestamp":1714554000000,"text":"shipping today"}]}}` + "\n"

var notes = map[string]string{
	"a.md":             "# Plan\n\nBuy paint with Bob.\n",
	"log.txt":          "first line\nsecond line\n",
	"sub/deep/c.md":    "Deep note about mortar.\n",
	"export.jsonl":     line,
	"empty.md":         "",
	"blank.txt":        " \n\n \n",
	"picture.png":      "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
	"not really.md":    "\x00\x01\x02\x03binary\x00\x00",
	".hidden.md":       "hidden",
	".obsidian/app.md": "settings",
	".env":             "TOKEN=x",
	"server.pem":       "-----BEGIN CERTIFICATE-----",
	"mykey.txt":        "-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n",
}

func TestFolder(t *testing.T) {
	dir, s := folder(t, "home", notes), open(t)
	sum := run(t, ingest.Options{Store: s}, dir)
	if diff := cmp.Diff([]string{
		"notes:home a.md: # Plan Buy",
		"notes:home log.txt: first line second",
		"notes:home sub/deep/c.md: Deep note about",
		"slack:#eng : Ada: shipping today",
	}, refs(t, s)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[string]string{
		"a.md": "ok", "log.txt": "ok", "sub/deep/c.md": "ok", "export.jsonl": "ok",
		"empty.md":      "no_text: empty file",
		"blank.txt":     "no_text: there is no text in it",
		"picture.png":   "skipped: a picture is not a kind of file that is taken in",
		"not really.md": "skipped: named like text, but its content is binary",
		".hidden.md":    "skipped: hidden file",
		".obsidian":     "skipped: hidden folder",
		".env":          "skipped: looks like a file of secrets",
		"server.pem":    "skipped: looks like a file of secrets",
		"mykey.txt":     "skipped: holds a private key",
	}, outcomes(t, s, dir)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(map[doc.Outcome]int{doc.OK: 4, doc.NoText: 2, doc.Skipped: 7}, sum.Outcomes); diff != "" {
		t.Error(diff)
	}
	if sum.Added != 4 || sum.Chunks != 4 || !sum.Complete() || len(sum.Problems) != 9 {
		t.Errorf("summary = %+v", sum)
	}
}

func TestSecondRunDoesNothing(t *testing.T) {
	dir, s := folder(t, "home", notes), open(t)
	first := run(t, ingest.Options{Store: s}, dir)
	before := dump(t, s)
	again := run(t, ingest.Options{Store: s, FS: fsys{open: map[string]error{"a.md": errors.New("must not be opened")}}}, dir)
	if again.Files != first.Files || again.Unchanged != first.Files || again.Added+again.Replaced+again.Same+again.Removed != 0 {
		t.Errorf("second run: %+v", again)
	}
	if diff := cmp.Diff(first.Outcomes, again.Outcomes); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Error(diff)
	}
	t.Run("also when a file was only touched", func(t *testing.T) {
		must(t, os.Chtimes(filepath.Join(dir, "a.md"), when, when.Add(time.Hour)))
		sum := run(t, ingest.Options{Store: s, Formats: undated(ingest.Formats(ingest.DefaultLimits()))}, dir)
		if sum.Same != 1 || sum.Added+sum.Replaced+sum.Removed != 0 {
			t.Errorf("touched: %+v", sum)
		}
		if diff := cmp.Diff(before, dump(t, s)); diff != "" {
			t.Error(diff)
		}
	})
}

// undated makes readers give the time of the test to what has no other time, as the time of a file
// is part of what a plain note says.
func undated(fs []ingest.Format) []ingest.Format {
	for i := range fs {
		fs[i].Reader = undatedReader{fs[i].Reader}
	}
	return fs
}

type undatedReader struct{ doc.Reader }

func (r undatedReader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	copied := *in
	copied.ModTime = when
	return r.Reader.Read(ctx, &copied, emit)
}

func TestChangedRemovedRenamed(t *testing.T) {
	dir, s := folder(t, "home", map[string]string{"a.md": "Alpha.\n", "b.md": "Beta.\n", "sub/c.md": "Gamma.\n", "sub/d.md": "Delta.\n"}), open(t)
	run(t, ingest.Options{Store: s}, dir)
	write(t, dir, map[string]string{"a.md": "Alpha two.\n"})
	must(t, os.Remove(filepath.Join(dir, "b.md")))
	must(t, os.Rename(filepath.Join(dir, "sub/c.md"), filepath.Join(dir, "sub/e.md")))
	sum := run(t, ingest.Options{Store: s}, dir)
	if diff := cmp.Diff([]string{"notes:home a.md: Alpha two.", "notes:home sub/d.md: Delta.", "notes:home sub/e.md: Gamma."}, refs(t, s)); diff != "" {
		t.Error(diff)
	}
	if sum.Replaced != 2 || sum.Added != 0 || sum.Removed != 1 || sum.Moved != 1 || sum.Gone != 1 || sum.Unchanged != 1 {
		t.Errorf("summary = %+v", sum)
	}
	t.Run("a folder that is gone", func(t *testing.T) {
		must(t, os.RemoveAll(filepath.Join(dir, "sub")))
		if sum := run(t, ingest.Options{Store: s}, dir); sum.Removed != 2 {
			t.Errorf("summary = %+v", sum)
		}
	})
	t.Run("a file that became empty", func(t *testing.T) {
		write(t, dir, map[string]string{"a.md": "", "z.md": "Omega."})
		run(t, ingest.Options{Store: s}, dir)
		if diff := cmp.Diff([]string{"notes:home z.md: Omega."}, refs(t, s)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a file that became secret", func(t *testing.T) {
		must(t, os.Rename(filepath.Join(dir, "z.md"), filepath.Join(dir, ".z.md")))
		run(t, ingest.Options{Store: s}, dir)
		// a.md is still there, so that the folder is not taken for an unmounted one.
		if got := refs(t, s); len(got) != 0 {
			t.Error(got)
		}
	})
}

func TestUncertainAbsenceRemovesNothing(t *testing.T) {
	files := map[string]string{"a.md": "Alpha.\n", "sub/b.md": "Beta.\n", "sub/deep/c.md": "Gamma.\n"}
	all := []string{"notes:home a.md: Alpha.", "notes:home sub/b.md: Beta.", "notes:home sub/deep/c.md: Gamma."}
	t.Run("a folder that cannot be listed", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s}, dir)
		sum := run(t, ingest.Options{Store: s, FS: fsys{readDir: map[string]error{"sub": &fs.PathError{Op: "open", Path: "sub", Err: fs.ErrPermission}}}}, dir)
		if diff := cmp.Diff(all, refs(t, s)); diff != "" {
			t.Error(diff)
		}
		if sum.Outcomes[doc.Failed] != 1 || sum.Problems[0].Reason != "folder: permission denied" || len(sum.Notes) != 1 {
			t.Errorf("summary = %+v", sum)
		}
	})
	t.Run("the folder itself cannot be listed", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s}, dir)
		run(t, ingest.Options{Store: s, FS: fsys{readDir: map[string]error{"home": fs.ErrPermission}}}, dir)
		if diff := cmp.Diff(all, refs(t, s)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("an unmounted folder", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s}, dir)
		must(t, os.RemoveAll(dir))
		write(t, dir, map[string]string{".mountpoint": ""})
		sum := run(t, ingest.Options{Store: s}, dir)
		if diff := cmp.Diff(all, refs(t, s)); diff != "" {
			t.Error(diff)
		}
		if len(sum.Notes) != 1 || !strings.Contains(sum.Notes[0], "is empty now") {
			t.Errorf("notes = %q", sum.Notes)
		}
	})
	t.Run("a folder that is not there", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s}, dir)
		must(t, os.RemoveAll(dir))
		sum := run(t, ingest.Options{Store: s}, dir)
		if diff := cmp.Diff(all, refs(t, s)); diff != "" {
			t.Error(diff)
		}
		if sum.Outcomes[doc.Failed] != 1 || len(sum.Notes) != 1 {
			t.Errorf("summary = %+v", sum)
		}
	})
	t.Run("a file that cannot be read any more", func(t *testing.T) {
		dir, s := folder(t, "home", files), open(t)
		run(t, ingest.Options{Store: s}, dir)
		write(t, dir, map[string]string{"a.md": "Alpha two.\n"})
		broken := fsys{open: map[string]error{"a.md": &fs.PathError{Op: "open", Err: fs.ErrPermission}}}
		sum := run(t, ingest.Options{Store: s, FS: broken}, dir)
		if diff := cmp.Diff(all, refs(t, s)); diff != "" {
			t.Error(diff)
		}
		if sum.Outcomes[doc.Failed] != 1 {
			t.Errorf("summary = %+v", sum)
		}
		// It is tried again, though nothing about it has changed.
		if sum := run(t, ingest.Options{Store: s}, dir); sum.Replaced != 1 || sum.Outcomes[doc.Failed] != 0 {
			t.Errorf("summary = %+v", sum)
		}
	})
}

func TestRefreshOfAPart(t *testing.T) {
	dir, s := folder(t, "home", map[string]string{"a.md": "Alpha.\n", "sub/b.md": "Beta.\n", "sub/c.md": "Gamma.\n"}), open(t)
	run(t, ingest.Options{Store: s}, dir)
	before := dump(t, s)
	run(t, ingest.Options{Store: s}, filepath.Join(dir, "sub"), filepath.Join(dir, "sub", "b.md"), dir+"/sub")
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Error(diff)
	}
	must(t, os.Remove(filepath.Join(dir, "a.md")))
	must(t, os.Remove(filepath.Join(dir, "sub", "b.md")))
	run(t, ingest.Options{Store: s}, filepath.Join(dir, "sub"))
	if diff := cmp.Diff([]string{"notes:home a.md: Alpha.", "notes:home sub/c.md: Gamma."}, refs(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestPathsGivenTwice(t *testing.T) {
	dir, s := folder(t, "home", map[string]string{"a.md": "Alpha.\n", "sub/b.md": "Beta.\n"}), open(t)
	sum := run(t, ingest.Options{Store: s}, dir, dir+"/", filepath.Join(dir, "sub"), filepath.Join(dir, "sub", "..", "a.md"))
	if sum.Files != 2 || sum.Added != 2 {
		t.Errorf("summary = %+v", sum)
	}
}

func TestDryRun(t *testing.T) {
	dir, s := folder(t, "home", notes), open(t)
	before := dump(t, s)
	sum := run(t, ingest.Options{Store: s, DryRun: true}, dir)
	if sum.Added != 4 || sum.Chunks != 4 || sum.Outcomes[doc.OK] != 4 {
		t.Errorf("summary = %+v", sum)
	}
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Error(diff)
	}
	if without := run(t, ingest.Options{DryRun: true}, dir); without.Added != 4 {
		t.Errorf("without a store: %+v", without)
	}
	if _, err := ingest.Run(t.Context(), ingest.Options{}, []string{dir}); err == nil {
		t.Error("a run without a store must fail")
	}
}

func TestForgetThenIngestBringsBack(t *testing.T) {
	dir, s := folder(t, "home", notes), open(t)
	run(t, ingest.Options{Store: s}, dir)
	before := dump(t, s)
	must(t, s.Update(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.ForgetSource("notes:home")
		return err
	}))
	must(t, s.Finish(t.Context()))
	if diff := cmp.Diff([]string{"slack:#eng : Ada: shipping today"}, refs(t, s)); diff != "" {
		t.Error(diff)
	}
	run(t, ingest.Options{Store: s}, dir)
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Error(diff)
	}
}

func TestProgress(t *testing.T) {
	dir, s := folder(t, "home", notes), open(t)
	var events []ingest.Event
	sum := run(t, ingest.Options{Store: s, Workers: 1, Progress: func(e ingest.Event) { events = append(events, e) }}, dir)
	var stages []ingest.Stage
	problems := 0
	for _, e := range events {
		if !slices.Contains(stages, e.Stage) {
			stages = append(stages, e.Stage)
		}
		if e.File != nil {
			problems++
		}
	}
	if diff := cmp.Diff([]ingest.Stage{ingest.Scanning, ingest.Reading, ingest.Finishing}, stages); diff != "" {
		t.Error(diff)
	}
	last := events[len(events)-1]
	if last.Files != sum.Files || last.FilesDone != sum.Files || last.Documents != 4 || last.Chunks != 4 || problems != 9 {
		t.Errorf("last event = %+v, %d problems", last, problems)
	}
}

func TestInterruptedByContext(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("n%03d.md", i)] = fmt.Sprintf("Note %d about mortar.\n", i)
	}
	dir, s := folder(t, "home", files), open(t)
	limits := ingest.DefaultLimits()
	limits.BatchChunks = 10
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := 0
	_, err := ingest.Run(ctx, ingest.Options{Store: s, Limits: limits, Now: clock(), Progress: func(e ingest.Event) {
		if done = e.FilesDone; done > 100 {
			cancel()
		}
	}}, []string{dir})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("err = %v", err)
	}
	st, err := s.Stats(t.Context())
	must(t, err)
	if st.Documents == 0 || st.Documents >= 300 {
		t.Errorf("%d documents after an interruption", st.Documents)
	}
	run(t, ingest.Options{Store: s}, dir)
	fresh := open(t)
	run(t, ingest.Options{Store: fresh}, dir)
	if diff := cmp.Diff(dump(t, fresh), dump(t, s)); diff != "" {
		t.Error(diff)
	}
}

// clock returns a clock on which a second passes at every look, so that progress is told each time.
func clock() func() time.Time {
	ticks := make(chan time.Time, 1)
	ticks <- when
	return func() time.Time {
		now := (<-ticks).Add(150 * time.Millisecond)
		ticks <- now
		return now
	}
}

func TestMain(m *testing.M) {
	if path := os.Getenv("INGEST_TEST_SEAL"); path != "" {
		sealChild(path)
	}
	if path := os.Getenv("INGEST_TEST_EMBED"); path != "" {
		embedChild(path)
	}
	if dir := os.Getenv("INGEST_TEST_CHILD"); dir != "" {
		child(dir)
	}
	goleak.VerifyTestMain(m)
}
