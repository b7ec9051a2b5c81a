package store

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A document that files of several sources hold, as a mail in two mailboxes, is in the source of the
// first of them alone. Who may not see that one reads it under the first of the others: see [sight].
// Summaries over a source stay hidden with it, whatever it shares.

// Hold states that a file holds a document and would put it into the source that it is in.
func (tx *Tx) Hold(fileID, docID int64) error {
	var source int64
	found, err := tx.w.get("SELECT source FROM documents WHERE id = ?", []any{docID}, &source)
	if err != nil {
		return fmt.Errorf("look up a document: %w", err)
	}
	if !found {
		return fmt.Errorf("write a holder: there is no document %d", docID)
	}
	return tx.hold(fileID, docID, source, "", nil)
}

// HoldFor states that a file holds a document that it would put into this source, whichever it is in, and
// nothing of what it says of it.
func (tx *Tx) HoldFor(fileID, docID int64, m SourceMeta) error {
	source, err := tx.source(m)
	if err != nil {
		return err
	}
	return tx.hold(fileID, docID, source, "", nil)
}

// HoldAs states that a file holds a document and would store it like this: its source, reference and
// tags are served to whom the source that it is in is hidden.
func (tx *Tx) HoldAs(fileID, docID int64, rec *DocumentRecord) error {
	source, err := tx.source(rec.Source)
	if err != nil {
		return err
	}
	return tx.hold(fileID, docID, source, rec.SourceRef, rec.Tags)
}

// hold writes a holder, mostly one that is new. An upsert would need a savepoint of its own, for
// which FTS5 writes out what it has gathered.
func (tx *Tx) hold(fileID, docID, source int64, ref string, tags []string) error {
	list, err := encodeTags(tags)
	if err != nil {
		return err
	}
	var was sql.NullInt64
	var hadRef, hadTags string
	found, err := tx.w.get("SELECT source, source_ref, tags FROM holders WHERE file = ? AND document = ?", []any{fileID, docID}, &was, &hadRef, &hadTags)
	switch {
	case err != nil:
		return fmt.Errorf("read holders: %w", err)
	case !found:
		err = tx.w.exec("INSERT INTO holders (file, document, source, source_ref, tags) VALUES (?, ?, ?, ?, ?)", fileID, docID, source, ref, list)
	case was.Int64 != source || hadRef != ref || hadTags != list:
		err = tx.w.exec("UPDATE holders SET source = ?, source_ref = ?, tags = ? WHERE file = ? AND document = ?", source, ref, list, fileID, docID)
	}
	if err != nil {
		return fmt.Errorf("write a holder: %w", err)
	}
	if !found || was.Int64 != source {
		tx.stale[metaPeople] = true // what a caller may see: see sight
	}
	return nil
}

// Reread returns the paths of the files that have become the first holder of a document in this
// transaction. Their records are no longer complete, since what is stored of the document is still
// what another file gave.
func (tx *Tx) Reread() []string { return slices.Sorted(maps.Keys(tx.reread)) }

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
		var first int64
		if _, err := tx.w.get("SELECT min(file) FROM holders WHERE document = ? AND source = ?", []any{id, source}, &first); err != nil {
			return fmt.Errorf("read holders: %w", err)
		}
		// The file that brought it is read again should it be ingested again.
		if err := tx.w.exec("UPDATE files SET complete = 0 WHERE id IN (SELECT file FROM holders WHERE document = ? AND source = ?)", id, source); err != nil {
			return fmt.Errorf("write a file record: %w", err)
		}
		if err := tx.w.exec("DELETE FROM holders WHERE document = ? AND source = ?", id, source); err != nil {
			return fmt.Errorf("remove a holder: %w", err)
		}
		if err := tx.rehome(id, first); err != nil {
			return err
		}
	}
	return tx.flush()
}

// rehome gives a document that the file gone holds no longer to the first of the files that do: it
// moves to the source for which that one holds it. A document always is what the first of its files
// says, so that file is to be read again; until then what another gave stands there.
func (tx *Tx) rehome(docID, gone int64) error {
	var file, from, to int64
	var path string
	found, err := tx.w.get(`SELECT h.file, f.path, d.source, coalesce(h.source, d.source) FROM holders h
		JOIN documents d ON d.id = h.document JOIN files f ON f.id = h.file
		WHERE d.id = ? ORDER BY h.file LIMIT 1`, []any{docID}, &file, &path, &from, &to)
	if err != nil {
		return fmt.Errorf("read holders: %w", err)
	}
	if !found || file < gone {
		return nil
	}
	if err := tx.w.exec("UPDATE files SET complete = 0 WHERE id = ?", file); err != nil {
		return fmt.Errorf("write a file record: %w", err)
	}
	tx.reread[path] = true
	if from == to {
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
	if err := tx.w.exec("UPDATE chunks SET source = ? WHERE document = ?", to, docID); err != nil {
		return fmt.Errorf("move chunks to another source: %w", err)
	}
	// Without a hash it is written anew whichever of its files is read next.
	if err := tx.w.exec("UPDATE documents SET source = ?, hash = x'' WHERE id = ?", to, docID); err != nil {
		return fmt.Errorf("move a document to another source: %w", err)
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

// HeldLonger reports whether another file holds the document with this identity and at least so many
// characters are stored of its text, and returns its row.
func (tx *Tx) HeldLonger(identity string, fileID int64, characters int) (docID int64, held bool, err error) {
	held, err = tx.w.get(`SELECT d.id FROM documents d WHERE d.identity = ?
		AND EXISTS (SELECT 1 FROM holders h WHERE h.document = d.id AND h.file <> ?)
		AND (SELECT COALESCE(SUM(LENGTH(c.content)), 0) FROM chunks c WHERE c.document = d.id) >= ?`, []any{identity, fileID, characters}, &docID)
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

// SourcesOf returns, by name, the sources for which files at or below a path hold documents; only
// files that were found under root count.
func (s *Store) SourcesOf(ctx context.Context, path, root string) ([]string, error) {
	var out []string
	below := strings.TrimSuffix(path, "/")
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.QueryContext(ctx, `SELECT DISTINCT s.source_id FROM files f JOIN holders h ON h.file = f.id JOIN sources s ON s.id = h.source
			WHERE (f.path = ?1 OR f.path > ?2 || '/' AND f.path < ?2 || '0') AND f.root = ?3 ORDER BY s.source_id`, path, below, root)
		if err != nil {
			return fmt.Errorf("list the sources of a folder: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var id string
			if err := rows.Scan(&id); err != nil {
				return fmt.Errorf("list the sources of a folder: %w", err)
			}
			out = append(out, id)
		}
		return rows.Err()
	})
	return out, err
}
