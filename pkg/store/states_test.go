package store_test

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// raw opens the file behind the store's back.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file://"+filepath.ToSlash(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

func script(t *testing.T, path, statements string) {
	t.Helper()
	db := raw(t, path)
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// filled makes a store with one document and closes it.
func filled(t *testing.T, path string) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	storetest.Put(t, s, storetest.Doc("notes:a", "document", "a.md", storetest.Text{Content: "hello", TimeMS: 1}))
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// link makes a symbolic link.
func link(t *testing.T, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		if runtime.GOOS == "windows" {
			t.Skip("links need a privilege here")
		}
		t.Fatal(err)
	}
}

// mends are what helps against every damage.
var mends = []string{"openhuman-core doctor", "openhuman-core restore FILE", "openhuman-core ingest PATH"}

// TestBadStates: what is wrong with the file is said, with the command that mends it; and once it
// is mended, the same reader serves it.
func TestBadStates(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(t *testing.T, path string)
		code  fault.Code
		says  []string
	}{
		{"missing", func(*testing.T, string) {}, fault.Unavailable, []string{"no memory at", "openhuman-core ingest PATH"}},
		{"missing folder", func(t *testing.T, path string) {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}, fault.Unavailable, []string{"no memory at", "openhuman-core ingest PATH"}},
		{"empty file", func(t *testing.T, path string) { write(t, path, "") }, fault.Unavailable, []string{"is empty", "openhuman-core ingest PATH"}},
		{"empty database", func(t *testing.T, path string) { script(t, path, "CREATE TABLE x (y); DROP TABLE x") },
			fault.Unavailable, []string{"is empty", "openhuman-core ingest PATH"}},
		{"another program's", func(t *testing.T, path string) { script(t, path, "CREATE TABLE bookmarks (url)") },
			fault.Conflict, []string{"another program", "openhuman-core ingest PATH"}},
		{"newer", func(t *testing.T, path string) { filled(t, path); script(t, path, "PRAGMA user_version = 99") },
			fault.Conflict, []string{"newer version", "Update openhuman-core", "restore a backup"}},
		{"not a database", func(t *testing.T, path string) { write(t, path, strings.Repeat("just some text\n", 1000)) },
			fault.Unavailable, []string{"not a memory", "openhuman-core restore", "openhuman-core ingest PATH"}},
		{"a folder", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, fault.Unavailable, []string{"not a file", "openhuman-core ingest PATH"}},
		{"corrupt", func(t *testing.T, path string) {
			filled(t, path)
			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			junk := strings.Repeat("\xa5", 4096)
			fi, err := f.Stat()
			if err != nil {
				t.Fatal(err)
			}
			for at := int64(4096); at < fi.Size(); at += 4096 {
				if _, err := f.WriteAt([]byte(junk), at); err != nil {
					t.Fatal(err)
				}
			}
		}, fault.Unavailable, []string{"damaged", "openhuman-core doctor", "openhuman-core restore", "openhuman-core ingest PATH"}},
		{"cut short", func(t *testing.T, path string) {
			filled(t, path)
			if err := os.Truncate(path, 6000); err != nil {
				t.Fatal(err)
			}
		}, fault.Unavailable, []string{"damaged", "openhuman-core doctor", "openhuman-core restore", "openhuman-core ingest PATH"}},
		{"a version that there never was", func(t *testing.T, path string) { filled(t, path); script(t, path, "PRAGMA user_version = -5") },
			fault.Unavailable, append([]string{"damaged", "version -5"}, mends...)},
		{"no version", func(t *testing.T, path string) { filled(t, path); script(t, path, "PRAGMA user_version = 0") },
			fault.Unavailable, append([]string{"damaged", "version 0"}, mends...)},
		{"a table is gone", func(t *testing.T, path string) { filled(t, path); script(t, path, "DROP TABLE chunks") },
			fault.Unavailable, append([]string{"damaged", "no table chunks"}, mends...)},
		{"the index is gone", func(t *testing.T, path string) { filled(t, path); script(t, path, "DROP TABLE chunk_index") },
			fault.Unavailable, append([]string{"damaged", "no table chunk_index"}, mends...)},
		{"a column is gone", func(t *testing.T, path string) {
			filled(t, path)
			script(t, path, "ALTER TABLE chunks DROP COLUMN content")
		},
			fault.Unavailable, append([]string{"damaged", "no column chunks.content"}, mends...)},
		{"a link to nothing", func(t *testing.T, path string) {
			link(t, filepath.Join(filepath.Dir(path), "unplugged", "memory.db"), path)
		},
			fault.Unavailable, []string{"cannot be reached", "unplugged", "Connect the disk", "openhuman-core restore"}},
		{"a folder that is a link to nothing", func(t *testing.T, path string) {
			if err := os.Remove(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			link(t, filepath.Join(t.TempDir(), "unplugged"), filepath.Dir(path))
		}, fault.Unavailable, []string{"cannot be reached", "unplugged", "Connect the disk", "openhuman-core restore"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "workspace", "memory.db")
			if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			test.spoil(t, path)
			s := store.Lazy(store.Options{Path: path, ReadOnly: true})
			defer s.Close()
			for range 2 { // the second time is no different
				_, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 1})
				if got := fault.CodeOf(err); got != test.code {
					t.Fatalf("code %q of %v, want %q", got, err, test.code)
				}
				for _, want := range append(test.says, path) {
					if msg := fault.Message(err); !strings.Contains(msg, want) {
						t.Errorf("%q does not say %q", msg, want)
					}
				}
			}
			if _, err := store.Open(t.Context(), store.Options{Path: path, ReadOnly: true}); fault.CodeOf(err) != test.code {
				t.Errorf("Open: %v, want code %q", err, test.code)
			}
			if _, err := os.Stat(path); test.name == "missing" && !os.IsNotExist(err) {
				t.Errorf("reading made the file: %v", err)
			}
			// Mended, it is served.
			if _, err := os.Readlink(filepath.Dir(path)); err == nil {
				if err := os.Remove(filepath.Dir(path)); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			filled(t, path)
			if page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 1}); err != nil || len(page) != 1 {
				t.Errorf("after mending: %d rows, %v", len(page), err)
			}
		})
	}
}

