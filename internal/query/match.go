package query

import (
	"bytes"
	"math"
	"strings"

	"github.com/openhuman/openhuman-core/internal/text"
)

// A Matcher counts terms in texts, with the same tokens as the index. It is for one goroutine.
type Matcher struct {
	terms  []Term
	first  map[string][]int // terms by the first token of their sequence
	opens  []int            // terms whose first token may go on
	sieve  text.Sieve
	tokens [][]byte // those that the sieve stopped are empty
	buf    []byte
	places []int
	hits   []Hit
}

// A Hit is one term at one place of a text.
type Hit struct {
	Term int
	Pos  int // the number of the token
	At   int // where the token stands, in bytes
}

// NewMatcher returns a Matcher for the terms.
func NewMatcher(terms []Term) *Matcher {
	m := &Matcher{terms: terms, first: make(map[string][]int, len(terms))}
	for i, t := range terms {
		for _, tok := range t.seq {
			m.sieve.Add(tok)
		}
		for _, tok := range t.alts {
			m.sieve.Add(tok)
		}
		switch {
		case len(t.seq) == 0:
		case len(t.seq) == 1 && t.open:
			m.opens = append(m.opens, i)
		default:
			m.first[t.seq[0]] = append(m.first[t.seq[0]], i)
		}
	}
	return m
}

// Match returns where the terms stand in s and how many tokens s has.
// The hits are good until the next call.
func (m *Matcher) Match(s string) (hits []Hit, length int) {
	// With a blank to begin with, every token has one before it.
	m.buf, m.places = text.AppendPlaces(append(m.buf[:0], ' '), m.places[:0], s, &m.sieve)
	m.tokens = m.tokens[:0]
	for rest := m.buf[1:]; len(rest) > 0; {
		tok := rest[1:]
		if i := bytes.IndexByte(tok, ' '); i >= 0 {
			tok = tok[:i]
		}
		rest = rest[1+len(tok):]
		m.tokens = append(m.tokens, tok)
	}
	m.hits = m.hits[:0]
	for pos, tok := range m.tokens {
		if len(tok) == 0 {
			continue
		}
		for _, i := range m.first[string(tok)] {
			if m.follows(&m.terms[i], pos) {
				m.hits = append(m.hits, Hit{i, pos, m.places[pos]})
			}
		}
		for _, i := range m.opens {
			if m.follows(&m.terms[i], pos) {
				m.hits = append(m.hits, Hit{i, pos, m.places[pos]})
			}
		}
	}
	if len(m.hits) > 0 {
		m.dropUnwritten(s)
	}
	return m.hits, len(m.tokens)
}

// follows reports whether the sequence of t stands at pos.
func (m *Matcher) follows(t *Term, pos int) bool {
	if pos+len(t.seq) > len(m.tokens) {
		return false
	}
	for k, want := range t.seq {
		got := m.tokens[pos+k]
		if string(got) == want {
			continue
		}
		if k+1 < len(t.seq) || !t.open {
			return false
		}
		if strings.HasPrefix(string(got), want) {
			continue
		}
		for _, alt := range t.alts {
			if string(got) == alt {
				return true
			}
		}
		return false
	}
	return true
}

// dropUnwritten removes the hits of terms that the text does not hold as they are written.
func (m *Matcher) dropUnwritten(s string) {
	var folded string
	bad := map[int]bool{}
	for _, h := range m.hits {
		n := m.terms[h.Term].written
		if n.text == "" {
			continue
		}
		if _, known := bad[h.Term]; known {
			continue
		}
		if folded == "" {
			folded = spaced(text.Fold(s))
		}
		bad[h.Term] = !n.in(folded)
	}
	if len(bad) == 0 {
		return
	}
	kept := m.hits[:0]
	for _, h := range m.hits {
		if !bad[h.Term] {
			kept = append(kept, h)
		}
	}
	m.hits = kept
}

// A Scorer ranks texts by the terms that they hold, as BM25 does, with the whole of the store's
// numbers known: how many rows hold each term, and how many there are.
type Scorer struct {
	m    *Matcher
	idf  []float64
	max  float64
	seen []termCount
}

type termCount struct{ head, body float64 }

const (
	k1         = 1.2
	b          = 0.7
	meanLength = 200 // tokens of a usual chunk
	headWeight = 2.0 // a term in the title, the heading or the author's name
)

// NewScorer returns a Scorer; df says for each term how many of the total rows hold it.
func NewScorer(terms []Term, df []int, total int) *Scorer {
	s := &Scorer{m: NewMatcher(terms), seen: make([]termCount, len(terms)), idf: make([]float64, len(terms))}
	for i := range terms {
		n, d := float64(max(total, 1)), float64(min(df[i], total))
		s.idf[i] = math.Log(1 + (n-d+0.5)/(d+0.5))
		s.max += s.idf[i] * (k1 + 1)
	}
	return s
}

// Score returns how well a row answers, from 0 (not at all) to below 1 (every term, all over it).
func (s *Scorer) Score(head, body string) float64 {
	clear(s.seen)
	hits, _ := s.m.Match(head)
	for _, h := range hits {
		s.seen[h.Term].head++
	}
	hits, length := s.m.Match(body)
	for _, h := range hits {
		s.seen[h.Term].body++
	}
	norm := k1 * (1 - b + b*float64(length)/meanLength)
	sum := 0.0
	for i, n := range s.seen {
		tf := n.body + headWeight*n.head
		if tf > 0 {
			sum += s.idf[i] * tf * (k1 + 1) / (tf + norm)
		}
	}
	if s.max == 0 {
		return 0
	}
	return sum / s.max
}
