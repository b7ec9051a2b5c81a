package controller

import (
	"context"
	"strings"

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

// servedEntity returns an entity as the caller in ctx is served it. An id is made of what was written,
// in small letters and with hyphens, which takes the form from a secret and leaves the rest of it.
func (c *Controller) servedEntity(ctx context.Context, e store.EntityRef) store.EntityRef {
	if c.policy == nil {
		return e
	}
	for _, form := range []string{e.Surface, e.EntityID, strings.ReplaceAll(e.EntityID, "-", "_"), strings.ReplaceAll(e.EntityID, "-", ".")} {
		if mark := c.policy.Withheld(ctx, form); mark != "" {
			e.EntityID = e.Kind + ":" + mark
			if form != e.Surface {
				e.Surface = mark
			}
			break
		}
	}
	e.Surface = c.policy.Served(ctx, e.Surface)
	return e
}

// servedEntityID is servedEntity for an id alone: a chunk that mentions it knows how it is written.
func (c *Controller) servedEntityID(ctx context.Context, id string) (string, error) {
	if c.policy == nil {
		return id, nil
	}
	kind, _, _ := strings.Cut(id, ":")
	e := store.EntityRef{EntityID: id, Kind: kind}
	chunks, _, err := c.store.ListChunks(ctx, store.ListQuery{Filter: store.Filter{EntityIDs: []string{id}, Scope: c.scope(ctx)}, Limit: 1})
	if err != nil || len(chunks) == 0 {
		return c.servedEntity(ctx, e).EntityID, err
	}
	d, err := c.store.Chunk(ctx, chunks[0].ChunkID, c.scope(ctx))
	if err != nil {
		return "", err
	}
	for _, m := range d.Entities {
		if m.EntityID == id {
			e = m
		}
	}
	return c.servedEntity(ctx, e).EntityID, nil
}
