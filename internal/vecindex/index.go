// Package vecindex finds the chunks whose vectors lie nearest to those of a question. It reads the
// image of vectors that all processes share, and what the store has written and removed since; where
// there is no usable image, everything comes from the store. It also writes that image. It makes no
// vectors, and it decides neither what may be seen nor how much nearness is worth.
package vecindex

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/openhuman/openhuman-core/internal/vecimage"
	"github.com/openhuman/openhuman-core/internal/vecset"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// Store is the part of the store that the index reads.
type Store interface {
	VectorState(ctx context.Context) (store.VectorState, error)
	Vectors(ctx context.Context, since store.VectorState, to store.VectorChanges) (store.VectorState, error)
}

// Index is a controller.VectorIndex over a store. It is safe for concurrent use.
type Index struct {
	store Store
	dir   string

	mu   sync.Mutex // over what follows; held while a view is brought up to date
	view *view
}

var _ controller.VectorIndex = (*Index)(nil)

// New returns an index over s, whose images lie in the folder dir; "" is for a store without any.
// Nothing is read before the first question.
func New(s Store, dir string) *Index { return &Index{store: s, dir: dir} }

// Close gives the memory back. Questions that are being answered end first.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	v := x.view
	x.view = nil
	return v.release()
}

// A view is the state of the vectors at one moment. It does not change; the next one takes over
// from it what is the same.
type view struct {
	state store.VectorState
	image *mapping // nil: everything comes from the store
	parts []part
}

// A part is a set with the rows of it that are gone.
type part struct {
	model  string
	set    vecset.Set
	dead   vecset.Bits
	mapped bool // the set lies in the image
}

// mapping counts who uses an image.
type mapping struct {
	*vecimage.Image
	mu   sync.Mutex
	uses int
}

func (v *view) hold() {
	if v.image != nil {
		v.image.mu.Lock()
		v.image.uses++
		v.image.mu.Unlock()
	}
}

func (v *view) release() error {
	if v == nil || v.image == nil {
		return nil
	}
	m := v.image
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.uses--; m.uses > 0 {
		return nil
	}
	return m.Close()
}

