package controller

import (
	"github.com/openhuman/openhuman-core/internal/query"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// narrow turns the operators of a query into a filter for the store.
func narrow(q *query.Query) store.Filter {
	f := filterOf(q.Narrow)
	if !q.Exclude.IsZero() {
		x := filterOf(q.Exclude)
		f.Exclude = &x
	}
	return f
}

func filterOf(o query.Filters) store.Filter {
	f := store.Filter{SourceKinds: o.Kind, SourceGlobs: o.Source, Authors: o.From, Tags: o.Tag}
	if o.Since != nil {
		ms := o.Since.UnixMilli()
		f.SinceMS = &ms
	}
	if o.Until != nil { // the query's bound is not in the range, the store's is
		ms := o.Until.UnixMilli() - 1
		f.UntilMS = &ms
	}
	return f
}

// accept returns what checks a candidate on its written text, or nil when the index alone decides.
// all says that every term is asked for.
func accept(q *query.Query, all bool) func(*store.Chunk) bool {
	if !q.Written(all) {
		return nil
	}
	return func(c *store.Chunk) bool { return q.Accept(all, c.Content, c.Title, c.Context, c.Author) }
}
