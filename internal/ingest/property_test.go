package ingest_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// TestPropertyRunsGiveWhatOneRunGives changes a folder at random, ingesting it after each change. The
// store must always be what a single ingest of the folder into an empty store gives, and a further
// run must change nothing.
func TestPropertyRunsGiveWhatOneRunGives(t *testing.T) {
	dirs := 0
	rapid.Check(t, func(rt *rapid.T) {
		dirs++
		base := filepath.Join(folder(t, fmt.Sprint("p", dirs), nil), "home")
		must(rt, os.Mkdir(base, 0o700))
		// One file always stays, so that the folder never looks unmounted.
		write(rt, base, map[string]string{"stays.md": "Mortar."})
		s := open(t)
		shared, moved := false, false
		o := ingest.Options{Store: s, Formats: formats(), Limits: ingest.DefaultLimits(), Workers: rapid.IntRange(1, 4).Draw(rt, "workers")}
		o.Limits.BatchChunks = rapid.IntRange(1, 6).Draw(rt, "batch")
		names := rapid.SampledFrom([]string{"a.md", "b.txt", "sub/other.md", "sub/x.jsonl", "sub/deep/n.md", "box.mbox", "Other.mbox", "talk.txt", ".env", "sub"})
		bodies := rapid.SampledFrom([]string{
			"", "Alpha @bob.\n", "# H\n\nBeta about #tag.\n", strings.Repeat("A long note about mortar. ", 200), "MBOX\n*1 one\n*2 two", "MBOX\n*2 two\n3 three", "MBOX\n4 four\n5 five", "MBOX\n5 five", "MAIL\n9 nine",
			"CHAT\n1 hello", line, line + `{"source_kind":"document","source_id":"drive:x","payload":{"title":"t","body":"Body.","modified_at":1714554000000}}` + "\n", "\x00\x00binary", line + "not json\n",
		})
		for step := range rapid.IntRange(1, 5).Draw(rt, "steps") {
			at := when.Add(time.Duration(step) * time.Minute)
			for range rapid.IntRange(1, 4).Draw(rt, "changes") {
				path := filepath.Join(base, filepath.FromSlash(names.Draw(rt, "name")))
				switch rapid.IntRange(0, 3).Draw(rt, "change") {
				case 0:
					_ = os.RemoveAll(path) // it may lie below a file
				default:
					if info, err := os.Stat(path); err == nil && info.IsDir() {
						continue
					}
					if sub := filepath.Join(base, "sub"); path != sub {
						if info, err := os.Stat(sub); err == nil && !info.IsDir() {
							must(rt, os.Remove(sub))
						}
					}
					must(rt, os.MkdirAll(filepath.Dir(path), 0o700))
					body := bodies.Draw(rt, "body")
					shared = shared || strings.Contains(body, "*")
					must(rt, os.WriteFile(path, []byte(body), 0o600))
					must(rt, os.Chtimes(path, at, at))
				}
			}
			sum := run(t, o, base)
			moved = moved || sum.Moved > 0
			again := run(t, o, base)
			if again.Added+again.Replaced+again.Removed+again.Gone != 0 {
				rt.Fatalf("a second run is not idle: %+v", again)
			}
			for outcome, n := range sum.Outcomes {
				if again.Outcomes[outcome] != n {
					rt.Fatalf("outcomes: %v then %v", sum.Outcomes, again.Outcomes)
				}
			}
		}
		fresh := open(t)
		o.Store = fresh
		run(t, o, base)
		view := whole
		if moved {
			// A file that moved keeps the ids, and a mailbox the source, that its first path gave.
			view = nameless
		}
		if shared {
			// Which of its files a shared mail counts to depends on which was there first.
			view = texts
		}
		if diff := cmp.Diff(view(t, fresh), view(t, s)); diff != "" {
			rt.Fatalf("not what one run gives: %s", diff)
		}
		must(rt, s.Close())
		must(rt, fresh.Close())
	})
}

