package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Vectors are opaque here: what makes and compares them packs them. The store knows which chunk and
// which model a vector is of, and lets a reader that has seen some of them ask what has changed.

// VectorModel is a model that makes vectors. Only vectors of one model can be compared.
type VectorModel struct {
	Fingerprint string
	Dims        int
}

// PendingChunk is a chunk that needs vectors.
type PendingChunk struct {
	ChunkKey
	TimestampMS int64
	Context     string
	Content     string
	Tokens      int // by estimate
}

// ChunkKey names a chunk and the text that it has.
type ChunkKey struct {
	RowID   int64
	ChunkID string
	Sum     int64
}

// ChunkVectors are all vectors of one chunk by one model, in the order of the text. An empty one
// says that the model can make nothing of that part.
type ChunkVectors struct {
	ChunkKey
	Parts [][]byte
	Model string // fingerprint of what made them, when that is another than the one they are put with
	// Gloss, when set, becomes what IndexText.Gloss says of the chunk.
	Gloss *string
}

// named is the model under another fingerprint, if that is given.
func (m VectorModel) named(fingerprint string) VectorModel {
	if fingerprint != "" {
		m.Fingerprint = fingerprint
	}
	return m
}

// metaImage names the image file that holds the vectors of this store up to some number. A backup
// that is brought back thus never meets an image of a later time.
const metaImage = "vectors.image"

// PutVectors stores the vectors of chunks by one model in place of all that these chunks have. A
// chunk that is gone or has another text by now is left out.
func (tx *Tx) PutVectors(m VectorModel, list []ChunkVectors) (stored int, err error) {
	for i := range list {
		c := &list[i]
		var same bool
		if _, err := tx.w.get("SELECT EXISTS (SELECT 1 FROM chunks WHERE id = ? AND chunk_id = ? AND index_sum = ?)",
			[]any{c.RowID, c.ChunkID, c.Sum}, &same); err != nil {
			return stored, fmt.Errorf("look up a chunk: %w", err)
		}
		if !same {
			continue
		}
		if err := tx.dropVectors(c.RowID); err != nil {
			return stored, err
		}
		if c.Gloss != nil {
			tx.regloss[c.RowID] = *c.Gloss
		}
		for part, data := range c.Parts {
			if err := tx.addVector(m.named(c.Model), c.RowID, part, data); err != nil {
				return stored, err
			}
		}
		stored++
	}
	return stored, nil
}

func (tx *Tx) addVector(m VectorModel, chunk int64, part int, data []byte) error {
	id, ok := tx.w.known.models[m]
	if !ok {
		var dims int
		found, err := tx.w.get("SELECT id, dims FROM models WHERE fingerprint = ?", []any{m.Fingerprint}, &id, &dims)
		switch {
		case err == nil && found && dims != m.Dims:
			return fmt.Errorf("model %s has %d dimensions, not %d", m.Fingerprint, dims, m.Dims)
		case err == nil && !found:
			id, err = tx.w.insert("INSERT INTO models (fingerprint, dims) VALUES (?, ?)", m.Fingerprint, m.Dims)
		}
		if err != nil {
			return fmt.Errorf("write a model: %w", err)
		}
		remember(tx.w.known.models, m, id)
	}
	if data == nil {
		data = []byte{}
	}
	if err := tx.w.exec("INSERT INTO vectors (chunk, model, part, data) VALUES (?, ?, ?, ?)", chunk, id, part, data); err != nil {
		return fmt.Errorf("write a vector: %w", err)
	}
	return nil
}

// dropVectors removes the vectors of a chunk.
func (tx *Tx) dropVectors(chunk int64) error {
	for _, query := range []string{
		"INSERT INTO dead_vectors (vector) SELECT id FROM vectors WHERE chunk = ?",
		"DELETE FROM vectors WHERE chunk = ?",
	} {
		if err := tx.w.exec(query, chunk); err != nil {
			return fmt.Errorf("remove vectors: %w", err)
		}
	}
	return nil
}

