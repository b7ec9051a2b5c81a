package ingest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// joins finds out which folders that are met for the first time are in the memory already, by an export of
// another memory that they were taken into. Such a folder goes to the source that the export named; else
// each of its texts would be there twice. A name in common is not enough: more than half of the documents
// of one side must be called what the files of the other would be.
func (r *run) joins(ctx context.Context, entries []entry) error {
	if r.o.Store == nil {
		return nil
	}
	wanted := map[string]string{} // root to source id
	for _, e := range entries {
		root := e.as().root
		if _, seen := wanted[root.path]; !seen {
			wanted[root.path] = r.reg.exported(root)
		}
	}
	for _, path := range slices.Sorted(maps.Keys(wanted)) {
		id := wanted[path]
		if id == "" {
			continue
		}
		names, err := r.o.Store.Identities(ctx, id)
		if err != nil {
			return err
		}
		there := make(map[string]bool, len(names))
		for _, n := range names {
			there[n] = true
		}
		files, met := 0, 0
		for _, e := range entries {
			if e = e.as(); e.root.path != path {
				continue
			}
			files++
			if there[identity(id, &doc.Document{Key: e.rel})] {
				met++
			}
		}
		if 2*met > min(files, len(names)) {
			r.reg.join(path, id)
		}
	}
	return nil
}

// exported returns the id that the documents of a root would go to, if it is met for the first time and a
// source has that id which is that of no other folder.
func (g *registry) exported(rt root) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, known := g.Sources[string(doc.KindDocument)+"|"+rt.path]; known {
		return ""
	}
	id := fmt.Sprintf("%s:%s", family(doc.KindDocument), sourceName(rt, rt.path))
	if !g.taken[id] {
		return ""
	}
	for _, other := range g.Sources {
		if other == id {
			return ""
		}
	}
	return id
}

// join gives a root the id of a source that is there, unless another root has got it.
func (g *registry) join(path, id string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, other := range g.Sources {
		if other == id {
			return
		}
	}
	g.Sources[string(doc.KindDocument)+"|"+path] = id
	g.changes++
}
