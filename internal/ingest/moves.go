package ingest

import (
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"github.com/openhuman/openhuman-core/pkg/store"
)

// A file that was moved within its root stays what it was: what is new under one path and gone under
// another, with the same size and beginning, is one file. Its documents keep the names in the store
// that the first path gave them, and so the ids of their chunks, with vectors and summaries. That path is
// the file's origin, and it is kept at the end of its fingerprint, before a sum of the file's beginning.
// A file that comes to where another was at the last look is that one, changed: files that have swapped
// their names are taken in anew.

// withOrigin returns a fingerprint that holds an origin; "" is none.
func withOrigin(where, origin string) string {
	if origin == "" {
		return where
	}
	return where + "\n" + strconv.Quote(origin)
}

// originOf returns the origin in a fingerprint.
func originOf(fingerprint string) string {
	_, rest, _ := strings.Cut(fingerprint, "\n")
	quoted, err := strconv.QuotedPrefix(rest)
	if err != nil {
		return ""
	}
	origin, _ := strconv.Unquote(quoted) // it is what QuotedPrefix found
	return origin
}

// sumOf is the sum of the beginning of a file.
func sumOf(head []byte) string {
	h := fnv.New64a()
	h.Write(head)
	return fmt.Sprintf("#%016x", h.Sum64())
}

// splitSum parts a fingerprint from the sum at its end.
func splitSum(fingerprint string) (rest, sum string) {
	if at := len(fingerprint) - len(sumOf(nil)); at >= 0 && fingerprint[at] == '#' {
		return fingerprint[:at], fingerprint[at:]
	}
	return fingerprint, ""
}

// another is an origin that is not path but has its name: that one stands for another file now, which came
// from there. No path has two slashes in a row.
func another(path string, taken map[string]bool) string {
	at := strings.LastIndexByte(path, '/')
	for slashes := "//"; ; slashes += "/" {
		if o := path[:at] + slashes + path[at+1:]; !taken[o] {
			return o
		}
	}
}

// as is the entry as if it stood at its origin.
func (e entry) as() entry {
	if e.origin != "" {
		e.name, e.rel = e.origin, relative(e.origin, e.root.path)
	}
	return e
}

// key is the key of a document of an entry, which the reader made from the path where it stands now.
func (e entry) key(key string) string {
	if e.origin == "" {
		return key
	}
	if rest, ok := strings.CutPrefix(key, e.rel); ok {
		return e.as().rel + rest
	}
	return key
}

// moves finds the files that have moved, and gives every entry its origin.
func (r *run) moves(ctx context.Context, w *walk, targets []target, known map[string]store.FileRecord) error {
	if r.o.Store == nil {
		return nil
	}
	from := r.moved(w, targets, known)
	taken := map[string]bool{}
	for _, f := range known {
		if o := originOf(f.Fingerprint); o != "" {
			taken[o] = true
		}
	}
	if len(from) == 0 && len(taken) == 0 {
		return nil
	}
	var paths []string
	for to, was := range from {
		f := known[was]
		if originOf(f.Fingerprint) == "" {
			rest, sum := splitSum(f.Fingerprint)
			f.Fingerprint = withOrigin(rest, was) + sum
			taken[was] = true
		}
		f.Path, f.Complete = to, false
		delete(known, was)
		known[to] = f
		paths = append(paths, to)
	}
	slices.Sort(paths)
	for part := range slices.Chunk(paths, 500) {
		err := r.update(ctx, func(tx ledger) error {
			for _, to := range part {
				if err := tx.MoveFile(from[to], to, known[to].Fingerprint); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	r.sum.Moved = len(paths)
	for i := range w.entries {
		e := &w.entries[i]
		e.origin = originOf(known[e.name].Fingerprint)
		if e.origin == "" && taken[e.name] {
			e.origin = another(e.name, taken)
			taken[e.origin] = true
		}
	}
	return nil
}

// A look is what tells a file from others that are gone.
type look struct {
	root string
	size int64
	sum  string
}

// moved returns where files have come from, by where they are.
func (r *run) moved(w *walk, targets []target, known map[string]store.FileRecord) map[string]string {
	var fresh []*entry
	for i := range w.entries {
		e := &w.entries[i]
		if _, ok := known[e.name]; !ok && e.outcome == "" && e.size > 0 {
			fresh = append(fresh, e)
		}
	}
	if len(fresh) == 0 {
		return nil
	}
	left, sizes := r.left(w, targets, known)
	if len(left) == 0 {
		return nil
	}
	looks := map[string]look{}
	for _, e := range fresh {
		if !sizes[e.size] {
			continue
		}
		// What cannot be read is said when it is its turn.
		if head, err := (&pipe{run: r}).head(*e); err == nil {
			looks[e.name] = look{e.root.path, e.size, sumOf(head)}
		}
	}
	from := map[string]string{}
	// Those that kept their name first, so that files that are alike are not mixed up.
	for _, sameName := range []bool{true, false} {
		for _, e := range fresh {
			k, ok := looks[e.name]
			if !ok || from[e.name] != "" {
				continue
			}
			i := slices.IndexFunc(left[k], func(name string) bool { return !sameName || base(name) == base(e.name) })
			if i >= 0 {
				from[e.name] = left[k][i]
				left[k] = slices.Delete(left[k], i, i+1)
			}
		}
	}
	return from
}

// left returns the files that are gone, and their sizes.
func (r *run) left(w *walk, targets []target, known map[string]store.FileRecord) (map[look][]string, map[int64]bool) {
	met := make(map[string]bool, len(w.entries))
	for i := range w.entries {
		met[w.entries[i].name] = true
	}
	left, sizes := map[look][]string{}, map[int64]bool{}
	for name, f := range known {
		_, sum := splitSum(f.Fingerprint)
		if f.Documents == 0 || met[name] || sum == "" || readerOf(f.Fingerprint) == archiveReader {
			continue
		}
		if slices.ContainsFunc(targets, func(t target) bool {
			return !t.file && within(name, t.name) && name != t.name && t.means(name) && w.met[t.name] > 0 && w.gone(name, t.name)
		}) {
			k := look{f.Root, f.Size, sum}
			left[k] = append(left[k], name)
			sizes[f.Size] = true
		}
	}
	for _, names := range left {
		slices.Sort(names)
	}
	return left, sizes
}
