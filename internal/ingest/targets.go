package ingest

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ignore"
)

// A target is one path that the run was given.
type target struct {
	path   string // for the file system
	name   string // stored form
	file   bool
	only   globs    // what it is of the folder
	source string   // as given with --source
	former []string // roots whose files it takes
	row    int      // of run.rows
	err    error    // why its source is refused
}

// shown is what people call the target.
func (t target) shown() string {
	if len(t.only) == 0 {
		return t.name
	}
	return strings.TrimSuffix(t.name, "/") + "/" + t.only[0].Pattern()
}

// means reports whether a path at or below the target is what it names.
func (t target) means(name string) bool {
	return len(t.only) == 0 || name != t.name && t.only.means(relative(name, t.name))
}

// join makes t stand for another target of the same folder as well.
func (t *target) join(u target) {
	if len(t.only) == 0 || len(u.only) == 0 {
		t.only = nil
		return
	}
	t.only = append(t.only, u.only...)
}

// targets finds out what the paths of a command are. A path given twice or inside another one is taken
// once. An error means that a path must not be taken in under the name that was given.
func (r *run) targets(ctx context.Context, paths []string) ([]target, error) {
	out := r.find(0, r.o.SourceName, paths)
	slices.SortFunc(out, func(a, b target) int { return strings.Compare(a.name, b.name) })
	kept := out[:0]
	for _, t := range out {
		if !slices.ContainsFunc(kept, func(k target) bool { return within(t.name, k.name) }) {
			kept = append(kept, t)
		}
	}
	for i := range kept {
		if err := r.mayRename(ctx, kept[i]); err != nil {
			return nil, err
		}
	}
	for i := range kept {
		r.reg.adopt(&kept[i])
	}
	return kept, nil
}

// find looks at paths. What cannot be taken in at all is counted at once.
func (r *run) find(row int, source string, paths []string) []target {
	var out []target
	for _, p := range paths {
		t := target{row: row, source: source}
		if r.rows != nil {
			p = r.globbed(p, &t)
		}
		if t.err != nil {
			out = append(out, t)
			continue
		}
		real, err := r.o.FS.EvalSymlinks(p)
		var info fs.FileInfo
		if err == nil {
			info, err = r.o.FS.Lstat(real)
		}
		if err != nil {
			r.notThere(p, err)
			continue
		}
		t.path, t.name, t.file = real, stored(real), !info.IsDir()
		if t.file && !info.Mode().IsRegular() {
			r.count(FileResult{t.name, doc.Skipped, reasonNotRegular}, false)
			continue
		}
		if t.file {
			t.only = nil
		}
		out = append(out, t)
	}
	return out
}

// globbed splits a path with wild cards, unless there is something of that very name.
func (r *run) globbed(p string, t *target) string {
	slashed := filepath.ToSlash(p)
	if !ignore.HasWildcard(slashed) {
		return p
	}
	if _, err := r.o.FS.Lstat(p); err == nil {
		return p
	}
	g, ok := ignore.ParseGlob(slashed)
	if !ok {
		t.err = fmt.Errorf("%q has a bracket that is not closed; a name that holds one is written as [[]", p)
		return p
	}
	t.only = globs{g}
	if strings.HasSuffix(g.Base, ":") { // the root of a drive
		return filepath.FromSlash(g.Base + "/")
	}
	return filepath.FromSlash(g.Base)
}

// notThere counts a path at which nothing can be read.
func (r *run) notThere(p string, err error) {
	name := p
	if abs, e := filepath.Abs(p); e == nil {
		name = abs
	}
	name = stored(name)
	reason := reasonOf(err)
	if errors.Is(err, fs.ErrNotExist) {
		reason = "there is no such file or folder"
		if rt, ok := r.reg.at(name, false); ok && rt.path == name {
			r.note("%s is not there now. What was taken in from it stays; openhuman-core forget SOURCE removes it.", name)
		}
	}
	r.count(FileResult{name, doc.Failed, reason}, false)
}
