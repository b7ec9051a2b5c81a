package csv

import (
	"bytes"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/openhuman/openhuman-core/internal/charset"
	"github.com/openhuman/openhuman-core/internal/ingest/rows"
)

// blockBytes is how much of a file is decoded at a time.
const blockBytes = 256 << 10

// A decoder turns a file in any charset into text, block by block.
type decoder struct {
	src   io.Reader
	label string
	buf   []byte
	eof   bool
	err   error
}

func newDecoder(src io.Reader, head []byte) *decoder {
	d := &decoder{src: src, label: charset.Guess(head)}
	endian, mark := unicode.LittleEndian, unicode.IgnoreBOM
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		mark = unicode.UseBOM
	case d.label == "utf-16be":
		endian = unicode.BigEndian
	case d.label == "utf-16le":
	default:
		return d
	}
	// Line ends of two bytes are not to be found in bytes.
	d.src, d.label = transform.NewReader(src, unicode.UTF16(endian, mark).NewDecoder()), "utf-8"
	return d
}

// next returns the text of the next block, and io.EOF with the last one.
func (d *decoder) next() (string, error) {
	if d.buf == nil {
		d.buf = make([]byte, 0, blockBytes)
	}
	for !d.eof && len(d.buf) < blockBytes {
		n, err := d.src.Read(d.buf[len(d.buf):blockBytes])
		d.buf = d.buf[:len(d.buf)+n]
		if err != nil {
			d.eof, d.err = true, err
		}
	}
	cut := len(d.buf)
	if !d.eof {
		if i := bytes.LastIndexByte(d.buf, '\n'); i >= 0 {
			cut = i + 1
		} else if d.label != "" && d.label != "utf-8" {
			cut = charset.Whole(d.buf, d.label)
		} else {
			for cut > len(d.buf)-utf8.UTFMax && cut > 1 && !utf8.RuneStart(d.buf[cut-1]) {
				cut--
			}
			cut--
		}
		if cut <= 0 {
			cut = len(d.buf)
		}
	}
	text, _ := charset.Decode(d.buf[:cut], d.label)
	d.buf = d.buf[:copy(d.buf, d.buf[cut:])]
	if d.eof && len(d.buf) == 0 {
		return text, d.err
	}
	return text, nil
}

// decodeHead returns the whole lines of the first bytes as text; ok is false for what is none.
func decodeHead(head []byte, all bool) (text string, ok bool) {
	if !bytes.HasPrefix(head, []byte("\xff\xfe")) && !bytes.HasPrefix(head, []byte("\xfe\xff")) {
		odd := 0
		for _, c := range head {
			if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' {
				odd++
			}
		}
		if odd*500 > len(head) {
			if wide := charset.Guess(head); wide != "utf-16le" && wide != "utf-16be" {
				return "", false
			}
		}
	}
	d := newDecoder(bytes.NewReader(head), head)
	var b strings.Builder
	for {
		t, err := d.next()
		b.WriteString(t)
		if err != nil {
			break
		}
	}
	text = b.String()
	if !all {
		if i := strings.LastIndexByte(text, '\n'); i > 0 {
			text = text[:i+1]
		}
	}
	return text, true
}

// tabular reports, at no cost, whether the first two lines may be rows of a table.
func tabular(head []byte) bool {
	head = head[:min(len(head), 8<<10)]
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	for _, c := range []string{"\t", ";", ",", "|"} {
		if bytes.Count(first, []byte(c)) >= 2 && bytes.Count(second, []byte(c)) >= 2 {
			return true
		}
	}
	return false
}

// separator finds what stands between the values: the mark that gives rows of the most even width.
// width is that of most rows, n how many rows have it; comma is 0 when no mark makes a table.
func separator(text string) (comma byte, width, n int) {
	if first, _, ok := strings.Cut(text, "\n"); ok {
		if s := strings.TrimSpace(first); len(s) == 5 && strings.EqualFold(s[:4], "sep=") {
			return s[4], 2, 2 // as spreadsheets write it
		}
	}
	text = text[:min(len(text), 16<<10)]
	best := 0
	for _, c := range []byte{'\t', ';', ',', '|'} {
		if strings.IndexByte(text, c) < 0 {
			continue
		}
		var widths []int
		p := parser{comma: c, row: func(cells []string) {
			if len(cells) > 1 || cells[0] != "" {
				widths = append(widths, len(cells))
			}
		}}
		p.write(text)
		p.end()
		if len(widths) > 2 {
			widths = widths[:len(widths)-1] // it may be cut off
		}
		count := map[int]int{}
		for _, w := range widths {
			count[w]++
		}
		for _, w := range slices.Sorted(maps.Keys(count)) {
			k := count[w]
			if w < 2 || k*10 < len(widths)*6 || len(widths) < 2 && k < 1 {
				continue
			}
			if score := k*100/len(widths)*10 + min(w, 9); score > best {
				best, comma, width, n = score, c, w, k
			}
		}
	}
	return comma, width, n
}

// A parser finds rows and values in text that comes in pieces. It takes what is not quite right: a
// quote inside a value is one, and a quoted value that never ends does at MaxCell.
type parser struct {
	comma byte
	row   func(cells []string)

	cells   []string
	cell    []byte
	quoted  bool // inside quotes
	closing bool // after a quote inside quotes
	any     bool // the row has begun
	started bool
}

func (p *parser) write(text string) {
	if !p.started && text != "" {
		p.started = true
		if first, rest, ok := strings.Cut(text, "\n"); ok {
			if s := strings.TrimSpace(first); len(s) == 5 && strings.EqualFold(s[:4], "sep=") && s[4] == p.comma {
				text = rest
			}
		}
	}
	for i := 0; i < len(text); i++ {
		c := text[i]
		if p.quoted {
			switch {
			case p.closing && c == '"':
				p.add('"')
				p.closing = false
				continue
			case p.closing:
				p.quoted, p.closing = false, false
			case c == '"':
				p.closing = true
				continue
			default:
				p.add(c)
				if len(p.cell) >= rows.MaxCell {
					p.quoted = false
				}
				continue
			}
		}
		switch c {
		case p.comma:
			p.endCell()
		case '\n':
			p.endRow()
		case '"':
			p.any = true
			if len(bytes.TrimSpace(p.cell)) == 0 {
				p.cell, p.quoted = p.cell[:0], true
			} else {
				p.add(c)
			}
		default:
			p.any = true
			p.add(c)
		}
	}
}

func (p *parser) add(c byte) {
	if len(p.cell) < rows.MaxCell+utf8.UTFMax {
		p.cell = append(p.cell, c)
	}
}

func (p *parser) endCell() {
	p.any = true
	if len(p.cells) < rows.MaxColumns {
		p.cells = append(p.cells, strings.ToValidUTF8(string(p.cell), ""))
	}
	p.cell = p.cell[:0]
}

func (p *parser) endRow() {
	if p.any {
		p.endCell()
	} else {
		p.cells = append(p.cells, "")
	}
	p.row(p.cells)
	p.cells, p.any = p.cells[:0], false
}

// end ends the last row.
func (p *parser) end() {
	if p.any || len(p.cells) > 0 || len(p.cell) > 0 {
		p.endRow()
	}
}
