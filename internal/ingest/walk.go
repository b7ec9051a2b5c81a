package ingest

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// An entry is a file (or something in the place of one) that the walk has met.
type entry struct {
	path    string // for the file system
	name    string // stored form
	rel     string // to the root
	root    root
	size    int64
	mtimeNS int64
	// outcome and reason are set for what is not even opened.
	outcome doc.Outcome
	reason  string
	// idle says, once the run has come to it, that it was not read since it is as it was.
	idle bool
}

// A walk lists what stands under the targets. It follows no symbolic link, so it cannot loop or leave
// the folder it was given.
type walk struct {
	r       *run
	entries []entry
	// dirs tells what became of every folder that was met, to judge later whether a file that was
	// not met is certainly gone.
	dirs map[string]dirState
	// met counts what stands under each target and is not hidden.
	met map[string]int
	// mounts are the folders that are on another device than the one above them.
	mounts map[string]bool
	// nested are the roots that were met below the one of a target.
	nested []root
	own    ownFiles
}

type dirState int

const (
	listed     dirState = iota + 1 // whole
	unreadable                     // or only in part
	excluded                       // by a rule
)

// ownFiles are the files of the store that is being written.
type ownFiles struct{ db, dir string }

func newWalk(r *run) *walk {
	w := &walk{r: r, dirs: map[string]dirState{}, met: map[string]int{}, mounts: map[string]bool{}}
	if r.o.Store != nil && filepath.IsAbs(r.o.Store.Path()) {
		db := r.o.Store.Path()
		if real, err := r.o.FS.EvalSymlinks(db); err == nil {
			db = real
		}
		w.own = ownFiles{stored(db), parent(stored(db))}
	}
	return w
}

// target walks one of the paths that the run was given.
func (w *walk) target(ctx context.Context, t target) error {
	if t.file {
		rt, _ := w.r.reg.at(t.name, true)
		info, err := w.r.o.FS.Lstat(t.path)
		if err != nil {
			w.leaveOut(t.path, t.name, rt, doc.Failed, reasonOf(err))
			return nil
		}
		w.met[t.name]++
		w.file(t.path, t.name, rt, info)
		return nil
	}
	var dev device
	if info, err := w.r.o.FS.Lstat(t.path); err == nil {
		dev = w.device(info)
		if up, err := w.r.o.FS.Lstat(filepath.Dir(t.path)); err == nil && filepath.Dir(t.path) != t.path {
			w.mount(t.name, dev, w.device(up))
		}
	}
	rt, _ := w.r.reg.whole(t.name)
	return w.dir(ctx, t, t.path, t.name, rt, dev, 0)
}

// A device is what a folder is on.
type device struct {
	id uint64
	ok bool
}

func (w *walk) device(info fs.FileInfo) device {
	id, ok := w.r.o.FS.Device(info)
	return device{id, ok}
}

// mount takes note of a folder on another device than the one above it.
func (w *walk) mount(name string, dev, above device) {
	if dev.ok && above.ok && dev.id != above.id {
		w.mounts[name] = true
		w.r.reg.mounted(name)
	}
}

func (w *walk) dir(ctx context.Context, t target, path, name string, rt root, dev device, depth int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	list, err := w.r.o.FS.ReadDir(path)
	if err != nil {
		w.dirs[name] = unreadable
		w.leaveOut(path, name, rt, doc.Failed, "folder: "+reasonOf(err))
	} else {
		w.dirs[name] = listed
		if reason := installed(base(name), list); reason != "" && depth > 0 {
			w.dirs[name] = excluded
			w.leaveOut(path, name, rt, doc.Skipped, reason)
			return nil
		}
	}
	files := rt
	if info, ok := w.r.reg.Roots[name]; ok && info.Loose {
		files = root{name, info}
		w.nested = append(w.nested, files)
	}
	maildir := isMaildir(list)
	for _, de := range list {
		childPath := filepath.Join(path, de.Name())
		child := strings.TrimSuffix(name, "/") + "/" + stored(de.Name())
		crt := files
		if de.IsDir() {
			crt = rt
		}
		if info, ok := w.r.reg.Roots[child]; ok && !info.Loose {
			crt = root{child, info}
			w.nested = append(w.nested, crt)
		}
		hidden := strings.HasPrefix(de.Name(), ".")
		if !hidden {
			w.met[t.name]++
		}
		switch {
		case de.IsDir():
			reason := ""
			switch {
			case child == w.own.dir:
				reason = reasonOwn
			case hidden && !(maildir && w.holdsMail(childPath)):
				reason = reasonHiddenDir
			case maildir && de.Name() == "tmp":
				reason = reasonDelivering
			case depth >= w.r.o.Limits.Depth:
				reason = reasonTooDeep
			}
			if reason != "" {
				w.dirs[child] = excluded
				w.leaveOut(childPath, child, crt, doc.Skipped, reason)
				continue
			}
			below := dev
			if info, err := de.Info(); err == nil {
				below = w.device(info)
				w.mount(child, below, dev)
			}
			if err := w.dir(ctx, t, childPath, child, crt, below, depth+1); err != nil {
				return err
			}
		case child == w.own.db || strings.HasPrefix(child, w.own.db+"-") && w.own.db != "":
			w.leaveOut(childPath, child, crt, doc.Skipped, reasonOwn)
		case secret(de.Name()):
			w.leaveOut(childPath, child, crt, doc.Skipped, reasonSecret)
		case hidden:
			w.leaveOut(childPath, child, crt, doc.Skipped, reasonHidden)
		case de.Type()&fs.ModeSymlink != 0:
			w.leaveOut(childPath, child, crt, doc.Skipped, w.link(childPath, t))
		case !de.Type().IsRegular():
			w.leaveOut(childPath, child, crt, doc.Skipped, reasonNotRegular)
		case maildir && mailIndex(de.Name()):
			w.leaveOut(childPath, child, crt, doc.Skipped, reasonMailIndex)
		default:
			info, err := de.Info()
			if err != nil {
				w.leaveOut(childPath, child, crt, doc.Failed, reasonOf(err))
				continue
			}
			w.file(childPath, child, crt, info)
		}
	}
	return nil
}

