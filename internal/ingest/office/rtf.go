package office

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/charset"
)

const (
	// maxRTF is how much of a file is read; pictures make most of a larger one.
	maxRTF = 256 << 20
	// maxGroups is how deep groups may be nested.
	maxGroups = 2000
)

// isRTF reports whether a file begins as RTF does.
func isRTF(head []byte) bool { return len(head) > 5 && string(head[:5]) == `{\rtf` }

// readRTF reads rich text.
func readRTF(ctx context.Context, src io.Reader, w *writer) {
	r := &rtf{
		ctx: ctx, w: w, in: bufio.NewReaderSize(io.LimitReader(src, maxRTF), 64<<10),
		page: "windows-1252", fonts: map[int]string{}, styles: map[int]int{}, g: group{uc: 1},
	}
	err := r.read()
	r.flush()
	r.paragraph()
	r.endTable()
	if err != nil && !errors.Is(err, io.EOF) {
		w.fault("it is damaged and was read only up to there")
	} else if len(r.stack) > 0 {
		w.fault("its end is missing")
	}
}

// A group is the state between two braces.
type group struct {
	dest   string // what the text of the group is: "" is the document
	skip   bool
	hidden bool
	mark   bool // the mark of a list item, whose properties are its own
	font   int
	uc     int // characters that stand in for each \u
}

type rtf struct {
	ctx   context.Context
	w     *writer
	in    *bufio.Reader
	stack []group
	g     group

	page   string // the charset of bytes
	fonts  map[int]string
	font   int // that the table defines
	styles map[int]int
	style  int // that the sheet defines
	made   [6]int

	raw    []byte // bytes whose charset is known at their end
	high   rune   // the first half of a pair
	omit   int    // characters to pass over, which stand in for a \u
	text   strings.Builder
	level  int
	list   bool
	depth  int
	inRow  bool
	cells  []string
	rows   [][]string
	sum    strings.Builder // of a property
	starts bool            // right after a brace
	star   bool            // after \*
}

func (r *rtf) read() error {
	for n := 0; ; n++ {
		if n&4095 == 0 && r.ctx.Err() != nil || r.w.full() {
			return nil
		}
		c, err := r.in.ReadByte()
		if err != nil {
			return err
		}
		switch c {
		case '{':
			r.flush()
			if len(r.stack) >= maxGroups {
				return io.ErrUnexpectedEOF
			}
			r.stack = append(r.stack, r.g)
			r.starts, r.star, r.omit = true, false, 0
			continue
		case '}':
			r.flush()
			r.end()
			if len(r.stack) == 0 {
				return io.EOF
			}
			r.g = r.stack[len(r.stack)-1]
			r.stack = r.stack[:len(r.stack)-1]
			if len(r.stack) == 0 {
				return nil
			}
			r.omit = 0
		case '\\':
			if err := r.control(); err != nil {
				return err
			}
			continue
		case '\r', '\n':
			continue
		default:
			r.char(c)
		}
		r.starts = false
	}
}

// char takes a byte of text.
func (r *rtf) char(c byte) {
	if r.omit > 0 {
		r.omit--
		return
	}
	if !r.g.skip && len(r.raw) < maxText {
		r.raw = append(r.raw, c)
	}
}

// control reads what follows a backslash.
func (r *rtf) control() error {
	c, err := r.in.ReadByte()
	if err != nil {
		return err
	}
	if c == '\'' {
		hex := make([]byte, 2)
		if _, err := io.ReadFull(r.in, hex); err != nil {
			return err
		}
		n, err := strconv.ParseUint(string(hex), 16, 8)
		if err == nil {
			r.char(byte(n))
		}
		r.starts = false
		return nil
	}
	if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
		switch c {
		case '\\', '{', '}':
			r.char(c)
		case '~':
			r.char(' ')
		case '_':
			r.char('-')
		case '*':
			r.star = true
			return nil
		case '\r', '\n':
			r.word("par", 0, false)
		}
		r.starts = false
		return nil
	}
	word := []byte{c}
	for {
		if c, err = r.in.ReadByte(); err != nil {
			break
		}
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			break
		}
		if len(word) < 40 {
			word = append(word, c)
		}
	}
	var digits []byte
	for err == nil && (c >= '0' && c <= '9' || c == '-' && len(digits) == 0) {
		if len(digits) < 12 {
			digits = append(digits, c)
		}
		c, err = r.in.ReadByte()
	}
	if err == nil && c != ' ' {
		r.in.UnreadByte() //nolint:errcheck // a byte was just read
	}
	n, bad := strconv.Atoi(string(digits))
	r.word(string(word), n, bad == nil)
	return nil
}

