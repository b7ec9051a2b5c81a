package vecindex_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/vecimage"
	"github.com/openhuman/openhuman-core/internal/vecindex"
	"github.com/openhuman/openhuman-core/internal/vecset"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

const dims = 64

var models = []store.VectorModel{{Fingerprint: "encoder", Dims: dims}, {Fingerprint: "instant", Dims: dims}}

func unit(r *rand.Rand) []float32 {
	v := make([]float32, dims)
	var sum float64
	for i := range v {
		x := r.NormFloat64()
		v[i], sum = float32(x), sum+x*x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// world is a store with what its index should know.
type world struct {
	t    testing.TB
	s    *store.Store
	dir  string
	r    *rand.Rand
	want map[int64]known // by row
	next int
}

type known struct {
	model string
	parts [][]float32
}

func newWorld(t testing.TB) *world {
	t.Helper()
	dir := t.TempDir()
	s, err := store.Open(t.Context(), store.Options{Path: filepath.Join(dir, "memory.db")})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &world{t: t, s: s, dir: dir, r: rand.New(rand.NewPCG(1, 2)), want: map[int64]known{}}
}

func (w *world) update(fn func(tx *store.Tx) error) {
	w.t.Helper()
	if err := w.s.Update(w.t.Context(), fn); err != nil {
		w.t.Fatal(err)
	}
}

// add stores n new chunks, ten a source, with vectors of one model.
func (w *world) add(n, model int) {
	w.t.Helper()
	var recs []store.DocumentRecord
	for range n {
		w.next++
		recs = append(recs, storetest.Doc(fmt.Sprint("notes:", w.next/10), "document", fmt.Sprint("d", w.next),
			storetest.Text{Content: fmt.Sprint("content ", w.next), TimeMS: int64(w.next)}))
	}
	w.update(func(tx *store.Tx) error {
		for _, r := range recs {
			if _, _, err := tx.PutDocument(r); err != nil {
				return err
			}
		}
		return nil
	})
	w.embed(model, n)
}

// embed gives vectors of a model to up to n chunks that have none of it.
func (w *world) embed(model, n int) {
	w.t.Helper()
	chunks, err := w.s.PendingVectors(w.t.Context(), []string{models[model].Fingerprint}, store.PendingChunk{}, n)
	if err != nil {
		w.t.Fatal(err)
	}
	var list []store.ChunkVectors
	for _, c := range chunks {
		k := known{model: models[model].Fingerprint}
		cv := store.ChunkVectors{ChunkKey: c.ChunkKey}
		for range 1 + w.r.IntN(3) {
			v := unit(w.r)
			k.parts, cv.Parts = append(k.parts, v), append(cv.Parts, vecset.Pack(v))
		}
		w.want[c.RowID] = k
		list = append(list, cv)
	}
	w.update(func(tx *store.Tx) error {
		_, err := tx.PutVectors(models[model], list)
		return err
	})
}

// forget removes a source.
func (w *world) forget(id string) {
	w.t.Helper()
	rows, err := w.s.Rows(w.t.Context(), store.Filter{SourceIDs: []string{id}})
	if err != nil {
		w.t.Fatal(err)
	}
	for row := range w.want {
		if rows == nil || rows.Has(row) { // nil: it is the only source
			delete(w.want, row)
		}
	}
	was, err := w.s.VectorState(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	w.update(func(tx *store.Tx) error {
		_, _, err := tx.ForgetSource(id)
		return err
	})
	if err := vecindex.Forget(w.t.Context(), w.s, was, time.Now()); err != nil {
		w.t.Fatal(err)
	}
}

// check asks an index and compares with what there is.
func (w *world) check(x *vecindex.Index) {
	w.t.Helper()
	var queries []controller.QueryVector
	for _, m := range models {
		queries = append(queries, controller.QueryVector{Model: m.Fingerprint, Vector: unit(w.r)})
	}
	const k = 5
	allow := func(row int64) bool { return row%7 != 0 }
	got, err := x.Nearest(w.t.Context(), queries, k, allow)
	if err != nil {
		w.t.Fatal(err)
	}
	var names []string
	for _, q := range queries {
		var best []float64
		for row, have := range w.want {
			if have.model == q.Model && !slices.Contains(names, have.model) {
				names = append(names, have.model)
			}
			if have.model != q.Model || !allow(row) {
				continue
			}
			top := -2.0
			for _, p := range have.parts {
				top = max(top, dot(p, q.Vector))
			}
			best = append(best, top)
		}
		slices.SortFunc(best, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
		best = best[:min(k, len(best))]
		var found []float64
		for _, n := range got {
			if n.Model != q.Model {
				continue
			}
			have, ok := w.want[n.Chunk]
			if !ok || have.model != q.Model || n.Part >= len(have.parts) || !allow(n.Chunk) {
				w.t.Fatalf("chunk %d part %d of %s is not there", n.Chunk, n.Part, n.Model)
			}
			if d := dot(have.parts[n.Part], q.Vector); math.Abs(d-n.Cosine) > 0.02 {
				w.t.Errorf("chunk %d has cosine %v, want %v", n.Chunk, n.Cosine, d)
			}
			found = append(found, n.Cosine)
		}
		if len(found) != len(best) {
			w.t.Fatalf("%d of %s were found, want %d", len(found), q.Model, len(best))
		}
		for i := range best {
			if math.Abs(best[i]-found[i]) > 0.02 {
				w.t.Errorf("number %d of %s has cosine %v, want %v", i, q.Model, found[i], best[i])
			}
		}
	}
	// Compared by name, each chunk has the cosine of its best part.
	var some []int64
	for row := range w.want {
		if len(some) < 20 {
			some = append(some, row)
		}
	}
	compared, err := x.Compare(w.t.Context(), queries, append(some, 1<<40))
	if err != nil || len(compared) != len(some) {
		w.t.Fatalf("%d of %d chunks were compared, %v", len(compared), len(some), err)
	}
	for _, n := range compared {
		top := -2.0
		for _, q := range queries {
			for _, p := range w.want[n.Chunk].parts {
				if q.Model == w.want[n.Chunk].model {
					top = max(top, dot(p, q.Vector))
				}
			}
		}
		if math.Abs(n.Cosine-top) > 0.02 {
			w.t.Errorf("chunk %d has cosine %v, want %v", n.Chunk, n.Cosine, top)
		}
	}
	slices.Sort(names)
	if have, err := x.Models(w.t.Context()); err != nil || !slices.Equal(have, names) {
		w.t.Errorf("models %q, %v, want %q", have, err, names)
	}
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func (w *world) index(dir string) *vecindex.Index {
	x := vecindex.New(w.s, dir)
	w.t.Cleanup(func() {
		if err := x.Close(); err != nil {
			w.t.Errorf("close: %v", err)
		}
	})
	return x
}

func (w *world) write() (name string) {
	w.t.Helper()
	if err := vecindex.Write(w.t.Context(), w.s, time.Now()); err != nil {
		w.t.Fatal(err)
	}
	st, err := w.s.VectorState(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return st.Image
}

// An index gives the same answers whatever of it lies in an image, and however it got there.
func TestIndex(t *testing.T) {
	w := newWorld(t)
	early, without := w.index(w.dir), w.index("")
	all := func() {
		t.Helper()
		for _, x := range []*vecindex.Index{early, without, w.index(w.dir)} {
			w.check(x)
		}
	}
	all() // an empty memory
	w.add(120, 1)
	all()
	w.embed(0, 50) // the encoder's vectors take the place of instant ones
	all()
	w.write()
	all()
	w.embed(0, 30)
	w.add(25, 1)
	all()
	w.forget("notes:3") // and with it the image
	all()
	w.write()
	w.write() // while the first is mapped
	all()
	w.embed(0, 1000)
	w.write()
	all()
	w.update((*store.Tx).DropAllVectors)
	clear(w.want)
	all()
	w.write()
	all()
	if names := images(t, w.dir); len(names) != 0 {
		t.Errorf("images of nothing: %q", names)
	}
}

func images(t testing.TB, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.vectors*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// An image that is missing or damaged is no reason to answer anything else.
func TestDamagedImage(t *testing.T) {
	w := newWorld(t)
	w.add(60, 0)
	for what, damage := range map[string]func(path string) error{
		"missing":   os.Remove,
		"cut short": func(path string) error { return os.Truncate(path, 20_000) },
		"empty":     func(path string) error { return os.Truncate(path, 0) },
		"changed": func(path string) error {
			b, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			b[len(b)-100] ^= 1
			return os.WriteFile(path, b, 0o600)
		},
		"a folder": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.MkdirAll(filepath.Join(path, "x"), 0o700)
		},
	} {
		name := w.write()
		if err := damage(vecimage.Path(w.dir, name)); err != nil {
			t.Fatal(what, err)
		}
		x := w.index(w.dir)
		w.check(x)
		w.embed(1, 5)
		w.check(x)
		// Refresh mends it.
		if err := vecindex.Refresh(t.Context(), w.s, time.Now()); err != nil {
			t.Fatal(what, err)
		}
		st, err := w.s.VectorState(t.Context())
		if err != nil || st.Image == name {
			t.Errorf("%s: the image is still %s, %v", what, st.Image, err)
		}
		w.check(x)
		w.check(w.index(w.dir))
	}
}

// The image of one memory says nothing about another, also when that is an earlier state of the same.
func TestRestoredBackup(t *testing.T) {
	w := newWorld(t)
	w.add(40, 0)
	w.write()
	copyFile := func(from, to string) {
		t.Helper()
		b, err := os.ReadFile(from)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(to, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.s.Finish(t.Context()); err != nil { // the log goes into the file
		t.Fatal(err)
	}
	db := filepath.Join(w.dir, "memory.db")
	backup := filepath.Join(t.TempDir(), "backup")
	copyFile(db, backup)
	before := map[int64]known{}
	for row, k := range w.want {
		before[row] = k
	}
	w.add(40, 0)
	w.write()
	if err := w.s.Close(); err != nil {
		t.Fatal(err)
	}
	copyFile(backup, db)
	s, err := store.Open(t.Context(), store.Options{Path: db})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	w.s, w.want = s, before
	x := w.index(w.dir)
	w.check(x)
	w.add(40, 0) // takes the same numbers as those in the image that is still there
	w.check(x)
	w.check(w.index(w.dir))
}

// Readers answer while images are written, replaced and removed under them.
func TestConcurrent(t *testing.T) {
	w := newWorld(t)
	w.add(300, 1)
	w.write()
	ctx, stop := context.WithCancel(t.Context())
	var readers sync.WaitGroup
	x := w.index(w.dir)
	for i := range 4 {
		readers.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 1))
			for ctx.Err() == nil {
				q := []controller.QueryVector{{Model: "encoder", Vector: unit(r)}, {Model: "instant", Vector: unit(r)}}
				got, err := x.Nearest(t.Context(), q, 4, nil)
				if err != nil || len(got) < 4 {
					t.Errorf("%d hits, %v", len(got), err)
					return
				}
			}
		})
	}
	for i := range 12 {
		w.embed(0, 20)
		if i%2 == 0 {
			w.write()
		}
		if i%5 == 4 {
			st, err := w.s.VectorState(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			_ = vecimage.Remove(w.dir, st.Image) // on Windows it may be in use
		}
	}
	stop()
	readers.Wait()
	w.check(x)
}

// Two writers never leave the store with an image that misses what was removed in between.
func TestTwoWriters(t *testing.T) {
	w := newWorld(t)
	w.add(100, 1)
	var writers sync.WaitGroup
	for range 3 {
		writers.Go(func() {
			for range 5 {
				if err := vecindex.Write(t.Context(), w.s, time.Now()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 10 {
		w.embed(0, 10)
	}
	writers.Wait()
	w.check(w.index(w.dir))
	w.write()
	// Images that were made for nothing are gone.
	if names := images(t, w.dir); len(names) != 1 {
		t.Errorf("images left: %q", names)
	}
}

// Refresh writes an image only when it is worth it.
func TestRefresh(t *testing.T) {
	w := newWorld(t)
	refresh := func() string {
		t.Helper()
		if err := vecindex.Refresh(t.Context(), w.s, time.Now()); err != nil {
			t.Fatal(err)
		}
		st, err := w.s.VectorState(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return st.Image
	}
	w.add(20, 0)
	if name := refresh(); name != "" {
		t.Errorf("a small memory has the image %s", name)
	}
	w.add(1000, 0)
	first := refresh()
	if first == "" {
		t.Fatal("no image")
	}
	w.add(10, 0)
	if name := refresh(); name != first {
		t.Error("a few new vectors made a new image")
	}
	w.add(1000, 0)
	second := refresh()
	if second == first {
		t.Error("many new vectors made no new image")
	}
	if names := images(t, w.dir); len(names) != 1 {
		t.Errorf("images left: %q", names)
	}
	// What is forgotten is in no file any more.
	w.forget("notes:3")
	if names := images(t, w.dir); len(names) != 1 || names[0] == vecimage.Path(w.dir, second) {
		t.Errorf("images left after forgetting: %q", names)
	}
	w.check(w.index(w.dir))
}

// Any order of changes, images and questions gives the same as looking at everything.
func TestAnyOrder(t *testing.T) {
	for seed := range uint64(15) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := newWorld(t)
			w.r = rand.New(rand.NewPCG(seed, 0))
			x := w.index(w.dir)
			for range 12 {
				switch w.r.IntN(6) {
				case 0:
					w.add(1+w.r.IntN(30), w.r.IntN(2))
				case 1:
					w.embed(w.r.IntN(2), 15)
				case 2:
					sources, err := w.s.Sources(t.Context(), nil)
					if err != nil {
						t.Fatal(err)
					}
					if len(sources) > 0 {
						w.forget(sources[w.r.IntN(len(sources))].SourceID)
					}
				case 3:
					w.write()
				default:
					w.check(x)
				}
			}
			w.check(x)
		})
	}
}
