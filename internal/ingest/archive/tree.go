package archive

import (
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// The archive as a file system: what walks folders walks an archive, and leaves out the same.

// A node is a file or a folder of the tree.
type node struct {
	name     string
	entry    int // -1 for a folder
	info     fileInfo
	children []*node // of a folder, by name
}

// grow makes the tree of the entries. Of two of the same name the later one counts, as it does when an
// archive is unpacked.
func (a *Archive) grow() {
	top := &node{entry: -1, info: fileInfo{name: path.Base(a.in.Path) + "!", mode: fs.ModeDir | 0o700}}
	a.tree = map[string]*node{"": top}
	for i := range a.entries {
		e := &a.entries[i]
		dir, name := path.Split(e.Name)
		n := &node{name: name, entry: i, info: fileInfo{name: name, size: e.Size, mode: e.kind.mode(), at: e.ModTime}}
		key := slashed(e.Name)
		switch was := a.tree[key]; {
		case was == nil:
			parent := a.folder(strings.TrimSuffix(dir, "/"))
			parent.children = append(parent.children, n)
			a.tree[key] = n
		case was.entry >= 0:
			was.entry, was.info = n.entry, n.info
		default:
			a.Refused = append(a.Refused, Refusal{e.Name, "a folder has the same name"})
		}
	}
	for _, dir := range a.dirs {
		a.folder(dir)
	}
	for _, n := range a.tree {
		slices.SortFunc(n.children, func(a, b *node) int { return strings.Compare(a.name, b.name) })
	}
}

// folder returns the folder of that name, which takes the place of a file that has it.
func (a *Archive) folder(name string) *node {
	n := a.tree[slashed(name)]
	switch {
	case n == nil:
		dir, last := path.Split(name)
		n = &node{name: last}
		parent := a.folder(strings.TrimSuffix(dir, "/"))
		parent.children = append(parent.children, n)
		a.tree[slashed(name)] = n
	case n.entry >= 0:
		a.Refused = append(a.Refused, Refusal{name, "a folder has the same name"})
	default:
		return n
	}
	n.entry, n.info = -1, fileInfo{name: n.name, mode: fs.ModeDir | 0o700}
	return n
}

// slashed makes a name what it is in a path of this machine.
func slashed(name string) string { return filepath.ToSlash(name) }

// at returns what stands at a path, nil if nothing does.
func (a *Archive) at(p string) *node {
	rest, ok := strings.CutPrefix(slashed(p), slashed(a.in.Path)+"!")
	if !ok || rest != "" && rest[0] != '/' {
		return nil
	}
	return a.tree[strings.TrimPrefix(rest, "/")]
}

// Lstat describes what stands at a path.
func (a *Archive) Lstat(p string) (fs.FileInfo, error) {
	n := a.at(p)
	if n == nil {
		return nil, &fs.PathError{Op: "lstat", Path: p, Err: fs.ErrNotExist}
	}
	return n.info, nil
}

// Stat is Lstat: links lead nowhere.
func (a *Archive) Stat(p string) (fs.FileInfo, error) { return a.Lstat(p) }

// ReadDir lists a folder by name.
func (a *Archive) ReadDir(p string) ([]fs.DirEntry, error) {
	n := a.at(p)
	if n == nil || n.entry >= 0 {
		return nil, &fs.PathError{Op: "readdir", Path: p, Err: fs.ErrNotExist}
	}
	out := make([]fs.DirEntry, len(n.children))
	for i, c := range n.children {
		out[i] = fs.FileInfoToDirEntry(c.info)
	}
	return out, nil
}

// EvalSymlinks says where a link leads, which is not followed.
func (a *Archive) EvalSymlinks(p string) (string, error) {
	n := a.at(p)
	if n == nil {
		return "", &fs.PathError{Op: "readlink", Path: p, Err: fs.ErrNotExist}
	}
	if n.entry < 0 || a.entries[n.entry].kind != symlink {
		return p, nil
	}
	e := &a.entries[n.entry]
	if to := a.in.Path + "!/" + path.Join(path.Dir(e.Name), e.link); !path.IsAbs(e.link) && a.at(to) != nil {
		return to, nil
	}
	return e.link, nil
}

// Device says that an archive is on no device.
func (*Archive) Device(fs.FileInfo) (id uint64, ok bool) { return 0, false }

// Refusal says why what stands at a path is no file, "" where it is one, or a link.
func (a *Archive) Refusal(p string) string {
	if n := a.at(p); n != nil && n.entry >= 0 && a.entries[n.entry].kind == special {
		return a.entries[n.entry].link
	}
	return ""
}

func (k entryKind) mode() fs.FileMode {
	switch k {
	case symlink:
		return fs.ModeSymlink | 0o600
	case special:
		return fs.ModeIrregular
	}
	return 0o600
}

type fileInfo struct {
	name string
	size int64
	mode fs.FileMode
	at   time.Time
}

func (i fileInfo) Name() string       { return i.name }
func (i fileInfo) Size() int64        { return i.size }
func (i fileInfo) Mode() fs.FileMode  { return i.mode }
func (i fileInfo) ModTime() time.Time { return i.at }
func (i fileInfo) IsDir() bool        { return i.mode.IsDir() }
func (i fileInfo) Sys() any           { return nil }

// timeOr returns t, or the archive's time where t is none that a file has.
func (a *Archive) timeOr(t time.Time) time.Time {
	if t.Unix() < minTime {
		return a.in.ModTime
	}
	return t
}

// minTime is a day after the time that zip archives begin at: before it stands what has no time.
var minTime = time.Date(1980, 1, 2, 0, 0, 0, 0, time.UTC).Unix()

var _ doc.File = (*member)(nil)
