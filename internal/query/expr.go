package query

import (
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/text"
)

// All returns the FTS5 expression for rows with every term, or "" when there is none.
func (q *Query) All() string {
	exprs := make([]string, len(q.Terms))
	for i := range q.Terms {
		exprs[i] = q.Terms[i].Expr
	}
	return strings.Join(exprs, " AND ")
}

// Optional returns the terms of which an answer may hold only some: everything but phrases, runs of
// scripts without spaces by their bigrams, and stop-words only when there is nothing else.
func (q *Query) Optional() []Term {
	var strong, weak Query
	for _, t := range q.Terms {
		parts := []Term{t}
		switch {
		case t.Required:
			continue
		case t.run && len(t.seq) > 1:
			parts = parts[:0]
			for _, g := range t.seq {
				parts = append(parts, gramTerm(g))
			}
		}
		for _, part := range append(parts, t.parts...) {
			if part.Stop {
				weak.add(part)
			} else {
				strong.add(part)
			}
		}
	}
	if len(strong.Terms) == 0 {
		return weak.Terms
	}
	return strong.Terms
}

// Must returns the FTS5 expression for rows with every required term, or "".
func (q *Query) Must() string {
	var exprs []string
	for i := range q.Terms {
		if q.Terms[i].Required {
			exprs = append(exprs, q.Terms[i].Expr)
		}
	}
	return strings.Join(exprs, " AND ")
}

// Any joins the terms with OR, or returns "" when there is none.
func Any(terms []Term) string {
	exprs := make([]string, len(terms))
	for i := range terms {
		exprs[i] = terms[i].Expr
	}
	return strings.Join(exprs, " OR ")
}

// Relaxed returns the query for rows that hold the parts of its identifiers, wherever they stand,
// and words that the text writes in another way: getUser in getUserName, 1234 as 1,234, Müller as
// Mueller. It is nil when that is the same query. Phrases stay what they are.
func (q *Query) Relaxed() *Query {
	r := *q
	r.Terms = nil
	changed := false
	for _, t := range q.Terms {
		switch {
		case t.Required:
			r.add(t)
		case t.other != nil:
			both := *t.other
			both.Expr, both.Tokens = "("+t.Expr+" OR "+t.other.Expr+")", nil
			r.add(both)
			changed = true
		case len(t.parts) > 0:
			for _, part := range t.parts {
				r.add(part)
			}
			changed = true
		default:
			r.add(t)
		}
	}
	if !changed {
		return nil
	}
	return &r
}

// Thorough reports whether a row that holds any of the words is found by the optional terms: words
// that mean nothing alone are left out of them.
func (q *Query) Thorough() bool {
	weak := func(t Term) bool { return t.Stop }
	if slices.ContainsFunc(q.Optional(), weak) {
		return true // then there was nothing else
	}
	return !slices.ContainsFunc(q.Terms, func(t Term) bool { return weak(t) || slices.ContainsFunc(t.parts, weak) })
}

// quote writes index tokens as an FTS5 phrase. Tokens hold letters, marks and digits only.
func quote(tokens ...string) string { return `"` + strings.Join(tokens, " ") + `"` }

// wordTerm is a single word, which matches its stem.
func wordTerm(form string) Term {
	t := text.Stem(form)
	term := Term{Expr: quote(t), Tokens: []string{t}, seq: []string{t}, Stop: text.IsStopWord(form)}
	if len(form) > text.MaxToken {
		term.written = needle{text: form} // the index holds its beginning only
	}
	return term
}

// gramTerm is one index token of a script without spaces.
func gramTerm(gram string) Term {
	return Term{Expr: quote(gram), Tokens: []string{gram}, seq: []string{gram}, run: true}
}

// prefixTerm is a word, or an identifier, whose last word goes on.
func prefixTerm(n needle) Term {
	var seq []string
	last := ""
	for t := range text.Tokens(n.text) {
		last = t.Form
		seq = append(seq, t.Term())
	}
	before := seq[:len(seq)-1]
	if len(last) <= text.MaxToken {
		seq[len(seq)-1] = last
	}
	t := Term{Tokens: before, seq: seq, open: true, alts: text.PrefixTerms(last), written: n}
	exprs := []string{quote(seq...) + " *"}
	for _, alt := range t.alts {
		exprs = append(exprs, quote(append(before[:len(before):len(before)], alt)...))
	}
	if len(before) > 0 {
		t.parts = partTerms(n)
	}
	t.Expr = exprs[0]
	if len(exprs) > 1 {
		t.Expr = "(" + strings.Join(exprs, " OR ") + ")"
	}
	return t
}

// phraseTerm is a sequence of index tokens; its Expr is "" when s holds none. Where s ends in a
// script without spaces the text may go on, so its final character is left open; in between, a run
// ends where the index ended it.
func phraseTerm(s string, written needle) Term {
	t := Term{written: written}
	var all []text.Token
	for tok := range text.Tokens(s) {
		all = append(all, tok)
	}
	for i, tok := range all {
		if !tok.Run {
			t.seq = append(t.seq, tok.Term())
			continue
		}
		last := i+1 == len(all)
		grams := tok.Grams(!last)
		t.seq = append(t.seq, grams...)
		t.open = last && len(tok.Grams(true)) == 1 // one character
	}
	t.run = len(all) == 1 && all[0].Run
	t.Tokens = t.seq
	switch {
	case len(t.seq) == 0:
	case t.open:
		t.Tokens = t.seq[:len(t.seq)-1]
		t.Expr = quote(t.seq...) + " *"
	default:
		t.Expr = quote(t.seq...)
	}
	return t
}
