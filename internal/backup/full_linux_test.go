package backup_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/openhuman/openhuman-core/internal/backup"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// TestFullDisk does the same on a disk that is really full, where this user may mount one; elsewhere
// TestNoRoom stands for it.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1536k"); err != nil {
		t.Logf("no disk can be mounted: %v", err)
		return
	}
	t.Cleanup(func() { _ = syscall.Unmount(disk, syscall.MNT_DETACH) })
	path := filepath.Join(t.TempDir(), "memory.db")
	memory(t, path, "old", 1500)

	_, err := backup.Make(t.Context(), backup.Options{Memory: path, File: filepath.Join(disk, "b.db")})
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), filepath.Join(disk, "b.db")+" is full") {
		t.Errorf("backup: %v", err)
	}
	if left := names(t, disk); len(left) > 0 {
		t.Errorf("left: %q", left)
	}

	// A memory on a small disk, to which a larger backup does not fit.
	small := filepath.Join(disk, "memory.db")
	memory(t, small, "small", 3)
	file := filepath.Join(t.TempDir(), "b.db")
	_, err = backup.Make(t.Context(), backup.Options{Memory: path, File: file})
	must(t, err)
	_, err = backup.Restore(t.Context(), backup.Options{Memory: small, File: file})
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "is full") {
		t.Errorf("restore: %v", err)
	}
	if n := titles(t, small); n["small"] != 3 || len(n) != 1 {
		t.Errorf("the memory has %v", n)
	}
	for _, n := range names(t, disk) {
		if !strings.HasPrefix(n, "memory.db") {
			t.Errorf("left: %s", n)
		}
	}
	if _, err := os.Stat(small); err != nil {
		t.Error(err)
	}
}
