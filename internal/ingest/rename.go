package ingest

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// mayRename refuses a name for what is in the store under another one. Rules such as a denied source
// are about names: text that changed its source with a word on a command line would be served past
// them. Forgetting the old source first makes the change a visible one.
func (r *run) mayRename(ctx context.Context, t target) error {
	if t.source == "" || r.o.Store == nil {
		return nil
	}
	owners := map[string]root{}
	if rt, ok := r.reg.at(t.name, t.file); ok {
		owners[rt.path] = rt
	}
	if rt, ok := r.reg.whole(t.name); ok {
		owners[rt.path] = rt
	}
	var left []string
	for _, rt := range owners {
		held, err := r.o.Store.SourcesOf(ctx, t.name, rt.path)
		if err != nil {
			return err
		}
		if t.file { // it may be an archive
			packed, err := r.o.Store.SourcesOf(ctx, t.name+"!", rt.path)
			if err != nil {
				return err
			}
			held = append(held, packed...)
		}
		for _, id := range r.reg.leaving(rt, held, t.source) {
			if !slices.Contains(left, id) {
				left = append(left, id)
			}
		}
	}
	if len(left) == 0 {
		return nil
	}
	slices.Sort(left)
	quoted := make([]string, len(left))
	for i, id := range left {
		quoted[i] = fmt.Sprintf("openhuman-core forget %q", id)
	}
	return fault.New(fault.Invalid, "%s is in the memory as %s already, so --source %q would move it to another source.", t.name, strings.Join(left, " and "), t.source).
		WithHint("Leave --source out to keep it there. To give it the new name, remove it under the old one first: %s", strings.Join(quoted, "; "))
}

// leaving returns those of the held sources that are named after a root and would be called otherwise
// if it had the given name. Sources that documents name themselves stay what they are.
func (g *registry) leaving(rt root, held []string, name string) []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	next := rootInfo{Source: name, Kind: g.kindOf(rt, name)}
	var out []string
	for key, id := range g.Sources {
		k, extent, _ := strings.Cut(key, "|")
		if !within(extent, rt.path) && !within(extent, rt.path+"!") {
			continue
		}
		kind := doc.Kind(k)
		was := shownAs(id, kind, *rt.rootInfo)
		if was == shownAs(id, kind, next) {
			continue
		}
		for _, h := range held {
			if h == was || h == was+"-"+k { // see kinds.fit
				out = append(out, h)
			}
		}
	}
	return out
}

// kindOf returns the kind of the source of a root that has this name already, "" when none has.
func (g *registry) kindOf(rt root, name string) doc.Kind {
	for key, id := range g.Sources {
		if k, extent, _ := strings.Cut(key, "|"); (within(extent, rt.path) || within(extent, rt.path+"!")) && shownAs(id, doc.Kind(k), *rt.rootInfo) == name {
			return doc.Kind(k)
		}
	}
	return ""
}

// sourcesOf returns the sources for which files at or below a path hold documents after what was written.
func (r *run) sourcesOf(ctx context.Context, path, root string) ([]string, error) {
	if r.dry != nil {
		return r.dry.sourcesOf(ctx, path, root)
	}
	return r.o.Store.SourcesOf(ctx, path, root)
}

// told is how many roots a run names.
const told = 3

// tellRoots says which of what was met is in other sources than the folder that was given suggests.
func (r *run) tellRoots(ctx context.Context, w *walk, targets []target) error {
	for _, t := range targets {
		rt, ok := r.reg.whole(t.name)
		if t.file || !ok || rt.path == t.name || t.source != "" {
			continue
		}
		held, err := r.sourcesOf(ctx, t.name, rt.path)
		if err != nil {
			return err
		}
		if len(held) > 0 {
			r.note("%s is part of %s, which was taken in before: what it holds is in %s.", t.name, rt.path, strings.Join(held, ", "))
		}
	}
	more := 0
	for _, rt := range w.nested {
		held, err := r.sourcesOf(ctx, rt.path, rt.path)
		if err != nil {
			return err
		}
		if len(held) == 0 {
			continue
		}
		if more++; more > told {
			continue
		}
		what := rt.path
		if rt.Loose {
			what = "What stands directly in " + rt.path
		}
		r.note("%s was taken in by itself before and stays in %s.", what, strings.Join(held, ", "))
	}
	if more -= told; more > 0 {
		r.note("So do %d more folders.", more)
	}
	return nil
}
