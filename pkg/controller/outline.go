package controller

import (
	"context"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// ListSummariesParams are the arguments of memory_tree_list_summaries.
type ListSummariesParams struct {
	SourceID string `json:"source_id,omitempty"`
	ParentID string `json:"parent_id,omitempty"`
	K        int    `json:"k,omitempty"`
	Offset   int    `json:"offset,omitempty"`
}

// ListSummariesResult is the answer of memory_tree_list_summaries.
type ListSummariesResult struct {
	Nodes      []TreeNode `json:"nodes"`
	Total      int        `json:"total"`
	NextOffset *int       `json:"next_offset,omitempty"`
	Truncated  *Truncated `json:"truncated,omitempty"`
	Hint       string     `json:"hint,omitempty"`
}

// A TreeNode is one node of a summary tree: a summary, or a chunk under one.
type TreeNode struct {
	ChunkID  string `json:"chunk_id"`
	NodeKind string `json:"node_kind"` // summary or chunk
	SourceID string `json:"source_id"`
	Title    string `json:"title,omitempty"`
	Level    int    `json:"level"`  // 0 is a chunk, 1 stands over chunks
	Chunks   int    `json:"chunks"` // under it, or 1
	SinceMS  int64  `json:"since_ms"`
	UntilMS  int64  `json:"until_ms"`
	Preview  string `json:"preview"`
}

// nodeRunes is how long the preview of a node is.
const nodeRunes = 240

// ListSummaries returns the roots of the summary tree of a source, the latest first, or what stands
// directly under a summary, in order.
func (c *Controller) ListSummaries(ctx context.Context, p ListSummariesParams) (ListSummariesResult, error) {
	res := ListSummariesResult{Nodes: []TreeNode{}}
	if (p.SourceID == "") == (p.ParentID == "") {
		return res, fault.New(fault.Invalid, "Either source_id or parent_id is needed, and not both.").
			WithHint("source_id gives the roots of a source's tree, parent_id what stands under a summary.")
	}
	k, err := limit(p.K)
	if err != nil {
		return res, err
	}
	if err := checkOffset(p.Offset); err != nil {
		return res, err
	}
	if p.ParentID != "" {
		err = c.below(ctx, p, k, &res)
	} else {
		err = c.roots(ctx, p, k, &res)
	}
	if err != nil {
		return res, err
	}
	res.Nodes, res.Truncated = fitList(res.Nodes, "nodes", c.maxBytes-len(res.Hint))
	if next := p.Offset + len(res.Nodes); len(res.Nodes) > 0 && next < res.Total {
		res.NextOffset = &next
	}
	res.Hint = hints(res.Truncated.hint(), res.Hint)
	return res, nil
}

func (c *Controller) roots(ctx context.Context, p ListSummariesParams, k int, res *ListSummariesResult) error {
	roots, total, err := c.store.RootSummaries(ctx, p.SourceID, k, p.Offset, c.scope(ctx))
	if err != nil {
		return err
	}
	res.Total = total
	for _, x := range roots {
		res.Nodes = append(res.Nodes, c.summaryNode(ctx, x))
	}
	if total > 0 {
		return nil
	}
	unknown, err := c.unknownSources(ctx, []string{p.SourceID})
	if res.Hint = hints(unknown...); res.Hint == "" {
		res.Hint = "There are no summaries of this source yet: they are made by openhuman-core embed, over at least a few chunks."
	}
	return err
}

func (c *Controller) below(ctx context.Context, p ListSummariesParams, k int, res *ListSummariesResult) error {
	below, chunks, err := c.store.Below(ctx, p.ParentID, c.scope(ctx))
	if fault.CodeOf(err) == fault.NotFound {
		return fault.New(fault.NotFound, "There is no summary %q.", shorten(p.ParentID, 80)).
			WithHint("Summaries are made anew when what they cover changes. Begin again at the source_id.")
	}
	if err != nil {
		return err
	}
	res.Total = len(below) + len(chunks)
	page := func(n int) (int, int) { return min(p.Offset, n), min(p.Offset+k, n) }
	from, to := page(len(below))
	for _, x := range below[from:to] {
		res.Nodes = append(res.Nodes, c.summaryNode(ctx, x))
	}
	from, to = page(len(chunks))
	for _, ch := range chunks[from:to] {
		ch = c.servedChunk(ctx, ch)
		res.Nodes = append(res.Nodes, TreeNode{
			ChunkID: ch.ChunkID, NodeKind: "chunk", SourceID: ch.SourceID, Title: shorten(ch.Title, maxTitleRunes), Chunks: 1,
			SinceMS: ch.TimestampMS, UntilMS: ch.TimestampMS, Preview: opening(ch.Content, nodeRunes),
		})
	}
	return nil
}

func (c *Controller) summaryNode(ctx context.Context, x store.Summary) TreeNode {
	x = c.servedSummary(ctx, x)
	return TreeNode{
		ChunkID: x.SummaryID, NodeKind: "summary", SourceID: x.SourceID, Title: shorten(x.Title, maxTitleRunes), Level: x.Level, Chunks: x.Chunks,
		SinceMS: x.FirstMS, UntilMS: x.LastMS, Preview: opening(x.Content, nodeRunes),
	}
}
