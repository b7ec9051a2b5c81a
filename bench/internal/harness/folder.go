package harness

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Memory returns dir, or a folder of its own when dir is "", with a memory in it that build makes
// unless there is one. done removes a folder of its own.
func Memory(ctx context.Context, dir string, chunks int, build func(ctx context.Context, dir string, chunks int) error) (path string, done func(), err error) {
	done = func() {}
	if dir == "" {
		if dir, err = os.MkdirTemp("", "bench"); err != nil {
			return "", nil, err
		}
		done = func() { os.RemoveAll(dir) }
	}
	if _, err = os.Stat(filepath.Join(dir, "memory.db")); errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(os.Stderr, "making %d chunks ...\n", chunks)
		err = build(ctx, dir, chunks)
	}
	if err != nil {
		done()
		return "", nil, err
	}
	return dir, done, nil
}
