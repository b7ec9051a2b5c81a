package rank

import (
	"cmp"
	"slices"
)

// The results whose words answer best have their places among the first, whatever others mean, so that
// what a search for the words would show at its top is not lost. Only those count that hold a good part
// of the question: words that are shared by accident keep nothing, and what answers without any of the
// words has room.
const (
	// keptRows results stand in the first keptPlaces, two less than ten because summaries may come in
	// between, and the first of them in the first keptFirst.
	keptRows, keptPlaces, keptFirst = 5, 8, 5
	// keptCover is the least share of the question's words. What was written when the question says holds
	// the words for that time too, which count for keptThen.
	keptCover, keptThen = 0.5, 0.2
)

// keep returns the candidates that have their places, best words first.
func keep(candidates []Candidate, results []Result) []int {
	var kept []Result
	for _, r := range results {
		if c := &candidates[r.Index]; c.Cover > 0 && c.Cover+keptThen*c.Then >= keptCover {
			kept = append(kept, r)
		}
	}
	slices.SortStableFunc(kept, func(a, b Result) int { return cmp.Compare(b.Keyword, a.Keyword) })
	var out []int
	for _, r := range kept[:min(len(kept), keptRows)] {
		out = append(out, r.Index)
	}
	return out
}

// bring moves the kept results to the end of those that are made different from each other, unless they
// are among them, and returns how many these are.
func bring(results []Result, kept []int) int {
	n := min(len(results), diversified)
	for i := n; i < len(results); i++ {
		if r := results[i]; slices.Contains(kept, r.Index) {
			copy(results[n+1:i+1], results[n:i])
			results[n] = r
			n++
		}
	}
	return n
}

// due returns the place at which a candidate stands at the latest, or 0.
func due(kept []int, candidate int) int {
	switch slices.Index(kept, candidate) {
	case -1:
		return 0
	case 0:
		return keptFirst
	}
	return keptPlaces
}

// urgent returns, when next is the next place to be given, the place by which as many results are due
// as there are places left up to it, so that one of these has to come now; or 0. dues are those of the results
// that wait.
func urgent(next int, dues func(yield func(int) bool)) int {
	var by [keptPlaces + 1]int
	for d := range dues {
		by[d]++
	}
	waiting := 0
	for place := 1; place < len(by); place++ {
		if waiting += by[place]; waiting > 0 && waiting >= place-next+1 {
			return place
		}
	}
	return 0
}
