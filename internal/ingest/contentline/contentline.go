// Package contentline reads what vCard (RFC 6350, RFC 2425) and iCalendar (RFC 5545) have in common: content
// lines, which fold over several lines of a file and hold a name, parameters and a value. It reads them
// as programs write them, in any charset and in the older form of vCard 2.1 and vCalendar 1.0 too. What the
// names mean is not its business.
//
// Memory is bounded: of one content line, MaxLine bytes are kept.
package contentline

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/openhuman/openhuman-core/internal/charset"
)

// Limits of one content line.
const (
	MaxLine   = 256 << 10 // bytes that are kept of it, unfolded
	maxParams = 64
)

// A Line is one content line.
type Line struct {
	Group  string // "item1" of "item1.EMAIL"
	Name   string // in capitals
	Params []Param
	// Value is the value as it is written but for its transfer encoding and charset: valid UTF-8, still
	// with its escapes, see Text and Fields. It is empty where the value is binary.
	Value string
	// Number is where it begins in the file, from 1.
	Number int
	// Cut says that something of it was left out.
	Cut bool
}

// A Param is one parameter of a line; without a name as vCard 2.1 writes it ("TEL;HOME"), it is one of TYPE.
type Param struct {
	Name   string // in capitals
	Values []string
}

// Param returns the first value of a parameter, "" when there is none.
func (l *Line) Param(name string) string {
	for _, p := range l.Params {
		if p.Name == name && len(p.Values) > 0 {
			return p.Values[0]
		}
	}
	return ""
}

// Types returns the values of all TYPE parameters in lower case.
func (l *Line) Types() []string {
	var out []string
	for _, p := range l.Params {
		if p.Name != "TYPE" {
			continue
		}
		for _, v := range p.Values {
			for t := range strings.SplitSeq(v, ",") { // TYPE="home,voice"
				if t = strings.ToLower(strings.TrimSpace(t)); t != "" {
					out = append(out, t)
				}
			}
		}
	}
	return out
}

// A Reader reads content lines.
type Reader struct {
	r       *bufio.Reader
	charset string // of lines that are not UTF-8 and name none
	buf     []byte
	cut     bool
	n       int
	next    int  // the number of the line that comes next
	done    bool // the end was met inside a line
	err     error
}

// NewReader returns the lines of r, whose beginning is head.
func NewReader(r io.Reader, head []byte) *Reader {
	x := &Reader{next: 1}
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		r = transform.NewReader(r, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewDecoder())
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		r = transform.NewReader(r, unicode.UTF16(unicode.BigEndian, unicode.UseBOM).NewDecoder())
	case !utf8.Valid(head):
		x.charset = charset.Guess(head)
	}
	x.r = bufio.NewReaderSize(r, 64<<10)
	return x
}

// Begins reports whether a file that begins with head begins with the line BEGIN:object.
func Begins(head []byte, object string) bool {
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		s, _ := charset.Decode(head[:min(len(head), 1024)&^1], "")
		head = []byte(s)
	}
	head = bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	line, _, _ := bytes.Cut(head[:min(len(head), 256)], []byte("\n"))
	name, value, ok := bytes.Cut(line, []byte(":"))
	return ok && bytes.EqualFold(bytes.TrimSpace(name), []byte("BEGIN")) && bytes.EqualFold(bytes.TrimSpace(value), []byte(object))
}

// Next returns the next content line; io.EOF after the last one, or the error of the file. Lines that are
// none belong to the value before them: some programs forget to fold.
func (x *Reader) Next() (Line, error) {
	for {
		if x.done {
			return Line{}, x.err
		}
		x.buf, x.cut, x.n = x.buf[:0], false, x.next
		if !x.physical() && len(x.buf) == 0 {
			continue
		}
		for !x.done && x.continues() {
		}
		if l, ok := x.parse(); ok {
			return l, nil
		}
	}
}

