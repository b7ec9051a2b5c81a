package query

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/text"
)

// joining are the signs that make one name of several words, as in POL-358, snake_case, a@b.org,
// 12:30 or C:\Users. Every other sign between words parts them as a blank does.
const joining = `-_./\@:'#=%~$`

// splitSigns parts what was typed between blanks at signs that join nothing. Addresses of the web
// stay whole, whatever they hold.
func splitSigns(s string) []string {
	if strings.Contains(s, "://") {
		return []string{s}
	}
	var out []string
	start := 0
	for i, r := range s {
		if text.InToken(r) || joins(s, i, r) {
			continue
		}
		if strings.IndexFunc(s[start:i], text.InToken) >= 0 {
			out = append(out, s[start:i])
		}
		start = i + len(string(r))
		if r == utf8.RuneError {
			_, size := utf8.DecodeRuneInString(s[i:])
			start = i + size
		}
	}
	if strings.IndexFunc(s[start:], text.InToken) >= 0 {
		out = append(out, s[start:])
	}
	return out
}

// joins reports whether the sign r at i is part of a name.
func joins(s string, i int, r rune) bool {
	if r == utf8.RuneError {
		return false
	}
	left, right := s[:i], s[i+utf8.RuneLen(r):]
	before, _ := utf8.DecodeLastRuneInString(left)
	after, _ := utf8.DecodeRuneInString(right)
	switch r {
	case '.': // not the three that stand for something left out
		dots := len(left) - len(strings.TrimRight(left, ".")) + 1 + len(right) - len(strings.TrimLeft(right, "."))
		return dots < 3
	case ',': // 1,234
		return unicode.IsDigit(before) && unicode.IsDigit(after)
	case '+': // C++ and me+lists@example.org, not a+b
		return !text.InToken(before) || !text.InToken(after) || strings.Contains(right, "@")
	case '&': // AT&T, R&D
		return short(before, left) || short(after, right)
	case '—', '―':
		return false
	}
	f := text.Fold(string(r))
	return len(f) == 1 && strings.Contains(joining, f)
}

// short reports whether the word at the end of s, or at its beginning, is an initial in capitals;
// edge is its character next to the sign.
func short(edge rune, s string) bool {
	return unicode.IsUpper(edge) && utf8.RuneCountInString(strings.TrimFunc(s, notWord)) <= 2
}

// partTerms are the words of an identifier. Those that stand in half of all identifiers, single
// characters and what is left of a shortened word, mean nothing alone.
func partTerms(n needle) []Term {
	var out []Term
	last := ""
	for t := range text.Tokens(n.text) {
		last = t.Form
		if t.Run {
			for _, g := range t.Grams(false) {
				out = append(out, gramTerm(g))
			}
			continue
		}
		term := wordTerm(t.Form)
		term.Stop = term.Stop || utf8.RuneCountInString(t.Form) == 1 || slices.Contains(usual, t.Form)
		out = append(out, term)
	}
	if strings.Contains(n.text, "'") && slices.Contains(endings, last) {
		return nil
	}
	if n.prefix && len(out) > 0 {
		out[len(out)-1] = prefixTerm(needle{text: last, prefix: true})
	}
	return out
}

var (
	usual   = []string{"http", "https", "www", "com", "org", "net"}
	endings = []string{"t", "s", "d", "m", "ll", "re", "ve"}
)

// apart returns what a word is when it is written as several: the words of camelCase, a letter and
// a number, or a number with a comma at its thousands. nil when it is but one.
func apart(s string) *Term {
	tokens := strings.Fields(string(text.AppendExtra(nil, s)))
	if digits := strings.TrimFunc(s, notWord); len(tokens) == 0 && len(digits) > 3 && len(digits) <= 15 && isNumber(digits) {
		for len(digits) > 0 {
			n := (len(digits)-1)%3 + 1
			tokens, digits = append(tokens, digits[:n]), digits[n:]
		}
	}
	if len(tokens) < 2 {
		return nil
	}
	return &Term{Expr: quote(tokens...), Tokens: tokens, seq: tokens}
}

var umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ø", "oe", "Ä", "ae", "Ö", "oe", "Ü", "ue", "Ø", "oe",
	"a\u0308", "ae", "o\u0308", "oe", "u\u0308", "ue", "A\u0308", "ae", "O\u0308", "oe", "U\u0308", "ue")

// spelled returns a word with an umlaut as those write it who have no key for it, and the other way
// round: Müller, which folding makes muller of, is mueller. nil when s is no such word; folded is s.
func spelled(s, folded string) *Term {
	other := text.Fold(umlauts.Replace(s))
	if other == folded {
		other = unspelled(folded)
	}
	if other == folded {
		return nil
	}
	t := wordTerm(strings.TrimFunc(other, notWord))
	return &t
}

// unspelled takes the e from ae, oe and ue between two consonants. Words as short as fuel, and those
// with que and gue, hardly mean an umlaut.
func unspelled(s string) string {
	if len(s) < 5 {
		return s
	}
	var b []byte
	for i := range len(s) {
		if i > 0 && i+1 < len(s) && s[i] == 'e' && strings.IndexByte("aou", s[i-1]) >= 0 && consonant(s[i+1]) &&
			(i == 1 || consonant(s[i-2]) && s[i-2] != 'q' && s[i-2] != 'g') {
			continue
		}
		b = append(b, s[i])
	}
	return string(b)
}

func consonant(c byte) bool { return c >= 'a' && c <= 'z' && strings.IndexByte("aeiouy", c) < 0 }

// together returns a number without the commas at its thousands, or nil.
func together(s string) *Term {
	if !strings.Contains(s, ",") {
		return nil
	}
	whole := strings.ReplaceAll(s, ",", "")
	if !isNumber(whole) {
		return nil
	}
	t := wordTerm(whole)
	return &t
}

func isNumber(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}
