package controller

import "context"

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