// physical appends a line of the file to buf and reports whether there was one.
func (x *Reader) physical() bool {
	x.next++
	any := false
	for {
		frag, err := x.r.ReadSlice('\n')
		any = any || len(frag) > 0
		if room := MaxLine - len(x.buf); room < len(frag) {
			x.cut = x.cut || len(bytes.TrimRight(frag, "\r\n")) > max(room, 0)
			frag = frag[:max(room, 0)]
		}
		x.buf = append(x.buf, frag...)
		switch {
		case err == nil:
			x.buf = bytes.TrimRight(x.buf, "\r\n")
			return any
		case !errors.Is(err, bufio.ErrBufferFull):
			x.buf = bytes.TrimRight(x.buf, "\r\n")
			x.done, x.err = true, err
			return any
		}
	}
}

// continues appends the next line of the file to buf when it belongs to the same content line.
func (x *Reader) continues() bool {
	b, err := x.r.Peek(1)
	if err != nil {
		return false
	}
	quoted := x.quoted()
	switch {
	case quoted && bytes.HasSuffix(x.buf, []byte("=")):
		// A soft line break of quoted-printable; some programs fold on top of it.
		x.buf = x.buf[:len(x.buf)-1]
		if b[0] == ' ' || b[0] == '\t' {
			_, _ = x.r.Discard(1)
		}
	case b[0] == ' ' || b[0] == '\t':
		_, _ = x.r.Discard(1)
	case x.border():
		return false
	case b[0] == '\r' || b[0] == '\n':
		// A blank line is nothing, and may be followed by more of a value that was never escaped.
		if !x.blankThenText() {
			return false
		}
		x.buf = append(x.buf, '\n')
	case !x.startsLine():
		x.buf = append(x.buf, '\n')
	default:
		return false
	}
	x.physical()
	return true
}

// quoted reports whether the value in buf is quoted-printable.
func (x *Reader) quoted() bool {
	head, _, ok := bytes.Cut(x.buf[:min(len(x.buf), 1024)], []byte(":"))
	return ok && bytes.Contains(bytes.ToUpper(head), []byte("QUOTED-PRINTABLE"))
}

// border reports whether buf begins or ends an object: no text belongs to that.
func (x *Reader) border() bool {
	name, _, _ := bytes.Cut(x.buf[:min(len(x.buf), 16)], []byte(":"))
	return bytes.EqualFold(name, []byte("BEGIN")) || bytes.EqualFold(name, []byte("END"))
}

// startsLine reports whether what comes next begins as a content line does.
func (x *Reader) startsLine() bool {
	b, _ := x.r.Peek(256)
	line, _, _ := bytes.Cut(b, []byte("\n"))
	name, _, ok := nameOf(line)
	return ok && name != ""
}

// blankThenText skips blank lines and reports whether what follows them is no content line.
func (x *Reader) blankThenText() bool {
	for {
		b, err := x.r.Peek(2)
		switch {
		case len(b) == 0 || err != nil && len(b) < 1:
			return false
		case b[0] == '\n':
			_, _ = x.r.Discard(1)
		case b[0] == '\r' && len(b) > 1 && b[1] == '\n':
			_, _ = x.r.Discard(2)
		case b[0] == '\r':
			_, _ = x.r.Discard(1)
			continue
		default:
			return b[0] != ' ' && b[0] != '\t' && !x.startsLine()
		}
		x.next++
	}
}

// nameOf splits "item1.EMAIL;TYPE=home:value" behind its name; ok is false for a line that is none.
func nameOf(line []byte) (name string, rest []byte, ok bool) {
	i := 0
	for i < len(line) && i < 100 {
		c := line[i]
		if c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '-' || c == '.' || c == '_' {
			i++
			continue
		}
		break
	}
	if i == 0 || i == len(line) || line[i] != ':' && line[i] != ';' || bytes.HasPrefix(line[i:], []byte("://")) {
		return "", nil, false
	}
	// A word of prose before a colon is no name: names are written in capitals, or lower throughout.
	s := string(line[:i])
	last := s[strings.LastIndexByte(s, '.')+1:]
	if last == "" || last != strings.ToUpper(last) && last != strings.ToLower(last) && !strings.HasPrefix(strings.ToUpper(last), "X-") &&
		!strings.EqualFold(last, "begin") && !strings.EqualFold(last, "end") {
		return "", nil, false
	}
	return s, line[i:], true
}

