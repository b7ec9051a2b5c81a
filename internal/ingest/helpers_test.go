package ingest_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// tb is what helpers need of a test or of a check of rapid.
type tb interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
	Errorf(string, ...any)
}

// when is the time that all test files carry: long ago, so that no run takes them for just written.
var when = time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)

// write makes files (and their folders) below dir. A name that ends in / is a folder.
func write(t tb, dir string, files map[string]string) {
	t.Helper()
	for name, body := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if strings.HasSuffix(name, "/") {
			must(t, os.MkdirAll(path, 0o700))
			continue
		}
		must(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must(t, os.WriteFile(path, []byte(body), 0o600))
		must(t, os.Chtimes(path, when, when))
	}
}

func must(t tb, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// folder returns a new folder with the given name and files.
func folder(t *testing.T, name string, files map[string]string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	dir := filepath.Join(base, name)
	must(t, os.MkdirAll(dir, 0o700))
	write(t, dir, files)
	return dir
}

func open(t *testing.T) *store.Store {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "memory.db"))
}

func openAt(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: path})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// run ingests and checks that the counts add up.
func run(t *testing.T, o ingest.Options, paths ...string) ingest.Summary {
	t.Helper()
	sum, err := ingest.Run(t.Context(), o, paths)
	must(t, err)
	addsUp(t, sum)
	return sum
}

func addsUp(t tb, sum ingest.Summary) {
	t.Helper()
	n := 0
	for _, c := range sum.Outcomes {
		n += c
	}
	if n != sum.Files {
		t.Errorf("%d files, but outcomes %v", sum.Files, sum.Outcomes)
	}
}

// dump lists everything that readers of a store can see, one line each.
func dump(t *testing.T, s *store.Store) []string {
	t.Helper()
	var out []string
	for offset := 0; ; {
		page, total, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 500, Offset: offset})
		must(t, err)
		for _, c := range page {
			d, err := s.Chunk(t.Context(), c.ChunkID, nil)
			must(t, err)
			var es []string
			for _, e := range d.Entities {
				es = append(es, e.EntityID)
			}
			slices.Sort(es)
			out = append(out, fmt.Sprintf("chunk %s %s %s %q %q %q %d %d %q %v prev=%s next=%s", c.ChunkID, c.SourceID, c.SourceRef, c.Title, c.Author, c.Context,
				c.TimestampMS, c.TokenCount, c.Content, es, d.PrevChunkID, d.NextChunkID))
		}
		if offset += len(page); offset >= total || len(page) == 0 {
			break
		}
	}
	sources, err := s.Sources(t.Context(), nil)
	must(t, err)
	for _, x := range sources {
		out = append(out, fmt.Sprintf("source %s %s %d %d", x.SourceID, x.Kind, x.ChunkCount, x.MostRecentMS))
	}
	top, err := s.TopEntities(t.Context(), "", 50, nil)
	must(t, err)
	for _, e := range top {
		out = append(out, fmt.Sprintf("entity %s %s %d", e.EntityID, e.Surface, e.Count))
	}
	files, err := s.Files(t.Context(), "")
	must(t, err)
	for _, f := range files {
		out = append(out, fmt.Sprintf("file %s %s complete=%v %s %q documents=%d", f.Path, f.Root, f.Complete, f.Outcome, f.Reason, f.Documents))
	}
	slices.Sort(out)
	return out
}

// refs lists "source ref: first words" of every chunk.
func refs(t *testing.T, s *store.Store) []string {
	t.Helper()
	page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 1000})
	must(t, err)
	var out []string
	for _, c := range page {
		out = append(out, fmt.Sprintf("%s %s: %s", c.SourceID, c.SourceRef, firstWords(c.Content)))
	}
	slices.Sort(out)
	return out
}

func firstWords(s string) string {
	f := strings.Fields(s)
	return strings.Join(f[:min(len(f), 3)], " ")
}

// outcomes lists what the store says about every file, by its path below dir.
func outcomes(t *testing.T, s *store.Store, dir string) map[string]string {
	t.Helper()
	files, err := s.Files(t.Context(), "")
	must(t, err)
	out := map[string]string{}
	for _, f := range files {
		name := strings.TrimPrefix(f.Path, filepath.ToSlash(dir)+"/")
		out[name] = strings.TrimSuffix(cmp.Or(f.Outcome+": "+f.Reason), ": ")
	}
	return out
}

// fsys is a file system that tests can break.
type fsys struct {
	ingest.OS
	readDir map[string]error // by base name
	open    map[string]error
	device  map[string]uint64
}

func (f fsys) Device(info os.FileInfo) (uint64, bool) { return f.device[info.Name()], true }

func (f fsys) ReadDir(path string) ([]os.DirEntry, error) {
	if err := f.readDir[filepath.Base(path)]; err != nil {
		return nil, err
	}
	return f.OS.ReadDir(path)
}

func (f fsys) Open(path string) (doc.File, error) {
	if err := f.open[filepath.Base(path)]; err != nil {
		return nil, err
	}
	return f.OS.Open(path)
}
