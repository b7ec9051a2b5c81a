//go:build unix

package ingest

import (
	"io/fs"
	"syscall"
)

// Device implements FS.
func (OS) Device(info fs.FileInfo) (uint64, bool) {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return uint64(st.Dev), true // not of one type on all systems
}
