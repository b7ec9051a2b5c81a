package store

import (
	"context"
	"fmt"
	"strconv"
)

// Finish brings up to date what is derived from everything in the store, after an ingest or a
// forget: who is the same person, which terms are common, and the space that nothing uses. It does
// only what has become necessary, so it costs nothing when nothing has changed, and may be run
// again after it was interrupted.
func (s *Store) Finish(ctx context.Context) error {
	scrub := false
	for _, step := range []func(*Tx) error{
		(*Tx).resolvePeople,
		(*Tx).collectGarbage,
		(*Tx).collectTags,
		(*Tx).countTerms,
		func(tx *Tx) error {
			v, err := tx.Meta(metaScrub)
			scrub = v != ""
			return err
		},
	} {
		if err := s.Update(ctx, step); err != nil {
			return err
		}
	}
	if scrub {
		if err := s.scrub(ctx); err != nil {
			return err
		}
	}
	return s.tidy(ctx)
}

// ifStale runs fn when the flag is set, and clears the flag.
func (tx *Tx) ifStale(flag string, fn func() error) error {
	v, err := tx.Meta(flag)
	if err != nil || v == "" {
		return err
	}
	if err := fn(); err != nil {
		return err
	}
	return tx.SetMeta(flag, "")
}

// collectGarbage removes rows that nothing refers to any more, so that what was forgotten leaves
// no names behind.
func (tx *Tx) collectGarbage() error {
	return tx.ifStale(metaGarbage, func() error {
		defer func() { tx.w.known = newKnown() }()
		return tx.w.wiping(func() error {
			for _, query := range []string{
				`DELETE FROM sources WHERE NOT EXISTS (SELECT 1 FROM documents d WHERE d.source = sources.id)
					AND NOT EXISTS (SELECT 1 FROM holders h WHERE h.source = sources.id)`,
				"DELETE FROM forms WHERE NOT EXISTS (SELECT 1 FROM form_counts n WHERE n.form = forms.id)",
				"DELETE FROM entities WHERE NOT EXISTS (SELECT 1 FROM forms f WHERE f.entity = entities.id)",
				"DELETE FROM authors WHERE NOT EXISTS (SELECT 1 FROM chunks c WHERE c.author = authors.id)",
			} {
				if err := tx.w.exec(query); err != nil {
					return fmt.Errorf("remove unused rows: %w", err)
				}
			}
			return nil
		})
	})
}

// collectTags removes tags that no chunk has any more.
func (tx *Tx) collectTags() error {
	return tx.ifStale(metaTags, func() error {
		defer func() { tx.w.known = newKnown() }()
		return tx.w.wiping(func() error {
			if err := tx.w.exec("DELETE FROM tagsets WHERE id NOT IN (SELECT tags FROM chunks)"); err != nil {
				return fmt.Errorf("remove unused tags: %w", err)
			}
			return nil
		})
	})
}

// Terms are common when they stand in more than one chunk of commonShare and in more than
// commonLeast chunks.
const (
	commonShare = 100
	commonLeast = 50
	// joinedChunks is up to how many chunks the index is made one segment at every count.
	joinedChunks = 200_000
)

// countTerms counts the common terms anew when the number of chunks has changed by more than a
// tenth since the last time: it has to read the whole index.
func (tx *Tx) countTerms() error {
	var chunks, then int
	if _, err := tx.w.get("SELECT coalesce(sum(chunks), 0) FROM sources", nil, &chunks); err != nil {
		return fmt.Errorf("count chunks: %w", err)
	}
	last, err := tx.Meta(metaTermsAt)
	if err != nil {
		return err
	}
	if last != "" {
		if then, err = strconv.Atoi(last); err != nil {
			then = 0
		}
	}
	if change := max(chunks, then) - min(chunks, then); 10*change <= then {
		return nil
	}
	// A query looks into every segment of the index, so a short one takes half the time when there is
	// only one. Beyond some size joining them would keep other writers waiting for too long.
	if chunks <= joinedChunks {
		if err := tx.w.exec("INSERT INTO chunk_index (chunk_index) VALUES ('optimize')"); err != nil {
			return fmt.Errorf("join the segments of the index: %w", err)
		}
	}
	for _, query := range []string{
		"CREATE VIRTUAL TABLE IF NOT EXISTS temp.chunk_terms USING fts5vocab ('main', 'chunk_index', 'row')",
		"DELETE FROM common_terms",
	} {
		if err := tx.w.exec(query); err != nil {
			return fmt.Errorf("count terms: %w", err)
		}
	}
	if err := tx.w.exec("INSERT INTO common_terms (term, df) SELECT term, doc FROM temp.chunk_terms WHERE doc > ?",
		max(commonLeast, chunks/commonShare)); err != nil {
		return fmt.Errorf("count terms: %w", err)
	}
	return tx.SetMeta(metaTermsAt, strconv.Itoa(chunks))
}

