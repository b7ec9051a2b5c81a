package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// A Summary is a node above chunks in the tree of a source.
type Summary struct {
	RowID      int64
	SummaryID  string
	SourceID   string
	SourceKind string
	Level      int // 1 is over chunks
	FirstMS    int64
	LastMS     int64
	Chunks     int // under it
	TokenCount int
	Title      string
	Context    string
	Content    string
	Maker      string
	Entities   []EntityCount // mentioned most under it
	Citations  [][]Citation  // for each line of Content
}

// SummaryDetail is a summary with what is around it in its tree.
type SummaryDetail struct {
	Summary
	Children []string // chunk ids for level 1, else summary ids, in order
	PrevID   string   // neighbours of the same level
	NextID   string
}

// SummaryQuery asks for summaries by their indexed terms, by the chunks under them, or by both: what
// either finds is a hit.
type SummaryQuery struct {
	Match  string  // an FTS5 expression as in ChunkQuery; empty: none
	Chunks []int64 // rows of chunks whose summaries, of every level, are wanted
	// Filter is for what a summary has: sources, kinds, scope and time, within which all that it covers
	// must lie. With a filter on authors, tags or entities nothing is a hit, since a summary may hold
	// the text of others.
	Filter
	Limit int // of the hits by Match; it must be positive when there is a Match
}

// SummaryHit is a summary that was found.
type SummaryHit struct {
	Summary
	Score  float64 // BM25, positive; 0 when the words did not find it
	Held   []int64 // those of the query's chunks that are under it, ascending
	Model  string  // fingerprint of what made Vector; empty: there is none
	Vector []byte
}

// rankedSummaries is how many hits by words are ranked at most.
const rankedSummaries = 3000

const summaryColumns = `x.id, x.summary_id, s.source_id, s.kind, x.level, x.first_ms, x.last_ms, x.chunks, x.token_count, x.title, x.context, x.content,
	x.maker, x.entities, x.citations`

func scanSummary(row interface{ Scan(...any) error }, x *Summary, extra ...any) error {
	var entities, citations string
	dst := append([]any{&x.RowID, &x.SummaryID, &x.SourceID, &x.SourceKind, &x.Level, &x.FirstMS, &x.LastMS, &x.Chunks, &x.TokenCount,
		&x.Title, &x.Context, &x.Content, &x.Maker, &entities, &citations}, extra...)
	if err := row.Scan(dst...); err != nil {
		return fmt.Errorf("read a summary: %w", err)
	}
	if err := json.Unmarshal([]byte(entities), &x.Entities); err != nil {
		return fmt.Errorf("read the entities of a summary: %w", err)
	}
	if err := json.Unmarshal([]byte(citations), &x.Citations); err != nil {
		return fmt.Errorf("read the citations of a summary: %w", err)
	}
	return nil
}

