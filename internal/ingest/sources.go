package ingest

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ignore"
)

// A Source is what the settings say of the files at some paths.
type Source struct {
	// Label is what the row is called to people.
	Label string
	// Paths are absolute; they may be globs, as package ignore knows them.
	Paths []string
	// Name is as Options.SourceName.
	Name string
	// Kind, when set, has only readers of that kind asked.
	Kind doc.Kind
	// Owner is whose the documents are that do not say.
	Owner string
	// Tags are given to every document.
	Tags []string
	// Ignore are patterns as in .gitignore, below the folder of each path.
	Ignore []string
	// NoGitignore has .gitignore files ignored themselves.
	NoGitignore bool
}

// A SourceError says why nothing was taken in for a source.
type SourceError struct {
	Label string
	Err   error
}

// Sync takes in what sources name, in one run. A source that cannot be is told in Summary.Refused
// and stops no other.
func Sync(ctx context.Context, o Options, sources []Source) (Summary, error) {
	return start(ctx, o, func(ctx context.Context, r *run) ([]target, error) {
		r.rows = sources
		var all []target
		for i := range sources {
			all = append(all, r.find(i, sources[i].Name, sources[i].Paths)...)
		}
		return r.admit(ctx, all)
	})
}

// said is what a person has said of the files at and below a path beside the name of the source. It is
// kept, so that a later run over the same files by another command does the same.
type said struct {
	Kind        doc.Kind `json:"kind,omitempty"`
	Owner       string   `json:"owner,omitempty"`
	Tags        []string `json:"tags,omitempty"`
	Ignore      []string `json:"ignore,omitempty"`
	NoGitignore bool     `json:"no_gitignore,omitempty"`
}

func (s *said) equal(t *said) bool {
	if s == nil || t == nil {
		return s == t
	}
	return s.Kind == t.Kind && s.Owner == t.Owner && slices.Equal(s.Tags, t.Tags) && slices.Equal(s.Ignore, t.Ignore) && s.NoGitignore == t.NoGitignore
}

// print is the part of a file's fingerprint that says what was said of it.
func (s *said) print() string {
	if s == nil || s.Kind == "" && s.Owner == "" && len(s.Tags) == 0 {
		return ""
	}
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %q %q", s.Kind, s.Owner, s.Tags)
	return fmt.Sprintf(" %016x", h.Sum64())
}

// on has a document say what was said of its file.
func (s *said) on(d *doc.Document) {
	if s == nil {
		return
	}
	if d.Owner == "" {
		d.Owner = s.Owner
	}
	if len(s.Tags) > 0 {
		d.Tags = append(slices.Clip(d.Tags), s.Tags...)
	}
}

// takes reports whether a format is asked.
func (s *said) takes(f Format) bool {
	return s == nil || s.Kind == "" || f.Kind == "" || f.Kind == s.Kind
}

// globs are what a target takes of its folder; none means all of it.
type globs []ignore.Glob

// means reports whether a path below the folder is meant.
func (g globs) means(rel string) bool {
	return len(g) == 0 || slices.ContainsFunc(g, func(x ignore.Glob) bool { return x.Match(rel) })
}

// leads reports whether something below the folder rel may be meant.
func (g globs) leads(rel string) bool {
	return len(g) == 0 || slices.ContainsFunc(g, func(x ignore.Glob) bool { return x.Leads(rel) })
}

// admit has the targets take their names and rules in the registry. Those of a source that must not are
// left out with it.
func (r *run) admit(ctx context.Context, all []target) ([]target, error) {
	slices.SortStableFunc(all, func(a, b target) int { return strings.Compare(a.name, b.name) })
	refused := map[int]error{}
	refuse := func(row int, err error) {
		if refused[row] == nil {
			refused[row] = err
		}
	}
	for _, t := range all {
		if t.err != nil {
			refuse(t.row, t.err)
		}
	}
	var kept []target
	for _, t := range all {
		clash := slices.IndexFunc(kept, func(k target) bool { return k.name == t.name })
		switch {
		case refused[t.row] != nil:
			continue
		case clash >= 0 && kept[clash].row == t.row:
			kept[clash].join(t)
			continue
		case clash >= 0 && refused[kept[clash].row] == nil:
			refuse(t.row, fmt.Errorf("%s is in %s already; put both into one row, or the files into folders of their own", t.shown(), r.rows[kept[clash].row].Label))
			continue
		}
		t.source = r.rows[t.row].Name
		if err := r.mayRename(ctx, t); err != nil {
			if ctx.Err() != nil {
				return nil, err
			}
			refuse(t.row, err)
			continue
		}
		kept = append(kept, t)
	}
	kept = slices.DeleteFunc(kept, func(t target) bool { return refused[t.row] != nil })
	for row, s := range r.rows {
		if err := refused[row]; err != nil {
			r.sum.Refused = append(r.sum.Refused, SourceError{s.Label, err})
		}
	}
	for i := range kept {
		r.reg.adopt(&kept[i])
		s := r.rows[kept[i].row]
		r.reg.tell(kept[i].name, &said{Kind: s.Kind, Owner: s.Owner, Tags: s.Tags, Ignore: s.Ignore, NoGitignore: s.NoGitignore})
	}
	return kept, nil
}

// tell remembers what was said of a path.
func (g *registry) tell(path string, s *said) {
	g.mu.Lock()
	defer g.mu.Unlock()
	was := g.Said[path]
	if was == nil && s.equal(&said{}) || s.equal(was) {
		return
	}
	g.Said[path] = s
	g.changes++
}

// saidOf returns what was said last of a path or of the nearest folder above it, and of which.
func (g *registry) saidOf(path string) (*said, string) {
	if len(g.Said) == 0 {
		return nil, ""
	}
	for p := path; ; {
		if s, ok := g.Said[p]; ok {
			return s, p
		}
		up := parent(p)
		if up == p || up == "." {
			return nil, ""
		}
		p = up
	}
}
