package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestFilesAddUp: whatever stands in a folder is in the sums of status --files once, by what became of it.
func TestFilesAddUp(t *testing.T) {
	s := newSession(t)
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a.md": "A note.", "sub/b.md": "Another.", "empty.md": "", "bin.dat": "\x00\x01\x02", ".hidden": "x", ".env": "K=1", "x.log": "log",
		".gitignore": "*.log\nbuild/\n", "build/1.o": "o", "build/deep/2.o": "o", "node_modules/a/i.js": "js", ".git/config": "c", ".git/objects/ab/cd": "c",
		"mail.mbox": "From a@b Mon May  6 10:00:00 2024\nFrom: a@b\nDate: Mon, 6 May 2024 10:00:00 +0000\nMessage-ID: <1@b>\nSubject: S\n\nText.\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_ = os.Symlink("a.md", filepath.Join(dir, "link.md")) // where the system has them
	s.run(0, "ingest", "--no-embed", dir)
	onDisk := 0
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			onDisk++
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	type answer struct {
		Files []listedFile `json:"files"`
		Sums  sums         `json:"sums"`
	}
	ask := func(args ...string) answer {
		t.Helper()
		out, _ := s.run(0, append([]string{"status", "--files", "--json"}, args...)...)
		var a answer
		if err := json.Unmarshal([]byte(out), &a); err != nil {
			t.Fatal(err)
		}
		return a
	}
	a := ask()
	listed, inside, byReason := 0, 0, 0
	outcomes := map[string]int{}
	for _, f := range a.Files {
		inside += f.Inside
		if !f.Folder {
			listed++
			outcomes[f.Outcome]++
		}
	}
	for _, n := range a.Sums.Reasons {
		byReason += n
	}
	if a.Sums.Files != onDisk || listed+inside != onDisk || a.Sums.Outcomes["ok"]+byReason != onDisk || a.Sums.Listed != listed || a.Sums.Away != 0 {
		t.Errorf("%d on the disk, %d listed, %d inside: %+v", onDisk, listed, inside, a.Sums)
	}
	if outcomes["ok"] != 3 || a.Sums.Reasons["left out by .gitignore line 2: build/"] != 2 || a.Sums.Reasons["hidden folder"] != 2 || a.Sums.Reasons["folder of installed packages"] != 1 {
		t.Errorf("%v %v", outcomes, a.Sums.Reasons)
	}
	if narrow := ask("--outcome", "skipped,no_text"); len(narrow.Files) != len(a.Files)-3 || narrow.Sums.Files != onDisk {
		t.Errorf("%d of %d", len(narrow.Files), len(a.Files))
	}
	if err := os.Remove(filepath.Join(dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	if gone := ask(); gone.Sums.Away != 1 || gone.Sums.Files != onDisk-1 {
		t.Errorf("%+v", gone.Sums)
	}
	out, _ := s.run(0, "status", "--files", "--outcome", "failed")
	if !strings.Contains(out, "1 more are not there now") || !strings.Contains(out, "left out by .gitignore line 1: *.log") || strings.Contains(out, "sub/b.md") {
		t.Error(out)
	}
	s.run(2, "status", "--files", "--outcome", "nonsense")
	s.run(2, "status", "--outcome", "ok")
}

// TestFilesOfOddNames: a name of bytes that are no text is on the disk as any other, and a folder without
// anything in it is no row of the sums.
func TestFilesOfOddNames(t *testing.T) {
	s := newSession(t)
	dir := t.TempDir()
	want := 0
	for _, name := range []string{"ok.md", "per%FF.md", "b\xff.md", "\xe9\xe8/c.md"} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		err := os.MkdirAll(filepath.Dir(path), 0o700)
		if err == nil {
			err = os.WriteFile(path, []byte("A note in "+filepath.Ext(name)), 0o600)
		}
		switch {
		case err == nil:
			want++
		case utf8.ValidString(name): // macOS has no other names
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "node_modules"), 0o700); err != nil {
		t.Fatal(err)
	}
	s.run(0, "ingest", "--no-embed", dir)
	out, _ := s.run(0, "status", "--files", "--json")
	var a struct {
		Files []listedFile `json:"files"`
		Sums  sums         `json:"sums"`
	}
	if err := json.Unmarshal([]byte(out), &a); err != nil {
		t.Fatal(err)
	}
	if a.Sums.Files != want || a.Sums.Listed != want || a.Sums.Away != 0 || a.Sums.Outcomes["ok"] != want || len(a.Sums.Reasons) != 0 || len(a.Files) != want+1 {
		t.Errorf("of %d files: %+v", want, a.Sums)
	}
}
