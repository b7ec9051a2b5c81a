package store

import (
	"context"
	"fmt"
	"os"
)

// Stats counts what the store holds. It knows no scope: it is for the owner.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	var st Stats
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		err := q.QueryRowContext(ctx, `SELECT
			(SELECT count(*) FROM sources WHERE chunks > 0),
			(SELECT count(*) FROM documents),
			(SELECT coalesce(sum(chunks), 0) FROM sources),
			(SELECT count(*) FROM entities WHERE chunks > 0 AND kind <> 'address'),
			(SELECT count(*) FROM files WHERE path <> ?),
			(SELECT count(*) FROM vectors),
			(SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
			(SELECT user_version FROM pragma_user_version)`, written).
			Scan(&st.Sources, &st.Documents, &st.Chunks, &st.Entities, &st.Files, &st.Vectors, &st.Bytes, &st.SchemaVersion)
		if err != nil {
			return fmt.Errorf("count: %w", err)
		}
		return nil
	})
	if err != nil {
		return Stats{}, err
	}
	if s.opts.Path != Memory { // with the log, and with pages that are not in it yet
		if fi, err := os.Stat(s.opts.Path); err == nil {
			st.Bytes = fi.Size() + max(walSize(s.opts.Path), 0)
		}
	}
	return st, nil
}
