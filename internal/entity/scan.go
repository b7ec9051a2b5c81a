package entity

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// scanner walks a text once. Only a few bytes can start anything; all others cost one look-up.
type scanner struct {
	s        string
	c        *collector
	markdown bool // fences of tildes count; those of backticks, and spans, are usual in chats and mail too
	names    []spokenName
	tagged   map[string]bool // topics that are known already
	closed   int             // where the '#' ends that closed the last tag
	chain    int             // tags before it follow each other without anything between
	done     int             // everything before it belongs to something that was found
	codeEnd  int             // everything before it is code: only links and addresses count there
}

// What a byte may start.
const (
	plain = iota
	atSign
	hash
	colon
	dot
	digit
	tick
	wide
)

var starts = [256]uint8{
	'@': atSign, '#': hash, ':': colon, '.': dot, '`': tick, '~': tick,
	'0': digit, '1': digit, '2': digit, '3': digit, '4': digit,
	'5': digit, '6': digit, '7': digit, '8': digit, '9': digit,
	0xEF: wide, // the first byte of ＃
}

func (x *scanner) run() {
	s := x.s
	for i := 0; i < len(s); {
		k := starts[s[i]]
		if k == plain {
			i++
			continue
		}
		next := i + 1
		switch k {
		case atSign:
			next = x.at(i)
		case hash:
			if i >= x.codeEnd {
				next = x.hashtag(i, 1)
			}
		case wide:
			if i >= x.codeEnd && strings.HasPrefix(s[i:], wideHash) {
				next = x.hashtag(i, len(wideHash))
			}
		case colon:
			if strings.HasPrefix(s[i:], "://") {
				next = x.scheme(i)
			}
		case dot:
			if i >= 3 && isWWW(s[i-3:i]) {
				next = x.bareURL(i - 3)
			}
		case digit:
			next = x.number(i)
		case tick:
			next = x.code(i)
		}
		if next <= i {
			next = i + 1
		}
		i = next
	}
}

// code notes where the code that opens at i ends: a fence at the start of a line, or a span that is
// closed on the same line.
func (x *scanner) code(i int) int {
	s, c := x.s, x.s[i]
	n := i
	for n < len(s) && s[n] == c {
		n++
	}
	if i < x.codeEnd || c == '~' && !x.markdown {
		return n
	}
	if run := s[i:n]; len(run) >= 3 && startsLine(s, i) {
		x.codeEnd = len(s)
		for at := n; at < len(s); {
			nl := strings.IndexByte(s[at:], '\n')
			if nl < 0 {
				break
			}
			at += nl + 1
			if line := strings.TrimLeft(s[at:min(len(s), at+8+len(run))], " \t>"); strings.HasPrefix(line, run) {
				x.codeEnd = at
				// The closing fence itself must not open a new one.
				return at + strings.Index(s[at:], run) + len(run)
			}
		}
		return n
	}
	if c != '`' {
		return n
	}
	line := s[n:min(len(s), n+1000)]
	if nl := strings.IndexByte(line, '\n'); nl >= 0 {
		line = line[:nl]
	}
	if end := strings.Index(line, s[i:n]); end >= 0 {
		x.codeEnd = n + end + (n - i)
	}
	return n
}

// startsLine reports whether nothing but indent and quote marks stand before i on its line.
func startsLine(s string, i int) bool {
	for i > 0 {
		switch s[i-1] {
		case '\n':
			return true
		case ' ', '\t', '>':
			i--
		default:
			return false
		}
	}
	return true
}

// number looks for a date at the digits that start at i.
func (x *scanner) number(i int) int {
	s := x.s
	j := i
	for j < len(s) && isDigit(s[j]) {
		j++
	}
	if j-i != 4 || i < x.codeEnd {
		return j
	}
	start, end, value := dateAt(s, i)
	if value == "" || start < x.done {
		return j
	}
	x.done = end
	if surface := s[start:end]; !x.c.seen(kindDatetime, surface) {
		x.c.add(kindDatetime, value, surface)
	}
	return end
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isASCIILetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isAlnum(c byte) bool { return isDigit(c) || isASCIILetter(c) }

// isWordRune reports whether r can be part of a word.
func isWordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r)
}

// glues reports whether r belongs to a script that is written without blanks, or whose endings are
// glued to foreign words: an address or a name may end right before it.
func glues(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー'
}

// isLatinLike reports whether r is a letter, mark or digit of a script with blanks between words.
func isLatinLike(r rune) bool { return r != utf8.RuneError && isWordRune(r) && !glues(r) }

// opensWord reports whether something of its own may start at i: no word runs into it.
func opensWord(s string, i int) bool {
	if i == 0 {
		return true
	}
	if c := s[i-1]; c < utf8.RuneSelf {
		return !isAlnum(c) && c != '_'
	}
	r, _ := utf8.DecodeLastRuneInString(s[:i])
	return !isLatinLike(r)
}
