package store

import "time"

// A Scope says which sources exist for the caller of a read. A nil Scope holds everything.
type Scope interface {
	Hides(sourceID string) bool
	All() bool // true: hides nothing
}

// Chunk is one stored chunk with the document fields a reader needs.
type Chunk struct {
	RowID       int64
	ChunkID     string
	SourceID    string
	SourceKind  string
	SourceRef   string
	Title       string
	Author      string
	Context     string // title, heading path, author: indexed, not part of the text
	Content     string // the person's own text, whole
	TimestampMS int64
	TokenCount  int
	Tags        []string
}

// ChunkDetail is a chunk with its neighbours in the document and the entities it mentions.
type ChunkDetail struct {
	Chunk
	PrevChunkID string
	NextChunkID string
	Entities    []EntityRef
}

// EntityRef names a canonical entity and the form in which it is most often written.
type EntityRef struct {
	EntityID string
	Kind     string
	Surface  string
}

// EntityCount is an entity with the number of distinct chunks that mention it.
type EntityCount struct {
	EntityRef
	Count int
}

// SourceInfo is one source with what it holds.
type SourceInfo struct {
	SourceID     string
	Kind         string
	ChunkCount   int
	MostRecentMS int64
}

// Filter narrows a read. Lists are ORed inside and ANDed with each other; empty ones do not filter.
// Both time bounds are inclusive, on timestamp_ms.
type Filter struct {
	SourceKinds []string
	SourceIDs   []string
	// SourceGlobs, Authors and Tags serve the operators source:, from: and tag: of the query
	// language; letters are compared without case. An author matches when it contains the text.
	SourceGlobs []string
	Authors     []string
	Tags        []string
	EntityIDs   []string
	SinceMS     *int64
	UntilMS     *int64
	Scope       Scope
	// Exclude, when set, leaves out what matches any one of its lists or bounds; its EntityIDs,
	// Scope and Exclude are not looked at.
	Exclude *Filter
}

// ChunkQuery asks for chunks by their indexed terms, best first.
type ChunkQuery struct {
	// Match is an FTS5 expression over the columns head, body and extra, made from tokens of
	// internal/text only; never text from outside.
	Match string
	// Tokens are index tokens that every match holds. They tell whether a query is so broad that
	// only the newest of its matches are worth ranking.
	Tokens []string
	Filter
	// Accept, when set, is asked for every candidate in rank order and may refuse it: phrases,
	// identifiers and excluded words are checked on the written text.
	Accept func(*Chunk) bool
	// Limit is the largest number of accepted hits; it must be positive.
	Limit int
}

// ChunkHit is a chunk with its BM25 score: positive, larger is better.
type ChunkHit struct {
	Chunk
	Score float64
}

// ListQuery asks for a page of chunks, newest first (timestamp_ms descending, then chunk_id).
type ListQuery struct {
	Match string // as in ChunkQuery; empty lists everything
	Filter
	Accept func(*Chunk) bool
	Limit  int
	Offset int
	// NoTotal says that nobody asks how many there are, so that the list may end with the page.
	NoTotal bool
}

// SourceMeta describes the source of a document that is being written.
type SourceMeta struct {
	SourceID string
	Kind     string
	Owner    string
	Tags     []string
}

// DocumentRecord is a document as it is stored, with its chunks in order.
type DocumentRecord struct {
	Source SourceMeta
	// Identity is unique in the whole store and does not change with the text.
	Identity    string
	SourceRef   string
	Title       string
	Author      string
	TimestampMS int64
	Tags        []string
	// Origin is what the document was before it was cut, as far as nothing else here tells.
	Origin []byte
	// Hash is over everything that is stored; an equal hash means nothing to do.
	Hash   [32]byte
	Chunks []ChunkRecord
	// Links say that an address or handle belongs to a person, as the structure states it.
	Links []PersonLink
	// VectorModel made the vectors of the chunks, if they have any. Neither is part of Hash.
	VectorModel VectorModel
}

// ChunkRecord is a chunk as it is stored.
type ChunkRecord struct {
	ChunkID     string
	SourceRef   string
	Title       string
	Author      string
	Context     string
	Content     string
	TimestampMS int64
	TokenCount  int
	Tags        []string
	Index       IndexText
	Mentions    []Mention
	// Vector, when set, is stored with a chunk that is new or whose index text has changed. Model is the
	// fingerprint of what made it, when that is another than the record's.
	Vector []byte
	Model  string
}

// IndexText is what the full-text index sees: tokens of internal/text joined by single blanks.
type IndexText struct {
	Head  string // title, heading path, author
	Body  string // the content
	Extra string // parts of identifiers, other forms
	// Gloss is what the text says in English, word by word, when it is in another language. Only those
	// who ask for glosses find it, and a change of it alone changes nothing.
	Gloss string
}

// Mention is one entity in one chunk, in one written form.
type Mention struct {
	Kind    string
	Value   string // canonical: the part of entity_id after the colon
	Surface string // as written
	Count   int    // how often in this chunk, at least 1
}

// PersonLink states that an address or a handle is a person's: Kind is "email" or "handle", Value
// its canonical value, Person the canonical value of the person.
type PersonLink struct {
	Kind, Value, Person string
}

// PutResult says what PutDocument did.
type PutResult int

// The results.
const (
	Unchanged PutResult = iota
	Added
	Replaced
)

// FileRecord is what is known about one file (or one member of an archive) on disk.
type FileRecord struct {
	Path    string // absolute, slashes
	Root    string // the path that ingest was given and that the file was found under
	Size    int64
	MTimeNS int64
	// Fingerprint covers everything that decides what a file becomes besides its bytes (reader
	// version, source name, rules), so that a change of those re-reads it.
	Fingerprint string
	// Complete is false while a large file is being taken in; such a file is read again.
	Complete   bool
	Outcome    string
	Reason     string
	Documents  int
	IngestedAt time.Time
}

// Stats counts what the store holds.
type Stats struct {
	Sources, Documents, Chunks, Entities, Files int
	Vectors                                     int
	Bytes                                       int64
	SchemaVersion                               int
}
