// Package golden compares what a test got with a file under testdata. It owns the -update flag;
// normalising what changes between runs is the caller's business.
package golden

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite golden files with what the tests get")

// Update reports whether golden files are to be rewritten.
func Update() bool { return *update }

// Check fails t unless the file at path holds got. With -update it writes got there instead. A file
// that is missing fails the test: a golden that nobody has looked at proves nothing.
func Check(t testing.TB, path string, got []byte) {
	t.Helper()
	if Update() {
		Write(t, path, got)
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("read golden file: %v (run the test with -update, then read what it wrote)", err)
	}
	// A checkout on Windows may have turned line ends around.
	want = bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-want +got; -update rewrites it):\n%s", path, diff)
	}
}

// Write stores data at path and makes the folder if it is missing.
func Write(t testing.TB, path string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatalf("make golden folder: %v", err)
	}
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatalf("write golden file: %v", err)
	}
}
