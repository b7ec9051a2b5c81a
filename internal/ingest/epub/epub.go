// Package epub reads books in the EPUB format: their chapters in the order of reading, as one text with
// headings. Books that are locked (DRM) are told apart. How a chapter's HTML becomes text is the
// business of internal/html.
//
// Limits: those of package zipped, 5,000 chapters, 16 MiB of one chapter and of all text, 1 MiB of text
// in one document.
package epub

import (
	"bytes"
	"cmp"
	"context"
	"encoding/xml"
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/charset"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/html"
	"github.com/openhuman/openhuman-core/internal/ingest/zipped"
)

const (
	maxChapters = 5000
	maxChapter  = 16 << 20
	maxText     = 16 << 20
	maxList     = 8 << 20 // bytes of the lists of what is in a book
	partText    = 1 << 20
)

// Reader reads one book.
type Reader struct{ limits zipped.Limits }

var _ doc.Reader = Reader{}

// New returns a Reader with the product's limits.
func New() Reader { return Reader{zipped.DefaultLimits()} }

// Name implements doc.Reader.
func (Reader) Name() string { return "epub" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// Detect implements doc.Reader: a container whose first member says that it is a book.
func (r Reader) Detect(in *doc.Input) int {
	if !bytes.HasPrefix(in.Head, []byte("PK\x03\x04")) {
		return 0
	}
	if bytes.Contains(in.Head[:min(len(in.Head), 200)], []byte("mimetypeapplication/epub+zip")) {
		return 95
	}
	if !strings.EqualFold(path.Ext(in.Rel), ".epub") {
		return 0
	}
	return 80 // packed anew by hand, or damaged, which Read says
}

const lockedReason = "it is locked (DRM): only the shop's own program opens it"

// Read implements doc.Reader.
func (r Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	f, err := in.Open()
	if err != nil {
		return doc.NotOpened(err), nil
	}
	defer f.Close()
	c, err := zipped.Open(f, in.Size, r.limits)
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: err.Error()}, nil
	}
	b, reason := open(c)
	if b == nil {
		return doc.Report{Outcome: doc.Failed, Reason: reason}, nil
	}
	w := writer{in: in, emit: emit, b: b}
	locked := b.locked()
	for _, ch := range b.chapters {
		if err := ctx.Err(); err != nil {
			return doc.Report{}, err
		}
		if locked[ch] {
			b.sealed++
			continue
		}
		if w.full() {
			break
		}
		w.chapter(ch)
		if w.err != nil {
			return doc.Report{}, w.err
		}
	}
	if w.flush(); w.err != nil {
		return doc.Report{}, w.err
	}
	switch {
	case w.docs == 0 && b.sealed > 0:
		return doc.Report{Outcome: doc.NoText, Reason: lockedReason}, nil
	case w.docs == 0 && w.flaw != "":
		return doc.Report{Outcome: doc.Failed, Reason: w.flaw}, nil
	case w.docs == 0:
		return doc.Report{Outcome: doc.NoText, Reason: "there is no text in it"}, nil
	case w.flaw != "":
		return doc.Report{Outcome: doc.Partial, Reason: w.flaw}, nil
	}
	return doc.Report{Outcome: doc.OK}, nil
}

// A book is what its lists say about it.
type book struct {
	c        *zipped.Container
	title    string
	authors  []doc.Person
	tags     []string
	time     time.Time
	chapters []string // members, in the order of reading
	names    map[string]string
	sealed   int
}

// pkg is the list of what is in a book.
type pkg struct {
	Metadata struct {
		Title   []string `xml:"title"`
		Creator []string `xml:"creator"`
		Date    []string `xml:"date"`
		Subject []string `xml:"subject"`
	} `xml:"metadata"`
	Manifest struct {
		Items []struct {
			ID         string `xml:"id,attr"`
			Href       string `xml:"href,attr"`
			Type       string `xml:"media-type,attr"`
			Properties string `xml:"properties,attr"`
		} `xml:"item"`
	} `xml:"manifest"`
	Spine struct {
		Refs []struct {
			ID string `xml:"idref,attr"`
		} `xml:"itemref"`
	} `xml:"spine"`
}

