package rows_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/ingest/rows"
)

func lines(table ...[]string) []string {
	var t rows.Table
	var out []string
	add := func(ls []rows.Line) {
		for _, l := range ls {
			out = append(out, fmt.Sprintf("%d %s", l.Row, l.Text))
		}
	}
	for i, r := range table {
		add(t.Add(r, i+1))
	}
	add(t.End())
	return out
}

func TestTable(t *testing.T) {
	for name, c := range map[string]struct {
		table [][]string
		want  []string
	}{
		"names":           {[][]string{{"Name", "Town"}, {"Ann", "Porto"}, {"Bob", ""}}, []string{"2 - Name: Ann; Town: Porto", "3 - Name: Bob"}},
		"no names":        {[][]string{{"1", "2"}, {"3", "4"}}, []string{"1 - 1; 2", "2 - 3; 4"}},
		"dates first":     {[][]string{{"2024-01-02", "Rent"}, {"2024-01-03", "Food"}}, []string{"1 - 2024-01-02; Rent", "2 - 2024-01-03; Food"}},
		"a title above":   {[][]string{{"Budget 2024"}, {}, {"Item", "Cost", "Paid"}, {"Rent", "900", "yes"}}, []string{"1 Budget 2024", "4 - Item: Rent; Cost: 900; Paid: yes"}},
		"a short title":   {[][]string{{"Budget"}, {"Item", "Cost"}, {"Rent", "900"}}, []string{"1 Budget", "3 - Item: Rent; Cost: 900"}},
		"names alone":     {[][]string{{"Name", "Town"}}, []string{"1 Name; Town"}},
		"the same twice":  {[][]string{{"Ann", "Ann"}, {"Bob", "Bo"}}, []string{"1 - Ann; Ann", "2 - Bob; Bo"}},
		"a gap":           {[][]string{{"", "Name", "", "Town"}, {"x", "Ann", "y", "Porto"}}, []string{"2 - x; Name: Ann; y; Town: Porto"}},
		"several lines":   {[][]string{{"Note", "By"}, {"one\n\ttwo\x00", "Ann"}}, []string{"2 - Note: one two; By: Ann"}},
		"years":           {[][]string{{"Town", "2023", "2024"}, {"Porto", "5", "7"}}, []string{"2 - Town: Porto; 2023: 5; 2024: 7"}},
		"one column":      {[][]string{{"Books"}, {"Emma"}, {"Ulysses"}}, []string{"2 - Books: Emma", "3 - Books: Ulysses"}},
		"nothing":         {[][]string{{}, {"", " "}}, nil},
		"colon in a name": {[][]string{{"Name:", "Town:"}, {"Ann", "Porto"}}, []string{"2 - Name: Ann; Town: Porto"}},
	} {
		if diff := cmp.Diff(c.want, lines(c.table...)); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// However many rows there are, each comes once and in order.
func TestManyRows(t *testing.T) {
	table := [][]string{{"Number", "Word"}}
	for i := range 100 {
		table = append(table, []string{fmt.Sprint(i), "x"})
	}
	got := lines(table...)
	if len(got) != 100 || got[0] != "2 - Number: 0; Word: x" || got[99] != "101 - Number: 99; Word: x" {
		t.Errorf("%d lines, %q", len(got), got[0])
	}
}

func TestBounds(t *testing.T) {
	wide := make([]string, 5000)
	for i := range wide {
		wide[i] = "1"
	}
	if got := lines(wide, []string{"2"}); strings.Count(got[0], "1") != rows.MaxColumns+1 {
		t.Errorf("%d columns", strings.Count(got[0], "1"))
	}
	if got := lines([]string{strings.Repeat("é", rows.MaxCell), "x"}, []string{"1"}); len(got[0]) > rows.MaxCell+20 || strings.ContainsRune(got[0], '\uFFFD') {
		t.Errorf("%d bytes", len(got[0]))
	}
}
