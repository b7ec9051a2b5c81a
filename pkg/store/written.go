package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"
)

// written stands among the files for everything that came from no file: callers have written it. It
// holds those documents as a file would, so that they stay when a file that holds one of them as well
// goes. No listing of files shows it.
const written = "openhuman:written"

// HoldWritten states that callers have written a document like this, which keeps it whatever files hold.
func (tx *Tx) HoldWritten(docID int64, rec *DocumentRecord) error {
	file, err := tx.PutFile(FileRecord{Path: written, Root: written, Complete: true, Outcome: "ok"})
	if err != nil {
		return err
	}
	return tx.HoldAs(file, docID, rec)
}

// DocumentTime returns the time of the document with this identity, if there is one.
func (s *Store) DocumentTime(ctx context.Context, identity string) (at time.Time, found bool, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		var ms int64
		switch err := q.QueryRowContext(ctx, "SELECT timestamp_ms FROM documents WHERE identity = ?", identity).Scan(&ms); {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err != nil:
			return fmt.Errorf("look up a document: %w", err)
		}
		at, found = time.UnixMilli(ms).UTC(), true
		return nil
	})
	return at, found, err
}

// DocumentTags returns the tags of the document with this identity; none where there is none.
func (s *Store) DocumentTags(ctx context.Context, identity string) (tags []string, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		var list string
		switch err := q.QueryRowContext(ctx, "SELECT tags FROM documents WHERE identity = ?", identity).Scan(&list); {
		case errors.Is(err, sql.ErrNoRows):
			return nil
		case err != nil:
			return fmt.Errorf("look up a document: %w", err)
		}
		tags = parseTags(list)
		return nil
	})
	return tags, err
}
