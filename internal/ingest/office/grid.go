package office

import (
	"strings"

	"github.com/openhuman/openhuman-core/internal/ingest/rows"
)

// A grid is a table that is being read.
type grid struct {
	rows [][]string
	cell strings.Builder // the text of the last cell, which is still growing
	size int
	span int
}

// row begins a row.
func (g *grid) row() {
	g.commit()
	if len(g.rows) <= maxRows {
		g.rows = append(g.rows, nil)
	}
}

// begin begins a cell.
func (g *grid) begin() {
	g.commit()
	if len(g.rows) == 0 {
		g.rows = append(g.rows, nil)
	}
	if row := &g.rows[len(g.rows)-1]; len(*row) < rows.MaxColumns {
		*row = append(*row, "")
	}
}

// add puts a paragraph into the last cell.
func (g *grid) add(text string) {
	if len(g.rows) == 0 || len(g.rows[len(g.rows)-1]) == 0 {
		g.begin()
	}
	if g.size += len(text); g.size > maxText {
		return // the writer takes no more either
	}
	if g.cell.Len() > 0 {
		g.cell.WriteByte('\n')
	}
	g.cell.WriteString(text)
}

// commit ends the last cell and returns it, nil when there is none.
func (g *grid) commit() *string {
	if len(g.rows) == 0 {
		return nil
	}
	row := g.rows[len(g.rows)-1]
	if len(row) == 0 {
		return nil
	}
	last := &row[len(row)-1]
	if g.cell.Len() > 0 {
		if *last != "" {
			*last += "\n"
		}
		*last += g.cell.String()
		g.cell.Reset()
	}
	return last
}
