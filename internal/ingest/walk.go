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
	said    *said
	// wanted says that a person has asked for the file although it looks like one of secrets.
	wanted bool
	// origin is the path that it was taken in from first, when that is another.
	origin string
	// in is the archive that it stands in, inner its path there, and cost about how much of the archive's
	// own size it is.
	in    *opened
	inner string
	cost  int64
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
	// starts are the targets, which are walked from there.
	starts map[string]bool
	// some says that only some of what stands in a root may be of it.
	some bool
}

type dirState int

const (
	listed     dirState = iota + 1 // whole
	unreadable                     // or only in part
	excluded                       // by a rule
)

// ownFiles are the files of the store that is being written.
type ownFiles struct{ db, dir string }

func newWalk(r *run, targets []target) *walk {
	w := &walk{r: r, dirs: map[string]dirState{}, met: map[string]int{}, mounts: map[string]bool{}, starts: map[string]bool{}}
	for _, t := range targets {
		w.starts[t.name] = true
	}
	for _, info := range r.reg.Roots {
		w.some = w.some || len(info.Only) > 0
	}
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
		s, _ := w.r.reg.saidOf(t.name)
		w.file(t.path, t.name, rt, info, s, false)
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
	if info, ok := w.r.reg.Roots[t.name]; ok && len(t.only) > 0 {
		rt = root{t.name, info}
	}
	return w.dir(ctx, t, t.path, t.name, rt, dev, 0, w.rulesAbove(t, rt))
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

func (w *walk) dir(ctx context.Context, t target, path, name string, rt root, dev device, depth int, above rules) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	list, err := w.r.o.FS.ReadDir(path)
	if err != nil {
		w.dirs[name] = unreadable
		w.leaveOut(path, name, rt, doc.Failed, "folder: "+reasonOf(err))
	} else {
		w.dirs[name] = listed
		if reason := installed(base(name), list); reason != "" && depth > 0 && !above.wanted {
			w.dirs[name] = excluded
			w.leaveOut(path, name, rt, doc.Skipped, reason)
			return nil
		}
	}
	if w.r.o.Visited != nil {
		w.r.o.Visited(path, len(list))
	}
	rules, err := w.rules(path, name, list, above)
	if err != nil {
		w.dirs[name] = unreadable
		w.leaveOut(path, name, rt, doc.Failed, err.Error())
		return nil
	}
	files := rt
	if info, ok := w.r.reg.Roots[name]; ok && info.Loose {
		files = root{name, info}
		w.nested = append(w.nested, files)
	}
	prefix := strings.TrimSuffix(name, "/") + "/"
	maildir := isMaildir(list)
	for _, de := range list {
		childPath := filepath.Join(path, de.Name())
		child := prefix + stored(de.Name())
		hidden := strings.HasPrefix(de.Name(), ".")
		if !hidden {
			w.met[t.name]++
		}
		if w.starts[child] || len(t.only) > 0 && !t.means(child) && !(de.IsDir() && t.only.leads(relative(child, t.name))) {
			continue
		}
		crt := files
		if de.IsDir() {
			crt = rt
		}
		if info, ok := w.r.reg.Roots[child]; ok && info.whole() {
			crt = root{child, info}
			w.nested = append(w.nested, crt)
		} else if w.some {
			if at, ok := w.r.reg.holding(child, !de.IsDir()); ok {
				crt = at
			}
		}
		if err := w.child(ctx, t, de, childPath, child, crt, dev, depth, rules, maildir); err != nil {
			return err
		}
	}
	return nil
}

// child takes one entry of a folder in, or leaves it out.
func (w *walk) child(ctx context.Context, t target, de fs.DirEntry, path, name string, rt root, dev device, depth int, rules rules, maildir bool) error {
	hidden := strings.HasPrefix(de.Name(), ".")
	verdict := rules.of(name, de.IsDir())
	if de.IsDir() {
		reason := ""
		switch {
		case name == w.own.dir:
			reason = reasonOwn
		case verdict.reason != "":
			reason = verdict.reason
		case hidden && !verdict.hidden && !(maildir && w.holdsMail(path)):
			reason = reasonHiddenDir
		case maildir && de.Name() == "tmp":
			reason = reasonDelivering
		case depth >= w.r.o.Limits.Depth:
			reason = reasonTooDeep
		}
		if reason != "" {
			w.dirs[name] = excluded
			w.leaveOut(path, name, rt, doc.Skipped, reason)
			return nil
		}
		below := dev
		if info, err := de.Info(); err == nil {
			below = w.device(info)
			w.mount(name, below, dev)
		}
		rules.wanted = verdict.secret
		return w.dir(ctx, t, path, name, rt, below, depth+1, rules)
	}
	reason := ""
	switch {
	case name == w.own.db || strings.HasPrefix(name, w.own.db+"-") && w.own.db != "":
		reason = reasonOwn
	case verdict.reason != "":
		reason = verdict.reason
	case secret(de.Name()) && !verdict.secret:
		reason = reasonSecret
	case hidden && !verdict.hidden:
		reason = reasonHidden
	case de.Type()&fs.ModeSymlink != 0:
		reason = w.link(path, t)
	case !de.Type().IsRegular():
		reason = reasonNotRegular
	case maildir && mailIndex(de.Name()):
		reason = reasonMailIndex
	}
	if reason != "" {
		w.leaveOut(path, name, rt, doc.Skipped, reason)
		return nil
	}
	info, err := de.Info()
	if err != nil {
		w.leaveOut(path, name, rt, doc.Failed, reasonOf(err))
		return nil
	}
	w.file(path, name, rt, info, rules.said, verdict.secret)
	return nil
}

func (w *walk) file(path, name string, rt root, info fs.FileInfo, s *said, wanted bool) {
	w.entries = append(w.entries, entry{
		path: path, name: name, rel: relative(name, rt.path), root: rt, size: info.Size(), mtimeNS: info.ModTime().UnixNano(), said: s, wanted: wanted,
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
