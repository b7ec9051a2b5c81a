package bookmarks

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	xhtml "golang.org/x/net/html"

	"github.com/openhuman/openhuman-core/internal/charset"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/html"
	"github.com/openhuman/openhuman-core/internal/ingest/entries"
)

// What the text that comes next belongs to.
const (
	nowhere = iota
	inFolder
	inTitle
	inText
)

// A pageReader follows the elements of an export.
type pageReader struct {
	w       *entries.Writer
	label   string // of the charset, where it is not UTF-8
	line    int
	folders []string
	folder  string // the one whose list comes next
	deep    int    // lists beyond the limit
	now     int
	open    *bookmark
	at      int // the line of that one
	lost    bool
}

// readPage reads the HTML that all browsers export.
func readPage(ctx context.Context, in *doc.Input, f io.Reader, w *entries.Writer) error {
	p := pageReader{w: w, line: 1}
	if !utf8.Valid(in.Head) {
		if p.label = html.Charset(in.Head); p.label == "" || strings.EqualFold(p.label, "utf-8") {
			p.label = charset.Guess(in.Head)
		}
	}
	z := xhtml.NewTokenizer(f)
	z.SetMaxBuf(maxElement)
	for n := 0; ; n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		kind := z.Next()
		if kind == xhtml.ErrorToken {
			if err := p.finish(); err != nil {
				return err
			}
			switch {
			case errors.Is(z.Err(), xhtml.ErrBufferExceeded):
				w.Unseen("line %d is too long to be read", p.line)
			case !errors.Is(z.Err(), io.EOF):
				w.Unseen("reading stopped before its end")
			case len(p.folders) > 0:
				w.Unseen("it ends in the midst of a folder")
			}
			if p.lost {
				w.Note("what is more than %d folders deep has lost the names of some", maxDepth)
			}
			return nil
		}
		lines := bytes.Count(z.Raw(), []byte("\n"))
		if err := p.token(z, kind); err != nil {
			return err
		}
		p.line += lines
	}
}

func (p *pageReader) token(z *xhtml.Tokenizer, kind xhtml.TokenType) error {
	switch kind {
	case xhtml.TextToken:
		p.text(string(z.Text()))
	case xhtml.StartTagToken, xhtml.SelfClosingTagToken:
		name, more := z.TagName()
		return p.start(string(name), z, more)
	case xhtml.EndTagToken:
		name, _ := z.TagName()
		switch string(name) {
		case "a", "h1", "h2", "h3", "h4":
			p.now = nowhere
		case "dl":
			return p.leave()
		}
	}
	return nil
}

func (p *pageReader) start(name string, z *xhtml.Tokenizer, more bool) error {
	switch name {
	case "dt":
		p.now = nowhere
		return p.finish()
	case "h3":
		p.now, p.folder = inFolder, ""
		return p.finish()
	case "dl":
		if err := p.finish(); err != nil {
			return err
		}
		p.now = nowhere
		if len(p.folders) >= maxDepth {
			p.deep++
			p.lost = true
			return nil
		}
		p.folders = append(p.folders, entries.Clip(entries.OneLine(p.folder), maxName))
		p.folder = ""
	case "a":
		if err := p.finish(); err != nil {
			return err
		}
		p.open, p.at, p.now = &bookmark{}, p.line, inTitle
		for more {
			var key, val []byte
			key, val, more = z.TagAttr()
			switch string(key) {
			case "href":
				p.open.url = p.decode(string(val))
			case "add_date", "time_added":
				if n, err := strconv.ParseInt(strings.TrimSpace(string(val)), 10, 64); err == nil {
					p.open.made = made(n)
				}
			case "tags":
				p.open.tags = tagged(p.decode(string(val)))
			case "shortcuturl":
				p.open.keyword = p.decode(string(val))
			}
		}
	case "dd":
		p.now = nowhere
		if p.open != nil {
			p.now = inText
		}
	case "br":
		p.text("\n")
	}
	return nil
}

func (p *pageReader) text(s string) {
	switch s = p.decode(s); {
	case p.now == inFolder && len(p.folder) < maxName:
		p.folder += s
	case p.open == nil:
	case p.now == inTitle && len(p.open.title) < maxText:
		p.open.title += s
	case p.now == inText && len(p.open.text) < maxText:
		p.open.text += s
	}
}

// leave ends a list.
func (p *pageReader) leave() error {
	if err := p.finish(); err != nil {
		return err
	}
	p.now = nowhere
	switch {
	case p.deep > 0:
		p.deep--
	case len(p.folders) > 0:
		p.folders = p.folders[:len(p.folders)-1]
	}
	return nil
}

// finish emits the bookmark that is open.
func (p *pageReader) finish() error {
	if p.open == nil {
		return nil
	}
	b := p.open
	p.open = nil
	for _, f := range p.folders {
		if f != "" {
			b.folders = append(b.folders, f)
		}
	}
	return p.w.Add(b.entry("L" + strconv.Itoa(p.at)))
}

// decode makes text of what is no UTF-8.
func (p *pageReader) decode(s string) string {
	if p.label == "" && utf8.ValidString(s) && !strings.ContainsFunc(s, odd) {
		return s
	}
	label := p.label
	if utf8.ValidString(s) {
		label = "utf-8"
	}
	t, _ := charset.Decode([]byte(s), label)
	return t
}

func odd(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }
