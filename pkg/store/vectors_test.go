package store_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

var (
	encoder = store.VectorModel{Fingerprint: "encoder/1", Dims: 2}
	instant = store.VectorModel{Fingerprint: "instant/1", Dims: 2}
)

func update(t testing.TB, s *store.Store, fn func(tx *store.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatal(err)
	}
}

// pending returns the contents of the chunks without vectors, in order.
func pending(t testing.TB, s *store.Store, models ...string) (contents []string, chunks []store.PendingChunk) {
	t.Helper()
	var at store.PendingChunk
	for {
		some, err := s.PendingVectors(t.Context(), models, at, 2) // small, to go through the cursor
		if err != nil {
			t.Fatal(err)
		}
		if len(some) == 0 {
			n, _, _, err := s.CountPending(t.Context(), models)
			if err != nil {
				t.Fatal(err)
			}
			if n != len(chunks) {
				t.Errorf("%d are pending, but %d are counted", len(chunks), n)
			}
			return contents, chunks
		}
		at = some[len(some)-1]
		for _, c := range some {
			contents, chunks = append(contents, c.Content), append(chunks, c)
		}
	}
}

// changes is what Vectors hands over.
type changes struct {
	Vectors []string // chunk's content, model, part, data
	Dead    []int64
}

func changesSince(t testing.TB, s *store.Store, since store.VectorState, byRow map[int64]string) (changes, store.VectorState) {
	t.Helper()
	var out changes
	var models map[int64]store.ModelVectors
	counts := map[int64]int{}
	st, err := s.Vectors(t.Context(), since, store.VectorChanges{
		Models: func(m map[int64]store.ModelVectors) error { models = m; return nil },
		Dead:   func(id int64) error { out.Dead = append(out.Dead, id); return nil },
		Vector: func(v *store.StoredVector) error {
			counts[v.Model]++
			if v.ID <= since.Last {
				t.Errorf("vector %d is not new", v.ID)
			}
			out.Vectors = append(out.Vectors, fmt.Sprintf("%s %s %d %x", byRow[v.Chunk], models[v.Model].Fingerprint, v.Part, v.Data))
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	for id, m := range models {
		if m.Count != counts[id] {
			t.Errorf("%s has %d new vectors, %d were announced", m.Fingerprint, counts[id], m.Count)
		}
	}
	return out, st
}

func rowsByContent(chunks []store.PendingChunk) (byRow map[int64]string, key map[string]store.ChunkKey) {
	byRow, key = map[int64]string{}, map[string]store.ChunkKey{}
	for _, c := range chunks {
		byRow[c.RowID], key[c.Content] = c.Content, c.ChunkKey
	}
	return byRow, key
}

func TestVectors(t *testing.T) {
	for _, path := range []string{store.Memory, filepath.Join(t.TempDir(), "memory.db")} {
		s := open(t, store.Options{Path: path})
		storetest.Put(t, s,
			storetest.Doc("notes:a", "document", "one", storetest.Text{Content: "alpha", TimeMS: 10}, storetest.Text{Content: "beta", TimeMS: 30}),
			storetest.Doc("notes:b", "document", "two", storetest.Text{Content: "gamma", TimeMS: 20}, storetest.Text{Content: "delta", TimeMS: 20}),
			storetest.Doc("notes:b", "document", "three", storetest.Text{Content: "epsilon", TimeMS: 5}),
		)
		names, chunks := pending(t, s, encoder.Fingerprint)
		if len(names) != 5 || names[0] != "beta" || names[3] != "alpha" || names[4] != "epsilon" {
			t.Fatalf("pending: %q, want the newest first", names)
		}
		byRow, key := rowsByContent(chunks)
		zero, st0 := changesSince(t, s, store.VectorState{}, byRow)
		if zero.Vectors != nil || st0 != (store.VectorState{}) {
			t.Errorf("an empty memory has %v, %v", zero, st0)
		}

		// Instant vectors first; the encoder's take their place, in parts.
		update(t, s, func(tx *store.Tx) error {
			n, err := tx.PutVectors(instant, []store.ChunkVectors{
				{ChunkKey: key["alpha"], Parts: [][]byte{{1}}},
				{ChunkKey: key["beta"], Parts: [][]byte{{2}}},
			})
			if n != 2 {
				t.Errorf("stored %d", n)
			}
			return err
		})
		_, st1 := changesSince(t, s, st0, byRow)
		gone := key["gamma"]
		gone.Sum++ // as if its text had changed since it was read
		update(t, s, func(tx *store.Tx) error {
			n, err := tx.PutVectors(encoder, []store.ChunkVectors{
				{ChunkKey: key["alpha"], Parts: [][]byte{{3}, {4}}},
				{ChunkKey: gone, Parts: [][]byte{{5}}},
				{ChunkKey: key["delta"], Parts: [][]byte{nil}},
			})
			if n != 2 {
				t.Errorf("stored %d, want all but the one with another text", n)
			}
			return err
		})
		got, st2 := changesSince(t, s, st1, byRow)
		want := changes{Vectors: []string{"alpha encoder/1 0 03", "alpha encoder/1 1 04", "delta encoder/1 0 "}, Dead: []int64{1}}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("changes (-want +got):\n%s", d)
		}
		if names, _ := pending(t, s, encoder.Fingerprint); !slices.Equal(names, []string{"beta", "gamma", "epsilon"}) {
			t.Errorf("pending: %q", names)
		}
		if names, _ := pending(t, s, encoder.Fingerprint, instant.Fingerprint); !slices.Equal(names, []string{"gamma", "epsilon"}) {
			t.Errorf("pending for both: %q", names)
		}
		if names, _ := pending(t, s, "encoder/2"); len(names) != 5 {
			t.Errorf("pending for another model: %q", names)
		}

		// A document that is put again keeps the vectors of what it still says, and no others. A vector
		// that comes along is for what is new.
		rec := storetest.Doc("notes:a", "document", "one", storetest.Text{Content: "alpha", TimeMS: 11}, storetest.Text{Content: "zeta", TimeMS: 40})
		rec.VectorModel = instant
		rec.Chunks[0].Vector, rec.Chunks[1].Vector = []byte{8}, []byte{9}
		storetest.Put(t, s, rec)
		got, st3 := changesSince(t, s, st2, byRow)
		if len(got.Vectors) != 1 || got.Vectors[0][len(got.Vectors[0])-14:] != "instant/1 0 09" || !slices.Equal(got.Dead, []int64{2}) {
			t.Errorf("after a change: %v", got)
		}
		// Under another title the same text means something else.
		rec = storetest.Doc("notes:a", "document", "one", storetest.Text{Content: "alpha", TimeMS: 11, Title: "renamed"}, storetest.Text{Content: "zeta", TimeMS: 40})
		rec.VectorModel = instant
		rec.Chunks[0].Vector, rec.Chunks[1].Vector = []byte{10}, []byte{11}
		storetest.Put(t, s, rec)
		got, st4 := changesSince(t, s, st3, byRow)
		if d := cmp.Diff(changes{Vectors: []string{"alpha instant/1 0 0a"}, Dead: []int64{3, 4}}, got); d != "" {
			t.Errorf("after another title (-want +got):\n%s", d)
		}

		// Forgetting removes them, and the image with what is forgotten in it.
		update(t, s, func(tx *store.Tx) error {
			done, err := tx.SetVectorImage("img1", st4)
			if !done {
				t.Error("the image was not named")
			}
			return err
		})
		got, st5 := changesSince(t, s, store.VectorState{}, byRow)
		if st5.Image != "img1" || got.Dead != nil {
			t.Errorf("with an image: %v, %v", st5, got)
		}
		update(t, s, func(tx *store.Tx) error {
			done, err := tx.SetVectorImage("img2", st4) // made before img1 was named
			if done {
				t.Error("an image that knows less was named")
			}
			return err
		})
		update(t, s, func(tx *store.Tx) error {
			_, _, err := tx.ForgetSource("notes:b")
			return err
		})
		got, st6 := changesSince(t, s, store.VectorState{}, byRow)
		if st6.Image != "" || len(got.Vectors) != 2 || len(got.Dead) != 1 {
			t.Errorf("after forgetting: %v, %v", st6, got)
		}
		update(t, s, (*store.Tx).DropAllVectors)
		got, st7 := changesSince(t, s, st6, byRow)
		if st7.Last != st6.Last || got.Vectors != nil || len(got.Dead) != 2 {
			t.Errorf("after dropping all: %v, %v", st7, got)
		}
	}
}

// A number is never given twice, whatever goes in between: an image would show the one for the other.
func TestVectorNumbersGrow(t *testing.T) {
	s := open(t, store.Options{Path: store.Memory})
	var last store.VectorState
	for i := range 5 {
		storetest.Put(t, s, storetest.Doc("notes:a", "document", "one", storetest.Text{Content: fmt.Sprint("text ", i)}))
		_, chunks := pending(t, s, encoder.Fingerprint)
		update(t, s, func(tx *store.Tx) error {
			_, err := tx.PutVectors(encoder, []store.ChunkVectors{{ChunkKey: chunks[0].ChunkKey, Parts: [][]byte{{byte(i)}}}})
			return err
		})
		st, err := s.VectorState(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if st.Last <= last.Last || i > 0 && st.Dead <= last.Dead {
			t.Fatalf("%v after %v", st, last)
		}
		last = st
		update(t, s, func(tx *store.Tx) error {
			_, _, err := tx.ForgetSource("notes:a")
			return err
		})
	}
}

func TestVectorsOfAnotherSize(t *testing.T) {
	s := open(t, store.Options{Path: store.Memory})
	storetest.Put(t, s, storetest.Doc("notes:a", "document", "one", storetest.Text{Content: "a text"}))
	_, chunks := pending(t, s)
	put := func(m store.VectorModel) error {
		return s.Update(t.Context(), func(tx *store.Tx) error {
			_, err := tx.PutVectors(m, []store.ChunkVectors{{ChunkKey: chunks[0].ChunkKey, Parts: [][]byte{{1}}}})
			return err
		})
	}
	if err := put(encoder); err != nil {
		t.Fatal(err)
	}
	if put(store.VectorModel{Fingerprint: encoder.Fingerprint, Dims: 3}) == nil {
		t.Error("one fingerprint has two sizes")
	}
}

// A reader that follows the changes holds what a reader that begins anew sees.
func TestVectorChangesAddUp(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		held := map[int64]byte{}
		var at store.VectorState
		follow := func(since store.VectorState, into map[int64]byte) store.VectorState {
			st, err := s.Vectors(t.Context(), since, store.VectorChanges{
				Models: func(map[int64]store.ModelVectors) error { return nil },
				Dead:   func(id int64) error { delete(into, id); return nil },
				Vector: func(v *store.StoredVector) error { into[v.ID] = v.Data[0]; return nil },
			})
			if err != nil {
				rt.Fatal(err)
			}
			return st
		}
		n := byte(0)
		for range rapid.IntRange(1, 25).Draw(rt, "steps") {
			doc := fmt.Sprint("doc", rapid.IntRange(0, 3).Draw(rt, "doc"))
			err := s.Update(t.Context(), func(tx *store.Tx) error {
				switch rapid.IntRange(0, 4).Draw(rt, "what") {
				case 0, 1:
					n++
					rec := storetest.Doc("notes:"+doc, "document", doc,
						storetest.Text{Content: fmt.Sprint("stays in ", doc)}, storetest.Text{Content: fmt.Sprint("version ", n)})
					rec.VectorModel = instant
					rec.Chunks[0].Vector, rec.Chunks[1].Vector = []byte{n}, []byte{n}
					_, _, err := tx.PutDocument(rec)
					return err
				case 2:
					_, _, err := tx.ForgetSource("notes:" + doc)
					if fault.CodeOf(err) != fault.NotFound {
						return err
					}
				case 3:
					return tx.DropAllVectors()
				}
				return nil
			})
			if err != nil {
				rt.Fatal(err)
			}
			if rapid.Bool().Draw(rt, "follow") {
				at = follow(at, held)
			}
			if rapid.IntRange(0, 5).Draw(rt, "image") == 0 {
				image := map[int64]byte{}
				st := follow(store.VectorState{}, image)
				err := s.Update(t.Context(), func(tx *store.Tx) error {
					_, err := tx.SetVectorImage(fmt.Sprint("img", n), st)
					return err
				})
				if err != nil {
					rt.Fatal(err)
				}
				held, at = image, st // as a reader does that sees another image named
			}
		}
		follow(at, held)
		fresh := map[int64]byte{}
		follow(store.VectorState{}, fresh)
		if d := cmp.Diff(fresh, held); d != "" {
			rt.Fatalf("followed (-fresh +followed):\n%s", d)
		}
	})
}

func TestRows(t *testing.T) {
	s := open(t, store.Options{Path: store.Memory})
	storetest.Put(t, s,
		storetest.Doc("notes:a", "document", "one", storetest.Text{Content: "alpha", TimeMS: 10}, storetest.Text{Content: "beta", TimeMS: 30}),
		storetest.Doc("mail:b", "email", "two", storetest.Text{Content: "gamma", TimeMS: 20}),
	)
	_, chunks := pending(t, s)
	_, key := rowsByContent(chunks)
	all := []int64{key["alpha"].RowID, key["beta"].RowID, key["gamma"].RowID, 999_999}
	after := int64(15)
	for _, c := range []struct {
		filter store.Filter
		want   []string
	}{
		{store.Filter{SourceKinds: []string{"document"}}, []string{"alpha", "beta"}},
		{store.Filter{Scope: storetest.Without{"notes:a"}}, []string{"gamma"}},
		{store.Filter{SinceMS: &after}, []string{"beta", "gamma"}},
		{store.Filter{SourceIDs: []string{"notes:none"}}, nil},
		{store.Filter{Scope: storetest.Without{"notes:a", "mail:b"}}, nil},
	} {
		set, err := s.Rows(t.Context(), c.filter)
		if err != nil {
			t.Fatal(err)
		}
		found, err := s.ChunksByRow(t.Context(), all, c.filter)
		if err != nil {
			t.Fatal(err)
		}
		if set == nil || set.Len() != len(c.want) || len(found) != len(c.want) || set.Has(-1) || set.Has(1<<40) {
			t.Fatalf("%+v: %v, %v", c.filter, set, found)
		}
		for _, name := range c.want {
			if row := key[name].RowID; !set.Has(row) || found[row].Content != name {
				t.Errorf("%+v: %s is missing", c.filter, name)
			}
		}
	}
	order := []int64{all[2], all[3], all[0], all[1]}
	for _, c := range []struct {
		filter store.Filter
		want   []int64
	}{
		{store.Filter{}, []int64{all[2], all[0], all[1]}},
		{store.Filter{SourceKinds: []string{"document"}}, []int64{all[0], all[1]}},
		{store.Filter{Scope: storetest.Without{"notes:a", "mail:b"}}, nil},
	} {
		if got, err := s.FilterRows(t.Context(), order, c.filter); err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, %v, want %v", c.filter, got, err, c.want)
		}
	}
	if set, err := s.Rows(t.Context(), store.Filter{}); set != nil || err != nil {
		t.Errorf("without a filter: %v, %v", set, err)
	}
	if found, err := s.ChunksByRow(t.Context(), all, store.Filter{}); len(found) != 3 || err != nil {
		t.Errorf("without a filter: %v, %v", found, err)
	}
}
