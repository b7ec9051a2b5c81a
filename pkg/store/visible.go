package store

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// What FTS5 ranks by counts every row of the index: how many hold a word, and how long they are. To a
// caller from whom sources are hidden that would tell what they hold, by the order and the scores of
// the rest. For such a caller the same formula is worked out here over the rows that he may see, so
// that the answer is that of a store which never had the others.

// The constants of BM25 as FTS5 has them, and the weights of rankBy.
const (
	bm25K1, bm25B = 1.2, 0.75
	leastIDF      = 1e-6
)

// measured is how many rows a sight leaves of the index, and how many tokens these hold.
type measured struct {
	state        string // of the index
	rows, tokens int64
}

// countVisible returns how many chunks a sight leaves.
func (v sight) countVisible(ctx context.Context, db querier) (int, error) {
	if v.hidden == "" {
		return countChunks(ctx, db)
	}
	m, err := v.measure(ctx, db)
	return int(m.rows), err
}

// measure counts what a sight leaves of the index.
func (v sight) measure(ctx context.Context, db querier) (measured, error) {
	var m measured
	// The totals of the index change with every row of it.
	if err := db.QueryRowContext(ctx, `SELECT (SELECT hex(block) FROM chunk_index_data WHERE id = 1) || ' ' || (SELECT coalesce(max(id), 0) FROM chunks)`).Scan(&m.state); err != nil {
		return m, fmt.Errorf("read the state of the index: %w", err)
	}
	cache, version, err := cacheOf(ctx, db)
	if err != nil {
		return m, err
	}
	m.state += " " + version
	cache.mu.Lock()
	defer cache.mu.Unlock()
	if old, ok := cache.measures[v.hidden]; ok && old.state == m.state {
		return old, nil
	}
	sizes, err := sizesOf(ctx, db, `SELECT c.id FROM chunks c WHERE `+v.visible())
	if err != nil {
		return m, err
	}
	m.rows = int64(len(sizes))
	for _, n := range sizes {
		m.tokens += n
	}
	if cache.measures == nil || len(cache.measures) >= maxGroupings {
		cache.measures = map[string]measured{}
	}
	cache.measures[v.hidden] = m
	return m, nil
}

// sizesOf returns how many tokens the index has of each of the rows that a query names.
func sizesOf(ctx context.Context, db querier, rows string) (map[int64]int64, error) {
	var list string
	// One string for all rows: crossing into Go for each of them costs more than finding it.
	err := db.QueryRowContext(ctx, `SELECT coalesce(group_concat(d.id || ':' || hex(d.sz), ' '), '') FROM chunk_index_docsize d WHERE d.id IN (`+rows+`)`).Scan(&list)
	if err != nil {
		return nil, fmt.Errorf("read sizes: %w", err)
	}
	sizes := make(map[int64]int64, strings.Count(list, " ")+1)
	for one := range strings.FieldsSeq(list) {
		id, digits, _ := strings.Cut(one, ":")
		row, err := strconv.ParseInt(id, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("read sizes: %w", err)
		}
		blob, err := hex.DecodeString(digits)
		if err != nil {
			return nil, fmt.Errorf("read sizes: %w", err)
		}
		sizes[row] = tokens(blob)
	}
	return sizes, nil
}

// tokens adds up a record of sizes: one number of SQLite's variable length for each column.
func tokens(blob []byte) (sum int64) {
	n, length := int64(0), 0
	for _, b := range blob {
		length++
		if length == 9 { // the last byte has eight bits
			n = n<<8 | int64(b)
		} else if n = n<<7 | int64(b&0x7f); b&0x80 != 0 {
			continue
		}
		sum += n
		n, length = 0, 0
	}
	return sum
}

// phrasePattern finds the phrases of an FTS5 expression: tokens in quotation marks, perhaps the
// beginnings of words.
var phrasePattern = regexp.MustCompile(`"[^"]*"(?: \*)?`)

// A rankedRow is a row with its score.
type rankedRow struct {
	row   int64
	score float64
}

