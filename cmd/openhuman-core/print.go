package main

import (
	"bufio"
	"fmt"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/controller"
)

// previewLines is how many lines of a terminal a preview may take.
const previewLines = 3

// printRows prints what a search found: result as it is for programs, else the rows for people, with
// what there is to say about them on stderr.
func (a *app) printRows(result any, rows []controller.Row, cut *controller.Truncated, hint, note string) error {
	if a.json {
		return a.printJSON(result)
	}
	columns := term.Columns(a.stdout)
	inner := columns
	if inner > 0 {
		inner = max(inner-4, 20)
	}
	out := bufio.NewWriter(a.stdout)
	for i, r := range rows {
		fmt.Fprintf(out, "%2d. %s\n", i+1, term.Cut(headline(r), inner))
		for _, line := range term.Wrap(term.Line(r.Preview), inner, previewLines) {
			fmt.Fprintf(out, "    %s\n", line)
		}
		fmt.Fprintf(out, "    %s\n", r.ChunkID)
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	a.remark(cut, hint)
	switch {
	case len(rows) == 0 && hint == "":
		fmt.Fprintln(a.stderr, "Nothing found.")
	case len(rows) > 0 && note != "":
		fmt.Fprintln(a.stderr, note)
	}
	return nil
}

// headline is the title of a row with its author, day and source.
func headline(r controller.Row) string {
	var about []string
	for _, s := range []string{r.Author, day(r.TimestampMS), r.SourceID} {
		if s != "" && s != r.Title {
			about = append(about, s)
		}
	}
	s := strings.Join(about, ", ")
	if r.Title != "" {
		s = r.Title + " (" + s + ")"
	}
	return term.Line(s)
}

func day(ms int64) string {
	if ms == 0 {
		return ""
	}
	return time.UnixMilli(ms).UTC().Format(time.DateOnly)
}

// remark tells what was cut and what to try next.
func (a *app) remark(cut *controller.Truncated, hint string) {
	switch {
	case hint != "":
		fmt.Fprintln(a.stderr, term.Clean(hint))
	case cut != nil:
		fmt.Fprintf(a.stderr, "%s: %d of %d shown in full.\n", term.Line(cut.Field), cut.Shown, cut.Total)
	}
}

// env returns the value of a variable in the environment of this run.
func (a *app) env(name string) string {
	value := ""
	for _, e := range a.environ {
		if n, v, ok := strings.Cut(e, "="); ok && n == name {
			value = v
		}
	}
	return value
}
