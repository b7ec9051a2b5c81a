package controller

import (
	"context"
	"strings"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// GetChunk returns one chunk in full. An unknown id, or one that the caller may not see, is a
// NotFound fault.
func (c *Controller) GetChunk(ctx context.Context, p GetChunkParams) (GetChunkResult, error) {
	const hint = "Take the chunk_id of a row that a search, a recall or a listing returned."
	id := strings.TrimSpace(p.ChunkID)
	if id == "" {
		return GetChunkResult{}, fault.New(fault.Invalid, "chunk_id is empty.").WithHint(hint)
	}
	if strings.HasPrefix(id, summaryPrefix) {
		return c.getSummary(ctx, id, hint)
	}
	d, err := c.store.Chunk(ctx, id, c.scope(ctx))
	if fault.CodeOf(err) == fault.NotFound {
		return GetChunkResult{}, fault.New(fault.NotFound, "There is no chunk %q.", shorten(id, 80)).WithHint(hint)
	}
	if err != nil {
		return GetChunkResult{}, err
	}
	d.Chunk = c.servedChunk(ctx, d.Chunk)
	for i := range d.Entities {
		d.Entities[i] = c.servedEntity(ctx, d.Entities[i])
	}
	return c.wholeChunk(newChunk(d)), nil
}

// wholeChunk is the answer with this chunk. The text is never cut; only a long list of entities can
// make the answer too large.
func (c *Controller) wholeChunk(ch Chunk) GetChunkResult {
	res := GetChunkResult{Chunk: ch}
	for n := len(res.Chunk.Entities); n > 0 && jsonSize(res) > c.maxBytes; n /= 2 {
		res.Chunk.Entities = res.Chunk.Entities[:n/2]
	}
	return res
}
