package controller

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/near"
	"github.com/openhuman/openhuman-core/internal/query"
	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// maxTold is how many names of a kind that do not exist one hint tells of: a caller may send
// thousands, and each costs a look-up and a sentence.
const maxTold = 3

// tell returns what explain says of the first names of which it says anything, each name once.
func tell[Name comparable](names []Name, explain func(Name) (string, error)) (out []string, err error) {
	seen := make(map[Name]bool, len(names))
	for _, n := range names {
		if seen[n] {
			continue
		}
		seen[n] = true
		if len(out) == maxTold {
			return append(out, "There may be more of these."), nil
		}
		said, err := explain(n)
		if err != nil {
			return nil, err
		}
		if said != "" {
			out = append(out, said)
		}
	}
	return out, nil
}

// misreadHints returns a sentence for each operator that is none.
func misreadHints(q *query.Query) []string {
	// misreadHint makes no errors.
	out, _ := tell(q.Misread, func(o query.Operator) (string, error) { return misreadHint(o), nil })
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
func (c *Controller) unknownGiven(ctx context.Context, q *query.Query, scope store.Scope, rows int) ([]string, error) {
	out, err := tell(q.Given, func(o query.Operator) (string, error) {
		if o.Name != "source" && rows > 0 {
			return "", nil
		}
		return c.unknownOperator(ctx, o, scope)
	})
	if err == nil && len(out) > 0 {
		if empty, err := c.emptyHint(ctx); err != nil || empty != "" {
			return nil, err // nothingHint says it
		}
	}
	return out, err
}

// unknownOperator returns a sentence when what an operator names does not exist.
func (c *Controller) unknownOperator(ctx context.Context, o query.Operator, scope store.Scope) (string, error) {
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
	if err != nil || len(found) > 0 {
		return "", err
	}
	switch o.Name {
	case "source":
		have, err := c.sourceIDs(ctx, scope)
		if err != nil || len(have) == 0 {
			return "", err // nothingHint says it
		}
		return unknownName("source", o.Value, near.Best(o.Value, have, 3)), nil
	case "from":
		nearest, err := c.store.NearestEntities(ctx, "person:"+o.Value, 3, scope)
		named := strings.Join(strings.Fields(text.Fold(strings.TrimPrefix(o.Value, "person:"))), "-")
		if i := slices.Index(nearest, "person:"+named); err == nil && i >= 0 {
			return fmt.Sprintf("Nothing is written by %q; what is about %s is found without from:.", shorten(o.Value, 80), nearest[i]), nil
		}
		return unknownName("author", o.Value, nearest), err
	case "tag":
		return fmt.Sprintf("Nothing has the tag %q.", shorten(o.Value, 80)), nil
	}
	return "", nil
}

// unknownSources returns a sentence for each id that is no source, naming those that were meant.
func (c *Controller) unknownSources(ctx context.Context, ids []string) ([]string, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	have, err := c.sourceIDs(ctx, c.scope(ctx))
	if err != nil {
		return nil, err
	}
	return tell(ids, func(id string) (string, error) {
		switch {
		case slices.Contains(have, id):
			return "", nil
		case strings.ContainsAny(id, "*?"):
			return fmt.Sprintf("There is no source %q: source_ids are whole ids, not patterns. The operator source: of query takes patterns.", shorten(id, 80)), nil
		}
		return unknownName("source", id, near.Best(id, have, 3)), nil
	})
}

// sourceIDs returns the ids of all sources in a scope.
func (c *Controller) sourceIDs(ctx context.Context, scope store.Scope) ([]string, error) {
	list, err := c.store.Sources(ctx, scope)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(list))
	for i, s := range list {
		ids[i] = s.SourceID
	}
	return ids, nil
}

// unknownEntities returns a sentence for each id that nothing mentions, of the first maxOptional.
func (c *Controller) unknownEntities(ctx context.Context, ids []string) ([]string, error) {
	return tell(ids[:min(len(ids), maxOptional)], func(id string) (string, error) {
		_, n, err := c.store.ListChunks(ctx, store.ListQuery{Filter: store.Filter{EntityIDs: []string{id}, Scope: c.scope(ctx)}})
		if err != nil || n > 0 {
			return "", err
		}
		nearest, err := c.store.NearestEntities(ctx, id, 3, c.scope(ctx))
		if err != nil {
			return "", err
		}
		for i := range nearest {
			if nearest[i], err = c.servedEntityID(ctx, nearest[i]); err != nil {
				return "", err
			}
		}
		return unknownName("entity", id, nearest), nil
	})
}

func unknownName(what, id string, nearest []string) string {
	s := fmt.Sprintf("There is no %s %q.", what, shorten(id, 80))
	if len(nearest) == 0 {
		return s + " Nothing has a similar name."
	}
	return s + " The nearest are " + strings.Join(nearest, ", ") + "."
}