// Summary returns a summary with its children. An unknown id, or one in a source that the scope
// hides, is a NotFound fault.
func (s *Store) Summary(ctx context.Context, id string, scope Scope) (*SummaryDetail, error) {
	var d SummaryDetail
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		var source int64
		err := scanSummary(q.QueryRowContext(ctx, "SELECT "+summaryColumns+", x.source FROM summaries x JOIN sources s ON s.id = x.source WHERE x.summary_id = ?", id),
			&d.Summary, &source)
		if errors.Is(err, sql.ErrNoRows) || (err == nil && scope != nil && scope.Hides(d.SourceID)) {
			return fault.New(fault.NotFound, "There is no summary %q.", id)
		}
		if err != nil {
			return err
		}
		below := "SELECT summary_id FROM summaries WHERE parent = ? ORDER BY ordinal"
		if d.Level == 1 {
			below = "SELECT c.chunk_id FROM summary_chunks n JOIN chunks c ON c.id = n.chunk WHERE n.summary = ? ORDER BY n.ordinal"
		}
		if d.Children, err = queryTexts(ctx, q, below, d.RowID); err != nil {
			return fmt.Errorf("read what is under a summary: %w", err)
		}
		for _, n := range []struct {
			query string
			dst   *string
		}{
			{"SELECT summary_id FROM summaries WHERE source = ?1 AND level = ?2 AND (first_ms, summary_id) < (?3, ?4) ORDER BY first_ms DESC, summary_id DESC LIMIT 1", &d.PrevID},
			{"SELECT summary_id FROM summaries WHERE source = ?1 AND level = ?2 AND (first_ms, summary_id) > (?3, ?4) ORDER BY first_ms, summary_id LIMIT 1", &d.NextID},
		} {
			err := q.QueryRowContext(ctx, n.query, source, d.Level, d.FirstMS, d.SummaryID).Scan(n.dst)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return fmt.Errorf("read a neighbour: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &d, nil
}

func queryTexts(ctx context.Context, q querier, query string, args ...any) ([]string, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, rows.Err()
}

// SearchSummaries returns the summaries that a query finds: those by words first, best first, then
// those above its chunks, in the order of their rows.
func (s *Store) SearchSummaries(ctx context.Context, sq SummaryQuery) ([]SummaryHit, error) {
	if sq.Match != "" && sq.Limit <= 0 {
		return nil, fmt.Errorf("search summaries: limit %d", sq.Limit)
	}
	var hits []SummaryHit
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		where, none, err := sq.whereSummary(ctx, q)
		if err != nil || none {
			return err
		}
		scores := map[int64]float64{}
		var order []int64
		if sq.Match != "" {
			// Ranking costs some microseconds a hit, and a query that so many match ranks nothing.
			var floor int64
			err := repeated(q).QueryRowContext(ctx, `SELECT rowid FROM summary_index WHERE summary_index MATCH ? ORDER BY rowid DESC LIMIT 1 OFFSET `+
				strconv.Itoa(rankedSummaries-1), sq.Match).Scan(&floor)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return fmt.Errorf("count summaries: %w", err)
			}
			rows, err := q.QueryContext(ctx, `SELECT f.row, f.rank FROM (SELECT rowid AS row, rank FROM summary_index WHERE summary_index MATCH ?
					AND rank MATCH '`+rankBy+`' AND rowid >= ? ORDER BY rank LIMIT `+strconv.Itoa(rankedSummaries)+`) f
				CROSS JOIN summaries x ON x.id = f.row WHERE `+where+`
				ORDER BY f.rank, x.last_ms DESC, x.summary_id LIMIT ?`, sq.Match, floor, sq.Limit)
			if err != nil {
				return fmt.Errorf("search summaries: %w", err)
			}
			defer rows.Close()
			for rows.Next() {
				var id int64
				var rank float64
				if err := rows.Scan(&id, &rank); err != nil {
					return fmt.Errorf("search summaries: %w", err)
				}
				scores[id] = -rank
				order = append(order, id)
			}
			if err := rows.Err(); err != nil {
				return fmt.Errorf("search summaries: %w", err)
			}
		}
		held, err := above(ctx, q, sq.Chunks)
		if err != nil {
			return err
		}
		for id := range held {
			if _, ok := scores[id]; !ok {
				order = append(order, id)
			}
		}
		slices.Sort(order[len(scores):])
		hits, err = summaryHits(ctx, q, where, order, scores, held)
		return err
	})
	return hits, err
}

// above returns the summaries over chunks, of every level, with those of the chunks that each holds.
func above(ctx context.Context, q querier, chunks []int64) (map[int64][]int64, error) {
	held := map[int64][]int64{}
	if len(chunks) == 0 {
		return held, nil
	}
	rows, err := q.QueryContext(ctx, `WITH RECURSIVE up (chunk, id) AS (
			SELECT chunk, summary FROM summary_chunks WHERE chunk IN `+idList(chunks)+`
			UNION ALL SELECT up.chunk, x.parent FROM up CROSS JOIN summaries x ON x.id = up.id WHERE x.parent IS NOT NULL)
		SELECT chunk, id FROM up`)
	if err != nil {
		return nil, fmt.Errorf("find summaries of chunks: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var chunk, id int64
		if err := rows.Scan(&chunk, &id); err != nil {
			return nil, fmt.Errorf("find summaries of chunks: %w", err)
		}
		held[id] = append(held[id], chunk)
	}
	for _, l := range held {
		slices.Sort(l)
	}
	return held, rows.Err()
}

func summaryHits(ctx context.Context, q querier, where string, order []int64, scores map[int64]float64, held map[int64][]int64) ([]SummaryHit, error) {
	if len(order) == 0 {
		return nil, nil
	}
	rows, err := q.QueryContext(ctx, `SELECT `+summaryColumns+`, x.model, x.vector FROM summaries x CROSS JOIN sources s ON s.id = x.source
		WHERE x.id IN `+idList(order)+` AND `+where)
	if err != nil {
		return nil, fmt.Errorf("read summaries: %w", err)
	}
	defer rows.Close()
	var hits []SummaryHit
	for rows.Next() {
		var h SummaryHit
		if err := scanSummary(rows, &h.Summary, &h.Model, &h.Vector); err != nil {
			return nil, err
		}
		h.Score, h.Held = scores[h.RowID], held[h.RowID]
		hits = append(hits, h)
	}
	at := make(map[int64]int, len(order))
	for i, id := range order {
		at[id] = i
	}
	slices.SortFunc(hits, func(a, b SummaryHit) int { return cmp.Compare(at[a.RowID], at[b.RowID]) })
	return hits, rows.Err()
}

// whereSummary is where for summaries, over the table summaries, named x. none means that nothing
// can match.
func (f Filter) whereSummary(ctx context.Context, q querier) (sql string, none bool, err error) {
	x := f.exclude()
	if len(f.Authors)+len(f.Tags)+len(f.EntityIDs)+len(x.Authors)+len(x.Tags) > 0 {
		return "0", true, nil
	}
	all, ids, _, err := f.sources(ctx, q)
	if err != nil {
		return "0", true, err
	}
	sql = "1"
	if !all {
		if len(ids) == 0 {
			return "0", true, nil
		}
		sql = "x.source IN " + idList(ids)
	}
	for _, bound := range []struct {
		sql string
		ms  *int64
	}{{"x.first_ms >= ", f.SinceMS}, {"x.last_ms <= ", f.UntilMS}, {"x.last_ms < ", x.SinceMS}, {"x.first_ms > ", x.UntilMS}} {
		if bound.ms != nil {
			sql += " AND " + bound.sql + strconv.FormatInt(*bound.ms, 10)
		}
	}
	return sql, false, nil
}

// SummariesByID returns summaries in the order of their ids; one that does not exist is ErrTreeChanged.
func (s *Store) SummariesByID(ctx context.Context, ids []string) ([]Summary, error) {
	var out []Summary
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		for _, id := range ids {
			var x Summary
			err := scanSummary(q.QueryRowContext(ctx, "SELECT "+summaryColumns+" FROM summaries x JOIN sources s ON s.id = x.source WHERE x.summary_id = ?", id), &x)
			if errors.Is(err, sql.ErrNoRows) {
				return ErrTreeChanged
			}
			if err != nil {
				return err
			}
			out = append(out, x)
		}
		return nil
	})
	return out, err
}

