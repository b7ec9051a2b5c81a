package office

import (
	"cmp"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
)

const (
	// maxText is how much text is taken of one file.
	maxText = 16 << 20
	// partText is the size at which a document ends and another begins.
	partText = 1 << 20
	// maxCell bounds a cell of a table that is written as one; larger ones are text.
	maxCell = 400
	// maxWidth and maxRows bound a table that is written as one.
	maxWidth, maxRows = 50, 5000
)

// A writer makes documents of the text that a reading finds.
type writer struct {
	in    *doc.Input
	emit  doc.Emit
	props props

	b      strings.Builder
	places []doc.Place
	ref    string // of what is written now
	item   bool   // the last block was a list item
	taken  int    // bytes of text so far
	docs   int
	flaw   string // the first thing that went wrong
	err    error  // of emit
}

func newWriter(in *doc.Input, emit doc.Emit, p props) *writer {
	return &writer{in: in, emit: emit, props: p, ref: in.Rel}
}

// full reports whether nothing more is taken.
func (w *writer) full() bool { return w.err != nil || w.taken > maxText }

func (w *writer) fault(s string) {
	if w.flaw == "" {
		w.flaw = s
	}
}

// place says where in the file stands what is written next.
func (w *writer) place(fragment string) {
	w.ref = w.in.Rel
	if fragment != "" {
		w.ref += "#" + fragment
	}
}

// write adds a block, set off by sep from what is before it.
func (w *writer) write(sep, s string) {
	if s = strings.Trim(s, "\n"); strings.TrimSpace(s) == "" || w.full() {
		return
	}
	if w.taken += len(s); w.taken > maxText {
		w.fault(fmt.Sprintf("the first %d MB of its text were taken in, which is the limit for one file", maxText>>20))
		return
	}
	if w.b.Len() > partText {
		w.flush()
	}
	if w.b.Len() > 0 {
		w.b.WriteString(sep)
	}
	if n := len(w.places); n == 0 || w.places[n-1].Ref != w.ref {
		w.places = append(w.places, doc.Place{Offset: w.b.Len(), Ref: w.ref})
	}
	w.b.WriteString(s)
}

func (w *writer) block(s string) {
	w.write("\n\n", tidy(s))
	w.item = false
}

func (w *writer) heading(level int, s string) {
	if s = strings.Join(strings.Fields(tidy(s)), " "); s != "" {
		w.write("\n\n", strings.Repeat("#", min(max(level, 1), 6))+" "+s)
	}
	w.item = false
}

// listItem adds an item at a depth from 0; mark is "-" or "3.".
func (w *writer) listItem(depth int, mark, s string) {
	sep := "\n\n"
	if w.item {
		sep = "\n"
	}
	indent := strings.Repeat("  ", min(depth, 8))
	s = strings.ReplaceAll(strings.TrimSpace(tidy(s)), "\n", "\n"+indent+"  ")
	if s == "" {
		return
	}
	w.write(sep, indent+mark+" "+s)
	w.item = true
}

// line adds a line right below the one before it.
func (w *writer) line(s string) {
	w.write("\n", s)
	w.item = false
}

// table adds a table: as one when it is data, else as the text in it.
func (w *writer) table(rows [][]string) {
	width := 0
	kept := rows[:0:0]
	data := len(rows) <= maxRows
	for _, r := range rows {
		for len(r) > 0 && strings.TrimSpace(r[len(r)-1]) == "" {
			r = r[:len(r)-1]
		}
		if len(r) == 0 {
			continue
		}
		width = max(width, len(r))
		for _, c := range r {
			data = data && len(c) <= maxCell && strings.Count(strings.TrimSpace(c), "\n") < 4
		}
		kept = append(kept, r)
	}
	if !data || width < 2 || width > maxWidth || len(kept) < 2 {
		for _, r := range kept {
			for _, c := range r {
				w.block(c)
			}
		}
		return
	}
	var b strings.Builder
	for i, r := range kept {
		for j := range width {
			b.WriteString("| ")
			if j < len(r) {
				if c := strings.Join(strings.Fields(tidy(r[j])), " "); c != "" {
					b.WriteString(strings.ReplaceAll(c, "|", `\|`))
					b.WriteByte(' ')
				}
			}
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("| --- ", width) + "|\n")
		}
	}
	w.block(b.String())
}

// flush emits what was written.
func (w *writer) flush() {
	if w.b.Len() == 0 || w.err != nil {
		return
	}
	w.docs++
	d := &doc.Document{
		Kind: doc.KindDocument, Key: w.in.Rel, SourceRef: w.in.Rel, Markdown: true, Body: w.b.String(), Places: w.places,
		Author: w.props.author, To: w.props.others, Tags: w.props.tags, Time: w.props.time,
		Title: cmp.Or(w.props.title, doc.FileTitle(w.in.Rel)),
	}
	if d.Time.IsZero() {
		d.Time = w.in.ModTime
	}
	d.Part(w.docs, w.places[0].Ref)
	w.b.Reset()
	w.places, w.item = nil, false
	w.err = w.emit(d)
}

// finish emits the rest and reports.
func (w *writer) finish() (doc.Report, error) {
	w.flush()
	switch {
	case w.err != nil:
		return doc.Report{}, w.err
	case w.docs == 0 && w.flaw != "":
		return doc.Report{Outcome: doc.Failed, Reason: w.flaw}, nil
	case w.docs == 0:
		return doc.Report{Outcome: doc.NoText, Reason: "there is no text in it"}, nil
	case w.flaw != "":
		return doc.Report{Outcome: doc.Partial, Reason: w.flaw}, nil
	}
	return doc.Report{Outcome: doc.OK}, nil
}

// tidy drops what is never seen, and blanks at line ends.
func tidy(s string) string {
	if s == "" {
		return s
	}
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\u00ad' || r == '\u200b' || r == '\ufeff' || r < ' ' && r != '\n' && r != '\t' || r == 0x7f:
			return -1
		case r == '\u00a0' || r == '\u2007':
			return ' '
		case r == '\u2028' || r == '\u2029':
			return '\n'
		}
		return r
	}, s)
	if !strings.Contains(s, " \n") && !strings.HasSuffix(s, " ") {
		return s
	}
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Join(lines, "\n")
}

// props are what a document says about itself.
type props struct {
	title  string
	author doc.Person
	others []doc.Person
	tags   []string
	time   time.Time
}
