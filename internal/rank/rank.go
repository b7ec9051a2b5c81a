// Package rank makes one order of what words, meaning and summaries say about the candidates for an
// answer. Everything here is a pure function over numbers; it reads no store, loads no model and
// knows no query language. docs/ranking.md tells where the constants come from.
package rank

import (
	"cmp"
	"math"
	"slices"
)

// A Candidate is a text that may be an answer, with the evidence for it.
type Candidate struct {
	// Words is how much of what the question's words could score the text scores, and Passage the
	// same for its best two lines alone: from 0 to 1. Cover is the share of the question's words, by
	// weight, that it holds at all.
	Words, Passage, Cover float64
	// Meaning is the cosine between the question and the nearest part of the text; NaN: not known.
	// Related is the same where it is asked whether a text without the words is an answer at all.
	Meaning, Related float64
	// Then is how well the time at which it was written fits the one that the question names, from 0
	// to 1.
	Then float64
	// Before and After are the candidates that stand next to it in the same conversation or document,
	// or -1.
	Before, After int
	// Place names the conversation or document.
	Place uint64
	// Found says that its words or its time led to it, so that it is an answer whatever it means.
	Found bool
	// TimeMS and ID decide between equals: the newer first, then the lesser id.
	TimeMS int64
	ID     string
}

// A Result is a candidate that is an answer, with what contributed to its score.
type Result struct {
	Index int     // of the candidate
	Score float64 // from 0 to 1
	// What the words, the meaning, the texts beside it and its time added to the evidence, and which part of the
	// sum was taken away because earlier results say the same.
	Keyword, Semantic, Beside, Time, Repeated float64
}

// The weights of the evidence, in units of a text that holds all words of the question.
const (
	meaningWeight = 0.9
	lineWeight    = 0.4
	passageWeight = 0.2
	thenWeight    = 0.35
	besideWords   = 0.15
	besideMeaning = 0.1

	// Words count in full from this share of the question's words on, and the less the smaller the
	// share is: one word in common is an accident more often than an answer.
	coverFull, coverLeast = 0.8, 0.05

	// MeaningFloor is the least cosine that makes a text an answer which has none of the words, and
	// meaningShare the least share of the best cosine. A better one than sameMeaning is that of the question
	// itself, which somebody has written down: it says nothing about how near its answers are.
	MeaningFloor = 0.25
	meaningShare = 0.55
	sameMeaning  = 0.7

	// placeDecay is taken off for every earlier result from the same place, copyDecay for every
	// earlier result that says the same in nearly the same words.
	placeDecay, placeMost = 0.02, 8
	copyDecay             = 0.35
	// diversified is how many results are looked at for that, and deep for how many the lines are.
	diversified = 64
	deep        = 40

	// SummaryBonus is for a summary that answers better than each of several answers under it.
	SummaryBonus = 0.05

	// halfEvidence is the evidence that has the score 0.5.
	halfEvidence = 0.4
)

// Options give what is too dear to be known of every candidate. Either may be nil.
type Options struct {
	// Line returns the cosine between the question and the best line of a candidate, or NaN when that
	// would say no more than Meaning does.
	Line func(i int) float64
	// Sketch returns what stands for the text of a candidate.
	Sketch func(i int) Sketch
}