// rankVisible returns the rows that match and pass the condition, best first, of equals the oldest: no
// more than limit, the newest.
func rankVisible(ctx context.Context, db querier, cond condition, match string, limit int) ([]rankedRow, error) {
	m, err := cond.sight.measure(ctx, db)
	if err != nil {
		return nil, err
	}
	var list string
	err = db.QueryRowContext(ctx, `SELECT coalesce(group_concat(row), '') FROM (SELECT f.row FROM (SELECT rowid AS row FROM chunk_index WHERE chunk_index MATCH ?
		ORDER BY rowid DESC LIMIT `+strconv.Itoa(math.MaxInt64)+`) f CROSS JOIN chunks c ON c.id = f.row WHERE `+cond.sql+` LIMIT `+strconv.Itoa(limit)+`)`, match).Scan(&list)
	if err != nil {
		return nil, fmt.Errorf("search chunks: %w", err)
	}
	rows, err := parseRows(list)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	sizes, err := sizesOf(ctx, db, strings.Trim(idList(rows), "()"))
	if err != nil {
		return nil, err
	}
	all, err := wholeIndex(ctx, db)
	if err != nil {
		return nil, err
	}
	scores := make(map[int64]float64, len(rows))
	average := float64(m.tokens) / float64(m.rows)
	for _, phrase := range phrasePattern.FindAllString(match, -1) {
		seen, err := visibleHits(ctx, db, cond.sight, phrase)
		if err != nil {
			return nil, err
		}
		found, err := frequencies(ctx, db, phrase, all, rows[len(rows)-1], rows[0], sizes)
		if err != nil {
			return nil, err
		}
		weight, err := idf(ctx, db, m.rows, seen)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			f := found[row]
			scores[row] += weight * ((f * (bm25K1 + 1.0)) / (f + bm25K1*(1-bm25B+bm25B*float64(sizes[row])/average)))
		}
	}
	ranked := make([]rankedRow, len(rows))
	for i, row := range rows {
		ranked[i] = rankedRow{row, scores[row]}
	}
	slices.SortFunc(ranked, func(a, b rankedRow) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.row, b.row)) })
	return ranked, nil
}

// idf is how much a phrase weighs that stands in so many of the rows. SQLite works out the logarithm,
// as it does for FTS5: Go's differs in the last digit.
func idf(ctx context.Context, db querier, rows, hits int64) (w float64, err error) {
	if err := db.QueryRowContext(ctx, `SELECT ln(?)`, (float64(rows-hits)+0.5)/(float64(hits)+0.5)).Scan(&w); err != nil {
		return 0, fmt.Errorf("weigh a term: %w", err)
	}
	if w <= 0 {
		return leastIDF, nil
	}
	return w, nil
}

// wholeIndex counts the rows and tokens of the index as FTS5 does.
func wholeIndex(ctx context.Context, db querier) (m measured, err error) {
	var block []byte
	if err := db.QueryRowContext(ctx, `SELECT block FROM chunk_index_data WHERE id = 1`).Scan(&block); err != nil {
		return m, fmt.Errorf("read the totals of the index: %w", err)
	}
	// The number of rows, then the tokens of each column.
	for i, b := range block {
		m.rows = m.rows<<7 | int64(b&0x7f)
		if b&0x80 == 0 {
			m.tokens = tokens(block[i+1:])
			break
		}
	}
	return m, nil
}

// visibleHits counts the rows with a phrase that a sight leaves.
func visibleHits(ctx context.Context, db querier, v sight, phrase string) (n int64, err error) {
	err = db.QueryRowContext(ctx, `SELECT count(*) FROM (SELECT rowid AS row FROM chunk_index WHERE chunk_index MATCH ? LIMIT `+strconv.Itoa(math.MaxInt64)+`) f
		CROSS JOIN chunks c ON c.id = f.row WHERE `+v.visible(), phrase).Scan(&n)
	if err != nil {
		return 0, fmt.Errorf("count a term: %w", err)
	}
	return n, nil
}

