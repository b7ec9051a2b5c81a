package store

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

const (
	// termHits is how many rows of one optional term are looked at, the newest.
	termHits = 50_000
	// sureHits is how many candidates must stand out by their terms; with fewer, those that hold the
	// same terms are ranked.
	sureHits = 3
	// spared is in how many chunks a term stands that need not be looked for beside rare ones.
	spared = 5000
)

// AnyQuery asks for chunks that hold some of several terms. The store finds candidates by the terms
// they hold, rare ones counting more; the caller scores them.
type AnyQuery struct {
	Must  string    // an FTS5 expression that every chunk matches; empty: none
	Terms []AnyTerm // at least one that is not skipped
	Filter
	Accept func(*Chunk) bool
	// Scorer is called once, with the number of chunks that hold each term and of all chunks, and
	// returns the score of a chunk. A chunk that scores 0 is no hit.
	Scorer func(df []int, total int) func(*Chunk) float64
	// Candidates is how many chunks are scored at least, if there are so many.
	Candidates int
	Limit      int
	// Enough, when it is not 0, is how many chunks rare terms have to lead to so that those with common ones
	// alone are not looked for, as long as there is room for all of them among the candidates. The terms then
	// run from rare to common.
	Enough int
	// Glosses looks for the terms in what chunks of other languages say in English, not in their text.
	Glosses bool
}

// AnyTerm is one term of an AnyQuery.
type AnyTerm struct {
	Match string // an FTS5 expression
	Count int    // in how many chunks it stands, where TermCounts knows it; else 0
	Skip  bool   // too common to find candidates by; it still counts in their score
}

// SearchAny returns the chunks with some of the terms, best first, in the order of SearchChunks.
func (s *Store) SearchAny(ctx context.Context, q AnyQuery) ([]ChunkHit, error) {
	if len(q.Terms) == 0 || q.Limit <= 0 || q.Scorer == nil {
		return nil, fmt.Errorf("search some terms: %d terms, limit %d", len(q.Terms), q.Limit)
	}
	var hits []ChunkHit
	err := s.view(ctx, func(ctx context.Context, db querier) error {
		cond, err := q.where(ctx, db)
		if err != nil || cond.none {
			return err
		}
		total, err := cond.sight.countVisible(ctx, db)
		if err != nil {
			return err
		}
		if cond.sight.hidden != "" {
			q.Terms = slices.Clone(q.Terms)
			if err := q.visibleCounts(ctx, db, cond.sight, total); err != nil {
				return err
			}
		}
		lists, df, err := q.postings(ctx, db, cond)
		if err != nil {
			return err
		}
		hits, err = q.scored(ctx, db, cond, lists, df, total)
		return err
	})
	return hits, err
}

// postings returns the rows of every term, highest first, and how many chunks hold it.
func (q *AnyQuery) postings(ctx context.Context, db querier, cond condition) (lists [][]int64, df []int, err error) {
	lists, df = make([][]int64, len(q.Terms)), make([]int, len(q.Terms))
	table := "chunk_index"
	if q.Glosses {
		table = "gloss_index"
	}
	hits := `SELECT rowid AS row FROM ` + table + ` WHERE ` + table + ` MATCH ? ORDER BY rowid DESC`
	if cond.sql != "1" {
		hits = `SELECT f.row FROM (` + hits + ` LIMIT ` + strconv.Itoa(math.MaxInt64) + `) f CROSS JOIN chunks c ON c.id = f.row WHERE ` + cond.sql
	}
	// One string for all rows: crossing into Go for each of them costs more than finding it.
	query := `SELECT coalesce(group_concat(row), '') FROM (` + hits + ` LIMIT ` + strconv.Itoa(termHits) + `)`
	if cond.sql == "1" {
		db = repeated(db)
	}
	most, all := 0, 0 // of the rows so far: in one list, and in all together
	for i, t := range q.Terms {
		df[i] = t.Count
		if t.Skip || q.Enough > 0 && t.Count > spared && most >= q.Enough && all <= q.Candidates {
			continue
		}
		match := t.Match
		if q.Must != "" {
			match = "(" + q.Must + ") AND " + match
		}
		var rows string
		if err := db.QueryRowContext(ctx, query, match).Scan(&rows); err != nil {
			return nil, nil, fmt.Errorf("search a term: %w", err)
		}
		if lists[i], err = parseRows(rows); err != nil {
			return nil, nil, err
		}
		df[i] = max(df[i], len(lists[i]))
		most, all = max(most, len(lists[i])), all+len(lists[i])
	}
	return lists, df, nil
}

func parseRows(s string) ([]int64, error) {
	if s == "" {
		return nil, nil
	}
	rows := make([]int64, 0, strings.Count(s, ",")+1)
	for s != "" {
		var one string
		one, s, _ = strings.Cut(s, ",")
		row, err := strconv.ParseInt(one, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read hits: %w", err)
		}
		rows = append(rows, row)
	}
	// group_concat promises no order.
	if !slices.IsSortedFunc(rows, func(a, b int64) int { return cmp.Compare(b, a) }) {
		slices.SortFunc(rows, func(a, b int64) int { return cmp.Compare(b, a) })
	}
	return rows, nil
}

