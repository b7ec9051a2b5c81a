// Package near finds the names that somebody may have meant by a name that does not exist: Best for
// the ids of stored things, Word for a mistyped word of a fixed vocabulary. It only compares; what the
// names are is the caller's business.
package near

import (
	"cmp"
	"slices"
	"strings"
)

// Best returns at most limit of the names in have that resemble want, best first. Names that share
// too little with it are left out, so the result is often empty.
func Best(want string, have []string, limit int) []string {
	type scored struct {
		name  string
		score float64
	}
	w := strings.ToLower(strings.TrimSpace(want))
	if w == "" || limit <= 0 {
		return nil
	}
	var best []scored
	for _, h := range have {
		if s := similarity(w, strings.ToLower(h)); s >= 0.5 {
			best = append(best, scored{h, s})
		}
	}
	slices.SortStableFunc(best, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	out := make([]string, 0, min(limit, len(best)))
	for _, s := range best[:min(limit, len(best))] {
		out = append(out, s.name)
	}
	return out
}

// similarity is 1 for equal strings and 0 for strings with nothing in common. A name that holds the
// other whole resembles it, however long it is: people leave out parts.
func similarity(a, b string) float64 {
	if a == b {
		return 1
	}
	// What stands before the first colon is a kind or a platform: the rest is the name proper.
	ka, va := split(a)
	kb, vb := split(b)
	s := valueSimilarity(va, vb)
	if ka != kb && ka != "" {
		s *= 0.8
	}
	return s
}

func valueSimilarity(a, b string) float64 {
	if a == "" || b == "" {
		return 0
	}
	if a == b {
		return 0.99
	}
	ra, rb := []rune(a), []rune(b)
	long, short := max(len(ra), len(rb)), min(len(ra), len(rb))
	s := 0.0
	if short >= 2 && (strings.Contains(a, b) || strings.Contains(b, a)) {
		s = 0.7 + 0.25*float64(short)/float64(long)
	}
	if 2*(long-short) <= long { // else the distance alone is more than half
		s = max(s, 1-float64(distance(ra, rb))/float64(long))
	}
	return s
}

func split(s string) (kind, value string) {
	kind, value, ok := strings.Cut(s, ":")
	if !ok {
		return "", s
	}
	return kind, strings.TrimLeft(value, "#@")
}

// distance is the number of letters that must be put in, taken out, replaced or swapped with their
// neighbour to turn a into b.
func distance(a, b []rune) int {
	before, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], before[j-2]+1)
			}
		}
		before, prev, cur = prev, cur, before
	}
	return prev[len(b)]
}