// frequencies returns how often a phrase stands in rows, each place counted with the weight of its
// column. Only FTS5 can tell, and it does by the score that it gives the phrase alone: with all else
// known there is one multiple of a half, the smallest weight, that gives this score.
func frequencies(ctx context.Context, db querier, phrase string, all measured, low, high int64, sizes map[int64]int64) (map[int64]float64, error) {
	var hits int64
	if err := db.QueryRowContext(ctx, `SELECT count(*) FROM chunk_index WHERE chunk_index MATCH ?`, phrase).Scan(&hits); err != nil {
		return nil, fmt.Errorf("count a term: %w", err)
	}
	weight, err := idf(ctx, db, all.rows, hits)
	if err != nil {
		return nil, err
	}
	average := float64(all.tokens) / float64(all.rows)
	rows, err := db.QueryContext(ctx, `SELECT rowid, rank FROM chunk_index WHERE chunk_index MATCH ? AND rank MATCH '`+rankBy+`' AND rowid >= ? AND rowid <= ?`, phrase, low, high)
	if err != nil {
		return nil, fmt.Errorf("rank a term: %w", err)
	}
	defer rows.Close()
	out := make(map[int64]float64, len(sizes))
	for rows.Next() {
		var row int64
		var rank float64
		if err := rows.Scan(&row, &rank); err != nil {
			return nil, fmt.Errorf("rank a term: %w", err)
		}
		size, wanted := sizes[row]
		if !wanted {
			continue
		}
		x := -rank / weight
		f := x * bm25K1 * (1 - bm25B + bm25B*float64(size)/average) / (bm25K1 + 1 - x)
		out[row] = max(math.Round(2*f), 1) / 2
	}
	return out, rows.Err()
}

// searchVisible is SearchChunks for a caller from whom sources are hidden.
func (q *ChunkQuery) searchVisible(ctx context.Context, db querier, cond condition) ([]ChunkHit, error) {
	ranked, err := rankVisible(ctx, db, cond, q.Match, rankedHits)
	if err != nil {
		return nil, err
	}
	hits, err := q.read(ctx, db, cond, ranked)
	if err == nil && len(hits) < q.Limit && len(ranked) == rankedHits {
		// What passes may be older than the newest hits.
		if ranked, err = rankVisible(ctx, db, cond, q.Match, math.MaxInt64); err == nil {
			hits, err = q.read(ctx, db, cond, ranked)
		}
	}
	return hits, err
}

// read returns the first hits of a ranking.
func (q *ChunkQuery) read(ctx context.Context, db querier, cond condition, ranked []rankedRow) (hits []ChunkHit, err error) {
	for len(ranked) > 0 {
		n := min(len(ranked), tiedHits)
		for n < len(ranked) && ranked[n].score == ranked[n-1].score { // equals are ordered together
			n++
		}
		ids, scores := make([]int64, n), make(map[int64]float64, n)
		for i, r := range ranked[:n] {
			ids[i], scores[r.row] = r.row, r.score
		}
		var some []ChunkHit
		for rest := range slices.Chunk(ids, 500) {
			chunks, err := chunksByRow(ctx, db, cond.sight, rest)
			if err != nil {
				return nil, err
			}
			for _, id := range rest {
				if c := chunks[id]; c != nil && (q.Accept == nil || q.Accept(c)) {
					some = append(some, ChunkHit{*c, scores[id]})
				}
			}
		}
		sortHits(some)
		if hits = append(hits, some...); len(hits) >= q.Limit {
			return hits[:q.Limit], nil
		}
		ranked = ranked[n:]
	}
	return hits, nil
}

// visibleCounts replaces the counts of common terms by those that a sight leaves.
func (q *AnyQuery) visibleCounts(ctx context.Context, db querier, v sight, total int) error {
	for i := range q.Terms {
		t := &q.Terms[i]
		t.Count = 0
		if q.Glosses || strings.ContainsAny(t.Match, " (") { // only single tokens of texts are counted
			continue
		}
		n, err := visibleHits(ctx, db, v, t.Match)
		if err != nil {
			return err
		}
		if n > int64(max(commonLeast, total/commonShare)) {
			t.Count = int(n)
		}
	}
	return nil
}
