package controller

import (
	"context"

	"github.com/openhuman/openhuman-core/pkg/store"
)

// What is served of a chunk has the form that policy gives it before anything is cut from it: a half
// of a key would not be known for one.

// servedChunk returns the chunk as the caller in ctx is served it.
func (c *Controller) servedChunk(ctx context.Context, ch store.Chunk) store.Chunk {
	if c.policy == nil {
		return ch
	}
	for _, s := range []*string{&ch.SourceRef, &ch.Title, &ch.Author, &ch.Context, &ch.Content} {
		*s = c.policy.Served(ctx, *s)
	}
	return ch
}

// servedSummary does the same for a summary.
func (c *Controller) servedSummary(ctx context.Context, x store.Summary) store.Summary {
	if c.policy == nil {
		return x
	}
	for _, s := range []*string{&x.Title, &x.Context, &x.Content} {
		*s = c.policy.Served(ctx, *s)
	}
	return x
}
