// Package export writes what a memory holds as interchange lines, from which ingest makes an equal
// memory. It holds neither SQL nor the format of the lines.
package export

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/interchange"
	"github.com/openhuman/openhuman-core/internal/origin"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// Options say what to write.
type Options struct {
	Store    *store.Store
	Source   string       // only this one; "" for all
	Progress func(Counts) // may be nil; called now and then, by one call at a time
}

// Counts say what was written.
type Counts struct {
	Sources, Documents, Chunks int
	Bytes                      int64
	// Rebuilt of the documents were put together from their chunks, since an earlier version took them in.
	Rebuilt int
	// TooLong of the lines are longer than ingest reads.
	TooLong int
}

// every is after how many documents progress is told.
const every = 500

// Write writes all lines, as of one instant, in an order that depends on nothing but what the memory
// holds. It keeps one document in memory at a time.
func Write(ctx context.Context, o Options, w io.Writer) (n Counts, err error) {
	out := bufio.NewWriterSize(w, 256<<10)
	source := ""
	err = o.Store.EachDocument(ctx, o.Source, func(d *store.StoredDocument) error {
		whole, exact := document(d)
		line, err := interchange.Line(whole)
		if err != nil {
			return err
		}
		if _, err := out.Write(line); err != nil {
			return fmt.Errorf("write the export: %w", err)
		}
		if n.Documents == 0 || d.Source.SourceID != source {
			source = d.Source.SourceID
			n.Sources++
		}
		n.Documents++
		n.Chunks += len(d.Chunks)
		n.Bytes += int64(len(line))
		if !exact {
			n.Rebuilt++
		}
		if len(line) > interchange.MaxLine {
			n.TooLong++
		}
		if o.Progress != nil && n.Documents%every == 0 {
			o.Progress(n)
		}
		return ctx.Err()
	})
	if err != nil {
		return n, err
	}
	if err := out.Flush(); err != nil {
		return n, fmt.Errorf("write the export: %w", err)
	}
	return n, nil
}

// document is what a reader handed over once.
func document(d *store.StoredDocument) (whole *doc.Document, exact bool) {
	whole = &doc.Document{
		SourceID: d.Source.SourceID, Kind: doc.Kind(d.Source.Kind), Owner: d.Source.Owner, Tags: d.Tags, Identity: d.Identity,
		SourceRef: d.SourceRef, Title: d.Title, Author: doc.Person{Name: d.Author}, Time: time.UnixMilli(d.TimestampMS).UTC(),
	}
	chunks := make([]origin.Chunk, len(d.Chunks))
	for i, c := range d.Chunks {
		chunks[i] = origin.Chunk{Text: c.Content, Author: c.Author, SourceRef: c.SourceRef, Time: time.UnixMilli(c.TimestampMS).UTC()}
	}
	return whole, origin.Decode(d.Origin, whole, chunks)
}
