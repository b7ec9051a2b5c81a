package golden_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/openhuman/openhuman-core/internal/golden"
)

// recorder stands in for the test that golden.Check is asked to fail.
type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Helper()               {}
func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Fatalf(string, ...any) { r.failed = true; panic(r) }

func failed(f func(testing.TB)) (out bool) {
	r := &recorder{}
	defer func() {
		if v := recover(); v != nil && v != r {
			panic(v)
		}
		out = r.failed
	}()
	f(r)
	return r.failed
}

func TestCheck(t *testing.T) {
	if golden.Update() {
		t.Log("-update rewrites files, so nothing can differ")
		return
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "a.golden")
	if err := os.WriteFile(path, []byte("one\r\ntwo\r\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, path, got string
		fails           bool
	}{
		{"equal", path, "one\ntwo\n", false},
		{"different", path, "one\n", true},
		{"missing file", filepath.Join(dir, "none"), "one\n", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if got := failed(func(tb testing.TB) { golden.Check(tb, tc.path, []byte(tc.got)) }); got != tc.fails {
				t.Errorf("failed = %v, want %v", got, tc.fails)
			}
		})
	}
}

func TestWriteMakesFolders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x", "y", "a.golden")
	golden.Write(t, path, []byte("text"))
	if got, err := os.ReadFile(path); err != nil || string(got) != "text" {
		t.Errorf("got %q, %v", got, err)
	}
}
