package store

import (
	"context"
	"fmt"
)

// flushGlosses does what waits in regloss, as flushIndex does.
func (tx *Tx) flushGlosses() error {
	ids := sortedKeys(tx.regloss)
	for _, id := range ids {
		if err := tx.w.exec("DELETE FROM gloss_index WHERE rowid = ?", id); err != nil {
			return fmt.Errorf("remove a gloss: %w", err)
		}
	}
	for _, id := range ids {
		if g := tx.regloss[id]; g != "" {
			if err := tx.w.exec("INSERT INTO gloss_index (rowid, gloss) VALUES (?, ?)", id, g); err != nil {
				return fmt.Errorf("index a gloss: %w", err)
			}
		}
	}
	clear(tx.regloss)
	return nil
}

// HasGlosses reports whether any chunk has a gloss.
func (s *Store) HasGlosses(ctx context.Context) (has bool, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		err := repeated(q).QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM gloss_index_docsize)").Scan(&has)
		if err != nil {
			return fmt.Errorf("look for glosses: %w", err)
		}
		return nil
	})
	return has, err
}
