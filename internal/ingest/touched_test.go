package ingest_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/ingest"
)

// TestOneChanged: a file that changed among many has its own chunks written and nothing else touched: other
// chunks keep their rows, other files the time at which they were taken in.
func TestOneChanged(t *testing.T) {
	files := map[string]string{}
	for i := range 60 {
		files[fmt.Sprintf("d%d/n%02d.md", i%4, i)] = fmt.Sprintf("Note number %d.", i)
	}
	dir, s := folder(t, "home", files), open(t)
	run(t, ingest.Options{Store: s}, dir)
	rows := map[string]string{}
	held(t, s, rows)
	taken := func() map[string]time.Time {
		out := map[string]time.Time{}
		all, err := s.Files(t.Context(), "")
		must(t, err)
		for _, f := range all {
			out[f.Path] = f.IngestedAt
		}
		return out
	}
	before := taken()
	time.Sleep(2 * time.Millisecond) // the store keeps milliseconds
	write(t, dir, map[string]string{"d1/n17.md": ""})
	write(t, dir, map[string]string{"d2/n18.md": "Note number 18, and more."})
	write(t, dir, map[string]string{"d1/n17.md": "Note number 17."}) // as it was
	sum := run(t, ingest.Options{Store: s}, dir)
	if sum.Replaced != 1 || sum.Chunks != 1 || sum.Unchanged != 59 || sum.Added+sum.Removed != 0 {
		t.Errorf("%+v", sum)
	}
	now := map[string]string{}
	held(t, s, now)
	delete(rows, "Note number 18.")
	delete(now, "Note number 18, and more.")
	if diff := cmp.Diff(rows, now); diff != "" {
		t.Error(diff)
	}
	for path, at := range taken() {
		if changed := !at.Equal(before[path]); changed != (path == filepath.ToSlash(dir)+"/d2/n18.md") {
			t.Errorf("%s: taken in at %v, before at %v", path, at, before[path])
		}
	}
}
