package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// A StoredDocument is a document with everything that was stored of it and cannot be made again.
type StoredDocument struct {
	Source      SourceMeta
	Identity    string
	SourceRef   string
	Title       string
	Author      string
	TimestampMS int64
	Tags        []string
	Origin      []byte // as it was handed over; empty when an earlier version wrote the document
	Chunks      []StoredChunk
}

// A StoredChunk is one of its chunks, in their order.
type StoredChunk struct {
	Content     string
	Author      string
	SourceRef   string
	TimestampMS int64
}

// EachDocument calls fn with every document, one after the other, all as of one instant: by source, then
// by time, then by identity, whatever the order in which they came. With a source only with those in
// it; one that is not there is a NotFound fault. fn must not keep what it is handed. An error of fn ends
// it and is returned as it is.
func (s *Store) EachDocument(ctx context.Context, sourceID string, fn func(*StoredDocument) error) error {
	var of error // of fn
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		type source struct {
			row  int64
			meta SourceMeta
		}
		var all []source
		rows, err := q.QueryContext(ctx, "SELECT id, source_id, kind, owner, tags FROM sources WHERE ?1 = '' OR source_id = ?1 ORDER BY source_id", sourceID)
		if err != nil {
			return fmt.Errorf("list the sources: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var src source
			var tags string
			if err := rows.Scan(&src.row, &src.meta.SourceID, &src.meta.Kind, &src.meta.Owner, &tags); err != nil {
				return fmt.Errorf("list the sources: %w", err)
			}
			if err := json.Unmarshal([]byte(tags), &src.meta.Tags); err != nil {
				return fmt.Errorf("read the tags of a source: %w", err)
			}
			all = append(all, src)
		}
		if err := rows.Err(); err != nil {
			return fmt.Errorf("list the sources: %w", err)
		}
		if sourceID != "" && len(all) == 0 {
			return fault.New(fault.NotFound, "There is no source %q.", sourceID).WithHint("openhuman-core sources lists them.")
		}
		for _, src := range all {
			if of, err = eachOf(ctx, q, src.row, src.meta, fn); of != nil || err != nil {
				return errors.Join(of, err)
			}
		}
		return nil
	})
	if of != nil {
		return of
	}
	return err
}

// eachOf is EachDocument for one source. Errors of fn are apart.
func eachOf(ctx context.Context, q querier, source int64, meta SourceMeta, fn func(*StoredDocument) error) (of, err error) {
	// Every document has a first chunk, and the index of chunks is in the order of time, so that nothing
	// but documents of the same time is sorted.
	rows, err := q.QueryContext(ctx, `SELECT d.id, d.identity, d.source_ref, d.title, d.author, d.timestamp_ms, d.tags, d.origin
		FROM chunks c INDEXED BY chunks_source CROSS JOIN documents d ON d.id = c.document
		WHERE c.source = ? AND c.ordinal = 0 ORDER BY c.timestamp_ms, d.identity`, source)
	if err != nil {
		return nil, fmt.Errorf("read the documents: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		var row int64
		var tags string
		d := StoredDocument{Source: meta}
		if err := rows.Scan(&row, &d.Identity, &d.SourceRef, &d.Title, &d.Author, &d.TimestampMS, &tags, &d.Origin); err != nil {
			return nil, fmt.Errorf("read a document: %w", err)
		}
		if err := json.Unmarshal([]byte(tags), &d.Tags); err != nil {
			return nil, fmt.Errorf("read the tags of a document: %w", err)
		}
		if d.Chunks, err = chunksOf(ctx, q, row); err != nil {
			return nil, err
		}
		if err := fn(&d); err != nil {
			return err, nil
		}
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the documents: %w", err)
	}
	return nil, nil
}

func chunksOf(ctx context.Context, q querier, document int64) ([]StoredChunk, error) {
	rows, err := q.QueryContext(ctx, `SELECT c.content, coalesce(a.name, ''), c.source_ref, c.timestamp_ms
		FROM chunks c LEFT JOIN authors a ON a.id = c.author WHERE c.document = ? ORDER BY c.ordinal`, document)
	if err != nil {
		return nil, fmt.Errorf("read the chunks of a document: %w", err)
	}
	defer rows.Close()
	var out []StoredChunk
	for rows.Next() {
		var c StoredChunk
		if err := rows.Scan(&c.Content, &c.Author, &c.SourceRef, &c.TimestampMS); err != nil {
			return nil, fmt.Errorf("read a chunk: %w", err)
		}
		out = append(out, c)
	}
	return out, rows.Err()
}
