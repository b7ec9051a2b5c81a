package query

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/text"
)

// A needle is text that has to stand in another as it is written, apart from case, accents and the
// kind and length of white space.
type needle struct {
	text   string
	prefix bool // the last word may go on
	phrase bool // words that a hyphen joins are the same as words that stand apart
}

// newNeedle prepares s to be looked for. Signs around the words do not count, except for those that
// make C++ another word than C.
func newNeedle(s string) needle {
	s = spaced(text.Fold(s))
	s = strings.TrimLeftFunc(s, notWord)
	t := strings.TrimRightFunc(s, notWord)
	if tail := s[len(t):]; t != "" && (strings.HasPrefix(tail, "++") || strings.HasPrefix(tail, "#")) {
		t += strings.TrimRightFunc(tail, func(r rune) bool { return r != '+' && r != '#' })
	}
	return needle{text: t}
}

func notWord(r rune) bool {
	return !text.InToken(r) && !unicode.IsLetter(r) && !unicode.IsNumber(r)
}

// keepSign adds the sign before the first word of s when it makes another word of it: #sailing is not
// sailing, nor is .NET a net.
func (n *needle) keepSign(s string) {
	s = spaced(text.Fold(s))
	if i := strings.IndexFunc(s, func(r rune) bool { return !notWord(r) }); i > 0 && isLead(rune(s[i-1])) {
		n.text = s[i-1:i] + n.text
	}
}

func isLead(r rune) bool { return strings.ContainsRune("#.$@/", r) }

// plain reports whether the needle is one word without signs, which the index finds by its stem.
func (n needle) plain() bool {
	count := 0
	for t := range text.Tokens(n.text) {
		if count++; count > 1 || t.Start != 0 || t.End != len(n.text) {
			return false
		}
	}
	return count == 1
}

// in reports whether the needle stands in hay, which is folded and spaced, not inside a word.
func (n needle) in(hay string) bool {
	if n.find(hay) {
		return true
	}
	if !n.phrase {
		return false
	}
	loose := n
	loose.text = parted(n.text, "-")
	return (strings.ContainsAny(hay, joints) || loose.text != n.text) && loose.find(parted(hay, joints))
}

// joints are the signs that join words of their own, as in state-of-the-art, and/or or to_do.
const joints = "-/_"

// parted puts a blank for each of the signs, of ASCII, that stands between two letters. Next to a digit
// it is part of a name, such as POL-358.
func parted(s, signs string) string {
	var b []byte
	for i := 1; i+1 < len(s); i++ {
		if strings.IndexByte(signs, s[i]) < 0 {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+1:])
		if !unicode.IsLetter(before) || !unicode.IsLetter(after) {
			continue
		}
		if b == nil {
			b = []byte(s)
		}
		b[i] = ' '
	}
	if b == nil {
		return s
	}
	return string(b)
}

// find reports whether the needle stands in hay as it is.
func (n needle) find(hay string) bool {
	first, _ := utf8.DecodeRuneInString(n.text)
	last, _ := utf8.DecodeLastRuneInString(n.text)
	for from := 0; from <= len(hay); {
		i := strings.Index(hay[from:], n.text)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(hay[:i])
		after, size := utf8.DecodeRuneInString(hay[i+len(n.text):])
		switch {
		case i > 0 && (wordy(first) || isLead(first)) && wordy(before):
		case size > 0 && !n.prefix && wordy(last) && wordy(after):
		case size > 0 && unicode.Is(unicode.M, after): // the last character goes on
		case before == joiner || after == joiner: // a part of an emoji
		default:
			return true
		}
		_, step := utf8.DecodeRuneInString(hay[i:])
		from = i + step
	}
	return false
}

// joiner makes one emoji of two.
const joiner = '\u200d'

func wordy(r rune) bool { return r != utf8.RuneError && text.IsWordRune(r) }

// spaced turns every run of white space into one blank.
func spaced(s string) string {
	plain := true
	for i := 0; plain && i < len(s); i++ {
		plain = s[i] < utf8.RuneSelf && (s[i] > ' ' || s[i] == ' ' && (i == 0 || s[i-1] != ' '))
	}
	if plain {
		return s
	}
	var b strings.Builder
	b.Grow(len(s))
	white := false
	for _, r := range s {
		if unicode.IsSpace(r) {
			if !white {
				b.WriteByte(' ')
			}
			white = true
			continue
		}
		white = false
		b.WriteRune(r)
	}
	return b.String()
}

// Written reports whether something has to be checked on the written text; all says that every
// term has to be there, and not only the required ones.
func (q *Query) Written(all bool) bool {
	if len(q.not) > 0 {
		return true
	}
	for i := range q.Terms {
		if q.Terms[i].written.text != "" && (all || q.Terms[i].Required) {
			return true
		}
	}
	return false
}

// Accept reports whether a row with these texts (content, title, context ...) may be an answer: the
// phrases are in it as they are written, and with all also the identifiers and prefixes, and
// nothing that is excluded is.
func (q *Query) Accept(all bool, texts ...string) bool {
	if !q.Written(all) {
		return true
	}
	folded := foldTexts(texts)
	for _, n := range q.not {
		if inAny(n, folded) {
			return false
		}
	}
	for i := range q.Terms {
		t := &q.Terms[i]
		if t.written.text != "" && (all || t.Required) && !inAny(t.written, folded) {
			return false
		}
	}
	return true
}

func foldTexts(texts []string) []string {
	out := make([]string, len(texts))
	for i, s := range texts {
		out[i] = spaced(text.Fold(s))
	}
	return out
}

func inAny(n needle, folded []string) bool {
	for _, s := range folded {
		if n.in(s) {
			return true
		}
	}
	return false
}
