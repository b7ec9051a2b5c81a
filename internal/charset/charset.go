// Package charset turns bytes in any character set into clean UTF-8. It follows labels where they
// are right, sees through the usual wrong ones, and never fails. What the text means is not its
// business.
package charset

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html/charset"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/unicode/norm"
)

// bom is the byte order mark as UTF-8 has it.
const bom = "\ufeff"

// Decode returns b as valid UTF-8 with line ends \n and without control characters other than \t
// and \n. The label is what a header or a page says about b; it may be empty, sloppy or wrong.
// certain is false when the text is a guess: a missing, unknown or wrong label on bytes that are not
// UTF-8, or bytes that the character set does not have.
func Decode(b []byte, label string) (text string, certain bool) {
	s, certain := decode(b, label)
	return clean(s), certain
}

// Reader returns the text of r as Decode gives it. It reads all of r at the first Read, so the caller
// limits r; an error of r comes after the text read before it.
func Reader(label string, r io.Reader) io.Reader { return &reader{label: label, src: r} }

type reader struct {
	label string
	src   io.Reader
	text  *strings.Reader
	err   error
}

func (r *reader) Read(p []byte) (int, error) {
	if r.text == nil {
		b, err := io.ReadAll(r.src)
		s, _ := Decode(b, r.label)
		r.text, r.err = strings.NewReader(s), err
	}
	n, err := r.text.Read(p)
	if err == io.EOF && r.err != nil {
		err = r.err
	}
	return n, err
}

func decode(b []byte, label string) (string, bool) {
	switch {
	case bytes.HasPrefix(b, []byte(bom)):
		return utf8Or(b[len(bom):], "")
	case bytes.HasPrefix(b, []byte("\x00\x00\xfe\xff")):
		return utf32(b[4:], true), true
	case bytes.HasPrefix(b, []byte("\xff\xfe\x00\x00")):
		return utf32(b[4:], false), true
	case bytes.HasPrefix(b, []byte("\xfe\xff")):
		return utf16(b[2:], true)
	case bytes.HasPrefix(b, []byte("\xff\xfe")):
		return utf16(b[2:], false)
	}
	name := Canonical(label)
	switch name {
	case "", "utf-8", "us-ascii":
		return utf8Or(b, name)
	case "utf-7":
		return utf7(b)
	case "utf-16", "utf-16le", "utf-16be":
		return labelledUTF16(b, name)
	case "utf-32", "utf-32be":
		return utf32(b, true), true
	case "utf-32le":
		return utf32(b, false), true
	case "iso-2022-kr":
		return shifted(b, []byte{0x0e}, []byte{0x0f}, korean.EUCKR), true
	case "hz-gb-2312":
		return shifted(b, []byte("~{"), []byte("~}"), simplifiedchinese.GB18030), true
	}
	enc := lookup(name)
	if enc == nil {
		s, _ := utf8Or(b, "")
		return s, false
	}
	if ascii(b) && !strings.HasPrefix(name, "iso-2022") {
		return string(b), true
	}
	if lettersHigh[name] && utf8.Valid(b) {
		// Text in these sets has letters beside letters above 0xC0, which is never valid UTF-8.
		return string(b), false
	}
	if lettersHigh[name] {
		if s, ok := mixed(b, name); ok {
			return s, false
		}
	}
	s, bad := run(enc, b)
	if bad && utf8.Valid(b) {
		return string(b), false
	}
	return s, !bad
}

// utf8Or returns b as UTF-8 where it is that, and a guess otherwise.
func utf8Or(b []byte, name string) (string, bool) {
	if utf8.Valid(b) {
		if name != "utf-8" && ascii(b) {
			switch set := sevenBit(b); set {
			case "iso-2022-jp":
				if s, bad := run(lookup(set), b); !bad {
					return s, name == ""
				}
			case "":
			default:
				s, _ := decode(b, set)
				return s, false
			}
		}
		if name == "" {
			if big, ok := unmarkedUTF16(b); ok {
				return utf16(b, big)
			}
		}
		return string(b), true
	}
	if big, ok := unmarkedUTF16(b); ok {
		s, _ := utf16(b, big)
		return s, false
	}
	if mostlyUTF8(b) {
		b = trimCut(b)
	}
	if s, ok := mixed(b, ""); ok {
		return s, false
	}
	s, _ := run(lookup(guess(b)), b)
	return s, false
}

