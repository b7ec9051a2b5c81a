//go:build unix

package vecimage

import (
	"os"

	"golang.org/x/sys/unix"
)

// mapFile maps the first size bytes of f, to be read only.
func mapFile(f *os.File, size int) (data []byte, free func() error, err error) {
	data, err = unix.Mmap(int(f.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, nil, err
	}
	return data, func() error { return unix.Munmap(data) }, nil
}
