package office

import (
	"context"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"

	"github.com/openhuman/openhuman-core/internal/ingest/rows"
	"github.com/openhuman/openhuman-core/internal/ingest/zipped"
)

// readODF reads the content of an OpenDocument file: text, presentation or spreadsheet.
func readODF(ctx context.Context, c *zipped.Container, w *writer) {
	p := openPart(c, "content.xml")
	if p == nil {
		w.fault("a part of it is damaged and was read only up to there")
		return
	}
	defer p.close()
	o := &odf{ctx: ctx, w: w, p: p}
	for n := 0; !w.full(); n++ {
		if n&1023 == 0 && ctx.Err() != nil {
			return
		}
		t := p.next()
		if t == nil {
			break
		}
		switch e := t.(type) {
		case xml.StartElement:
			o.start(e)
		case xml.CharData:
			if t := top(o.stack); t != nil {
				t.chars(string(e))
			}
		case xml.EndElement:
			o.end(e.Name.Local)
		}
	}
	if s := fault(p.err); s != "" {
		w.fault(s)
	}
	for len(o.stack) > 0 {
		o.endText()
	}
	for len(o.tables) > 0 {
		o.endTable()
	}
	o.endSheet()
	for _, n := range o.notes {
		w.block(n)
	}
}

type odf struct {
	ctx context.Context
	w   *writer
	p   *part

	sheets bool // a spreadsheet
	stack  []*odfText
	lists  int
	tables grids
	sheet  *sheetWriter
	row    int
	repeat int // of the row
	cells  int // repeats of the cell
	value  string
	slide  int
	named  string // the slide, until its title has come
	aside  string // what the paragraphs are part of: a note of the speaker, an annotation
	notes  []string
}

// An odfText is a paragraph or heading that is being read.
type odfText struct {
	paragraph
	space bool // the last character was a blank
}

// chars adds text, whose white space is one blank.
func (t *odfText) chars(s string) {
	for _, r := range s {
		if r == ' ' || r == '\t' || r == '\n' || r == '\r' {
			if !t.space {
				t.b.WriteByte(' ')
			}
			t.space = true
			continue
		}
		t.space = false
		t.b.WriteRune(r)
	}
}

func (t *odfText) add(s string) {
	t.b.WriteString(s)
	t.space = strings.HasSuffix(s, "\n")
}

// count returns an attribute that says how often, at most most.
func count(e xml.StartElement, name string, most int) int {
	n, err := strconv.Atoi(attr(e, name))
	if err != nil || n < 1 {
		return 1
	}
	return min(n, most)
}

func (o *odf) start(e xml.StartElement) {
	open := top(o.stack)
	switch e.Name.Local {
	case "spreadsheet":
		o.sheets = true
	case "tracked-changes", "table-of-content", "forms", "scripts", "font-face-decls", "automatic-styles", "hidden-text", "hidden-paragraph",
		"sequence-decls", "ruby-text", "binary-data", "named-expressions", "content-validations", "shapes":
		o.p.skip()
	case "title", "desc": // of pictures; a field with the title of the document is text
		if strings.Contains(e.Name.Space, "svg") {
			o.p.skip()
		}
	case "page":
		if o.sheets {
			return
		}
		o.slide++
		o.w.place(fmt.Sprintf("slide=%d", o.slide))
		name := clip(attr(e, "name"))
		o.named = name
		if name == "" || strings.HasPrefix(name, "page") {
			name = fmt.Sprintf("Slide %d", o.slide)
		}
		o.w.heading(2, name)
	case "notes":
		o.aside = "Notes: "
	case "page-number", "page-count":
		o.p.skip()
	case "annotation":
		o.p.annotation(o)
	case "note": // of a text document
		o.note(open)
	case "h", "p":
		t := &odfText{space: true}
		if e.Name.Local == "h" {
			t.level = count(e, "outline-level", 6)
		}
		o.stack = append(o.stack, t)
	case "s":
		if open != nil {
			open.add(strings.Repeat(" ", count(e, "c", 100)))
		}
	case "tab":
		if open != nil {
			open.add("\t")
		}
	case "line-break":
		if open != nil {
			open.add("\n")
		}
	case "a":
		if open != nil {
			open.beginLink(attr(e, "href"))
		}
	case "list":
		o.lists++
	case "table":
		switch {
		case o.sheets && o.sheet == nil:
			o.sheet, o.row = newSheet(o.w, clip(attr(e, "name"))), 0
		default:
			o.tables.open()
		}
	case "table-row":
		o.repeat = count(e, "number-rows-repeated", 2_000_000)
		if o.sheet != nil {
			o.tables = append(o.tables[:0], &grid{})
		}
		if g := top(o.tables); g != nil {
			g.row()
		}
	case "table-cell", "covered-table-cell":
		o.cells = count(e, "number-columns-repeated", rows.MaxColumns)
		o.value = ""
		switch attr(e, "value-type") {
		case "date":
			o.value = isoDate(attr(e, "date-value"))
		case "float":
			if f, err := strconv.ParseFloat(attr(e, "value"), 64); err == nil {
				o.value = number(f)
			}
		}
		if g := top(o.tables); g != nil {
			g.begin()
		}
	}
}

