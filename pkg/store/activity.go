package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// SourceActivity is how many chunks of a source lie in each of several spans of time.
type SourceActivity struct {
	SourceID string
	Counts   []int
}

// Activity counts the chunks of each source between neighbouring bounds, which ascend: those from
// bounds[i] on and before bounds[i+1]. Sources with nothing in any span are left out; the others come
// by id. What a hidden source shares with one that is not counts for the latter, as in [Store.Sources].
func (s *Store) Activity(ctx context.Context, bounds []time.Time, scope Scope) ([]SourceActivity, error) {
	spans := len(bounds) - 1
	if spans < 1 {
		return nil, nil
	}
	var out []SourceActivity
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		v, err := sightOf(ctx, q, scope)
		if err != nil {
			return err
		}
		counts := map[int64][]int{}
		add := func(r *sql.Rows) error {
			var source int64
			var span, n int
			if err := r.Scan(&source, &span, &n); err != nil {
				return err
			}
			if counts[source] == nil {
				counts[source] = make([]int, spans)
			}
			counts[source][span] += n
			return nil
		}
		with := "WITH spans (i, since, before) AS (VALUES " + spanList(bounds) + ") "
		// Each count is a walk along a part of the index on source and time.
		if err := scanAll(ctx, q, with+`SELECT s.id, b.i, (SELECT count(*) FROM chunks c WHERE c.source = s.id AND c.timestamp_ms >= b.since AND c.timestamp_ms < b.before) AS n
			FROM sources s CROSS JOIN spans b WHERE s.chunks > 0 AND n > 0`, add); err != nil {
			return err
		}
		if v.shared {
			if err := scanAll(ctx, q, with+"SELECT "+v.other()+" AS under, b.i, count(*) FROM chunks c CROSS JOIN spans b ON c.timestamp_ms >= b.since AND c.timestamp_ms < b.before WHERE "+
				v.isHidden()+" GROUP BY 1, 2 HAVING under IS NOT NULL", add); err != nil {
				return err
			}
		}
		return scanAll(ctx, q, "SELECT s.id, s.source_id FROM sources s", func(r *sql.Rows) error {
			var row int64
			var a SourceActivity
			if err := r.Scan(&row, &a.SourceID); err != nil {
				return err
			}
			if a.Counts = counts[row]; a.Counts != nil && (scope == nil || !scope.Hides(a.SourceID)) {
				out = append(out, a)
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("count activity: %w", err)
	}
	slices.SortFunc(out, func(a, b SourceActivity) int { return strings.Compare(a.SourceID, b.SourceID) })
	return out, nil
}

// spanList writes the spans between bounds as rows of SQL.
func spanList(bounds []time.Time) string {
	var b strings.Builder
	for i := range bounds[:len(bounds)-1] {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("(" + strconv.Itoa(i) + "," + strconv.FormatInt(bounds[i].UnixMilli(), 10) + "," + strconv.FormatInt(bounds[i+1].UnixMilli(), 10) + ")")
	}
	return b.String()
}