// open reads the lists of a book; nil with a reason when there is none.
func open(c *zipped.Container) (*book, string) {
	var container struct {
		Roots []struct {
			Path string `xml:"full-path,attr"`
		} `xml:"rootfiles>rootfile"`
	}
	root := ""
	if decode(c.Read("META-INF/container.xml", maxList), &container) == nil && len(container.Roots) > 0 {
		root = container.Roots[0].Path
	}
	if !c.Has(root) {
		root = ""
		for _, n := range c.Names() {
			if strings.HasSuffix(strings.ToLower(n), ".opf") {
				root = n
				break
			}
		}
	}
	var p pkg
	if err := decode(c.Read(root, maxList), &p); root == "" || err != nil && len(p.Spine.Refs) == 0 {
		return nil, "the list of its chapters is missing or damaged"
	}
	b := &book{c: c, names: map[string]string{}}
	for _, t := range p.Metadata.Title {
		b.title = cmp.Or(b.title, clip(t))
	}
	for _, a := range p.Metadata.Creator {
		if a = clip(a); a != "" && len(b.authors) < 50 {
			b.authors = append(b.authors, doc.Person{Name: a})
		}
	}
	for _, s := range p.Metadata.Subject {
		if s = clip(s); s != "" && len(s) <= 60 && len(b.tags) < 50 {
			b.tags = append(b.tags, s)
		}
	}
	for _, d := range p.Metadata.Date {
		if t := parseTime(d); b.time.IsZero() {
			b.time = t
		}
	}
	dir := path.Dir(root)
	member := func(href string) string {
		href, _, _ = strings.Cut(href, "#")
		if s, err := url.PathUnescape(href); err == nil {
			href = s
		}
		return path.Join(dir, href)
	}
	items := map[string]string{}
	for _, it := range p.Manifest.Items {
		m := member(it.Href)
		switch {
		case strings.Contains(" "+it.Properties+" ", " nav "):
			b.nav(m)
			continue // a list of the chapters, which is none itself
		case it.Type == "application/x-dtbncx+xml":
			b.ncx(m)
			continue
		}
		items[it.ID] = m
	}
	met := map[string]bool{}
	for _, ref := range p.Spine.Refs {
		if m, ok := items[ref.ID]; ok && c.Has(m) && !met[m] && len(b.chapters) < maxChapters {
			met[m] = true
			b.chapters = append(b.chapters, m)
		}
	}
	return b, ""
}

// decode reads XML leniently.
func decode(b []byte, v any) error {
	dec := xml.NewDecoder(bytes.NewReader(b))
	dec.Strict = false
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(label string, in io.Reader) (io.Reader, error) { return charset.Reader(label, in), nil }
	return dec.Decode(v)
}

// ncx and nav read the names of chapters, in the older and the newer form.
func (b *book) ncx(name string) {
	dec := xml.NewDecoder(bytes.NewReader(b.c.Read(name, maxList)))
	dec.Strict = false
	text := ""
	for len(b.names) < maxChapters {
		t, err := dec.Token()
		if err != nil {
			return
		}
		switch t := t.(type) {
		case xml.StartElement:
			switch t.Name.Local {
			case "text":
				text = ""
			case "content":
				for _, a := range t.Attr {
					if a.Name.Local == "src" {
						b.name(path.Dir(name), a.Value, text)
					}
				}
			}
		case xml.CharData:
			text += string(t[:min(len(t), 1000)])
			text = text[max(0, len(text)-2000):]
		}
	}
}

func (b *book) nav(name string) {
	dec := xml.NewDecoder(bytes.NewReader(b.c.Read(name, maxList)))
	dec.Strict = false
	dec.Entity = xml.HTMLEntity
	href, text := "", ""
	for len(b.names) < maxChapters {
		t, err := dec.Token()
		if err != nil {
			return
		}
		switch t := t.(type) {
		case xml.StartElement:
			if t.Name.Local == "a" {
				href, text = "", ""
				for _, a := range t.Attr {
					if a.Name.Local == "href" {
						href = a.Value
					}
				}
			}
		case xml.CharData:
			if href != "" && len(text) < 2000 {
				text += string(t[:min(len(t), 1000)])
			}
		case xml.EndElement:
			if t.Name.Local == "a" && href != "" {
				b.name(path.Dir(name), href, text)
				href = ""
			}
		}
	}
}

