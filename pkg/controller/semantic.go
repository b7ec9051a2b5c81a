package controller

import (
	"context"
	"slices"

	"github.com/openhuman/openhuman-core/pkg/store"
)

// A VectorIndex finds chunks whose vectors lie near others. Implementations are safe for concurrent
// use.
type VectorIndex interface {
	// Models returns the fingerprints of the models that have vectors, so that no question is put to
	// a model for nothing.
	Models(ctx context.Context) ([]string, error)
	// Nearest returns, for every query, up to k chunks that have vectors of its model, all together by
	// descending cosine. Only chunks that allow lets pass count towards k; nil lets all pass. The index
	// may be a moment behind the store, so that a chunk must be looked up before it is shown.
	Nearest(ctx context.Context, queries []QueryVector, k int, allow func(chunk int64) bool) ([]Neighbour, error)
}

// A QueryVector is the vector of a question by one model.
type QueryVector struct {
	Model  string // its fingerprint
	Vector []float32
}

// A Neighbour is a chunk near a query.
type Neighbour struct {
	Chunk  int64   // Chunk.RowID
	Part   int     // which of its windows is the nearest
	Model  string  // by which model; cosines of different models do not compare
	Cosine float64 // from -1 to 1
}

// nearHit is a chunk near a question.
type nearHit struct {
	store.Chunk
	Neighbour
}

// near returns up to k chunks for each model that lie nearest to the question, of those that the
// filter and its scope leave, by descending cosine. There are none while no vectors exist that a
// model of this program has made.
func (c *Controller) near(ctx context.Context, question string, k int, filter store.Filter) ([]nearHit, error) {
	queries, err := c.embed(ctx, question)
	if err != nil || len(queries) == 0 {
		return nil, err
	}
	allowed, err := c.store.Rows(ctx, filter)
	if err != nil {
		return nil, err
	}
	var allow func(int64) bool
	if allowed != nil {
		if allowed.Len() == 0 {
			return nil, nil
		}
		allow = allowed.Has
	}
	found, err := c.vectors.Nearest(ctx, queries, k, allow)
	if err != nil {
		return nil, err
	}
	rows := make([]int64, len(found))
	for i, n := range found {
		rows[i] = n.Chunk
	}
	// What is shown has to pass the filter now, whatever the index knew.
	chunks, err := c.store.ChunksByRow(ctx, rows, filter)
	if err != nil {
		return nil, err
	}
	hits := make([]nearHit, 0, len(found))
	for _, n := range found {
		if ch := chunks[n.Chunk]; ch != nil {
			hits = append(hits, nearHit{*ch, n})
		}
	}
	return hits, nil
}

// embed returns the vectors of a question by those models that have made vectors of chunks.
func (c *Controller) embed(ctx context.Context, question string) ([]QueryVector, error) {
	if c.vectors == nil || len(c.embedders) == 0 {
		return nil, nil
	}
	models, err := c.vectors.Models(ctx)
	if err != nil {
		return nil, err
	}
	var queries []QueryVector
	for _, e := range c.embedders {
		if len(queries) == len(models) {
			break // the others need not be loaded
		}
		if !slices.Contains(models, e.Fingerprint()) {
			continue
		}
		vectors, err := e.Embed(ctx, []string{question})
		if err != nil {
			return nil, err
		}
		if len(vectors) == 1 && slices.ContainsFunc(vectors[0], func(x float32) bool { return x != 0 }) {
			queries = append(queries, QueryVector{Model: e.Fingerprint(), Vector: vectors[0]})
		}
	}
	return queries, nil
}
