package term

import (
	"bufio"
	"io"
	"strings"
)

// A Table lays out rows in columns.
type Table struct {
	Head  []string
	Right []int // columns that are aligned to the right
	Wide  int   // the column that is cut when a row is wider than the terminal
	rows  [][]string
}

// Row adds a row. Cells are made one clean line each.
func (t *Table) Row(cells ...string) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = Line(c)
	}
	t.rows = append(t.rows, row)
}

// Write writes the table in at most columns columns; 0 is unlimited.
func (t *Table) Write(w io.Writer, columns int) error {
	rows := t.rows
	if len(t.Head) > 0 {
		rows = append([][]string{t.Head}, rows...)
	}
	var widths []int
	for _, row := range rows {
		for i, c := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(c))
		}
	}
	total := 2 * (len(widths) - 1)
	for _, n := range widths {
		total += n
	}
	if columns > 0 && total > columns && t.Wide < len(widths) {
		widths[t.Wide] = max(8, widths[t.Wide]-(total-columns))
	}
	out := bufio.NewWriter(w)
	for _, row := range rows {
		var line strings.Builder
		for i, c := range row {
			c = Cut(c, widths[i])
			pad := strings.Repeat(" ", widths[i]-Width(c))
			if i > 0 {
				line.WriteString("  ")
			}
			if t.right(i) {
				line.WriteString(pad + c)
			} else {
				line.WriteString(c + pad)
			}
		}
		s := strings.TrimRight(line.String(), " ")
		if columns > 0 {
			s = Cut(s, columns)
		}
		out.WriteString(s + "\n")
	}
	return out.Flush()
}

func (t *Table) right(i int) bool {
	for _, r := range t.Right {
		if r == i {
			return true
		}
	}
	return false
}
