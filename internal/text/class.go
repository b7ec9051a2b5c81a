package text

import (
	"unicode"
	"unicode/utf8"
)

// class sorts characters by how they make words.
type class uint8

const (
	classNone   class = iota // between words
	classExtend              // goes with whatever stands before it: marks, invisible joiners
	classWord                // letters and digits of scripts that put spaces between words
	classCJK                 // from here on: scripts without spaces
	classThai
	classLao
	classKhmer
	classMyanmar
	classSymbol // emoji and the like, each a word of its own
)

// asciiLower maps ASCII letters and digits to their folded form and everything else to 0.
var asciiLower = func() (t [utf8.RuneSelf]byte) {
	for c := byte(0); c < utf8.RuneSelf; c++ {
		switch {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'z':
			t[c] = c
		case c >= 'A' && c <= 'Z':
			t[c] = c + 'a' - 'A'
		}
	}
	return t
}()

// classOf has its common ranges first; the tables of package unicode are slow.
func classOf(r rune) class {
	switch {
	case r < utf8.RuneSelf:
		if r >= 0 && asciiLower[r] != 0 {
			return classWord
		}
		return classNone
	case r < 0x250:
		if unicode.IsLetter(r) || unicode.IsNumber(r) {
			return classWord
		}
		if r == 0xAD { // soft hyphen
			return classExtend
		}
		return classNone
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0xAC00 && r <= 0xD7A3, r >= 0x3041 && r <= 0x3096:
		return classCJK
	case r >= 0x0400 && r <= 0x0481, r >= 0x0391 && r <= 0x03CE && r != 0x3A2:
		return classWord
	}
	return classOfRest(r)
}

func classOfRest(r rune) class {
	switch {
	case r == utf8.RuneError, r == 0x200B: // a zero width space parts words
		return classNone
	case isSkinTone(r), unicode.Is(unicode.M, r), unicode.Is(unicode.Cf, r):
		return classExtend
	case inSymbols(r):
		if unicode.Is(unicode.So, r) {
			return classSymbol
		}
		return classNone
	case r >= 0x2E80 && r <= 0x2FDF: // radicals, with gaps between them
		if unicode.Is(unicode.So, r) {
			return classCJK
		}
		return classNone
	case r == 'ー', r >= 0xFF66 && r <= 0xFF9F:
		return classCJK // the long mark, half-width kana
	case !unicode.IsLetter(r) && !unicode.IsNumber(r):
		return classNone
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo, unicode.Yi):
		return classCJK
	case r < 0x0E00 || r > 0x17FF && r < 0xA9E0:
		return classWord
	case unicode.Is(unicode.Nd, r):
		return classWord
	case unicode.Is(unicode.Thai, r):
		return classThai
	case unicode.Is(unicode.Lao, r):
		return classLao
	case unicode.Is(unicode.Khmer, r):
		return classKhmer
	case unicode.Is(unicode.Myanmar, r):
		return classMyanmar
	}
	return classWord
}

// inSymbols reports whether r lies where emoji do, or is one that lies apart from them.
func inSymbols(r rune) bool {
	switch {
	case r >= 0x1F000 && r <= 0x1FAFF, r >= 0x2600 && r <= 0x27BF:
		return true
	case r < 0x231A || r > 0x2B55:
		return false
	}
	return r <= 0x231B || r >= 0x23E9 && r <= 0x23F3 || r >= 0x25FD && r <= 0x25FE ||
		r >= 0x2B1B && r <= 0x2B1C || r == 0x2B50 || r == 0x2B55
}

// isSkinTone reports whether r colours the emoji before it.
func isSkinTone(r rune) bool { return r >= 0x1F3FB && r <= 0x1F3FF }

// isRegional reports whether r is half a flag.
func isRegional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// joiner makes one emoji of two.
const joiner = '\u200d'

// IsWordRune reports whether r is part of a word of a script that puts spaces between words, so
// that a match next to it would begin or end inside a word.
func IsWordRune(r rune) bool {
	c := classOf(r)
	return c == classWord || c == classExtend
}

// InToken reports whether r belongs to tokens: a letter, a digit, an emoji, or a mark on them.
func InToken(r rune) bool { return classOf(r) != classNone }

// run is a stretch of characters of one class; of symbols, one of them as people see it.
type run struct {
	start, end int
	class      class
}

// nextRun returns the run that begins at i; between words, a run of classNone.
func nextRun(s string, i int) run {
	r, n := utf8.DecodeRuneInString(s[i:])
	out := run{start: i, end: i + n, class: classOf(r)}
	if out.class == classExtend {
		out.class = classNone // a mark on nothing
	}
	if out.class == classNone {
		return out
	}
	flag, last := isRegional(r), r
	for out.end < len(s) {
		r, n := utf8.DecodeRuneInString(s[out.end:])
		switch c := classOf(r); {
		case c == classExtend:
		case c != out.class:
			return out
		case c == classSymbol && last != joiner:
			if !flag || !isRegional(r) {
				return out
			}
			flag = false
		}
		out.end += n
		last = r
	}
	return out
}

// unitEnd returns the end of the character at i with the marks on it.
func unitEnd(b []byte, i int) int {
	_, n := utf8.DecodeRune(b[i:])
	for i += n; i < len(b); i += n {
		var r rune
		r, n = utf8.DecodeRune(b[i:])
		if r < 0x300 || classOf(r) != classExtend {
			break
		}
	}
	return i
}

// cutPart cuts w at the first character that is no part of a word.
func cutPart(w []byte) (part, rest []byte) {
	for i := 0; i < len(w); {
		r, n := utf8.DecodeRune(w[i:])
		if classOf(r) == classNone {
			return w[:i], w[i+n:]
		}
		i += n
	}
	return w, nil
}

// cutToken cuts w to MaxToken at a character's end.
func cutToken(w []byte) []byte {
	if len(w) <= MaxToken {
		return w
	}
	n := MaxToken
	for n > 0 && !utf8.RuneStart(w[n]) {
		n--
	}
	return w[:n]
}

// isLetters reports whether w is made of lower-case ASCII letters only, which is what can be stemmed.
func isLetters(w []byte) bool {
	for _, c := range w {
		if c < 'a' || c > 'z' {
			return false
		}
	}
	return true
}

func hashOf(w []byte) (h uint32) {
	for _, c := range w {
		h = h*31 + uint32(c)
	}
	return h
}
