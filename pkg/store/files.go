package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

const fileColumns = `f.path, f.root, f.size, f.mtime_ns, f.fingerprint, f.complete, f.outcome, f.reason, f.ingested_ms,
	(SELECT count(*) FROM holders h WHERE h.file = f.id)`

func scanFile(row interface{ Scan(...any) error }) (FileRecord, error) {
	var r FileRecord
	var ms int64
	err := row.Scan(&r.Path, &r.Root, &r.Size, &r.MTimeNS, &r.Fingerprint, &r.Complete, &r.Outcome, &r.Reason, &ms, &r.Documents)
	r.IngestedAt = time.UnixMilli(ms).UTC()
	return r, err
}

// PutFile stores what is known about a file, under its path, and returns its row. A zero IngestedAt
// becomes the transaction's time; Documents is not stored, it is counted.
func (tx *Tx) PutFile(r FileRecord) (fileID int64, err error) {
	at := r.IngestedAt
	if at.IsZero() {
		at = tx.now
	}
	args := []any{r.Root, r.Size, r.MTimeNS, r.Fingerprint, r.Complete, r.Outcome, r.Reason, at.UnixMilli()}
	// An upsert with RETURNING would do in one statement, at many times the cost: SQLite keeps what
	// it returns in a table of its own.
	found, err := tx.w.get("SELECT id FROM files WHERE path = ?", []any{r.Path}, &fileID)
	switch {
	case err != nil:
	case found:
		err = tx.w.exec(`UPDATE files SET root = ?, size = ?, mtime_ns = ?, fingerprint = ?, complete = ?, outcome = ?, reason = ?, ingested_ms = ?
			WHERE id = ?`, append(args, fileID)...)
	default:
		fileID, err = tx.w.insert(`INSERT INTO files (root, size, mtime_ns, fingerprint, complete, outcome, reason, ingested_ms, path)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`, append(args, r.Path)...)
	}
	if err != nil {
		return 0, fmt.Errorf("write a file record: %w", err)
	}
	return fileID, nil
}

// File returns what is known about the file at path.
func (tx *Tx) File(path string) (r FileRecord, ok bool, err error) {
	err = tx.w.each("SELECT "+fileColumns+" FROM files f WHERE f.path = ?", []any{path}, func(rows *sql.Rows) error {
		ok = true
		r, err = scanFile(rows)
		return err
	})
	if err != nil {
		return FileRecord{}, false, fmt.Errorf("read a file record: %w", err)
	}
	return r, ok, nil
}

// FilesUnder returns the files that were found under root, by path.
func (tx *Tx) FilesUnder(root string) ([]FileRecord, error) {
	var out []FileRecord
	err := tx.w.each("SELECT "+fileColumns+" FROM files f WHERE f.root = ? ORDER BY f.path", []any{root}, func(rows *sql.Rows) error {
		r, err := scanFile(rows)
		out = append(out, r)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read file records: %w", err)
	}
	return out, nil
}

// Files returns every file that was looked at, by path; with a root, only those found under it.
func (s *Store) Files(ctx context.Context, root string) ([]FileRecord, error) {
	var out []FileRecord
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.QueryContext(ctx, "SELECT "+fileColumns+" FROM files f WHERE (?1 = '' OR f.root = ?1) AND f.path <> ?2 ORDER BY f.path", root, written)
		if err != nil {
			return fmt.Errorf("read file records: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			r, err := scanFile(rows)
			if err != nil {
				return fmt.Errorf("read file records: %w", err)
			}
			out = append(out, r)
		}
		return rows.Err()
	})
	return out, err
}

// ReleaseExcept states that a file holds no documents but docIDs. Those that no file holds any more
// are removed; it returns how many documents and chunks that were.
func (tx *Tx) ReleaseExcept(fileID int64, docIDs []int64) (documents, chunks int, err error) {
	keep := make(map[int64]bool, len(docIDs))
	for _, id := range docIDs {
		keep[id] = true
	}
	var gone []int64
	err = tx.w.each("SELECT document FROM holders WHERE file = ?", []any{fileID}, func(r *sql.Rows) error {
		var id int64
		if err := r.Scan(&id); err != nil {
			return err
		}
		if !keep[id] {
			gone = append(gone, id)
		}
		return nil
	})
	if err != nil {
		return 0, 0, fmt.Errorf("read holders: %w", err)
	}
	for _, id := range gone {
		if err := tx.w.exec("DELETE FROM holders WHERE file = ? AND document = ?", fileID, id); err != nil {
			return documents, chunks, fmt.Errorf("remove a holder: %w", err)
		}
		var held bool
		if _, err := tx.w.get("SELECT EXISTS (SELECT 1 FROM holders WHERE document = ?)", []any{id}, &held); err != nil {
			return documents, chunks, fmt.Errorf("read holders: %w", err)
		}
		if held {
			tx.stale[metaPeople] = true // what a caller may see: see sight
			if err := tx.rehome(id, fileID); err != nil {
				return documents, chunks, err
			}
			continue
		}
		n, err := tx.deleteDocument(id)
		if err != nil {
			return documents, chunks, err
		}
		documents++
		chunks += n
	}
	return documents, chunks, nil
}

