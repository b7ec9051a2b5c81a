package office

import (
	"context"
	"encoding/xml"
	"fmt"
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/ingest/rows"
	"github.com/openhuman/openhuman-core/internal/ingest/zipped"
)

const (
	// maxShared bounds the strings that cells refer to.
	maxShared = 64 << 20
	// maxSheets bounds a workbook.
	maxSheets = 1000
)

// readXLSX reads a workbook sheet by sheet, row by row.
func readXLSX(ctx context.Context, c *zipped.Container, w *writer) {
	main := "xl/workbook.xml"
	if !c.Has(main) {
		main = mainPart(c)
	}
	b := &workbook{ctx: ctx, c: c, w: w}
	b.readStyles(path.Join(path.Dir(main), "styles.xml"))
	b.readStrings(path.Join(path.Dir(main), "sharedStrings.xml"))
	rels := relations(c, main)
	type sheet struct{ name, part string }
	var sheets []sheet
	if p := openPart(c, main); p != nil {
		for t := p.next(); t != nil && len(sheets) < maxSheets; t = p.next() {
			e, ok := t.(xml.StartElement)
			if !ok {
				continue
			}
			switch e.Name.Local {
			case "workbookPr":
				b.from1904 = attr(e, "date1904") == "1" || attr(e, "date1904") == "true"
			case "sheet":
				if r := rels[relAttr(e, "id")]; r.kind == "worksheet" && attr(e, "state") != "veryHidden" {
					sheets = append(sheets, sheet{clip(attr(e, "name")), r.target})
				}
			}
		}
		if s := fault(p.err); s != "" {
			w.fault(s)
		}
		p.close()
	}
	for _, s := range sheets {
		if ctx.Err() != nil || w.full() {
			return
		}
		b.read(s.name, s.part)
	}
}

type workbook struct {
	ctx      context.Context
	c        *zipped.Container
	w        *writer
	shared   []string
	formats  []format // of the styles of cells
	from1904 bool
}

// A format is what the style of a cell makes of a number.
type format int

const (
	plainNumber format = iota
	percent
	date
	clock
	dateClock
)

// maxCode is how much of a format code is read, in bytes; Excel allows 255 characters.
const maxCode = 1 << 10

// formatOf reads a format code such as "dd/mm/yy hh:mm".
func formatOf(code string) format {
	code, _, _ = strings.Cut(code[:min(len(code), maxCode)], ";")
	lower := strings.ToLower(code)
	// Three m are those of a month, unless they stand with hours or seconds.
	month := !strings.ContainsAny(lower, "hs") && strings.Count(lower, "m") >= 3
	day, hour, per := false, false, false
	for i := 0; i < len(code); i++ {
		switch code[i] {
		case '"': // words
			if j := strings.IndexByte(code[i+1:], '"'); j >= 0 {
				i += j + 1
			}
		case '[': // a colour, a currency, a language, or hours that go on
			if j := strings.IndexByte(code[i:], ']'); j >= 0 {
				if in := strings.ToLower(code[i+1 : i+j]); in != "" && strings.Trim(in, "hms") == "" {
					hour = true
				}
				i += j
			}
		case '\\', '_', '*':
			i++
		case 'y', 'Y', 'd', 'D':
			day = true
		case 'h', 'H', 's', 'S':
			hour = true
		case 'e', 'E', '#', '0', '?':
			if code[i] == '0' && (day || hour) { // fractions of a second
				continue
			}
			if day || hour {
				return plainNumber
			}
		case '%':
			per = true
		case 'm', 'M':
			day = day || month && !hour
		}
	}
	switch {
	case day && hour:
		return dateClock
	case day:
		return date
	case hour:
		return clock
	case per:
		return percent
	}
	return plainNumber
}

// builtIn are the formats that have a number and no code.
func builtIn(id int) format {
	switch {
	case id == 9 || id == 10:
		return percent
	case id >= 14 && id <= 17 || id >= 27 && id <= 31 || id == 36 || id >= 50 && id <= 54 || id == 57 || id == 58:
		return date
	case id >= 18 && id <= 21 || id >= 32 && id <= 35 || id >= 45 && id <= 47 || id == 55 || id == 56:
		return clock
	case id == 22:
		return dateClock
	}
	return plainNumber
}

