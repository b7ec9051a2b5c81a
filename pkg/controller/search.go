package controller

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/query"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

const (
	// maxOptional is how many terms of a long query may find rows that hold only some of them.
	maxOptional = 32
	// searchCandidates and recallCandidates are how many chunks are read and scored. The numbers do
	// not depend on k, so that a larger k continues the answer of a smaller one.
	searchCandidates = 100
	recallCandidates = 200
	// termBudget is how many rows of common terms are looked at to find candidates.
	termBudget = 30_000
	// halfScore is the BM25 score that counts as half of what is possible.
	halfScore = 10.0
)

var matchedKeyword = []string{"keyword"}

// Search returns the chunks with the words of a query, best first: those with all the words, and
// when they are fewer than k, those with some of them.
func (c *Controller) Search(ctx context.Context, p SearchParams) (SearchResult, error) {
	res := SearchResult{Chunks: []Row{}}
	k, err := limit(p.K)
	if err != nil {
		return res, err
	}
	if err := checkQuery(p.Query); err != nil {
		return res, err
	}
	q := query.Parse(p.Query)
	filter := narrow(q)
	filter.Scope = c.scope(ctx)
	hits, err := c.search(ctx, q, filter, k)
	if err != nil {
		return res, err
	}
	if len(hits) > k {
		hits, res.HasMore = hits[:k], true
	}
	if res.Hint, err = c.searchHint(ctx, q, filter, len(hits)); err != nil {
		return res, err
	}
	var shown int
	res.Chunks, res.Truncated, shown = c.rowsOf(ctx, hits, shownTerms(q), len(res.Hint)+100)
	res.HasMore = res.HasMore || shown < len(hits)
	res.Hint = hints(res.Truncated.hint(), res.Hint)
	return res, nil
}

// checkQuery refuses what cannot be searched for.
func checkQuery(s string) error {
	if strings.TrimSpace(s) == "" {
		return fault.New(fault.Invalid, "The query is empty.").
			WithHint("Give the words to look for, such as: budget review from:alice after:2024-05-01. To list memory without words, use tree.browse.")
	}
	if n := utf8.RuneCountInString(s); n > MaxQueryRunes {
		return fault.New(fault.Invalid, "The query has %d characters.", n).
			WithHint("It may have %d; leave out what is not needed.", MaxQueryRunes)
	}
	return nil
}

// search returns the hits of a query: at least k+1 when there are so many.
func (c *Controller) search(ctx context.Context, q *query.Query, filter store.Filter, k int) ([]store.ChunkHit, error) {
	if len(q.Terms) == 0 {
		return c.newest(ctx, q, filter, k)
	}
	hits, err := c.searchAll(ctx, q, filter, k+1)
	if err != nil {
		return nil, err
	}
	band(hits, 0.5, 1)
	if relaxed := q.Relaxed(); relaxed != nil {
		band(hits, 0.5, 1) // from 0.75 on
		if len(hits) <= k {
			parts, err := c.searchAll(ctx, relaxed, filter, k+1+len(hits))
			if err != nil {
				return nil, err
			}
			band(parts, 0.5, 0.75)
			hits = appendNew(hits, parts)
		}
	}
	optional := q.Optional()
	if len(hits) > k || len(optional) == 0 || (len(q.Terms) == 1 && len(optional) == 1) {
		return hits, nil
	}
	for _, t := range q.Terms {
		if t.Required { // a row with the phrase and none of the other words holds some of them
			optional = append(optional, t)
		}
	}
	some, err := c.searchSome(ctx, q, optional, filter, k-len(hits)+1)
	if err != nil {
		return nil, err
	}
	band(some, 0, 0.5)
	return appendNew(hits, some), nil
}

// searchAll returns up to n chunks with all the terms, scored from 0 to 1.
func (c *Controller) searchAll(ctx context.Context, q *query.Query, filter store.Filter, n int) ([]store.ChunkHit, error) {
	var tokens []string
	for _, t := range q.Terms {
		tokens = append(tokens, t.Tokens...)
	}
	hits, err := c.store.SearchChunks(ctx, store.ChunkQuery{Match: q.All(), Tokens: tokens, Filter: filter, Accept: accept(q, true), Limit: n})
	for i := range hits {
		hits[i].Score /= hits[i].Score + halfScore
	}
	return hits, err
}

// band moves scores from 0 to 1 between two bounds.
func band(hits []store.ChunkHit, low, high float64) {
	for i := range hits {
		hits[i].Score = low + (high-low)*hits[i].Score
	}
}

// appendNew appends the hits on chunks that are not among the first.
func appendNew(hits, more []store.ChunkHit) []store.ChunkHit {
	first := hits
	for _, h := range more {
		if !slices.ContainsFunc(first, func(x store.ChunkHit) bool { return x.RowID == h.RowID }) {
			hits = append(hits, h)
		}
	}
	return hits
}