// word does what a control word says.
func (r *rtf) word(word string, n int, has bool) {
	first := r.starts
	star := r.star
	r.starts, r.star = false, false
	if r.omit > 0 && word != "u" {
		r.omit--
		return
	}
	if word != "u" {
		r.flush()
	}
	switch word {
	case "bin":
		if n > 0 {
			io.CopyN(io.Discard, r.in, int64(n)) //nolint:errcheck // the next read meets the same end
		}
		return
	case "uc":
		r.g.uc = max(0, min(n, 20))
		return
	}
	if first {
		switch {
		case unread[word], star && word != "shpinst" && word != "shptxt" && word != "annotation" && word != "atnauthor":
			r.g.skip = true
			return
		case word == "fonttbl", word == "stylesheet", word == "info", word == "title", word == "author", word == "operator", word == "keywords",
			word == "creatim", word == "revtim", word == "annotation", word == "atnauthor", word == "footnote":
			if r.g.dest != "info" || word == "title" || word == "author" || word == "operator" || word == "keywords" || word == "creatim" || word == "revtim" {
				r.g.dest = word
				r.sum.Reset()
				r.made = [6]int{}
			}
			return
		case word == "sp":
			r.g.skip = true
			return
		case word == "listtext", word == "pntext":
			r.g.mark = true
			return
		}
		if r.g.dest == "info" {
			r.g.skip = true // a property of no use
			return
		}
	}
	if r.g.skip {
		return
	}
	if s, ok := marks[word]; ok {
		r.put(s)
		return
	}
	switch word {
	case "ansicpg":
		r.page = codePage(n)
	case "mac":
		r.page = "macintosh"
	case "pc":
		r.page = "cp437"
	case "pca":
		r.page = "cp850"
	case "f":
		if r.g.dest == "fonttbl" {
			r.font = n
		} else {
			r.g.font = n
		}
	case "fcharset":
		if r.g.dest == "fonttbl" && len(r.fonts) < 10_000 {
			if s := charsets[n]; s != "" {
				r.fonts[r.font] = s
			}
		}
	case "plain":
		r.g.hidden = false
	case "v", "deleted":
		r.g.hidden = !has || n != 0
	case "s":
		switch {
		case r.g.dest == "stylesheet":
			r.style = n
		case !r.g.mark:
			r.level = r.styles[n]
		}
	case "outlinelevel":
		if n >= 0 && n < 9 {
			if r.g.dest == "stylesheet" && len(r.styles) < 10_000 {
				r.styles[r.style] = n + 1
			} else {
				r.level = n + 1
			}
		}
	case "pard":
		if !r.g.mark {
			r.level, r.list, r.inRow, r.depth = 0, false, false, 0
		}
	case "ilvl":
		if r.g.dest == "" {
			r.depth = max(0, min(n, 8))
		}
	case "ls":
		r.list = n > 0
	case "intbl":
		r.inRow = true
	case "par", "sect", "page", "column":
		if r.g.dest == "" {
			if r.inRow {
				r.put("\n")
			} else {
				r.paragraph()
			}
		} else {
			r.put("\n")
		}
	case "cell", "nestcell":
		if len(r.cells) < maxWidth*2 {
			r.cells = append(r.cells, strings.TrimSpace(r.text.String()))
		}
		r.text.Reset()
	case "row", "nestrow":
		if len(r.cells) > 0 && len(r.rows) <= maxRows {
			r.rows = append(r.rows, r.cells)
		}
		r.cells = nil
	case "u":
		r.unicode(n)
	case "yr", "mo", "dy", "hr", "min", "sec":
		r.made[strings.Index("yr mo dy hr minsec", word)/3] = n
	}
}