// MoveFile gives what is known about a file another path and fingerprint, and has the file read again. What
// it holds stays. Nothing happens when something is known about the other path.
func (tx *Tx) MoveFile(from, to, fingerprint string) error {
	if err := tx.w.exec("UPDATE OR IGNORE files SET path = ?, fingerprint = ?, complete = 0 WHERE path = ?", to, fingerprint, from); err != nil {
		return fmt.Errorf("move a file record: %w", err)
	}
	return nil
}

// DropFile removes the record of a file and the documents that no other file holds.
func (tx *Tx) DropFile(path string) (documents, chunks int, err error) {
	var id int64
	found, err := tx.w.get("SELECT id FROM files WHERE path = ?", []any{path}, &id)
	if err != nil {
		return 0, 0, fmt.Errorf("read a file record: %w", err)
	}
	if !found {
		return 0, 0, nil
	}
	if documents, chunks, err = tx.ReleaseExcept(id, nil); err != nil {
		return 0, 0, err
	}
	if err := tx.w.exec("DELETE FROM files WHERE id = ?", id); err != nil {
		return 0, 0, fmt.Errorf("remove a file record: %w", err)
	}
	return documents, chunks, nil
}

// ForgetSource removes a source with everything in it, and marks the files that held it as
// incomplete, so that they are read again should they be ingested again. A document that a file of
// another source holds too moves there. An unknown source is a NotFound fault. Finish then also wipes
// the text from unused parts of the file.
func (tx *Tx) ForgetSource(sourceID string) (documents, chunks int, err error) {
	if err := tx.flush(); err != nil { // what this transaction has counted must be in the tables
		return 0, 0, err
	}
	var id int64
	found, err := tx.w.get("SELECT id FROM sources WHERE source_id = ?", []any{sourceID}, &id)
	if err != nil {
		return 0, 0, fmt.Errorf("look up a source: %w", err)
	}
	if !found {
		return 0, 0, fault.New(fault.NotFound, "There is no source %q.", sourceID).
			WithHint("openhuman-core sources lists them.")
	}
	if err := tx.leaveSource(id); err != nil {
		return 0, 0, err
	}
	if _, err := tx.w.get("SELECT (SELECT count(*) FROM documents WHERE source = ?1), (SELECT count(*) FROM chunks WHERE source = ?1)",
		[]any{id}, &documents, &chunks); err != nil {
		return 0, 0, fmt.Errorf("count a source: %w", err)
	}
	err = tx.w.wiping(func() error {
		for _, query := range []string{
			`UPDATE files SET complete = 0 WHERE id IN
				(SELECT h.file FROM holders h JOIN documents d ON d.id = h.document WHERE d.source = ?1 OR h.source = ?1)`,
			"DELETE FROM chunk_index WHERE rowid IN (SELECT id FROM chunks WHERE source = ?1)",
			"DELETE FROM gloss_index WHERE rowid IN (SELECT id FROM chunks WHERE source = ?1)",
			"INSERT INTO dead_vectors (vector) SELECT id FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE source = ?1)",
			"DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE source = ?1)",
			"DELETE FROM summary_index WHERE rowid IN (SELECT id FROM summaries WHERE source = ?1)",
			"DELETE FROM summary_chunks WHERE summary IN (SELECT id FROM summaries WHERE source = ?1)",
			"DELETE FROM summaries WHERE source = ?1",
			"DELETE FROM mentions WHERE chunk IN (SELECT id FROM chunks WHERE source = ?1)",
			`UPDATE entities SET chunks = chunks - (SELECT n.chunks FROM entity_counts n WHERE n.entity = entities.id AND n.source = ?1)
				WHERE id IN (SELECT entity FROM entity_counts WHERE source = ?1)`,
			"DELETE FROM entity_counts WHERE source = ?1",
			"DELETE FROM form_counts WHERE source = ?1",
			"DELETE FROM sources WHERE id = ?1", // documents, chunks, links and holders follow
		} {
			if err := tx.w.exec(query, id); err != nil {
				return fmt.Errorf("forget a source: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return 0, 0, err
	}
	// Nobody is to read the image any more: it holds vectors of what is forgotten.
	if err := tx.SetMeta(metaImage, ""); err != nil {
		return 0, 0, err
	}
	tx.w.known = newKnown()
	tx.stale[metaPeople], tx.stale[metaGarbage], tx.stale[metaTags], tx.stale[metaScrub] = true, true, true, true
	return documents, chunks, nil
}
