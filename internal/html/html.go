// Package html turns the HTML of mails and pages into the text a person would read, with Markdown
// marks for headings, lists, quotes, links and data tables. It works on the token stream with its own
// stack of open elements, so time is linear and nesting cannot overflow anything. It fetches nothing
// and knows no charsets but where to look for their name.
package html

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxDepth is how many open elements are tracked; deeper ones are read as if they were not there.
	maxDepth = 512
	// maxFrames is how many quotes, lists and tables may enclose each other before deeper ones are
	// read as plain blocks.
	maxFrames = 40
)

// Options choose what the text is for.
type Options struct {
	// Mail leaves out the fences around preformatted text: in mail that is ordinary text.
	Mail bool
	// DropSignature leaves out what mail programs mark as the writer's signature.
	DropSignature bool
	// Page leaves out what surrounds the content of a web page: navigation, cookie notices, sidebars,
	// footers. A page of nothing else keeps it.
	Page bool
	// Host is where the page comes from; links to it show their text alone.
	Host string
}

// Text returns the visible text of the UTF-8 document or fragment src. Invisible elements, scripts,
// styles, form controls and tracking images are left out. It ends without a line end.
func Text(src []byte, opt Options) string {
	styles := readSheet(src)
	text := read(src, opt, styles)
	if text == "" && styles != nil {
		// Scripts show what the styles hide.
		styles = nil
		text = read(src, opt, nil)
	}
	if opt.Page && text == "" {
		opt.Page = false
		text = read(src, opt, styles)
	}
	return text
}

func read(src []byte, opt Options, styles *sheet) string {
	w := &walker{opt: opt, z: html.NewTokenizer(bytes.NewReader(src)), styles: styles}
	w.frames = append(w.frames, frame{})
	w.run()
	return w.result()
}

// Title returns the text of the first title element, "" without one.
func Title(src []byte) string {
	z := html.NewTokenizer(bytes.NewReader(src))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return ""
		case html.StartTagToken:
			name, _ := z.TagName()
			switch atom.Lookup(name) {
			case atom.Title:
				if z.Next() != html.TextToken {
					return ""
				}
				return strings.Join(strings.Fields(string(z.Text())), " ")
			case atom.Svg, atom.Body:
				return ""
			}
		}
	}
}

// Charset returns the charset that a meta element among the first bytes names, "" without one.
func Charset(src []byte) string {
	src = bytes.ToLower(src[:min(len(src), 4096)])
	for {
		i := bytes.Index(src, []byte("<meta"))
		if i < 0 {
			return ""
		}
		src = src[i+len("<meta"):]
		end := bytes.IndexByte(src, '>')
		if end < 0 {
			return ""
		}
		if tag := src[:end]; bytes.Contains(tag, []byte("charset")) {
			v := tag[bytes.Index(tag, []byte("charset"))+len("charset"):]
			v = bytes.TrimLeft(v, " \t\r\n")
			if len(v) > 0 && v[0] == '=' {
				v = bytes.TrimLeft(v[1:], " \t\r\n\"'")
				if j := bytes.IndexAny(v, "\"' ;/\t\r\n"); j >= 0 {
					v = v[:j]
				}
				return string(v)
			}
		}
	}
}

// An element is an open element.
type element struct {
	tag    atom.Atom
	hidden bool // by itself or an ancestor
	small  bool // font size zero, unless a descendant sets another
	faint  bool // text in the color of what is behind it, likewise
	frame  bool // its end closes the top frame
	aside  bool // so does another one around it, which may be left out
	link   int  // start of the link text + 1
	href   string
}

type walker struct {
	opt    Options
	styles *sheet // nil when they hide nothing
	z      *html.Tokenizer
	stack  []element
	frames []frame
	pre    int // open preformatted elements
	// paragraphs counts the open ones, most starts need not look for one.
	paragraphs int
	over       int // elements opened beyond maxDepth and not closed yet
	content    int // open elements that hold the content of a page
}

func (w *walker) top() *frame { return &w.frames[len(w.frames)-1] }

func (w *walker) hidden() bool {
	if n := len(w.stack); n > 0 {
		e := &w.stack[n-1]
		return e.hidden || e.small || e.faint
	}
	return false
}

func (w *walker) run() {
	for {
		switch w.z.Next() {
		case html.ErrorToken:
			for len(w.stack) > 0 {
				w.pop()
			}
			return
		case html.TextToken:
			if !w.hidden() {
				w.top().text(w.z.Text(), w.pre > 0)
			}
		case html.StartTagToken:
			w.start(false)
		case html.SelfClosingTagToken:
			w.start(true)
		case html.EndTagToken:
			name, _ := w.z.TagName()
			w.end(atom.Lookup(name))
		}
	}
}