// unicode adds a character by its number, which is signed.
func (r *rtf) unicode(n int) {
	if r.omit > 0 {
		r.omit = 0
	}
	r.flush()
	if n < 0 {
		n += 1 << 16
	}
	c := rune(n)
	r.omit = r.g.uc
	switch {
	case c >= 0xd800 && c < 0xdc00:
		r.high = c
		return
	case c >= 0xdc00 && c < 0xe000 && r.high != 0:
		c = (r.high-0xd800)<<10 + (c - 0xdc00) + 0x10000
	case c >= 0xd800 && c < 0xe000 || !utf8.ValidRune(c):
		c = utf8.RuneError
	}
	r.high = 0
	r.put(string(c))
}

// flush decodes the bytes so far.
func (r *rtf) flush() {
	if len(r.raw) == 0 {
		return
	}
	label := r.page
	if s := r.fonts[r.g.font]; s != "" {
		label = s
	}
	s := ""
	if ascii(r.raw) {
		s = string(r.raw)
	} else {
		s, _ = charset.Decode(r.raw, label)
	}
	r.raw = r.raw[:0]
	r.put(s)
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// put adds text to what the group is about.
func (r *rtf) put(s string) {
	if r.g.skip || r.g.hidden {
		return
	}
	switch r.g.dest {
	case "fonttbl", "info":
	case "":
		if r.text.Len() < maxText {
			r.text.WriteString(s)
		}
	default:
		if r.sum.Len() < 1<<20 {
			r.sum.WriteString(s)
		}
	}
}

// end ends a group that is not part of the document's text.
func (r *rtf) end() {
	outer := group{}
	if n := len(r.stack); n > 0 {
		outer = r.stack[n-1]
	}
	if r.g.skip || r.g.dest == outer.dest && r.g.dest != "stylesheet" {
		return
	}
	s := strings.TrimSpace(r.sum.String())
	r.sum.Reset()
	p := &r.w.props
	switch r.g.dest {
	case "stylesheet":
		if n := headingOf(strings.ToLower(strings.TrimSuffix(s, ";"))); n > 0 && len(r.styles) < 10_000 {
			r.styles[r.style] = n
		}
		r.style = 0
	case "title":
		p.title = clip(s)
	case "author":
		if !nobody(s) {
			p.author.Name = clip(s)
		}
	case "keywords":
		for t := range strings.FieldsFuncSeq(s, func(c rune) bool { return c == ',' || c == ';' }) {
			if t = clip(t); t != "" && len(p.tags) < 50 {
				p.tags = append(p.tags, t)
			}
		}
	case "creatim", "revtim":
		m := r.made
		if t := time.Date(m[0], time.Month(m[1]), m[2], m[3], m[4], m[5], 0, time.UTC); m[0] > 1985 && m[0] < 2100 && m[1] > 0 && (p.time.IsZero() || r.g.dest == "revtim") {
			p.time = t
		}
	case "footnote", "annotation":
		if s != "" && r.text.Len() < maxText {
			fmt.Fprintf(&r.text, " [%s]", strings.Join(strings.Fields(s), " "))
		}
	}
}

// paragraph ends one.
func (r *rtf) paragraph() {
	s := strings.TrimSpace(r.text.String())
	r.text.Reset()
	if s == "" {
		return
	}
	r.endTable()
	switch {
	case r.level > 0 && len(s) < 500:
		r.w.heading(r.level, s)
	case r.list || strings.HasPrefix(s, "•\t") || strings.HasPrefix(s, "·\t"):
		// The mark of the item stands before a tab.
		if mark, rest, ok := strings.Cut(s, "\t"); ok && len(mark) <= 8 {
			s = rest
			if strings.Trim(mark, "0123456789.)") == "" && mark != "" {
				r.w.listItem(r.depth, strings.TrimRight(mark, ".)")+".", s)
				return
			}
		}
		r.w.listItem(r.depth, "-", s)
	default:
		r.w.block(s)
	}
}

func (r *rtf) endTable() {
	if len(r.cells) > 0 {
		r.rows = append(r.rows, r.cells)
		r.cells = nil
	}
	if len(r.rows) > 0 {
		r.w.table(r.rows)
		r.rows = nil
	}
}
