package ingest_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/ingest"
)

// TestPropertyArchivesAreFolders makes trees at random. As a folder and in an archive, the store
// holds the same texts and outcomes, and an archive that was changed gives what one run over it gives.
func TestPropertyArchivesAreFolders(t *testing.T) {
	names := rapid.SampledFrom([]string{
		"a.md", "b.txt", "sub/other.md", "sub/.hidden.md", "sub/deep/n.md", "box.mbox", "in/Other.mbox", "talk.txt", ".env", ".gitignore", "sub/.gitignore",
		"node_modules/x.md", "m/cur/1", "m/new/2", "m/tmp/3", "x.bin", "Yahoo!/y.md",
	})
	bodies := rapid.SampledFrom([]string{
		"", "Alpha @bob.\n", "# H\n\nBeta about #tag.\n", "MBOX\n1 one\n2 two", "MBOX\n2 two\n3 three", "MAIL\n9 nine", "CHAT\n1 hello", "*.md\n", "sub/\n!n.md\n", "\x00\x00binary",
	})
	trees := rapid.MapOfN(names, bodies, 1, 9)
	dirs := 0
	rapid.Check(t, func(rt *rapid.T) {
		dirs++
		first, second := trees.Draw(rt, "tree"), trees.Draw(rt, "changed tree")
		base := folder(t, fmt.Sprint("p", dirs), nil)
		home := filepath.Join(base, "f", "home")
		write(rt, home, second)
		o := ingest.Options{Formats: formats(), Limits: ingest.DefaultLimits(), Workers: rapid.IntRange(1, 3).Draw(rt, "workers")}
		o.Limits.BatchChunks = rapid.IntRange(1, 6).Draw(rt, "batch")
		o.Limits.Archive.Memory = rapid.SampledFrom([]int64{4, 1 << 20}).Draw(rt, "memory")
		s := open(t)
		o.Store = s
		run(t, o, home)
		wantChunks, wantFiles := same(t, s, home)
		must(rt, s.Close())
		name := rapid.SampledFrom(slices.Sorted(maps.Keys(packs))).Draw(rt, "kind")
		pack := packs[name]
		dir := filepath.Join(base, name)
		path := filepath.Join(dir, "home."+name)
		write(rt, dir, map[string]string{"home." + name: pack(rt, first)})
		s = open(t)
		o.Store = s
		run(t, o, dir)
		write(rt, dir, map[string]string{"home." + name: pack(rt, second)})
		must(rt, os.Chtimes(path, when.Add(time.Minute), when.Add(time.Minute)))
		run(t, o, dir)
		chunks, files := same(t, s, path)
		if d := cmp.Diff(wantChunks, chunks); d != "" {
			rt.Fatalf("%s: %s", name, d)
		}
		if d := cmp.Diff(wantFiles, files); d != "" {
			rt.Fatalf("%s: %s", name, d)
		}
		if again := run(t, o, dir); again.Unchanged != again.Files {
			rt.Fatalf("%s: a second run is not idle: %+v", name, again)
		}
		must(rt, s.Close())
	})
}
