package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// rankBy is how FTS5 weighs the columns head, body and extra: title, heading and author say more
// about a chunk than a word of its text, a part of an identifier less.
const rankBy = "bm25(3.0, 1.0, 0.5)"

const (
	// rankedHits is how many hits are ranked at most, the newest. Ranking costs some microseconds a
	// hit, and where a query matches more, its words are in every other chunk and rank nothing.
	rankedHits = 20_000
	// tiedHits is how many hits of one rank are read to find the newest among them.
	tiedHits = 256
	// termHits is how many rows of one optional term are looked at, the newest.
	termHits = 50_000
	// sureHits is how many candidates must stand out by their terms; with fewer, those that hold the
	// same terms are ranked.
	sureHits = 10
)

// SearchChunks returns the chunks that match, best first: score, then timestamp_ms, both
// descending, then chunk_id. Filter, scope and Accept decide before the limit does.
func (s *Store) SearchChunks(ctx context.Context, q ChunkQuery) ([]ChunkHit, error) {
	if q.Match == "" || q.Limit <= 0 {
		return nil, fmt.Errorf("search chunks: match %q, limit %d", q.Match, q.Limit)
	}
	var hits []ChunkHit
	err := s.view(ctx, func(ctx context.Context, db querier) error {
		cond, err := q.where(ctx, db)
		if err != nil || cond.none {
			return err
		}
		floor, err := q.floor(ctx, db)
		if err != nil {
			return err
		}
		hits, err = q.ranked(ctx, db, cond, floor)
		if err == nil && floor > 0 && len(hits) < q.Limit && (cond.sql != "1" || q.Accept != nil) {
			// What passes may be older than the newest hits.
			hits, err = q.ranked(ctx, db, cond, 0)
		}
		return err
	})
	return hits, err
}

// floor returns the lowest row that still is to be ranked, or 0 for all.
func (q *ChunkQuery) floor(ctx context.Context, db querier) (floor int64, err error) {
	if len(q.Tokens) > 0 {
		list, err := json.Marshal(q.Tokens)
		if err != nil {
			return 0, fmt.Errorf("count hits: %w", err)
		}
		var rare bool
		err = repeated(db).QueryRowContext(ctx, `SELECT EXISTS (
			SELECT 1 FROM json_each(?) t LEFT JOIN common_terms n ON n.term = t.value WHERE coalesce(n.df, 0) < `+strconv.Itoa(rankedHits)+`)`,
			string(list)).Scan(&rare)
		if err != nil {
			return 0, fmt.Errorf("count hits: %w", err)
		}
		if rare {
			return 0, nil
		}
	}
	err = repeated(db).QueryRowContext(ctx, `SELECT rowid FROM chunk_index WHERE chunk_index MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET `+
		strconv.Itoa(rankedHits-1), q.Match).Scan(&floor)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("count hits: %w", err)
	}
	return floor, nil
}

// ranking is the part of a statement that yields rows in the order of their rank. The limit keeps
// SQLite from taking the sub-query apart, which would rank every row again or not at all.
func ranking(floor int64) string {
	from := `chunk_index WHERE chunk_index MATCH ? AND rank MATCH '` + rankBy + `'`
	if floor > 0 {
		from += " AND rowid >= " + strconv.FormatInt(floor, 10)
	}
	return `(SELECT rowid AS row, rank FROM ` + from + ` ORDER BY rank LIMIT ` + strconv.Itoa(math.MaxInt64) + `) f`
}

func (q *ChunkQuery) ranked(ctx context.Context, db querier, cond condition, floor int64) ([]ChunkHit, error) {
	query := `SELECT ` + chunkColumns + `, f.rank FROM ` + ranking(floor) + ` CROSS JOIN ` + onRow(chunkFrom) + ` WHERE ` + cond.sql
	run := db
	if floor == 0 && cond.sql == "1" {
		run = repeated(db)
	}
	rows, err := run.QueryContext(ctx, query, q.Match)
	if err != nil {
		return nil, fmt.Errorf("search chunks: %w", err)
	}
	defer rows.Close()
	var hits []ChunkHit
	for rows.Next() {
		var h ChunkHit
		if err := scanChunk(rows, &h.Chunk, &h.Score); err != nil {
			return nil, err
		}
		h.Score = -h.Score
		if n := len(hits); n >= q.Limit && h.Score < hits[q.Limit-1].Score {
			break
		} else if n >= q.Limit+tiedHits {
			rows.Close()
			return q.resolveTies(ctx, db, cond, floor, hits)
		}
		if q.Accept == nil || q.Accept(&h.Chunk) {
			hits = append(hits, h)
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("search chunks: %w", err)
	}
	sortHits(hits)
	return hits[:min(len(hits), q.Limit)], nil
}

// resolveTies replaces the hits that share the last rank by the newest of all that have it.
func (q *ChunkQuery) resolveTies(ctx context.Context, db querier, cond condition, floor int64, hits []ChunkHit) ([]ChunkHit, error) {
	tied := hits[q.Limit-1].Score
	above := slices.IndexFunc(hits, func(h ChunkHit) bool { return h.Score == tied })
	hits = hits[:above]
	sortHits(hits)
	ids, err := queryIDs(ctx, db, `SELECT c.id FROM `+ranking(floor)+` CROSS JOIN chunks c ON c.id = f.row WHERE f.rank = ? AND `+cond.sql+
		` ORDER BY c.timestamp_ms DESC, c.chunk_id`, q.Match, -tied)
	if err != nil {
		return nil, fmt.Errorf("search chunks of one rank: %w", err)
	}
	for len(ids) > 0 && len(hits) < q.Limit {
		n := min(len(ids), tiedHits)
		chunks, err := chunksByRow(ctx, db, ids[:n])
		if err != nil {
			return nil, err
		}
		for _, id := range ids[:n] {
			if c := chunks[id]; c != nil && len(hits) < q.Limit && (q.Accept == nil || q.Accept(c)) {
				hits = append(hits, ChunkHit{*c, tied})
			}
		}
		ids = ids[n:]
	}
	return hits, nil
}

func sortHits(hits []ChunkHit) {
	slices.SortStableFunc(hits, func(a, b ChunkHit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.TimestampMS, a.TimestampMS), cmp.Compare(a.ChunkID, b.ChunkID))
	})
}

