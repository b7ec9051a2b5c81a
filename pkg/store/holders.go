package store

import (
	"context"
	"fmt"
)

// HeldBefore reports whether the document with this identity is held by a file that was met before
// fileID, and returns its row.
func (tx *Tx) HeldBefore(identity string, fileID int64) (docID int64, held bool, err error) {
	held, err = tx.w.get(`SELECT d.id FROM documents d WHERE d.identity = ?
		AND EXISTS (SELECT 1 FROM holders h WHERE h.document = d.id AND h.file < ?)`, []any{identity, fileID}, &docID)
	if err != nil {
		return 0, false, fmt.Errorf("read holders: %w", err)
	}
	return docID, held, nil
}

// Meta returns the value stored under key, or "".
func (s *Store) Meta(ctx context.Context, key string) (value string, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.QueryContext(ctx, "SELECT value FROM meta WHERE key = ?", key)
		if err != nil {
			return fmt.Errorf("read meta: %w", err)
		}
		defer rows.Close()
		if rows.Next() {
			if err := rows.Scan(&value); err != nil {
				return fmt.Errorf("read meta: %w", err)
			}
		}
		return rows.Err()
	})
	return value, err
}
