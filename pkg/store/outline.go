package store

import (
	"context"
	"database/sql"
	"fmt"
)

// RootSummaries returns the summaries of a source that no other stands above, the latest first, and how
// many there are. An unknown source, or one that the scope hides, has none.
func (s *Store) RootSummaries(ctx context.Context, sourceID string, limit, offset int, scope Scope) (roots []Summary, total int, err error) {
	if scope != nil && scope.Hides(sourceID) {
		return nil, 0, nil
	}
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		const from = " FROM summaries x JOIN sources s ON s.id = x.source WHERE s.source_id = ?1 AND x.parent IS NULL"
		if err := q.QueryRowContext(ctx, "SELECT count(*)"+from, sourceID).Scan(&total); err != nil {
			return fmt.Errorf("count summaries: %w", err)
		}
		roots, err = summaries(ctx, q, "SELECT "+summaryColumns+from+" ORDER BY x.last_ms DESC, x.summary_id LIMIT ?2 OFFSET ?3", sourceID, limit, offset)
		return err
	})
	return roots, total, err
}

// Below returns what a summary stands over, in order: other summaries, or chunks when it is of the
// lowest level. An unknown id, or one in a source that the scope hides, is a NotFound fault.
func (s *Store) Below(ctx context.Context, summaryID string, scope Scope) (below []Summary, chunks []Chunk, err error) {
	x, err := s.Summary(ctx, summaryID, scope)
	if err != nil {
		return nil, nil, err
	}
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		if x.Level > 1 {
			below, err = summaries(ctx, q, "SELECT "+summaryColumns+" FROM summaries x JOIN sources s ON s.id = x.source WHERE x.parent = ? ORDER BY x.ordinal", x.RowID)
			return err
		}
		v, err := sightOf(ctx, q, scope)
		if err != nil {
			return err
		}
		rows, err := queryIDs(ctx, q, "SELECT chunk FROM summary_chunks WHERE summary = ? ORDER BY ordinal", x.RowID)
		if err != nil {
			return fmt.Errorf("read what is under a summary: %w", err)
		}
		found, err := chunksByRow(ctx, q, v, rows)
		if err != nil {
			return err
		}
		for _, row := range rows {
			if c := found[row]; c != nil {
				chunks = append(chunks, *c)
			}
		}
		return nil
	})
	return below, chunks, err
}

func summaries(ctx context.Context, q querier, query string, args ...any) (out []Summary, err error) {
	err = scanAll(ctx, q, query, func(r *sql.Rows) error {
		var x Summary
		if err := scanSummary(r, &x); err != nil {
			return err
		}
		out = append(out, x)
		return nil
	}, args...)
	if err != nil {
		return nil, fmt.Errorf("read summaries: %w", err)
	}
	return out, nil
}
