package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
)

// What the store says of files and of the documents that they hold, for who wants to know what a write
// would do without doing it.

// A HeldFile is a file with its row and the rows of the documents that it holds.
type HeldFile struct {
	FileRecord
	ID   int64
	Held []int64
}

// A HeldDocument is a document with what decides whether a write changes it, and who holds it.
type HeldDocument struct {
	ID       int64
	Identity string
	Hash     []byte // of what is stored; empty where that is to be written anew
	Source   string
	Holders  []Holder // by file
}

// A Holder is a file that holds a document, and the source for which it does.
type Holder struct {
	File   int64
	Source string
}

// HeldFiles returns the files with these paths or rows, as far as they are known.
func (s *Store) HeldFiles(ctx context.Context, paths []string, ids []int64) ([]HeldFile, error) {
	var out []HeldFile
	names, rows, err := lists(paths, ids)
	if err != nil {
		return nil, err
	}
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		const query = `SELECT f.id, f.path, f.root, f.size, f.mtime_ns, f.fingerprint, f.complete, f.outcome, f.reason, h.document
			FROM files f LEFT JOIN holders h ON h.file = f.id
			WHERE f.id IN (SELECT id FROM files WHERE path IN (SELECT value FROM json_each(?1)) UNION SELECT value FROM json_each(?2))
			ORDER BY f.id`
		return scanAll(ctx, repeated(q), query, func(r *sql.Rows) error {
			var f HeldFile
			var held sql.NullInt64
			if err := r.Scan(&f.ID, &f.Path, &f.Root, &f.Size, &f.MTimeNS, &f.Fingerprint, &f.Complete, &f.Outcome, &f.Reason, &held); err != nil {
				return err
			}
			if len(out) == 0 || out[len(out)-1].ID != f.ID {
				out = append(out, f)
			}
			if last := &out[len(out)-1]; held.Valid {
				last.Held = append(last.Held, held.Int64)
				last.Documents++
			}
			return nil
		}, names, rows)
	})
	if err != nil {
		return nil, fmt.Errorf("read what files hold: %w", err)
	}
	return out, nil
}

// HeldDocuments returns the documents with these identities or rows, as far as there are any.
func (s *Store) HeldDocuments(ctx context.Context, identities []string, ids []int64) ([]HeldDocument, error) {
	var out []HeldDocument
	names, rows, err := lists(identities, ids)
	if err != nil {
		return nil, err
	}
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		const query = `SELECT d.id, d.identity, d.hash, s.source_id, h.file, coalesce(hs.source_id, s.source_id)
			FROM documents d JOIN sources s ON s.id = d.source
			LEFT JOIN holders h ON h.document = d.id LEFT JOIN sources hs ON hs.id = h.source
			WHERE d.id IN (SELECT id FROM documents WHERE identity IN (SELECT value FROM json_each(?1)) UNION SELECT value FROM json_each(?2))
			ORDER BY d.id, h.file`
		return scanAll(ctx, repeated(q), query, func(r *sql.Rows) error {
			var d HeldDocument
			var file sql.NullInt64
			var by Holder
			if err := r.Scan(&d.ID, &d.Identity, &d.Hash, &d.Source, &file, &by.Source); err != nil {
				return err
			}
			if len(out) == 0 || out[len(out)-1].ID != d.ID {
				out = append(out, d)
			}
			if last := &out[len(out)-1]; file.Valid {
				by.File = file.Int64
				last.Holders = append(last.Holders, by)
			}
			return nil
		}, names, rows)
	})
	if err != nil {
		return nil, fmt.Errorf("read who holds documents: %w", err)
	}
	return out, nil
}

// Characters counts the text that is stored of a document.
func (s *Store) Characters(ctx context.Context, docID int64) (n int, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		return repeated(q).QueryRowContext(ctx, "SELECT coalesce(sum(length(content)), 0) FROM chunks WHERE document = ?", docID).Scan(&n)
	})
	if err != nil {
		return 0, fmt.Errorf("count the text of a document: %w", err)
	}
	return n, nil
}

// SourcesByFile is SourcesOf for each of the files, by its row.
func (s *Store) SourcesByFile(ctx context.Context, path, root string) (map[int64][]string, error) {
	out := map[int64][]string{}
	below := strings.TrimSuffix(path, "/")
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		return scanAll(ctx, q, `SELECT DISTINCT f.id, s.source_id FROM files f JOIN holders h ON h.file = f.id JOIN sources s ON s.id = h.source
			WHERE (f.path = ?1 OR f.path > ?2 || '/' AND f.path < ?2 || '0') AND f.root = ?3 ORDER BY f.id, s.source_id`, func(r *sql.Rows) error {
			var file int64
			var id string
			err := r.Scan(&file, &id)
			out[file] = append(out[file], id)
			return err
		}, path, below, root)
	})
	if err != nil {
		return nil, fmt.Errorf("list the sources of files: %w", err)
	}
	return out, nil
}

// lists are names and rows as queries take them.
func lists(names []string, ids []int64) (string, string, error) {
	a, err := json.Marshal(append([]string{}, names...))
	if err != nil {
		return "", "", fmt.Errorf("encode names: %w", err)
	}
	b, err := json.Marshal(append([]int64{}, ids...))
	if err != nil {
		return "", "", fmt.Errorf("encode rows: %w", err)
	}
	return string(a), string(b), nil
}

// Identities returns those of the documents of a source.
func (s *Store) Identities(ctx context.Context, sourceID string) (identities []string, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		return scanAll(ctx, q, "SELECT d.identity FROM documents d JOIN sources s ON s.id = d.source WHERE s.source_id = ? ORDER BY d.identity",
			func(r *sql.Rows) error {
				var identity string
				err := r.Scan(&identity)
				identities = append(identities, identity)
				return err
			}, sourceID)
	})
	if err != nil {
		return nil, fmt.Errorf("read the documents of a source: %w", err)
	}
	return identities, nil
}
