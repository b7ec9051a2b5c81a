//go:build unix

package backup_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestNoRoom backs up where a file may not grow any more. What could not be finished leaves nothing, and
// the error names the place.
func TestNoRoom(t *testing.T) {
	path, out := filepath.Join(t.TempDir(), "memory.db"), t.TempDir()
	memory(t, path, "old", 600)
	file := filepath.Join(out, "b.db")
	self, err := os.Executable()
	must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), roleVar+"=backup", memoryVar+"="+path, fileVar+"="+file)
	text, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(text), file) || !strings.Contains(string(text), "no room left") && !strings.Contains(string(text), "is full") {
		t.Errorf("%v: %s", err, text)
	}
	if left := names(t, out); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	if n := titles(t, path)["old"]; n != 600 {
		t.Errorf("the memory has %d documents", n)
	}
}
