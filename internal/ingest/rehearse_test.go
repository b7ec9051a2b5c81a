package ingest_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// timeless is what a run did, without how long it took.
func timeless(s ingest.Summary) ingest.Summary {
	s.Elapsed = 0
	return s
}

// onDisk is every byte of the files of a store, by name.
func onDisk(t tb, path string) map[string]string {
	t.Helper()
	out := map[string]string{}
	list, err := os.ReadDir(filepath.Dir(path))
	must(t, err)
	for _, e := range list {
		if strings.HasSuffix(e.Name(), "-shm") { // the locks of who reads
			continue
		}
		b, err := os.ReadFile(filepath.Join(filepath.Dir(path), e.Name()))
		must(t, err)
		out[e.Name()] = string(b)
	}
	return out
}

// TestPropertyDryRunTellsTheRun changes two folders at random, which share mails and overlapping chats, hold
// archives, and are moved about and forgotten. Whatever is ingested next, a dry run gives the very summary that
// the run then gives, and changes no byte of the store.
func TestPropertyDryRunTellsTheRun(t *testing.T) {
	names := rapid.SampledFrom([]string{
		"one/a.md", "one/b.mbox", "one/c.mbox", "one/sub/d.mbox", "one/sub/n.md", "one/talk.txt", "one/x.zip", "one/.gitignore", "one/sub",
		"two/a.md", "two/b.mbox", "two/e.eml", "two/talk.txt", "two/more.txt", "two/x.jsonl", "two/y.tar", "two/.env",
	})
	texts := rapid.SampledFrom([]string{
		"", "Alpha @bob.\n", "# H\n\nBeta about #tag.\n", strings.Repeat("A long note about mortar. ", 100), "MBOX\n*1 one\n*2 two", "MBOX\n*2 two\n3 three",
		"MBOX\n*1 another one\n^5 five", "MBOX\n^5 five and more", "MAIL\n*2 two", "MAIL\n9 nine\n!panic", "CHAT\n1 hello\n^day short", "CHAT\n^day a longer day", "CHAT\n^day a day", line,
		line + `{"source_kind":"document","source_id":"drive:x","payload":{"title":"t","body":"Body.","modified_at":1714554000000}}` + "\n", "\x00\x00binary", line + "not json\n", "sub/\n*.txt\n",
	})
	packed := rapid.MapOfN(rapid.SampledFrom([]string{"a.md", "in/b.mbox", "in/talk.txt", "c.eml"}), texts, 0, 3)
	where := rapid.SampledFrom([][]string{{"one", "two"}, {"one"}, {"two"}, {"one/sub"}, {"one/b.mbox"}, {"."}, {"one/x.zip", "two"}})
	dirs := 0
	rapid.Check(t, func(rt *rapid.T) {
		dirs++
		base := folder(t, fmt.Sprint("p", dirs), map[string]string{"one/stays.md": "Mortar one.", "two/stays.md": "Mortar two."})
		path := filepath.Join(folder(t, fmt.Sprint("memory", dirs), nil), "memory.db")
		s := openAt(t, path)
		defer s.Close()
		o := ingest.Options{Formats: formats(), Limits: ingest.DefaultLimits(), Workers: rapid.IntRange(1, 3).Draw(rt, "workers")}
		o.Limits.BatchChunks = rapid.IntRange(1, 6).Draw(rt, "batch")
		compare := func(step int) {
			var paths []string
			for _, p := range where.Draw(rt, "paths") {
				paths = append(paths, filepath.Join(base, filepath.FromSlash(p)))
			}
			// Every other time as the settings would have it.
			synced, rows := rapid.Bool().Draw(rt, "sync"), []ingest.Source{}
			for i, p := range paths {
				rows = append(rows, ingest.Source{Label: fmt.Sprint("row ", i), Paths: []string{p}, Tags: rapid.SampledFrom([][]string{nil, {"job"}}).Draw(rt, "tags")})
			}
			try := func(dry bool) (ingest.Summary, error) {
				o := o
				o.DryRun, o.Store = dry, s
				if dry {
					o.Store = nil
					if step > 0 || rapid.Bool().Draw(rt, "empty store") {
						reader, err := store.Open(t.Context(), store.Options{Path: path, ReadOnly: true})
						must(rt, err)
						defer reader.Close()
						o.Store = reader
					}
				}
				if synced {
					return ingest.Sync(t.Context(), o, rows)
				}
				return ingest.Run(t.Context(), o, paths)
			}
			before := onDisk(rt, path)
			want, err := try(true)
			must(rt, err)
			addsUp(rt, want)
			if diff := cmp.Diff(before, onDisk(rt, path)); diff != "" {
				rt.Fatal("a dry run changes the store")
			}
			got, err := try(false)
			must(rt, err)
			if diff := cmp.Diff(timeless(got), timeless(want)); diff != "" {
				rt.Fatalf("ingest of %v (-run +dry run):\n%s", paths, diff)
			}
		}
		compare(0)
		for step := range rapid.IntRange(1, 6).Draw(rt, "steps") {
			at := when.Add(time.Duration(step+1) * time.Minute)
			for range rapid.IntRange(0, 4).Draw(rt, "changes") {
				name := names.Draw(rt, "name")
				file := filepath.Join(base, filepath.FromSlash(name))
				switch rapid.IntRange(0, 5).Draw(rt, "change") {
				case 0:
					_ = os.RemoveAll(file) // it may lie below a file
				case 1:
					to := filepath.Join(base, filepath.FromSlash(names.Draw(rt, "to")))
					_ = os.Rename(file, to) // it may not be there
				default:
					if info, err := os.Stat(file); err == nil && info.IsDir() || os.MkdirAll(filepath.Dir(file), 0o700) != nil {
						continue
					}
					body := ""
					switch filepath.Ext(name) {
					case ".zip":
						body = zipOf(rt, packed.Draw(rt, "packed"))
					case ".tar":
						body = tarOf(rt, packed.Draw(rt, "packed"))
					default:
						body = texts.Draw(rt, "text")
					}
					must(rt, os.WriteFile(file, []byte(body), 0o600))
					must(rt, os.Chtimes(file, at, at))
				}
			}
			if rapid.IntRange(0, 4).Draw(rt, "forgets") == 0 {
				list, err := s.Sources(t.Context(), nil)
				must(rt, err)
				if len(list) > 0 {
					id := rapid.SampledFrom(list).Draw(rt, "source").SourceID
					must(rt, s.Update(t.Context(), func(tx *store.Tx) error { _, _, err := tx.ForgetSource(id); return err }))
					must(rt, s.Finish(t.Context()))
				}
			}
			compare(step + 1)
		}
	})
}

