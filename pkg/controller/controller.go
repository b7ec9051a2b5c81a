// Package controller holds what the product does, whatever the surface: one method for each
// JSON-RPC method. It knows limits, ranking and wording; it knows no MCP, no HTTP and no SQL.
package controller

import (
	"context"
	"time"

	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// Store is the part of the store that reads need. Every method returns an Unavailable or Conflict
// fault with a hint when the store cannot be opened.
type Store interface {
	SearchChunks(ctx context.Context, q store.ChunkQuery) ([]store.ChunkHit, error)
	// SearchAny returns chunks that hold some of several terms, scored by the caller.
	SearchAny(ctx context.Context, q store.AnyQuery) ([]store.ChunkHit, error)
	// TermCounts returns, for those terms that stand in a large share of the chunks, in how many;
	// rare terms are absent. total is the number of chunks.
	TermCounts(ctx context.Context, terms []string) (counts map[string]int, total int, err error)
	// Chunk returns a NotFound fault for an unknown or hidden id.
	Chunk(ctx context.Context, chunkID string, scope store.Scope) (*store.ChunkDetail, error)
	// Summary returns a NotFound fault for an unknown or hidden id.
	Summary(ctx context.Context, id string, scope store.Scope) (*store.SummaryDetail, error)
	// SearchSummaries returns the summaries that words find, and those above chunks.
	SearchSummaries(ctx context.Context, q store.SummaryQuery) ([]store.SummaryHit, error)
	// ListChunks returns a page and the number of all chunks that match.
	ListChunks(ctx context.Context, q store.ListQuery) (page []store.Chunk, total int, err error)
	// TopEntities returns the entities that most chunks mention. kind "" leaves out those of the
	// kinds that would crowd out the rest (store.CrowdingKinds).
	TopEntities(ctx context.Context, kind string, limit int, scope store.Scope) ([]store.EntityCount, error)
	Sources(ctx context.Context, scope store.Scope) ([]store.SourceInfo, error)
	// NearestEntities returns existing entity ids that resemble id, best first.
	NearestEntities(ctx context.Context, id string, limit int, scope store.Scope) ([]string, error)
	Stats(ctx context.Context) (store.Stats, error)
	// Activity counts the chunks of each source between neighbouring bounds.
	Activity(ctx context.Context, bounds []time.Time, scope store.Scope) ([]store.SourceActivity, error)
	// RootSummaries returns a page of the summaries of a source that none stands above, and how many
	// there are.
	RootSummaries(ctx context.Context, sourceID string, limit, offset int, scope store.Scope) (roots []store.Summary, total int, err error)
	// Below returns what stands directly under a summary; a NotFound fault for an unknown or hidden id.
	Below(ctx context.Context, summaryID string, scope store.Scope) ([]store.Summary, []store.Chunk, error)
	// HasGlosses reports whether any chunk is in another language, with its translation in the index.
	HasGlosses(ctx context.Context) (bool, error)
	// Rows returns the chunks that the filter leaves, or nil for all of them.
	Rows(ctx context.Context, f store.Filter) (*store.RowSet, error)
	// FilterRows returns those of a few chunks that are there and pass the filter, in the same order.
	FilterRows(ctx context.Context, rows []int64, f store.Filter) ([]int64, error)
	// ChunksByRow returns those of the chunks that are there and pass the filter.
	ChunksByRow(ctx context.Context, rows []int64, f store.Filter) (map[int64]*store.Chunk, error)
}

// An Embedder turns texts into vectors of one model. Implementations are safe for concurrent use.
type Embedder interface {
	// Fingerprint names the model and its weights; a store keeps vectors of one fingerprint.
	Fingerprint() string
	// Dims is the length of every vector.
	Dims() int
	// Embed returns one vector of unit length for each text, and zeros for a text that the model can
	// make nothing of.
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Options are what a Controller is made from.
type Options struct {
	Store  Store
	Policy *policy.Policy
	// Embedders put questions to the models that made the vectors, and Vectors finds the chunks near
	// what comes out. Without either, recall ranks by keywords alone.
	Embedders []Embedder
	Vectors   VectorIndex
	// Instant is the one of the Embedders that takes microseconds; it also compares the question with
	// the lines of what was found. nil: none of them does.
	Instant Embedder
	// Translator lets the words of a question be found in texts of other languages; nil: they are not.
	Translator Translator
	Now        func() time.Time // nil: time.Now
	// MaxResultBytes bounds one copy of an answer; 0 means DefaultMaxResultBytes.
	MaxResultBytes int
	// Web is the web search that is configured; nil: none.
	Web WebSearcher
	// Writer takes in what callers write; nil: they may not write.
	Writer Writer
	// Registry is what the tool registry answers from.
	Registry Registry
	// Calls sums up the record of calls; nil: there is none.
	Calls CallRecord
}

// DefaultMaxResultBytes is the bound on one copy of an answer.
const DefaultMaxResultBytes = 60_000

// Limits on what one call returns.
const (
	DefaultK        = 10
	MaxK            = 50
	MaxPreviewRunes = 500
	MaxQueryRunes   = 2000
)

// Controller answers calls. It is safe for concurrent use.
type Controller struct {
	store      Store
	policy     *policy.Policy
	embedders  []Embedder
	vectors    VectorIndex
	instant    Embedder
	translator Translator
	now        func() time.Time
	maxBytes   int
	web        WebSearcher
	writer     Writer
	registry   Registry
	calls      CallRecord
	watch      watch
}

// New returns a Controller over o.Store.
func New(o Options) *Controller {
	c := &Controller{
		store: o.Store, policy: o.Policy, embedders: o.Embedders, vectors: o.Vectors, instant: o.Instant, translator: o.Translator, now: o.Now, maxBytes: o.MaxResultBytes,
		registry: o.Registry, calls: o.Calls,
	}
	c.web, c.writer = o.Web, o.Writer
	if c.now == nil {
		c.now = time.Now
	}
	if c.maxBytes <= 0 {
		c.maxBytes = DefaultMaxResultBytes
	}
	return c
}

// scope is the part of the memory that exists for the caller in ctx.
func (c *Controller) scope(ctx context.Context) store.Scope { return c.policy.Scope(ctx) }
