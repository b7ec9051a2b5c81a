package xling

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// widen returns a text as dictionaries write it: kana of half width and with their marks apart become
// one character, letters and digits of full width those of ASCII, and characters that stand for another
// in some encoding that one. Marks that tell only how a character is drawn, or where a line may end, go
// from between Chinese and Japanese ones. All else stays as it is.
func widen(s string) string {
	if !narrow(s) {
		return s
	}
	out := make([]rune, 0, len(s)/2)
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			return s // what is not text is left alone
		}
		i += n
		var last rune
		if len(out) > 0 {
			last = out[len(out)-1]
		}
		switch {
		case isVoiceMark(r):
			if whole := voiced(last, r); whole != 0 {
				out[len(out)-1] = whole
				continue
			}
		case inRun(last) && isUnseen(r):
			continue
		}
		out = append(out, wide(r))
	}
	return string(out)
}

// narrow reports whether widen may change anything about s.
func narrow(s string) bool {
	for i := 0; i < len(s); {
		if s[i] < 0xE2 { // the least first byte of what is looked for
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if isVoiceMark(r) || isUnseen(r) || wide(r) != r {
			return true
		}
		i += n
	}
	return false
}

// isHalfKana reports whether r is a kana of half width.
func isHalfKana(r rune) bool { return r >= 0xFF66 && r <= 0xFF9D }

// isRadical reports whether r is a part of Chinese characters, as some PDFs have it in place of the
// character itself.
func isRadical(r rune) bool { return r >= 0x2E80 && r <= 0x2FD5 }

// isVoiceMark reports whether r makes another sound of the kana before it.
func isVoiceMark(r rune) bool { return r >= 0x3099 && r <= 0x309C || r == 0xFF9E || r == 0xFF9F }

// voiced returns a kana with the mark behind it as one character, or 0.
func voiced(kana, mark rune) rune {
	if !isKana(kana) {
		return 0
	}
	switch mark {
	case 0x309B, 0xFF9E:
		mark = 0x3099
	case 0x309C, 0xFF9F:
		mark = 0x309A
	}
	whole := norm.NFC.String(string([]rune{kana, mark}))
	if r, n := utf8.DecodeRuneInString(whole); n == len(whole) {
		return r
	}
	return 0
}

// isUnseen reports whether r is seen in no text, and parts no words.
func isUnseen(r rune) bool {
	switch {
	case r >= 0xFE00 && r <= 0xFE0F, r >= 0xE0100 && r <= 0xE01EF: // which form of a character
		return true
	case r >= 0x200B && r <= 0x200D, r == 0x2060, r == 0xFEFF: // where lines may end
		return true
	}
	return false
}

// keptWide are marks of full width that end sentences or clauses, which the translation knows.
const keptWide = "！（），：；？"

// wide is the form of one character by itself.
func wide(r rune) rune {
	switch {
	case r >= 0xFF01 && r <= 0xFF5E:
		if strings.ContainsRune(keptWide, r) {
			return r
		}
		return r - 0xFF01 + '!'
	case r >= 0xFF61 && r <= 0xFF9D, isRadical(r), r >= 0xF900 && r <= 0xFAFF, r >= 0x2F800 && r <= 0x2FA1F:
		var in [utf8.UTFMax]byte
		form := norm.NFKC.Bytes(in[:utf8.EncodeRune(in[:], r)])
		if x, n := utf8.DecodeRune(form); n == len(form) {
			return x
		}
	}
	return r
}
