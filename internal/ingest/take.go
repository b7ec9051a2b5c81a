package ingest

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// TakeOptions say how to take in documents that come from no file.
type TakeOptions struct {
	Store *store.Store
	// Instant, when set, gives each chunk a vector in the transaction that writes it.
	Instant Model
	// May, when set, is asked of every source before anything is written to it.
	May func(sourceID string) error
	Now func() time.Time // nil: time.Now
}

// A Taken is what became of one document.
type Taken struct {
	SourceID   string
	DocumentID string
	ChunkIDs   []string
	Unchanged  bool // it was there already, as it is
}

// Take takes in documents that name their source, all of them or none, in one transaction. One that
// is there already is replaced where it differs; one without a time is of now, or of when it was first
// taken in. One that is known by its text alone has had the same text before, and keeps the tags that it
// had beside those that it has. No run over files removes them or moves them to another source.
func Take(ctx context.Context, o TakeOptions, documents []*doc.Document) ([]Taken, error) {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.May == nil {
		o.May = func(string) error { return nil }
	}
	k := newKinds()
	if err := k.load(ctx, o.Store); err != nil {
		return nil, fmt.Errorf("take in: %w", err)
	}
	records := make([]store.DocumentRecord, 0, len(documents))
	for _, d := range documents {
		rec, err := take(ctx, o, k, d)
		if err != nil {
			return nil, fmt.Errorf("take in: %w", err)
		}
		if len(rec.Chunks) > 0 {
			records = append(records, rec)
		}
	}
	if len(records) == 0 {
		return nil, nil
	}
	var out []Taken
	err := o.Store.Update(ctx, func(tx *store.Tx) error {
		out = make([]Taken, 0, len(records))
		for i := range records {
			if err := ctx.Err(); err != nil {
				return err
			}
			rec := &records[i]
			id, res, err := tx.PutDocument(*rec)
			if err != nil {
				return err
			}
			if err := tx.HoldWritten(id, rec); err != nil {
				return err
			}
			t := Taken{SourceID: rec.Source.SourceID, DocumentID: rec.Identity, Unchanged: res == store.Unchanged, ChunkIDs: make([]string, len(rec.Chunks))}
			for j := range rec.Chunks {
				t.ChunkIDs[j] = rec.Chunks[j].ChunkID
			}
			out = append(out, t)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("take in: %w", err)
	}
	return out, nil
}

// take makes a record of one document, in the way in which a file of interchange lines would.
func take(ctx context.Context, o TakeOptions, k *kinds, d *doc.Document) (store.DocumentRecord, error) {
	if err := o.May(d.SourceID); err != nil {
		return store.DocumentRecord{}, err
	}
	id, shown := ownSource(k, d)
	if shown != d.SourceID {
		if err := o.May(shown); err != nil {
			return store.DocumentRecord{}, err
		}
	}
	name, now := identity(id, d), o.Now()
	if d.Time.IsZero() {
		at, found, err := o.Store.DocumentTime(ctx, name)
		if err != nil {
			return store.DocumentRecord{}, err
		}
		if found {
			now = at
		}
	}
	if d.SourceRef == "" {
		had, err := o.Store.DocumentTags(ctx, name)
		if err != nil {
			return store.DocumentRecord{}, err
		}
		d.Tags = joined(had, d.Tags)
	}
	rec := build(d, store.SourceMeta{SourceID: shown, Kind: string(d.Kind), Owner: d.Owner}, name, now)
	addInstant(ctx, o.Instant, &rec)
	return rec, nil
}

// mostTags bounds the tags of a document that is taken in again and again.
const mostTags = 100

// joined returns the tags that there were, and the new ones after them.
func joined(had, given []string) []string {
	for _, t := range given {
		if !slices.Contains(had, t) && len(had) < mostTags {
			had = append(had, t)
		}
	}
	return had
}
