package office

import (
	"bytes"
	"context"
	"encoding/xml"
	"fmt"
	"path"
	"strings"

	"github.com/openhuman/openhuman-core/internal/ingest/zipped"
)

// readDOCX reads a text document: its body, then notes and comments. Headers and footers of pages
// are read only when there is nothing else.
func readDOCX(ctx context.Context, c *zipped.Container, w *writer) {
	main := "word/document.xml"
	if !c.Has(main) {
		main = mainPart(c)
	}
	d := &docx{ctx: ctx, w: w, rels: relations(c, main)}
	d.readStyles(c, path.Join(path.Dir(main), "styles.xml"))
	d.readNumbering(c, path.Join(path.Dir(main), "numbering.xml"))
	d.read(c, main)
	for _, notes := range []string{"footnotes.xml", "endnotes.xml", "comments.xml"} {
		name := path.Join(path.Dir(main), notes)
		d.rels = relations(c, name)
		d.read(c, name)
	}
	if w.docs > 0 || w.b.Len() > 0 {
		return
	}
	for _, name := range c.Names() {
		if base := path.Base(name); strings.HasPrefix(name, "word/") && (strings.HasPrefix(base, "header") || strings.HasPrefix(base, "footer")) {
			d.read(c, name)
		}
	}
}

// A style is what matters of a style of paragraphs.
type style struct {
	name, based string
	level       int // of a heading, 0 for none
}

// A numbering tells the marks of lists: by its id, the formats of its levels.
type numbering map[string][]string

type docx struct {
	ctx     context.Context
	w       *writer
	rels    map[string]relation
	styles  map[string]style
	numbers numbering
	counts  map[string][]int

	stack  []*paragraph // open ones: text boxes stand inside paragraphs
	tables grids
	run    bool // inside a run that is not to be seen
	prefix string
}

// A paragraph is one that is being read.
type paragraph struct {
	b     bytes.Buffer
	style string
	level int // of the outline, 0 for none
	list  string
	depth int
	href  string
	from  int // where the link's text begins
}

func (d *docx) readStyles(c *zipped.Container, name string) {
	d.styles = map[string]style{}
	p := openPart(c, name)
	if p == nil {
		return
	}
	defer p.close()
	id := ""
	var s style
	for t := p.next(); t != nil && len(d.styles) < 10_000; t = p.next() {
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "style":
				id, s = attr(e, "styleId"), style{}
			case "name":
				s.name = strings.ToLower(attr(e, "val"))
				if n := headingOf(s.name); n > 0 {
					s.level = n
				}
			case "basedOn":
				s.based = attr(e, "val")
			case "outlineLvl":
				s.level = outline(e)
			}
		case xml.EndElement:
			if e.Name.Local == "style" && id != "" {
				d.styles[id] = s
				id = ""
			}
		}
	}
}

// headingOf returns the level of a style called as headings are.
func headingOf(name string) int {
	if name == "title" {
		return 1
	}
	if rest, ok := strings.CutPrefix(name, "heading "); ok && len(rest) == 1 && rest[0] >= '1' && rest[0] <= '9' {
		return int(rest[0] - '0')
	}
	return 0
}

// outline returns the level of an outline, whose first is 0 and whose tenth is that of plain text.
func outline(e xml.StartElement) int {
	if v := attr(e, "val"); len(v) == 1 && v[0] >= '0' && v[0] <= '8' {
		return int(v[0]-'0') + 1
	}
	return 0
}

// look returns a style's level and name, those of the one it is based on where it has none.
func (d *docx) look(id string) (level int, name string) {
	for range 20 {
		s, ok := d.styles[id]
		if !ok {
			return level, name
		}
		if name == "" {
			name = s.name
		}
		if s.level > 0 {
			return s.level, name
		}
		id = s.based
	}
	return level, name
}

