package wordpiece

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// A Token is one token of a text and the bytes of the word it is from.
type Token struct {
	ID int32
	// Start and End are the byte offsets of the whole word; the pieces of a word share them.
	Start, End int
}

// maxWord is how many characters a word may have before it is not taken apart but unknown.
const maxWord = 100

// maxPiece bounds the bytes of a piece, with room to spare over the longest one in any vocabulary.
const maxPiece = 64

// Encode returns the tokens of text without the ones that begin and end it.
func (v *Vocab) Encode(text string) []Token { return v.AppendTokens(nil, text) }

// AppendTokens is Encode into a slice that may be used again.
func (v *Vocab) AppendTokens(dst []Token, text string) []Token {
	e := encoder{v: v, dst: dst, word: make([]byte, 0, 64)}
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			e.ascii(c, i)
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		e.rune(r, text[i:i+size], i)
		i += size
	}
	e.flush()
	return e.dst
}

// Count is how many tokens Encode would return.
func (v *Vocab) Count(text string) int { return len(v.Encode(text)) }

type encoder struct {
	v          *Vocab
	dst        []Token
	word       []byte // normalised characters of the word being read
	chars      int    // how many
	start, end int    // where in the text it stands
}

func (e *encoder) ascii(c byte, at int) {
	switch {
	case 'a' <= c && c <= 'z' || '0' <= c && c <= '9':
		e.add(c, at)
	case 'A' <= c && c <= 'Z':
		e.add(c+('a'-'A'), at)
	case c == ' ' || c == '\n' || c == '\t' || c == '\r':
		e.flush()
	case c < ' ' || c == 0x7f: // other control characters vanish and join what they part
	default:
		e.flush()
		e.add(c, at)
		e.flush()
	}
}

func (e *encoder) add(c byte, at int) {
	if e.chars == 0 {
		e.start = at
	}
	e.word = append(e.word, c)
	e.chars++
	e.end = at + 1
}

// rune takes in a character outside ASCII; raw is how it is written in the text.
func (e *encoder) rune(r rune, raw string, at int) {
	switch {
	case r == utf8.RuneError || dropped(r):
	case unicode.IsSpace(r):
		e.flush()
	case isChinese(r):
		e.flush()
		e.decomposed(r, raw, at)
		e.flush()
	default:
		e.decomposed(r, raw, at)
	}
}

// decomposed adds the letters of a character without its accents.
func (e *encoder) decomposed(r rune, raw string, at int) {
	end := at + len(raw)
	if first, last := rune(0xac00), rune(0xd7a3); first <= r && r <= last { // Hangul: a formula, not a table
		r -= first
		e.letter(0x1100+r/588, at, end)
		e.letter(0x1161+r%588/28, at, end)
		if r%28 > 0 {
			e.letter(0x11a7+r%28, at, end)
		}
		return
	}
	parts := norm.NFD.PropertiesString(raw).Decomposition()
	if parts == nil {
		e.letter(r, at, end)
		return
	}
	for len(parts) > 0 {
		r, size := utf8.DecodeRune(parts)
		parts = parts[size:]
		e.letter(r, at, end)
	}
}

func (e *encoder) letter(r rune, start, end int) {
	if unicode.Is(unicode.Mn, r) {
		return
	}
	if isPunct(r) {
		e.flush()
		defer e.flush()
	}
	if e.chars == 0 {
		e.start = start
	}
	e.word = utf8.AppendRune(e.word, unicode.ToLower(r))
	e.chars++
	e.end = end
}

// flush ends the word being read and appends its pieces.
func (e *encoder) flush() {
	if e.chars == 0 {
		return
	}
	e.pieces()
	e.word, e.chars = e.word[:0], 0
}

func (e *encoder) pieces() {
	before := len(e.dst)
	if e.chars > maxWord {
		e.dst = append(e.dst, Token{e.v.unk, e.start, e.end})
		return
	}
	w := e.word
	for at := 0; at < len(w); {
		id, n := e.v.longest(w[at:], at > 0)
		if n == 0 {
			e.dst = append(e.dst[:before], Token{e.v.unk, e.start, e.end})
			return
		}
		e.dst = append(e.dst, Token{id, e.start, e.end})
		at += n
	}
}

// longest finds the longest piece w begins with and how many bytes it has, 0 if there is none. The
// hashes of all beginnings come from one pass; the table is then asked for the longest first.
func (v *Vocab) longest(w []byte, inner bool) (int32, int) {
	w = w[:min(len(w), maxPiece)]
	var hashes [maxPiece]uint32
	h := uint32(hashFirst)
	if inner {
		h = hashInner
	}
	for i, b := range w {
		h = step(h, b)
		hashes[i] = h
	}
	for n := len(w); n > 0; n-- {
		if n < len(w) && !utf8.RuneStart(w[n]) {
			continue
		}
		if id, ok := v.find(hashes[n-1], w[:n], inner); ok {
			return id, n
		}
	}
	return 0, 0
}

// dropped tells characters that vanish: control, format, private use and unassigned ones. Go's
// tables know newer characters than the reference's, which makes more of them words (unknown ones).
func dropped(r rune) bool {
	return unicode.Is(unicode.C, r)
}

func isPunct(r rune) bool {
	return unicode.IsPunct(r)
}

func isChinese(r rune) bool {
	return r >= 0x4e00 && r <= 0x9fff || r >= 0x3400 && r <= 0x4dbf || r >= 0x20000 && r <= 0x2a6df ||
		r >= 0x2a700 && r <= 0x2b73f || r >= 0x2b740 && r <= 0x2b81f || r >= 0x2b820 && r <= 0x2ceaf ||
		r >= 0xf900 && r <= 0xfaff || r >= 0x2f800 && r <= 0x2fa1f
}
