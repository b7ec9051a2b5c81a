package talk

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"unicode/utf8"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/openhuman/openhuman-core/internal/charset"
)

// MaxLine is the longest line that is read whole; a longer one comes in parts.
const MaxLine = 256 << 10

// Lines reads the lines of a text in whatever charset.
type Lines struct {
	r     *bufio.Reader
	label string // of a charset in which bytes are read by line; "" for UTF-8
	n     int
	part  bool   // the last line went on
	rest  []byte // the beginning of a character of which a part of a line ended
}

// bufferSize is how much of a file is read at once.
const bufferSize = 64 << 10

// NewLines returns the lines of r, whose beginning is head.
func NewLines(r io.Reader, head []byte) *Lines { return newLines(r, head, bufferSize) }

func newLines(r io.Reader, head []byte, size int) *Lines {
	l := &Lines{}
	switch name := Charset(head); name {
	case "utf-16le", "utf-16be":
		end := unicode.LittleEndian
		if name == "utf-16be" {
			end = unicode.BigEndian
		}
		r = transform.NewReader(r, unicode.UTF16(end, unicode.UseBOM).NewDecoder())
	default:
		l.label = name
	}
	l.r = bufio.NewReaderSize(r, size)
	return l
}

// Charset returns the charset of a text that begins with head, "" for UTF-8.
func Charset(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte("\xff\xfe")):
		return "utf-16le"
	case bytes.HasPrefix(head, []byte("\xfe\xff")):
		return "utf-16be"
	}
	// The head may end inside a character.
	for cutAt := 0; cutAt < utf8.UTFMax && cutAt < len(head); cutAt++ {
		if utf8.Valid(head[:len(head)-cutAt]) {
			return ""
		}
	}
	if len(head) == 0 {
		return ""
	}
	name := charset.Guess(head)
	if name == "utf-8" || name == "us-ascii" {
		return ""
	}
	return name
}

// Next returns the next line without its end, and io.EOF after the last one.
func (l *Lines) Next() (string, error) {
	b := l.rest
	l.rest = nil
	for {
		frag, err := l.r.ReadSlice('\n')
		b = append(b, frag...)
		switch {
		case err == nil:
		case errors.Is(err, bufio.ErrBufferFull):
			if len(b) < MaxLine {
				continue
			}
			if !l.part {
				l.n++
			}
			l.part = true
			if n := incomplete(b); n > 0 && l.label == "" {
				b, l.rest = b[:len(b)-n], bytes.Clone(b[len(b)-n:])
			}
			return l.text(b), nil
		case len(b) == 0:
			return "", err
		case !errors.Is(err, io.EOF):
			return "", err
		}
		if !l.part {
			l.n++
		}
		l.part = false
		return l.text(b), nil
	}
}

// incomplete returns how many bytes at the end of b begin a character that does not end in it.
func incomplete(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if c := b[len(b)-n]; utf8.RuneStart(c) {
			if !utf8.FullRune(b[len(b)-n:]) {
				return n
			}
			return 0
		}
	}
	return 0
}

func (l *Lines) text(b []byte) string {
	b = bytes.TrimRight(b, "\r\n")
	if l.label != "" {
		s, _ := charset.Decode(b, l.label)
		return s
	}
	if l.n == 1 {
		b = bytes.TrimPrefix(b, []byte("\xef\xbb\xbf"))
	}
	return string(bytes.ToValidUTF8(b, []byte("\uFFFD")))
}

// Number returns the number, from 1, of the line that Next returned last.
func (l *Lines) Number() int { return l.n }

// Head returns the first lines of a text as strings, as many as stand whole in head.
func Head(head []byte, most int) []string {
	// Each reader of chats looks at each file: what none of them needs is not made.
	l := newLines(bytes.NewReader(head), head, min(len(head), bufferSize))
	var out []string
	for len(out) < most {
		s, err := l.Next()
		if err != nil {
			break
		}
		out = append(out, s)
	}
	return out
}
