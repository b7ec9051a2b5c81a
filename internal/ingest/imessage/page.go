package imessage

import (
	"bytes"
	"context"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
)

// Page reads conversations as HTML. It implements doc.Reader.
type Page struct{}

var _ doc.Reader = Page{}

// NewPage returns a Page.
func NewPage() Page { return Page{} }

// Name implements doc.Reader.
func (Page) Name() string { return "imessage-page" }

// Version implements doc.Reader.
func (Page) Version() int { return 1 }

// Detect implements doc.Reader. The page begins with a style sheet, which may fill what is at hand; it
// has names of its own.
func (Page) Detect(in *doc.Input) int {
	head := bytes.TrimLeft(bytes.TrimPrefix(in.Head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 || head[0] != '<' {
		return 0
	}
	has := func(s string) bool { return bytes.Contains(head, []byte(s)) }
	switch {
	case has(`class="message"`) && has(`class="timestamp"`) && has(`class="sender"`):
		return 96
	case has("span.bubble") && has(".message .sent") && has(".message .received"), has("span.timestamp") && has("span.bubble") && has(".received"):
		return 96
	}
	return 0
}

const (
	maxToken = 1 << 20
	maxDepth = 200
)

// What an open element is for.
type role int

const (
	plain role = iota
	messageBox
	timeBox
	senderBox
	bubbleBox
	leftOut
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
	p := &page{rel: in.Rel, w: talk.New(ctx, emit, room(in))}
	z := html.NewTokenizer(f)
	z.SetMaxBuf(maxToken)
	var troubles talk.Troubles
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return doc.Report{}, ctx.Err()
		}
		t := z.Next()
		if t == html.ErrorToken {
			if !errors.Is(z.Err(), io.EOF) {
				troubles.Unseen("it cannot be read to its end")
			}
			break
		}
		if err := p.token(t, z); err != nil {
			return doc.Report{}, err
		}
	}
	if err := p.end(); err != nil {
		return doc.Report{}, err
	}
	if err := p.w.Close(); err != nil {
		return doc.Report{}, err
	}
	if p.bad > 0 {
		troubles.Note("%d messages have no time", p.bad)
	}
	return troubles.Report(p.w.Emitted()), nil
}

// A page is the state of reading one.
type page struct {
	rel  string
	w    *talk.Writer
	bad  int
	n    int // messages met
	open []element
	over int

	in                bool // a message
	when, sender, say strings.Builder
	files             []string
}

type element struct {
	tag  atom.Atom
	role role
}

func (p *page) inside(r role) bool {
	return slices.ContainsFunc(p.open, func(e element) bool { return e.role == r })
}

func (p *page) token(t html.TokenType, z *html.Tokenizer) error {
	switch t {
	case html.TextToken:
		p.write(string(z.Text()))
	case html.SelfClosingTagToken, html.StartTagToken:
		tok := z.Token()
		switch tok.DataAtom {
		case atom.Br:
			p.write("\n")
		case atom.Div, atom.Span, atom.Style, atom.Script, atom.Table:
			if t == html.StartTagToken {
				return p.start(tok)
			}
		case atom.A:
			for _, a := range tok.Attr {
				if _, ok := attached(a.Val); a.Key == "href" && ok && p.in && !p.inside(leftOut) {
					if name := document(a.Val[strings.LastIndexByte(a.Val, '/')+1:]); name != "" && len(p.files) < 50 {
						p.files = append(p.files, "[file: "+name+"]")
					}
				}
			}
		}
	case html.EndTagToken:
		name, _ := z.TagName()
		switch a := atom.Lookup(name); a {
		case atom.Div, atom.Span, atom.Style, atom.Script, atom.Table:
			p.close(a)
		}
	}
	return nil
}

func (p *page) start(t html.Token) error {
	var classes []string
	for _, a := range t.Attr {
		if a.Key == "class" {
			classes = strings.Fields(a.Val)
		}
	}
	has := func(c string) bool { return slices.Contains(classes, c) }
	r := plain
	switch {
	case t.DataAtom == atom.Style, t.DataAtom == atom.Script:
		r = leftOut
	case has("replies"), has("tapbacks"), has("reactions"), has("announcement"), has("reply_context"), has("expressive"), has("edited"), has("sticker"):
		r = leftOut
	case t.DataAtom == atom.Div && has("message") && !p.inside(leftOut):
		if err := p.end(); err != nil {
			return err
		}
		p.begin()
		r = messageBox
	case has("timestamp"):
		r = timeBox
	case has("sender"):
		r = senderBox
	case has("bubble"), has("subject"):
		r = bubbleBox
		if p.say.Len() > 0 {
			p.say.WriteByte('\n')
		}
	}
	if len(p.open) >= maxDepth {
		p.over++
		return nil
	}
	p.open = append(p.open, element{t.DataAtom, r})
	return nil
}

// close closes the innermost element of that kind and those inside it.
func (p *page) close(tag atom.Atom) {
	if p.over > 0 {
		p.over--
		return
	}
	for i := len(p.open) - 1; i >= 0; i-- {
		if p.open[i].tag == tag {
			p.open = p.open[:i]
			return
		}
	}
}

func (p *page) write(s string) {
	if !p.in {
		return
	}
	for i := len(p.open) - 1; i >= 0; i-- {
		var b *strings.Builder
		limit := 1000
		switch p.open[i].role {
		case plain:
			continue
		case timeBox:
			b = &p.when
		case senderBox:
			b = &p.sender
		case bubbleBox:
			b, limit = &p.say, maxMessage
		}
		if b != nil && b.Len() < limit && !p.inside(leftOut) {
			b.WriteString(s)
		}
		return
	}
}

func (p *page) begin() {
	p.in = true
	p.n++
	p.open, p.over = p.open[:0], 0
	p.when.Reset()
	p.sender.Reset()
	p.say.Reset()
	p.files = p.files[:0]
}

func (p *page) end() error {
	if !p.in {
		return nil
	}
	p.in = false
	text := spoken(p.say.String())
	text = strings.TrimSpace(text + "\n" + strings.Join(p.files, "\n"))
	if text == "" {
		return nil
	}
	when, _, _ := strings.Cut(strings.TrimSpace(p.when.String()), "(")
	at := readTime(when)
	if at.IsZero() {
		p.bad++
		return nil
	}
	return p.w.Add(talk.Message{Author: author(p.sender.String()), Time: at, Text: text, Ref: p.rel + "#" + strconv.Itoa(p.n)})
}