// Fuse returns the candidates that are answers, best first.
func Fuse(candidates []Candidate, o Options) []Result {
	neutral, floor := cosines(candidates)
	words := make([]float64, len(candidates))
	meaning := make([]float64, len(candidates))
	for i := range candidates {
		c := &candidates[i]
		words[i] = (c.Words + passageWeight*c.Passage) * gate(c.Cover)
		meaning[i] = neutral
		if !math.IsNaN(c.Meaning) {
			meaning[i] = max(0, c.Meaning)
		}
	}
	var results []Result
	for i := range candidates {
		c := &candidates[i]
		if !c.Found && (math.IsNaN(c.Meaning) || c.Related < floor) {
			continue
		}
		r := Result{Index: i, Keyword: words[i], Semantic: (meaningWeight + lineWeight) * meaning[i], Time: thenWeight * c.Then}
		for _, k := range []int{c.Before, c.After} {
			if k >= 0 {
				r.Beside = max(r.Beside, besideWords*words[k]+besideMeaning*meaning[k])
			}
		}
		r.Score = r.Keyword + r.Semantic + r.Beside + r.Time
		results = append(results, r)
	}
	order := func(a, b Result) int {
		x, y := &candidates[a.Index], &candidates[b.Index]
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(y.TimeMS, x.TimeMS), cmp.Compare(x.ID, y.ID))
	}
	slices.SortFunc(results, order)
	if o.Line != nil {
		head := results[:min(len(results), deep)]
		for k := range head {
			r := &head[k]
			if line := o.Line(r.Index); !math.IsNaN(line) {
				r.Semantic = meaningWeight*meaning[r.Index] + lineWeight*max(0, line)
				r.Score = r.Keyword + r.Semantic + r.Beside + r.Time
			}
		}
		slices.SortFunc(head, order)
	}
	kept := keep(candidates, results)
	head := results[:bring(results, kept)]
	diversify(candidates, head, kept, o.Sketch)
	for i := range results {
		r := &results[i]
		r.Score = Score(r.Score)
		if i > 0 { // a result that stands further down for other reasons has no higher score
			r.Score = min(r.Score, results[i-1].Score)
		}
	}
	return results
}

// Score returns the score of some evidence, from 0 to 1.
func Score(evidence float64) float64 { return max(0, evidence) / (max(0, evidence) + halfEvidence) }

// gate is how much words count that are this share of the question's.
func gate(cover float64) float64 {
	return min(1, max(coverLeast, cover/coverFull))
}

// cosines returns what to assume of a text without a vector, which is what texts with some of the
// words have on average, or else all texts; and the least cosine of an answer without any of them.
func cosines(candidates []Candidate) (neutral, floor float64) {
	var sum, n, found, foundN, best float64
	for i := range candidates {
		c := &candidates[i]
		if math.IsNaN(c.Meaning) {
			continue
		}
		m := max(0, c.Meaning)
		best = max(best, m)
		sum, n = sum+m, n+1
		if c.Found {
			found, foundN = found+m, foundN+1
		}
	}
	switch {
	case foundN > 0:
		neutral = found / foundN
	case n > 0:
		neutral = sum / n
	}
	return neutral, max(MeaningFloor, meaningShare*min(best, sameMeaning))
}

// diversify orders results so that each of them adds something to those before it.
func diversify(candidates []Candidate, results []Result, kept []int, sketch func(int) Sketch) {
	type open struct {
		Result
		sketch Sketch
		left   float64 // what earlier results that say the same leave of the score
		due    int     // the place at which it stands at the latest; 0: none
	}
	rest := make([]open, len(results))
	for i, r := range results {
		rest[i] = open{Result: r, left: 1, due: due(kept, r.Index)}
		if sketch != nil {
			rest[i].sketch = sketch(r.Index)
		}
	}
	out := results[:0]
	places := map[uint64]int{}
	for len(rest) > 0 {
		by := 0
		if len(out) < keptPlaces {
			by = urgent(len(out)+1, func(yield func(int) bool) {
				for i := range rest {
					if !yield(rest[i].due) {
						return
					}
				}
			})
		}
		best, score := 0, math.Inf(-1)
		for i := range rest {
			r := &rest[i]
			if r.Score <= score {
				break // the others have less even as they are
			}
			if by > 0 && (r.due == 0 || r.due > by) {
				continue
			}
			again := min(places[candidates[r.Index].Place], placeMost)
			if s := r.Score * r.left * math.Pow(1-placeDecay, float64(again)); s > score {
				best, score = i, s
			}
		}
		r := rest[best]
		rest = slices.Delete(rest, best, best+1)
		r.Repeated, r.Score = r.Score-score, score
		out = append(out, r.Result)
		places[candidates[r.Index].Place]++
		for i := range rest {
			if sketch != nil && copies(&r.sketch, &rest[i].sketch) {
				rest[i].left *= 1 - copyDecay
				rest[i].due = 0 // what it says has its place
			}
		}
	}
}
