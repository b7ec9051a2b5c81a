package store

import (
	"context"
	"fmt"
)

// Sources returns the sources that hold chunks, the most recently active first.
func (s *Store) Sources(ctx context.Context, scope Scope) ([]SourceInfo, error) {
	var out []SourceInfo
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.QueryContext(ctx, `SELECT s.source_id, s.kind, s.chunks,
				(SELECT c.timestamp_ms FROM chunks c WHERE c.source = s.id ORDER BY c.timestamp_ms DESC LIMIT 1) AS latest
			FROM sources s WHERE s.chunks > 0 ORDER BY latest DESC, s.source_id`)
		if err != nil {
			return fmt.Errorf("list sources: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var i SourceInfo
			if err := rows.Scan(&i.SourceID, &i.Kind, &i.ChunkCount, &i.MostRecentMS); err != nil {
				return fmt.Errorf("list sources: %w", err)
			}
			if scope == nil || !scope.Hides(i.SourceID) {
				out = append(out, i)
			}
		}
		return rows.Err()
	})
	return out, err
}
