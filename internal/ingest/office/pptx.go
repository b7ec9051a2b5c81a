package office

import (
	"context"
	"encoding/xml"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/ingest/zipped"
)

// maxSlides bounds a presentation.
const maxSlides = 5000

// readPPTX reads a presentation slide by slide, each with its notes.
func readPPTX(ctx context.Context, c *zipped.Container, w *writer) {
	main := "ppt/presentation.xml"
	if !c.Has(main) {
		main = mainPart(c)
	}
	rels := relations(c, main)
	var slides []string
	if p := openPart(c, main); p != nil {
		for t := p.next(); t != nil && len(slides) < maxSlides; t = p.next() {
			if e, ok := t.(xml.StartElement); ok && e.Name.Local == "sldId" {
				if r := rels[relAttr(e, "id")]; r.kind == "slide" {
					slides = append(slides, r.target)
				}
			}
		}
		if s := fault(p.err); s != "" {
			w.fault(s)
		}
		p.close()
	}
	for i, name := range slides {
		if ctx.Err() != nil || w.full() {
			return
		}
		w.place(fmt.Sprintf("slide=%d", i+1))
		s := readSlide(c, name, w)
		if len(s.blocks) == 0 && s.title == "" {
			continue
		}
		if s.title == "" {
			s.title = fmt.Sprintf("Slide %d", i+1)
		}
		w.heading(2, s.title)
		s.write(w)
		links := relations(c, name)
		for _, id := range sortedKeys(links) {
			switch r := links[id]; r.kind {
			case "diagramData":
				d := readSlide(c, r.target, w)
				d.write(w)
			case "notesSlide":
				n := readSlide(c, r.target, w)
				var text []string
				for _, b := range n.blocks {
					if b.kind == "body" {
						text = append(text, b.text)
					}
				}
				if len(text) > 0 {
					w.block("Notes: " + strings.Join(text, "\n"))
				}
			case "comments":
				d := readSlide(c, r.target, w)
				for _, b := range d.blocks {
					w.block("Comment: " + b.text)
				}
			}
		}
	}
}

func sortedKeys(m map[string]relation) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// A slide is what stands on one.
type slide struct {
	title  string
	blocks []slideBlock
}

// A slideBlock is a paragraph or a table.
type slideBlock struct {
	kind  string // of the placeholder: "body" is the text with points
	depth int
	text  string
	rows  [][]string
}

// write adds everything but the title.
func (s *slide) write(w *writer) {
	points := 0
	for _, b := range s.blocks {
		if b.kind == "body" {
			points++
		}
	}
	for _, b := range s.blocks {
		switch {
		case b.rows != nil:
			w.table(b.rows)
		case b.kind == "body" && points > 1:
			w.listItem(b.depth, "-", b.text)
		default:
			w.block(b.text)
		}
	}
}

// readSlide reads the paragraphs of a slide, of notes or of a diagram.
func readSlide(c *zipped.Container, name string, w *writer) *slide {
	s := &slide{}
	p := openPart(c, name)
	if p == nil {
		return s
	}
	defer p.close()
	kind, depth := "", 0
	var text strings.Builder
	inside := false // a paragraph
	var rows [][]string
	size := 0
	for size < maxText {
		t := p.next()
		if t == nil {
			break
		}
		switch e := t.(type) {
		case xml.StartElement:
			switch e.Name.Local {
			case "Fallback", "del":
				p.skip()
			case "sp", "graphicFrame", "cxnSp", "pic":
				kind = ""
			case "ph":
				if kind = attr(e, "type"); kind == "" || kind == "obj" || kind == "subTitle" {
					kind = "body"
				}
			case "p":
				inside, depth = true, 0
				text.Reset()
			case "pPr":
				if v := attr(e, "lvl"); len(v) == 1 && v[0] >= '0' && v[0] <= '8' {
					depth = int(v[0] - '0')
				}
			case "t":
				if inside {
					text.WriteString(p.text(maxText))
				}
			case "br":
				text.WriteByte('\n')
			case "tbl":
				rows = [][]string{}
			case "tr":
				if rows != nil && len(rows) < maxRows {
					rows = append(rows, nil)
				}
			case "tc":
				if n := len(rows); n > 0 {
					rows[n-1] = append(rows[n-1], "")
				}
			case "text": // of a comment
				if s := p.text(maxText); strings.TrimSpace(s) != "" {
					text.WriteString(s)
				}
			}
		case xml.EndElement:
			switch e.Name.Local {
			case "p", "cm":
				inside = false
				line := strings.TrimSpace(text.String())
				text.Reset()
				size += len(line)
				switch n := len(rows); {
				case line == "" || kind == "sldNum" || kind == "ftr" || kind == "dt" || kind == "hdr" || kind == "sldImg":
				case n > 0 && len(rows[n-1]) > 0:
					cell := &rows[n-1][len(rows[n-1])-1]
					*cell = strings.TrimSpace(*cell + "\n" + line)
				case kind == "title" || kind == "ctrTitle":
					s.title = strings.TrimSpace(s.title + " " + line)
				default:
					s.blocks = append(s.blocks, slideBlock{kind: kind, depth: depth, text: line})
				}
			case "tbl":
				if rows != nil {
					s.blocks = append(s.blocks, slideBlock{rows: rows})
				}
				rows = nil
			case "sp", "graphicFrame":
				kind = ""
			}
		}
	}
	if f := fault(p.err); f != "" {
		w.fault(f)
	}
	if base := path.Base(name); strings.HasPrefix(base, "comment") {
		s.title = ""
	}
	return s
}
