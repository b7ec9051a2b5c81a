package controller

// The types in this file are the wire: their JSON names and order are those of every surface.

// A Row is one chunk in a list.
type Row struct {
	ChunkID     string   `json:"chunk_id"`
	NodeKind    string   `json:"node_kind"` // chunk or summary
	SourceKind  string   `json:"source_kind"`
	SourceID    string   `json:"source_id"`
	SourceRef   string   `json:"source_ref,omitempty"`
	Title       string   `json:"title,omitempty"`
	Author      string   `json:"author,omitempty"`
	Timestamp   string   `json:"timestamp"` // RFC 3339, UTC
	TimestampMS int64    `json:"timestamp_ms"`
	Preview     string   `json:"preview"` // at most MaxPreviewRunes, around the best match
	TokenCount  int      `json:"token_count"`
	Tags        []string `json:"tags"`
	Score       float64  `json:"score,omitempty"`
	Matched     []string `json:"matched,omitempty"` // keyword, semantic, summary
}

// A Chunk is one chunk in full.
type Chunk struct {
	ChunkID     string      `json:"chunk_id"`
	NodeKind    string      `json:"node_kind"`
	SourceKind  string      `json:"source_kind"`
	SourceID    string      `json:"source_id"`
	SourceRef   string      `json:"source_ref,omitempty"`
	Title       string      `json:"title,omitempty"`
	Author      string      `json:"author,omitempty"`
	Timestamp   string      `json:"timestamp"`
	TimestampMS int64       `json:"timestamp_ms"`
	TokenCount  int         `json:"token_count"`
	Tags        []string    `json:"tags"`
	Context     string      `json:"context,omitempty"`
	Content     string      `json:"content"`
	PrevChunkID string      `json:"prev_chunk_id,omitempty"`
	NextChunkID string      `json:"next_chunk_id,omitempty"`
	Entities    []EntityRef `json:"entities"`
	Children    []string    `json:"children,omitempty"`
}

// EntityRef names an entity that a chunk mentions.
type EntityRef struct {
	EntityID string `json:"entity_id"`
	Kind     string `json:"kind"`
	Surface  string `json:"surface"`
}

// Truncated says that an answer was made to fit.
type Truncated struct {
	Field string `json:"field"` // what was cut, such as "preview"
	Shown int    `json:"shown"` // how many rows carry it whole (or: how many rows are shown)
	Total int    `json:"total"`
}

// SearchParams are the arguments of memory.search.
type SearchParams struct {
	Query string `json:"query"`
	K     int    `json:"k,omitempty"` // 0: DefaultK; above MaxK: MaxK
}

// SearchResult is the answer of memory.search.
type SearchResult struct {
	Chunks    []Row      `json:"chunks"`
	HasMore   bool       `json:"has_more"`
	Truncated *Truncated `json:"truncated,omitempty"`
	Hint      string     `json:"hint,omitempty"`
}

// RecallParams are the arguments of memory.recall.
type RecallParams struct {
	Query string `json:"query"`
	K     int    `json:"k,omitempty"`
}

// RecallResult is the answer of memory.recall.
type RecallResult struct {
	Chunks    []Row      `json:"chunks"`
	Truncated *Truncated `json:"truncated,omitempty"`
	Hint      string     `json:"hint,omitempty"`
}

// GetChunkParams are the arguments of tree.read_chunk.
type GetChunkParams struct {
	ChunkID string `json:"chunk_id"`
}

// GetChunkResult is the answer of tree.read_chunk.
type GetChunkResult struct {
	Chunk Chunk `json:"chunk"`
}

// ListChunksParams are the arguments of tree.browse.
type ListChunksParams struct {
	SourceKinds []string `json:"source_kinds,omitempty"`
	SourceIDs   []string `json:"source_ids,omitempty"`
	EntityIDs   []string `json:"entity_ids,omitempty"`
	SinceMS     *int64   `json:"since_ms,omitempty"`
	UntilMS     *int64   `json:"until_ms,omitempty"`
	Query       string   `json:"query,omitempty"`
	K           int      `json:"k,omitempty"`
	Offset      int      `json:"offset,omitempty"`
}

// ListChunksResult is the answer of tree.browse.
type ListChunksResult struct {
	Chunks     []Row      `json:"chunks"`
	Total      int        `json:"total"`
	NextOffset *int       `json:"next_offset,omitempty"`
	Truncated  *Truncated `json:"truncated,omitempty"`
	Hint       string     `json:"hint,omitempty"`
}

// TopEntitiesParams are the arguments of tree.top_entities.
type TopEntitiesParams struct {
	Kind string `json:"kind,omitempty"`
	K    int    `json:"k,omitempty"`
}

// EntityRow is one entity with the number of chunks that mention it.
type EntityRow struct {
	EntityID string `json:"entity_id"`
	Kind     string `json:"kind"`
	Surface  string `json:"surface"`
	Count    int    `json:"count"`
}

// TopEntitiesResult is the answer of tree.top_entities.
type TopEntitiesResult struct {
	Entities  []EntityRow `json:"entities"`
	Truncated *Truncated  `json:"truncated,omitempty"`
	Hint      string      `json:"hint,omitempty"`
}

// ListSourcesParams are the arguments of tree.list_sources.
type ListSourcesParams struct {
	UserEmailHint string `json:"user_email_hint,omitempty"`
}

// SourceRow is one source.
type SourceRow struct {
	SourceID     string `json:"source_id"`
	DisplayName  string `json:"display_name"`
	SourceKind   string `json:"source_kind"`
	ChunkCount   int    `json:"chunk_count"`
	MostRecentMS int64  `json:"most_recent_ms"`
}

// ListSourcesResult is the answer of tree.list_sources.
type ListSourcesResult struct {
	Sources   []SourceRow `json:"sources"`
	Truncated *Truncated  `json:"truncated,omitempty"`
	Hint      string      `json:"hint,omitempty"`
}

// EntityKinds lists the kinds of entities, in the order of the documentation.
var EntityKinds = []string{
	"email", "url", "handle", "hashtag", "person", "organization", "location", "event",
	"product", "datetime", "technology", "artifact", "quantity", "misc", "topic",
}

// SourceKinds lists the kinds of sources.
var SourceKinds = []string{"chat", "email", "document"}
