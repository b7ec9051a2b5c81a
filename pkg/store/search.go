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
		if cond.sight.hidden != "" {
			hits, err = q.searchVisible(ctx, db, cond)
			return err
		}
		rank, err := q.span(ctx, db, cond)
		if err != nil {
			return err
		}
		hits, err = q.ranked(ctx, db, cond, rank)
		if err == nil && rank.newest && len(hits) < q.Limit && (cond.sql != "1" || q.Accept != nil) {
			// What passes may be older than the newest hits.
			hits, err = q.ranked(ctx, db, cond, span{to: rank.to})
		}
		return err
	})
	return hits, err
}

// span is a range of rows that are to be ranked; 0 leaves an end open.
type span struct {
	from, to int64
	newest   bool // there are older hits before it
}

// sql is a condition on the rows of the index.
func (s span) sql() (cond string) {
	if s.from > 0 {
		cond += " AND rowid >= " + strconv.FormatInt(s.from, 10)
	}
	if s.to > 0 {
		cond += " AND rowid <= " + strconv.FormatInt(s.to, 10)
	}
	return cond
}

// span returns the rows that are to be ranked: all of them, but of a broad query only the newest
// among those that the filter may let pass.
func (q *ChunkQuery) span(ctx context.Context, db querier, cond condition) (s span, err error) {
	if rare, err := q.rare(ctx, db); err != nil || rare {
		return span{}, err
	}
	if s.from, err = q.floor(ctx, db, s); err != nil || s.from == 0 {
		return span{}, err
	}
	s.newest = true
	if cond.sql == "1" {
		return s, nil
	}
	var first, last sql.NullInt64
	if err := db.QueryRowContext(ctx, `SELECT min(c.id), max(c.id) FROM chunks c WHERE `+cond.sql).Scan(&first, &last); err != nil {
		return span{}, fmt.Errorf("search chunks: %w", err)
	}
	within := span{from: first.Int64, to: last.Int64}
	floor, err := q.floor(ctx, db, within)
	if err != nil {
		return span{}, err
	}
	if floor > 0 {
		within.from, within.newest = floor, true
	}
	return within, nil
}

// rare reports whether one of the tokens is known to stand in few chunks.
func (q *ChunkQuery) rare(ctx context.Context, db querier) (rare bool, err error) {
	if len(q.Tokens) == 0 {
		return false, nil
	}
	list, err := json.Marshal(q.Tokens)
	if err != nil {
		return false, fmt.Errorf("count hits: %w", err)
	}
	err = repeated(db).QueryRowContext(ctx, `SELECT EXISTS (
		SELECT 1 FROM json_each(?) t LEFT JOIN common_terms n ON n.term = t.value WHERE coalesce(n.df, 0) < `+strconv.Itoa(rankedHits)+`)`,
		string(list)).Scan(&rare)
	if err != nil {
		return false, fmt.Errorf("count hits: %w", err)
	}
	return rare, nil
}

// floor returns the lowest of the newest hits inside s, or 0 when there are not so many.
func (q *ChunkQuery) floor(ctx context.Context, db querier, s span) (floor int64, err error) {
	if s == (span{}) {
		db = repeated(db)
	}
	err = db.QueryRowContext(ctx, `SELECT rowid FROM chunk_index WHERE chunk_index MATCH ?`+s.sql()+` ORDER BY rowid DESC LIMIT 1 OFFSET `+
		strconv.Itoa(rankedHits-1), q.Match).Scan(&floor)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("count hits: %w", err)
	}
	return floor, nil
}

// ranking is the part of a statement that yields rows in the order of their rank. The limit keeps
// SQLite from taking the sub-query apart, which would rank every row again or not at all.
func ranking(s span) string {
	return `(SELECT rowid AS row, rank FROM chunk_index WHERE chunk_index MATCH ? AND rank MATCH '` + rankBy + `'` + s.sql() +
		` ORDER BY rank LIMIT ` + strconv.Itoa(math.MaxInt64) + `) f`
}

func (q *ChunkQuery) ranked(ctx context.Context, db querier, cond condition, rank span) ([]ChunkHit, error) {
	query := `SELECT ` + cond.sight.columns() + `, f.rank FROM ` + ranking(rank) + ` CROSS JOIN ` + onRow(cond.sight.from()) + ` WHERE ` + cond.sql
	run := db
	if rank == (span{}) && cond.sql == "1" {
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
			return q.resolveTies(ctx, db, cond, rank, hits)
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
func (q *ChunkQuery) resolveTies(ctx context.Context, db querier, cond condition, rank span, hits []ChunkHit) ([]ChunkHit, error) {
	tied := hits[q.Limit-1].Score
	above := slices.IndexFunc(hits, func(h ChunkHit) bool { return h.Score == tied })
	hits = hits[:above]
	sortHits(hits)
	ids, err := queryIDs(ctx, db, `SELECT c.id FROM `+ranking(rank)+` CROSS JOIN chunks c ON c.id = f.row WHERE f.rank = ? AND `+cond.sql+
		` ORDER BY c.timestamp_ms DESC, c.chunk_id`, q.Match, -tied)
	if err != nil {
		return nil, fmt.Errorf("search chunks of one rank: %w", err)
	}
	for len(ids) > 0 && len(hits) < q.Limit {
		n := min(len(ids), tiedHits)
		chunks, err := chunksByRow(ctx, db, cond.sight, ids[:n])
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

func chunksByRow(ctx context.Context, db querier, v sight, ids []int64) (map[int64]*Chunk, error) {
	rows, err := db.QueryContext(ctx, `SELECT `+v.columns()+` FROM `+v.from()+` WHERE c.id IN `+idList(ids))
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
