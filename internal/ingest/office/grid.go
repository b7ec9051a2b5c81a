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

// grids are the tables that are open, each in a cell of the one before it.
type grids []*grid

// open begins a table.
func (gs *grids) open() {
	if len(*gs) < 10 {
		*gs = append(*gs, &grid{})
	}
}

// end ends the last table and returns its rows. One in a cell has none of its own: its text is the cell's.
func (gs *grids) end() [][]string {
	g := top(*gs)
	if g == nil {
		return nil
	}
	*gs = (*gs)[:len(*gs)-1]
	g.commit()
	outer := top(*gs)
	if outer == nil {
		return g.rows
	}
	for _, row := range g.rows {
		outer.add(strings.Join(row, " "))
	}
	return nil
}

// top returns the last of what is open, nil when nothing is.
func top[T any](open []*T) *T {
	if n := len(open); n > 0 {
		return open[n-1]
	}
	return nil
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
