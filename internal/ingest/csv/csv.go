// Package csv reads tables in text: values between commas, semicolons, tabs or bars, in any charset.
// Every row becomes a line in which each value stands with the name of its column. Lists of passwords
// are recognised by their columns and left alone.
//
// Limits: 256 MiB of one file, 64 KiB of one value, 1,000 columns; 256 KiB of text in one document.
package csv

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/rows"
)

// Limits of the product.
const (
	MaxBytes  = 256 << 20
	partBytes = 256 << 10
)

// Reader reads tables. It implements doc.Reader.
type Reader struct{ max int64 }

// New returns a Reader with the product's limits.
func New() *Reader { return WithLimit(MaxBytes) }

// WithLimit returns a Reader that reads at most max bytes of a file.
func WithLimit(max int64) *Reader { return &Reader{max} }

// Name implements doc.Reader.
func (*Reader) Name() string { return "csv" }

// Version implements doc.Reader.
func (*Reader) Version() int { return 1 }

// Detect implements doc.Reader: rows of equal width. A file that is not called a table must look very
// much like one.
func (*Reader) Detect(in *doc.Input) int {
	called := false
	switch strings.ToLower(path.Ext(in.Rel)) {
	case ".csv", ".tsv", ".tab", ".psv":
		called = true
	case "", ".txt", ".text", ".dat", ".xls", ".asc":
		if !tabular(in.Head) {
			return 0
		}
	default:
		return 0
	}
	text, ok := decodeHead(in.Head, int64(len(in.Head)) >= in.Size)
	if !ok {
		return 0
	}
	comma, width, n := separator(text)
	switch {
	case comma == 0:
		return 0
	case called:
		return 70
	case comma == '\t' && width >= 3 && n >= 5, width >= 4 && n >= 8:
		return 40
	}
	return 0
}

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
	head, _ := decodeHead(in.Head, int64(len(in.Head)) >= in.Size)
	comma, _, _ := separator(head)
	if comma == 0 {
		comma = ','
	}
	w := writer{in: in, emit: emit}
	p := parser{comma: comma, row: w.row}
	src := newDecoder(io.LimitReader(f, r.max), in.Head)
	for {
		if err := ctx.Err(); err != nil {
			return doc.Report{}, err
		}
		text, err := src.next()
		p.write(text)
		if errors.Is(err, io.EOF) {
			p.end()
			w.lines(w.table.End())
		}
		if w.secret() {
			return doc.Report{Outcome: doc.Skipped, Reason: "looks like a list of passwords"}, nil
		}
		if w.err != nil {
			return doc.Report{}, w.err
		}
		switch {
		case errors.Is(err, io.EOF):
			if err := w.flush(); err != nil {
				return doc.Report{}, err
			}
			switch {
			case w.docs == 0:
				return doc.Report{Outcome: doc.NoText, Reason: "there is no text in it"}, nil
			case in.Size > r.max:
				return doc.Report{Outcome: doc.Partial, Reason: fmt.Sprintf("the first %d MB were taken in, which is the limit for one table", r.max>>20)}, nil
			}
			return doc.Report{Outcome: doc.OK}, nil
		case err != nil:
			if err := w.flush(); err != nil {
				return doc.Report{}, err
			}
			if w.docs == 0 {
				return doc.Report{Outcome: doc.Failed, Reason: "reading it failed"}, nil
			}
			return doc.Report{Outcome: doc.Partial, Reason: "reading stopped before its end"}, nil
		}
	}
}

// A writer makes documents of rows.
type writer struct {
	in    *doc.Input
	emit  doc.Emit
	table rows.Table
	n     int // rows so far
	docs  int

	body   strings.Builder
	places []doc.Place
	err    error
}

func (w *writer) row(cells []string) {
	w.n++
	w.lines(w.table.Add(cells, w.n))
}

func (w *writer) lines(ls []rows.Line) {
	if w.secret() {
		return
	}
	for _, l := range ls {
		if w.err != nil {
			return
		}
		if w.body.Len() > 0 && w.body.Len()+len(l.Text) > partBytes {
			w.err = w.flush()
		}
		w.places = append(w.places, doc.Place{Offset: w.body.Len(), Ref: fmt.Sprintf("%s#row=%d", w.in.Rel, l.Row)})
		w.body.WriteString(l.Text)
		w.body.WriteByte('\n')
	}
}

// flush emits what was written.
func (w *writer) flush() error {
	if w.body.Len() == 0 || w.err != nil {
		return w.err
	}
	w.docs++
	d := &doc.Document{
		Kind: doc.KindDocument, Key: w.in.Rel, SourceRef: w.in.Rel, Title: doc.FileTitle(w.in.Rel), Time: w.in.ModTime,
		Markdown: true, Body: w.body.String(), Places: w.places,
	}
	d.Part(w.docs, w.places[0].Ref)
	w.body.Reset()
	w.places = nil
	return w.emit(d)
}

// secret reports whether the columns are those of what password managers and browsers export.
func (w *writer) secret() bool {
	who, word := false, false
	for _, n := range w.table.Names() {
		switch strings.ToLower(strings.NewReplacer("_", "", " ", "", "-", "").Replace(n)) {
		case "password", "passwd", "pwd", "loginpassword", "otpauth", "totp", "logintotp", "passwort", "kennwort", "contraseña", "motdepasse", "senha", "пароль", "密码", "パスワード":
			word = true
		case "url", "username", "user", "login", "loginusername", "loginuri", "account", "email", "website", "site", "name", "title", "hostname":
			who = true
		}
	}
	return who && word
}