func (o *odf) end(name string) {
	switch name {
	case "h", "p":
		o.endText()
	case "a":
		if t := top(o.stack); t != nil {
			t.endLink()
		}
	case "list":
		o.lists = max(0, o.lists-1)
	case "notes":
		o.aside = ""
	case "table-cell", "covered-table-cell":
		g := top(o.tables)
		if g == nil {
			return
		}
		cell := g.commit()
		if cell == nil {
			return
		}
		if o.value != "" && o.sheet != nil {
			*cell = o.value
		}
		row := &g.rows[len(g.rows)-1]
		for ; o.cells > 1 && len(*row) < rows.MaxColumns; o.cells-- {
			*row = append(*row, *cell)
		}
		o.cells, o.value = 1, ""
	case "table-row":
		if o.sheet == nil || len(o.tables) == 0 {
			return
		}
		o.tables[0].commit()
		cells := o.tables[0].rows[0]
		o.tables = o.tables[:0]
		// A row that is repeated a thousand times is the empty rest of a sheet, or filled down by hand.
		times := o.repeat
		if strings.TrimSpace(strings.Join(cells, "")) != "" {
			for range min(times, 100) {
				o.row++
				times--
				o.sheet.add(cells, o.row)
			}
		}
		o.row += times
	case "table":
		if o.sheet != nil && len(o.tables) == 0 {
			o.endSheet()
			return
		}
		o.endTable()
	}
}

func (o *odf) endSheet() {
	if o.sheet != nil {
		o.sheet.end()
		o.sheet = nil
	}
}

func (o *odf) endTable() {
	if text := o.tables.end(); o.sheet == nil {
		o.w.table(text)
	}
}

func (o *odf) endText() {
	n := len(o.stack)
	if n == 0 {
		return
	}
	t := o.stack[n-1]
	o.stack = o.stack[:n-1]
	text := strings.TrimSpace(t.b.String())
	switch {
	case text == "":
	case n > 1: // a frame anchored in a paragraph
		up := o.stack[n-2]
		up.add("\n" + text + "\n")
	case top(o.tables) != nil:
		top(o.tables).add(text)
	case o.named != "" && strings.Join(strings.Fields(text), " ") == o.named:
		o.named = "" // the heading says it
	case o.aside != "":
		o.w.block(o.aside + text)
	case t.level > 0 && len(text) < 500:
		o.w.heading(t.level, text)
	case o.lists > 0:
		o.w.listItem(o.lists-1, "-", text)
	default:
		o.w.block(text)
	}
}

// note reads a footnote or endnote; its mark stays in the text and its words go to the end.
func (o *odf) note(open *odfText) {
	var id, body strings.Builder
	inside := &id
	for depth := o.p.depth; o.p.depth >= depth; {
		t := o.p.next()
		if t == nil {
			break
		}
		switch e := t.(type) {
		case xml.StartElement:
			if e.Name.Local == "note-body" {
				inside = &body
			}
		case xml.CharData:
			inside.Write(e)
		case xml.EndElement:
			if e.Name.Local == "p" {
				inside.WriteByte('\n')
			}
		}
	}
	mark := "[^" + clip(id.String()) + "]"
	if open != nil {
		open.add(mark)
	}
	if text := strings.TrimSpace(body.String()); text != "" && len(o.notes) < 100_000 {
		o.notes = append(o.notes, mark+" "+text)
	}
}

// annotation reads a comment.
func (p *part) annotation(o *odf) {
	var who, when string
	var body strings.Builder
	for depth := p.depth; p.depth >= depth; {
		t := p.next()
		if t == nil {
			break
		}
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "creator":
				who = clip(p.text(1000))
			case "date":
				when = p.text(100)
			case "creator-initials", "date-string":
				p.skip()
			}
		case xml.CharData:
			body.Write(e)
		case xml.EndElement:
			if e.Name.Local == "p" {
				body.WriteByte('\n')
			}
		}
	}
	text := strings.TrimSpace(body.String())
	if text == "" || len(o.notes) >= 100_000 {
		return
	}
	o.notes = append(o.notes, commentMark(who, when)+text)
}
