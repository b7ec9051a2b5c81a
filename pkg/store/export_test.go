package store

import "context"

// Strings returns the first column of a query, for tests that look behind the methods.
func (s *Store) Strings(ctx context.Context, query string) ([]string, error) {
	var out []string
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.QueryContext(ctx, query)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var v string
			if err := rows.Scan(&v); err != nil {
				return err
			}
			out = append(out, v)
		}
		return rows.Err()
	})
	return out, err
}

// CheckIndex runs the full-text index's own check.
func (s *Store) CheckIndex(ctx context.Context) error {
	return s.Update(ctx, func(tx *Tx) error {
		return tx.w.exec("INSERT INTO chunk_index (chunk_index) VALUES ('integrity-check')")
	})
}
