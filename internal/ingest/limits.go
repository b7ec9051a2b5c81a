package ingest

import (
	"time"

	"github.com/openhuman/openhuman-core/internal/ingest/archive"
)

// Limits bound what one run may use. They are stated here only; docs and reasons quote them.
type Limits struct {
	// BatchChunks and BatchTime end a write transaction, so that nobody waits long for one.
	BatchChunks int
	BatchTime   time.Duration
	// InFlightBytes is how much text may be between the readers and the writer.
	InFlightBytes int
	// MarkdownBytes is the size up to which a file is read as Markdown; a larger one is read as plain
	// text, in parts.
	MarkdownBytes int64
	// Depth is how many folders deep the walk goes below the path that it was given.
	Depth int
	// Archive bounds what is read of archives.
	Archive archive.Limits
	// Reported is how many files with a problem a Summary lists by name; all are counted, and the
	// store keeps every one.
	Reported int
}

// DefaultLimits returns the limits of the product.
func DefaultLimits() Limits {
	return Limits{
		BatchChunks:   1000,
		BatchTime:     2 * time.Second,
		InFlightBytes: 24 << 20,
		MarkdownBytes: 4 << 20,
		Depth:         128,
		Archive:       archive.DefaultLimits(),
		Reported:      200,
	}
}
