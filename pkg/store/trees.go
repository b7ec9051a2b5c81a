package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// ErrTreeChanged is what sealing meets when the chunks of the source have changed meanwhile: the
// plan that it follows is of another time.
var ErrTreeChanged = errors.New("the chunks of the source have changed")

// A Tree is the state of the summary tree of one source.
type Tree struct {
	Source     int64 // row
	SourceID   string
	SourceKind string
	Changes    int64 // how often its chunks have changed
	Chunks     int
}

// A TreeChunk is what the shape of a tree depends on.
type TreeChunk struct {
	Row        int64
	ChunkID    string
	Sum        int64 // checksum of its index row
	TimeMS     int64
	Document   string // identity
	Ordinal    int
	TokenCount int
}

// A SummaryKey is a summary that exists.
type SummaryKey struct {
	SummaryID   string
	Provisional bool
	Model       string // of its vector; empty: none
}

// A SummaryRecord is a summary as it is stored.
type SummaryRecord struct {
	SummaryID   string
	Level       int
	Children    []string // chunk ids for level 1, else summary ids, in order
	FirstMS     int64
	LastMS      int64
	Chunks      int
	TokenCount  int
	Provisional bool
	Maker       string
	Entities    []EntityCount
	Citations   [][]Citation // for each line of Content
	Title       string
	Context     string
	Content     string
	Index       IndexText
	Model       string // of Vector
	Vector      []byte
}

// A Citation says where a line of a summary stands. A Length of 0 means the whole chunk.
type Citation struct {
	ChunkID string `json:"c"`
	Start   int    `json:"s,omitempty"` // in bytes of the chunk's content
	Length  int    `json:"n,omitempty"`
}

// StaleTrees returns the trees that sealer has to look at: those whose chunks have changed since it
// sealed them, those that something else sealed, and those with provisional summaries if retry says
// so.
func (s *Store) StaleTrees(ctx context.Context, sealer string, retry bool) ([]Tree, error) {
	var out []Tree
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.QueryContext(ctx, `SELECT s.id, s.source_id, s.kind, coalesce(t.changes, 0), s.chunks
			FROM sources s LEFT JOIN trees t ON t.source = s.id
			WHERE t.source IS NULL OR t.sealed <> t.changes OR t.sealer <> ?1
				OR ?2 AND EXISTS (SELECT 1 FROM summaries x WHERE x.source = s.id AND x.provisional)
			ORDER BY s.source_id`, sealer, retry)
		if err != nil {
			return fmt.Errorf("find trees to seal: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var t Tree
			if err := rows.Scan(&t.Source, &t.SourceID, &t.SourceKind, &t.Changes, &t.Chunks); err != nil {
				return fmt.Errorf("find trees to seal: %w", err)
			}
			out = append(out, t)
		}
		return rows.Err()
	})
	return out, err
}

// TreeParts returns what a tree is made from and what there is of it, as of one moment: the number of
// changes is in the result. ErrTreeChanged says that the source is gone.
func (s *Store) TreeParts(ctx context.Context, source int64) (changes int64, chunks []TreeChunk, have []SummaryKey, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		err := q.QueryRowContext(ctx, `SELECT coalesce(t.changes, 0) FROM sources s LEFT JOIN trees t ON t.source = s.id WHERE s.id = ?`, source).Scan(&changes)
		if errors.Is(err, sql.ErrNoRows) {
			return ErrTreeChanged
		}
		if err != nil {
			return fmt.Errorf("read a tree: %w", err)
		}
		rows, err := q.QueryContext(ctx, `SELECT c.id, c.chunk_id, c.index_sum, c.timestamp_ms, d.identity, c.ordinal, c.token_count
			FROM chunks c JOIN documents d ON d.id = c.document WHERE c.source = ?`, source)
		if err != nil {
			return fmt.Errorf("read the chunks of a tree: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var c TreeChunk
			if err := rows.Scan(&c.Row, &c.ChunkID, &c.Sum, &c.TimeMS, &c.Document, &c.Ordinal, &c.TokenCount); err != nil {
				return fmt.Errorf("read the chunks of a tree: %w", err)
			}
			chunks = append(chunks, c)
		}
		if err := rows.Err(); err != nil {
			return err
		}
		have, err = summaryKeys(ctx, q, source)
		return err
	})
	return changes, chunks, have, err
}

