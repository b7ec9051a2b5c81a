//go:build !unix && !windows

package vecimage

import (
	"io"
	"os"
)

// mapFile reads the file where it cannot be mapped.
func mapFile(f *os.File, size int) (data []byte, free func() error, err error) {
	data = make([]byte, size)
	if _, err := io.ReadFull(io.NewSectionReader(f, 0, int64(size)), data); err != nil {
		return nil, nil, err
	}
	return data, func() error { return nil }, nil
}
