package ingest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/ignore"
)

// Files of patterns that count in the folder where they stand and below it.
const (
	ownIgnoreFile = ".openhumanignore"
	gitIgnoreFile = ".gitignore"
)

// lists are the patterns that stand in one folder.
type lists struct{ own, git *ignore.List }

// A level is one folder whose patterns count.
type level struct {
	dir string
	lists
}

// rules are what decides in a folder about what is left out, beside what a name looks like. What the
// settings say goes first, then .openhumanignore files and then .gitignore files, of each kind the
// nearest first.
type rules struct {
	said   *said
	from   string // where said counts from
	ignore *ignore.List
	levels []level // the outermost first
	// wanted says that the settings ask for the folder itself.
	wanted bool
}

// A verdict is what rules say of one name.
type verdict struct {
	reason string // why it is left out
	hidden bool   // taken in although it is hidden
	secret bool   // taken in whatever it looks like: only the settings can say so, no file in a folder
}

func (r rules) of(name string, dir bool) verdict {
	if m, ok := r.ignore.Match(relative(name, r.from), dir); ok {
		if m.Keep {
			return verdict{hidden: true, secret: true}
		}
		return verdict{reason: reasonIgnored + m.Rule}
	}
	for i := len(r.levels) - 1; i >= 0; i-- {
		if m, ok := r.levels[i].own.Match(relative(name, r.levels[i].dir), dir); ok {
			if m.Keep {
				return verdict{hidden: true}
			}
			return verdict{reason: reasonIgnored + m.Rule}
		}
	}
	if r.said != nil && r.said.NoGitignore {
		return verdict{}
	}
	for i := len(r.levels) - 1; i >= 0; i-- {
		if m, ok := r.levels[i].git.Match(relative(name, r.levels[i].dir), dir); ok {
			if m.Keep {
				return verdict{}
			}
			return verdict{reason: reasonIgnored + m.Rule}
		}
	}
	return verdict{}
}

// rules adds what counts from a folder on. An error means that what was to be left out is not known.
func (w *walk) rules(path, name string, list []fs.DirEntry, above rules) (rules, error) {
	r := above
	r.wanted = false
	if s, ok := w.r.reg.Said[name]; ok {
		r.said, r.from = s, name
		r.ignore = ignore.Patterns(s.Ignore, "the settings")
	}
	has := func(file string) bool {
		i, ok := slices.BinarySearchFunc(list, file, func(de fs.DirEntry, s string) int { return strings.Compare(de.Name(), s) })
		return ok && !list[i].IsDir()
	}
	own, git := has(ownIgnoreFile), has(gitIgnoreFile)
	if !own && !git {
		return r, nil
	}
	l := lists{}
	var err error
	if own {
		if l.own, err = w.patterns(path, ownIgnoreFile); err != nil {
			return r, err
		}
	}
	if git {
		if l.git, err = w.patterns(path, gitIgnoreFile); err != nil {
			return r, err
		}
	}
	if !l.own.Empty() || !l.git.Empty() {
		r.levels = append(slices.Clip(r.levels), level{name, l})
	}
	return r, nil
}

// rulesAbove are the rules of the folders between the root and a target, so that a part of a root is
// taken in as the whole is.
func (w *walk) rulesAbove(t target, rt root) rules {
	var r rules
	if s, from := w.r.reg.saidOf(t.name); s != nil {
		r.said, r.from, r.ignore = s, from, ignore.Patterns(s.Ignore, "the settings")
	}
	if !within(t.name, rt.path) || t.name == rt.path {
		return r
	}
	path := t.path
	for name := parent(t.name); within(name, rt.path); name = parent(name) {
		path = filepath.Dir(path)
		var l lists
		// What cannot be read here stands outside what was asked for.
		l.own, _ = w.patterns(path, ownIgnoreFile)
		l.git, _ = w.patterns(path, gitIgnoreFile)
		if !l.own.Empty() || !l.git.Empty() {
			r.levels = append(r.levels, level{name, l})
		}
		if name == rt.path || name == parent(name) {
			break
		}
	}
	slices.Reverse(r.levels)
	return r
}

// patterns reads a file of patterns.
func (w *walk) patterns(dir, file string) (*ignore.List, error) {
	path := filepath.Join(dir, file)
	fail := func(err error) error {
		return fmt.Errorf("folder: its %s cannot be read (%s), so that nobody knows what to leave out", file, reasonOf(err))
	}
	info, err := w.r.o.FS.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, fail(err)
	case !info.Mode().IsRegular():
		return nil, nil
	case info.Size() > ignore.MaxSize:
		return nil, fail(fmt.Errorf("it is larger than %d bytes", ignore.MaxSize))
	}
	f, err := w.r.o.FS.Open(path)
	if err != nil {
		return nil, fail(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, ignore.MaxSize))
	if err != nil {
		return nil, fail(err)
	}
	return ignore.Parse(text, file), nil
}
