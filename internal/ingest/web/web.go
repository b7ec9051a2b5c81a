// Package web reads HTML files: saved pages, exports of programs, letters. It finds out title, author
// and date, and leaves out what surrounds the text of a page. It fetches nothing; how HTML becomes
// text is internal/html's business.
//
// Limit: 16 MiB of one file.
package web

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/openhuman/openhuman-core/internal/charset"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/html"
)

// MaxSize is how much of a file is read.
const MaxSize = 16 << 20

// Reader reads one HTML file as one document. The zero value is ready for use.
type Reader struct{}

var _ doc.Reader = Reader{}

// Name implements doc.Reader.
func (Reader) Name() string { return "web" }

// Version implements doc.Reader.
func (Reader) Version() int { return 2 }

// Detect implements doc.Reader: the file begins as a page does, or is called one and holds markup.
func (Reader) Detect(in *doc.Input) int {
	text := beginning(in.Head)
	start := strings.ToLower(strings.TrimLeft(text[:min(len(text), 2048)], " \t\r\n"))
	for strings.HasPrefix(start, "<!--") { // "saved from url", licences
		i := strings.Index(start, "-->")
		if i < 0 {
			break
		}
		start = strings.TrimLeft(start[i+3:], " \t\r\n")
	}
	if strings.HasPrefix(start, "<?xml") {
		if i := strings.Index(start, "?>"); i >= 0 {
			start = strings.TrimLeft(start[i+2:], " \t\r\n")
		}
	}
	for _, mark := range []string{"<!doctype html", "<html", "<head>", "<head ", "<body"} {
		if strings.HasPrefix(start, mark) {
			return 92 // more than a name says, and less than a reader that knows whose export it is
		}
	}
	if strings.HasPrefix(start, "<!doctype netscape-bookmark") {
		return 40
	}
	switch strings.ToLower(path.Ext(in.Rel)) {
	case ".html", ".htm", ".xhtml", ".shtml":
		if strings.Contains(text, "</") || strings.Contains(text, "/>") || strings.HasPrefix(start, "<!") || strings.Contains(strings.ToLower(text), "<br>") {
			return 80
		}
	}
	return 0
}

// beginning returns the first bytes as text, whose markup can be looked at.
func beginning(head []byte) string {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		text, _ := charset.Decode(head[:min(len(head), 8<<10)&^1], "")
		return text
	}
	return string(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")))
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
	report := doc.Report{Outcome: doc.OK}
	b, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil && len(b) == 0:
		return doc.Report{Outcome: doc.Failed, Reason: "reading it failed"}, nil
	case err != nil:
		report = doc.Report{Outcome: doc.Partial, Reason: "reading stopped before its end"}
	case len(b) > MaxSize:
		b = b[:MaxSize]
		report = doc.Report{Outcome: doc.Partial, Reason: fmt.Sprintf("the first %d MB were taken in, which is the limit for one HTML file", MaxSize>>20)}
	}
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	d := Document(b, in)
	if d == nil {
		return doc.Report{Outcome: doc.NoText, Reason: "there is no text in it"}, nil
	}
	if err := emit(d); err != nil {
		return doc.Report{}, err
	}
	return report, nil
}

// Document returns what a person would read of the page b, nil when that is nothing.
func Document(b []byte, in *doc.Input) *doc.Document {
	label := html.Charset(b)
	if label == "" {
		label = xmlEncoding(b)
	}
	text, _ := charset.Decode(b, label)
	src := []byte(text)
	m := readMeta(src)
	d := &doc.Document{
		Kind: doc.KindDocument, Key: in.Rel, SourceRef: in.Rel, Markdown: true,
		Body: html.Text(src, html.Options{Page: true, Host: m.host()}),
	}
	if d.Body == "" {
		return nil
	}
	d.Places = []doc.Place{{Ref: in.Rel}}
	name := strings.TrimSuffix(path.Base(in.Rel), path.Ext(in.Rel))
	d.Title = cmp.Or(m.title, html.Title(src), firstHeading(d.Body), name)
	d.Tags = m.tags
	if m.url != "" {
		d.Aliases = []string{m.url}
	}
	if len(m.authors) > 0 {
		d.Author, d.To = m.authors[0], m.authors[1:]
	}
	d.Time = m.time()
	if d.Time.IsZero() {
		d.Time = in.ModTime
	}
	return d
}

// xmlEncoding returns the encoding that an XML declaration names.
func xmlEncoding(b []byte) string {
	b = b[:min(len(b), 200)]
	end := bytes.Index(b, []byte("?>"))
	at := bytes.Index(b, []byte("encoding="))
	if !bytes.HasPrefix(b, []byte("<?xml")) || at < 0 || at > end {
		return ""
	}
	v := bytes.Trim(b[at+len("encoding="):end], " \"'")
	if i := bytes.IndexAny(v, "\"' "); i >= 0 {
		v = v[:i]
	}
	return string(v)
}

// firstHeading returns the first heading of a text in Markdown.
func firstHeading(body string) string {
	for line := range strings.SplitSeq(body, "\n") {
		if t := strings.TrimLeft(line, "#"); t != line && strings.HasPrefix(t, " ") {
			return strings.TrimSpace(t)
		}
	}
	return ""
}

// host returns the host of the page's address.
func (m *meta) host() string {
	u, err := url.Parse(m.url)
	if err != nil {
		return ""
	}
	return u.Hostname()
}