// TestDryRunCounts: what is new, changed, as it was, moved, removed, and shared, in numbers.
func TestDryRunCounts(t *testing.T) {
	long := "MBOX\n1 " + strings.Repeat("mortar ", doc.HeadSize/7) + "\n"
	dir := folder(t, "home", map[string]string{
		"same.md": "Same.", "changed.md": "Before.", "gone.md": "Gone.", "old/moved.md": "Moved.", "stays.mbox": "MBOX\n*1 shared\n2 two\n3 three",
		"tail.mbox": long + "2 two", "z.mbox": "MBOX\n*1 shared\n*4 four",
	})
	path := filepath.Join(t.TempDir(), "memory.db")
	s := openAt(t, path)
	o := ingest.Options{Store: s, Formats: formats()}
	run(t, o, dir)
	write(t, dir, map[string]string{"new.md": "New.", "changed.md": "After all.", "stays.mbox": "MBOX\n2 two\n3 thirty", "new/tail.mbox": long + "3 two"})
	for _, gone := range []string{"gone.md", "tail.mbox"} {
		must(t, os.Remove(filepath.Join(dir, gone)))
	}
	must(t, os.Rename(filepath.Join(dir, "old/moved.md"), filepath.Join(dir, "new/moved.md")))
	for _, changed := range []string{"changed.md", "stays.mbox"} {
		must(t, os.Chtimes(filepath.Join(dir, changed), when, when.Add(time.Minute)))
	}
	before := onDisk(t, path)
	dry := o
	dry.DryRun = true
	want := run(t, dry, dir)
	if diff := cmp.Diff(before, onDisk(t, path)); diff != "" {
		t.Error("a dry run changes the store")
	}
	got := run(t, o, dir)
	if diff := cmp.Diff(timeless(got), timeless(want)); diff != "" {
		t.Errorf("(-run +dry run):\n%s", diff)
	}
	// new.md and mail 3 of tail.mbox; changed.md, mail 3 of stays.mbox, moved.md, whose reference is another, and
	// the shared mail, which is now what the other mailbox says; mail 2 of stays.mbox and mail 1 of tail.mbox;
	// gone.md and mail 2 of tail.mbox.
	if want.Added != 2 || want.Replaced != 4 || want.Same != 2 || want.Removed != 2 || want.Moved != 2 || want.Gone != 1 || want.Unchanged != 1 {
		t.Errorf("%+v", want)
	}
}
