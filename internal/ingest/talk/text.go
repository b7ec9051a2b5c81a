package talk

import (
	"regexp"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// maxName bounds a name that becomes part of a source id or a title, in bytes.
const maxName = 120

// Pattern returns what compiles expr when it is first asked for: to have the patterns of all formats at
// hand would cost every start of the program milliseconds.
func Pattern(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// Tidy returns s as valid UTF-8 with line ends \n, without control characters and blank ends.
func Tidy(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, odd) >= 0 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
		s = strings.Map(func(r rune) rune {
			if odd(r) {
				return -1
			}
			return r
		}, s)
	}
	return strings.TrimRight(strings.TrimLeft(s, "\n"), " \t\n")
}

func odd(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }

// Name returns s as one line that can be part of a source id or a title: short, without direction marks.
func Name(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.Map(func(r rune) rune {
		if Mark(r) || odd(r) && r != '\r' {
			return -1
		}
		return r
	}, s)
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > maxName {
		n := maxName
		for !utf8.RuneStart(s[n]) {
			n--
		}
		s = strings.TrimSpace(s[:n])
	}
	return s
}

// reference returns what leads to a message as one line, with the blanks that a file's name has.
func reference(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return -1
		}
		return r
	}, s)
}

// Source returns a name as a part of a source id, in which "|" parts addresses.
func Source(s string) string { return strings.ReplaceAll(Name(s), "|", "-") }

// Mark reports whether r is an invisible mark of writing direction or a byte order mark.
func Mark(r rune) bool {
	return r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0xfeff || r == 0x061c
}

// Unmarked returns s without marks of writing direction.
func Unmarked(s string) string {
	if strings.IndexFunc(s, Mark) < 0 {
		return s
	}
	return strings.Map(func(r rune) rune {
		if Mark(r) {
			return -1
		}
		return r
	}, s)
}

// Sane reports whether a message can be from that time.
func Sane(t time.Time) bool { return t.Year() >= 1980 && t.Year() <= 2100 }
