package controller_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

const fakeModel = "fake/1"

// fakeEmbedder makes the same vector of every text.
type fakeEmbedder struct{ err error }

func (fakeEmbedder) Fingerprint() string { return fakeModel }
func (fakeEmbedder) Dims() int           { return 2 }
func (f fakeEmbedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	return slices.Repeat([][]float32{{1, 0}}, len(texts)), f.err
}

// fakeIndex says of every chunk how near it is.
type fakeIndex struct {
	near map[int64]float64
	err  error
}

func (f *fakeIndex) Models(context.Context) ([]string, error) { return []string{fakeModel}, f.err }

func (f *fakeIndex) Nearest(_ context.Context, _ []controller.QueryVector, k int, allow func(int64) bool) ([]controller.Neighbour, error) {
	var out []controller.Neighbour
	for row, cosine := range f.near {
		if allow == nil || allow(row) {
			out = append(out, controller.Neighbour{Chunk: row, Model: fakeModel, Cosine: cosine})
		}
	}
	slices.SortFunc(out, func(a, b controller.Neighbour) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Chunk, b.Chunk))
	})
	return out[:min(k, len(out))], f.err
}

func (f *fakeIndex) Compare(_ context.Context, _ []controller.QueryVector, chunks []int64) ([]controller.Neighbour, error) {
	var out []controller.Neighbour
	for _, row := range chunks {
		if cosine, ok := f.near[row]; ok {
			out = append(out, controller.Neighbour{Chunk: row, Model: fakeModel, Cosine: cosine})
		}
	}
	return out, f.err
}

// understanding returns a controller over notes whose cosines to every question are given by id.
func understanding(t *testing.T, cosines map[string]float64, embedder fakeEmbedder, notes ...note) (*controller.Controller, *fakeIndex) {
	t.Helper()
	st, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	putNotes(t, st, notes...)
	page, _, err := st.ListChunks(t.Context(), store.ListQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	index := &fakeIndex{near: map[int64]float64{}}
	for _, c := range page {
		if cosine, ok := cosines[c.ChunkID]; ok {
			index.near[c.RowID] = cosine
		}
	}
	return controller.New(controller.Options{Store: st, Vectors: index, Embedders: []controller.Embedder{embedder}}), index
}

var meantNotes = []note{
	{id: "meant", text: "The tuner comes on Friday and takes cash."},
	{id: "word", text: "Lesson fees are due."},
	{id: "both", text: "Who repairs the piano: Mr Ito, 140 a visit."},
	{id: "far", text: "Tomatoes want lime."},
	{id: "mail", kind: "email", source: "mail:ann", text: "Bring the strings to the shop."},
}

var meantCosines = map[string]float64{"meant": .6, "word": .05, "both": .5, "far": .1, "mail": .55}

func TestRecallByMeaning(t *testing.T) {
	c, index := understanding(t, meantCosines, fakeEmbedder{}, meantNotes...)
	index.near[999] = .9 // gone from the store by now
	for query, want := range map[string]string{
		"who repairs the piano":           "both meant mail", // its words and its meaning, then its meaning alone
		"keyboard instrument maintenance": "meant mail both", // no word in common, and the far ones are no answer
		"fees for the maintenance":        "meant mail both word",
		"instrument kind:email":           "mail",
		"instrument source:notes:work":    "meant both",
	} {
		ctx, why := controller.WithWhy(t.Context())
		res, err := c.Recall(ctx, controller.RecallParams{Query: query})
		if err != nil {
			t.Fatal(err)
		}
		checkRows(t, query, res.Chunks)
		if got := strings.Join(ids(res.Chunks), " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
		if len(*why) != len(res.Chunks) {
			t.Fatalf("%s: %d reasons for %d rows", query, len(*why), len(res.Chunks))
		}
		for i, w := range *why {
			row := res.Chunks[i]
			if w.Cosine != meantCosines[row.ChunkID] || w.Model != fakeModel {
				t.Errorf("%s: %s is explained by %+v", query, row.ChunkID, w)
			}
			if byWords := slices.Contains(row.Matched, "keyword"); byWords != (w.Keyword > 0) || byWords != (w.Cover > 0) {
				t.Errorf("%s: %s is matched by %v for %+v", query, row.ChunkID, row.Matched, w)
			}
			if byMeaning := slices.Contains(row.Matched, "semantic"); byMeaning != (w.Cosine >= .25) {
				t.Errorf("%s: %s is matched by %v for %+v", query, row.ChunkID, row.Matched, w)
			}
		}
	}
}

// What stands in the way of comparing meanings is said, and words still answer.
func TestRecallWithoutMeaning(t *testing.T) {
	broken := errors.New("the disk is gone")
	for name, f := range map[string]struct {
		embedder fakeEmbedder
		index    error
	}{"model": {embedder: fakeEmbedder{broken}}, "index": {index: broken}} {
		c, index := understanding(t, meantCosines, f.embedder, meantNotes...)
		index.err = f.index
		res := recall(t, c, "who repairs the piano", 0)
		if got := strings.Join(ids(res.Chunks), " "); got != "both" || !strings.Contains(res.Hint, "Only words were compared") {
			t.Errorf("%s: %s, hint %q", name, got, res.Hint)
		}
	}
	c, index := understanding(t, meantCosines, fakeEmbedder{}, meantNotes...)
	index.err = fmt.Errorf("open: %w", fault.New(fault.Unavailable, "The memory is locked."))
	if _, err := c.Recall(t.Context(), controller.RecallParams{Query: "who repairs the piano"}); fault.CodeOf(err) != fault.Unavailable {
		t.Errorf("a memory that cannot be read is an answer: %v", err)
	}
}

// Operators that were not understood are named, as search does.
func TestRecallSaysWhatItMisread(t *testing.T) {
	c := searchable(t, nil, searchNotes...)
	for query, want := range map[string]string{
		"migration kind:bogus":           "kind:bogus was not understood",
		"migration after:yesterday":      "after:yesterday was not understood",
		"migration source:notes:nowhere": "notes:nowhere",
		"xyzzy kind:bogus":               "kind:bogus was not understood",
	} {
		searched, recalled := search(t, c, query, 0), recall(t, c, query, 0)
		if !strings.Contains(recalled.Hint, want) || !strings.Contains(searched.Hint, want) {
			t.Errorf("%s: recall says %q, search %q", query, recalled.Hint, searched.Hint)
		}
	}
	if res := recall(t, c, "migration billing kind:document", 0); res.Hint != "" {
		t.Errorf("hint %q", res.Hint)
	}
}

// A question that asks only for a time gets what was written then, in whatever words.
func TestRecallByTimeAlone(t *testing.T) {
	c := searchable(t, nil,
		note{id: "before", day: "2024-03-04", text: "Painted the shed."}, note{id: "one", day: "2024-03-05", text: "Bread rose well."},
		note{id: "two", day: "2024-03-05", text: "修理了自行车。"}, note{id: "after", day: "2024-03-06", text: "Sowed beans."},
		note{id: "mail", day: "2024-03-05", kind: "email", source: "mail:ann", text: "See you soon."})
	for query, want := range map[string]string{
		"what happened on 5 March 2024?":         "mail one two",
		"2024年3月5日我们做了什么":                        "mail one two",
		"what did I write on 2024-03-05":         "mail one two",
		"notes of 2024-03-05 source:notes:work":  "one two",
		"what happened in March 2024?":           "after before mail one two",
		"who called about the lease in May 2024": "",
	} {
		got := ids(recall(t, c, query, 0).Chunks)
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %v, want %s", query, got, want)
		}
	}
}
