package text

import "iter"

// A Token is one word, or one run of a script without spaces, as it stands in a text.
type Token struct {
	Start, End int    // in bytes of the text
	Form       string // folded, not stemmed
	Run        bool   // a run of a script without spaces
	Symbol     bool   // an emoji, a word of its own wherever it stands
	// Cut says that the index holds only the beginning of Form, so that a match has to be checked
	// on the written text.
	Cut bool
}

// Tokens returns the tokens of s in order.
func Tokens(s string) iter.Seq[Token] {
	return func(yield func(Token) bool) {
		var buf []byte
		for i := 0; i < len(s); {
			r := nextRun(s, i)
			i = r.end
			if r.class == classNone {
				continue
			}
			buf = appendFold(buf[:0], s[r.start:r.end])
			for w := buf; len(w) > 0; {
				part, rest := cutPart(w)
				w = rest
				if len(part) == 0 {
					continue
				}
				t := Token{Start: r.start, End: r.end, Form: string(part), Symbol: r.class == classSymbol}
				t.Run = r.class > classWord && !t.Symbol
				t.Cut = !t.Run && len(part) > MaxToken
				if !yield(t) {
					return
				}
			}
		}
	}
}

// Term returns the index token of a word.
func (t Token) Term() string { return Stem(t.Form) }

// Grams returns the index tokens of a run: its overlapping bigrams. last also gives the final
// character, which the index holds after every run; a run of one character has only that.
func (t Token) Grams(last bool) []string {
	b := []byte(t.Form)
	var ends []int
	for i := 0; i < len(b); {
		i = unitEnd(b, i)
		ends = append(ends, i)
	}
	var out []string
	start := 0
	for k := range ends {
		switch {
		case k+1 < len(ends):
			out = append(out, string(cutToken(b[start:ends[k+1]])))
		case last || len(ends) == 1:
			out = append(out, string(cutToken(b[start:ends[k]])))
		}
		start = ends[k]
	}
	return out
}

// Stem returns the index token of a folded word: the stem of an English word, other words as they
// are, cut at MaxToken.
func Stem(form string) string {
	w := cutToken([]byte(form))
	if len(form) > MaxToken || len(w) < 3 || !isLetters(w) {
		return string(w)
	}
	return string(stem(w))
}