// scored scores the candidates with the rarest terms, and more of them while too few are accepted.
func (q *AnyQuery) scored(ctx context.Context, db querier, cond condition, lists [][]int64, df []int, total int) ([]ChunkHit, error) {
	score := q.Scorer(df, total)
	weights := make([]float64, len(df))
	for i, d := range df {
		weights[i] = math.Log(1 + (float64(max(total, d))-float64(d)+0.5)/(float64(d)+0.5))
	}
	for n := max(q.Candidates, q.Limit); ; n *= 8 {
		best := bestRows(lists, weights, n)
		ids := best.rows
		if len(best.tied) > 0 && best.sure < sureHits && !q.Glosses {
			ids = ids[:best.sure]
			ranked, err := q.rankTied(ctx, db, cond, best.tied, n)
			if err != nil {
				return nil, err
			}
			for _, id := range ranked {
				if len(ids) == n {
					break
				}
				if !slices.Contains(ids[:best.sure], id) {
					ids = append(ids, id)
				}
			}
		}
		var hits []ChunkHit
		for rest := ids; len(rest) > 0; {
			batch := rest[:min(len(rest), 500)]
			rest = rest[len(batch):]
			chunks, err := chunksByRow(ctx, db, cond.sight, batch)
			if err != nil {
				return nil, err
			}
			for _, id := range batch {
				c := chunks[id]
				if c == nil || q.Accept != nil && !q.Accept(c) {
					continue
				}
				if s := score(c); s > 0 {
					hits = append(hits, ChunkHit{*c, s})
				}
			}
		}
		if len(hits) >= q.Limit || len(ids) < n {
			sortHits(hits)
			return hits[:min(len(hits), q.Limit)], nil
		}
	}
}

// rankTied returns rows with all of the tied terms, best first: where too many rows hold the same
// terms, how often and in how long a text decides which of them are candidates.
func (q *AnyQuery) rankTied(ctx context.Context, db querier, cond condition, tied []int, n int) ([]int64, error) {
	var and []string
	if q.Must != "" {
		and = append(and, "("+q.Must+")")
	}
	for _, i := range tied {
		and = append(and, q.Terms[i].Match)
	}
	match := strings.Join(and, " AND ")
	if cond.sight.hidden != "" {
		ranked, err := rankVisible(ctx, db, cond, match, rankedHits)
		if err != nil {
			return nil, err
		}
		var ids []int64
		for _, r := range ranked[:min(len(ranked), n)] {
			ids = append(ids, r.row)
		}
		return ids, nil
	}
	rank, err := (&ChunkQuery{Match: match}).span(ctx, db, cond)
	if err != nil {
		return nil, err
	}
	ids, err := queryIDs(ctx, db, `SELECT c.id FROM `+ranking(rank)+` CROSS JOIN chunks c ON c.id = f.row WHERE `+cond.sql+` LIMIT ?`, match, n)
	if err != nil {
		return nil, fmt.Errorf("rank a term: %w", err)
	}
	return ids, nil
}

// bestOf is what bestRows finds.
type bestOf struct {
	rows []int64 // those that weigh most first
	// sure is how many of the rows weigh more than the last. When more rows weigh as much as the last
	// than there is room for, and all for the same terms, tied are those terms.
	sure int
	tied []int
}

// bestRows merges the lists, which run from the highest row down, and returns the n rows whose
// terms weigh most; of equals, the newest.
func bestRows(lists [][]int64, weights []float64, n int) bestOf {
	type candidate struct {
		row    int64
		weight float64
		terms  uint64 // a bit for each list; lists past the 64th share the last
	}
	type group struct {
		terms  uint64
		weight float64
		count  int
	}
	var groups []group // there are few: what was seen last is looked for first
	// A heap with the worst of the best on top.
	var heap []candidate
	worse := func(a, b candidate) bool { return a.weight < b.weight || a.weight == b.weight && a.row < b.row }
	down := func(i int) {
		for {
			k := 2*i + 1
			if k >= len(heap) {
				return
			}
			if k+1 < len(heap) && worse(heap[k+1], heap[k]) {
				k++
			}
			if !worse(heap[k], heap[i]) {
				return
			}
			heap[i], heap[k] = heap[k], heap[i]
			i = k
		}
	}
	at := make([]int, len(lists))
	for {
		row := int64(math.MinInt64)
		for i, l := range lists {
			if at[i] < len(l) {
				row = max(row, l[at[i]])
			}
		}
		if row == math.MinInt64 {
			break
		}
		c := candidate{row: row}
		for i, l := range lists {
			if at[i] < len(l) && l[at[i]] == row {
				at[i]++
				c.weight += weights[i]
				c.terms |= 1 << min(i, 63)
			}
		}
		g := slices.IndexFunc(groups, func(g group) bool { return g.terms == c.terms && g.weight == c.weight })
		if g < 0 {
			groups, g = append(groups, group{c.terms, c.weight, 0}), len(groups)
		}
		groups[g].count++
		if g > 0 && groups[g].count > groups[g-1].count {
			groups[g], groups[g-1] = groups[g-1], groups[g]
		}
		switch {
		case len(heap) < n:
			heap = append(heap, c)
			if len(heap) == n {
				for i := n/2 - 1; i >= 0; i-- {
					down(i)
				}
			}
		case worse(heap[0], c):
			heap[0] = c
			down(0)
		}
	}
	slices.SortFunc(heap, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.row, a.row))
	})
	var out bestOf
	for _, c := range heap {
		out.rows = append(out.rows, c.row)
	}
	if len(heap) == 0 {
		return out
	}
	last := heap[len(heap)-1]
	out.sure = slices.IndexFunc(heap, func(c candidate) bool { return c.weight == last.weight })
	count, same := 0, true
	for _, g := range groups {
		if g.weight == last.weight {
			count += g.count
			same = same && g.terms == last.terms
		}
	}
	if count > len(heap)-out.sure && same && len(lists) < 64 {
		for i := range lists {
			if last.terms&(1<<i) != 0 {
				out.tied = append(out.tied, i)
			}
		}
	}
	return out
}