// onRow joins the tables of a chunk to the sub-query f.
func onRow(from string) string {
	return strings.Replace(from, "chunks c", "chunks c ON c.id = f.row", 1)
}

func chunksByRow(ctx context.Context, db querier, ids []int64) (map[int64]*Chunk, error) {
	rows, err := db.QueryContext(ctx, `SELECT `+chunkColumns+` FROM `+chunkFrom+` WHERE c.id IN `+idList(ids))
	if err != nil {
		return nil, fmt.Errorf("read chunks: %w", err)
	}
	defer rows.Close()
	chunks := make(map[int64]*Chunk, len(ids))
	for rows.Next() {
		c := new(Chunk)
		if err := scanChunk(rows, c); err != nil {
			return nil, err
		}
		chunks[c.RowID] = c
	}
	return chunks, rows.Err()
}

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
		total, err := countChunks(ctx, db)
		if err != nil {
			return err
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
	hits := `SELECT rowid AS row FROM chunk_index WHERE chunk_index MATCH ? ORDER BY rowid DESC`
	if cond.sql != "1" {
		hits = `SELECT f.row FROM (` + hits + ` LIMIT ` + strconv.Itoa(math.MaxInt64) + `) f CROSS JOIN chunks c ON c.id = f.row WHERE ` + cond.sql
	}
	// One string for all rows: crossing into Go for each of them costs more than finding it.
	query := `SELECT coalesce(group_concat(row), '') FROM (` + hits + ` LIMIT ` + strconv.Itoa(termHits) + `)`
	if cond.sql == "1" {
		db = repeated(db)
	}
	for i, t := range q.Terms {
		df[i] = t.Count
		if t.Skip {
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
		if len(best.tied) > 0 && best.sure < sureHits {
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
			chunks, err := chunksByRow(ctx, db, batch)
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
	floor := int64(0)
	if cond.sql == "1" {
		var err error
		if floor, err = (&ChunkQuery{Match: match}).floor(ctx, db); err != nil {
			return nil, err
		}
	}
	ids, err := queryIDs(ctx, db, `SELECT c.id FROM `+ranking(floor)+` CROSS JOIN chunks c ON c.id = f.row WHERE `+cond.sql+` LIMIT ?`, match, n)
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

// TermCounts returns, for those index tokens that stand in a large share of the chunks, in how many
// as of the last count; rare ones are absent. total is the number of chunks.
func (s *Store) TermCounts(ctx context.Context, terms []string) (counts map[string]int, total int, err error) {
	counts = make(map[string]int)
	list, err := json.Marshal(terms)
	if err != nil {
		return nil, 0, fmt.Errorf("count terms: %w", err)
	}
	err = s.view(ctx, func(ctx context.Context, db querier) error {
		if total, err = countChunks(ctx, db); err != nil || len(terms) == 0 {
			return err
		}
		rows, err := repeated(db).QueryContext(ctx, `SELECT term, df FROM common_terms WHERE term IN (SELECT value FROM json_each(?))`, string(list))
		if err != nil {
			return fmt.Errorf("count terms: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var term string
			var df int
			if err := rows.Scan(&term, &df); err != nil {
				return fmt.Errorf("count terms: %w", err)
			}
			counts[term] = min(df, total)
		}
		return rows.Err()
	})
	return counts, total, err
}

func countChunks(ctx context.Context, db querier) (n int, err error) {
	if err := repeated(db).QueryRowContext(ctx, `SELECT coalesce(sum(chunks), 0) FROM sources`).Scan(&n); err != nil {
		return 0, fmt.Errorf("count chunks: %w", err)
	}
	return n, nil
}
