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

const (
	mostDigits = 19
	// phoneDigits is how many digits a number after a plus has at most: fifteen, and what people add.
	phoneDigits = 17
	// wrapped is from how many characters on a line may have been broken within a number.
	wrapped = 40
)

// cards adds card numbers: digits of an issuer, alone or in the groups that people write, also on two
// lines, whose check digit is right.
func (f *finder) cards(s string) {
	for i := nextDigit(s, 0); i < len(s); i = nextDigit(s, i) {
		groups := groupsAt(s, i)
		end := groups[len(groups)-1].to
		for k := f.firstOfCard(s[:i], groups); k < len(groups); k++ {
			if g := groups[k].gap; k > 0 && (g == "." || g == "_") { // goes on a fraction or a name
				continue
			}
			n := cardIn(s, groups[k:])
			if n > 0 && (k+n < len(groups) || boundedAfter(s[end:]) || f.cuts[end]) {
				f.add(groups[k].from, groups[k+n-1].to, cardNumber)
				k += n - 1
			}
		}
		i = end
	}
}

// A group is digits without anything between them.
type group struct {
	from, to int
	gap      string // what stands before it
}

func (g group) len() int { return g.to - g.from }

// groupsAt returns the digits at s[i] and those that follow after separators.
func groupsAt(s string, i int) (groups []group) {
	gap := ""
	for {
		g := group{from: i, gap: gap}
		for i < len(s) && isDigit(s[i]) {
			i++
		}
		if i == g.from {
			return groups
		}
		g.to = i
		groups = append(groups, g)
		n := separator(s[i:])
		gap = s[i : i+n]
		if i += n; n == 0 {
			return groups
		}
	}
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// separator returns the length of what may stand between two groups: up to three blanks, dashes, dots
// and the like, and the end of one line with the marks of a quotation after it.
func separator(s string) int {
	n, marks, line := 0, 0, false
	for n < len(s) {
		r, size := utf8.DecodeRuneInString(s[n:])
		switch {
		case r == '\n' && !line:
			line, marks = true, 0
		case r == '\r' || r == '\t' || line && (r == '>' || r == ' '):
		case marks < 3 && separates(r):
			marks++
		default:
			return n
		}
		n += size
	}
	return n
}

func separates(r rune) bool {
	switch r {
	case ' ', '-', '.', '/', '_', '|', '*', '\u00a0', '·', '•', '\u2007', '\u2009', '\u202f', '\u2010', '\u2011', '\u2012', '\u2013', '\u2014', '\u2212', '\u3000':
		return true
	}
	return false
}

// firstOfCard returns the first of the groups that may begin a card. What follows a plus is the number
// of a telephone, what follows two capitals that of an account, and what goes on a word a part of it.
func (f *finder) firstOfCard(before string, groups []group) int {
	switch {
	case strings.HasSuffix(before, "+"):
		digits := 0
		for _, g := range groups {
			digits += g.len()
		}
		if digits <= phoneDigits {
			return len(groups)
		}
		return 1
	case groups[0].len() == 2 && isIBAN(before):
		return len(groups)
	case !boundedBefore(before) && !f.cuts[len(before)]:
		return 1
	}
	return 0
}

// isIBAN reports whether s ends with the two capitals of a country.
func isIBAN(s string) bool {
	n := len(s)
	capital := func(c byte) bool { return c >= 'A' && c <= 'Z' }
	return n >= 2 && capital(s[n-1]) && capital(s[n-2]) && (n == 2 || !isAlnum(s[n-3]))
}

// cardIn returns how many of the groups, from the first on, are a card number, or 0.
func cardIn(s string, groups []group) int {
	var digits [mostDigits]byte
	have := 0
	for n, g := range groups {
		if have+g.len() > mostDigits {
			return 0
		}
		have += copy(digits[have:], s[g.from:g.to])
		if have >= leastDigits && grouped(s, groups[:n+1]) && isCard(string(digits[:have])) {
			return n + 1
		}
	}
	return 0
}

// grouped reports whether people write the number of a card in these groups: with the same between all
// of them, or in those that stand on cards.
func grouped(s string, groups []group) bool {
	if len(groups) == 1 {
		return true
	}
	same, first := true, groups[0].len()
	sizes, broken := make([]int, 0, 8), -1
	for i, g := range groups {
		if i > 0 {
			gap := g.gap
			same = same && gap == groups[1].gap && utf8.RuneCountInString(gap) == 1 && gap != "\n" && gap != "_"
			if strings.Contains(gap, "\n") {
				if broken >= 0 { // a column of numbers
					return false
				}
				broken = i
			}
			same = same && (i == len(groups)-1 || g.len() >= 4)
		}
		sizes = append(sizes, g.len())
	}
	if same && first >= 4 && first <= 6 || onCards(sizes) {
		return true
	}
	if broken < 0 || groups[broken-1].to-1-strings.LastIndexByte(s[:groups[broken-1].to], '\n') < wrapped {
		return false
	}
	// The line was full, and what belongs together broken.
	sizes[broken-1] += sizes[broken]
	sizes = slices.Delete(sizes, broken, broken+1)
	return len(sizes) == 1 || onCards(sizes)
}

// onCards reports whether digits stand on cards in groups of these sizes.
func onCards(sizes []int) bool {
	for _, known := range [][]int{{4, 4, 4, 4}, {4, 6, 5}, {4, 6, 4}, {4, 4, 4, 4, 3}, {4, 4, 4, 4, 2}, {6, 13}} {
		if slices.Equal(sizes, known) {
			return true
		}
	}
	return false
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
		n := len(s) - size
		return n == 0 || !isDigit(s[n-1])
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
