package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/query"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// ListChunks returns a page of the chunks that all the filters leave, newest first.
func (c *Controller) ListChunks(ctx context.Context, p ListChunksParams) (ListChunksResult, error) {
	res := ListChunksResult{Chunks: []Row{}}
	lq, q, err := c.listQuery(ctx, &p)
	if err != nil {
		return res, err
	}
	terms := q.Terms
	var page []store.Chunk
	var parts string
	if lq != nil {
		if page, res.Total, err = c.store.ListChunks(ctx, *lq); err != nil {
			return res, err
		}
		if relaxed := q.Relaxed(); res.Total == 0 && relaxed != nil {
			lq.Match, lq.Accept, terms = relaxed.All(), accept(relaxed, true), relaxed.Terms
			if page, res.Total, err = c.store.ListChunks(ctx, *lq); err != nil {
				return res, err
			}
			if res.Total > 0 {
				parts = "Nothing holds the query as it is written; these chunks hold its parts."
			}
		}
	}
	if res.Hint, err = c.listHint(ctx, &p, q, res.Total, len(page)); err != nil {
		return res, err
	}
	res.Hint = hints(parts, res.Hint)
	hits := make([]store.ChunkHit, len(page))
	for i := range page {
		hits[i].Chunk = page[i]
	}
	var shown int
	res.Chunks, res.Truncated, shown = c.rowsOf(ctx, hits, terms, len(res.Hint)+100)
	if next := p.Offset + shown; shown > 0 && next < res.Total {
		res.NextOffset = &next
	}
	res.Hint = hints(res.Truncated.hint(), res.Hint)
	return res, nil
}

// listQuery checks the arguments and makes the store's query of them: nil when nothing can match.
func (c *Controller) listQuery(ctx context.Context, p *ListChunksParams) (*store.ListQuery, *query.Query, error) {
	k, err := limit(p.K)
	if err != nil {
		return nil, nil, err
	}
	if err := checkOffset(p.Offset); err != nil {
		return nil, nil, err
	}
	if p.SinceMS != nil && p.UntilMS != nil && *p.SinceMS > *p.UntilMS {
		return nil, nil, fault.New(fault.Invalid, "since_ms is later than until_ms.").WithHint("Swap them: since_ms is the beginning, until_ms the end, both in milliseconds since 1970.")
	}
	kinds := make([]string, 0, len(p.SourceKinds))
	for _, s := range p.SourceKinds {
		k := strings.ToLower(strings.TrimSpace(s))
		if !slices.Contains(SourceKinds, k) {
			return nil, nil, fault.New(fault.Invalid, "There is no source kind %q.", shorten(s, 80)).WithHint("The kinds are %s.", strings.Join(SourceKinds, ", "))
		}
		kinds = append(kinds, k)
	}
	if n := utf8.RuneCountInString(p.Query); n > MaxQueryRunes {
		return nil, nil, fault.New(fault.Invalid, "The query has %d characters.", n).WithHint("It may have %d; leave out what is not needed.", MaxQueryRunes)
	}
	q := query.Parse(p.Query)
	if strings.TrimSpace(p.Query) != "" && q.IsZero() {
		return nil, q, nil // a filter that cannot be read must not let everything pass
	}
	lq := store.ListQuery{Filter: narrow(q), Match: q.All(), Accept: accept(q, true), Limit: k, Offset: p.Offset}
	f := &lq.Filter
	f.Scope = c.scope(ctx)
	f.SourceIDs, f.EntityIDs = p.SourceIDs, p.EntityIDs
	if len(kinds) > 0 && len(f.SourceKinds) > 0 { // the argument and the operator kind: both hold
		kinds = slices.DeleteFunc(kinds, func(k string) bool { return !slices.Contains(f.SourceKinds, k) })
		if len(kinds) == 0 {
			return nil, q, nil
		}
	}
	if len(kinds) > 0 {
		f.SourceKinds = kinds
	}
	f.SinceMS = tighter(f.SinceMS, p.SinceMS, func(a, b int64) bool { return a > b })
	f.UntilMS = tighter(f.UntilMS, p.UntilMS, func(a, b int64) bool { return a < b })
	return &lq, q, nil
}

// tighter returns the bound that leaves less.
func tighter(a, b *int64, less func(a, b int64) bool) *int64 {
	if a == nil || (b != nil && less(*b, *a)) {
		return b
	}
	return a
}

// listHint says why there is nothing, what of the query was not understood, and that a name in the
// filters does not exist.
func (c *Controller) listHint(ctx context.Context, p *ListChunksParams, q *query.Query, total, shown int) (string, error) {
	unknown, err := c.unknownSources(ctx, p.SourceIDs)
	if err != nil {
		return "", err
	}
	given, err := c.unknownGiven(ctx, q, c.scope(ctx), total)
	if err != nil {
		return "", err
	}
	unknown = append(unknown, given...)
	if total == 0 || len(p.EntityIDs) > 1 {
		more, err := c.unknownEntities(ctx, p.EntityIDs)
		if err != nil {
			return "", err
		}
		unknown = append(unknown, more...)
	}
	out := misreadHints(q)
	switch {
	case total > 0 && shown == 0:
		unknown = append(unknown, fmt.Sprintf("offset %d is past the end: there are %d chunks.", p.Offset, total))
	case total == 0 && len(unknown) == 0:
		why, err := c.emptyHint(ctx)
		switch {
		case err != nil:
			return "", err
		case why != "":
		case seconds(p.UntilMS) || seconds(p.SinceMS):
			why = "Nothing matches. Times are milliseconds since 1970; these look like seconds."
		case p.Query != "" && q.IsZero():
			why = "The query holds no letter, digit or emoji to look for."
		default:
			why = "Nothing matches all of these filters. Leave out one of them, or use fewer words."
		}
		out = append(out, why)
	}
	return hints(append(out, unknown...)...), nil
}

// seconds reports whether a bound looks as if it had been given in seconds.
func seconds(ms *int64) bool {
	return ms != nil && *ms > 0 && *ms < time.Date(1975, 1, 1, 0, 0, 0, 0, time.UTC).UnixMilli() && *ms > 200_000_000
}
