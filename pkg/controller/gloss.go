package controller

import (
	"context"

	"github.com/openhuman/openhuman-core/internal/query"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// A Translator says in English, word by word, what texts in other languages say. Implementations are
// safe for concurrent use.
type Translator interface {
	// Foreign reports whether any of the texts is in another language, at least in part.
	Foreign(texts ...string) bool
	// Translate returns what a text says in English; what is English stays as it is.
	Translate(text string) string
}

const (
	// glossHits is how many chunks are looked at by their translation.
	glossHits = 48
	// glossWeight is what a word that matches in translation is worth beside one that is written:
	// a word by word translation matches by accident more often.
	glossWeight = 0.5
)

// byGloss adds what holds words of the question in translation: a question in English finds texts in
// other languages, and one in another language all texts. It must run when all else has been found.
func (r *recalling) byGloss(ctx context.Context) error {
	t := r.c.translator
	if t == nil {
		return nil
	}
	has, err := r.c.store.HasGlosses(ctx)
	if err != nil {
		return err
	}
	foreign := t.Foreign(r.question)
	if !has && !foreign {
		return nil
	}
	english := r.question
	if foreign {
		english = t.Translate(english)
	}
	q := query.Natural(english)
	terms, err := r.c.budget(ctx, q.Terms)
	if err != nil || len(terms) == 0 {
		return err
	}
	known := map[int64]int{}
	for i := range r.found {
		known[r.found[i].RowID] = i
	}
	look := func(glosses bool) error {
		any, words := make([]store.AnyTerm, len(terms)), make([]query.Term, len(terms))
		for i, t := range terms {
			any[i], words[i] = t.AnyTerm, t.Term
			if glosses {
				any[i].Count, any[i].Skip = 0, false // these were counted in the texts
			}
		}
		measures := map[int64]query.Measure{}
		hits, err := r.c.store.SearchAny(ctx, store.AnyQuery{
			Must: r.q.Must(), Terms: any, Filter: r.filter, Accept: accept(r.q, false), Glosses: glosses,
			Scorer: func(df []int, total int) func(*store.Chunk) float64 {
				m := query.NewMeasurer(words, df, total)
				return func(ch *store.Chunk) float64 {
					x := m.Measure(t.Translate(ch.Context), t.Translate(ch.Content))
					measures[ch.RowID] = x
					return x.Words
				}
			},
			Candidates: glossHits, Limit: glossHits,
		})
		for _, h := range hits {
			i, ok := known[h.RowID]
			if !ok {
				i = len(r.found)
				known[h.RowID] = i
				r.found = append(r.found, found{Chunk: h.Chunk})
			}
			m, f := measures[h.RowID], &r.found[i].Measure
			f.Words = max(f.Words, glossWeight*m.Words)
			f.Passage = max(f.Passage, glossWeight*m.Passage)
			f.Cover = max(f.Cover, glossWeight*m.Cover)
		}
		return err
	}
	// Must holds words as they are written, so that no translation can pass it.
	if has && r.q.Must() == "" {
		if err := look(true); err != nil {
			return err
		}
	}
	if foreign {
		return look(false)
	}
	return nil
}
