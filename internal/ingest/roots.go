package ingest

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ignore"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// metaRegistry is where a store keeps its registry.
const metaRegistry = "ingest.registry"

// A registry remembers which folders were taken in and what their sources are called, so that names
// stay the same from run to run. A root is a folder (or a file with a source name of its own) that
// documents' keys are relative to; a file that is ingested by itself belongs to the root that holds
// it, else to its folder, which becomes a root for the files directly in it alone. A file belongs to
// the deepest root that holds it, however a run came to it, and a root stays one: what a larger folder
// takes in later never moves it to another source, past what a person has said of the first. A
// source is known by its kind and the folder, mailbox or file that it is.
type registry struct {
	mu    sync.Mutex
	taken map[string]bool // source ids in use
	// Changes are counted, since names are given while others are being written.
	changes, written, stored int

	Roots   map[string]*rootInfo `json:"roots"`   // by stored path
	Sources map[string]string    `json:"sources"` // "kind|path" to source id
	// Mounts are folders that were seen on another device than the one above them. While one is not,
	// the files that stood in it are not gone.
	Mounts map[string]bool `json:"mounts,omitempty"`
	// Said is what the settings said last of what stands at and below a path.
	Said map[string]*said `json:"said,omitempty"`
}

// rootInfo is what a person said about a root.
type rootInfo struct {
	Source string   `json:"source,omitempty"` // as given with --source
	Kind   doc.Kind `json:"kind,omitempty"`   // the kind that a whole source id went to
	// Loose says that only files directly in it are of this root, since no run was given the folder.
	Loose bool `json:"loose,omitempty"`
	// Only are the globs, below it, of what is of this root, when that is not everything.
	Only []string `json:"only,omitempty"`

	only globs // Only, read
}

// whole reports whether everything in the folder is of the root.
func (i *rootInfo) whole() bool { return !i.Loose && len(i.Only) == 0 }

// means reports whether the globs of the root at p are about path.
func (i *rootInfo) means(p, path string) bool {
	if len(i.Only) == 0 || p == path {
		return false
	}
	if len(i.only) != len(i.Only) {
		i.only = nil
		for _, pattern := range i.Only {
			g, _ := ignore.ParseGlob("./" + pattern)
			i.only = append(i.only, g)
		}
	}
	return i.only.means(relative(path, p))
}

// also widens what is of the root by what is of another at the same place.
func (i *rootInfo) also(j *rootInfo) {
	if i.whole() || j.whole() {
		i.Loose, i.Only = false, nil
		return
	}
	i.Loose = i.Loose || j.Loose
	for _, p := range j.Only {
		if !slices.Contains(i.Only, p) {
			i.Only = append(i.Only, p)
		}
	}
	slices.Sort(i.Only)
}

// root is a root with its path.
type root struct {
	path string
	*rootInfo
}

func loadRegistry(ctx context.Context, s *store.Store) (*registry, error) {
	g := &registry{taken: map[string]bool{}}
	if s != nil {
		text, err := s.Meta(ctx, metaRegistry)
		if err != nil {
			return nil, err
		}
		if text != "" {
			if err := json.Unmarshal([]byte(text), g); err != nil {
				return nil, fmt.Errorf("read the names of sources: %w", err)
			}
		}
		sources, err := s.Sources(ctx, nil)
		if err != nil {
			return nil, err
		}
		for _, src := range sources {
			g.taken[src.SourceID] = true
		}
	}
	if g.Roots == nil {
		g.Roots = map[string]*rootInfo{}
	}
	if g.Mounts == nil {
		g.Mounts = map[string]bool{}
	}
	if g.Sources == nil {
		g.Sources = map[string]string{}
	}
	if g.Said == nil {
		g.Said = map[string]*said{}
	}
	for _, id := range g.Sources {
		g.taken[id] = true
	}
	return g, nil
}

// save writes the registry when it has changed.
func (g *registry) save(tx ledger) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.written = g.changes; g.written == g.stored {
		return nil
	}
	// Another process may have given names meanwhile.
	var theirs registry
	text, err := tx.Meta(metaRegistry)
	if err != nil {
		return err
	}
	if text != "" {
		if err := json.Unmarshal([]byte(text), &theirs); err != nil {
			return fmt.Errorf("read the names of sources: %w", err)
		}
	}
	for path, info := range theirs.Roots {
		if ours := g.Roots[path]; ours == nil {
			g.Roots[path] = info
		} else {
			ours.also(info)
		}
	}
	for key, id := range theirs.Sources {
		if _, ok := g.Sources[key]; !ok {
			g.Sources[key] = id
			g.taken[id] = true
		}
	}
	for path := range theirs.Mounts {
		g.Mounts[path] = true
	}
	for path, what := range theirs.Said {
		if g.Said[path] == nil {
			g.Said[path] = what
		}
	}
	b, err := json.Marshal(g)
	if err != nil {
		return fmt.Errorf("write the names of sources: %w", err)
	}
	return tx.SetMeta(metaRegistry, string(b))
}

// mounted remembers a folder that is another disk.
func (g *registry) mounted(path string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.Mounts[path] {
		g.Mounts[path] = true
		g.changes++
	}
}

// saved says that what save wrote last is on disk.
func (g *registry) saved() {
	g.mu.Lock()
	g.stored = g.written
	g.mu.Unlock()
}