// name takes the first name of a chapter.
func (b *book) name(dir, href, text string) {
	href, _, _ = strings.Cut(href, "#")
	if s, err := url.PathUnescape(href); err == nil {
		href = s
	}
	if m := path.Join(dir, href); b.names[m] == "" {
		b.names[m] = clip(text)
	}
}

// locked returns the members that only a shop's program can open.
func (b *book) locked() map[string]bool {
	out := map[string]bool{}
	var list struct {
		Data []struct {
			Ref struct {
				URI string `xml:"URI,attr"`
			} `xml:"CipherData>CipherReference"`
		} `xml:"EncryptedData"`
	}
	if raw := b.c.Read("META-INF/encryption.xml", maxList); len(raw) > 0 && decode(raw, &list) == nil {
		for _, d := range list.Data {
			uri := d.Ref.URI
			if s, err := url.PathUnescape(uri); err == nil {
				uri = s
			}
			out[path.Clean(uri)] = true
		}
	}
	return out
}

type writer struct {
	in   *doc.Input
	emit doc.Emit
	b    *book

	body   strings.Builder
	places []doc.Place
	taken  int
	docs   int
	flaw   string
	err    error
}

func (w *writer) full() bool { return w.taken > maxText }

// chapter adds the text of one member.
func (w *writer) chapter(name string) {
	raw := w.b.c.Read(name, maxChapter)
	label := html.Charset(raw)
	text, _ := charset.Decode(raw, label)
	t := strings.TrimSpace(html.Text([]byte(text), html.Options{}))
	if t == "" {
		return
	}
	if w.taken += len(t); w.full() {
		w.flaw = fmt.Sprintf("the first %d MB of its text were taken in, which is the limit for one book", maxText>>20)
		return
	}
	if title := w.b.names[name]; title != "" && !strings.HasPrefix(t, "#") {
		if rest, ok := strings.CutPrefix(t, title+"\n"); ok {
			t = rest
		}
		t = "# " + title + "\n\n" + t
	}
	if w.body.Len() > 0 && w.body.Len()+len(t) > partText {
		if w.flush(); w.err != nil {
			return
		}
	}
	if w.body.Len() > 0 {
		w.body.WriteString("\n\n")
	}
	w.places = append(w.places, doc.Place{Offset: w.body.Len(), Ref: w.in.Rel + "#" + clip(name)})
	w.body.WriteString(t)
}

// flush emits what was written.
func (w *writer) flush() {
	if w.body.Len() == 0 || w.err != nil {
		return
	}
	w.docs++
	d := &doc.Document{
		Kind: doc.KindDocument, Key: w.in.Rel, SourceRef: w.in.Rel, Markdown: true, Body: w.body.String(), Places: w.places,
		Title: cmp.Or(w.b.title, strings.TrimSuffix(path.Base(w.in.Rel), path.Ext(w.in.Rel))), Tags: w.b.tags, Time: cmp.Or(w.b.time, w.in.ModTime),
	}
	if len(w.b.authors) > 0 {
		d.Author, d.To = w.b.authors[0], w.b.authors[1:]
	}
	d.Part(w.docs, w.places[0].Ref)
	w.body.Reset()
	w.places = nil
	w.err = w.emit(d)
}

// parseTime reads the date of a book: a day, a month, a year.
func parseTime(s string) time.Time {
	s = strings.TrimSpace(s)
	for _, l := range []string{time.RFC3339, "2006-01-02", "2006-01", "2006"} {
		if t, err := time.Parse(l, s); err == nil {
			if y := t.Year(); y < 1400 || y > 2100 {
				return time.Time{}
			}
			return t.UTC()
		}
	}
	return time.Time{}
}

func clip(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 300 {
		s = strings.ToValidUTF8(s[:300], "")
	}
	return s
}