func (d *docx) readNumbering(c *zipped.Container, name string) {
	d.numbers, d.counts = numbering{}, map[string][]int{}
	p := openPart(c, name)
	if p == nil {
		return
	}
	defer p.close()
	abstract := map[string][]string{}
	id, num := "", ""
	level := -1
	for t := p.next(); t != nil && len(abstract)+len(d.numbers) < 20_000; t = p.next() {
		e, ok := t.(xml.StartElement)
		if !ok {
			continue
		}
		switch e.Name.Local {
		case "abstractNum":
			id, num = attr(e, "abstractNumId"), ""
			abstract[id] = make([]string, 9)
		case "lvl":
			level = -1
			if v := attr(e, "ilvl"); len(v) == 1 && v[0] >= '0' && v[0] <= '8' && num == "" {
				level = int(v[0] - '0')
			}
		case "numFmt":
			if f := abstract[id]; f != nil && level >= 0 && num == "" {
				f[level] = attr(e, "val")
			}
		case "num":
			num = attr(e, "numId")
		case "abstractNumId":
			if num != "" {
				d.numbers[num] = abstract[attr(e, "val")]
			}
		}
	}
}

// mark returns what stands before an item of a list.
func (d *docx) mark(list string, depth int) string {
	f := d.numbers[list]
	depth = min(max(depth, 0), 8)
	if f == nil || f[depth] == "bullet" || f[depth] == "none" || f[depth] == "" {
		return "-"
	}
	n := d.counts[list]
	if n == nil {
		n = make([]int, 9)
		d.counts[list] = n
	}
	n[depth]++
	for i := depth + 1; i < len(n); i++ {
		n[i] = 0
	}
	return fmt.Sprintf("%d.", n[depth])
}

// read reads one part with paragraphs in it.
func (d *docx) read(c *zipped.Container, name string) {
	p := openPart(c, name)
	if p == nil {
		return
	}
	defer p.close()
	d.stack, d.tables, d.run, d.prefix = nil, nil, false, ""
	for n := 0; ; n++ {
		if n&1023 == 0 && d.ctx.Err() != nil || d.w.full() {
			return
		}
		t := p.next()
		if t == nil {
			break
		}
		switch e := t.(type) {
		case xml.StartElement:
			d.start(p, e)
		case xml.EndElement:
			d.end(e.Name.Local)
		}
	}
	if s := fault(p.err); s != "" {
		d.w.fault(s)
	}
	for len(d.stack) > 0 { // what was read before the damage is kept
		d.endParagraph()
	}
	for len(d.tables) > 0 {
		d.w.table(d.tables.end())
	}
}

func (d *docx) start(p *part, e xml.StartElement) {
	open := top(d.stack)
	switch e.Name.Local {
	case "del", "moveFrom", "Fallback", "rt", "instrText", "delText", "sectPr", "pPrChange", "rPrChange", "tblPr", "docPartObj":
		p.skip()
	case "p":
		d.stack = append(d.stack, &paragraph{})
	case "tbl":
		d.tables.open()
	case "tr":
		if g := top(d.tables); g != nil {
			g.row()
		}
	case "tc":
		if g := top(d.tables); g != nil {
			g.begin()
			g.span = 1
		}
	case "gridSpan":
		if g := top(d.tables); g != nil {
			if v := attr(e, "val"); len(v) == 1 && v[0] >= '2' && v[0] <= '9' {
				g.span = int(v[0] - '0')
			}
		}
	case "footnote", "endnote":
		switch attr(e, "type") {
		case "separator", "continuationSeparator", "continuationNotice":
			p.skip()
			return
		}
		d.prefix = "[" + mark(e.Name.Local) + attr(e, "id") + "] "
	case "comment":
		d.prefix = commentMark(clip(attr(e, "author")), attr(e, "date"))
	}
	if open == nil {
		return
	}
	switch e.Name.Local {
	case "pStyle":
		open.style = attr(e, "val")
	case "outlineLvl":
		open.level = outline(e)
	case "numId":
		if v := attr(e, "val"); v != "0" {
			open.list = v
		}
	case "ilvl":
		if v := attr(e, "val"); len(v) == 1 {
			open.depth = int(v[0] - '0')
		}
	case "r":
		d.run = false
	case "vanish":
		d.run = on(e)
	case "t":
		s := p.text(maxText)
		if !d.run && open.b.Len() < maxText {
			open.b.WriteString(s)
		}
	case "tab", "ptab":
		if open.b.Len() > 0 && !d.run {
			open.b.WriteByte('\t')
		}
	case "br", "cr":
		if !d.run {
			open.b.WriteByte('\n')
		}
	case "noBreakHyphen":
		open.b.WriteByte('-')
	case "footnoteReference", "endnoteReference":
		if id := attr(e, "id"); id != "" {
			open.b.WriteString("[" + mark(strings.TrimSuffix(e.Name.Local, "Reference")) + id + "]")
		}
	case "hyperlink":
		target := ""
		if r := d.rels[relAttr(e, "id")]; r.kind == "hyperlink" {
			target = r.target
		}
		open.beginLink(target)
	}
}