func (w *walk) file(path, name string, rt root, info fs.FileInfo) {
	w.entries = append(w.entries, entry{
		path: path, name: name, rel: relative(name, rt.path), root: rt, size: info.Size(), mtimeNS: info.ModTime().UnixNano(),
	})
	w.r.meter.found(info.Size())
}

func (w *walk) leaveOut(path, name string, rt root, o doc.Outcome, reason string) {
	w.entries = append(w.entries, entry{path: path, name: name, rel: relative(name, rt.path), root: rt, outcome: o, reason: reason})
	w.r.meter.found(0)
}

// link says why a symbolic link is left out.
func (w *walk) link(path string, t target) string {
	real, err := w.r.o.FS.EvalSymlinks(path)
	switch {
	case err != nil && (errors.Is(err, syscall.ELOOP) || strings.Contains(err.Error(), "too many links")):
		return "symbolic link that leads to itself"
	case err != nil:
		return reasonLinkBroken
	case within(stored(real), t.name):
		return reasonLinkInside
	}
	return reasonLinkOutside
}

// holdsMail reports whether a folder is a Maildir.
func (w *walk) holdsMail(path string) bool {
	list, err := w.r.o.FS.ReadDir(path)
	return err == nil && isMaildir(list)
}

func isMaildir(list []fs.DirEntry) bool {
	n := 0
	for _, de := range list {
		if de.IsDir() && (de.Name() == "cur" || de.Name() == "new") {
			n++
		}
	}
	return n == 2
}

// mailIndex reports whether a file next to cur and new is bookkeeping of a mail server.
func mailIndex(name string) bool {
	for _, p := range []string{"dovecot", "courier", "maildirfolder", "maildirsize", "subscriptions", "maildir"} {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// relative is the path of name below root, its own name for a root that is a file.
func relative(name, root string) string {
	if name == root {
		return base(name)
	}
	return strings.TrimPrefix(name, strings.TrimSuffix(root, "/")+"/")
}

// reasonOf says what a file system error is, without the path, which stands beside it.
func reasonOf(err error) string {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.Is(err, fs.ErrNotExist):
		return "it is not there any more"
	case errors.As(err, &pe):
		return pe.Err.Error()
	}
	return err.Error()
}

// gone reports whether a file under target that the walk has not met is certainly not there: the
// folder where it stood (or the nearest above it that still stands) was listed in full, and no folder
// on the way was another disk once that is not there now.
func (w *walk) gone(name, target string) bool {
	if w.awayDisk(name, target) {
		return false
	}
	for p := name; p != target; {
		p = parent(p)
		switch w.dirs[p] {
		case listed, excluded:
			return true
		case unreadable:
			return false
		}
		if p == "/" || p == "." {
			break
		}
	}
	return false
}

// awayDisk reports whether name stood on a disk that was mounted at or below target and is not now.
func (w *walk) awayDisk(name, target string) bool {
	if len(w.r.reg.Mounts) == 0 {
		return false
	}
	for p := name; p != target; {
		if p = parent(p); w.r.reg.Mounts[p] && !w.mounts[p] && w.dirs[p] != excluded {
			return true
		}
		if p == "/" || p == "." {
			break
		}
	}
	return false
}
