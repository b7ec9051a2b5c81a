//go:build unix

package store_test

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// lookAs opens the store in another process, by a user whom modes bind: nobody, if this one is the
// administrator. It returns what that process said.
func lookAs(t *testing.T, path string) (said string, ok bool) {
	t.Helper()
	cmd := child(t, "look", path, 0)
	cmd.Stderr = nil
	if os.Geteuid() == 0 {
		cmd.Path = openCopy(t)
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// openCopy copies the test binary to where everybody may run it.
func openCopy(t *testing.T) string {
	t.Helper()
	dir := openDir(t)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(exe)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	name := filepath.Join(dir, "store.test")
	to, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

func openDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "store")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func mode(t *testing.T, path string, m os.FileMode) {
	t.Helper()
	if err := os.Chmod(path, m); err != nil {
		t.Fatal(err)
	}
}

// TestOtherUser reads a store whose folder the reader may not write.
func TestOtherUser(t *testing.T) {
	dir := openDir(t)
	path := filepath.Join(dir, "memory.db")
	filled(t, path)

	mode(t, path, 0o000)
	if said, ok := lookAs(t, path); ok || !strings.Contains(said, "may not be read") {
		t.Errorf("an unreadable file: %v, %q", ok, said)
	}
	mode(t, path, 0o644)
	mode(t, dir, 0o555)
	if said, ok := lookAs(t, path); !ok {
		t.Errorf("closed cleanly, in a folder that may only be read: %q", said)
	}
	mode(t, dir, 0o755)

	// A writer was killed: its last words are in the log alone.
	crash(t, path)
	mode(t, path, 0o644)
	mode(t, path+"-wal", 0o644)
	mode(t, dir, 0o555)
	if said, ok := lookAs(t, path); ok || !strings.Contains(said, "cut short") {
		t.Errorf("a log that cannot be recovered: %v, %q", ok, said)
	}
	mode(t, dir, 0o755)
	if said, ok := lookAs(t, filepath.Join(dir, "nowhere", "memory.db")); ok || !strings.Contains(said, "no memory at") {
		t.Errorf("a missing file: %v, %q", ok, said)
	}
}

// crash leaves the store as a killed writer does: with a log, and without the shared index of it.
func crash(t *testing.T, path string) {
	t.Helper()
	if err := child(t, "crash", path, 0).Run(); err != nil {
		t.Fatal(err)
	}
	if fi, err := os.Stat(path + "-wal"); err != nil || fi.Size() == 0 {
		t.Fatalf("the writer left no log: %v", err)
	}
	if err := os.Remove(path + "-shm"); err != nil {
		t.Fatal(err)
	}
}
