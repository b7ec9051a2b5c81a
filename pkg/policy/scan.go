package policy

import (
	"unicode"
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
	slash          // the same, and may belong to ://
	equals         // may stand between a name and a secret
	blank          // between words
	control        // is made visible
	leading        // may begin an invisible character, or one that stands for a plain one
)

var kinds = func() (k [256]byte) {
	for c := range 256 {
		switch b := byte(c); {
		case b >= '0' && b <= '9':
			k[c] = number
		case b == '-', b == '.', b == '_', b == '|', b == '*', b == '>':
			k[c] = joint
		case b == '/':
			k[c] = slash
		case b == '=':
			k[c] = equals
		case b == ' ', b == '\n', b == '\r', b == '\t', b == '\f', b == '\v':
			k[c] = blank
		case b < ' ', b == 0x7f:
			k[c] = control
		case b < utf8.RuneSelf:
			k[c] = letter
		}
	}
	// A test goes through all characters; here that would hold up every start.
	for _, c := range []byte{0xc2, 0xcd, 0xd8, 0xd9, 0xdb, 0xdf, 0xe0, 0xe1, 0xe2, 0xe3, 0xea, 0xef, 0xf0, 0xf3} {
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
			if run++; i > 1 && s[i-1] == '/' && s[i-2] == ':' {
				return false
			}
		case equals:
			digits = 0
			if run++; namesSecret(s[:i]) {
				return false
			}
		case blank, other:
			run = 0
		case control:
			return false
		case leading:
			switch unseen, as, size := peculiar(s[i:]); {
			case unseen:
				return false
			case as == 0:
				run = 0
			default:
				if as == '=' { // what stands before it may be in other forms as well
					return false
				}
				i += size - 1
				if run++; as >= '0' && as <= '9' {
					digits++
				}
			}
		}
		if run >= leastRun || digits >= leastDigits {
			return false
		}
	}
	return true
}

// peculiar looks at the character that s begins with, which is none of ASCII: whether it is invisible,
// and else for which of ASCII it stands, 0 for none.
func peculiar(s string) (unseen bool, as byte, size int) {
	if len(s) < 2 {
		return false, 0, 1
	}
	// What is frequent is known without looking further.
	switch second := s[1]; s[0] {
	case 0xe2: // quotation marks, dashes, arrows
		if second > 0x81 && second != 0xa0 || len(s) > 2 && second == 0x80 && s[2] >= 0x90 && s[2] < 0xa8 {
			return false, 0, 1
		}
	case 0xe3: // kana, and what stands between
		if second != 0x85 {
			return false, 0, 1
		}
	case 0xd9, 0xdb: // Arabic
		if second < 0xa0 {
			return false, 0, 1
		}
	case 0xea: // Korean
		if second >= 0xb0 {
			return false, 0, 1
		}
	case 0xef:
		if second < 0xb8 {
			return false, 0, 1
		}
	case 0xf0: // emoji
		if second == 0x9f && len(s) > 2 && s[2] < 0xaf {
			return false, 0, 1
		}
	}
	r, size := utf8.DecodeRuneInString(s)
	if invisible(r) {
		return true, 0, size
	}
	as, _ = stands(r)
	return false, as, size
}

// stands returns the character of ASCII that r is another form of: the digits of all scripts, and
// letters and signs in full width.
func stands(r rune) (as byte, ok bool) {
	switch {
	case r < utf8.RuneSelf:
		return 0, false
	case r >= '！' && r <= '～':
		return byte(r - '！' + '!'), true
	case !unicode.Is(unicode.Nd, r):
		return 0, false
	}
	for _, t := range unicode.Nd.R16 {
		if r <= rune(t.Hi) {
			return '0' + byte((r-rune(t.Lo))%10), true
		}
	}
	for _, t := range unicode.Nd.R32 {
		if r <= rune(t.Hi) {
			return '0' + byte((r-rune(t.Lo))%10), true
		}
	}
	return 0, false
}

// next returns where, from i on, the next invisible character of s begins, or len(s).
func next(s string, i int) int {
	for ; i < len(s); i++ {
		switch kinds[s[i]] {
		case control:
			return i
		case leading:
			if unseen, _, _ := peculiar(s[i:]); unseen {
				return i
			}
		}
	}
	return i
}

// nextDigit returns where, from i on, the next digit of s begins, or len(s).
func nextDigit(s string, i int) int {
	for i < len(s) && kinds[s[i]] != number {
		i++
	}
	return i
}

// A bareText is a text without what is invisible, and with plain letters and digits for their other
// forms.
type bareText struct {
	text  string
	of    string
	at    []int        // where each byte of text begins in of; nil: at the same place
	cuts  map[int]bool // before which bytes of text something was left out
	lines bool         // of has ends of lines that are invisible
}

// bare makes the bare text of s. Ends of lines that are invisible become plain ones if asked for, and
// are left out like everything else if not.
func bare(s string, lines bool) bareText {
	b := bareText{text: s, of: s}
	var out []byte
	done := 0
	keep := func(to int) {
		for ; done < to; done++ {
			out = append(out, s[done])
			b.at = append(b.at, done)
		}
	}
	for i := 0; i < len(s); {
		unseen, as, size := false, byte(0), 1
		switch kinds[s[i]] {
		case control:
			unseen = true
		case leading:
			unseen, as, size = peculiar(s[i:])
		}
		if unseen || as != 0 {
			if out == nil {
				out, b.at, b.cuts = make([]byte, 0, len(s)), make([]int, 0, len(s)), map[int]bool{}
			}
			keep(i)
			done = i + size
			if unseen && endsLine(s[i:]) {
				b.lines = true
				if lines {
					as = '\n'
				}
			}
			if as != 0 {
				out, b.at = append(out, as), append(b.at, i)
			} else {
				b.cuts[len(out)] = true
			}
		}
		i += size
	}
	if out != nil {
		keep(len(s))
		b.text = string(out)
	}
	return b
}

// endsLine reports whether s begins with an end of a line that few programs show as such.
func endsLine(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return r == '\u0085' || r == '\u2028' || r == '\u2029'
}

// restore makes places in the bare text places in the text that it was made of.
func (b bareText) restore(found []span) {
	if b.at == nil {
		return
	}
	for i := range found {
		x := &found[i]
		last := b.at[x.to-1]
		size := 1
		if b.text[x.to-1] < utf8.RuneSelf {
			_, size = utf8.DecodeRuneInString(b.of[last:])
		}
		x.from, x.to = b.at[x.from], last+size
	}
}
