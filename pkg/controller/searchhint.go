package controller

import (
	"context"

	"github.com/openhuman/openhuman-core/internal/query"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// searchHint says what of a query was not understood, which of its names do not exist, and, when
// there are no rows, why.
func (c *Controller) searchHint(ctx context.Context, q *query.Query, filter store.Filter, rows int) (string, error) {
	out := misreadHints(q)
	unknown, err := c.unknownGiven(ctx, q, filter.Scope, rows)
	if err != nil {
		return "", err
	}
	out = append(out, unknown...)
	if rows == 0 && len(unknown) == 0 {
		nothing, err := c.nothingHint(ctx, q)
		if err != nil {
			return "", err
		}
		out = append(out, nothing)
	}
	return hints(out...), nil
}

// nothingHint says why there is nothing and what to try.
func (c *Controller) nothingHint(ctx context.Context, q *query.Query) (string, error) {
	if empty, err := c.emptyHint(ctx); err != nil || empty != "" {
		return empty, err
	}
	narrowed := !q.Narrow.IsZero() || !q.Exclude.IsZero()
	switch {
	case q.IsZero():
		return "The query holds no letter, digit or emoji to look for.", nil
	case q.Narrow.Since != nil && q.Narrow.Until != nil && !q.Narrow.Since.Before(*q.Narrow.Until):
		return "Nothing matches: after: is later than before:. Both include the day that they name.", nil
	case narrowed && len(q.Terms) > 0:
		return "Nothing matches. Leave out an operator (from: source: kind: tag: after: before:), or use fewer or other words.", nil
	case narrowed:
		return "Nothing matches these operators. tree.list_sources shows what there is.", nil
	case q.HasExclusions():
		return "Nothing matches that holds none of the excluded words. Exclude less, or use other words.", nil
	case q.Must() != "":
		return "Nothing holds what stands in quotation marks as it is written. Leave out the quotation marks.", nil
	case !q.Thorough():
		return "Nothing holds any of these words, those aside that stand everywhere. Try other words for the same thing, or the beginning of one, such as budg*.", nil
	}
	return "Nothing holds any of these words. Try other words for the same thing, or the beginning of one, such as budg*.", nil
}