// at returns the deepest root that holds a path, which is that of a file or a folder.
func (g *registry) at(path string, file bool) (root, bool) {
	return g.deepest(path, func(p string, info *rootInfo) bool {
		return info.whole() || p == path || info.Loose && file && p == parent(path) || info.means(p, path)
	})
}

// holding returns the deepest root that what stands at path is of, and not only the root that it is.
func (g *registry) holding(path string, file bool) (root, bool) {
	return g.deepest(path, func(p string, info *rootInfo) bool {
		return info.whole() || file && (p == path || info.Loose && p == parent(path)) || info.means(p, path)
	})
}

// whole returns the deepest root that holds all of a folder.
func (g *registry) whole(path string) (root, bool) {
	return g.deepest(path, func(_ string, info *rootInfo) bool { return info.whole() })
}

// deepest returns the deepest root at or above a path that holds it.
func (g *registry) deepest(path string, holds func(p string, info *rootInfo) bool) (root, bool) {
	for p := path; ; {
		if info, ok := g.Roots[p]; ok && holds(p, info) {
			return root{p, info}, true
		}
		up := parent(p)
		if up == p || up == "." {
			return root{}, false
		}
		p = up
	}
}

// rootsAt lists the roots that files at or below path may belong to.
func (g *registry) rootsAt(path string) []string {
	var out []string
	add := func(r root, ok bool) {
		if ok && !slices.Contains(out, r.path) {
			out = append(out, r.path)
		}
	}
	add(g.at(path, false))
	add(g.at(path, true))
	add(g.whole(path))
	for p := range g.Roots {
		if p != path && within(p, path) {
			out = append(out, p)
		}
	}
	return out
}

// source returns the id that a source is known by in identities, and the one that it is shown as.
func (g *registry) source(kind doc.Kind, rt root, extent string) (id, shown string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := string(kind) + "|" + extent
	id, ok := g.Sources[key]
	if !ok {
		name := sourceName(rt, extent)
		id = family(kind) + ":" + name
		for n := 2; g.taken[id]; n++ {
			id = fmt.Sprintf("%s:%s-%d", family(kind), name, n)
		}
		g.Sources[key] = id
		g.taken[id] = true
		g.changes++
	}
	if strings.Contains(rt.Source, ":") && rt.Kind == "" {
		rt.Kind = kind
		g.changes++
	}
	return id, shownAs(id, kind, *rt.rootInfo)
}

// sourceName is what a source is called after what it is.
func sourceName(rt root, extent string) string {
	name := base(extent)
	if extent != rt.path {
		name = mailboxName(name)
	}
	return cmp.Or(oneWord(name), "root")
}

// shownAs is what a source of a root is called to people.
func shownAs(id string, kind doc.Kind, info rootInfo) string {
	switch _, rest, whole := strings.Cut(info.Source, ":"); {
	case info.Source == "":
		return id
	case !whole:
		return family(kind) + ":" + info.Source
	case info.Kind == kind:
		return info.Source
	default:
		return family(kind) + ":" + rest
	}
}

// family is the platform that a source without one of its own is filed under.
func family(k doc.Kind) string {
	switch k {
	case doc.KindEmail:
		return "mail"
	case doc.KindChat:
		return "chat"
	}
	return "notes"
}

// mailboxName is the name of a file without its ending, or of a folder of Maildir++, whose dots part folders.
func mailboxName(name string) string {
	trimmed := strings.TrimLeft(name, ".")
	if trimmed != name {
		return cmp.Or(trimmed, name)
	}
	if i := strings.LastIndexByte(trimmed, '.'); i > 0 && len(trimmed)-i <= 6 {
		trimmed = trimmed[:i]
	}
	return cmp.Or(trimmed, name)
}

// oneWord makes every run of white space one blank and leaves out what would read as structure.
func oneWord(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "|", "-")), " ")
}

// adopt decides which root a target belongs to and remembers it.
func (g *registry) adopt(t *target) {
	g.mu.Lock()
	defer g.mu.Unlock()
	said := t.source
	own, ok := g.whole(t.name)
	if t.file {
		own, ok = g.at(t.name, true)
	}
	switch {
	case ok && (said == "" || own.Source == said):
		return
	case ok && own.path == t.name:
		own.Kind = g.kindOf(own, said)
		own.Source = said
		g.changes++
		return
	case ok:
		t.former = append(t.former, own.path)
	}
	path := t.name
	if t.file && said == "" {
		path = parent(path)
	}
	info := &rootInfo{Source: said, Loose: t.file && said == ""}
	for _, o := range t.only {
		if !slices.Contains(info.Only, o.Pattern()) {
			info.Only = append(info.Only, o.Pattern())
		}
	}
	slices.Sort(info.Only)
	if ok && said != "" {
		info.Kind = g.kindOf(own, said)
	}
	if was := g.Roots[path]; was != nil {
		info.also(was)
		if said == "" {
			info.Source, info.Kind = was.Source, was.Kind
		}
		if info.Source == was.Source && info.Kind == was.Kind && info.Loose == was.Loose && slices.Equal(info.Only, was.Only) {
			return
		}
	}
	g.Roots[path] = info
	g.changes++
}
