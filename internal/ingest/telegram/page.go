package telegram

import (
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
)

// Page reads messages.html and the pages that follow it, each for itself. It implements doc.Reader.
type Page struct{}

var _ doc.Reader = Page{}

// NewPage returns a Page.
func NewPage() Page { return Page{} }

// Name implements doc.Reader.
func (Page) Name() string { return "telegram-page" }

// Version implements doc.Reader.
func (Page) Version() int { return 1 }

// Detect implements doc.Reader: the page has the frame of a chat, and messages.
func (Page) Detect(in *doc.Input) int {
	head := bytes.TrimLeft(bytes.TrimPrefix(in.Head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 || head[0] != '<' {
		return 0
	}
	if bytes.Contains(head, []byte(`class="message `)) && bytes.Contains(head, []byte(`clearfix`)) && (bytes.Contains(head, []byte(`class="history"`)) || bytes.Contains(head, []byte(`chat_page`)) || bytes.Contains(head, []byte(`date details`))) {
		return 96
	}
	return 0
}

const (
	maxToken = 1 << 20
	maxDepth = 200
)

// Read implements doc.Reader.
func (Page) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	f, err := in.Open()
	if err != nil {
		return talk.NotOpened(err), nil
	}
	defer f.Close()
	p := &page{ctx: ctx, emit: emit, rel: in.Rel, folder: folder(in), z: html.NewTokenizer(f)}
	p.z.SetMaxBuf(maxToken)
	if err := p.run(); err != nil {
		return doc.Report{}, err
	}
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	if p.bad > 0 {
		p.troubles.Note("%d messages have no time", p.bad)
	}
	n := 0
	if p.w != nil {
		n = p.w.Emitted()
	}
	return p.troubles.Report(n), nil
}

// folder names a chat whose page does not say what it is called.
func folder(in *doc.Input) string {
	name := path.Base(path.Dir(in.Rel))
	if name == "." || name == "/" {
		name = in.Root
	}
	return name
}

// What an open element is for.
type role int

const (
	plain role = iota
	messageBox
	serviceBox
	dateBox
	nameBox
	textBox
	replyBox
	forwardBox
	fileBox
	titleBox
	leftOut
)

// A page is the state of reading one.
type page struct {
	ctx      context.Context
	emit     doc.Emit
	rel      string
	folder   string
	z        *html.Tokenizer
	stack    []role
	over     int // elements deeper than maxDepth
	w        *talk.Writer
	troubles talk.Troubles
	bad      int

	title   strings.Builder
	author  string // of the last message, which a joined one continues
	cur     *talk.Message
	joined  bool
	name    strings.Builder
	quoted  strings.Builder // who wrote what is forwarded
	text    strings.Builder
	file    strings.Builder
	written int // bytes of text
	href    string
	linkAt  int
	// document says that what is shown is a file of its own name, muted that what stands in a name is
	// none of it.
	document, muted bool
}

func (p *page) run() error {
	for n := 0; ; n++ {
		if n%1024 == 0 && p.ctx.Err() != nil {
			return p.ctx.Err()
		}
		switch p.z.Next() {
		case html.ErrorToken:
			if err := p.z.Err(); !errors.Is(err, io.EOF) {
				p.troubles.Unseen("it cannot be read to its end")
			}
			if err := p.end(); err != nil {
				return err
			}
			if p.w != nil {
				return p.w.Close()
			}
			return nil
		case html.StartTagToken, html.SelfClosingTagToken:
			if err := p.start(p.z.Token()); err != nil {
				return err
			}
		case html.EndTagToken:
			name, _ := p.z.TagName()
			p.close(atom.Lookup(name))
		case html.TextToken:
			p.write(string(p.z.Text()))
		}
	}
}

// in reports whether an element with that role is open.
func (p *page) in(r role) bool { return slices.Contains(p.stack, r) }

func attr(t html.Token, name string) string {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func (p *page) start(t html.Token) error {
	switch t.DataAtom {
	case atom.Br:
		p.write("\n")
		return nil
	case atom.A:
		p.href, p.linkAt = attr(t, "href"), p.text.Len()
		if p.in(replyBox) && p.cur != nil {
			_, p.cur.ReplyTo, _ = strings.Cut(p.href, "go_to_message")
		}
		if class := attr(t, "class"); strings.Contains(class, "media") {
			p.href = ""
			p.document = strings.Contains(class, "media_file")
		}
		return nil
	case atom.Span:
		p.muted = p.in(nameBox) && strings.Contains(attr(t, "class"), "details")
		return nil
	case atom.Pre:
		p.write("\n```\n")
		return nil
	case atom.Blockquote:
		p.write("\n> ")
		return nil
	case atom.Div:
	default:
		return nil
	}
	classes := strings.Fields(attr(t, "class"))
	has := func(c string) bool { return slices.Contains(classes, c) }
	r := plain
	switch {
	case has("message") && has("service"), has("message") && has("default"):
		if err := p.end(); err != nil {
			return err
		}
		r = messageBox
		if has("service") {
			r = serviceBox
			break
		}
		p.begin(strings.TrimPrefix(attr(t, "id"), "message"), has("joined"))
	case p.cur == nil:
		if has("bold") && has("text") && p.w == nil && p.title.Len() == 0 {
			r = titleBox
		}
	case has("date") && has("details"):
		r = dateBox
		if at := pageTime(attr(t, "title")); p.cur.Time.IsZero() && !at.IsZero() {
			p.cur.Time = at
		}
	case has("from_name"):
		r = nameBox
		if p.in(forwardBox) {
			r = leftOut
			if p.quoted.Len() == 0 {
				r = nameBox
			}
		}
	case has("forwarded") && has("body"):
		r = forwardBox
	case has("reply_to"):
		r = replyBox
	case has("text"):
		r = textBox
	case has("title") && has("bold") && p.document:
		r = fileBox
	case has("status"), has("details"), has("initials"), has("userpic_wrap"), has("reactions"), has("signature"):
		r = leftOut
	}
	if len(p.stack) >= maxDepth {
		p.over++
		return nil
	}
	p.stack = append(p.stack, r)
	return nil
}

func (p *page) close(a atom.Atom) {
	switch a {
	case atom.A:
		// A link whose text does not show where it leads says so.
		if p.href != "" && p.in(textBox) && p.text.Len() >= p.linkAt {
			label := p.text.String()[p.linkAt:]
			if h := p.href; strings.Contains(h, "://") && label != "" && !strings.Contains(h, strings.TrimSuffix(label, "/")) {
				p.write(" (" + h + ")")
			}
		}
		p.href = ""
	case atom.Span:
		p.muted = false
	case atom.Pre:
		p.write("\n```\n")
	case atom.Blockquote:
		p.write("\n")
	case atom.Div:
		if p.over > 0 {
			p.over--
			return
		}
		if n := len(p.stack); n > 0 {
			p.stack = p.stack[:n-1]
		}
	}
}

// write adds text to what the innermost element with a meaning is for.
func (p *page) write(s string) {
	for i := len(p.stack) - 1; i >= 0 && !p.muted; i-- {
		switch p.stack[i] {
		case plain:
			continue
		case titleBox:
			if p.title.Len() < 1000 {
				p.title.WriteString(s)
			}
		case nameBox:
			b := &p.name
			if p.in(forwardBox) {
				b = &p.quoted
			}
			if b.Len() < 1000 {
				b.WriteString(s)
			}
		case textBox:
			if p.written += len(s); p.written < maxMessage {
				p.text.WriteString(s)
			}
		case fileBox:
			if p.file.Len() < 1000 {
				p.file.WriteString(s)
			}
		}
		return
	}
}

func (p *page) begin(id string, joined bool) {
	p.stack = p.stack[:0]
	p.over = 0
	p.cur, p.joined = &talk.Message{ID: id}, joined
	p.name.Reset()
	p.quoted.Reset()
	p.text.Reset()
	p.file.Reset()
	p.written, p.document, p.muted = 0, false, false
}

// end takes the message that ends.
func (p *page) end() error {
	m := p.cur
	p.cur = nil
	p.stack = p.stack[:0]
	if m == nil {
		return nil
	}
	name := talk.Name(p.name.String())
	if name != "" {
		p.author = name
	} else if !p.joined {
		p.author = ""
	}
	text := strings.TrimSpace(p.text.String())
	if by := forwardedBy(p.quoted.String()); by != "" && text != "" {
		text = "> " + by + "\n> " + strings.ReplaceAll(text, "\n", "\n> ")
	}
	if f := talk.Name(p.file.String()); f != "" {
		text = strings.TrimSpace(text + "\n[file: " + f + "]")
	}
	if text == "" {
		return nil
	}
	if m.Time.IsZero() {
		p.bad++
		return nil
	}
	if p.w == nil {
		title := talk.Name(p.title.String())
		if title == "" {
			title = talk.Name(p.folder)
		}
		p.w = talk.New(p.ctx, p.emit, talk.Room{SourceID: "telegram:" + talk.Source(title), Title: title})
	}
	m.Author = doc.Person{Name: p.author}
	m.Text = talk.Tidy(text)
	m.Ref = p.rel + "#message" + m.ID
	return p.w.Add(*m)
}

var forwardDate = talk.Pattern(`\s+\d{2}\.\d{2}\.\d{4}.*$`)

// forwardedBy returns the name in front of the date.
func forwardedBy(s string) string {
	return forwardDate().ReplaceAllString(talk.Name(s), "")
}

// pageTime reads 01.05.2024 12:00:00 UTC+02:00; older pages have no zone.
func pageTime(s string) time.Time {
	for _, l := range []string{"02.01.2006 15:04:05 UTC-07:00", "02.01.2006 15:04:05 UTC-0700", "02.01.2006 15:04:05"} {
		if t, err := time.Parse(l, strings.TrimSpace(s)); err == nil && talk.Sane(t) {
			return t
		}
	}
	return time.Time{}
}
