package ingest

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/archive"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// An archive is taken in as the folder that it unpacks to: what walks folders walks it, each file in it is
// a file of its own, with an outcome, and readers see no difference. Its name is that of the archive and
// "!/" before the path in it: a name that no other file has, but for a folder whose name ends in "!" beside
// a file that has the rest of its name.

// inArchive stands between an archive's name and what is in it.
const inArchive = "!/"

// An opened is an archive whose entries are on their way.
type opened struct {
	*archive.Archive
	entry  entry
	rel    string // that of its entry
	depth  int    // how many archives it stands in, with itself
	budget *archive.Budget
}

// isArchive reports whether an entry is taken in as an archive. One that is a document, such as an office
// file, or the export of chats is not, unless it holds more than that.
func (p *pipe) isArchive(e entry, in *doc.Input, f Format, ok bool) bool {
	kind := archive.Sniff(in.Head)
	switch {
	case kind == archive.None:
		return false
	case !ok, f.AnyText:
		return true
	}
	return kind == archive.Zip && f.Kind == doc.KindChat && p.mixed(e, in)
}

// unpack sends the jobs of what is in an archive, and then its own.
func (p *pipe) unpack(ctx context.Context, j *job) bool {
	e := j.e
	settling := p.again != nil
	j.packed = true
	depth, around := 1, (*archive.Budget)(nil)
	if e.in != nil {
		depth, around = e.in.depth+1, e.in.budget
	}
	limits := p.run.o.Limits.Archive
	fail := func(o doc.Outcome, reason string) bool {
		if settling {
			if j.done != nil {
				j.done()
			}
			return true
		}
		j.packed, j.report = false, doc.Report{Outcome: o, Reason: reason}
		j.e.cost = e.size
		if o == doc.Skipped {
			j.gone = p.within(e.name)
		}
		return p.send(ctx, j)
	}
	if depth > limits.Depth {
		return fail(doc.Skipped, fmt.Sprintf("an archive that stands in %d others, which is deeper than any is looked into", limits.Depth))
	}
	head, err := p.head(e)
	if err != nil {
		return fail(doc.Failed, reasonOf(err))
	}
	budget := archive.NewBudget(limits, e.size, around)
	a, err := archive.Open(ctx, archive.Input{
		Path: e.path, Size: e.size, ModTime: time.Unix(0, e.mtimeNS).UTC(), Head: head, Closed: j.done,
		Open: func() (doc.File, error) { return p.fs(e).Open(e.path) },
	}, limits, budget, p.run.o.Temp)
	switch {
	case ctx.Err() != nil:
		if j.done != nil {
			j.done()
		}
		return false
	case errors.Is(err, archive.ErrPackage):
		return fail(doc.Skipped, err.Error())
	case err != nil:
		return fail(doc.Failed, reasonOf(err))
	}
	defer a.Close()
	j.done = nil // Closed is told
	in := &opened{a, e, e.rel, depth, budget}
	entries, err := p.listing(ctx, e, in)
	if err != nil {
		return false
	}
	p.run.meter.inside(len(entries))
	met := map[string]bool{}
	before := p.within(e.name)
	packed := max(a.Unpacked(), 1)
	left := e.onDisk()
	for _, x := range entries {
		if len(before) > 0 {
			met[x.name] = true
		}
		if _, waits := p.again[x.name]; settling && !waits && !p.leads(x.name) {
			continue
		}
		x.cost = int64(float64(x.size) / float64(packed) * float64(e.onDisk()))
		left -= x.cost
		if !p.offer(ctx, x, -1) {
			return false
		}
	}
	if settling {
		return true
	}
	j.e.cost = max(left, 0)
	for _, name := range before {
		// What stood in an archive in this one is that one's to judge.
		if _, ok := archiveOf(name, func(s string) bool { return met[s] }); !ok && !met[name] {
			j.gone = append(j.gone, name)
		}
	}
	j.finish = func() doc.Report {
		j.retry = a.Trouble()
		switch over := budget.Err(); {
		case a.Damage != "":
			return doc.Report{Outcome: doc.Partial, Reason: "read in part: " + a.Damage}
		case over != nil:
			return doc.Report{Outcome: doc.Partial, Reason: "read in part: " + over.Error()}
		case len(entries) == 0:
			return doc.Report{Outcome: doc.NoText, Reason: "there is nothing in it"}
		}
		return doc.Report{Outcome: doc.OK}
	}
	return p.send(ctx, j)
}

// listing is what is in an archive, as a walk over the folder would.
func (p *pipe) listing(ctx context.Context, e entry, in *opened) ([]entry, error) {
	w := p.walkOf(in)
	top := e.name + "!"
	if err := w.dir(ctx, target{path: e.path + "!", name: top}, e.path+"!", top, e.root, device{}, 0, p.rulesAt(e)); err != nil {
		return nil, err
	}
	refused := map[string]string{}
	for _, r := range in.Refused {
		refused[r.Name] = r.Reason
	}
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		w.entries = append(w.entries, entry{name: top + "/" + name, root: e.root, outcome: doc.Skipped, reason: refused[name]})
	}
	for i := range w.entries {
		x := &w.entries[i]
		x.in = in
		x.inner = strings.TrimPrefix(x.name, top+"/")
		x.rel = e.rel + inArchive + x.inner
		if why := in.Refusal(x.path); why != "" && x.reason == reasonNotRegular {
			x.reason = why
		}
	}
	if in.InOrder() {
		slices.SortStableFunc(w.entries, func(x, y entry) int { return in.Position(x.path) - in.Position(y.path) })
	}
	return w.entries, nil
}

