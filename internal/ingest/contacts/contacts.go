// Package contacts reads address books: files of vCards in the versions 2.1, 3.0 and 4.0 (.vcf), as phones,
// mail programs and Google and Apple write them. Each card becomes a document, and names a person with the
// addresses and numbers under which others know them. Pictures and keys are left out.
//
// Limits: 256 KiB of text in one card.
package contacts

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/contentline"
	"github.com/openhuman/openhuman-core/internal/ingest/entries"
)

// Reader reads address books. It implements doc.Reader; the zero value is ready for use.
type Reader struct{}

var _ doc.Reader = Reader{}

// Name implements doc.Reader.
func (Reader) Name() string { return "contacts" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// Detect implements doc.Reader: it begins as a card does.
func (Reader) Detect(in *doc.Input) int {
	if contentline.Begins(in.Head, "VCARD") {
		return 97
	}
	return 0
}

// Read implements doc.Reader.
func (Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	f, err := in.Open()
	if err != nil {
		return doc.NotOpened(err), nil
	}
	defer f.Close()
	w := entries.New(ctx, in, "contacts", emit)
	lines := contentline.NewReader(f, in.Head)
	var c *card // the one that is open
	inside := 0 // cards within it: those of agents
	agent := false
	finish := func() error {
		if c == nil {
			return nil
		}
		e, whole := c.entry()
		if !whole {
			w.Note("the contact in line %d is too long and was cut", c.line)
		}
		c = nil
		return w.Add(e)
	}
	for n := 0; ; n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return doc.Report{}, err
			}
		}
		l, err := lines.Next()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				w.Unseen("reading stopped before its end")
			} else if c != nil {
				w.Unseen("it ends in the midst of a contact")
			}
			if err := finish(); err != nil {
				return doc.Report{}, err
			}
			return w.Report(), nil
		}
		value := strings.TrimSpace(l.Value)
		switch {
		case l.Name == "BEGIN" && strings.EqualFold(value, "VCARD"):
			if c != nil && (agent || inside > 0) {
				inside++
				break
			}
			if err := finish(); err != nil { // it was never ended
				return doc.Report{}, err
			}
			c, inside = &card{line: l.Number}, 0
		case l.Name == "END" && strings.EqualFold(value, "VCARD"):
			if inside > 0 {
				inside--
				break
			}
			if err := finish(); err != nil {
				return doc.Report{}, err
			}
		case c != nil && inside == 0:
			c.take(&l)
		}
		agent = l.Name == "AGENT" && value == ""
	}
}