// newest answers a query of operators and exclusions alone: the newest chunks that they leave.
func (c *Controller) newest(ctx context.Context, q *query.Query, filter store.Filter, k int) ([]store.ChunkHit, error) {
	if q.IsZero() {
		return nil, nil
	}
	page, _, err := c.store.ListChunks(ctx, store.ListQuery{Filter: filter, Accept: accept(q, true), Limit: k + 1, NoTotal: true})
	if err != nil {
		return nil, err
	}
	hits := make([]store.ChunkHit, len(page))
	for i, ch := range page {
		hits[i].Chunk = ch
	}
	return hits, nil
}

// searchSome returns up to MaxK+1 chunks with some of the optional terms, best first, scored from 0
// to 1. Terms that stand in a large share of all chunks find little that rarer ones would not, at a
// high price, so they only count for the score, unless fewer than enough chunks are found without.
func (c *Controller) searchSome(ctx context.Context, q *query.Query, optional []query.Term, filter store.Filter, enough int) ([]store.ChunkHit, error) {
	terms, err := c.budget(ctx, optional)
	if err != nil {
		return nil, err
	}
	for {
		hits, err := c.searchAny(ctx, q, terms, filter)
		if err != nil || len(hits) >= enough {
			return hits, err
		}
		skipped := slices.IndexFunc(terms, func(t budgeted) bool { return t.Skip })
		if skipped >= 0 {
			terms[skipped].Skip = false
			continue
		}
		if len(hits) > 0 || len(optional) <= maxOptional {
			return hits, nil
		}
		// None of the rarest is anywhere, and there are more.
		tried := make(map[string]bool, len(terms))
		for _, t := range terms {
			tried[t.Expr] = true
		}
		optional = slices.DeleteFunc(slices.Clone(optional), func(t query.Term) bool { return tried[t.Expr] })
		if terms, err = c.budget(ctx, optional); err != nil || len(terms) == 0 {
			return nil, err
		}
	}
}

func (c *Controller) searchAny(ctx context.Context, q *query.Query, terms []budgeted, filter store.Filter) ([]store.ChunkHit, error) {
	kept := make([]query.Term, len(terms))
	any := make([]store.AnyTerm, len(terms))
	for i, t := range terms {
		kept[i], any[i] = t.Term, t.AnyTerm
	}
	return c.store.SearchAny(ctx, store.AnyQuery{
		Must: q.Must(), Terms: any, Filter: filter, Accept: accept(q, false),
		Scorer: func(df []int, total int) func(*store.Chunk) float64 {
			s := query.NewScorer(kept, df, total)
			return func(ch *store.Chunk) float64 { return s.Score(ch.Context, ch.Content) }
		},
		Candidates: searchCandidates, Limit: MaxK + 1,
	})
}

type budgeted struct {
	query.Term
	store.AnyTerm
}

// budget decides which terms find candidates: all rare ones, and common ones as far as the budget
// goes, the rarest first.
func (c *Controller) budget(ctx context.Context, terms []query.Term) ([]budgeted, error) {
	var tokens []string
	for _, t := range terms {
		tokens = append(tokens, t.Tokens...)
	}
	counts, total, err := c.store.TermCounts(ctx, tokens)
	if err != nil {
		return nil, err
	}
	out := make([]budgeted, len(terms))
	for i, t := range terms {
		out[i] = budgeted{Term: t, AnyTerm: store.AnyTerm{Match: t.Expr}}
		// A term of several tokens stands in no more chunks than the rarest of them.
		least := total
		for _, tok := range t.Tokens {
			least = min(least, counts[tok])
		}
		if len(t.Tokens) == 1 || least == 0 {
			out[i].Count = least
		}
		if len(t.Tokens) == 0 {
			out[i].Count = 0
		}
	}
	slices.SortStableFunc(out, func(a, b budgeted) int { return cmp.Compare(a.Count, b.Count) })
	out = out[:min(len(out), maxOptional)]
	spent := 0
	for i := range out {
		// Words that stand nowhere find nothing, so that one that does has to.
		out[i].Skip = spent > 0 && spent+out[i].Count > termBudget
		spent += out[i].Count
	}
	return out, nil
}

// rowsOf makes the rows of hits, small enough for one answer.
func (c *Controller) rowsOf(ctx context.Context, hits []store.ChunkHit, terms []query.Term, other int) (rows []Row, cut *Truncated, shown int) {
	p := newPreviewer(terms)
	rows = make([]Row, len(hits))
	for i := range hits {
		hits[i].Chunk = c.servedChunk(ctx, hits[i].Chunk)
		rows[i] = newRow(&hits[i].Chunk, p.preview(hits[i].Content, MaxPreviewRunes))
		rows[i].Score = hits[i].Score
		if len(terms) > 0 {
			rows[i].Matched = matchedKeyword
		}
	}
	rows, cut = c.fit(rows, func(i, runes int) string { return p.preview(hits[i].Content, runes) }, other)
	return rows, cut, len(rows)
}

// shownTerms are the terms that previews are cut around.
func shownTerms(q *query.Query) []query.Term {
	terms := append(slices.Clone(q.Terms), q.Optional()...)
	if relaxed := q.Relaxed(); relaxed != nil {
		terms = append(terms, relaxed.Terms...)
	}
	return terms
}
