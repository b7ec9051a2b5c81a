package chunk

import "unicode/utf8"

// Costs are token estimates times 40, the measure of text.EstimateTokens, summed here while
// scanning so that a cut needs no second look at the text.
const (
	costASCII = 10
	costCJK   = 32
	costOther = 16

	target = TargetTokens * 40
)

// runeCost is what one character adds.
func runeCost(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return costASCII
	case isCJK(r):
		return costCJK
	}
	return costOther
}

// cost is the sum over s.
func cost(s string) int {
	n := 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			n += costASCII
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		n += runeCost(r)
		i += size
	}
	return n
}

// isCJK reports whether r is of a Chinese, Japanese or Korean script.
func isCJK(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x11FF, // Hangul Jamo
		r >= 0x2E80 && r <= 0x9FFF,   // radicals to unified ideographs, with kana and CJK punctuation
		r >= 0xA960 && r <= 0xA97F,   // Hangul Jamo extended
		r >= 0xAC00 && r <= 0xD7FF,   // Hangul syllables
		r >= 0xF900 && r <= 0xFAFF,   // compatibility ideographs
		r >= 0xFE30 && r <= 0xFE4F,   // compatibility forms
		r >= 0xFF00 && r <= 0xFFEF,   // full and half width forms
		r >= 0x1B000 && r <= 0x1B16F, // kana supplement
		r >= 0x20000 && r <= 0x3FFFF: // further ideographs
		return true
	}
	return false
}
