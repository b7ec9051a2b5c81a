package charset

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
)

// Text that was put together from several files, or edited with two programs, holds lines of UTF-8
// and lines of another set, sometimes in one line. Characters of several bytes that are UTF-8 are so
// hardly ever by accident, so a line of them counts as UTF-8, and only the rest is read as the other
// set.

// manyChars is how many characters of several bytes make a line UTF-8 whatever stands around it.
const manyChars = 4

// mixed decodes b, which is not valid UTF-8, line by line. name is the set of what is not UTF-8, or
// "" for a guess from it. It says no when b is rather in one set as a whole.
func mixed(b []byte, name string) (string, bool) {
	good, rest := byLine(b)
	if good == 0 {
		return "", false
	}
	if name == "" {
		name = "windows-1252"
		if len(rest) > 0 {
			name = guess(rest)
		}
	}
	enc := lookup(name)
	latin := isLatin(name)
	var pages pageSet
	if !latin {
		s, _ := run(enc, rest)
		pages.add(s)
	}
	// How a line is read: as UTF-8, as UTF-8 with repairs, or in the other set.
	const whole, damaged, other = 0, 1, 2
	reading := func(line []byte) int {
		switch multi, bad := countUTF8(line); {
		case multi == 0 && bad > 0:
			return other
		case bad > 0 && (latin || multi >= manyChars && multi > 3*bad):
			return damaged
		case bad == 0 && (multi == 0 || latin || multi >= manyChars || pages.hold(line)):
			return whole
		}
		return other
	}
	var out strings.Builder
	out.Grow(len(b) + len(b)/8)
	any := false
	for start := 0; start < len(b); {
		line, end := lineAt(b, start)
		switch reading(line) {
		case whole:
			out.Write(line)
			any = any || !ascii(line)
		case damaged:
			any = repair(&out, line) || any
		default:
			for end < len(b) { // at once, for sets that shift
				next, e := lineAt(b, end)
				if reading(next) != other {
					break
				}
				end = e
			}
			s, _ := run(enc, b[start:end])
			out.WriteString(s)
		}
		start = end
	}
	return out.String(), any
}

// byLine counts the lines of b that are UTF-8 with characters of several bytes, or mostly so, and
// returns the beginning of the others.
func byLine(b []byte) (good int, rest []byte) {
	for start := 0; start < len(b); {
		line, end := lineAt(b, start)
		start = end
		switch multi, bad := countUTF8(line); {
		case multi > 3*bad:
			good++
		case bad == 0:
		default:
			if multi > 0 {
				good++ // the whole is judged by what it becomes
			}
			if len(rest) < judged {
				rest = append(rest, foreign(line)...)
			}
		}
	}
	return good, rest
}

// foreign returns what of a line tells in which set it is: all of it, but where UTF-8 stands beside
// letters of ASCII only the bytes that are none.
func foreign(line []byte) []byte {
	var kept []byte
	beside := false
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		if r == utf8.RuneError && n == 1 {
			n = cutLength(line[i:])
		}
		switch {
		case n == 1:
			kept = append(kept, line[i])
		case r != utf8.RuneError && likely(r, n):
			beside = beside || i > 0 && asciiLetter(line[i-1]) || i+n < len(line) && asciiLetter(line[i+n])
		}
		i += n
	}
	if beside {
		return kept
	}
	return line
}

// lineAt returns the line of b at start, with its end, and where the next one begins.
func lineAt(b []byte, start int) (line []byte, end int) {
	end = len(b)
	if i := bytes.IndexByte(b[start:], '\n'); i >= 0 {
		end = start + i + 1
	}
	return b[start:end], end
}

// countUTF8 counts the characters of several bytes, and the bytes that are none.
func countUTF8(b []byte) (multi, bad int) {
	for i := 0; i < len(b); {
		if b[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && n == 1 {
			bad++
		} else {
			multi++
		}
		i += n
	}
	return multi, bad
}

// repair writes a line of UTF-8 with bytes that are none. Those that make sense as windows-1252 are
// that; the others are damage. It reports whether there was a character of several bytes.
func repair(out *strings.Builder, line []byte) (any bool) {
	for i := 0; i < len(line); {
		r, n := utf8.DecodeRune(line[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			if r, n = western1252(line, i); r == utf8.RuneError && strings.HasSuffix(out.String(), "\ufffd") {
				break // one sign for one place
			}
			out.WriteRune(r)
		case n > 1 && !likely(r, n):
			out.WriteRune(charmap.Windows1252.DecodeByte(line[i]))
			n = 1
		default:
			any = any || n > 1
			out.Write(line[i : i+n])
		}
		i += n
	}
	return any
}

// likely reports whether two bytes that could be UTF-8 are: not ß or É with a quotation mark behind
// them, which in windows-1252 come out as letters that hardly anybody writes.
func likely(r rune, n int) bool { return n > 2 || r < 0x180 }

// western1252 reads the byte at i as windows-1252: a letter that stands beside a letter of ASCII, or
// a sign. A character of UTF-8 that is cut is U+FFFD as a whole.
func western1252(b []byte, i int) (rune, int) {
	if n := cutLength(b[i:]); n > 1 {
		return utf8.RuneError, n
	}
	r := charmap.Windows1252.DecodeByte(b[i])
	beside := i > 0 && asciiLetter(b[i-1]) || i+1 < len(b) && asciiLetter(b[i+1])
	ascii := (i == 0 || b[i-1] < utf8.RuneSelf) && (i+1 == len(b) || b[i+1] < utf8.RuneSelf)
	if r < 0xa0 || !beside && !ascii {
		return utf8.RuneError, 1
	}
	return r, 1
}

// cutLength returns how many bytes at the beginning of b are the beginning of one character.
func cutLength(b []byte) int {
	n := 1
	for n < len(b) && n < utf8.UTFMax && !utf8.RuneStart(b[n]) && !utf8.FullRune(b[:n+1]) {
		n++
	}
	if n == 1 || b[0] < 0xe0 {
		return 1
	}
	return n
}

// isLatin reports whether the set is one that Western and Central European languages are written in.
func isLatin(name string) bool {
	for i := range oneByte {
		for _, s := range oneByte[i].sets {
			if s.set == name {
				return oneByte[i].latin
			}
		}
	}
	return name == "iso-8859-1"
}

// A pageSet is the set of blocks of 256 characters that a text uses, beside ASCII.
type pageSet map[rune]bool

func (p *pageSet) add(s string) {
	*p = pageSet{}
	for _, r := range s {
		if r >= utf8.RuneSelf && unicode.IsLetter(r) {
			(*p)[r>>8] = true
		}
	}
}

// hold reports whether all letters of a line of UTF-8 are of those blocks.
func (p pageSet) hold(line []byte) bool {
	letters := false
	for _, r := range string(line) {
		if r < utf8.RuneSelf || !unicode.IsLetter(r) {
			continue
		}
		if letters = true; !p[r>>8] {
			return false
		}
	}
	return letters
}
