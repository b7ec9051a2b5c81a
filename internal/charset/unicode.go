package charset

import (
	"bytes"
	"encoding/base64"
	"strings"
	"sync"
	"unicode"
	stdutf16 "unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding"
)

// utf16 decodes b; an odd last byte is dropped.
func utf16(b []byte, big bool) (string, bool) {
	units := make([]uint16, len(b)/2)
	for i := range units {
		lo, hi := b[2*i], b[2*i+1]
		if big {
			lo, hi = hi, lo
		}
		units[i] = uint16(hi)<<8 | uint16(lo)
	}
	s := string(stdutf16.Decode(units))
	return s, len(b)%2 == 0 && !strings.ContainsRune(s, utf8.RuneError)
}

// unmarkedUTF16 reports whether b, which has neither label nor byte order mark, is UTF-16: zero bytes
// fill half of it, or it holds control characters and makes sense in pairs.
func unmarkedUTF16(b []byte) (big, ok bool) {
	b = b[:min(len(b), judged)]
	odd := 0
	for _, c := range b {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' && c != 0x1b {
			odd++
		}
	}
	if odd == 0 {
		return false, false
	}
	if big, ok = looksUTF16(b); ok {
		return big, ok
	}
	if odd*50 < len(b) {
		return false, false
	}
	be, le := pairs(b, true), pairs(b, false)
	return be > le, max(be, le) > 0.95
}

// pairs returns which share of b, as UTF-16, is of one script, the signs of Europe and East Asia, and
// ASCII: 0 where it is a script of thousands of characters and none of them are frequent.
func pairs(b []byte, big bool) float64 {
	s, _ := utf16(b[:len(b)&^1], big)
	const han = 0x100 // the key of Chinese, Japanese and Korean; the others have a block of 256 each
	scripts, frequent, wide, signs, total := map[rune]int{}, 0, 0, 0, 0
	for _, r := range s {
		total++
		switch {
		case r == '\n' || r == '\r' || r == '\t' || r >= ' ' && r < 0x7f, r >= 0xa0 && r < 0x250,
			r >= 0x2010 && r < 0x2070 || r == '€', r >= 0x3000 && r < 0x3040, r >= 0xff01 && r < 0xff66,
			r >= 0x1f300 && r < 0x1fb00:
			signs++
		case r >= 0x4e00 && r <= 0x9fff, r >= 0x3041 && r < 0x3100, r >= 0xac00 && r <= 0xd7a3:
			scripts[han]++
			wide++
			if r < 0x3100 || frequentWide()[r] {
				frequent++
			}
		case r >= 0x370 && r < 0x1100 && unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P):
			scripts[r>>8]++
		}
	}
	most := 0
	for _, n := range scripts {
		most = max(most, n)
	}
	if total < 3 || most == 0 || most == wide && frequent*5 < wide {
		return 0
	}
	return float64(most+signs) / float64(total)
}

// frequentWide are the characters that Chinese, Japanese and Korean are mostly written in.
var frequentWide = sync.OnceValue(func() map[rune]bool {
	m := map[rune]bool{}
	for _, r := range hanziSimplified + hanziTraditional + kanji + hangul {
		m[r] = true
	}
	return m
})

// labelledUTF16 decodes b, which a label calls UTF-16 and which has no byte order mark.
func labelledUTF16(b []byte, name string) (string, bool) {
	switch big, ok := unmarkedUTF16(b); {
	case name == "utf-16be":
		return utf16(b, true)
	case name == "utf-16le":
		return utf16(b, false)
	case ok:
		return utf16(b, big)
	case bytes.IndexByte(b, 0) < 0 && utf8.Valid(b):
		return string(b), false // the label came from a converter that changed the bytes
	default:
		// Without Latin text, blanks and line ends tell the order; by default it is that of Windows.
		var beBlank, leBlank int
		for i := 0; i+1 < len(b); i += 2 {
			if b[i] == 0 && b[i+1] <= ' ' {
				beBlank++
			}
			if b[i+1] == 0 && b[i] <= ' ' {
				leBlank++
			}
		}
		return utf16(b, beBlank > leBlank)
	}
}