// scrub removes the last traces of forgotten text: it rewrites the indexes without the entries of
// removed chunks and summaries, and then the whole file, since copies of moved rows stand in the gaps
// of its pages. Interrupted, it starts again with the next Finish. Another process that is writing or
// holds an old snapshot puts the second part off until then.
func (s *Store) scrub(ctx context.Context) error {
	err := s.Update(ctx, func(tx *Tx) error {
		return tx.w.wiping(func() error {
			for _, query := range []string{
				// A single segment is not rewritten; this row makes a second one.
				"INSERT INTO chunk_index (rowid, body) VALUES (0, 'x')",
				"INSERT INTO chunk_index (chunk_index) VALUES ('optimize')",
				"DELETE FROM chunk_index WHERE rowid = 0",
				"INSERT INTO gloss_index (rowid, gloss) VALUES (0, 'x')",
				"INSERT INTO gloss_index (gloss_index) VALUES ('optimize')",
				"DELETE FROM gloss_index WHERE rowid = 0",
				"INSERT INTO summary_index (rowid, body) VALUES (0, 'x')",
				"INSERT INTO summary_index (summary_index) VALUES ('optimize')",
				"DELETE FROM summary_index WHERE rowid = 0",
			} {
				if err := tx.w.exec(query); err != nil {
					return fmt.Errorf("rewrite the index: %w", err)
				}
			}
			return tx.rewriteSummaries()
		})
	})
	if err != nil {
		return err
	}
	if done, err := s.rewrite(ctx); err != nil || !done {
		return err
	}
	return s.Update(ctx, func(tx *Tx) error { return tx.SetMeta(metaScrub, "") })
}

// rewrite makes the file anew from what the store holds, unless another process is in the way.
func (s *Store) rewrite(ctx context.Context) (done bool, err error) {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if s.w == nil {
		return false, errClosed()
	}
	_, err = s.w.conn.ExecContext(ctx, "VACUUM")
	switch {
	case err == nil:
		return true, nil
	case busy(err):
		return false, nil
	}
	return false, s.explain(ctx, fmt.Errorf("rewrite the file: %w", err))
}

// tidy lets SQLite refresh its statistics where they are far off, moves the log into the file as far as
// readers allow at once, and empties its cache.
func (s *Store) tidy(ctx context.Context) error {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if s.w == nil {
		return errClosed()
	}
	// The pages in memory are given back: what comes next needs them less than it needs the room.
	for _, p := range []string{"analysis_limit = 400", "optimize", "wal_checkpoint(TRUNCATE)", "shrink_memory"} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.w.pragma(p); err != nil && !busy(err) {
			return s.explain(ctx, err)
		}
	}
	return nil
}

// Integrity returns what SQLite's own check of the file finds: nothing when all is well.
func (s *Store) Integrity(ctx context.Context) (problems []string, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		rows, err := q.QueryContext(ctx, "PRAGMA integrity_check(20)")
		if err != nil {
			return fmt.Errorf("check the file: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var p string
			if err := rows.Scan(&p); err != nil {
				return fmt.Errorf("check the file: %w", err)
			}
			if p != "ok" {
				problems = append(problems, p)
			}
		}
		return rows.Err()
	})
	return problems, err
}
