package demo_test

import (
	"archive/zip"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/openhuman/openhuman-core/internal/demo"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	paths, err := demo.Write(demo.Memory(), dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range paths {
		names = append(names, filepath.Base(p))
	}
	if d := cmp.Diff([]string{"inbox.mbox", "notes", "slack-export.zip"}, names); d != "" {
		t.Fatal(d)
	}
	for _, name := range []string{"inbox.mbox", "notes/flat.md", "notes/家/龙井茶.md"} {
		want, err := fs.ReadFile(demo.Memory(), name)
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		if err != nil || string(got) != string(want) || !utf8.Valid(got) {
			t.Errorf("%s differs from the embedded one (%v)", name, err)
		}
	}
	z, err := zip.OpenReader(paths[2])
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	members := map[string]bool{}
	for _, f := range z.File {
		members[f.Name] = true
	}
	for _, want := range []string{"channels.json", "users.json", "eng/2024-03-18.json", "lisbon/2024-05-21.json"} {
		if !members[want] {
			t.Errorf("the archive lacks %s: %v", want, members)
		}
	}
}

func TestWriteElsewhere(t *testing.T) {
	if _, err := demo.Write(demo.Memory(), filepath.Join(t.TempDir(), "missing")); err == nil {
		t.Error("a folder that does not exist must be an error")
	}
	paths, err := demo.Write(fstest.MapFS{"a.md": {Data: []byte("# A")}}, t.TempDir())
	if err != nil || len(paths) != 1 {
		t.Errorf("%v, %v", paths, err)
	}
}
