package controller

import (
	"context"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// summaryPrefix is how the ids of summaries begin.
const summaryPrefix = "sum_"

// getSummary is GetChunk for a node above chunks: its children lead down to the text itself.
func (c *Controller) getSummary(ctx context.Context, id, hint string) (GetChunkResult, error) {
	d, err := c.store.Summary(ctx, id, c.scope(ctx))
	if fault.CodeOf(err) == fault.NotFound {
		return GetChunkResult{}, fault.New(fault.NotFound, "There is no chunk %q.", shorten(id, 80)).
			WithHint("It is a summary, and these are made anew when what they cover changes. %s", hint)
	}
	if err != nil {
		return GetChunkResult{}, err
	}
	d.Summary = c.servedSummary(ctx, d.Summary)
	ch := Chunk{
		ChunkID: d.SummaryID, NodeKind: "summary", SourceKind: d.SourceKind, SourceID: d.SourceID, Title: d.Title,
		Timestamp: timestamp(d.LastMS), TimestampMS: d.LastMS, TokenCount: d.TokenCount, Tags: []string{},
		Context: d.Context, Content: d.Content, PrevChunkID: d.PrevID, NextChunkID: d.NextID, Entities: []EntityRef{}, Children: d.Children,
	}
	for _, e := range d.Entities[:min(len(d.Entities), maxChunkEntities)] {
		ch.Entities = append(ch.Entities, EntityRef(c.servedEntity(ctx, e.EntityRef)))
	}
	return c.wholeChunk(ch), nil
}

// newSummaryRow makes the row of a summary. Its score and what matched are the caller's to add.
func newSummaryRow(x *store.Summary, preview string) Row {
	return Row{
		ChunkID: x.SummaryID, NodeKind: "summary", SourceKind: x.SourceKind, SourceID: x.SourceID, Title: shorten(x.Title, maxTitleRunes),
		Timestamp: timestamp(x.LastMS), TimestampMS: x.LastMS, Preview: preview, TokenCount: x.TokenCount, Tags: []string{},
	}
}