// walkOf returns a walk through an archive. Nobody is told of what it meets.
func (p *pipe) walkOf(in *opened) *walk {
	r := &run{o: p.run.o, reg: p.run.reg, meter: &meter{now: p.run.o.Now}}
	r.o.FS, r.o.Visited = in, nil
	return &walk{r: r, dirs: map[string]dirState{}, met: map[string]int{}, mounts: map[string]bool{}, starts: map[string]bool{}}
}

// rulesAt are the rules that count where an entry stands.
func (p *pipe) rulesAt(e entry) rules {
	if e.in == nil {
		return (&walk{r: p.run}).rulesAbove(target{path: e.path, name: e.name}, e.root)
	}
	r := p.rulesAt(e.in.entry)
	w := p.walkOf(e.in)
	path, name := e.in.entry.path+"!", e.in.entry.name+"!"
	parts := strings.Split(filepath.ToSlash(strings.TrimPrefix(e.path, path)), "/")
	for _, part := range parts[1:] { // up to the folder that it stands in
		if list, err := w.r.o.FS.ReadDir(path); err == nil {
			if below, err := w.rules(path, name, list, r); err == nil {
				r = below
			}
		}
		path, name = filepath.Join(path, part), name+"/"+stored(part)
	}
	return r
}

// print is what a fingerprint says of rules.
func (r rules) print() string {
	h := fnv.New64a()
	fmt.Fprintf(h, "%q %v", r.ignore.String(), r.said != nil && r.said.NoGitignore)
	for _, l := range r.levels {
		fmt.Fprintf(h, "%q %q %q", l.dir, l.own.String(), l.git.String())
	}
	return fmt.Sprintf(" %016x", h.Sum64())
}

// place has a document of an archive's entry say where it stands: readers know nothing of the archive.
func (e entry) place(d *doc.Document) {
	if e.in == nil {
		return
	}
	into := func(s *string) {
		if rest, ok := strings.CutPrefix(*s, e.inner); ok && (rest == "" || strings.ContainsRune("#!/", rune(rest[0]))) {
			*s = e.rel + rest
		}
	}
	if d.SourceID == "" {
		into(&d.Key)
	}
	into(&d.SourceRef)
	for i := range d.Places {
		into(&d.Places[i].Ref)
	}
	for i := range d.Messages {
		into(&d.Messages[i].SourceRef)
	}
}

// onDisk is about how many bytes of a file on disk an entry is.
func (e entry) onDisk() int64 {
	if e.in != nil {
		return e.cost
	}
	return e.size
}

// packedNames are the names of what is known to stand in archives, sorted.
func packedNames(known map[string]store.FileRecord) []string {
	var out []string
	for name := range known {
		if _, ok := archiveOf(name, func(s string) bool { _, ok := known[s]; return ok }); ok {
			out = append(out, name)
		}
	}
	slices.Sort(out)
	return out
}

// archiveOf returns the outermost file that something stands in by its name, if is knows it as a file.
func archiveOf(name string, is func(string) bool) (string, bool) {
	for at := 0; ; {
		i := strings.Index(name[at:], inArchive)
		if i < 0 {
			return "", false
		}
		if at += i; is(name[:at]) {
			return name[:at], true
		}
		at += len(inArchive)
	}
}

// within lists what is known to stand in a file.
func (p *pipe) within(name string) []string {
	prefix := name + inArchive
	i, _ := slices.BinarySearch(p.inside, prefix)
	n := i
	for n < len(p.inside) && strings.HasPrefix(p.inside[n], prefix) {
		n++
	}
	return p.inside[i:n]
}

// leads reports whether what is to be read again stands in a file.
func (p *pipe) leads(name string) bool {
	for s := range p.again {
		if strings.HasPrefix(s, name+inArchive) {
			return true
		}
	}
	return false
}

// complete reports whether all that is known to stand in an archive was taken in to its end.
func (p *pipe) complete(e entry) bool {
	names := p.within(e.name)
	if len(names) == 0 && p.known[e.name].Outcome == string(doc.OK) {
		return false // such an archive has entries
	}
	for _, name := range names {
		if f := p.known[name]; !f.Complete || f.Root != e.root.path {
			return false
		}
	}
	return true
}

// idle sends the jobs of an archive that is as it was.
func (p *pipe) idle(ctx context.Context, j *job) bool {
	names := p.within(j.e.name)
	p.run.meter.inside(len(names))
	for _, name := range names {
		f := p.known[name]
		x := p.newJob(entry{name: name, root: j.e.root, in: j.e.in}, -1)
		x.unchanged, x.report = true, doc.Report{Outcome: doc.Outcome(f.Outcome), Reason: f.Reason}
		if !p.send(ctx, x) {
			return false
		}
	}
	j.packed, j.e.cost = true, j.e.onDisk()
	return p.send(ctx, j)
}
