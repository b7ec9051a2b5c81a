package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// Chunk returns a chunk with its neighbours in the document and the entities that it mentions, most
// mentioned first. An unknown id, or one in a source that the scope hides, is a NotFound fault.
func (s *Store) Chunk(ctx context.Context, chunkID string, scope Scope) (*ChunkDetail, error) {
	var d ChunkDetail
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		var document, ordinal int64
		v, err := sightOf(ctx, q, scope)
		if err != nil {
			return err
		}
		row := q.QueryRowContext(ctx, "SELECT "+v.columns()+", c.document, c.ordinal FROM "+v.from()+" WHERE c.chunk_id = ?", chunkID)
		err = scanChunk(row, &d.Chunk, &document, &ordinal)
		if errors.Is(err, sql.ErrNoRows) || (err == nil && scope != nil && scope.Hides(d.SourceID)) {
			return fault.New(fault.NotFound, "There is no chunk %q.", chunkID)
		}
		if err != nil {
			return err
		}
		for _, n := range []struct {
			query string
			dst   *string
		}{
			{"SELECT chunk_id FROM chunks WHERE document = ? AND ordinal < ? ORDER BY ordinal DESC LIMIT 1", &d.PrevChunkID},
			{"SELECT chunk_id FROM chunks WHERE document = ? AND ordinal > ? ORDER BY ordinal LIMIT 1", &d.NextChunkID},
		} {
			err := q.QueryRowContext(ctx, n.query, document, ordinal).Scan(n.dst)
			if err != nil && !errors.Is(err, sql.ErrNoRows) {
				return fmt.Errorf("read a neighbour: %w", err)
			}
		}
		d.Entities, err = chunkEntities(ctx, q, d.RowID, scope)
		return err
	})
	if err != nil {
		return nil, err
	}
	return &d, nil
}

// ListChunks returns a page of the chunks that match, newest first, and how many match in all.
func (s *Store) ListChunks(ctx context.Context, lq ListQuery) (page []Chunk, total int, err error) {
	if lq.Limit < 0 || lq.Offset < 0 {
		return nil, 0, fmt.Errorf("list chunks: limit %d, offset %d", lq.Limit, lq.Offset)
	}
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		cond, err := lq.Filter.where(ctx, q)
		if err != nil || cond.none {
			return err
		}
		where, args := cond.sql, []any{}
		if lq.Match != "" {
			where = "c.id IN (SELECT rowid FROM chunk_index WHERE chunk_index MATCH ?) AND " + where
			args = append(args, lq.Match)
		}
		if lq.Accept != nil {
			page, total, err = listAccepted(ctx, q, lq, cond.sight, where, args)
			return err
		}
		if !lq.NoTotal {
			if err := q.QueryRowContext(ctx, "SELECT count(*) FROM chunks c WHERE "+where, args...).Scan(&total); err != nil {
				return fmt.Errorf("count chunks: %w", err)
			}
			if lq.Offset >= total {
				return nil
			}
		}
		if lq.Limit == 0 {
			return nil
		}
		// The page is chosen on the index alone; only its rows are read whole.
		rows, err := q.QueryContext(ctx, "SELECT "+cond.sight.columns()+" FROM "+cond.sight.from()+
			" WHERE c.id IN (SELECT c.id FROM chunks c WHERE "+where+" ORDER BY c.timestamp_ms DESC, c.chunk_id LIMIT ? OFFSET ?)"+
			" ORDER BY c.timestamp_ms DESC, c.chunk_id", append(args, lq.Limit, lq.Offset)...)
		if err != nil {
			return fmt.Errorf("list chunks: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var c Chunk
			if err := scanChunk(rows, &c); err != nil {
				return err
			}
			page = append(page, c)
		}
		return rows.Err()
	})
	return page, total, err
}

// listAccepted is ListChunks for queries whose matches have to be read to be sure of them.
func listAccepted(ctx context.Context, q querier, lq ListQuery, v sight, where string, args []any) (page []Chunk, total int, err error) {
	rows, err := q.QueryContext(ctx, "SELECT "+v.columns()+" FROM "+v.from()+" WHERE "+where+
		" ORDER BY c.timestamp_ms DESC, c.chunk_id", args...)
	if err != nil {
		return nil, 0, fmt.Errorf("list chunks: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var c Chunk
		if err := scanChunk(rows, &c); err != nil {
			return nil, 0, err
		}
		if !lq.Accept(&c) {
			continue
		}
		if total >= lq.Offset && len(page) < lq.Limit {
			page = append(page, c)
		}
		total++
		if lq.NoTotal && len(page) == lq.Limit {
			return page, 0, nil
		}
	}
	return page, total, rows.Err()
}
