package controller

import (
	"context"

	"github.com/openhuman/openhuman-core/internal/query"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// Recall returns the chunks that answer a question in plain words, best first. What is not related
// to the question is left out, so the list may be empty.
func (c *Controller) Recall(ctx context.Context, p RecallParams) (RecallResult, error) {
	res := RecallResult{Chunks: []Row{}}
	k, err := limit(p.K)
	if err != nil {
		return res, err
	}
	if err := checkQuery(p.Query); err != nil {
		return res, err
	}
	q := query.Natural(p.Query)
	hits, err := c.recallKeywords(ctx, q, k)
	if err != nil {
		return res, err
	}
	hits = hits[:min(len(hits), k)]
	if len(hits) == 0 {
		if res.Hint, err = c.nothingHint(ctx, q); err != nil {
			return res, err
		}
	}
	res.Chunks, res.Truncated, _ = c.rowsOf(hits, q.Terms, len(res.Hint)+100)
	res.Hint = hints(res.Truncated.hint(), res.Hint)
	return res, nil
}

// recallKeywords ranks by the words of the question. It is one of the rankings that recall is made
// of: with an Embedder, a second one joins here and the two are fused.
func (c *Controller) recallKeywords(ctx context.Context, q *query.Query, k int) ([]store.ChunkHit, error) {
	filter := narrow(q)
	filter.Scope = c.scope(ctx)
	if len(q.Terms) == 0 {
		return c.newest(ctx, q, filter, k)
	}
	return c.searchSome(ctx, q, q.Terms, filter, recallCandidates)
}