func (b *workbook) readStyles(name string) {
	p := openPart(b.c, name)
	if p == nil {
		return
	}
	defer p.close()
	codes := map[int]format{}
	cells := false
	for t := p.next(); t != nil && len(b.formats) < 100_000 && len(codes) < 100_000; t = p.next() {
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "numFmt":
				if id, err := strconv.Atoi(attr(e, "numFmtId")); err == nil {
					codes[id] = formatOf(attr(e, "formatCode"))
				}
			case "cellXfs":
				cells = true
			case "xf":
				if cells {
					id, _ := strconv.Atoi(attr(e, "numFmtId"))
					f, ok := codes[id]
					if !ok {
						f = builtIn(id)
					}
					b.formats = append(b.formats, f)
				}
			}
		case xml.EndElement:
			cells = cells && e.Name.Local != "cellXfs"
		}
	}
}

// readStrings reads the list of strings that cells refer to.
func (b *workbook) readStrings(name string) {
	p := openPart(b.c, name)
	if p == nil {
		return
	}
	defer p.close()
	var s strings.Builder
	total := 0
	for t := p.next(); t != nil; t = p.next() {
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "si":
				s.Reset()
			case "t":
				s.WriteString(p.text(rows.MaxCell))
			case "rPh": // how to read it aloud
				p.skip()
			}
		case xml.EndElement:
			if e.Name.Local == "si" {
				if total += s.Len() + 16; total > maxShared {
					b.w.fault("its strings are larger than 64 MB and were read only up to there")
					return
				}
				b.shared = append(b.shared, s.String())
			}
		}
	}
	if f := fault(p.err); f != "" {
		b.w.fault(f)
	}
}

// read reads one sheet.
func (b *workbook) read(name, part string) {
	p := openPart(b.c, part)
	if p == nil {
		return
	}
	defer p.close()
	s := newSheet(b.w, name)
	var cells []string
	row, at := 0, 0
	open := false
	kind, style, inline := "", 0, ""
	value := ""
	for n := 0; !b.w.full(); n++ {
		if n&1023 == 0 && b.ctx.Err() != nil {
			return
		}
		t := p.next()
		if t == nil {
			break
		}
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "row":
				cells, open = cells[:0], true
				row++
				if r, err := strconv.Atoi(attr(e, "r")); err == nil && r > 0 {
					row = r
				}
				at = 0
			case "c":
				if i, ok := column(attr(e, "r")); ok {
					at = i
				}
				kind, value, inline = attr(e, "t"), "", ""
				style, _ = strconv.Atoi(attr(e, "s"))
			case "v":
				value = p.text(rows.MaxCell)
			case "is":
				inline = ""
			case "t":
				inline += p.text(rows.MaxCell)
			case "rPh", "f", "headerFooter", "dataValidations", "conditionalFormatting", "extLst":
				p.skip()
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "c":
				shown := b.show(kind, style, value, inline)
				if at >= rows.MaxColumns {
					if shown != "" {
						b.w.fault(fmt.Sprintf("only the first %d columns of a sheet were taken in, and values stand beyond them", rows.MaxColumns))
					}
				} else {
					for len(cells) <= at {
						cells = append(cells, "")
					}
					cells[at] = shown
				}
				at++
			case "row":
				s.add(cells, row)
				open = false
			}
		}
	}
	if f := fault(p.err); f != "" {
		b.w.fault(f)
	}
	if open { // the rest of the row is damaged
		s.add(cells, row)
	}
	s.end()
	for _, r := range relations(b.c, part) {
		if r.kind == "comments" {
			b.readComments(s, r.target)
		}
	}
}

// column returns the number of the column in a reference such as "AB12".
func column(ref string) (int, bool) {
	n := 0
	for i := 0; i < len(ref) && i < 4; i++ {
		c := ref[i] &^ 0x20
		if c < 'A' || c > 'Z' {
			break
		}
		n = n*26 + int(c-'A') + 1
	}
	return n - 1, n > 0
}

// show returns what a person sees in a cell.
func (b *workbook) show(kind string, style int, value, inline string) string {
	switch kind {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(value)); err == nil && i >= 0 && i < len(b.shared) {
			return b.shared[i]
		}
		return ""
	case "inlineStr":
		return inline
	case "b":
		if strings.TrimSpace(value) == "1" {
			return "TRUE"
		}
		return "FALSE"
	case "e":
		return ""
	case "str":
		return value
	case "d":
		return isoDate(value)
	}
	value = strings.TrimSpace(value)
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || math.IsInf(f, 0) || math.IsNaN(f) {
		return value
	}
	if style >= 0 && style < len(b.formats) {
		switch b.formats[style] {
		case percent:
			return number(f*100) + "%"
		case date, clock, dateClock:
			if s, ok := b.dated(f, b.formats[style]); ok {
				return s
			}
		}
	}
	return number(f)
}

