//go:build !unix

package ingest

import "io/fs"

// Device implements FS. Here a disk that is away takes its folder or letter along.
func (OS) Device(fs.FileInfo) (uint64, bool) { return 0, false }