// looksUTF16 reports whether zero bytes fill mostly one of every two places.
func looksUTF16(b []byte) (big, ok bool) {
	n := min(len(b), 64<<10)
	if n < 4 {
		return false, false
	}
	var even, odd int
	for i := 0; i < n; i++ {
		if b[i] == 0 {
			if i%2 == 0 {
				even++
			} else {
				odd++
			}
		}
	}
	half := n / 2
	switch {
	case even > half*2/5 && odd < half/20+1:
		return true, true
	case odd > half*2/5 && even < half/20+1:
		return false, true
	}
	return false, false
}

func utf32(b []byte, big bool) string {
	var out strings.Builder
	for ; len(b) >= 4; b = b[4:] {
		r := rune(b[0]) | rune(b[1])<<8 | rune(b[2])<<16 | rune(b[3])<<24
		if big {
			r = rune(b[3]) | rune(b[2])<<8 | rune(b[1])<<16 | rune(b[0])<<24
		}
		if r < 0 || r > unicode.MaxRune {
			r = utf8.RuneError
		}
		out.WriteRune(r)
	}
	return out.String()
}

// utf7 decodes RFC 2152. What is not UTF-7 stays as it is.
func utf7(b []byte) (string, bool) {
	if !ascii(b) {
		s, _ := utf8Or(b, "")
		return s, false
	}
	s := string(b)
	certain := true
	var out strings.Builder
	out.Grow(len(s))
	for {
		i := strings.IndexByte(s, '+')
		if i < 0 {
			out.WriteString(s)
			return out.String(), certain
		}
		out.WriteString(s[:i])
		s = s[i+1:]
		n := 0
		for n < len(s) && base64Char(s[n]) {
			n++
		}
		switch text, ok := utf7Run(s[:n]); {
		case n == 0 && strings.HasPrefix(s, "-"):
			out.WriteByte('+')
			s = s[1:]
		case n == 0 || !ok:
			out.WriteByte('+')
			out.WriteString(s[:n])
			s, certain = s[n:], false
		default:
			out.WriteString(text)
			s = strings.TrimPrefix(s[n:], "-")
		}
	}
}

func base64Char(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/'
}

func utf7Run(run string) (string, bool) {
	if len(run)%4 == 1 {
		return "", false
	}
	b, err := base64.RawStdEncoding.DecodeString(run)
	if err != nil || len(b) < 2 {
		return "", false
	}
	s, _ := utf16(b[:len(b)&^1], true)
	return s, true
}

// shifted decodes the seven-bit sets that switch to pairs of bytes between on and off: ISO-2022-KR
// and HZ. It sets the high bit of the pairs and decodes the rest as eight-bit text, since the ready
// decoder for HZ is known to run out of memory.
func shifted(b, on, off []byte, enc encoding.Encoding) string {
	b = bytes.ReplaceAll(b, []byte("\x1b$)C"), nil)
	out := make([]byte, 0, len(b))
	inside := false
	for len(b) > 0 {
		switch {
		case !inside && bytes.HasPrefix(b, on):
			inside, b = true, b[len(on):]
		case inside && bytes.HasPrefix(b, off):
			inside, b = false, b[len(off):]
		case !inside && on[0] == '~' && bytes.HasPrefix(b, []byte("~~")):
			out, b = append(out, '~'), b[2:]
		case !inside && on[0] == '~' && bytes.HasPrefix(b, []byte("~\n")):
			b = b[2:]
		case b[0] == '\n':
			inside, out, b = false, append(out, '\n'), b[1:]
		case inside && b[0] > ' ' && b[0] < 0x7f:
			out, b = append(out, b[0]|0x80), b[1:]
		default:
			out, b = append(out, b[0]), b[1:]
		}
	}
	s, _ := run(enc, out)
	return s
}