// SealChunks returns chunks in the order of their rows, each with the entities that it mentions and
// how often; one that does not exist is ErrTreeChanged. The entities are those written in the chunk
// itself, not who stands for them: that name may be of another source.
func (s *Store) SealChunks(ctx context.Context, ids []int64) (chunks []Chunk, entities [][]EntityCount, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		found, err := chunksByRow(ctx, q, sight{}, ids)
		if err != nil {
			return err
		}
		at := make(map[int64]int, len(ids))
		for i, id := range ids {
			c := found[id]
			if c == nil {
				return ErrTreeChanged
			}
			at[id] = i
			chunks = append(chunks, *c)
		}
		entities = make([][]EntityCount, len(ids))
		rows, err := q.QueryContext(ctx, `SELECT m.chunk, e.entity_id, e.kind, f.surface, m.count
			FROM mentions m CROSS JOIN forms f ON f.id = m.form CROSS JOIN entities e ON e.id = f.entity
			WHERE e.kind <> 'address' AND m.chunk IN `+idList(ids)+`
			ORDER BY m.chunk, m.count DESC, e.entity_id, f.surface`)
		if err != nil {
			return fmt.Errorf("read mentions: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var chunk int64
			var e EntityCount
			if err := rows.Scan(&chunk, &e.EntityID, &e.Kind, &e.Surface, &e.Count); err != nil {
				return fmt.Errorf("read mentions: %w", err)
			}
			i := at[chunk]
			entities[i] = append(entities[i], e)
		}
		return rows.Err()
	})
	return chunks, entities, err
}

// PendingSummaries returns up to limit summaries that have no vector by any of these models, by row,
// after the row given.
func (s *Store) PendingSummaries(ctx context.Context, models []string, after int64, limit int) ([]Summary, error) {
	names, err := json.Marshal(models)
	if err != nil {
		return nil, fmt.Errorf("find summaries without vectors: %w", err)
	}
	var out []Summary
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		out, err = summaries(ctx, q, "SELECT "+summaryColumns+` FROM summaries x CROSS JOIN sources s ON s.id = x.source
			WHERE x.id > ? AND x.model NOT IN (SELECT value FROM json_each(?)) ORDER BY x.id LIMIT ?`, after, string(names), limit)
		return err
	})
	return out, err
}

// TreeStats counts what the trees hold.
type TreeStats struct {
	Summaries   int
	Vectors     int // of summaries
	Provisional int
	Levels      int
	Sealed      int // chunks under a summary
	Stale       int // sources whose chunks have changed since they were sealed, or were never sealed
}

// TreeStats counts what the trees hold. Like Stats it knows no scope: it is for the owner.
func (s *Store) TreeStats(ctx context.Context) (st TreeStats, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		err := q.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(model <> ''), 0), coalesce(sum(provisional), 0), coalesce(max(level), 0),
				(SELECT count(*) FROM summary_chunks),
				(SELECT count(*) FROM sources s LEFT JOIN trees t ON t.source = s.id WHERE s.chunks > 0 AND (t.source IS NULL OR t.sealed <> t.changes))
			FROM summaries`).Scan(&st.Summaries, &st.Vectors, &st.Provisional, &st.Levels, &st.Sealed, &st.Stale)
		if err != nil {
			return fmt.Errorf("count summaries: %w", err)
		}
		return nil
	})
	return st, err
}