// mostlyUTF8 reports whether b is UTF-8 with a few bytes damaged or its end cut.
func mostlyUTF8(b []byte) bool {
	good, bad := countUTF8(b)
	return good > 3*bad
}

// trimCut drops a character that the end of b cuts.
func trimCut(b []byte) []byte {
	for i := 1; i <= utf8.UTFMax-1 && i <= len(b); i++ {
		if c := b[len(b)-i]; utf8.RuneStart(c) {
			if c >= 0xc0 && !utf8.FullRune(b[len(b)-i:]) {
				return b[:len(b)-i]
			}
			return b
		}
	}
	return b
}

// run decodes b; bad says that enc has no character for some of it.
func run(enc encoding.Encoding, b []byte) (s string, bad bool) {
	out, err := enc.NewDecoder().Bytes(b)
	s = string(out)
	if enc == charmap.Windows1258 { // has tones as characters of their own
		s = norm.NFC.String(s)
	}
	if err != nil {
		return strings.ToValidUTF8(s, "\ufffd"), true
	}
	return s, strings.ContainsRune(s, utf8.RuneError)
}

// Canonical returns the lower-case name of a charset label without quotes, blanks and the usual
// slips; "" stands for no label.
func Canonical(label string) string {
	l := strings.ToLower(strings.Trim(label, " \t\r\n\"'`<>;,"))
	l = strings.TrimPrefix(l, "charset=")
	l = strings.Trim(l, "\"' ")
	if i := strings.IndexByte(l, '*'); i > 0 { // RFC 2231 language: us-ascii*en
		l = l[:i]
	}
	if a, ok := aliases[l]; ok {
		return a
	}
	if a, ok := aliases[strings.ReplaceAll(l, "_", "-")]; ok {
		return a
	}
	return l
}

// Known reports whether a label names a character set that Decode has, or says nothing at all. What has
// another label is a guess, and may come out as other text than it is.
func Known(label string) bool {
	switch name := Canonical(label); name {
	case "", "utf-8", "us-ascii", "utf-7", "utf-16", "utf-16le", "utf-16be", "utf-32", "utf-32be", "utf-32le", "iso-2022-kr", "hz-gb-2312":
		return true
	default:
		return lookup(name) != nil
	}
}

func lookup(name string) encoding.Encoding {
	if enc, ok := extra[name]; ok {
		return enc
	}
	enc, std := charset.Lookup(name)
	if enc == nil || std == "replacement" {
		if u := strings.ReplaceAll(name, "_", "-"); u != name {
			return lookup(u)
		}
		return nil
	}
	return enc
}

func ascii(b []byte) bool {
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isISO2022JP(b []byte) bool {
	return bytes.Contains(b, []byte("\x1b$B")) || bytes.Contains(b, []byte("\x1b$@")) ||
		bytes.Contains(b, []byte("\x1b(J"))
}

// clean removes what no text needs: control characters, a leading byte order mark, foreign line ends.
// Characters from U+0080 to U+009F are bytes of windows-1252 that somebody took for Latin-1.
func clean(s string) string {
	s = strings.TrimPrefix(s, bom)
	i := cleanPrefix(s)
	if i == len(s) {
		return s
	}
	var out strings.Builder
	out.Grow(len(s))
	for {
		out.WriteString(s[:i])
		if i == len(s) {
			return out.String()
		}
		switch s[i] {
		case '\r':
			run := len(s) - i - len(strings.TrimLeft(s[i:], "\r"))
			i += run - 1
			if i+1 == len(s) || s[i+1] != '\n' { // else \r\r\n, made by careless converters, is one line end
				out.WriteString(strings.Repeat("\n", run))
			}
		case '\v', '\f':
			out.WriteByte('\n')
		case c1:
			i++
			if r := charmap.Windows1252.DecodeByte(s[i]); r >= 0xa0 && r != utf8.RuneError {
				out.WriteRune(r)
			}
		}
		s = s[i+1:]
		i = cleanPrefix(s)
	}
}

// c1 is the first byte of U+0080 to U+009F in UTF-8.
const c1 = 0xc2

// cleanPrefix returns how many bytes of s need no cleaning.
func cleanPrefix(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c < 0x20 && c != '\t' && c != '\n' || c == 0x7f:
			return i
		case c == c1 && i+1 < len(s) && s[i+1] < 0xa0:
			return i
		}
	}
	return len(s)
}
