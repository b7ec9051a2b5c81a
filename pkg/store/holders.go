package store

import (
	"context"
	"database/sql"
	"fmt"
)

// A document that files of several sources hold, as a mail in two mailboxes, is in the source of the
// first of them alone. A scope that hides this source hides the document, although the caller may see
// another that holds it: nothing hidden is shown, and something visible may be missed.

// Hold states that a file holds a document and would put it into the source that it is in.
func (tx *Tx) Hold(fileID, docID int64) error {
	if err := tx.w.exec(`INSERT INTO holders (file, document, source) SELECT ?, id, source FROM documents WHERE id = ?
		ON CONFLICT (file, document) DO UPDATE SET source = excluded.source`, fileID, docID); err != nil {
		return fmt.Errorf("write a holder: %w", err)
	}
	return nil
}

// HoldFor states that a file holds a document that it would put into this source, whichever it is in.
func (tx *Tx) HoldFor(fileID, docID int64, m SourceMeta) error {
	source, err := tx.source(m)
	if err != nil {
		return err
	}
	if err := tx.w.exec(`INSERT INTO holders (file, document, source) VALUES (?, ?, ?)
		ON CONFLICT (file, document) DO UPDATE SET source = excluded.source`, fileID, docID, source); err != nil {
		return fmt.Errorf("write a holder: %w", err)
	}
	return nil
}

// leaveSource makes no file a holder for a source that is to go, and moves the documents of it that
// files hold for other sources.
func (tx *Tx) leaveSource(source int64) error {
	var docs []int64
	err := tx.w.each(`SELECT DISTINCT d.id FROM documents d JOIN holders h ON h.document = d.id
		WHERE d.source = ?1 AND h.source <> ?1 ORDER BY d.id`, []any{source}, func(r *sql.Rows) error {
		var id int64
		err := r.Scan(&id)
		docs = append(docs, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("read holders: %w", err)
	}
	for _, id := range docs {
		// The file that brought it is read again should it be ingested again.
		if err := tx.w.exec("UPDATE files SET complete = 0 WHERE id IN (SELECT file FROM holders WHERE document = ? AND source = ?)", id, source); err != nil {
			return fmt.Errorf("write a file record: %w", err)
		}
		if err := tx.w.exec("DELETE FROM holders WHERE document = ? AND source = ?", id, source); err != nil {
			return fmt.Errorf("remove a holder: %w", err)
		}
		if err := tx.rehome(id); err != nil {
			return err
		}
	}
	return tx.flush()
}

// rehome moves a document to the source for which the first of its files holds it, unless one holds
// it for the source that it is in. That file is read again at the next ingest, since references and
// tags are still those that another file gave.
func (tx *Tx) rehome(docID int64) error {
	var file, from, to int64
	found, err := tx.w.get(`SELECT h.file, d.source, h.source FROM holders h JOIN documents d ON d.id = h.document
		WHERE d.id = ? AND h.source IS NOT NULL ORDER BY h.source <> d.source, h.file LIMIT 1`, []any{docID}, &file, &from, &to)
	if err != nil {
		return fmt.Errorf("read holders: %w", err)
	}
	if !found || from == to {
		return nil
	}
	var chunks []int64
	err = tx.w.each("SELECT id FROM chunks WHERE document = ? ORDER BY id", []any{docID}, func(r *sql.Rows) error {
		var id int64
		err := r.Scan(&id)
		chunks = append(chunks, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the chunks of a document: %w", err)
	}
	for _, id := range chunks {
		rows, err := tx.mentionsOf(id)
		if err != nil {
			return err
		}
		tx.count(rows, from, -1)
		tx.count(rows, to, 1)
		if err := tx.unseal(id); err != nil {
			return err
		}
	}
	tx.sourceChunks[from] -= len(chunks)
	tx.sourceChunks[to] += len(chunks)
	for _, step := range []struct {
		query string
		id    int64
	}{
		{"UPDATE chunks SET source = ?1 WHERE document = ?2", docID},
		{"UPDATE documents SET source = ?1 WHERE id = ?2", docID},
		{"UPDATE files SET complete = 0 WHERE ?1 <> 0 AND id = ?2", file},
	} {
		if err := tx.w.exec(step.query, to, step.id); err != nil {
			return fmt.Errorf("move a document to another source: %w", err)
		}
	}
	tx.stale[metaPeople], tx.stale[metaGarbage] = true, true
	return nil
}

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
