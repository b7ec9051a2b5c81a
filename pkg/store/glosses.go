package store

import (
	"context"
	"fmt"
	"slices"
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

// foreignText matches texts with Chinese or Japanese in them, also in the characters that some encodings
// have for it: kana of half width, radicals and compatibility forms.
const foreignText = "'*[\u3005\u3007\u3041-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\u2e80-\u2fd5\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff]*'"

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

// renewed is how many chunks are renewed in one transaction.
const renewed = 500

// RenewForeign has those chunks with Chinese or Japanese in them read anew that changed says so of: their
// gloss becomes what gloss says, and their vectors go, as do the vectors of summaries that changed says so of
// and the summaries made of sentences of those chunks. Vectors of models for which no language makes a
// difference (no "+" in their fingerprint) stay. It returns how many chunks these were. When it is
// interrupted, some of them are renewed.
func (s *Store) RenewForeign(ctx context.Context, changed func(context, content string) bool, gloss func(context, content string) string) (chunks int, err error) {
	type key struct{ id, sum int64 }
	var found []key
	var summaries []int64
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		each := func(query string, row func(id, sum int64)) error {
			rows, err := q.QueryContext(ctx, query)
			if err != nil {
				return err
			}
			defer rows.Close()
			for rows.Next() {
				var id, sum int64
				var context, content string
				if err := rows.Scan(&id, &sum, &context, &content); err != nil {
					return err
				}
				if changed(context, content) {
					row(id, sum)
				}
			}
			return rows.Err()
		}
		const foreign = " WHERE content GLOB " + foreignText + " OR context GLOB " + foreignText
		err := each("SELECT id, index_sum, context, content FROM chunks"+foreign, func(id, sum int64) { found = append(found, key{id, sum}) })
		if err == nil {
			err = each("SELECT id, 0, context, content FROM summaries"+foreign, func(id, _ int64) { summaries = append(summaries, id) })
		}
		if err != nil {
			return fmt.Errorf("find texts in other languages: %w", err)
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	for batch := range slices.Chunk(found, renewed) {
		err := s.Update(ctx, func(tx *Tx) error {
			sources := map[int64]bool{}
			for _, k := range batch {
				var source int64
				var context, content string
				same, err := tx.w.get("SELECT source, context, content FROM chunks WHERE id = ? AND index_sum = ?", []any{k.id, k.sum}, &source, &context, &content)
				if err != nil {
					return fmt.Errorf("look up a chunk: %w", err)
				}
				if !same { // it has been written since
					continue
				}
				if err := tx.renew(k.id); err != nil {
					return err
				}
				tx.regloss[k.id] = gloss(context, content)
				sources[source] = true
				chunks++
			}
			return tx.touchTrees(sortedKeys(sources))
		})
		if err != nil {
			return chunks, err
		}
	}
	for batch := range slices.Chunk(summaries, renewed) {
		err := s.Update(ctx, func(tx *Tx) error {
			for _, id := range batch { // the number of one that is gone is another's at worst, whose vector is made again
				if err := tx.w.exec("UPDATE summaries SET model = '', vector = NULL WHERE id = ? AND model GLOB '*+*'", id); err != nil {
					return fmt.Errorf("remove the vector of a summary: %w", err)
				}
			}
			return nil
		})
		if err != nil {
			return chunks, err
		}
	}
	return chunks, nil
}

// renew removes the vectors of a chunk by models for which its language makes a difference, and the
// summaries above it whose sentences such a model has chosen.
func (tx *Tx) renew(chunk int64) error {
	const extended = "chunk = ? AND model IN (SELECT id FROM models WHERE fingerprint GLOB '*+*')"
	for _, query := range []string{
		"INSERT INTO dead_vectors (vector) SELECT id FROM vectors WHERE " + extended,
		"DELETE FROM vectors WHERE " + extended,
	} {
		if err := tx.w.exec(query, chunk); err != nil {
			return fmt.Errorf("remove vectors: %w", err)
		}
	}
	var maker string
	found, err := tx.w.get("SELECT s.maker FROM summary_chunks c JOIN summaries s ON s.id = c.summary WHERE c.chunk = ?", []any{chunk}, &maker)
	if err != nil {
		return fmt.Errorf("look up the summary of a chunk: %w", err)
	}
	if !found || maker != builtinMaker {
		return nil
	}
	return tx.unseal(chunk)
}

// builtinMaker made the summaries whose sentences were chosen by their vectors.
const builtinMaker = "builtin"
