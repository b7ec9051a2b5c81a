// Package plain reads text without any structure of its own: .txt files, logs, and whatever other
// text no other reader knows. It holds no Markdown and no charset tables.
package plain

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/rivo/uniseg"

	"github.com/openhuman/openhuman-core/internal/charset"
	"github.com/openhuman/openhuman-core/internal/doc"
)

// Limits of the reader. A file larger than PartBytes becomes several documents, so that memory is
// bounded whatever the size of the file and the length of its lines.
const (
	PartBytes = 1 << 20
	MaxBytes  = 1 << 30 // what is read of one file; the rest is left out, and the report says so
)

// Reader reads plain text. It implements doc.Reader.
type Reader struct {
	part int
	max  int64
}

// New returns a Reader with the product's limits.
func New() *Reader { return WithLimits(PartBytes, MaxBytes) }

// WithLimits returns a Reader that cuts documents of about part bytes and reads at most maxBytes.
func WithLimits(part int, maxBytes int64) *Reader { return &Reader{part, maxBytes} }

// Name implements doc.Reader.
func (*Reader) Name() string { return "plain" }

// Version implements doc.Reader.
func (*Reader) Version() int { return 2 }

// Detect takes whatever is text, with the least confidence of all.
func (*Reader) Detect(in *doc.Input) int {
	if isText(in.Head, int64(len(in.Head)) >= in.Size) {
		return 1
	}
	return 0
}

// isText reports whether b, the beginning of a file (or all of it), reads as text. Control characters
// tell what is binary; bytes above ASCII tell nothing, since every charset has its own use of them.
func isText(b []byte, all bool) bool {
	switch bom(b) {
	case "utf-16le", "utf-16be", "utf-32le", "utf-32be":
		return true
	}
	zeros := bytes.Count(b, []byte("\x00"))
	if zeros > 0 && isUTF16(b) {
		return true
	}
	odd := 0
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != '\f' && c != 0x1b && c != '\b' && c != 0x1a {
			odd++
		}
	}
	if !all {
		b = whole(b)
	}
	if utf8.Valid(b) {
		shifts := bytes.Count(b, []byte("\x0e")) + bytes.Count(b, []byte("\x0f")) // of ISO-2022-KR
		if shifts > 0 && charset.Guess(b) == "iso-2022-kr" {
			odd -= shifts
		}
		// A short note may hold a zero or two that a fault has left there.
		stray := zeros > 0 && zeros <= 3 && odd == zeros && zeros*10 <= len(b)
		return odd*100 <= len(b) || stray || isUTF16(b)
	}
	return odd*500 <= len(b) || isUTF16(b)
}

// isUTF16 reports whether b is text of two bytes a character, which holds no more control characters
// than other text.
func isUTF16(b []byte) bool {
	name := charset.Guess(b)
	if name != "utf-16le" && name != "utf-16be" {
		return false
	}
	text, _ := charset.Decode(b[:len(b)&^1], name)
	return !strings.ContainsRune(text, utf8.RuneError) && len(text) > len(b)/2*9/10
}

// bom names the charset that a byte order mark states.
func bom(b []byte) string {
	switch {
	case bytes.HasPrefix(b, []byte("\xef\xbb\xbf")):
		return "utf-8"
	case bytes.HasPrefix(b, []byte("\xff\xfe\x00\x00")):
		return "utf-32le"
	case bytes.HasPrefix(b, []byte("\x00\x00\xfe\xff")):
		return "utf-32be"
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return "utf-16le"
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return "utf-16be"
	}
	return ""
}

// whole leaves out an unfinished UTF-8 sequence at the end of b.
func whole(b []byte) []byte {
	for i := 1; i <= utf8.UTFMax && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			break
		}
	}
	return b
}

// Read emits one document, or several for a large file.
func (r *Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	f, err := in.Open()
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: cause(err)}, ctx.Err()
	}
	defer f.Close()
	s := splitter{r: r, in: in, src: io.LimitReader(f, r.max), label: bom(in.Head), line: 1}
	if s.label == "" {
		s.label = charset.Guess(in.Head)
	}
	for {
		text, err := s.next()
		if text != "" {
			if e := s.emit(ctx, text, emit); e != nil {
				return doc.Report{}, e
			}
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if ctx.Err() != nil {
				return doc.Report{}, ctx.Err()
			}
			if s.docs > 0 {
				return doc.Report{Outcome: doc.Partial, Reason: "reading stopped: " + cause(err)}, nil
			}
			return doc.Report{Outcome: doc.Failed, Reason: cause(err)}, nil
		}
	}
	switch {
	case in.Size > r.max:
		return doc.Report{Outcome: doc.Partial, Reason: fmt.Sprintf("the first %d MB were taken in, which is the limit for one text file", r.max>>20)}, nil
	case s.docs == 0:
		return doc.Report{Outcome: doc.NoText, Reason: "there is no text in it"}, nil
	}
	return doc.Report{Outcome: doc.OK}, nil
}

