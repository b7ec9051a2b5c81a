package policy

import (
	"cmp"
	"context"
	"slices"
	"strings"
)

// What is redacted, as it stands in the mark that takes its place.
const (
	privateKey = "private-key"
	apiToken   = "api-token"
	password   = "password"
	cardNumber = "card-number"
)

const markBegins = "[redacted:"

func mark(what string) string { return markBegins + what + "]" }

type rawKey struct{}

// Raw returns a context whose caller is served text as it is stored. It is for the owner at the
// command line who asks for that.
func Raw(ctx context.Context) context.Context { return context.WithValue(ctx, rawKey{}, true) }

// Served returns text as the caller in ctx is served it: without secrets, where that is set, and with
// invisible characters made visible. What is stored stays as it is.
func (p *Policy) Served(ctx context.Context, text string) string {
	if p == nil || plain(text) || ctx.Value(rawKey{}) != nil {
		return text
	}
	for {
		before := text
		if p.o.RedactSecrets {
			text = Redact(text)
		}
		shown := Reveal(text)
		if shown == text || !p.o.RedactSecrets {
			return shown
		}
		// What was glued together by something unseen stands apart now.
		if text = shown; text == before {
			return text
		}
	}
}

// Withheld returns the mark of the first secret in text that the caller in ctx is not served, or "".
func (p *Policy) Withheld(ctx context.Context, text string) string {
	if p == nil || !p.o.RedactSecrets || plain(text) || ctx.Value(rawKey{}) != nil {
		return ""
	}
	redacted := Redact(text)
	if redacted == text {
		return ""
	}
	if i := strings.Index(redacted, markBegins); i >= 0 {
		return redacted[i : i+strings.IndexByte(redacted[i:], ']')+1]
	}
	return ""
}

// A span is a part of a text that is hidden.
type span struct {
	from, to int
	what     string
}

// A finder collects what is to be hidden in a text. What is found first names what overlaps.
type finder struct {
	found []span
	// cuts are the places before which something unseen was left out: a word may begin there.
	cuts map[int]bool
}

func (f *finder) add(from, to int, what string) {
	if from < to {
		f.found = append(f.found, span{from, to, what})
	}
}

// Redact returns s with private keys, API tokens, passwords in addresses and card numbers replaced by
// marks, in whatever letters and digits they are written and whatever unseen stands between them.
// Redacting twice is redacting once.
func Redact(s string) string {
	for {
		r := redactOnce(s)
		if r == s {
			return s
		}
		// A mark may part what stood together. Each round hides at least one character more, so that
		// there is an end.
		s = r
	}
}

func redactOnce(s string) string {
	b := bare(s, false)
	found := b.find()
	if b.lines { // what is taken for the end of a line may also stand inside of something
		apart := bare(s, true)
		found = append(found, apart.find()...)
	}
	if len(found) == 0 {
		return s
	}
	found = merged(clearOfMarks(found, s))
	var out strings.Builder
	done := 0
	for _, x := range found {
		out.WriteString(s[done:x.from])
		out.WriteString(mark(x.what))
		done = x.to
	}
	if done == 0 {
		return s
	}
	return out.String() + s[done:]
}

// find returns what is to be hidden, as places in the text that b was made of.
func (b bareText) find() []span {
	f := finder{cuts: b.cuts}
	s, lower := b.text, lowerASCII(b.text)
	f.keys(s)
	f.words(s, lower)
	f.assigned(s)
	f.userinfo(s)
	f.runs(s, lower)
	f.cards(s)
	b.restore(f.found)
	return f.found
}

// clearOfMarks drops what lies within marks, and widens what reaches into one to all of it.
func clearOfMarks(found []span, s string) []span {
	if !strings.Contains(s, markBegins) {
		return found
	}
	var marks []span
	for at := 0; ; {
		i := strings.Index(s[at:], markBegins)
		if i < 0 {
			break
		}
		from := at + i
		at = from + len(markBegins)
		for _, what := range []string{privateKey, apiToken, password, cardNumber} {
			if strings.HasPrefix(s[at:], what+"]") {
				at += len(what) + 1
				marks = append(marks, span{from, at, what})
				break
			}
		}
	}
	kept := found[:0]
	for _, x := range found {
		within := false
		for _, m := range marks {
			if x.from >= m.from && x.to <= m.to {
				within = true
				break
			}
			if x.from < m.to && m.from < x.to {
				x.from, x.to = min(x.from, m.from), max(x.to, m.to)
			}
		}
		if !within {
			kept = append(kept, x)
		}
	}
	return kept
}

// merged puts spans in order and makes one of those that overlap.
func merged(found []span) []span {
	slices.SortStableFunc(found, func(a, b span) int { return cmp.Compare(a.from, b.from) })
	var out []span
	for _, x := range found {
		if n := len(out); n > 0 && x.from < out[n-1].to {
			out[n-1].to = max(out[n-1].to, x.to)
			continue
		}
		out = append(out, x)
	}
	return out
}

// strong reports whether s holds a digit and a letter.
func strong(s string) bool {
	var digit, letter bool
	for i := range len(s) {
		c := s[i]
		digit = digit || c >= '0' && c <= '9'
		letter = letter || isLetter(c)
	}
	return digit && letter
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isAlnum(c byte) bool { return isLetter(c) || c >= '0' && c <= '9' }

func lowerASCII(s string) string {
	for i := range len(s) {
		if c := s[i]; c >= 'A' && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if b[i] >= 'A' && b[i] <= 'Z' {
					b[i] += 'a' - 'A'
				}
			}
			return string(b)
		}
	}
	return s
}
