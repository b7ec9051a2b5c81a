package query

import (
	"math"
	"strings"
	"unicode"

	"github.com/openhuman/openhuman-core/internal/text"
)

// A Measurer says how well a text answers by its words, in numbers that compare with each other
// whatever the length of the texts, so that they can be weighed against other evidence. It is for
// one goroutine.
type Measurer struct {
	m        *Matcher
	idf      []float64
	all      float64 // sum of idf
	seen     []termCount
	of, last []float64 // how often each term stands in a line and in the one before it
}

// A Measure is what a Measurer finds, each number from 0 to 1.
type Measure struct {
	Words   float64 // the text as a whole, as BM25 has it
	Passage float64 // the best two of its lines that follow each other
	Cover   float64 // the share of the terms, by weight, that it holds at all
}

// Lengths count for less than where keywords alone decide: a short text that holds a word by
// accident must not pass for one that is about it.
const (
	measureB    = 0.3
	passageB    = 0.5
	passageMean = 60 // tokens of two usual lines of a chat
)

// NewMeasurer returns a Measurer; df says for each term how many of the total rows hold it.
func NewMeasurer(terms []Term, df []int, total int) *Measurer {
	s := &Measurer{
		m: NewMatcher(terms), idf: make([]float64, len(terms)), seen: make([]termCount, len(terms)),
		of: make([]float64, len(terms)), last: make([]float64, len(terms)),
	}
	for i := range terms {
		n, d := float64(max(total, 1)), float64(min(df[i], total))
		s.idf[i] = math.Log(1 + (n-d+0.5)/(d+0.5))
		s.all += s.idf[i]
	}
	return s
}

// Measure measures a row.
func (s *Measurer) Measure(head, body string) Measure {
	clear(s.seen)
	hits, _ := s.m.Match(head)
	for _, h := range hits {
		s.seen[h.Term].head++
	}
	hits, length := s.m.Match(body)
	for _, h := range hits {
		s.seen[h.Term].body++
	}
	var out Measure
	if s.all == 0 {
		return out
	}
	norm := k1 * (1 - measureB + measureB*float64(length)/meanLength)
	for i, n := range s.seen {
		tf := n.body + headWeight*n.head
		if tf > 0 {
			out.Words += s.idf[i] * tf / (tf + norm)
			out.Cover += s.idf[i]
		}
	}
	out.Words /= s.all
	out.Cover /= s.all
	out.Passage = s.passage(body, hits) / s.all
	return out
}

// passage returns the score of the best two lines. The hits run through body from its beginning.
func (s *Measurer) passage(body string, hits []Hit) (best float64) {
	clear(s.last)
	lastHits, lastLength := 0, 0
	for from := 0; from < len(body); {
		end := from + strings.IndexByte(body[from:], '\n')
		if end < from {
			end = len(body)
		}
		line := body[from:end]
		n := 0
		clear(s.of)
		for n < len(hits) && hits[n].At < end {
			s.of[hits[n].Term]++
			n++
		}
		hits, from = hits[n:], end+1
		if strings.IndexFunc(line, notSpace) < 0 {
			continue
		}
		if n+lastHits == 0 { // nothing to score, so that its exact length does not matter
			lastLength = len(line) / 5
			continue
		}
		length := 0
		for range text.Tokens(line) {
			length++
		}
		norm := k1 * (1 - passageB + passageB*float64(length+lastLength)/passageMean)
		sum := 0.0
		for i, tf := range s.of {
			if tf += s.last[i]; tf > 0 {
				sum += s.idf[i] * tf / (tf + norm)
			}
		}
		best = max(best, sum)
		s.of, s.last = s.last, s.of
		lastHits, lastLength = n, length
		if len(hits) == 0 && n == 0 {
			break
		}
	}
	return best
}

func notSpace(r rune) bool { return !unicode.IsSpace(r) }

// Plain returns a question as one would say it: without operators and quotation marks.
func Plain(s string) string {
	p := parser{rest: s, q: new(Query), natural: true}
	var words []string
	for {
		p.rest = strings.TrimLeftFunc(p.rest, unicode.IsSpace)
		if p.rest == "" {
			return strings.Join(words, " ")
		}
		if phrase, rest, ok := cutQuoted(p.rest); ok {
			words, p.rest = append(words, phrase), rest
			continue
		}
		if p.operator(false) {
			continue
		}
		end := strings.IndexFunc(p.rest, unicode.IsSpace)
		if end < 0 {
			end = len(p.rest)
		}
		words, p.rest = append(words, p.rest[:end]), p.rest[end:]
	}
}
