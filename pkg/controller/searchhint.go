package controller

import (
	"context"
	"fmt"
	"strings"

	"github.com/openhuman/openhuman-core/internal/near"
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

// misreadHints returns a sentence for each operator that is none.
func misreadHints(q *query.Query) (out []string) {
	for _, o := range q.Misread {
		out = append(out, misreadHint(o))
	}
	return out
}

// misreadHint says why an operator is none, and what it takes.
func misreadHint(o query.Operator) string {
	valid := "takes " + strings.Join(SourceKinds, ", ")
	if o.Name != "kind" {
		valid = "takes a day as YYYY-MM-DD, a month as YYYY-MM or a year as YYYY"
	}
	return fmt.Sprintf("%s:%s was not understood as a filter and was taken as words: %s: %s.", o.Name, shorten(o.Value, 80), o.Name, valid)
}

// unknownGiven returns a sentence for each source that does not exist and, when there are no rows,
// for each author and tag.
func (c *Controller) unknownGiven(ctx context.Context, q *query.Query, scope store.Scope, rows int) (out []string, err error) {
	var sources []string
	for _, o := range q.Given[:min(len(q.Given), maxOptional)] {
		if o.Name != "source" && rows > 0 {
			continue
		}
		one := store.Filter{Scope: scope}
		switch o.Name {
		case "source":
			one.SourceGlobs = query.SourceGlobs(o.Value)
		case "from":
			one.Authors = []string{o.Value}
		case "tag":
			one.Tags = []string{o.Value}
		}
		found, _, err := c.store.ListChunks(ctx, store.ListQuery{Filter: one, Limit: 1, NoTotal: true})
		if err != nil {
			return nil, err
		}
		if len(found) > 0 {
			continue
		}
		switch o.Name {
		case "source":
			if sources == nil {
				list, err := c.store.Sources(ctx, scope)
				if err != nil {
					return nil, err
				}
				for _, s := range list {
					sources = append(sources, s.SourceID)
				}
				if len(sources) == 0 {
					return nil, nil // nothingHint says it
				}
			}
			out = append(out, unknownName("source", o.Value, near.Best(o.Value, sources, 3)))
		case "from":
			nearest, err := c.store.NearestEntities(ctx, "person:"+o.Value, 3, scope)
			if err != nil {
				return nil, err
			}
			out = append(out, unknownName("author", o.Value, nearest))
		case "tag":
			out = append(out, fmt.Sprintf("Nothing has the tag %q.", shorten(o.Value, 80)))
		}
	}
	if len(out) > 0 {
		if empty, err := c.emptyHint(ctx); err != nil || empty != "" {
			return nil, err
		}
	}
	return out, nil
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
