package query

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/text"
)

// Parse parses the language of memory.search. Every string is a valid query.
func Parse(s string) *Query {
	p := parser{rest: s, q: new(Query)}
	for p.next() {
	}
	return p.q
}

// Natural parses a question in plain words for memory.recall. Quotation marks and operators mean
// what they mean in Parse, but every term is optional; identifiers also count by their parts, runs
// of scripts without spaces by their bigrams, and stop-words only when there is nothing else.
func Natural(s string) *Query {
	p := parser{rest: s, q: new(Query), natural: true}
	for p.next() {
	}
	if len(p.q.Terms) == 0 {
		for _, t := range p.weak {
			p.q.add(t)
		}
	}
	return p.q
}

// plainWords adds the words of a stretch of a question.
func (p *parser) plainWords(n needle, run bool) {
	if run {
		for _, part := range text.ContentParts(n.text) {
			for _, t := range gramTerms(part) {
				p.term(t)
			}
		}
		if len(p.q.Terms) == 0 {
			p.weak = append(p.weak, phraseTerm(n.text, needle{}))
		}
		return
	}
	if !n.plain() && !strings.ContainsRune(n.text, '\'') {
		p.q.add(phraseTerm(n.text, n))
	}
	for t := range text.Tokens(n.text) {
		p.term(wordTerm(t.Form))
	}
}

func (p *parser) term(t Term) {
	if t.Stop {
		p.weak = append(p.weak, t)
		return
	}
	p.q.add(t)
}

// gramTerms parts a run into terms for its bigrams. Those of kana alone are endings and particles
// more often than words, so they are marked as stop-words.
func gramTerms(run string) []Term {
	var out []Term
	for tok := range text.Tokens(run) {
		if tok.Symbol {
			out = append(out, wordTerm(tok.Form))
			continue
		}
		grams := tok.Grams(false)
		for _, g := range grams {
			t := gramTerm(g)
			if len(grams) == 1 {
				t = phraseTerm(g, needle{}) // a single character may go on
			}
			t.Stop = text.IsStopWord(g) || strings.IndexFunc(g, func(r rune) bool { return r < 0x3041 || r > 0x309F }) < 0
			out = append(out, t)
		}
	}
	return out
}

type parser struct {
	rest    string
	q       *Query
	natural bool // a question in plain words
	weak    []Term
}

// next takes one item off the input: a phrase, an operator or a word.
func (p *parser) next() bool {
	p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
	if p.rest == "" {
		return false
	}
	minus := false
	if after, ok := strings.CutPrefix(p.rest, "-"); ok && excludable(after) && !p.natural {
		minus, p.rest = true, after
	}
	if phrase, rest, ok := cutQuoted(p.rest); ok {
		p.rest = rest
		p.phrase(phrase, minus)
		return true
	}
	if p.operator(minus) {
		return true
	}
	// A quotation mark inside a word begins a phrase only when it is closed again.
	end := strings.IndexFunc(p.rest, unicode.IsSpace)
	if end < 0 {
		end = len(p.rest)
	}
	word := p.rest[:end]
	for i, r := range word {
		if i > 0 && isQuote(r) {
			if _, _, ok := cutQuoted(p.rest[i:]); ok {
				word = word[:i]
				break
			}
		}
	}
	p.rest = p.rest[len(word):]
	p.word(cutScheme(word), minus)
	return true
}

// cutScheme takes away what a copied link puts before an address or a number.
func cutScheme(word string) string {
	for _, scheme := range []string{"mailto:", "tel:"} {
		if n := len(scheme); len(word) > n && strings.EqualFold(word[:n], scheme) {
			return word[n:]
		}
	}
	return word
}

// excludable reports whether a minus sign before s excludes what follows: a phrase, or a word with or
// without signs before it, and not a second dash, an arrow or nothing.
func excludable(s string) bool {
	switch r, _ := utf8.DecodeRuneInString(s); {
	case isQuote(r):
		return true
	case text.Fold(string(r)) == "-", r == '>', unicode.IsSpace(r):
		return false
	}
	if end := strings.IndexFunc(s, unicode.IsSpace); end >= 0 {
		s = s[:end]
	}
	return strings.IndexFunc(s, text.InToken) >= 0
}

