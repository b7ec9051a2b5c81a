package controller

import (
	"cmp"
	"context"
	"errors"
	"hash/maphash"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/query"
	"github.com/openhuman/openhuman-core/internal/rank"
	"github.com/openhuman/openhuman-core/internal/vecset"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

const (
	// keywordHits is how many chunks found by words are weighed, of those that are scored; nearHits is
	// how many found by meaning.
	keywordHits = 200
	nearHits    = 100
	// rareHits is how many chunks with a rare word are enough to leave out those with common ones alone.
	rareHits = 20
	// instantScale is what a cosine of the instant model is worth in those of the encoder, and instantRelated
	// the same where it is asked whether a text is an answer at all.
	instantScale, instantRelated = 0.7, 0.8
	// sameSitting is how far apart in time neighbours of one conversation are at most.
	sameSitting = 6 * 3600 * 1000
	// minLines is from how many lines on the best one says more than the whole.
	minLines, maxLines = 3, 60
)

// A recalling is one recall of words that are to be found.
type recalling struct {
	c        *Controller
	q        *query.Query
	question string
	filter   store.Filter
	note     string // what the caller should know

	terms    []query.Term
	measurer *query.Measurer
	queries  []QueryVector
	line     []float32 // the question by the instant model, for lines
	found    []found   // in the order of their rows
	near     map[int64]Neighbour
	bridged  map[int64]bool // rows that follow on the one found before them
	when     query.Span
	dated    bool // the question names when
}

// found is a chunk with how its words answer.
type found struct {
	store.Chunk
	query.Measure
	sure bool // an answer whatever it means: its words or its time led to it
}

// answers returns all that is related to the question, best first.
func (r *recalling) answers(ctx context.Context) ([]answer, error) {
	if err := r.byWords(ctx); err != nil {
		return nil, err
	}
	if r.measurer == nil {
		return nil, nil // the filter leaves nothing
	}
	if err := r.byTime(ctx); err != nil {
		return nil, err
	}
	if err := r.byMeaning(ctx); err != nil {
		var f *fault.Error
		if ctx.Err() != nil || errors.As(err, &f) && f.Code != fault.Internal {
			return nil, err
		}
		// The words are an answer too.
		r.near, r.queries = nil, nil
		r.note = "Only words were compared this time, not meaning: the embedding model or its vectors cannot be read."
	}
	if err := r.byGloss(ctx); err != nil {
		return nil, err
	}
	slices.SortFunc(r.found, func(a, b found) int { return cmp.Compare(a.RowID, b.RowID) })
	if err := r.bridge(ctx); err != nil {
		return nil, err
	}
	candidates := r.candidates()
	results := rank.Fuse(candidates, rank.Options{
		Line: r.lines(ctx), Sketch: func(i int) rank.Sketch { return rank.NewSketch(r.found[i].Content) },
	})
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	answers := make([]answer, len(results))
	for i, x := range results {
		answers[i] = r.answer(&candidates[x.Index], x)
	}
	return r.withSummaries(ctx, answers)
}

// byWords finds what holds some of the words. Terms that stand in a large share of all chunks find
// candidates only when the others find fewer than are shown.
func (r *recalling) byWords(ctx context.Context) error {
	terms, err := r.c.budget(ctx, r.q.Terms)
	if err != nil {
		return err
	}
	any := make([]store.AnyTerm, len(terms))
	for i, t := range terms {
		r.terms, any[i] = append(r.terms, t.Term), t.AnyTerm
	}
	for {
		if err := r.byTerms(ctx, any); err != nil {
			return err
		}
		skipped := slices.IndexFunc(any, func(t store.AnyTerm) bool { return t.Skip })
		if skipped < 0 || len(r.found) >= DefaultK || r.measurer == nil {
			return nil
		}
		any[skipped].Skip = false
	}
}

// byTerms finds what holds some of the terms that are not skipped.
func (r *recalling) byTerms(ctx context.Context, terms []store.AnyTerm) error {
	measures := map[int64]query.Measure{}
	passes, enough := accept(r.q, false), rareHits
	if passes != nil {
		enough = 0 // of those with the rare word, few may pass
	}
	hits, err := r.c.store.SearchAny(ctx, store.AnyQuery{
		Must: r.q.Must(), Terms: terms, Filter: r.filter, Accept: passes, Enough: enough,
		Scorer: func(df []int, total int) func(*store.Chunk) float64 {
			r.measurer = query.NewMeasurer(r.terms, df, total)
			return func(ch *store.Chunk) float64 {
				m := r.measurer.Measure(ch.Context, ch.Content)
				measures[ch.RowID] = m
				return m.Words
			}
		},
		Candidates: recallCandidates, Limit: keywordHits,
	})
	r.found = r.found[:0]
	for _, h := range hits {
		r.found = append(r.found, found{h.Chunk, measures[h.RowID], true})
	}
	return err
}

// byMeaning adds what lies near the question, and how near everything lies.
func (r *recalling) byMeaning(ctx context.Context) (err error) {
	if r.queries, err = r.c.embed(ctx, r.question); err != nil {
		return err
	}
	known := make([]int64, len(r.found))
	for i := range r.found {
		known[i] = r.found[i].RowID
	}
	if r.near, err = r.c.nearest(ctx, r.queries, nearHits, r.filter, known); err != nil {
		return err
	}
	slices.Sort(known)
	var rows []int64
	for row := range r.near {
		if _, ok := slices.BinarySearch(known, row); !ok {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	// What is shown has to pass the filter now, whatever the index knew.
	chunks, err := r.c.store.ChunksByRow(ctx, rows, r.filter)
	if err != nil {
		return err
	}
	passes := accept(r.q, false)
	for _, ch := range chunks {
		if passes == nil || passes(ch) {
			r.found = append(r.found, found{*ch, r.measurer.Measure(ch.Context, ch.Content), false})
		}
	}
	return nil
}

// byTime adds what was written when the question says, if it asks for nothing else.
func (r *recalling) byTime(ctx context.Context) error {
	if r.when, r.dated = query.When(r.question, r.c.now()); !r.dated || !r.when.Alone {
		return nil
	}
	f := r.filter
	since, until := r.when.From.UnixMilli(), r.when.Until.UnixMilli()-1
	if f.SinceMS == nil || *f.SinceMS < since {
		f.SinceMS = &since
	}
	if f.UntilMS == nil || *f.UntilMS > until {
		f.UntilMS = &until
	}
	page, _, err := r.c.store.ListChunks(ctx, store.ListQuery{Filter: f, Accept: accept(r.q, false), Limit: MaxK, NoTotal: true})
	if err != nil {
		return err
	}
	for i := range r.found {
		r.found[i].sure = r.found[i].sure || r.when.Fit(time.UnixMilli(r.found[i].TimestampMS)) > 0
	}
	for _, ch := range page {
		if !slices.ContainsFunc(r.found, func(f found) bool { return f.RowID == ch.RowID }) {
			r.found = append(r.found, found{ch, r.measurer.Measure(ch.Context, ch.Content), true})
		}
	}
	return nil
}

// cosine returns the cosine of a neighbour on the scale of the encoder: what it weighs, and what it says
// about whether the text is related at all.
func (r *recalling) cosine(n Neighbour) (meaning, related float64) {
	if r.c.instant != nil && n.Model == r.c.instant.Fingerprint() {
		return min(1, instantScale*n.Cosine), min(1, instantRelated*n.Cosine)
	}
	return n.Cosine, n.Cosine
}

func (r *recalling) candidates() []rank.Candidate {
	out := make([]rank.Candidate, len(r.found))
	seed := maphash.MakeSeed()
	for i := range r.found {
		f := &r.found[i]
		out[i] = rank.Candidate{
			Words: f.Words, Passage: f.Passage, Cover: f.Cover, Meaning: math.NaN(), Before: -1, After: -1,
			Place: maphash.Comparable(seed, [3]any{f.SourceID, f.Title, f.TimestampMS / (24 * 3600 * 1000)}),
			Found: f.sure, TimeMS: f.TimestampMS, ID: f.ChunkID,
		}
		if r.dated {
			out[i].Then = r.when.Fit(time.UnixMilli(f.TimestampMS))
		}
		if n, ok := r.near[f.RowID]; ok {
			out[i].Meaning, out[i].Related = r.cosine(n)
		}
		if i > 0 && r.adjacent(&r.found[i-1].Chunk, &f.Chunk) {
			out[i].Before, out[i-1].After = i-1, i
		}
	}
	return out
}

// lines returns what compares the lines of a chunk with the question, or nil when nothing can.
func (r *recalling) lines(ctx context.Context) func(int) float64 {
	if r.c.instant == nil || len(r.near) == 0 {
		return nil
	}
	of, err := r.c.instant.Embed(ctx, []string{r.question})
	if err != nil || len(of) != 1 {
		return nil
	}
	r.line = of[0]
	return func(i int) float64 {
		var lines []string
		for l := range strings.Lines(r.found[i].Content) {
			if strings.TrimSpace(l) != "" && len(lines) < maxLines {
				lines = append(lines, l)
			}
		}
		if len(lines) < minLines {
			return math.NaN()
		}
		vectors, err := r.c.instant.Embed(ctx, lines)
		if err != nil {
			return math.NaN()
		}
		best := -1.0
		for _, v := range vectors {
			best = max(best, dot(r.line, v))
		}
		return best
	}
}

func dot(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var s float32
	for i, x := range a {
		s += x * b[i]
	}
	return float64(s)
}

func (r *recalling) answer(c *rank.Candidate, x rank.Result) answer {
	f := &r.found[x.Index]
	a := answer{chunk: &f.Chunk, score: x.Score, why: Why{
		Keyword: x.Keyword, Semantic: x.Semantic, Beside: x.Beside, Time: x.Time, Repeated: x.Repeated, Cover: f.Cover,
	}}
	if f.Words > 0 {
		a.matched = append(a.matched, matchedByWords)
	}
	if n, ok := r.near[f.RowID]; ok {
		a.why.Cosine, a.why.Model = n.Cosine, n.Model
		if c.Related >= rank.MeaningFloor {
			a.matched = append(a.matched, matchedByMeaning)
		}
	}
	return a
}

const (
	// summaryOver is how many of the first summaryAmong answers a summary has to cover, and
	// maxSummaries how many are shown.
	summaryOver, summaryAmong, maxSummaries = 3, 10, 2
	summaryHits                             = 10
)

// withSummaries adds summaries of several of the best answers where they answer better than any of
// them.
func (r *recalling) withSummaries(ctx context.Context, answers []answer) ([]answer, error) {
	best := map[int64]float64{}
	var rows []int64
	for _, a := range answers[:min(len(answers), summaryAmong)] {
		best[a.chunk.RowID] = a.why.Keyword + a.why.Semantic
		rows = append(rows, a.chunk.RowID)
	}
	if len(rows) < summaryOver {
		return answers, nil
	}
	hits, err := r.c.store.SearchSummaries(ctx, store.SummaryQuery{Chunks: rows, Filter: r.filter, Limit: summaryHits})
	if err != nil {
		return nil, err
	}
	var found []answer
	for i := range hits {
		h := &hits[i]
		if len(h.Held) < summaryOver || !r.q.Accept(false, h.Content, h.Title, h.Context) {
			continue
		}
		m := r.measurer.Measure(h.Context, h.Content)
		c := rank.Candidate{Words: m.Words, Passage: m.Passage, Cover: m.Cover, Meaning: math.NaN(), Found: true, Before: -1, After: -1}
		why := Why{Cover: m.Cover}
		for _, v := range r.queries {
			if v.Model == vecset.Space(h.Model) {
				n := Neighbour{Model: v.Model, Cosine: dot(v.Vector, vecset.Unpack(h.Vector))}
				c.Meaning, c.Related = r.cosine(n)
				why.Cosine, why.Model = n.Cosine, n.Model
			}
		}
		x := rank.Fuse([]rank.Candidate{c}, rank.Options{})[0]
		better := true
		for _, row := range h.Held {
			better = better && x.Keyword+x.Semantic > best[row]
		}
		if !better {
			continue
		}
		why.Keyword, why.Semantic = x.Keyword, x.Semantic
		why.Summary = rank.SummaryBonus
		a := answer{summary: &h.Summary, score: rank.Score(x.Keyword + x.Semantic + why.Summary), matched: []string{matchedBySummary}, why: why}
		if m.Words > 0 {
			a.matched = append(a.matched, matchedByWords)
		}
		if c.Related >= rank.MeaningFloor {
			a.matched = append(a.matched, matchedByMeaning)
		}
		found = append(found, a)
	}
	slices.SortStableFunc(found, func(a, b answer) int { return cmp.Compare(b.score, a.score) })
	for _, a := range found[:min(len(found), maxSummaries)] {
		answers = insertByScore(answers, a)
	}
	return answers, nil
}
