package store

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
)

// Sources returns the sources that hold chunks, the most recently active first. What a hidden source
// shares with one that is not counts for the latter.
func (s *Store) Sources(ctx context.Context, scope Scope) ([]SourceInfo, error) {
	var out []SourceInfo
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		v, err := sightOf(ctx, q, scope)
		if err != nil {
			return err
		}
		more, err := v.moved(ctx, q)
		if err != nil {
			return err
		}
		return scanAll(ctx, q, `SELECT s.id, s.source_id, s.kind, s.chunks,
				coalesce((SELECT c.timestamp_ms FROM chunks c WHERE c.source = s.id ORDER BY c.timestamp_ms DESC LIMIT 1), 0)
			FROM sources s`, func(r *sql.Rows) error {
			var id int64
			var i SourceInfo
			if err := r.Scan(&id, &i.SourceID, &i.Kind, &i.ChunkCount, &i.MostRecentMS); err != nil {
				return err
			}
			if scope != nil && scope.Hides(i.SourceID) {
				return nil
			}
			if m, ok := more[id]; ok {
				if i.ChunkCount == 0 || m.MostRecentMS > i.MostRecentMS {
					i.MostRecentMS = m.MostRecentMS
				}
				i.ChunkCount += m.ChunkCount
			}
			if i.ChunkCount > 0 {
				out = append(out, i)
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("list sources: %w", err)
	}
	slices.SortFunc(out, func(a, b SourceInfo) int {
		return cmp.Or(cmp.Compare(b.MostRecentMS, a.MostRecentMS), cmp.Compare(a.SourceID, b.SourceID))
	})
	return out, nil
}

// moved returns, by source, what is served under it although it is in a hidden one.
func (v sight) moved(ctx context.Context, q querier) (map[int64]SourceInfo, error) {
	if !v.shared {
		return nil, nil
	}
	out := map[int64]SourceInfo{}
	err := scanAll(ctx, q, "SELECT "+v.other()+" AS under, count(*), max(c.timestamp_ms) FROM chunks c WHERE "+v.isHidden()+
		" GROUP BY 1 HAVING under IS NOT NULL", func(r *sql.Rows) error {
		var id int64
		var i SourceInfo
		err := r.Scan(&id, &i.ChunkCount, &i.MostRecentMS)
		out[id] = i
		return err
	})
	return out, err
}
