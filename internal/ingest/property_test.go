package ingest_test

import (
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
		shared := false
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
			if shared {
				// A mail that lost the file it counted to has moved to another file's source; that
				// file is read once more, by the next run, for its own references and tags.
				run(t, o, base)
			}
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

// whole dumps a store without sources that hold nothing now.
func whole(t *testing.T, s *store.Store) []string {
	return slices.DeleteFunc(dump(t, s), func(l string) bool {
		return strings.HasPrefix(l, "source ") && strings.Contains(l, " 0 ")
	})
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
