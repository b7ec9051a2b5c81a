// Package rows turns the rows of tables into lines of text that can be understood alone: each value
// stands with the name of its column. It knows what a row of names looks like, and neither formats
// nor documents.
package rows

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// looked is how many rows are looked at to find the one with the names of the columns.
	looked = 20
	// maxName bounds the name of a column in bytes.
	maxName = 80
	// MaxColumns is how many columns of a table are read.
	MaxColumns = 1000
	// MaxCell bounds one value in bytes.
	MaxCell = 64 << 10
)

// A Line is one row as text.
type Line struct {
	Text string
	Row  int // the number that Add was given
}

// A Table is one table whose rows come one after another. The zero value is ready for use.
type Table struct {
	waiting []row
	names   []string
	settled bool
}

type row struct {
	cells []string
	n     int
}

// Names returns the names of the columns, nil while they are not known or when there are none.
func (t *Table) Names() []string { return t.names }

// Add takes a row with its number and returns the lines that are ready. cells is not kept.
func (t *Table) Add(cells []string, n int) []Line {
	cells = tidy(cells)
	if len(cells) == 0 {
		return nil
	}
	if t.settled {
		return []Line{{t.line(cells), n}}
	}
	t.waiting = append(t.waiting, row{cells, n})
	if len(t.waiting) < looked {
		return nil
	}
	return t.settle()
}

// End returns the lines that are left.
func (t *Table) End() []Line {
	if t.settled {
		return nil
	}
	return t.settle()
}

// tidy returns the cells as single lines, without the empty ones at the end.
func tidy(cells []string) []string {
	out := make([]string, min(len(cells), MaxColumns))
	last := 0
	for i := range out {
		c := cells[i]
		if len(c) > MaxCell {
			c = strings.ToValidUTF8(c[:MaxCell], "")
		}
		if c = oneLine(c); c != "" {
			last = i + 1
		}
		out[i] = c
	}
	return out[:last]
}

// settle finds the names among the rows that wait, and writes the others.
func (t *Table) settle() []Line {
	t.settled = true
	at := header(t.waiting)
	var out []Line
	for i, r := range t.waiting {
		switch {
		case i == at:
			t.names = names(r.cells)
			continue
		case i < at:
			// What stands above a table: its title, where it comes from.
			out = append(out, Line{strings.Join(filled(r.cells), "; "), r.n})
		default:
			out = append(out, Line{t.line(r.cells), r.n})
		}
	}
	if len(out) == 0 && at >= 0 { // names alone
		out = append(out, Line{strings.Join(filled(t.waiting[at].cells), "; "), t.waiting[at].n})
	}
	t.waiting = nil
	return out
}

// line writes one row.
func (t *Table) line(cells []string) string {
	var b strings.Builder
	b.WriteString("- ")
	for i, c := range cells {
		if c == "" {
			continue
		}
		if b.Len() > 2 {
			b.WriteString("; ")
		}
		if i < len(t.names) && t.names[i] != "" {
			b.WriteString(t.names[i])
			b.WriteString(": ")
		}
		b.WriteString(c)
	}
	return b.String()
}

func filled(cells []string) []string {
	var out []string
	for _, c := range cells {
		if c != "" {
			out = append(out, c)
		}
	}
	return out
}

// header returns which of the rows names the columns: the first that is as wide as most and holds
// nothing but short words, each once; -1 when there is none.
func header(rs []row) int {
	width := 0
	for _, r := range rs {
		width = max(width, len(filled(r.cells)))
	}
	// More than half, rounded down, so that a column or two may go without a name.
	for i, r := range rs {
		have := filled(r.cells)
		if len(have)*2 < width+width%2 || len(have) == 1 && width > 1 {
			continue // a title above the table
		}
		seen := make(map[string]bool, len(have))
		for _, c := range have {
			k := strings.ToLower(c)
			if len(c) > maxName || !named(c) || seen[k] {
				return -1
			}
			seen[k] = true
		}
		if i == len(rs)-1 && i > 0 {
			return -1 // nothing follows
		}
		return i
	}
	return -1
}

// named reports whether a cell can be the name of a column: words, no number, date or address. The
// name of a year is one as well.
func named(c string) bool {
	if len(c) == 4 && c >= "1900" && c <= "2199" && strings.Trim(c, "0123456789") == "" {
		return true
	}
	letters := 0
	for _, r := range c {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters == 0 || strings.Contains(c, "://") || strings.Contains(c, "@") {
		return c == "#" || c == "№" || c == "%"
	}
	return unicode.IsLetter(first(c)) || letters*2 > utf8.RuneCountInString(c)
}

func first(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

// names returns the names as they stand before values.
func names(cells []string) []string {
	out := make([]string, len(cells))
	for i, c := range cells {
		out[i] = strings.TrimRight(c, ": ")
	}
	return out
}

// oneLine makes every run of white space one blank and drops control characters.
func oneLine(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}
