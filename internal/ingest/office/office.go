// Package office reads the documents of office programs: DOCX, PPTX, XLSX and their OpenDocument
// counterparts ODT, ODP, ODS, and RTF. Text becomes Markdown with its headings, lists and tables; a table of
// a spreadsheet becomes a line for each row. It runs no macros, follows no links to other files, and
// recognises what is locked with a password.
//
// Limits: those of package zipped, 16 MiB of text in one file, 1 MiB of text in one document.
package office

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/zipped"
)

// Reader reads one office document.
type Reader struct{ limits zipped.Limits }

// New returns a Reader with the product's limits.
func New() Reader { return WithLimits(zipped.DefaultLimits()) }

// WithLimits returns a Reader that reads containers within l.
func WithLimits(l zipped.Limits) Reader { return Reader{l} }

var _ doc.Reader = Reader{}

// Name implements doc.Reader.
func (Reader) Name() string { return "office" }

// Version implements doc.Reader.
func (Reader) Version() int { return 2 }

// sealed begins the files that wrap an encrypted document.
const sealed = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

// Detect implements doc.Reader: a container with the parts of a document in it.
func (r Reader) Detect(in *doc.Input) int {
	switch {
	case locked(in.Head):
		return 90
	case isRTF(in.Head):
		return 95
	case !bytes.HasPrefix(in.Head, []byte("PK\x03\x04")):
		return 0
	case bytes.Contains(in.Head[:min(len(in.Head), 200)], []byte("mimetypeapplication/vnd.oasis.opendocument.")):
		return 95
	case !bytes.Contains(in.Head, []byte("[Content_Types].xml")) && !named(in.Rel):
		return 0
	}
	f, err := in.Open()
	if err != nil {
		return 0
	}
	defer f.Close()
	c, err := zipped.Open(f, in.Size, r.limits)
	if err != nil {
		if named(in.Rel) {
			return 80 // damaged, which Read says
		}
		return 0
	}
	if kindOf(c) != nil {
		return 95
	}
	return 0
}

// named reports whether a file is called as office documents are.
func named(rel string) bool {
	switch strings.ToLower(path.Ext(rel)) {
	case ".docx", ".docm", ".dotx", ".pptx", ".pptm", ".ppsx", ".xlsx", ".xlsm", ".xltx", ".odt", ".ods", ".odp", ".ott", ".fodt":
		return true
	}
	return false
}

// locked reports whether a file wraps a document that is encrypted with a password.
func locked(head []byte) bool {
	return bytes.HasPrefix(head, []byte(sealed)) && bytes.Contains(head, []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"))
}

// reading is the reading of one kind of document into w.
type reading func(ctx context.Context, c *zipped.Container, w *writer)

// kindOf returns how to read a container, nil when it is none of ours.
func kindOf(c *zipped.Container) reading {
	switch {
	case c.Has("word/document.xml"):
		return readDOCX
	case c.Has("ppt/presentation.xml"):
		return readPPTX
	case c.Has("xl/workbook.xml"):
		return readXLSX
	case c.Has("content.xml") && c.Has("mimetype"):
		if m := string(c.Read("mimetype", 100)); strings.HasPrefix(m, "application/vnd.oasis.opendocument.") {
			return readODF
		}
		return nil
	}
	// The parts of a document may have other names; the list of relations tells.
	switch main := mainPart(c); {
	case strings.HasPrefix(path.Base(main), "document") && strings.HasSuffix(main, ".xml"):
		return readDOCX
	case strings.HasPrefix(path.Base(main), "presentation") && strings.HasSuffix(main, ".xml"):
		return readPPTX
	case strings.HasPrefix(path.Base(main), "workbook") && strings.HasSuffix(main, ".xml"):
		return readXLSX
	}
	return nil
}

const lockedReason = "only its password opens it"

// Read implements doc.Reader.
func (r Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	if locked(in.Head) {
		return doc.Report{Outcome: doc.NoText, Reason: lockedReason}, nil
	}
	f, err := in.Open()
	if err != nil {
		return doc.NotOpened(err), nil
	}
	defer f.Close()
	if isRTF(in.Head) {
		w := newWriter(in, emit, props{})
		readRTF(ctx, f, w)
		if err := ctx.Err(); err != nil {
			return doc.Report{}, err
		}
		return w.finish()
	}
	c, err := zipped.Open(f, in.Size, r.limits)
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: err.Error()}, nil
	}
	read := kindOf(c)
	switch {
	case read == nil:
		return doc.Report{Outcome: doc.Failed, Reason: "it holds no document"}, nil
	case bytes.Contains(c.Read("META-INF/manifest.xml", 4<<20), []byte("encryption-data")), c.Encrypted("content.xml"), c.Encrypted("word/document.xml"):
		return doc.Report{Outcome: doc.NoText, Reason: lockedReason}, nil
	}
	w := newWriter(in, emit, properties(c))
	read(ctx, c, w)
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	return w.finish()
}

// fault says what ended the reading of a part, "" when that was its end.
func fault(err error) string {
	switch {
	case err == nil, errors.Is(err, io.EOF):
		return ""
	case errors.Is(err, zipped.ErrBound):
		return "it unpacks to more than is read of one file, and was read only up to there"
	}
	return "a part of it is damaged and was read only up to there"
}
