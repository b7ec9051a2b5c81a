package ingest

import (
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// FS is the part of the file system that a run needs; tests replace it to break things.
type FS interface {
	Lstat(path string) (fs.FileInfo, error)
	Stat(path string) (fs.FileInfo, error)
	// ReadDir returns the entries by name; with an error, those that could be read.
	ReadDir(path string) ([]fs.DirEntry, error)
	// EvalSymlinks returns the absolute path without symbolic links.
	EvalSymlinks(path string) (string, error)
	Open(path string) (doc.File, error)
	// Device says which device something is on, where that can be told.
	Device(info fs.FileInfo) (id uint64, ok bool)
}

// OS is the machine's file system.
type OS struct{}

// Lstat implements FS.
func (OS) Lstat(path string) (fs.FileInfo, error) { return os.Lstat(path) }

// Stat implements FS.
func (OS) Stat(path string) (fs.FileInfo, error) { return os.Stat(path) }

// ReadDir implements FS.
func (OS) ReadDir(path string) ([]fs.DirEntry, error) { return os.ReadDir(path) }

// Open implements FS.
func (OS) Open(path string) (doc.File, error) { return os.Open(path) }

// EvalSymlinks implements FS.
func (OS) EvalSymlinks(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(abs)
}

// stored returns the form in which a path is kept: slashes, and valid UTF-8 whatever bytes the file
// system holds, so that two names never become one.
func stored(path string) string {
	path = filepath.ToSlash(path)
	if utf8.ValidString(path) {
		return path
	}
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := 0; i < len(path); {
		r, n := utf8.DecodeRuneInString(path[i:])
		if r == utf8.RuneError && n == 1 {
			b.WriteByte('%')
			b.WriteByte(hex[path[i]>>4])
			b.WriteByte(hex[path[i]&15])
		} else {
			b.WriteString(path[i : i+n])
		}
		i += n
	}
	return b.String()
}

// StoredPath returns the form in which a path of the file system is kept.
func StoredPath(path string) string { return stored(path) }

// RawPath returns the path of the file system that is kept as a path in which bytes that are not UTF-8 were
// written out, "" when there is none.
func RawPath(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); i++ {
		if path[i] == '%' && i+2 < len(path) {
			if n, err := strconv.ParseUint(path[i+1:i+3], 16, 8); err == nil && n >= utf8.RuneSelf {
				b.WriteByte(byte(n))
				i += 2
				continue
			}
		}
		b.WriteByte(path[i])
	}
	if raw := b.String(); raw != path && stored(raw) == path {
		return filepath.FromSlash(raw)
	}
	return ""
}

// within reports whether path is dir or below it; both are stored forms.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}

// parent returns the folder of a stored path.
func parent(path string) string {
	i := strings.LastIndexByte(path, '/')
	switch {
	case i < 0:
		return "."
	case i == 0:
		return "/"
	}
	return path[:i]
}

// base returns the last element of a stored path.
func base(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}
