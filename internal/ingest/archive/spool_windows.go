package archive

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"
)

// spool makes a file that goes when it is closed, also by the end of the program.
func spool(temp string) (f *os.File, gone func(), err error) {
	dir, err := os.MkdirTemp(temp, "openhuman-")
	if err != nil {
		return nil, nil, err
	}
	name := filepath.Join(dir, "entry")
	p, err := windows.UTF16PtrFromString(name)
	if err == nil {
		var h windows.Handle
		h, err = windows.CreateFile(p, windows.GENERIC_READ|windows.GENERIC_WRITE, windows.FILE_SHARE_DELETE, nil,
			windows.CREATE_NEW, windows.FILE_ATTRIBUTE_TEMPORARY|windows.FILE_FLAG_DELETE_ON_CLOSE, 0)
		if err == nil {
			return os.NewFile(uintptr(h), name), func() { _ = os.Remove(dir) }, nil
		}
	}
	_ = os.Remove(dir)
	return nil, nil, &os.PathError{Op: "open", Path: name, Err: err}
}
