//go:build unix

package backup_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/backup"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// TestRestoreOverALinkToNothing: the memory may be on a disk that is not there, and is not to be begun anew
// in its place without a word.
func TestRestoreOverALinkToNothing(t *testing.T) {
	dir := t.TempDir()
	path, file, link := filepath.Join(dir, "old.db"), filepath.Join(dir, "b.db"), filepath.Join(dir, "memory.db")
	memory(t, path, "old", 3)
	_, err := backup.Make(t.Context(), backup.Options{Memory: path, File: file})
	must(t, err)
	must(t, os.Symlink(filepath.Join(dir, "unplugged", "memory.db"), link))
	_, err = backup.Restore(t.Context(), backup.Options{Memory: link, File: file})
	if fault.CodeOf(err) != fault.Unavailable || !strings.Contains(fault.Message(err), "which is not there") || !strings.Contains(fault.HintOf(err), "remove the link") {
		t.Errorf("%v", err)
	}
	must(t, os.Remove(link))
	done, err := backup.Restore(t.Context(), backup.Options{Memory: link, File: file})
	if err != nil || done.Documents != 3 {
		t.Errorf("%+v, %v", done, err)
	}
}
