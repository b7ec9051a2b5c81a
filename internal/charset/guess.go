package charset

import (
	"bytes"
	"math"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// judged is how many bytes of the lines that are not ASCII the guess looks at.
const judged = 12 << 10

// The costs of a character in natural logarithms: how likely it is in text of a model.
const (
	lnWrong   = -13.0 // bytes that the set does not have, or characters nobody writes
	lnForeign = -8.5  // a character that the language hardly uses
	lnASCII   = -3.0  // one byte of ASCII, whatever the model
)

// Guess names the character set that b, text without any label, is most likely in: "" when b is
// ASCII or UTF-8, but for damaged places or lines in another set. It never fails; the last resort is windows-1252.
func Guess(b []byte) string {
	switch big, ok := unmarkedUTF16(b); {
	case ok && big:
		return "utf-16be"
	case ok:
		return "utf-16le"
	}
	if b = trimCut(b); !utf8.Valid(b) {
		if mostlyUTF8(b) {
			return ""
		}
		if _, ok := mixed(b, ""); ok {
			return ""
		}
		return guess(b)
	}
	if ascii(b) {
		return sevenBit(b)
	}
	return ""
}

// Whole returns the length of b without the character that its end may cut, in the named set.
func Whole(b []byte, name string) int {
	for _, w := range multiByte() {
		if w.name != Canonical(name) {
			continue
		}
		for i := 0; i < len(b); {
			n := 1
			if b[i] >= utf8.RuneSelf {
				n, _ = w.next(b[i:])
			}
			if i+n > len(b) {
				return i
			}
			i += max(n, 1)
		}
	}
	return len(b)
}

// guess compares how likely the bytes of b are as text of every model.
func guess(b []byte) string {
	sample := highLines(b)
	best, top := "windows-1252", math.Inf(-1)
	for _, w := range multiByte() {
		if p := w.likelihood(sample); p > top {
			best, top = w.name, p
		}
	}
	for _, f := range fits() {
		if p := f.likelihood(sample); p > top {
			best, top = f.set, p
		}
	}
	return best
}

// highLines returns the lines of b that are not ASCII, up to the judged size: the rest tells nothing.
func highLines(b []byte) []byte {
	var out []byte
	for len(b) > 0 && len(out) < judged {
		line := b
		if i := bytes.IndexByte(b, '\n'); i >= 0 {
			line = b[:i+1]
		}
		b = b[len(line):]
		if !ascii(line) {
			out = append(out, line[:min(len(line), judged-len(out))]...)
		}
	}
	return out
}

// A wide is a model of text in a set of several bytes a character.
type wide struct {
	name string
	// next returns the length of the first character of b, and whether it is one of the frequent part
	// of the set; 0 stands for bytes that are no character.
	next   func(b []byte) (n int, frequent bool)
	common map[rune]float64
	other  float64 // a character of the frequent part that is not common
	prior  float64
}

var multiByte = sync.OnceValue(func() []wide {
	return []wide{
		{"gb18030", nextGB, ranked(hanziSimplified, chinesePoints), -8.9, 0},
		{"big5", nextBig5, ranked(hanziTraditional, chinesePoints), -8.9, 0},
		{"euc-jp", nextEUCJP, japaneseRanks(), -8.6, 0},
		{"shift_jis", nextSJIS, japaneseRanks(), -8.6, 0},
		{"euc-kr", nextEUCKR, ranked(hangul, "，。、·“”‘’「」…"), -8.3, 0},
	}
})

func (w *wide) likelihood(b []byte) float64 {
	s, _ := run(lookup(w.name), b)
	total, wrong, size := w.prior, 0, len(b)
	before := byte(0)
	for len(b) > 0 {
		if b[0] < utf8.RuneSelf {
			total += lnASCII
			before, b = b[0], b[1:]
			_, n := utf8.DecodeRuneInString(s)
			s = s[n:]
			continue
		}
		n, frequent := w.next(b)
		if n > len(b) {
			return total - 4 // the text ends inside a character, or the sample does
		}
		r, width := utf8.DecodeRuneInString(s)
		if n == 0 {
			// The decoder may take the byte alone or with the next one: begin again behind them.
			total += lnWrong
			if wrong++; wrong > 2+(size-len(b))/1000 {
				return math.Inf(-1)
			}
			b = b[1:]
			s, _ = run(lookup(w.name), b)
			continue
		}
		p, common := w.common[r]
		switch {
		case r == utf8.RuneError || unicode.Is(unicode.Co, r):
			total += lnWrong
		case common:
			total += p
		case r >= 0xff61 && r <= 0xff9f: // half-width katakana, one byte of Shift_JIS
			total += halfWidth(before, b[0])
		case frequent && unicode.IsLetter(r):
			total += w.other
		case frequent:
			total += -10
		default:
			total += lnWrong + 1
		}
		// Words of Latin letters with a character inside are rather Latin in another set.
		if asciiLetter(before) {
			total -= 1.2
		}
		if n == 2 && asciiLetter(b[1]) || n < len(b) && asciiLetter(b[n]) {
			total--
		}
		if before = 0; n == 1 {
			before = b[0]
		}
		b, s = b[n:], s[width:]
	}
	return total
}

// halfWidth is the cost of half-width katakana, one byte of Shift_JIS, by the byte before it. One
// among other characters is rather another set; in a row they have laws of their own.
func halfWidth(before, c byte) float64 {
	const sign, voiced, half = 0xa5, 0xde, 0xdf
	switch in := before > 0xa0 && before < 0xe0; {
	case c == voiced && (before >= 0xb6 && before <= 0xc4 || before >= 0xca && before <= 0xce || before == 0xb3),
		c == half && before >= 0xca && before <= 0xce:
		return -2.2
	case c == voiced || c == half:
		return lnWrong
	case !in:
		return -5
	case c <= sign || c == 0xa6:
		return -5.5
	case strings.IndexByte("\xb1\xb2\xb3\xb6\xb8\xbb\xbc\xbd\xc0\xc3\xc4\xc5\xcc\xcf\xd0\xd7\xd8\xd9\xdb\xdd\xb0", c) >= 0:
		return -3.5 // ア イ ウ カ ク サ シ ス タ テ ト ナ フ マ ミ ラ リ ル ロ ン ー
	}
	return -4.2
}

// ranked gives the letters of a list, most frequent first, their likelihood, and points theirs.
func ranked(letters, points string) map[rune]float64 {
	out := make(map[rune]float64, len(letters)/3+len(points)/3)
	i := 0
	for _, r := range letters {
		if _, twice := out[r]; !twice {
			out[r] = math.Log(0.07 / (float64(i)/3 + 3))
		}
		i++
	}
	for _, r := range points {
		out[r] = math.Log(0.02)
	}
	return out
}

func japaneseRanks() map[rune]float64 {
	out := ranked(kanji, "、。「」・ー（）！？")
	for r := rune(0x30a1); r <= 0x30f6; r++ {
		out[r] = math.Log(0.004)
	}
	for r := rune(0x3041); r <= 0x3093; r++ {
		out[r] = math.Log(0.006)
	}
	for _, r := range "のにはをたがでてとしれさいなあるかもらすりこまうっんき" {
		out[r] = math.Log(0.02)
	}
	return out
}

func nextGB(b []byte) (int, bool) {
	if b[0] < 0x81 || b[0] == 0xff {
		return 0, false
	}
	if len(b) < 2 {
		return 2, false
	}
	switch c := b[1]; {
	case c >= 0xa1 && c < 0xff:
		return 2, b[0] >= 0xa1 && b[0] <= 0xd7
	case c >= 0x40 && c < 0xff && c != 0x7f:
		return 2, false
	case c >= 0x30 && c <= 0x39:
		if len(b) < 4 {
			return 4, false
		}
		if b[2] >= 0x81 && b[2] < 0xff && b[3] >= 0x30 && b[3] <= 0x39 {
			return 4, false
		}
	}
	return 0, false
}

func nextBig5(b []byte) (int, bool) {
	if b[0] < 0x81 || b[0] == 0xff {
		return 0, false
	}
	if len(b) < 2 {
		return 2, false
	}
	if c := b[1]; c >= 0x40 && c <= 0x7e || c >= 0xa1 && c < 0xff {
		return 2, b[0] >= 0xa1 && b[0] <= 0xc6
	}
	return 0, false
}

func nextEUCJP(b []byte) (int, bool) {
	n := 2
	switch {
	case b[0] == 0x8f:
		n = 3
	case b[0] != 0x8e && (b[0] < 0xa1 || b[0] == 0xff):
		return 0, false
	}
	if len(b) < n {
		return n, false
	}
	for _, c := range b[1:n] {
		if c < 0xa1 || c == 0xff {
			return 0, false
		}
	}
	return n, b[0] >= 0xa1 && b[0] <= 0xcf
}

func nextSJIS(b []byte) (int, bool) {
	switch c := b[0]; {
	case c >= 0xa1 && c <= 0xdf:
		return 1, false
	case c == 0x80 || c == 0xa0 || c > 0xfc:
		return 0, false
	case len(b) < 2:
		return 2, false
	}
	if c := b[1]; c >= 0x40 && c <= 0xfc && c != 0x7f {
		return 2, b[0] <= 0x98
	}
	return 0, false
}

func nextEUCKR(b []byte) (int, bool) {
	if b[0] < 0x81 || b[0] == 0xff {
		return 0, false
	}
	if len(b) < 2 {
		return 2, false
	}
	switch c := b[1]; {
	case c >= 0xa1 && c < 0xff:
		return 2, b[0] >= 0xa1 && b[0] <= 0xc8
	case b[0] <= 0xc6 && (c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= 0x81 && c < 0xa1):
		return 2, false
	}
	return 0, false
}

// A narrow is a model of a language in sets of one byte a character.
type narrow struct {
	letters string // above ASCII, in lower case where there is one, most frequent first
	latin   bool   // they stand among letters of ASCII
	sets    []narrowSet
}

type narrowSet struct {
	set   string
	prior float64
}

// table returns what the bytes from 0x80 stand for.
func (n narrowSet) table() *[128]rune {
	enc := lookup(n.set)
	var t [128]rune
	for i := range t {
		s, _ := run(enc, []byte{byte(0x80 + i)})
		t[i], _ = utf8.DecodeRuneInString(s)
	}
	return &t
}

// typography is what every language writes beside its letters.
const typography = "„«»€°§•№·£©®\u00a0"

// A fit is a model in one of its sets: what every byte from 0x80 costs.
type fit struct {
	set           string
	prior         float64
	latin         bool
	cost          [128]float64
	letter, upper [128]bool
	dash          [128]bool // stands between words, not inside one
}

// fits works the models out once, when the first text without a label comes.
var fits = sync.OnceValue(func() []*fit {
	var out []*fit
	for i := range oneByte {
		for _, set := range oneByte[i].sets {
			out = append(out, oneByte[i].fit(set))
		}
	}
	return out
})

func (m *narrow) fit(set narrowSet) *fit {
	f := &fit{set: set.set, prior: set.prior, latin: m.latin}
	n := float64(utf8.RuneCountInString(m.letters))
	for i, r := range set.table() {
		low := unicode.ToLower(r)
		at := strings.IndexRune(m.letters, low)
		f.letter[i] = unicode.IsLetter(r) || unicode.IsMark(r)
		f.upper[i] = low != r
		f.dash[i] = strings.ContainsRune("“”–—…", r)
		switch {
		case r == utf8.RuneError || r < 0xa0:
			f.cost[i] = lnWrong
		case at >= 0:
			rank := float64(utf8.RuneCountInString(m.letters[:at]))
			f.cost[i] = math.Log(1.76/n) - 2*rank/n
		case r == '’':
			f.cost[i] = -2.5
		case f.dash[i] || r == '‘':
			f.cost[i] = -3.2
		case strings.ContainsRune(typography, r):
			f.cost[i] = -5
		case f.letter[i]:
			f.cost[i] = lnForeign
		default:
			f.cost[i] = lnForeign - 1
		}
	}
	return f
}

func (f *fit) likelihood(b []byte) float64 {
	total := f.prior
	for i, c := range b {
		if c < utf8.RuneSelf {
			total += lnASCII
			continue
		}
		k := c - 0x80
		total += f.cost[k]
		if f.upper[k] {
			total -= 0.7
			if i == 0 || b[i-1] < utf8.RuneSelf || !f.upper[b[i-1]-0x80] {
				total -= 1.5
			}
		}
		if i == 0 {
			continue
		}
		before := b[i-1]
		if f.dash[k] && asciiLetter(before) && i+1 < len(b) && asciiLetter(b[i+1]) {
			total -= 2
		}
		switch high := before >= utf8.RuneSelf; {
		case !f.letter[k]:
		case high && f.letter[before-0x80]:
			if f.upper[k] && !f.upper[before-0x80] {
				total -= 3 // a capital inside a word
			}
			if f.latin && i > 1 && b[i-2] >= utf8.RuneSelf {
				total -= 2 // three letters in a row that English lacks
			}
		case !high && asciiLetter(before) && !f.latin:
			total -= 2.5 // two scripts in a word
		case !high && asciiLetter(before) && f.upper[k] && before >= 'a':
			total -= 3
		}
		if !f.latin && f.letter[k] && i+1 < len(b) && asciiLetter(b[i+1]) {
			total -= 2.5
		}
	}
	return total
}

func asciiLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// sevenBit names the seven-bit set that shifts between alphabets and whose marks b, which is ASCII,
// holds; "" when there is none.
func sevenBit(b []byte) string {
	switch {
	case bytes.IndexByte(b, 0x1b) >= 0 && isISO2022JP(b):
		return "iso-2022-jp"
	case bytes.Contains(b, []byte("\x1b$)C")) && bytes.IndexByte(b, 0x0e) >= 0:
		return "iso-2022-kr"
	case bytes.Contains(b, []byte("~{")) && isHZ(b):
		return "hz-gb-2312"
	}
	return ""
}

// isHZ reports whether what stands between ~{ and ~} is always whole pairs of bytes, and mostly
// frequent Chinese.
func isHZ(b []byte) bool {
	pairs, frequent := 0, 0
	for {
		_, rest, ok := bytes.Cut(b, []byte("~{"))
		if !ok {
			return pairs > 1 && frequent*10 > pairs*9
		}
		inside, after, ok := bytes.Cut(rest, []byte("~}"))
		if !ok || len(inside)%2 != 0 || len(inside) == 0 {
			return false
		}
		for i := 0; i < len(inside); i += 2 {
			if inside[i] <= ' ' || inside[i] > 0x77 || inside[i+1] <= ' ' || inside[i+1] > 0x7e {
				return false
			}
			pairs++
			if c := inside[i] | 0x80; c >= 0xa1 && c <= 0xa3 || c >= 0xb0 && c <= 0xd7 {
				frequent++
			}
		}
		b = after
	}
}
