package policy

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// An issuer is a range of card numbers: how they begin, as numbers of the same length from low to
// high, and how many digits they have.
type issuer struct {
	low, high string
	digits    []int
}

var issuers = []issuer{
	{"4", "4", []int{13, 16, 18, 19}},                                               // Visa
	{"51", "55", []int{16}},                                                         // Mastercard
	{"2221", "2720", []int{16}},                                                     // Mastercard
	{"34", "34", []int{15}},                                                         // American Express
	{"37", "37", []int{15}},                                                         // American Express
	{"6011", "6011", []int{16, 17, 18, 19}},                                         // Discover
	{"644", "659", []int{16, 17, 18, 19}},                                           // Discover, RuPay
	{"300", "305", []int{14, 16, 17, 18, 19}},                                       // Diners Club
	{"3095", "3095", []int{14, 16, 17, 18, 19}},                                     // Diners Club
	{"36", "36", []int{14, 16, 17, 18, 19}},                                         // Diners Club
	{"38", "39", []int{14, 16, 17, 18, 19}},                                         // Diners Club
	{"3528", "3589", []int{16, 17, 18, 19}},                                         // JCB
	{"62", "62", []int{16, 17, 18, 19}},                                             // UnionPay
	{"81", "82", []int{16, 17, 18, 19}},                                             // UnionPay, RuPay
	{"2200", "2204", []int{16, 17, 18, 19}},                                         // Mir
	{"60", "60", []int{16}},                                                         // RuPay
	{"5018", "5018", maestro}, {"5020", "5020", maestro}, {"5038", "5038", maestro}, // Maestro
	{"5893", "5893", maestro}, {"6304", "6304", maestro}, {"6759", "6759", maestro}, // Maestro
	{"6761", "6763", maestro}, {"9792", "9792", []int{16}}, {"506099", "506198", []int{16, 19}}, // Maestro, Troy, Verve
}

var maestro = []int{12, 13, 14, 15, 16, 17, 18, 19}

const mostDigits = 19

// redactCards replaces card numbers: digits of an issuer, alone or in the groups that people write,
// whose check digit is right.
func redactCards(s string) string {
	var out strings.Builder
	done := 0
	for i := nextDigit(s, 0); i < len(s); i = nextDigit(s, i) {
		groups := groupsAt(s, i)
		end := groups[len(groups)-1].to
		if boundedBefore(s[:i]) && boundedAfter(s[end:]) {
			for k := 0; k < len(groups); k++ {
				if n := cardIn(groups[k:]); n > 0 {
					out.WriteString(s[done:groups[k].from] + mark(cardNumber))
					k += n - 1
					done = groups[k].to
				}
			}
		}
		i = end
	}
	if done == 0 {
		return s
	}
	return out.String() + s[done:]
}

// A group is digits without anything between them.
type group struct {
	from, to int
	digits   string // in ASCII
	gap      string // what stands before it
}

// groupsAt returns the digits at s[i] and those that follow after single separators.
func groupsAt(s string, i int) (groups []group) {
	gap := ""
	for {
		g := group{from: i, gap: gap}
		var digits []byte
		for i < len(s) {
			r, size := utf8.DecodeRuneInString(s[i:])
			d, ok := digit(r)
			if !ok {
				break
			}
			digits = append(digits, d)
			i += size
		}
		if len(digits) == 0 {
			return groups
		}
		g.to, g.digits = i, string(digits)
		groups = append(groups, g)
		n := separator(s[i:])
		if n == 0 {
			return groups
		}
		gap = s[i : i+n]
		i += n
	}
}

// separator returns the length of what may stand between two groups, a blank, a hyphen or a dot, and
// of invisible characters with it.
func separator(s string) int {
	n, seen := 0, false
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case invisible(r) && r >= utf8.RuneSelf:
		case !seen && (r == ' ' || r == '-' || r == '.' || r == '\u00a0' || r == '\u2007' || r == '\u2009' || r == '\u202f' || r == '\u2010' || r == '\u2011' || r == '\u2013'):
			seen = true
		default:
			return n
		}
		n += size
	}
	return n
}

// digit returns the ASCII form of a digit.
func digit(r rune) (byte, bool) {
	switch {
	case r >= '0' && r <= '9':
		return byte(r), true
	case r >= '０' && r <= '９':
		return byte('0' + r - '０'), true
	}
	return 0, false
}

// cardIn returns how many of the groups, from the first on, are a card number, or 0.
func cardIn(groups []group) int {
	digits := ""
	for n, g := range groups {
		if n > 0 && (g.gap != groups[min(n, 1)].gap || len(groups[0].digits) < 4 || len(groups[0].digits) > 6 || n > 1 && len(groups[n-1].digits) < 4) {
			return 0
		}
		digits += g.digits
		if len(digits) > mostDigits {
			return 0
		}
		if isCard(digits) {
			return n + 1
		}
	}
	return 0
}

func isCard(digits string) bool {
	return slices.ContainsFunc(issuers, func(x issuer) bool {
		if !slices.Contains(x.digits, len(digits)) {
			return false
		}
		lead := digits[:len(x.low)]
		return lead >= x.low && lead <= x.high
	}) && luhn(digits)
}

// luhn reports whether the check digit, the last, is right.
func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// boundedBefore reports whether digits after s may begin a number of their own, and no part of a
// word, of an identifier or of a fraction.
func boundedBefore(s string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	if wordlike(r) && size > 0 {
		return false
	}
	if r == '.' || r == ',' {
		before, _ := utf8.DecodeLastRuneInString(s[:len(s)-size])
		_, ok := digit(before)
		return !ok
	}
	return true
}

func boundedAfter(s string) bool {
	r, size := utf8.DecodeRuneInString(s)
	return size == 0 || !wordlike(r)
}

// wordlike reports whether r goes on a word of Latin letters. Others, as in Chinese, may stand beside a
// number without a blank.
func wordlike(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r == '_'
}
