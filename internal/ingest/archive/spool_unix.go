//go:build !windows

package archive

import (
	"os"
	"path/filepath"
)

// spool makes a file that has no name any more, so that nothing of it stays whatever happens.
func spool(temp string) (f *os.File, gone func(), err error) {
	dir, err := os.MkdirTemp(temp, "openhuman-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	f, err = os.OpenFile(filepath.Join(dir, "entry"), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	return f, func() {}, err
}
