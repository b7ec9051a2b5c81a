package pdf

import (
	"cmp"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// A book is what was read of one file.
type book struct {
	pages   []string // as the reader gives them
	meta    map[string]string
	heads   []head
	damaged int
	flaw    string
}

// A head is an entry of the table of contents.
type head struct {
	level int
	page  int // from 0, -1 when it leads nowhere
	title string
}

// emit makes documents of the pages.
func (b *book) emit(in *doc.Input, o Options, emit doc.Emit) (doc.Report, error) {
	texts := clean(b.pages, b.heads)
	w := writer{b: b, in: in, part: o.Part, emit: emit}
	empty := 0
	for i, t := range texts {
		if t == "" {
			empty++
			continue
		}
		if err := w.page(i+1, t); err != nil {
			return doc.Report{}, err
		}
	}
	if err := w.flush(); err != nil {
		return doc.Report{}, err
	}
	switch {
	case w.docs == 0 && b.flaw != "":
		return doc.Report{Outcome: doc.Failed, Reason: b.flaw}, nil
	case w.docs == 0 && b.damaged > 0:
		return doc.Report{Outcome: doc.Failed, Reason: brokenReason}, nil
	case w.docs == 0:
		return doc.Report{Outcome: doc.NoText, Reason: scanReason}, nil
	case b.flaw != "":
		return doc.Report{Outcome: doc.Partial, Reason: b.flaw}, nil
	case b.damaged > 0:
		return doc.Report{Outcome: doc.Partial, Reason: fmt.Sprintf("%d of %d pages are damaged", b.damaged, len(b.pages)), Whole: true}, nil
	case empty*2 > len(texts) && empty > 1:
		return doc.Report{Outcome: doc.OK, Reason: fmt.Sprintf("%d of %d pages are pictures without text", empty, len(texts))}, nil
	}
	return doc.Report{Outcome: doc.OK}, nil
}

type writer struct {
	b    *book
	in   *doc.Input
	part int
	emit doc.Emit

	body   strings.Builder
	places []doc.Place
	docs   int
}

func (w *writer) page(n int, text string) error {
	if w.body.Len() > 0 && w.body.Len()+len(text) > w.part {
		if err := w.flush(); err != nil {
			return err
		}
	}
	if w.body.Len() > 0 {
		w.body.WriteString("\n\n")
	}
	w.places = append(w.places, doc.Place{Offset: w.body.Len(), Ref: fmt.Sprintf("%s#page=%d", w.in.Rel, n)})
	w.body.WriteString(text)
	return nil
}

func (w *writer) flush() error {
	if w.body.Len() == 0 {
		return nil
	}
	w.docs++
	name := strings.TrimSuffix(path.Base(w.in.Rel), path.Ext(w.in.Rel))
	d := &doc.Document{
		Kind: doc.KindDocument, Key: w.in.Rel, SourceRef: w.in.Rel, Markdown: true, Body: w.body.String(), Places: w.places,
		Title: cmp.Or(goodTitle(w.b.meta["Title"]), name), Time: cmp.Or(parseTime(w.b.meta["CreationDate"]), parseTime(w.b.meta["ModDate"]), w.in.ModTime),
		Author: doc.Person{Name: goodAuthor(w.b.meta["Author"])},
	}
	for t := range strings.FieldsFuncSeq(fold(w.b.meta["Keywords"]), func(r rune) bool { return r == ',' || r == ';' }) {
		if t = oneLine(t); t != "" && len(t) <= 60 && len(d.Tags) < 50 {
			d.Tags = append(d.Tags, t)
		}
	}
	d.Part(w.docs, w.places[0].Ref)
	w.body.Reset()
	w.places = nil
	return w.emit(d)
}

// goodTitle returns a title that somebody gave, "" for what programs write in its place.
func goodTitle(s string) string {
	s = oneLine(fold(s))
	for _, p := range []string{"Microsoft Word - ", "Microsoft PowerPoint - ", "Microsoft Excel - "} {
		s = strings.TrimPrefix(s, p)
	}
	lower := strings.ToLower(s)
	for _, ext := range []string{".doc", ".docx", ".ppt", ".pptx", ".xls", ".xlsx", ".indd", ".tex", ".dvi", ".odt", ".qxd", ".pages", ".pdf", ".rtf", ".ai", ".tif", ".jpg", ".png"} {
		if strings.HasSuffix(lower, ext) {
			return ""
		}
	}
	switch {
	case len(s) < 3 || len(s) > 300 || strings.HasPrefix(lower, "untitled"), lower == "title", strings.Contains(s, "://"), strings.HasPrefix(lower, "scan"):
		return ""
	}
	return s
}

func goodAuthor(s string) string {
	s = oneLine(fold(s))
	switch lower := strings.ToLower(s); {
	case len(s) > 200, lower == "user", lower == "admin", lower == "administrator", lower == "unknown", lower == "author", lower == "owner", lower == "anonymous", lower == "windows user":
		return ""
	}
	return s
}

// parseTime reads a date such as D:20240501093000+02'00'.
func parseTime(s string) time.Time {
	s = strings.TrimPrefix(strings.TrimSpace(s), "D:")
	s = strings.ReplaceAll(s, "'", "")
	for _, l := range []string{"20060102150405-0700", "20060102150405Z0700", "20060102150405Z", "20060102150405", "200601021504", "20060102", time.RFC3339} {
		if t, err := time.Parse(l, s); err == nil {
			if y := t.Year(); y < 1985 || y > 2100 {
				return time.Time{}
			}
			return t.UTC()
		}
	}
	// A zone that makes no sense is not worth the date.
	if len(s) > 14 {
		return parseTime(s[:14])
	}
	return time.Time{}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