func summaryKeys(ctx context.Context, q querier, source int64) ([]SummaryKey, error) {
	rows, err := q.QueryContext(ctx, `SELECT summary_id, provisional, model FROM summaries WHERE source = ?`, source)
	if err != nil {
		return nil, fmt.Errorf("read the summaries of a tree: %w", err)
	}
	defer rows.Close()
	var have []SummaryKey
	for rows.Next() {
		var k SummaryKey
		if err := rows.Scan(&k.SummaryID, &k.Provisional, &k.Model); err != nil {
			return nil, fmt.Errorf("read the summaries of a tree: %w", err)
		}
		have = append(have, k)
	}
	return have, rows.Err()
}

// sealable returns ErrTreeChanged unless the chunks of a source have changed so many times.
func (tx *Tx) sealable(source, changes int64) error {
	var now int64
	found, err := tx.w.get("SELECT coalesce(t.changes, 0) FROM sources s LEFT JOIN trees t ON t.source = s.id WHERE s.id = ?", []any{source}, &now)
	if err != nil {
		return fmt.Errorf("read a tree: %w", err)
	}
	if !found || now != changes {
		return ErrTreeChanged
	}
	return nil
}

// DropSummaries removes summaries of a source that its plan no longer has.
func (tx *Tx) DropSummaries(source, changes int64, ids []string) error {
	if err := tx.sealable(source, changes); err != nil {
		return err
	}
	var rows []int64
	for _, id := range ids {
		var row int64
		found, err := tx.w.get("SELECT id FROM summaries WHERE summary_id = ? AND source = ?", []any{id, source}, &row)
		if err != nil {
			return fmt.Errorf("look up a summary: %w", err)
		}
		if found {
			rows = append(rows, row)
		}
	}
	slices.Sort(rows)
	return tx.w.wiping(func() error {
		for _, row := range rows {
			if err := tx.dropSummary(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// dropSummary removes one summary; its children are then without a parent. It is for wiping alone:
// when a source is forgotten, no earlier copy of its text may be left anywhere.
func (tx *Tx) dropSummary(row int64) error {
	for _, query := range []string{
		"DELETE FROM summary_index WHERE rowid = ?",
		"DELETE FROM summary_chunks WHERE summary = ?",
		"UPDATE summaries SET parent = NULL, ordinal = NULL WHERE parent = ?",
		"DELETE FROM summaries WHERE id = ?",
	} {
		if err := tx.w.exec(query, row); err != nil {
			return fmt.Errorf("remove a summary: %w", err)
		}
	}
	return nil
}

// PutSummaries stores summaries whose children are there: chunks, summaries of an earlier call, or
// earlier ones of the list. One that exists is replaced.
func (tx *Tx) PutSummaries(source, changes int64, list []SummaryRecord) error {
	if err := tx.sealable(source, changes); err != nil {
		return err
	}
	return tx.w.wiping(func() error {
		for i := range list {
			if err := tx.putSummary(source, &list[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (tx *Tx) putSummary(source int64, r *SummaryRecord) error {
	var old int64
	var parent, ordinal sql.NullInt64
	var provisional bool
	found, err := tx.w.get("SELECT id, parent, ordinal, provisional FROM summaries WHERE summary_id = ?", []any{r.SummaryID}, &old, &parent, &ordinal, &provisional)
	switch {
	case err != nil:
		return fmt.Errorf("look up a summary: %w", err)
	case found && !provisional && r.Provisional: // somebody else had better luck
		return nil
	case found:
		if err := tx.dropSummary(old); err != nil {
			return err
		}
	}
	entities, err := json.Marshal(r.Entities)
	if err != nil {
		return fmt.Errorf("encode entities: %w", err)
	}
	citations, err := json.Marshal(r.Citations)
	if err != nil {
		return fmt.Errorf("encode citations: %w", err)
	}
	row, err := tx.w.insert(`INSERT INTO summaries (summary_id, source, level, parent, ordinal, first_ms, last_ms, chunks, token_count, provisional,
			maker, model, vector, entities, citations, title, context, content)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.SummaryID, source, r.Level, parent, ordinal, r.FirstMS, r.LastMS, r.Chunks, r.TokenCount, r.Provisional,
		r.Maker, r.Model, r.Vector, string(entities), string(citations), r.Title, r.Context, r.Content)
	if err != nil {
		return fmt.Errorf("write a summary: %w", err)
	}
	if err := tx.w.exec("INSERT INTO summary_index (rowid, head, body, extra) VALUES (?, ?, ?, ?)", row, r.Index.Head, r.Index.Body, r.Index.Extra); err != nil {
		return fmt.Errorf("index a summary: %w", err)
	}
	adopt, find := "UPDATE summaries SET parent = ?2, ordinal = ?3 WHERE id = ?1", "SELECT id FROM summaries WHERE summary_id = ? AND source = ?"
	if r.Level == 1 {
		adopt, find = "INSERT INTO summary_chunks (chunk, summary, ordinal) VALUES (?1, ?2, ?3)", "SELECT id FROM chunks WHERE chunk_id = ? AND source = ?"
	}
	for i, id := range r.Children {
		var child int64
		found, err := tx.w.get(find, []any{id, source}, &child)
		if err == nil && !found {
			err = ErrTreeChanged
		}
		if err == nil {
			err = tx.w.exec(adopt, child, row, i)
		}
		if err != nil {
			return fmt.Errorf("join a summary to what is under it: %w", err)
		}
	}
	return nil
}

// FinishTree states that sealer has sealed the whole tree of a source.
func (tx *Tx) FinishTree(source, changes int64, sealer string) error {
	if err := tx.sealable(source, changes); err != nil {
		return err
	}
	if err := tx.w.exec(`INSERT INTO trees (source, changes, sealed, sealer) VALUES (?1, ?2, ?2, ?3)
		ON CONFLICT (source) DO UPDATE SET sealed = excluded.sealed, sealer = excluded.sealer`, source, changes, sealer); err != nil {
		return fmt.Errorf("write a tree: %w", err)
	}
	return nil
}

// DropTrees removes every summary, for a memory that is to have none or to have them made again.
func (tx *Tx) DropTrees() error {
	return tx.w.wiping(func() error {
		for _, query := range []string{
			"DELETE FROM summary_index", "DELETE FROM summary_chunks", "DELETE FROM summaries", "UPDATE trees SET sealed = -1",
		} {
			if err := tx.w.exec(query); err != nil {
				return fmt.Errorf("remove summaries: %w", err)
			}
		}
		return nil
	})
}

// rewriteSummaries writes the table anew, so that the gaps in its pages hold nothing of what was there.
func (tx *Tx) rewriteSummaries() error {
	for _, query := range []string{
		"DROP TABLE IF EXISTS temp.kept_summaries",
		"CREATE TEMP TABLE kept_summaries AS SELECT * FROM summaries",
		"DELETE FROM summaries",
		"INSERT INTO summaries SELECT * FROM temp.kept_summaries",
		"DROP TABLE temp.kept_summaries",
	} {
		// Not prepared for good: a statement that reads the table would keep it from being dropped.
		if _, err := tx.w.conn.ExecContext(context.Background(), query); err != nil {
			return fmt.Errorf("rewrite the summaries: %w", err)
		}
	}
	return nil
}

// SetSummaryVectors stores vectors of summaries by their id, as one model made them.
func (tx *Tx) SetSummaryVectors(model string, vectors map[string][]byte) error {
	return tx.w.wiping(func() error {
		for id, v := range vectors {
			if err := tx.w.exec("UPDATE summaries SET model = ?, vector = ? WHERE summary_id = ?", model, v, id); err != nil {
				return fmt.Errorf("write the vector of a summary: %w", err)
			}
		}
		return nil
	})
}

// unseal removes the summaries above a chunk, which is going or has changed: nothing of its text
// may be left.
func (tx *Tx) unseal(chunk int64) error {
	var row int64
	found, err := tx.w.get("SELECT summary FROM summary_chunks WHERE chunk = ?", []any{chunk}, &row)
	if err != nil {
		return fmt.Errorf("look up the summary of a chunk: %w", err)
	}
	if !found {
		return nil
	}
	return tx.w.wiping(func() error {
		for found {
			var parent sql.NullInt64
			if _, err := tx.w.get("SELECT parent FROM summaries WHERE id = ?", []any{row}, &parent); err != nil {
				return fmt.Errorf("look up what a summary is under: %w", err)
			}
			if err := tx.dropSummary(row); err != nil {
				return err
			}
			row, found = parent.Int64, parent.Valid
		}
		return nil
	})
}

// touchTrees notes that the chunks of these sources have changed.
func (tx *Tx) touchTrees(sources []int64) error {
	for _, id := range sources {
		if err := tx.w.exec(`INSERT INTO trees (source, changes) SELECT id, 1 FROM sources WHERE id = ?
			ON CONFLICT (source) DO UPDATE SET changes = changes + 1`, id); err != nil {
			return fmt.Errorf("note a change of a tree: %w", err)
		}
	}
	return nil
}
