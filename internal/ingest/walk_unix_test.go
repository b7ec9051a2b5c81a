//go:build unix

package ingest_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
)

func TestOddThingsInAFolder(t *testing.T) {
	dir, s := folder(t, "home", map[string]string{"a.md": "Alpha.", "sub/b.md": "Beta."}), open(t)
	outside := folder(t, "elsewhere", map[string]string{"secret.md": "Omega.", "more/x.md": "Psi."})
	for name, to := range map[string]string{
		"loop": "loop", "sub/up": "..", "inside.md": "a.md", "outside.md": filepath.Join(outside, "secret.md"),
		"outdir": outside, "broken.md": "nowhere.md", "sub/relative.md": "../../elsewhere/secret.md",
	} {
		must(t, os.Symlink(to, filepath.Join(dir, name)))
	}
	must(t, syscall.Mkfifo(filepath.Join(dir, "pipe.md"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "caf\xe9.md"), []byte("Latin name."), 0o600))
	run(t, ingest.Options{Store: s}, dir)
	if diff := cmp.Diff(map[string]string{
		"a.md": "ok", "sub/b.md": "ok", "caf%E9.md": "ok",
		"loop":            "skipped: symbolic link that leads to itself",
		"sub/up":          "skipped: symbolic link; what it leads to is taken in where it stands",
		"inside.md":       "skipped: symbolic link; what it leads to is taken in where it stands",
		"outside.md":      "skipped: symbolic link to a path outside the folder",
		"outdir":          "skipped: symbolic link to a path outside the folder",
		"sub/relative.md": "skipped: symbolic link that leads nowhere",
		"broken.md":       "skipped: symbolic link that leads nowhere",
		"pipe.md":         "skipped: not a regular file",
	}, outcomes(t, s, dir)); diff != "" {
		t.Error(diff)
	}
	if got := refs(t, s); len(got) != 3 {
		t.Errorf("taken in: %q", got)
	}
	t.Run("a link that is given itself is followed", func(t *testing.T) {
		link, s := filepath.Join(t.TempDir(), "link"), open(t)
		must(t, os.Symlink(dir, link))
		run(t, ingest.Options{Store: s}, link)
		before := dump(t, s)
		run(t, ingest.Options{Store: s}, dir)
		if diff := cmp.Diff(before, dump(t, s)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("a pipe that is given itself is not read", func(t *testing.T) {
		sum := run(t, ingest.Options{Store: open(t)}, filepath.Join(dir, "pipe.md"))
		if sum.Files != 1 || sum.Problems[0].Reason != "not a regular file" {
			t.Errorf("summary = %+v", sum)
		}
	})
}

func TestFileThatGrowsMeanwhile(t *testing.T) {
	dir, s := folder(t, "home", map[string]string{"a.txt": "Alpha."}), open(t)
	// The walk sees the old size, the reader the new bytes.
	grown := strings.Repeat("More and more. ", 20)
	o := ingest.Options{Store: s, Progress: func(e ingest.Event) {
		if e.Stage == ingest.Scanning {
			must(t, os.WriteFile(filepath.Join(dir, "a.txt"), []byte(grown), 0o600))
		}
	}, Now: clock()}
	run(t, o, dir)
	run(t, ingest.Options{Store: s}, dir)
	if got := dump(t, s); !strings.Contains(strings.Join(got, "\n"), grown[:100]) {
		t.Errorf("the next run did not read it again: %q", got)
	}
}

func TestStoreInsideTheFolder(t *testing.T) {
	dir := folder(t, "home", map[string]string{"a.md": "Alpha."})
	for _, at := range []string{"memory.db", "brain/memory.db"} {
		s, err := store.Open(t.Context(), store.Options{Path: filepath.Join(dir, at)})
		must(t, err)
		run(t, ingest.Options{Store: s}, dir)
		for name, what := range outcomes(t, s, dir) {
			if (strings.HasPrefix(name, at) || name == "brain") && what != "skipped: belongs to the memory itself" {
				t.Errorf("%s: %s", name, what)
			}
		}
		run(t, ingest.Options{Store: s}, dir)
		must(t, s.Close())
		must(t, os.RemoveAll(filepath.Join(dir, at)))
	}
}
