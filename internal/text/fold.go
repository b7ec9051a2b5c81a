package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form in which written text is compared: NFKC, lower case, the accents of Latin,
// Greek and Cyrillic, Hebrew points and Arabic vowel marks removed, invisible characters removed,
// and one form for each kind of dash and quotation mark. Vowel signs of Devanagari, Thai and the
// like are letters to their readers and stay, and so does what makes one emoji of several, but not
// its colour of skin. Invalid UTF-8 becomes U+FFFD.
func Fold(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; c >= utf8.RuneSelf || c >= 'A' && c <= 'Z' {
			return string(appendFold(make([]byte, 0, len(s)+8), s))
		}
	}
	return s
}

// appendFold appends the folded form of s.
func appendFold(dst []byte, s string) []byte {
	base := len(dst)
	t := foldTable()
	for i, r := range s {
		switch {
		case r < utf8.RuneSelf:
			if r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			dst = append(dst, byte(r))
		case r < rune(len(t)):
			if t[r].slow {
				return appendFoldSlow(dst[:base], s)
			}
			dst = append(dst, t[r].text...)
		case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3041 && r <= 0x3096, r >= 0x30A1 && r <= 0x30FA, r == 'ー',
			r >= 0x3001 && r <= 0x3029:
			dst = append(dst, s[i:i+3]...)
		case r >= 0xAC00 && r <= 0xD7A3:
			dst = append(dst, s[i:i+3]...)
		case r >= 0xFF01 && r <= 0xFF5E: // full-width ASCII
			if r -= 0xFF01 - '!'; r >= 'A' && r <= 'Z' {
				r += 'a' - 'A'
			}
			dst = append(dst, byte(r))
		case r >= 0x2010 && r <= 0x201F:
			dst = append(dst, foldRune(r)...)
		default:
			return appendFoldSlow(dst[:base], s)
		}
	}
	return dst
}

// appendFoldSlow is the definition of folding; the fast path above is checked against it.
func appendFoldSlow(dst []byte, s string) []byte {
	var b strings.Builder
	symbol, joined := false, false // before r stands an emoji, and behind it a joiner
	for _, r := range norm.NFKD.String(strings.ToValidUTF8(s, "\uFFFD")) {
		if dropped(r) {
			joined = joined || symbol && r == joiner
			continue
		}
		symbol = classOf(r) == classSymbol
		if symbol && joined {
			b.WriteRune(joiner)
		}
		joined = false
		b.WriteString(foldRune(r))
	}
	return norm.NFC.AppendString(dst, b.String())
}

// foldRune returns the folded form of one character of decomposed text.
func foldRune(r rune) string {
	switch r {
	case 'ß', 'ẞ':
		return "ss"
	case 'æ', 'Æ':
		return "ae"
	case 'œ', 'Œ':
		return "oe"
	case 'ø', 'Ø':
		return "o"
	case 'ł', 'Ł':
		return "l"
	case 'đ', 'Đ', 'ð', 'Ð':
		return "d"
	case 'þ', 'Þ':
		return "th"
	case 'ħ', 'Ħ':
		return "h"
	case 'ŧ', 'Ŧ':
		return "t"
	case 'ŋ', 'Ŋ':
		return "n"
	case 'ı':
		return "i"
	case 'ς':
		return "σ"
	case 'ʼ', '‘', '’', '‚', '‛':
		return "'"
	case '“', '”', '„', '‟':
		return `"`
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return "-"
	}
	return string(unicode.ToLower(r))
}

// dropped reports whether folding removes r, a character of decomposed text.
func dropped(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r >= 0x0300 && r <= 0x036F, r >= 0x1AB0 && r <= 0x1AFF, r >= 0x1DC0 && r <= 0x1DFF, r >= 0x20D0 && r <= 0x20F0:
		return true // accents
	case r >= 0x0483 && r <= 0x0487:
		return true // old Cyrillic
	case r >= 0x0591 && r <= 0x05C7 && unicode.Is(unicode.Mn, r):
		return true // Hebrew points
	case r >= 0x0610 && r <= 0x06ED && unicode.Is(unicode.Mn, r):
		return true // Arabic vowel marks
	case r == 0x0640: // Arabic stretching
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF, r >= 0x180B && r <= 0x180D:
		return true // variation selectors
	case isSkinTone(r):
		return true
	case r == 0x200B: // zero width space: a border between words, so it stays
		return false
	}
	return unicode.Is(unicode.Cf, r)
}

type folded struct {
	text string
	slow bool // what it becomes depends on its neighbours
}

// foldTable holds the folded forms of Latin, Greek, Cyrillic, Hebrew and Arabic characters.
var foldTable = sync.OnceValue(func() *[0x700]folded {
	t := new([0x700]folded)
	for r := rune(utf8.RuneSelf); r < rune(len(t)); r++ {
		f := &t[r]
		f.text = string(appendFoldSlow(nil, string(r)))
		for _, x := range f.text {
			f.slow = f.slow || unicode.Is(unicode.M, x)
		}
	}
	return t
})