// cause says what went wrong without the path, which stands beside it.
func cause(err error) string {
	var pe interface{ Unwrap() error }
	if errors.As(err, &pe) && pe.Unwrap() != nil {
		return pe.Unwrap().Error()
	}
	return err.Error()
}

// splitter cuts a stream into texts of about r.part bytes.
type splitter struct {
	r     *Reader
	in    *doc.Input
	src   io.Reader
	label string // of the charset; "" is UTF-8, and a guess where it is not
	buf   []byte // bytes of the file that no text holds yet
	seen  int64  // bytes of the file that were read
	eof   bool
	docs  int
	line  int
}

// next returns the text of the next part, and io.EOF with or after the last one.
func (s *splitter) next() (string, error) {
	var fail error
	for !s.eof && len(s.buf) <= s.r.part {
		if cap(s.buf)-len(s.buf) < min(s.r.part/4, 512)+utf8.UTFMax {
			// A part, or what is left of a small file and one byte to meet its end.
			more := min(int64(s.r.part+s.r.part/4), max(s.in.Size-s.seen, 0)+1)
			grown := make([]byte, len(s.buf), len(s.buf)+int(more)+512+utf8.UTFMax)
			copy(grown, s.buf)
			s.buf = grown
		}
		n, err := s.src.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		s.seen += int64(n)
		if errors.Is(err, io.EOF) {
			s.eof = true
		} else if err != nil {
			s.eof, fail = true, err
		}
	}
	cut := len(s.buf)
	if !s.eof {
		cut = s.border()
	}
	text, _ := charset.Decode(s.buf[:cut], cmp.Or(s.label, "utf-8"))
	s.buf = s.buf[:copy(s.buf, s.buf[cut:])]
	switch {
	case fail != nil:
		return text, fail
	case s.eof && len(s.buf) == 0:
		return text, io.EOF
	}
	return text, nil
}

// border returns where in a full buffer the next document ends: after a blank line, else a line, a
// sentence, a blank, else between two graphemes.
func (s *splitter) border() int {
	b, half := s.buf[:s.r.part], s.r.part/2
	switch {
	case strings.HasPrefix(s.label, "utf-16"):
		return s.border16()
	case strings.HasPrefix(s.label, "utf-32"):
		return len(b) &^ 3
	}
	for _, mark := range []string{"\n\n", "\r\n\r\n", "\n", ". ", "。", " "} {
		if i := bytes.LastIndex(b[half:], []byte(mark)); i >= 0 {
			return half + i + len(mark)
		}
	}
	if s.label != "" && s.label != "utf-8" {
		return charset.Whole(b, s.label)
	}
	b = whole(b)
	if b[len(b)-1] < utf8.RuneSelf && s.buf[len(b)] < utf8.RuneSelf || len(b) < 4096 {
		return len(b)
	}
	// Find a border between graphemes near the end, starting from some character before it.
	at := len(b) - 2048
	for at < len(b) && !utf8.RuneStart(b[at]) {
		at++
	}
	cut, state := len(b), -1
	for rest := b[at:]; len(rest) > 0; {
		var g []byte
		g, rest, _, state = uniseg.FirstGraphemeCluster(rest, state)
		if len(rest) > 0 {
			at += len(g)
			cut = at
		}
	}
	return cut
}

// border16 does the same for UTF-16: after a line end, else a blank, else between two characters.
func (s *splitter) border16() int {
	n := s.r.part &^ 1
	unit := func(i int) uint16 {
		if s.label == "utf-16le" {
			return uint16(s.buf[i]) | uint16(s.buf[i+1])<<8
		}
		return uint16(s.buf[i+1]) | uint16(s.buf[i])<<8
	}
	for _, mark := range []uint16{'\n', ' '} {
		for i := n - 2; i >= n/2; i -= 2 {
			if unit(i) == mark {
				return i + 2
			}
		}
	}
	if u := unit(n - 2); u >= 0xD800 && u < 0xDC00 { // the first half of a pair
		n -= 2
	}
	return n
}

func (s *splitter) emit(ctx context.Context, text string, emit doc.Emit) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	line := s.line
	s.line += strings.Count(text, "\n")
	if strings.TrimSpace(text) == "" {
		return nil
	}
	s.docs++
	d := &doc.Document{
		Kind: doc.KindDocument, Key: s.in.Rel, SourceRef: s.in.Rel, Title: doc.FileTitle(s.in.Rel),
		Time: s.in.ModTime, Line: line, Body: text,
	}
	d.Part(s.docs, fmt.Sprintf("%s#L%d", s.in.Rel, line))
	return emit(d)
}
