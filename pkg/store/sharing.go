package store

import (
	"context"
	"fmt"
)

// SharedWith returns how many documents of a source would move to others if it were forgotten, since
// files hold them for those too, by the source that each would move to.
func (s *Store) SharedWith(ctx context.Context, sourceID string) (map[string]int, error) {
	out := map[string]int{}
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.QueryContext(ctx, `SELECT o.source_id, count(*) FROM (
				SELECT (SELECT h.source FROM holders h WHERE h.document = d.id AND h.source <> d.source ORDER BY h.file LIMIT 1) AS other
				FROM documents d WHERE d.source = (SELECT id FROM sources WHERE source_id = ?)
			) JOIN sources o ON o.id = other GROUP BY o.source_id`, sourceID)
		if err != nil {
			return fmt.Errorf("look for what others hold: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			var n int
			if err := rows.Scan(&id, &n); err != nil {
				return fmt.Errorf("look for what others hold: %w", err)
			}
			out[id] = n
		}
		return rows.Err()
	})
	return out, err
}

// HoldsFor returns how many documents of other sources files hold for this one, too.
func (s *Store) HoldsFor(ctx context.Context, sourceID string) (n int, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		row := q.QueryRowContext(ctx, `SELECT count(DISTINCT h.document) FROM sources s JOIN holders h ON h.source = s.id
			JOIN documents d ON d.id = h.document WHERE s.source_id = ? AND d.source <> s.id`, sourceID)
		if err := row.Scan(&n); err != nil {
			return fmt.Errorf("look for what a source shares: %w", err)
		}
		return nil
	})
	return n, err
}
