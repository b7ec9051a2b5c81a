// Package pdf reads the text of PDF files, page by page. PDFium does the reading, compiled to
// WebAssembly: a damaged or hostile file runs in a sandbox without files or network, with bounded
// memory and time. The sandbox is made when the first PDF file is read, never earlier, and its compiled
// form is kept in the user's cache folder. Files of pictures alone are told apart from locked ones;
// no characters are recognised in pictures.
//
// With the build tag nopdf the program is 10 MB smaller and says of each PDF file that it cannot read
// it.
//
// Limits: 512 MiB of memory, two minutes and 16 MiB of text for one file, 20,000 pages, 1 MiB of text
// in one document.
package pdf

import (
	"bytes"
	"context"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Options bound the reading of one file.
type Options struct {
	// CacheDir is where the compiled reader is kept; empty means that it is compiled in each run.
	CacheDir string
	// Time is how long the reading of one file may take.
	Time time.Duration
	// MemoryPages is how many pages of 64 KiB the sandbox may use.
	MemoryPages uint32
	// Text is how much text is taken of one file, Part how much of it makes one document.
	Text, Part int
	Pages      int
}

// DefaultOptions returns the options of the product.
func DefaultOptions() Options {
	o := Options{Time: 2 * time.Minute, MemoryPages: 512 << 20 >> 16, Text: 16 << 20, Part: 1 << 20, Pages: 20_000}
	if dir, err := os.UserCacheDir(); err == nil {
		o.CacheDir = filepath.Join(dir, "openhuman-core", "pdf")
	}
	return o
}

// Reader reads PDF files. It holds nothing between them but the sandbox's compiled form.
type Reader struct {
	o Options
	e engine
}

var _ doc.Reader = (*Reader)(nil)

// New returns a Reader; it starts nothing.
func New(o Options) *Reader { return &Reader{o: o} }

// Name implements doc.Reader.
func (*Reader) Name() string { return "pdf" }

// Version implements doc.Reader.
func (*Reader) Version() int { return version }

// Detect implements doc.Reader: the mark of a PDF file at the start, or near it where the name says so.
func (*Reader) Detect(in *doc.Input) int {
	mark := []byte("%PDF-")
	switch at := bytes.Index(in.Head[:min(len(in.Head), 1024+len(mark))], mark); {
	case at == 0, at > 0 && len(bytes.TrimSpace(bytes.TrimPrefix(in.Head[:at], []byte("\xef\xbb\xbf")))) == 0:
		return 95
	case at > 0 && strings.EqualFold(path.Ext(in.Rel), ".pdf"):
		return 95
	}
	return 0
}

// Reasons for people.
const (
	lockedReason = "only its password opens it"
	scanReason   = "it has no text layer: its pages are pictures, as a scanner makes them"
	brokenReason = "it is damaged, or no PDF file"
	slowReason   = "reading it took longer than a file may"
)

// Read implements doc.Reader.
func (r *Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	f, err := in.Open()
	if err != nil {
		return doc.NotOpened(err), nil
	}
	defer f.Close()
	return r.read(ctx, in, f, emit)
}
