package wholefile_test

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/openhuman/openhuman-core/internal/wholefile"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

func write(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "a.txt")
	if err := wholefile.Write(file, false, write("one")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("%v, %v", info, err)
	}
	if err := wholefile.Write(file, false, write("two")); fault.CodeOf(err) != fault.Conflict {
		t.Errorf("over another: %v", err)
	}
	full := errors.Join(errors.New("write"), syscall.ENOSPC)
	if err := wholefile.Write(file, true, func(w io.Writer) error { return errors.Join(write("half")(w), full) }); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("full: %v", err)
	}
	// One that comes while it is written stays, too.
	other := filepath.Join(dir, "b.txt")
	err := wholefile.Write(other, false, func(io.Writer) error { return os.WriteFile(other, []byte("theirs"), 0o600) })
	if fault.CodeOf(err) != fault.Conflict {
		t.Errorf("a race: %v", err)
	}
	if err := wholefile.Write(filepath.Join(dir, "none", "c"), false, write("x")); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("no folder: %v", err)
	}
	if err := wholefile.Write(dir, true, write("x")); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a folder: %v", err)
	}
	for name, want := range map[string]string{file: "one", other: "theirs"} {
		if b, err := os.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if err := wholefile.Write(file, true, write("three")); err != nil {
		t.Error(err)
	}
	if b, _ := os.ReadFile(file); string(b) != "three" {
		t.Errorf("forced: %q", b)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 2 {
		t.Errorf("%v, %v", left, err)
	}
}
