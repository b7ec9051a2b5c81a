package store

import (
	"context"
	"database/sql"
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

// foreignText matches texts with Chinese or Japanese in them.
const foreignText = "'*[ぁ-ヿ㐀-鿿]*'"

// ForeignNames returns how people are written in Chinese characters or kana, up to limit of them.
func (s *Store) ForeignNames(ctx context.Context, limit int) (names []string, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.QueryContext(ctx, `SELECT DISTINCT f.surface FROM forms f JOIN entities e ON e.id = f.entity
			WHERE e.kind = 'person' AND f.surface GLOB `+foreignText+` ORDER BY f.surface LIMIT ?`, limit)
		if err != nil {
			return fmt.Errorf("read names: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var n string
			if err := rows.Scan(&n); err != nil {
				return fmt.Errorf("read names: %w", err)
			}
			names = append(names, n)
		}
		return rows.Err()
	})
	return names, err
}

// RenewForeign removes the vectors of those chunks with Chinese or Japanese in them that changed says
// so of, and of all summaries like them, so that they are made again. Vectors of models for which no
// language makes a difference (no "+" in their fingerprint) stay.
func (tx *Tx) RenewForeign(changed func(context, content string) bool) (chunks int, err error) {
	var ids []int64
	err = tx.w.each(`SELECT c.id, c.context, c.content FROM chunks c
		WHERE c.content GLOB `+foreignText+` OR c.context GLOB `+foreignText, nil, func(r *sql.Rows) error {
		var id int64
		var context, content string
		if err := r.Scan(&id, &context, &content); err != nil {
			return err
		}
		if changed(context, content) {
			ids = append(ids, id)
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("find chunks in other languages: %w", err)
	}
	const extended = "chunk = ? AND model IN (SELECT id FROM models WHERE fingerprint GLOB '*+*')"
	for _, id := range ids {
		for _, query := range []string{
			"INSERT INTO dead_vectors (vector) SELECT id FROM vectors WHERE " + extended,
			"DELETE FROM vectors WHERE " + extended,
		} {
			if err := tx.w.exec(query, id); err != nil {
				return 0, fmt.Errorf("remove vectors: %w", err)
			}
		}
	}
	if len(ids) > 0 {
		if err := tx.w.exec(`UPDATE summaries SET model = '', vector = NULL WHERE model GLOB '*+*'`); err != nil {
			return 0, fmt.Errorf("remove vectors of summaries: %w", err)
		}
	}
	return len(ids), nil
}
