package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder returns dir, or a folder of its own when dir is "". done removes the latter.
func Folder(dir string) (path string, done func(), err error) {
	if dir != "" {
		return dir, func() {}, nil
	}
	tmp, err := os.MkdirTemp("", "bench")
	if err != nil {
		return "", nil, err
	}
	return tmp, func() { os.RemoveAll(tmp) }, nil
}

// Make runs build unless dir has a memory already.
func Make(dir string, chunks int, build func() error) error {
	_, err := os.Stat(filepath.Join(dir, "memory.db"))
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	fmt.Fprintf(os.Stderr, "making %d chunks ...\n", chunks)
	return build()
}
