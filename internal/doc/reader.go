package doc

import (
	"context"
	"io"
	"time"
)

// An Input is one file (or one member of an archive) that a Reader may turn into documents.
type Input struct {
	Path    string // for messages only: where the user finds it
	Rel     string // path relative to the root that is ingested, slashes; a document's natural Key
	Root    string // name of that root: the last element of its path, or the archive's name
	Size    int64
	ModTime time.Time
	Head    []byte // the first bytes, at most HeadSize
	// Open returns the bytes from the start; it may be called more than once.
	Open func() (File, error)
	// Above opens the regular file of that name in the folder above the input's own: some exports keep
	// there what all their files need. It is nil where that folder lies outside the root.
	Above func(name string) (File, error)
}

// HeadSize is how many bytes of a file Detect may see.
const HeadSize = 64 << 10

// Certain is what Detect answers when nothing else can be meant, so that no other reader has to look.
const Certain = 100

// A File is an open input; ReadAt serves formats with a directory at the end, such as zip.
type File interface {
	io.Reader
	io.ReaderAt
	io.Closer
}

// Emit takes one document. An error from it ends the reading and is returned as it is.
type Emit func(*Document) error

// A Report says what became of an input whose reading ended without an error of Emit.
type Report struct {
	Outcome Outcome
	Reason  string // a sentence for people when the outcome is not OK
	// Whole says, of a Partial outcome, that the input was seen to its end: what was emitted before
	// and is not now is gone. Without it what is missing is kept, since it may stand in the part that
	// was not seen.
	Whole bool
}

// A Reader turns one format into documents. Readers hold no state between inputs, use memory
// bounded by their documented limits whatever the size of the input, never panic, and emit valid
// UTF-8 only.
type Reader interface {
	// Name is a short constant such as "mbox"; Version is raised whenever the same bytes would give
	// other documents, which re-reads what an older version has read.
	Name() string
	Version() int
	// Detect says how sure the reader is, from 0 (not mine) to Certain, looking at the content first
	// and the name second.
	Detect(in *Input) int
	// Read emits the documents of in. Damage inside the input is told in the Report and never
	// stops the rest; an error is an error of Emit or the end of ctx.
	Read(ctx context.Context, in *Input, emit Emit) (Report, error)
}