// TestBadStatesForWriters: a writer refuses what is not its own to change, and says so.
func TestBadStatesForWriters(t *testing.T) {
	for _, test := range []struct {
		name  string
		spoil func(t *testing.T, path string)
		code  fault.Code
	}{
		{"another program's", func(t *testing.T, path string) { script(t, path, "CREATE TABLE bookmarks (url)") }, fault.Conflict},
		{"newer", func(t *testing.T, path string) { filled(t, path); script(t, path, "PRAGMA user_version = 99") }, fault.Conflict},
		{"not a database", func(t *testing.T, path string) { write(t, path, strings.Repeat("text\n", 1000)) }, fault.Unavailable},
		{"a version that there never was", func(t *testing.T, path string) { filled(t, path); script(t, path, "PRAGMA user_version = -5") }, fault.Unavailable},
		{"no version", func(t *testing.T, path string) { filled(t, path); script(t, path, "PRAGMA user_version = 0") }, fault.Unavailable},
		{"an older one that it is not", func(t *testing.T, path string) { filled(t, path); script(t, path, "PRAGMA user_version = 1") }, fault.Unavailable},
		{"a table is gone", func(t *testing.T, path string) { filled(t, path); script(t, path, "DROP TABLE chunks") }, fault.Unavailable},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "memory.db")
			test.spoil(t, path)
			before, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := store.Open(t.Context(), store.Options{Path: path}); fault.CodeOf(err) != test.code || fault.HintOf(err) == "" {
				t.Errorf("Open: %v, want a %s fault with a hint", err, test.code)
			}
			after, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(before) != string(after) {
				t.Error("the file was changed")
			}
		})
	}
}

// TestLinkToNothingForWriters: a memory on a disk that is not there is not begun anew elsewhere.
func TestLinkToNothingForWriters(t *testing.T) {
	dir := t.TempDir()
	gone := filepath.Join(dir, "unplugged")
	link(t, filepath.Join(gone, "memory.db"), filepath.Join(dir, "memory.db"))
	link(t, gone, filepath.Join(dir, "workspace"))
	for _, path := range []string{filepath.Join(dir, "memory.db"), filepath.Join(dir, "workspace", "memory.db"), filepath.Join(dir, "workspace", "deeper", "memory.db")} {
		_, err := store.Open(t.Context(), store.Options{Path: path})
		if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "which is not there") || !strings.Contains(fault.HintOf(err), "Connect the disk") {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := os.Lstat(gone); !os.IsNotExist(err) {
			t.Errorf("%s: something was made at the end of the link: %v", path, err)
		}
	}
}

// TestDamagedMeanwhile: what another program does to the file while it is open is told as what it is.
func TestDamagedMeanwhile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	filled(t, path)
	s := store.Lazy(store.Options{Path: path, ReadOnly: true})
	defer s.Close()
	if _, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 1}); err != nil {
		t.Fatal(err)
	}
	if gone, err := s.Missing(t.Context()); err != nil || len(gone) > 0 {
		t.Fatalf("%q is missing, %v", gone, err)
	}
	script(t, path, "DROP INDEX chunks_time; DROP INDEX chunks_source")
	if gone, err := s.Missing(t.Context()); err != nil || strings.Join(gone, ", ") != "index chunks_source, index chunks_time" {
		t.Errorf("%q is missing, %v", gone, err)
	}
	if _, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 1}); err != nil {
		t.Errorf("without an index: %v", err)
	}
	script(t, path, "DROP TABLE mentions; DROP TABLE chunks")
	for range 2 {
		_, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 1})
		if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "it has no table chunks") {
			t.Errorf("without a table: %v", err)
		}
	}
	if _, err := store.Inspect(t.Context(), path); fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "damaged") {
		t.Errorf("as a backup: %v", err)
	}
}

func TestReaderFollowsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s := store.Lazy(store.Options{Path: path, ReadOnly: true})
	defer s.Close()
	total := func() int {
		t.Helper()
		_, n, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 1})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	filled(t, path)
	if n := total(); n != 1 {
		t.Fatalf("%d chunks", n)
	}
	w := open(t, store.Options{Path: path})
	storetest.Put(t, w, storetest.Doc("notes:a", "document", "b.md", storetest.Text{Content: "b"}, storetest.Text{Content: "c"}))
	if n := total(); n != 3 {
		t.Errorf("%d chunks after a write, want 3", n)
	}
	// Replaced, as restore does it.
	other := filepath.Join(t.TempDir(), "other.db")
	filled(t, other)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" { // an open file cannot be replaced there
		return
	}
	for _, side := range []string{"-wal", "-shm"} {
		os.Remove(path + side)
	}
	if err := os.Rename(other, path); err != nil {
		t.Fatal(err)
	}
	if n := total(); n != 1 {
		t.Errorf("%d chunks after the file was replaced, want 1", n)
	}
}

func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	filled(t, path)
	db := raw(t, path)
	db.SetMaxOpenConns(1)
	for _, q := range []string{"PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "UPDATE sources SET owner = 'x'", "COMMIT"} {
		if _, err := db.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
	s := store.Lazy(store.Options{Path: path, ReadOnly: true})
	defer s.Close()
	_, err := s.Sources(t.Context(), nil)
	if fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.Message(err), "locked by another program") ||
		!strings.Contains(fault.Message(err), "Try again") {
		t.Errorf("a locked store: %v", err)
	}
	_, err = store.Open(t.Context(), store.Options{Path: path, BusyWait: 100 * time.Millisecond})
	if fault.CodeOf(err) != fault.Conflict {
		t.Errorf("writing a locked store: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sources(t.Context(), nil); err != nil {
		t.Errorf("after the lock: %v", err)
	}
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // no such modes
	}
	dir := filepath.Join(t.TempDir(), "deep", "workspace")
	path := filepath.Join(dir, "memory.db")
	s := open(t, store.Options{Path: path})
	storetest.Put(t, s, storetest.Doc("notes:a", "document", "a.md", storetest.Text{Content: "hello"}))
	for name, want := range map[string]os.FileMode{dir: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		fi, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := fi.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", filepath.Base(name), got, want)
		}
	}
}

func TestClosed(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Path: filepath.Join(t.TempDir(), "memory.db")})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Sources(t.Context(), nil); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("read: %v", err)
	}
	if err := s.Update(t.Context(), func(*store.Tx) error { return nil }); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("write: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
}

func TestReadOnlyRefusesWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	filled(t, path)
	s := open(t, store.Options{Path: path, ReadOnly: true})
	err := s.Update(t.Context(), func(*store.Tx) error { t.Error("fn was run"); return nil })
	if fault.CodeOf(err) != fault.Denied {
		t.Errorf("Update: %v, want a Denied fault", err)
	}
}

func TestDeadline(t *testing.T) {
	s := open(t, store.Options{Path: filepath.Join(t.TempDir(), "memory.db")})
	ctx, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	_, err := s.Sources(ctx, nil)
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "in time") {
		t.Errorf("past the deadline: %v", err)
	}
}

func TestWarnings(t *testing.T) {
	for path, want := range map[string]string{
		"/home/a/.openhuman/memory.db":                                                "",
		"/home/a/dropbox-api/memory.db":                                               "",
		"/home/a/Dropbox/x/memory.db":                                                 "Dropbox",
		"/home/a/Dropbox (Work)/memory.db":                                            "Dropbox",
		"/Users/a/Library/Mobile Documents/com~apple~CloudDocs/openhuman/memory.db":   "iCloud Drive",
		"/Users/a/Library/CloudStorage/GoogleDrive-a@x.org/My Drive/openhuman/mem.db": "a cloud drive",
		"/c/Users/a/OneDrive - Company/memory.db":                                     "OneDrive",
	} {
		got := strings.Join(store.Warnings(path), " ")
		if want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want it to name %q", path, got, want)
		}
	}
	// A link into a synchronised folder is one too.
	if runtime.GOOS == "windows" {
		return // links need a privilege there
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "Dropbox"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "Dropbox"), filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	if got := store.Warnings(filepath.Join(dir, "link", "new", "memory.db")); len(got) != 1 {
		t.Errorf("through a link: %q", got)
	}
}
