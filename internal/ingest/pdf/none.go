//go:build nopdf

package pdf

import (
	"context"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// version differs from that of the reader, so that a program with it reads what one without it left.
const version = 0

type engine struct{}

// Close does nothing.
func (r *Reader) Close() error { return nil }

func (r *Reader) read(context.Context, *doc.Input, doc.File, doc.Emit) (doc.Report, error) {
	return doc.Report{Outcome: doc.Skipped, Reason: "this program was built without the reader of PDF files"}, nil
}