// Models returns the models that have vectors: the fingerprints without what extends them.
func (x *Index) Models(ctx context.Context) ([]string, error) {
	v, err := x.current(ctx)
	if err != nil {
		return nil, err
	}
	defer v.release() //nolint:errcheck // read-only
	var names []string
	for _, p := range v.parts {
		space := vecset.Space(p.model)
		if p.set.Len() > p.dead.Count() && !slices.Contains(names, space) {
			names = append(names, space)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Nearest implements controller.VectorIndex.
func (x *Index) Nearest(ctx context.Context, queries []controller.QueryVector, k int, allow func(int64) bool) ([]controller.Neighbour, error) {
	return x.find(ctx, queries, vecset.Options{Limit: k, Allow: allow})
}

// Compare implements controller.VectorIndex.
func (x *Index) Compare(ctx context.Context, queries []controller.QueryVector, chunks []int64) ([]controller.Neighbour, error) {
	if len(chunks) == 0 {
		return nil, nil
	}
	among := slices.Compact(slices.Sorted(slices.Values(chunks)))
	return x.find(ctx, queries, vecset.Options{Limit: len(among), Among: among})
}

func (x *Index) find(ctx context.Context, queries []controller.QueryVector, o vecset.Options) ([]controller.Neighbour, error) {
	v, err := x.current(ctx)
	if err != nil {
		return nil, err
	}
	defer v.release() //nolint:errcheck // read-only
	found, err := v.nearest(ctx, queries, o)
	if !errors.Is(err, errUnreadable) {
		return found, err
	}
	whole, err := x.advance(ctx, &view{state: store.VectorState{Image: v.state.Image}})
	if err != nil {
		return nil, err
	}
	x.replace(v, whole)
	return whole.nearest(ctx, queries, o)
}

// replace puts v in the place of old, unless something newer already is there.
func (x *Index) replace(old, v *view) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.view == old {
		x.view = v
		old.release() //nolint:errcheck // read-only
	}
}

var errUnreadable = errors.New("the image of vectors cannot be read")

// guard makes a fault in mapped memory, which would end the process, an error. It is deferred.
func (v *view) guard(err *error) func() {
	before := debug.SetPanicOnFault(true)
	return func() {
		debug.SetPanicOnFault(before)
		r := recover()
		if r == nil {
			return
		}
		if _, fault := r.(interface{ Addr() uintptr }); !fault || v.image == nil {
			panic(r)
		}
		*err = errUnreadable
	}
}

func (v *view) nearest(ctx context.Context, queries []controller.QueryVector, o vecset.Options) (found []controller.Neighbour, err error) {
	defer v.guard(&err)()
	for _, q := range queries {
		prepared := vecset.NewQuery(q.Vector)
		var of []controller.Neighbour
		for i := range v.parts {
			p := &v.parts[i]
			if vecset.Space(p.model) != q.Model || p.set.Dims != len(q.Vector) {
				continue
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			o.Dead = p.dead
			for _, h := range p.set.Nearest(prepared, o) {
				of = append(of, controller.Neighbour{Chunk: h.Chunk, Part: h.Part, Model: q.Model, Cosine: h.Cosine})
			}
		}
		slices.SortStableFunc(of, nearer)
		found = append(found, of[:min(len(of), o.Limit)]...)
	}
	slices.SortStableFunc(found, nearer)
	return found, nil
}

func nearer(a, b controller.Neighbour) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(b.Chunk, a.Chunk))
}

// current returns a view of what the store holds now; the caller releases it.
func (x *Index) current(ctx context.Context) (*view, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for try := 0; ; try++ {
		state, err := x.store.VectorState(ctx)
		if err != nil {
			return nil, err
		}
		if x.view != nil && x.view.state == state {
			x.view.hold()
			return x.view, nil
		}
		base := x.view
		if base == nil || base.state.Image != state.Image || base.state.Last > state.Last || base.state.Dead > state.Dead {
			base = x.open(state)
		}
		next, err := x.advance(ctx, base)
		if base != x.view {
			base.release() //nolint:errcheck // read-only
		}
		if errors.Is(err, errUnreadable) {
			next, err = x.advance(ctx, &view{state: store.VectorState{Image: state.Image}})
		}
		switch {
		case errors.Is(err, errMoved) && try < 3:
			continue
		case err != nil:
			return nil, err
		}
		x.view.release() //nolint:errcheck // read-only
		x.view = next
		next.hold()
		return next, nil
	}
}

// open returns what the image that the store names holds, or nothing when that cannot be used.
func (x *Index) open(state store.VectorState) *view {
	empty := &view{state: store.VectorState{Image: state.Image}}
	if x.dir == "" || state.Image == "" {
		return empty
	}
	image, err := vecimage.Open(x.dir, state.Image)
	if err != nil {
		return empty
	}
	v := &view{
		state: store.VectorState{Image: state.Image, Last: image.Last, Dead: image.Dead},
		image: &mapping{Image: image, uses: 1},
	}
	if image.Last > state.Last || image.Dead > state.Dead {
		v.release() //nolint:errcheck // read-only
		return empty
	}
	for i, s := range image.Sections {
		v.parts = append(v.parts, part{model: s.Fingerprint, set: *image.Sets[i], mapped: true})
	}
	return v
}

// errMoved says that the store has got another image.
var errMoved = errors.New("the image of vectors was replaced")

// encodeFrom is from how many rows on what is not in an image gets codes too.
const encodeFrom = 8192

// advance returns the view that follows base: with what the store has written and removed since.
func (x *Index) advance(ctx context.Context, base *view) (next *view, err error) {
	defer base.guard(&err)()
	next = &view{image: base.image, parts: slices.Clone(base.parts)}
	var fresh map[int64]int // where the new vectors of a model go
	gone := make([][]int, len(next.parts))
	next.state, err = x.store.Vectors(ctx, base.state, store.VectorChanges{
		Models: func(models map[int64]store.ModelVectors) error {
			fresh = next.makeRoom(models)
			return nil
		},
		Dead: func(id int64) error {
			for i := range gone {
				if row, ok := next.parts[i].set.Find(id); ok {
					gone[i] = append(gone[i], row)
				}
			}
			return nil
		},
		Vector: func(v *store.StoredVector) error {
			if i, ok := fresh[v.Model]; ok && len(v.Data) > 0 {
				// A vector of another length than its model's is of no use, and no reason to answer nothing.
				_ = next.parts[i].set.Append(v.ID, v.Chunk, v.Part, v.Data)
			}
			return nil
		},
	})
	if err != nil {
		return nil, err
	}
	if next.state.Image != base.state.Image {
		return nil, errMoved
	}
	for i, rows := range gone {
		if p := &next.parts[i]; len(rows) > 0 {
			p.dead = p.dead.With(p.set.Len(), rows)
		}
	}
	for i := range next.parts {
		if p := &next.parts[i]; !p.mapped && p.set.Len() >= encodeFrom {
			p.set.Encode()
		}
	}
	next.hold()
	return next, nil
}

// makeRoom returns for each model which part its new vectors go to.
func (v *view) makeRoom(models map[int64]store.ModelVectors) map[int64]int {
	to := make(map[int64]int, len(models))
	for id, m := range models {
		i := slices.IndexFunc(v.parts, func(p part) bool { return !p.mapped && p.model == m.Fingerprint && p.set.Dims == m.Dims })
		if i < 0 && m.Count > 0 {
			i = len(v.parts)
			p := part{model: m.Fingerprint, set: *vecset.NewSet(m.Dims, m.Count)}
			for _, other := range v.parts { // codes are as good around the mean of the others
				if other.model == p.model && other.set.Dims == m.Dims {
					p.set.Mean = other.set.Mean
				}
			}
			v.parts = append(v.parts, p)
		}
		if i >= 0 {
			to[id] = i
		}
	}
	return to
}
