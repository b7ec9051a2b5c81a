package html

import (
	"bytes"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind int

const (
	plain kind = iota
	pre
	quote
	list
	item
	heading
	table
	cell
	aside
)

// A frame collects the text of an element that changes all of its lines at its end.
type frame struct {
	buf   []byte
	nl    int  // line ends due before the next text
	space bool // a blank is due before the next text

	kind    kind
	mark    string
	stray   bool // inside a table, outside its cells
	ordered bool
	next    int

	rows                   [][]string
	layout, border, header bool

	linked int  // bytes that are the text of links
	keep   bool // of what may be left out: the content of the page is in it
	sure   bool // it is left out whatever it holds
}

// block asks for at least n line ends before the next text.
func (f *frame) block(n int) {
	if n > 0 && len(f.buf) > 0 {
		f.nl = max(f.nl, n)
	}
	if n > 0 {
		f.space = false
	}
}

func (f *frame) br(preformatted bool) {
	f.space = false
	if preformatted {
		f.flush()
		f.buf = append(f.buf, '\n')
		return
	}
	if len(f.buf) > 0 {
		f.nl = min(f.nl+1, 2)
	}
}

// flush writes what is due before text.
func (f *frame) flush() {
	if f.nl > 0 {
		for ; f.nl > 0; f.nl-- {
			f.buf = append(f.buf, '\n')
		}
	} else if f.space && len(f.buf) > 0 && f.buf[len(f.buf)-1] != '\n' && f.buf[len(f.buf)-1] != ' ' {
		f.buf = append(f.buf, ' ')
	}
	f.space = false
}

// text writes t with runs of blanks made one, or as it is.
func (f *frame) text(t []byte, preformatted bool) {
	if preformatted {
		if len(t) > 0 {
			f.flush()
			for _, r := range string(t) {
				if r != '\r' && r != '\x00' && !filler(r) {
					f.buf = utf8.AppendRune(f.buf, spaced(r))
				}
			}
		}
		return
	}
	for i := 0; i < len(t); {
		c := t[i]
		if c < utf8.RuneSelf {
			if c <= ' ' || c == 0x7f {
				f.space = f.space || c == ' ' || c >= '\t' && c <= '\r'
				i++
				continue
			}
			start := i
			for i < len(t) && t[i] > ' ' && t[i] < 0x7f {
				i++
			}
			f.flush()
			f.buf = append(f.buf, t[start:i]...)
			continue
		}
		r, n := utf8.DecodeRune(t[i:])
		i += n
		switch {
		case unicode.IsSpace(r) || r == '\u2007' || r == '\u2028' || r == '\u2029':
			f.space = true
		case filler(r):
		case (r == '\u200c' || r == '\u200d') && (f.space || f.nl > 0 || len(f.buf) == 0):
			// Joiners between blanks pad the preview of newsletters; between letters they matter.
		default:
			f.flush()
			f.buf = utf8.AppendRune(f.buf, r)
		}
	}
}

// filler reports whether r is never seen and only pads or breaks words.
func filler(r rune) bool {
	switch r {
	case '\u034f', '\u00ad', '\u200b', '\ufeff', '\u2060', '\u180e':
		return true
	}
	return r < ' ' && r != '\t' && r != '\n' || r == 0x7f
}

func spaced(r rune) rune {
	if r == '\u00a0' {
		return ' '
	}
	return r
}

// line writes a line of its own with blank lines around it.
func (f *frame) line(s string) {
	f.block(2)
	f.flush()
	f.buf = append(f.buf, s...)
	f.block(2)
}

func (f *frame) marker() string {
	if !f.ordered {
		return "- "
	}
	f.next++
	return strconv.Itoa(f.next-1) + ". "
}

// lines writes the lines of b, the first after first and the rest after rest.
func (f *frame) lines(b []byte, first, rest string) {
	f.flush()
	prefix := first
	for {
		line, tail, more := bytes.Cut(b, []byte{'\n'})
		if len(line) == 0 {
			f.buf = append(f.buf, strings.TrimRight(prefix, " ")...)
		} else {
			f.buf = append(f.buf, prefix...)
			f.buf = append(f.buf, line...)
		}
		if !more {
			return
		}
		f.buf = append(f.buf, '\n')
		b, prefix = tail, rest
	}
}

// closeInto writes the finished frame into the one around it.
func (f *frame) closeInto(up *frame, opt Options) {
	up.linked += f.linked
	if up.kind == table && f.kind == cell {
		row := &up.rows[len(up.rows)-1]
		*row = append(*row, string(bytes.TrimSpace(f.buf)))
		return
	}
	if f.kind == table {
		f.writeTable(up)
		return
	}
	body := bytes.TrimRight(f.buf, " \t\n")
	if f.kind == pre {
		body = bytes.TrimLeft(body, "\n")
	}
	if len(body) == 0 {
		return
	}
	switch f.kind {
	case quote:
		up.block(2)
		up.lines(body, "> ", "> ")
		up.block(2)
	case list:
		up.block(1)
		up.lines(body, "", "")
		up.block(2)
	case item:
		up.block(1)
		up.lines(body, f.mark, strings.Repeat(" ", len(f.mark)))
		up.block(1)
	case heading:
		up.block(2)
		up.lines(bytes.Join(bytes.Fields(body), []byte{' '}), f.mark, "")
		up.block(2)
	case pre:
		up.block(2)
		if !opt.Mail && bytes.IndexByte(body, '\n') >= 0 && !bytes.Contains(body, []byte("```")) {
			up.lines([]byte("```\n"+string(body)+"\n```"), "", "")
		} else {
			up.lines(body, "", "")
		}
		up.block(2)
	default:
		up.lines(body, "", "")
	}
}

// writeTable writes a data table as Markdown and a layout table as the text in it.
func (f *frame) writeTable(up *frame) {
	stray := bytes.TrimRight(f.buf, " \t\n")
	if len(stray) > 0 {
		up.block(2)
		up.lines(stray, "", "")
		up.block(2)
	}
	rows := f.rows[:0]
	for _, row := range f.rows {
		if strings.Join(row, "") != "" {
			rows = append(rows, row)
		}
	}
	if len(rows) == 0 {
		return
	}
	if width := f.dataWidth(rows); width > 0 {
		up.block(2)
		up.flush()
		for i, row := range rows {
			if i > 0 {
				up.buf = append(up.buf, '\n')
			}
			up.tableRow(row, width)
			if i == 0 {
				up.buf = append(up.buf, '\n')
				up.buf = append(up.buf, strings.Repeat("| --- ", width)+"|"...)
			}
		}
		up.block(2)
		return
	}
	for _, row := range rows {
		up.block(1)
		short := true
		for _, c := range row {
			short = short && len(c) <= 200 && !strings.Contains(c, "\n")
		}
		for _, c := range row {
			switch {
			case c == "":
				continue
			case short:
				up.space = true
			default:
				up.block(2)
			}
			up.lines([]byte(c), "", "")
			if !short {
				up.block(2)
			}
		}
		up.block(1)
	}
	up.block(2)
}

func (f *frame) tableRow(row []string, width int) {
	for i := range width {
		f.buf = append(f.buf, "| "...)
		if i < len(row) && row[i] != "" {
			f.buf = append(f.buf, strings.ReplaceAll(row[i], "|", `\|`)...)
			f.buf = append(f.buf, ' ')
		}
	}
	f.buf = append(f.buf, '|')
}

// dataWidth returns the number of columns of a table that holds data, 0 for one that only arranges.
func (f *frame) dataWidth(rows [][]string) int {
	if f.layout || len(rows) < 2 {
		return 0
	}
	width, cells, filled := 0, 0, 0
	full := 0
	for _, row := range rows {
		width = max(width, len(row))
	}
	if width < 2 || width > 50 {
		return 0
	}
	for _, row := range rows {
		if len(row)*2 > width {
			full++
		}
		for _, c := range row {
			cells++
			if c != "" {
				filled++
			}
			if strings.Contains(c, "\n") || len(c) > 300 {
				return 0
			}
		}
	}
	if full*3 < len(rows)*2 {
		return 0
	}
	if f.header || f.border {
		return width
	}
	if len(rows) >= 3 && filled*4 >= cells*3 {
		return width
	}
	return 0
}
