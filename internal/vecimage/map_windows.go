package vecimage

import (
	"errors"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// mapFile maps the first size bytes of f, to be read only.
func mapFile(f *os.File, size int) (data []byte, free func() error, err error) {
	h, err := windows.CreateFileMapping(windows.Handle(f.Fd()), nil, windows.PAGE_READONLY, 0, 0, nil)
	if err != nil {
		return nil, nil, err
	}
	at, err := windows.MapViewOfFile(h, windows.FILE_MAP_READ, 0, 0, uintptr(size))
	err = errors.Join(err, windows.CloseHandle(h)) // the view keeps the mapping
	if err != nil {
		return nil, nil, err
	}
	// The address is not of Go's memory, so that nothing moves or frees it.
	data = unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&at))), size)
	return data, func() error { return windows.UnmapViewOfFile(at) }, nil
}