// isoDate writes a date as RFC 3339 has it without what says nothing.
func isoDate(s string) string {
	s = strings.Replace(strings.TrimSpace(s), "T", " ", 1)
	if len(s) == len("2006-01-02 15:04:05") {
		s = strings.TrimSuffix(strings.TrimSuffix(s, " 00:00:00"), ":00")
	}
	return s
}

// number writes a number with the digits that spreadsheets show.
func number(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return strconv.FormatFloat(f, 'f', -1, 64)
	}
	s := strconv.FormatFloat(f, 'g', 15, 64)
	if g, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(g) >= 1e-6 && math.Abs(g) < 1e15 {
		return strconv.FormatFloat(g, 'f', -1, 64)
	}
	return s
}

// dated writes a number of days as the date or time that it means.
func (b *workbook) dated(days float64, f format) (string, bool) {
	if days < 0 || days >= 2_958_466 { // beyond the year 9999
		return "", false
	}
	epoch := time.Date(1899, 12, 30, 0, 0, 0, 0, time.UTC)
	if b.from1904 {
		epoch = time.Date(1904, 1, 1, 0, 0, 0, 0, time.UTC)
	} else if days < 60 {
		days++ // spreadsheets count a 29 February in 1900
	}
	whole, rest := math.Modf(days)
	seconds := math.Round(rest * 86400)
	t := epoch.AddDate(0, 0, int(whole)).Add(time.Duration(seconds) * time.Second)
	switch {
	case f == clock && (b.from1904 && whole == 0 || !b.from1904 && whole <= 1):
		return strings.TrimSuffix(t.Format("15:04:05"), ":00"), true
	case f == clock:
		return "", false // a length of time
	case f == date || seconds == 0:
		return t.Format("2006-01-02"), true
	}
	return strings.TrimSuffix(t.Format("2006-01-02 15:04:05"), ":00"), true
}

// readComments reads the notes on the cells of a sheet.
func (b *workbook) readComments(s *sheetWriter, name string) {
	p := openPart(b.c, name)
	if p == nil {
		return
	}
	defer p.close()
	var authors []string
	var text strings.Builder
	ref, who := "", ""
	for t := p.next(); t != nil && !b.w.full(); t = p.next() {
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "author":
				if len(authors) < 10_000 {
					authors = append(authors, clip(p.text(1000)))
				}
			case "comment":
				ref, who = clip(attr(e, "ref")), ""
				text.Reset()
				if i, err := strconv.Atoi(attr(e, "authorId")); err == nil && i >= 0 && i < len(authors) {
					who = authors[i]
				}
			case "t":
				text.WriteString(p.text(rows.MaxCell))
			}
		case xml.EndElement:
			if e.Name.Local == "comment" {
				s.note(ref, who, text.String())
			}
		}
	}
}

// A sheetWriter writes the rows of one sheet.
type sheetWriter struct {
	w     *writer
	name  string
	table rows.Table
	begun bool
}

func newSheet(w *writer, name string) *sheetWriter { return &sheetWriter{w: w, name: name} }

func (s *sheetWriter) add(cells []string, row int) { s.lines(s.table.Add(cells, row)) }

func (s *sheetWriter) end() { s.lines(s.table.End()) }

func (s *sheetWriter) lines(ls []rows.Line) {
	for _, l := range ls {
		s.begin(l.Row)
		s.w.place(s.ref(fmt.Sprintf("A%d", l.Row)))
		s.w.line(l.Text)
	}
}

// begin writes the name of the sheet above its first row.
func (s *sheetWriter) begin(row int) {
	if s.begun {
		return
	}
	s.begun = true
	s.w.place(s.ref(fmt.Sprintf("A%d", row)))
	s.w.heading(2, s.name)
}

// ref names a cell as links to cells do.
func (s *sheetWriter) ref(cell string) string {
	if strings.ContainsAny(s.name, " !'#-.,()") {
		return "'" + strings.ReplaceAll(s.name, "'", "''") + "'!" + cell
	}
	return s.name + "!" + cell
}

// note writes a note on a cell.
func (s *sheetWriter) note(cell, who, text string) {
	text = strings.Join(strings.Fields(tidy(text)), " ")
	if who != "" {
		text = strings.TrimSpace(strings.TrimPrefix(text, who+":"))
	}
	if text == "" {
		return
	}
	label := "[Note on " + cell
	if who != "" {
		label += " by " + who
	}
	s.begin(1)
	s.w.place(s.ref(cell))
	s.w.block(label + "] " + text)
}