func (w *walker) result() string {
	return strings.TrimRight(string(w.frames[0].buf), " \t\n")
}

func (w *walker) start(selfClosing bool) {
	name, more := w.z.TagName()
	tag := atom.Lookup(name)
	var a attrs
	if more {
		a = w.attributes()
	}
	if w.styles != nil {
		a.style = w.styles.style(tag, &a)
	}
	w.impliedEnds(tag)
	switch tag {
	case atom.Br:
		if !w.hidden() {
			w.top().br(w.pre > 0)
		}
		return
	case atom.Hr:
		if !w.hidden() {
			w.top().line("---")
		}
		return
	case atom.Img:
		if !w.hidden() && !a.hidden {
			w.image(a)
		}
		return
	case atom.Area, atom.Base, atom.Basefont, atom.Bgsound, atom.Col, atom.Embed, atom.Frame, atom.Input,
		atom.Keygen, atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return
	}
	if selfClosing && (tag == 0 || tag == atom.Svg) {
		return // Outlook's <o:p/>, and graphics
	}
	if len(w.stack) >= maxDepth {
		if invisible(tag) || a.hidden || hides(a.style) {
			w.skip(tag)
			return
		}
		w.over++
		w.top().block(blockLines(tag))
		return
	}
	e := element{tag: tag}
	if n := len(w.stack); n > 0 {
		up := &w.stack[n-1]
		e.hidden, e.small, e.faint = up.hidden, up.small, up.faint
	}
	if size, ok := fontSize(a.style); ok {
		e.small = size == 0
	}
	if same, ok := sameColor(a.style); ok || tag == atom.A || tag == atom.Font {
		e.faint = same
	}
	// The whole is never hidden: a script shows it.
	whole := tag == atom.Html || tag == atom.Body
	e.faint = e.faint && !whole
	e.hidden = e.hidden || !whole && (a.hidden || hides(a.style)) || invisible(tag) || w.opt.DropSignature && signature(a)
	if w.opt.Page && !e.hidden {
		w.page(&e, a)
	}
	if !e.hidden {
		w.open(&e, a)
	}
	if tag == atom.P {
		w.paragraphs++
	}
	w.stack = append(w.stack, e)
}

// skip reads over an element that cannot be put on the stack.
func (w *walker) skip(tag atom.Atom) {
	for depth := 1; depth > 0; {
		switch w.z.Next() {
		case html.ErrorToken:
			return
		case html.StartTagToken:
			if name, _ := w.z.TagName(); atom.Lookup(name) == tag {
				depth++
			}
		case html.EndTagToken:
			if name, _ := w.z.TagName(); atom.Lookup(name) == tag {
				depth--
			}
		}
	}
}

// open does what the visible element e asks for at its start.
func (w *walker) open(e *element, a attrs) {
	f := w.top()
	f.block(blockLines(e.tag))
	deep := len(w.frames) >= maxFrames
	switch e.tag {
	case atom.A:
		if w.opt.Page {
			e.link = len(f.buf) + 1
		}
		if strings.HasPrefix(a.href, "http") {
			// The target is remembered with the place where the text starts.
			e.link, e.href = len(f.buf)+1, a.href
		}
	case atom.Pre, atom.Listing, atom.Xmp:
		w.pre++
		if !deep {
			e.frame = true
			w.push(frame{kind: pre})
		}
	case atom.Blockquote:
		if !deep {
			e.frame = true
			w.push(frame{kind: quote})
		}
	case atom.Ol, atom.Ul, atom.Menu, atom.Dir:
		if !deep {
			e.frame = true
			w.push(frame{kind: list, ordered: e.tag == atom.Ol, next: number(a.start)})
		}
	case atom.Li:
		if !deep {
			e.frame = true
			marker := "- "
			if f.kind == list {
				marker = f.marker()
			}
			w.push(frame{kind: item, mark: marker})
		}
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if !deep {
			e.frame = true
			level := int(e.tag.String()[1] - '0')
			w.push(frame{kind: heading, mark: strings.Repeat("#", level) + " "})
		}
	case atom.Table:
		if !deep {
			e.frame = true
			w.push(frame{kind: table, layout: a.role == "presentation" || a.role == "none", border: a.border != "" && a.border != "0"})
		}
	case atom.Tr:
		if f.kind == table {
			f.rows = append(f.rows, nil)
		}
	case atom.Td, atom.Th:
		if f.kind == table && !deep {
			if len(f.rows) == 0 {
				f.rows = append(f.rows, nil)
			}
			f.header = f.header || e.tag == atom.Th
			e.frame = true
			w.push(frame{kind: cell})
		}
	case atom.Q:
		f.text([]byte("“"), true)
	}
}