// DropAllVectors removes every vector and model, for a memory that is to have none.
func (tx *Tx) DropAllVectors() error {
	for _, query := range []string{
		"INSERT INTO dead_vectors (vector) SELECT id FROM vectors",
		"DELETE FROM vectors",
		"DELETE FROM models",
	} {
		if err := tx.w.exec(query); err != nil {
			return fmt.Errorf("remove vectors: %w", err)
		}
	}
	clear(tx.w.known.models)
	return nil
}

// SetVectorImage states that the image of this name holds all that a reader of at has seen, so that
// what was gone by then need not be remembered. It does nothing and returns false when another image
// has been made since.
func (tx *Tx) SetVectorImage(name string, at VectorState) (done bool, err error) {
	now, err := tx.Meta(metaImage)
	if err != nil || now != at.Image {
		return false, err
	}
	if err := tx.SetMeta(metaImage, name); err != nil {
		return false, err
	}
	if err := tx.w.exec("DELETE FROM dead_vectors WHERE id <= ?", at.Dead); err != nil {
		return false, fmt.Errorf("remove what the image knows: %w", err)
	}
	return true, tx.forgetModels()
}

// forgetModels removes the models that have no vectors any more.
func (tx *Tx) forgetModels() error {
	if err := tx.w.exec("DELETE FROM models WHERE id NOT IN (SELECT model FROM vectors)"); err != nil {
		return fmt.Errorf("remove unused models: %w", err)
	}
	clear(tx.w.known.models)
	return nil
}

// PendingVectors returns up to limit chunks, newest first, that have no vector by any of the models
// with these fingerprints. after continues behind a chunk of an earlier call; its zero value begins
// with the newest.
func (s *Store) PendingVectors(ctx context.Context, models []string, after PendingChunk, limit int) ([]PendingChunk, error) {
	if after.ChunkID == "" {
		after.TimestampMS = math.MaxInt64
	}
	var out []PendingChunk
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		ids, err := modelIDs(ctx, q, models)
		if err != nil {
			return err
		}
		rows, err := q.QueryContext(ctx, `SELECT c.id, c.chunk_id, c.index_sum, c.timestamp_ms, c.context, c.content, c.token_count
			FROM chunks c
			WHERE c.timestamp_ms <= ?1 AND NOT (c.timestamp_ms = ?1 AND c.chunk_id <= ?2)
				AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk = c.id AND v.model IN `+idList(ids)+`)
			ORDER BY c.timestamp_ms DESC, c.chunk_id LIMIT ?3`, after.TimestampMS, after.ChunkID, limit)
		if err != nil {
			return fmt.Errorf("find chunks without vectors: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var p PendingChunk
			if err := rows.Scan(&p.RowID, &p.ChunkID, &p.Sum, &p.TimestampMS, &p.Context, &p.Content, &p.Tokens); err != nil {
				return fmt.Errorf("find chunks without vectors: %w", err)
			}
			out = append(out, p)
		}
		return rows.Err()
	})
	return out, err
}