// parse reads what stands in buf.
func (x *Reader) parse() (Line, bool) {
	b := x.buf
	if x.n == 1 {
		b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	}
	b = bytes.TrimLeft(b, " \t")
	name, rest, ok := nameOf(b)
	if !ok {
		return Line{}, false
	}
	l := Line{Name: strings.ToUpper(name), Number: x.n, Cut: x.cut}
	if i := strings.LastIndexByte(l.Name, '.'); i >= 0 {
		l.Group, l.Name = strings.ToLower(l.Name[:i]), l.Name[i+1:]
	}
	value, ok := l.params(rest, x.text)
	if !ok {
		return Line{}, false
	}
	encoding := strings.ToUpper(l.Param("ENCODING"))
	switch {
	case encoding == "B" || encoding == "BASE64" || strings.EqualFold(l.Param("VALUE"), "binary"), bytes.HasPrefix(value, []byte("data:")):
	case encoding == "QUOTED-PRINTABLE":
		l.Value = x.text(unquote(value), l.Param("CHARSET"))
	default:
		l.Value = x.text(value, l.Param("CHARSET"))
	}
	return l, true
}

// params reads the parameters before the value, which it returns.
func (l *Line) params(b []byte, text func([]byte, string) string) (value []byte, ok bool) {
	for len(b) > 0 && b[0] == ';' {
		b = b[1:]
		i := 0
		for i < len(b) && b[i] != '=' && b[i] != ';' && b[i] != ':' {
			i++
		}
		p := Param{Name: strings.ToUpper(text(bytes.TrimSpace(b[:i]), ""))}
		b = b[i:]
		if len(b) > 0 && b[0] == '=' {
			p.Values, b = paramValues(b[1:], text)
		} else if v := p.Name; v == "QUOTED-PRINTABLE" || v == "BASE64" {
			p = Param{Name: "ENCODING", Values: []string{v}}
		} else {
			p = Param{Name: "TYPE", Values: []string{v}}
		}
		if len(l.Params) < maxParams {
			l.Params = append(l.Params, p)
		}
	}
	if len(b) == 0 || b[0] != ':' {
		return nil, false
	}
	return b[1:], true
}

// paramValues reads values between commas, which may be quoted.
func paramValues(b []byte, text func([]byte, string) string) (values []string, rest []byte) {
	for {
		i := 0
		var v []byte
		if len(b) > 0 && b[0] == '"' {
			if end := bytes.IndexByte(b[1:], '"'); end >= 0 {
				v, i = b[1:1+end], end+2
			} else { // never closed: it ends where the value begins
				i = max(1, bytes.LastIndexByte(b, ':'))
				v = b[1:i]
			}
			for i < len(b) && b[i] != ',' && b[i] != ';' && b[i] != ':' {
				i++
			}
		} else {
			for i < len(b) && b[i] != ',' && b[i] != ';' && b[i] != ':' {
				i++
			}
			v = b[:i]
		}
		if len(values) < maxParams {
			values = append(values, caret.Replace(text(v, "")))
		}
		if i >= len(b) || b[i] != ',' {
			return values, b[i:]
		}
		b = b[i+1:]
	}
}

// caret undoes the escapes of parameter values (RFC 6868).
var caret = strings.NewReplacer("^n", "\n", "^'", `"`, "^^", "^")

// text decodes bytes with that label.
func (x *Reader) text(b []byte, label string) string {
	if label == "" && !utf8.Valid(b) {
		label = x.charset
	}
	if label == "" {
		if utf8.Valid(b) && bytes.IndexFunc(b, odd) < 0 {
			return string(b)
		}
	}
	s, _ := charset.Decode(b, label)
	return s
}

func odd(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == utf8.RuneError }

// unquote decodes quoted-printable; what is wrong stays as it is.
func unquote(b []byte) []byte {
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if b[i] == '=' && i+2 < len(b) {
			hi, lo := hex(b[i+1]), hex(b[i+2])
			if hi >= 0 && lo >= 0 {
				out = append(out, byte(hi<<4|lo))
				i += 2
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}

func hex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c|0x20 >= 'a' && c|0x20 <= 'f':
		return int(c|0x20-'a') + 10
	}
	return -1
}
