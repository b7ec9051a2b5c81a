package policy

import (
	"strings"
	"unicode/utf8"
)

const (
	// leastRun is how long anything that is redacted is at least, in characters without a blank, but
	// for addresses and card numbers.
	leastRun = 16
	// leastDigits is how many digits the shortest card number has.
	leastDigits = 12
)

// The kinds of bytes, as far as they matter for what is to be redacted or revealed.
const (
	other   = iota // goes on or begins a character that is no concern of ours
	letter         // printable ASCII
	number         // 0 to 9
	joint          // may stand between digits
	slash          // may belong to ://
	blank          // between words
	lineEnd        // and between what belongs together
	control        // is made visible
	leading        // may begin an invisible character or a digit in full width
)

var kinds = func() (k [256]byte) {
	for c := range 256 {
		switch b := byte(c); {
		case b >= '0' && b <= '9':
			k[c] = number
		case b == '-', b == '.':
			k[c] = joint
		case b == '/':
			k[c] = slash
		case b == ' ':
			k[c] = blank
		case b == '\n', b == '\r', b == '\t', b == '\f', b == '\v':
			k[c] = lineEnd
		case b < ' ', b == 0x7f:
			k[c] = control
		case b < utf8.RuneSelf:
			k[c] = letter
		}
	}
	for _, c := range []byte{0xc2, 0xcd, 0xd8, 0xe1, 0xe2, 0xe3, 0xef, 0xf0, 0xf3} {
		k[c] = leading
	}
	return k
}()

// isRun reports whether c goes on a run of characters without blanks.
func isRun(c byte) bool { return c > ' ' && c < 0x7f }

// plain reports whether there is certainly nothing in s to redact or to reveal. It is all that most
// texts cost.
func plain(s string) bool {
	run, digits := 0, 0
	for i := 0; i < len(s); i++ {
		switch kinds[s[i]] {
		case letter:
			digits = 0
			run++
		case number:
			digits++
			run++
		case joint:
			run++
		case slash:
			digits = 0
			if run++; i > 1 && s[i-1] == '/' && s[i-2] == ':' {
				return false
			}
		case blank, other:
			run = 0
		case lineEnd:
			run, digits = 0, 0
		case control:
			return false
		case leading:
			run = 0
			switch unseen, digit := peculiar(s[i:]); {
			case unseen:
				return false
			case digit:
				digits++
			}
		}
		if run >= leastRun || digits >= leastDigits {
			return false
		}
	}
	return true
}

// peculiar reports whether s begins with an invisible character or with a digit in full width, and
// looks no further than it has to.
func peculiar(s string) (unseen, wide bool) {
	if len(s) < 2 {
		return false, false
	}
	switch second := s[1]; s[0] {
	case 0xe2:
		if second != 0x80 && second != 0x81 {
			return false, false
		}
		// Quotation marks and dashes are by far the most frequent.
		if len(s) > 2 && second == 0x80 && s[2] >= 0x90 && s[2] < 0xaa {
			return false, false
		}
	case 0xe3:
		if second != 0x85 {
			return false, false
		}
	case 0xef:
		if second < 0xb8 {
			return false, false
		}
	case 0xf0:
		if second != 0x9d {
			return false, false
		}
	}
	r, _ := utf8.DecodeRuneInString(s)
	_, wide = digit(r)
	return invisible(r), wide
}

// next returns where, from i on, the next invisible character of s begins, or len(s).
func next(s string, i int) int {
	for ; i < len(s); i++ {
		switch kinds[s[i]] {
		case control:
			return i
		case leading:
			if unseen, _ := peculiar(s[i:]); unseen {
				return i
			}
		}
	}
	return i
}

// nextDigit returns where, from i on, the next digit of s begins, or len(s).
func nextDigit(s string, i int) int {
	for ; i < len(s); i++ {
		if kinds[s[i]] == number || s[i] == 0xef && strings.HasPrefix(s[i+1:], "\xbc") {
			r, _ := utf8.DecodeRuneInString(s[i:])
			if _, ok := digit(r); ok {
				return i
			}
		}
	}
	return i
}