func isQuote(r rune) bool { return r == '"' || r == '“' || r == '”' || r == '„' || r == '＂' }

// cutQuoted cuts a phrase in quotation marks off s.
func cutQuoted(s string) (phrase, rest string, ok bool) {
	r, n := utf8.DecodeRuneInString(s)
	if !isQuote(r) {
		return "", s, false
	}
	end := strings.IndexFunc(s[n:], isQuote)
	if end < 0 {
		return "", s, false
	}
	_, m := utf8.DecodeRuneInString(s[n+end:])
	return s[n : n+end], s[n+end+m:], true
}

// operator takes name:value off the input when it is one of the operators with a value that makes
// sense; everything else is left to be words.
func (p *parser) operator(minus bool) bool {
	name, rest, ok := strings.Cut(p.rest, ":")
	if !ok || len(name) > 6 || rest == "" {
		return false
	}
	value, after, quoted := cutQuoted(rest)
	if !quoted {
		end := strings.IndexFunc(rest, unicode.IsSpace)
		if end < 0 {
			end = len(rest)
		}
		value, after = rest[:end], rest[end:]
	}
	value = strings.TrimSpace(value)
	if value == "" {
		return false
	}
	f := &p.q.Narrow
	if minus {
		f = &p.q.Exclude
	}
	name = strings.ToLower(name)
	list := []string{value}
	if !quoted {
		list = listOf(value)
	}
	switch name {
	case "from":
		f.From = append(f.From, list...)
	case "source":
		for _, v := range list {
			f.Source = append(f.Source, SourceGlobs(v)...)
		}
	case "tag":
		for i, v := range list {
			list[i] = strings.TrimPrefix(v, "#")
		}
		f.Tag = append(f.Tag, list...)
	case "kind":
		for i, v := range list {
			if list[i], ok = kinds[strings.ToLower(v)]; !ok {
				return p.misread(name, value)
			}
		}
		f.Kind = append(f.Kind, list...)
	case "after", "before":
		begin, end, ok := parseDate(value)
		if !ok {
			return p.misread(name, value)
		}
		switch f := &p.q.Narrow; {
		case name == "after" && minus: // not from that day on
			f.until(begin)
		case name == "after":
			f.since(begin)
		case minus:
			f.since(end)
		default:
			f.until(end)
		}
	default:
		return false
	}
	if !minus && (name == "from" || name == "source" || name == "tag") {
		for _, v := range list {
			p.q.Given = append(p.q.Given, Operator{name, v})
		}
	}
	p.rest = after
	return true
}

// misread notes an operator that is taken as words.
func (p *parser) misread(name, value string) bool {
	p.q.Misread = append(p.q.Misread, Operator{name, value})
	return false
}

// listOf parts the values of an operator, which commas stand between.
func listOf(s string) []string {
	var out []string
	for v := range strings.SplitSeq(s, ",") {
		if v = strings.TrimSpace(v); v != "" {
			out = append(out, v)
		}
	}
	if len(out) == 0 {
		return []string{s}
	}
	return out
}

func (f *Filters) since(t time.Time) {
	if f.Since == nil || t.After(*f.Since) {
		f.Since = &t
	}
}

func (f *Filters) until(t time.Time) {
	if f.Until == nil || t.Before(*f.Until) {
		f.Until = &t
	}
}

var kinds = map[string]string{
	"chat": "chat", "chats": "chat", "email": "email", "emails": "email", "mail": "email", "mails": "email",
	"document": "document", "documents": "document", "note": "document", "notes": "document",
}

// SourceGlobs returns what source:value stands for: the whole id, the platform before the colon, or
// the name after it.
func SourceGlobs(v string) []string {
	if strings.ContainsAny(v, "*?") {
		return []string{v}
	}
	return []string{v, v + ":*", "*:" + v, "*:#" + v}
}