// CountPending returns how many chunks have no vector by any of the models, how many tokens these
// hold by estimate, and how many chunks there are.
func (s *Store) CountPending(ctx context.Context, models []string) (pending, tokens, chunks int, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		ids, err := modelIDs(ctx, q, models)
		if err != nil {
			return err
		}
		if chunks, err = countChunks(ctx, q); err != nil {
			return err
		}
		err = q.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(c.token_count), 0) FROM chunks c
			WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.chunk = c.id AND v.model IN `+idList(ids)+`)`).Scan(&pending, &tokens)
		if err != nil {
			return fmt.Errorf("count chunks without vectors: %w", err)
		}
		return nil
	})
	return pending, tokens, chunks, err
}

func modelIDs(ctx context.Context, q querier, fingerprints []string) ([]int64, error) {
	list, err := json.Marshal(fingerprints)
	if err != nil {
		return nil, fmt.Errorf("look up models: %w", err)
	}
	ids, err := queryIDs(ctx, q, "SELECT id FROM models WHERE fingerprint IN (SELECT value FROM json_each(?))", string(list))
	if err != nil {
		return nil, fmt.Errorf("look up models: %w", err)
	}
	return ids, nil
}

// VectorState tells how far a reader of the vectors has come.
type VectorState struct {
	Image string // the image that the store names, if any
	Last  int64  // the number of the last vector written
	Dead  int64  // the number of the last removal
}

// StoredVector is a vector as it is read.
type StoredVector struct {
	ID    int64
	Chunk int64
	Model int64
	Part  int
	Data  []byte // valid during the call only
}

// VectorChanges is what Vectors hands over.
type VectorChanges struct {
	// Models is called first, with all models by the number that vectors name them by.
	Models func(map[int64]ModelVectors) error
	// Vector is called for every vector that is there and was written after the state, by number.
	Vector func(*StoredVector) error
	// Dead is called for every vector that was removed after the state.
	Dead func(id int64) error
}

// ModelVectors is a model with the number of its vectors that are about to be handed over.
type ModelVectors struct {
	VectorModel
	Count int
}

// VectorState returns where the vectors stand.
func (s *Store) VectorState(ctx context.Context) (st VectorState, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		st, err = vectorState(ctx, q)
		return err
	})
	return st, err
}

func vectorState(ctx context.Context, q querier) (st VectorState, err error) {
	err = repeated(q).QueryRowContext(ctx, `SELECT
		coalesce((SELECT value FROM meta WHERE key = '`+metaImage+`'), ''),
		coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'vectors'), 0),
		coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'dead_vectors'), 0)`).Scan(&st.Image, &st.Last, &st.Dead)
	if err != nil {
		return st, fmt.Errorf("read the state of the vectors: %w", err)
	}
	return st, nil
}

// Vectors hands over what has changed since a reader was at since, all as of one moment, and
// returns the state of that moment. The zero state has seen nothing. Removals are known only back
// to the image that the store names: a reader of another one has to begin anew.
func (s *Store) Vectors(ctx context.Context, since VectorState, to VectorChanges) (st VectorState, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		if st, err = vectorState(ctx, q); err != nil {
			return err
		}
		models, err := vectorModels(ctx, q, since.Last)
		if err != nil {
			return err
		}
		if err := to.Models(models); err != nil {
			return err
		}
		if err := deadVectors(ctx, q, since.Dead, to.Dead); err != nil {
			return err
		}
		return newVectors(ctx, q, since.Last, to.Vector)
	})
	return st, err
}

func vectorModels(ctx context.Context, q querier, since int64) (map[int64]ModelVectors, error) {
	rows, err := q.QueryContext(ctx, `SELECT m.id, m.fingerprint, m.dims, coalesce(n.n, 0) FROM models m
		LEFT JOIN (SELECT model, count(*) AS n FROM vectors WHERE id > ? GROUP BY model) n ON n.model = m.id`, since)
	if err != nil {
		return nil, fmt.Errorf("read models: %w", err)
	}
	defer rows.Close()
	models := map[int64]ModelVectors{}
	for rows.Next() {
		var id int64
		var m ModelVectors
		if err := rows.Scan(&id, &m.Fingerprint, &m.Dims, &m.Count); err != nil {
			return nil, fmt.Errorf("read models: %w", err)
		}
		models[id] = m
	}
	return models, rows.Err()
}

func deadVectors(ctx context.Context, q querier, since int64, fn func(int64) error) error {
	rows, err := q.QueryContext(ctx, "SELECT vector FROM dead_vectors WHERE id > ? ORDER BY id", since)
	if err != nil {
		return fmt.Errorf("read removed vectors: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return fmt.Errorf("read removed vectors: %w", err)
		}
		if err := fn(id); err != nil {
			return err
		}
	}
	return rows.Err()
}

func newVectors(ctx context.Context, q querier, since int64, fn func(*StoredVector) error) error {
	rows, err := q.QueryContext(ctx, "SELECT id, chunk, model, part, data FROM vectors WHERE id > ? ORDER BY id", since)
	if err != nil {
		return fmt.Errorf("read vectors: %w", err)
	}
	defer rows.Close()
	var v StoredVector
	var data sql.RawBytes
	for rows.Next() {
		if err := rows.Scan(&v.ID, &v.Chunk, &v.Model, &v.Part, &data); err != nil {
			return fmt.Errorf("read vectors: %w", err)
		}
		v.Data = data
		if err := fn(&v); err != nil {
			return err
		}
	}
	return rows.Err()
}

// RowSet is a set of chunks by their row numbers.
type RowSet struct {
	bits []uint64
	n    int
}

// Has reports whether row is in the set.
func (r *RowSet) Has(row int64) bool {
	i := row >> 6
	return i >= 0 && i < int64(len(r.bits)) && r.bits[i]&(1<<(row&63)) != 0
}

// Len is how many rows the set has.
func (r *RowSet) Len() int { return r.n }

func (r *RowSet) add(row int64) {
	i := int(row >> 6)
	if i >= len(r.bits) {
		r.bits = append(r.bits, make([]uint64, i+1-len(r.bits))...)
	}
	r.bits[i] |= 1 << (row & 63)
	r.n++
}

// Rows returns the chunks that the filter leaves, or nil for all of them.
func (s *Store) Rows(ctx context.Context, f Filter) (set *RowSet, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		cond, err := f.where(ctx, q)
		if err != nil || cond.sql == "1" {
			return err
		}
		set = &RowSet{}
		if cond.none {
			return nil
		}
		var list string
		// One string for all rows, as for the postings of a term.
		if err := q.QueryRowContext(ctx, "SELECT coalesce(group_concat(c.id), '') FROM chunks c WHERE "+cond.sql).Scan(&list); err != nil {
			return fmt.Errorf("find the chunks of a filter: %w", err)
		}
		for list != "" {
			var one string
			one, list, _ = strings.Cut(list, ",")
			row, err := strconv.ParseInt(one, 10, 64)
			if err != nil {
				return fmt.Errorf("find the chunks of a filter: %w", err)
			}
			set.add(row)
		}
		return nil
	})
	return set, err
}

// FilterRows returns those of the chunks that are there and pass the filter, in the same order. It
// is how a few chunks are filtered; Rows is for many.
func (s *Store) FilterRows(ctx context.Context, rows []int64, f Filter) (passed []int64, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		cond, err := f.where(ctx, q)
		if err != nil || cond.none {
			return err
		}
		found, err := queryIDs(ctx, q, "SELECT c.id FROM chunks c WHERE c.id IN "+idList(rows)+" AND "+cond.sql)
		if err != nil {
			return fmt.Errorf("filter chunks: %w", err)
		}
		var set RowSet
		for _, row := range found {
			set.add(row)
		}
		for _, row := range rows {
			if set.Has(row) {
				passed = append(passed, row)
			}
		}
		return nil
	})
	return passed, err
}

// ChunksByRow returns those of the chunks that are there and pass the filter, by row.
func (s *Store) ChunksByRow(ctx context.Context, rows []int64, f Filter) (map[int64]*Chunk, error) {
	var chunks map[int64]*Chunk
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		cond, err := f.where(ctx, q)
		if err != nil || cond.none {
			return err
		}
		if cond.sql != "1" {
			if rows, err = queryIDs(ctx, q, "SELECT c.id FROM chunks c WHERE c.id IN "+idList(rows)+" AND "+cond.sql); err != nil {
				return fmt.Errorf("filter chunks: %w", err)
			}
		}
		chunks, err = chunksByRow(ctx, q, cond.sight, rows)
		return err
	})
	return chunks, err
}