// commentMark stands before a comment.
func commentMark(who, when string) string {
	label := "[Comment"
	if who != "" {
		label += " by " + who
	}
	if t := parseTime(when); !t.IsZero() {
		label += ", " + t.Format("2006-01-02")
	}
	return label + "] "
}

// mark begins the mark of a note.
func mark(kind string) string {
	if kind == "endnote" {
		return "^e"
	}
	return "^"
}

// linkable reports whether a link leads somewhere that a reader can follow.
func linkable(target string) bool {
	return len(target) <= 300 && (strings.HasPrefix(target, "https://") || strings.HasPrefix(target, "http://")) && !strings.ContainsAny(target, " \n()<>")
}

func (d *docx) end(name string) {
	switch name {
	case "r":
		d.run = false
	case "hyperlink":
		if p := top(d.stack); p != nil {
			p.endLink()
		}
	case "p":
		d.endParagraph()
	case "tc":
		if g := top(d.tables); g != nil {
			for ; g.span > 1; g.span-- {
				g.begin()
			}
		}
	case "tbl":
		d.w.table(d.tables.end())
	}
}

// beginLink begins a link, which is none when it leads nowhere.
func (p *paragraph) beginLink(target string) {
	p.from, p.href = p.b.Len(), ""
	if linkable(target) {
		p.href = target
	}
}

// endLink makes the text since from a link to href.
func (p *paragraph) endLink() {
	if p.href == "" || p.from > p.b.Len() {
		return
	}
	text := string(p.b.Bytes()[p.from:])
	if t := strings.TrimSpace(text); t != "" && t != p.href && !strings.ContainsAny(text, "[]\n") && "http://"+t != p.href && "https://"+t != p.href {
		p.b.Truncate(p.from)
		p.b.WriteString("[" + text + "](" + p.href + ")")
	}
	p.href = ""
}

func (d *docx) endParagraph() {
	n := len(d.stack)
	if n == 0 {
		return
	}
	p := d.stack[n-1]
	d.stack = d.stack[:n-1]
	text := p.b.String()
	if strings.TrimSpace(text) == "" {
		return
	}
	if n > 1 { // a text box: part of the paragraph that it is anchored in
		up := d.stack[n-2]
		if up.b.Len() > 0 {
			up.b.WriteByte('\n')
		}
		up.b.WriteString(text)
		return
	}
	text = d.prefix + text
	d.prefix = ""
	if g := top(d.tables); g != nil {
		g.add(text)
		return
	}
	level, name := d.look(p.style)
	if p.level > 0 {
		level = p.level
	}
	switch {
	case strings.HasPrefix(name, "toc ") && level == 0:
		// The table of contents repeats the headings.
	case level > 0 && len(text) < 500:
		d.w.heading(level, text)
	case p.list != "":
		d.w.listItem(p.depth, d.mark(p.list, p.depth), text)
	default:
		d.w.block(text)
	}
}
