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
	// Compare returns how near these chunks are, those that have vectors of the model of a query.
	Compare(ctx context.Context, queries []QueryVector, chunks []int64) ([]Neighbour, error)
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

// nearest returns up to k chunks for each of the models that lie nearest to the question, of those
// that the filter and its scope leave, and the neighbours that chunks of the store which also pass
// the filter are; by row.
func (c *Controller) nearest(ctx context.Context, queries []QueryVector, k int, filter store.Filter, known []int64) (map[int64]Neighbour, error) {
	if len(queries) == 0 {
		return nil, nil
	}
	found, err := c.neighbours(ctx, queries, k, filter)
	if err != nil {
		return nil, err
	}
	out := make(map[int64]Neighbour, len(found)+len(known))
	nearer := func(list []Neighbour) {
		for _, n := range list {
			if old, ok := out[n.Chunk]; !ok || old.Cosine < n.Cosine {
				out[n.Chunk] = n
			}
		}
	}
	nearer(found)
	var missing []int64
	for _, row := range known {
		if _, ok := out[row]; !ok {
			missing = append(missing, row)
		}
	}
	compared, err := c.vectors.Compare(ctx, queries, missing)
	if err != nil {
		return nil, err
	}
	nearer(compared)
	return out, nil
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