// parseDate reads a day, a month or a year: its first instant in UTC, and that of the next.
func parseDate(s string) (begin, end time.Time, ok bool) {
	for i, layout := range []string{time.DateOnly, "2006-01", "2006"} {
		if len(s) != len(layout) {
			continue
		}
		if t, err := time.Parse(layout, s); err == nil {
			next := []time.Time{t.AddDate(0, 0, 1), t.AddDate(0, 1, 0), t.AddDate(1, 0, 0)}
			return t, next[i], true
		}
	}
	return time.Time{}, time.Time{}, false
}

// phrase adds a phrase in quotation marks.
func (p *parser) phrase(s string, minus bool) {
	n := newNeedle(s)
	if n.text == "" {
		return
	}
	n.phrase = true
	if minus {
		p.q.not = append(p.q.not, n)
		return
	}
	t := phraseTerm(s, n)
	t.Required = !p.natural
	p.q.add(t)
}

// word adds a word as it was typed between blanks. It may be an identifier, hold several scripts,
// or be nothing but signs.
func (p *parser) word(s string, minus bool) {
	stem, prefix := strings.TrimRight(s, "*"), false
	if stem != s && endsInWord(stem) {
		s, prefix = stem, true
	}
	pieces := splitSigns(s)
	for i, piece := range pieces {
		for _, part := range splitScripts(piece) {
			last := i+1 == len(pieces) && part.end == len(piece)
			p.part(piece[part.start:part.end], prefix && last, part.run, minus)
		}
	}
}

// part adds one stretch of a word; run says that it is of a script without spaces, or an emoji.
func (p *parser) part(s string, prefix, run, minus bool) {
	n := newNeedle(s)
	if n.text == "" {
		return
	}
	n.prefix = prefix
	if minus {
		n.keepSign(s)
		p.q.not = append(p.q.not, n)
		return
	}
	if !prefix && !run {
		if base, ok := strings.CutSuffix(n.text, "'s"); ok && newNeedle(base).plain() {
			n.text = base
		}
	}
	switch {
	case prefix:
		p.q.add(prefixTerm(n))
	case p.natural:
		p.plainWords(n, run)
	case run:
		p.q.add(phraseTerm(s, needle{}))
	case n.plain():
		t := wordTerm(n.text)
		if t.other = apart(s); t.other == nil {
			t.other = spelled(s, n.text)
		}
		p.q.add(t)
	default:
		t := phraseTerm(n.text, n)
		t.parts, t.other = partTerms(n), together(n.text)
		p.q.add(t)
	}
}

// add adds a term unless it is there already.
func (q *Query) add(t Term) {
	if t.Expr == "" {
		return
	}
	for i := range q.Terms {
		if old := &q.Terms[i]; old.Expr == t.Expr && old.written == t.written {
			old.Required = old.Required || t.Required
			return
		}
	}
	q.Terms = append(q.Terms, t)
}

func endsInWord(s string) bool {
	r, _ := utf8.DecodeLastRuneInString(s)
	return text.IsWordRune(r)
}

// A stretch is a part of a typed word.
type stretch struct {
	start, end int
	run        bool // a script without spaces, or an emoji
}

// splitScripts parts a typed word where a script without spaces begins or ends, and at emoji.
func splitScripts(s string) []stretch {
	var out []stretch
	for t := range text.Tokens(s) {
		run := t.Run || t.Symbol
		if n := len(out); n > 0 && !run && !out[n-1].run {
			out[n-1].end = t.End
			continue
		}
		out = append(out, stretch{t.Start, t.End, run})
	}
	// Signs at the ends belong to a stretch of words: newNeedle decides which of them count.
	for i := range out {
		if out[i].run {
			continue
		}
		if i == 0 {
			out[i].start = 0
		}
		if i+1 < len(out) {
			out[i].end = out[i+1].start
		} else {
			out[i].end = len(s)
		}
	}
	return out
}