// TestPropertyNothingIsLost has mailboxes of two folders share mails, and changes, ingests and
// forgets them at random. Whatever a file brought that was taken in and not forgotten since must be
// there, nothing else may be, and every mail must be what one of the files that hold it says.
func TestPropertyNothingIsLost(t *testing.T) {
	// What a file's source is called; every name is another.
	names := map[string]string{
		"one/a.mbox": "mail:a", "one/b.mbox": "mail:b", "one/x.eml": "mail:one", "one/n.md": "notes:one", "one/sub/c.mbox": "mail:c",
		"two/d.mbox": "mail:d", "two/e.mbox": "mail:e", "two/y.eml": "mail:two", "two/z.eml": "mail:two", "two/m.md": "notes:two",
	}
	files := slices.Sorted(maps.Keys(names)) // those that change
	names["one/stays.md"], names["two/stays.md"] = "notes:one", "notes:two"
	keys := []string{"*1", "*2", "*3", "7"}
	dirs := 0
	rapid.Check(t, func(rt *rapid.T) {
		dirs++
		base := folder(t, fmt.Sprint("p", dirs), map[string]string{"one/stays.md": "Mortar one.", "two/stays.md": "Mortar two."})
		s := open(t)
		defer s.Close()
		o := ingest.Options{Store: s, Formats: formats(), Limits: ingest.DefaultLimits(), Workers: rapid.IntRange(1, 3).Draw(rt, "workers")}
		o.Limits.BatchChunks = rapid.IntRange(1, 5).Draw(rt, "batch")
		disk, in := map[string]map[string]string{}, map[string]map[string]string{} // file to key to text
		for _, d := range []string{"one", "two"} {
			disk[d+"/stays.md"] = map[string]string{"": "Mortar " + d + "."}
		}
		check := func(after string, exact bool) {
			var got []string
			page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 1000})
			must(rt, err)
			for _, c := range page {
				got = append(got, c.SourceID+": "+c.Content)
			}
			slices.Sort(got)
			want := map[string][]string{} // item to what may stand for it
			for f, items := range in {
				for key, text := range items {
					item := f + " " + key
					if strings.HasPrefix(key, "*") {
						item = key
					}
					want[item] = append(want[item], names[f]+": "+text)
				}
			}
			for item, any := range want {
				n := 0
				for _, g := range got {
					_, text, _ := strings.Cut(g, ": ")
					// What a forgotten file gave may stand for a mail until another is read.
					mail, shared := strings.CutPrefix(item, "*")
					if slices.Contains(any, g) || !exact && shared && strings.HasPrefix(text, mail+" ") {
						n++
					}
				}
				if n != 1 {
					rt.Fatalf("after %s: %s is there %d times, one of %q wanted:\n%s", after, item, n, any, strings.Join(got, "\n"))
				}
			}
			if len(got) != len(want) {
				rt.Fatalf("after %s: %d items, want %d: %q, %v", after, len(got), len(want), got, want)
			}
		}
		take := func(paths ...string) {
			full := make([]string, len(paths))
			for i, p := range paths {
				full[i] = filepath.Join(base, filepath.FromSlash(p))
			}
			run(t, o, full...)
			for f := range names {
				if slices.ContainsFunc(paths, func(p string) bool { return f == p || strings.HasPrefix(f, p+"/") }) {
					delete(in, f)
					if items, ok := disk[f]; ok {
						in[f] = items
					}
				}
			}
			if again := run(t, o, full...); again.Added+again.Replaced+again.Removed+again.Gone+again.Same != 0 {
				rt.Fatalf("a second run on %v is not idle: %+v", paths, again)
			}
			check(fmt.Sprint("ingest ", paths), false)
		}
		change := func(step int, f string) {
			items, body := map[string]string{}, "MBOX\n"
			switch {
			case strings.HasSuffix(f, ".md"):
				body = fmt.Sprintf("Note of %d in %s", step, f)
				items[""] = body
			case strings.HasSuffix(f, ".eml"):
				body = "MAIL\n"
				fallthrough
			default:
				for _, key := range keys {
					if rapid.Bool().Draw(rt, "holds") {
						items[key] = fmt.Sprintf("%s item of %s", strings.TrimPrefix(key, "*"), f)
						body += key + " " + items[key] + "\n"
					}
				}
			}
			disk[f] = items
			write(rt, base, map[string]string{f: body})
			at := when.Add(time.Duration(step) * time.Minute)
			must(rt, os.Chtimes(filepath.Join(base, filepath.FromSlash(f)), at, at))
		}
		for _, f := range files {
			if rapid.Bool().Draw(rt, "is there") {
				change(0, f)
			}
		}
		take("one", "two")
		for step := range rapid.IntRange(2, 9).Draw(rt, "steps") {
			switch rapid.IntRange(0, 6).Draw(rt, "step") {
			case 0:
				f := rapid.SampledFrom(files).Draw(rt, "gone")
				delete(disk, f)
				_ = os.Remove(filepath.Join(base, filepath.FromSlash(f)))
			case 1:
				change(step+1, rapid.SampledFrom(files).Draw(rt, "file"))
			case 2, 3:
				d := rapid.SampledFrom([]string{"one", "two", "one/sub"}).Draw(rt, "folder")
				if d == "one/sub" && disk["one/sub/c.mbox"] == nil { // it looks like a disk that is not mounted
					continue
				}
				take(d)
			case 4:
				take("one", "two")
				check("ingesting everything", true)
			default:
				id := names[rapid.SampledFrom(slices.Sorted(maps.Keys(disk))).Draw(rt, "of")]
				err := s.Update(t.Context(), func(tx *store.Tx) error { _, _, err := tx.ForgetSource(id); return err })
				if err != nil && fault.CodeOf(err) != fault.NotFound {
					rt.Fatal(err)
				}
				must(rt, s.Finish(t.Context()))
				maps.DeleteFunc(in, func(f string, _ map[string]string) bool { return names[f] == id })
				check("forgetting "+id, false)
			}
		}
		take("one", "two")
		check("ingesting everything at the end", true)
		fresh := open(t)
		o.Store = fresh
		run(t, o, filepath.Join(base, "one"), filepath.Join(base, "two"))
		if a, b := len(texts(t, fresh)), len(texts(t, s)); a != b {
			rt.Fatalf("%d items, one run gives %d", b, a)
		}
		must(rt, fresh.Close())
	})
}

// whole dumps a store without sources that hold nothing now.
func whole(t *testing.T, s *store.Store) []string {
	return slices.DeleteFunc(dump(t, s), func(l string) bool {
		return strings.HasPrefix(l, "source ") && strings.Contains(l, " 0 ")
	})
}

// nameless is whole without ids and without the names of mailboxes.
func nameless(t *testing.T, s *store.Store) []string {
	out := whole(t, s)
	for i, l := range out {
		out[i] = regexp.MustCompile(`\b[0-9a-f]{32}\b`).ReplaceAllString(l, "<id>")
		out[i] = regexp.MustCompile(`\bmail:[\w-]+`).ReplaceAllString(out[i], "mail:<name>")
	}
	slices.Sort(out)
	return out
}

// texts lists what all chunks say.
func texts(t *testing.T, s *store.Store) []string {
	page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 1000})
	must(t, err)
	var out []string
	for _, c := range page {
		out = append(out, c.Content)
	}
	slices.Sort(out)
	return out
}