func (w *walker) push(f frame) {
	if w.top().kind == table && f.kind != cell {
		// Text in a table but outside its cells: keep it, as browsers do, before the table.
		f.stray = true
	}
	w.frames = append(w.frames, f)
}

// end closes the nearest open element tag, and those inside it that have no end tag.
func (w *walker) end(tag atom.Atom) {
	if w.over > 0 && tag != atom.Body && tag != atom.Html {
		w.over--
		if n := blockLines(tag); n > 0 {
			w.top().block(n)
		}
		return
	}
	if tag == atom.Br && !w.hidden() {
		w.top().br(w.pre > 0)
		return
	}
	for i := len(w.stack) - 1; i >= 0; i-- {
		e := w.stack[i].tag
		if e == tag {
			for len(w.stack) > i {
				w.pop()
			}
			return
		}
		// An end tag in a cell does not close what lies around the table.
		if (e == atom.Td || e == atom.Th || e == atom.Table) && !tablePart(tag) {
			return
		}
	}
}

func (w *walker) pop() {
	e := w.stack[len(w.stack)-1]
	w.stack = w.stack[:len(w.stack)-1]
	if e.tag == atom.P {
		w.paragraphs--
	}
	if e.hidden {
		return
	}
	if e.tag == atom.Pre || e.tag == atom.Listing || e.tag == atom.Xmp {
		w.pre--
	}
	if e.frame {
		f := w.frames[len(w.frames)-1]
		w.frames = w.frames[:len(w.frames)-1]
		f.closeInto(w.top(), w.opt)
	}
	if e.aside {
		w.closeAside()
	}
	if w.opt.Page && holdsContent(e.tag) {
		w.content = max(0, w.content-1)
	}
	f := w.top()
	if e.link > 0 {
		f.linked += max(0, len(f.buf)-e.link+1)
		if e.href != "" && !w.ownLink(e.href) {
			f.link(e.link-1, e.href)
		}
	}
	if e.tag == atom.Q {
		f.text([]byte("”"), true)
	}
	f.block(blockLines(e.tag))
}

// impliedEnds closes what the start of tag ends: paragraphs, list items, cells and rows.
func (w *walker) impliedEnds(tag atom.Atom) {
	at := -1
scan:
	for i := len(w.stack) - 1; i >= 0; i-- {
		t := w.stack[i].tag
		switch tag {
		case atom.Li:
			if t == atom.Li {
				at = i
				break scan
			}
			if t == atom.Ul || t == atom.Ol || t == atom.Menu || t == atom.Dir || t == atom.Td || t == atom.Th {
				return
			}
		case atom.Dt, atom.Dd:
			if t == atom.Dt || t == atom.Dd {
				at = i
				break scan
			}
			if t == atom.Dl || t == atom.Td || t == atom.Th {
				return
			}
		case atom.Td, atom.Th:
			if t == atom.Td || t == atom.Th {
				at = i
				break scan
			}
			if t == atom.Tr || t == atom.Table {
				return
			}
		case atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot:
			if t == atom.Table {
				break scan
			}
			if t == atom.Tr || t == atom.Td || t == atom.Th || tag != atom.Tr && (t == atom.Tbody || t == atom.Thead || t == atom.Tfoot) {
				at = i
			}
		default:
			if w.paragraphs == 0 || blockLines(tag) == 0 {
				return
			}
			if t == atom.P {
				at = i
				break scan
			}
			if t == atom.Td || t == atom.Th || t == atom.Table {
				return
			}
		}
	}
	for at >= 0 && len(w.stack) > at {
		w.pop()
	}
}

// image writes the alternative text of a picture that says something.
func (w *walker) image(a attrs) {
	alt := strings.Join(strings.Fields(a.alt), " ")
	if alt == "" || tiny(a.width) || tiny(a.height) || fileName(alt) || hides(a.style) {
		return
	}
	switch strings.ToLower(alt) {
	case "image", "img", "logo", "spacer", "picture", "photo", "icon", "banner", "inline image":
		return
	}
	w.top().text([]byte(alt), false)
}
