// Package markdown reads Markdown files and the notes of Obsidian vaults. It takes the front matter
// off, gathers title, tags, dates and people, and leaves the text as the person wrote it: links,
// embeds, callouts, tasks and comments stay plain text. Cutting into chunks is not its business.
package markdown

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/charset"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/entity"
)

const (
	// MaxSize bounds a file in bytes; a larger one is left to the reader of plain text, which streams.
	MaxSize = 16 << 20
	// maxTags bounds the tags that are gathered from a text.
	maxTags = 200
)

// Reader reads one Markdown file as one document. The zero value is ready for use.
type Reader struct{}

var _ doc.Reader = Reader{}

// Name returns the reader's name.
func (Reader) Name() string { return "markdown" }

// Version returns the reader's version.
func (Reader) Version() int { return 3 }

// Detect knows Markdown by its name, and by front matter where the name says nothing. A binary file
// is not Markdown whatever its name.
func (Reader) Detect(in *doc.Input) int {
	if in.Size > MaxSize || binary(in.Head) {
		return 0
	}
	switch strings.ToLower(path.Ext(path.Base(in.Rel))) {
	case ".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx", ".mdwn", ".qmd", ".rmd":
		return 90
	case "":
		if _, _, ok := cutFrontMatter(string(bytes.ReplaceAll(in.Head, []byte("\r\n"), []byte("\n")))); ok {
			return 60
		}
	}
	return 0
}

// binary reports whether head is not text: it begins like a known container, or holds control
// characters that no text has. Text in UTF-16 is text.
func binary(head []byte) bool {
	for _, magic := range []string{"%PDF-", "PK\x03\x04", "\x7fELF", "\x89PNG", "GIF8", "\xff\xd8\xff", "\x1f\x8b", "BZh", "7z\xbc\xaf", "Rar!", "SQLite format 3\x00", "{\\rtf"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return true
		}
	}
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) || bytes.HasPrefix(head, []byte("\x00\x00\xfe\xff")) {
		return false
	}
	control, even, odd := 0, 0, 0
	for i, c := range head {
		switch {
		case c == 0 && i%2 == 0:
			even++
		case c == 0:
			odd++
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\b' && c != 0x1b:
			control++
		}
	}
	n := even + odd
	// UTF-16 without a mark has its zeros on one side only, and many of them.
	if n > 0 && min(even, odd) == 0 && 5*n >= 2*len(head) {
		return false
	}
	// A short note may hold a zero or two that a fault has left there.
	stray := n > 0 && n <= 3 && control == 0 && n*10 <= len(head)
	return control+n > len(head)/100 && !stray
}

// Read emits the file as one document.
func (Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	f, err := in.Open()
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: fmt.Sprintf("The file cannot be opened: %v.", err)}, nil
	}
	defer f.Close()
	report := doc.Report{Outcome: doc.OK}
	b, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	switch {
	case err != nil && len(b) == 0:
		return doc.Report{Outcome: doc.Failed, Reason: fmt.Sprintf("The file cannot be read: %v.", err)}, nil
	case err != nil:
		report = doc.Report{Outcome: doc.Partial, Reason: fmt.Sprintf("Reading stopped after %d bytes: %v.", len(b), err)}
	case len(b) > MaxSize:
		b = b[:MaxSize]
		report = doc.Report{Outcome: doc.Partial, Reason: fmt.Sprintf("The file grew while it was read; the first %d MB were taken in.", MaxSize>>20)}
	}
	text, certain := charset.Decode(b, "")
	if !certain && strings.Count(text, "\uFFFD") > utf8.RuneCountInString(text)/4 {
		return doc.Report{Outcome: doc.Failed, Reason: "The file is not text in any known character set."}, nil
	}
	d := parse(text, in)
	if strings.TrimSpace(d.Body) == "" {
		return doc.Report{Outcome: doc.NoText, Reason: "There is no text in the file."}, nil
	}
	if err := emit(d); err != nil {
		return doc.Report{}, err
	}
	return report, nil
}

// parse makes the document of a file's text.
func parse(text string, in *doc.Input) *doc.Document {
	d := &doc.Document{
		Kind:      doc.KindDocument,
		Key:       in.Rel,
		SourceRef: in.Rel,
		Markdown:  true,
		Body:      text,
	}
	var m meta
	if raw, rest, ok := cutFrontMatter(text); ok {
		if m, ok = readMeta(raw); ok {
			d.Body = rest
			d.Line = strings.Count(text[:len(text)-len(rest)], "\n") + 1
			if m.drawing {
				d.Body = withoutDrawing(d.Body)
			}
			if m.kept != "" {
				// Lines that only the person understands stay text, before everything else.
				kept := m.kept
				if !strings.HasPrefix(d.Body, "\n") {
					kept += "\n"
				}
				d.Body = kept + d.Body
				d.Line = max(1, d.Line-strings.Count(kept, "\n"))
			}
			if strings.TrimSpace(d.Body) == "" {
				d.Body, d.Line = text, 0 // a note of nothing but front matter
			}
		} else {
			m = meta{}
		}
	}
	name := strings.TrimSuffix(path.Base(in.Rel), path.Ext(in.Rel))
	d.Title = m.title
	if d.Title == "" {
		d.Title = firstHeading(d.Body)
	}
	if d.Title == "" {
		d.Title = oneLine(strings.ToValidUTF8(name, "\uFFFD"))
	}
	d.Aliases = m.aliases
	d.Tags = mergeTags(m.tags, entity.Hashtags(d.Body, maxTags))
	if len(m.authors) > 0 {
		d.Author = m.authors[0]
		d.To = append(d.To, m.authors[1:]...)
	}
	d.To = append(d.To, m.people...)
	named := dateInName(name)
	switch {
	case !m.date.IsZero():
		d.Time = m.date
	case !m.created.IsZero():
		d.Time = m.created
	case !named.IsZero():
		d.Time = named
	case !m.updated.IsZero():
		d.Time = m.updated
	default:
		d.Time = in.ModTime
	}
	return d
}

// withoutDrawing cuts off the drawing data that follow the text of an Excalidraw note.
func withoutDrawing(body string) string {
	for _, h := range []string{"\n## Drawing\n", "\n# Drawing\n"} {
		if i := strings.Index(body, h); i >= 0 {
			return body[:i+1]
		}
	}
	return body
}

// mergeTags joins the tags of front matter and text, each once, letters compared without case.
func mergeTags(lists ...[]string) []string {
	var tags []string
	met := map[string]bool{}
	for _, l := range lists {
		for _, t := range l {
			if k := strings.ToLower(t); k != "" && !met[k] && len(tags) < maxTags {
				met[k] = true
				tags = append(tags, t)
			}
		}
	}
	return tags
}

// oneLine joins the words of s by single blanks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
