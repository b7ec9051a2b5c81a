// Package nearest finds the known name that somebody most likely meant by an unknown one. It holds no
// lists of names.
package nearest

import "strings"

// Of returns the candidate that resembles s most, or "" when none comes close. Case and the signs
// "-", "_" and "." do not count as differences. Of equally near ones the first wins.
func Of(s string, candidates []string) string {
	best, bestDistance := "", 0
	a := plain(s)
	for _, c := range candidates {
		b := plain(c)
		// Half of the letters may differ, up to four: beyond that a guess misleads.
		limit := min(4, max(len(a), len(b))/2)
		d := distance(a, b)
		if d <= limit && (best == "" || d < bestDistance) {
			best, bestDistance = c, d
		}
	}
	return best
}

func plain(s string) []rune {
	return []rune(strings.NewReplacer("-", "", "_", "", ".", "").Replace(strings.ToLower(s)))
}

// distance is the Damerau-Levenshtein distance (adjacent transpositions count once).
func distance(a, b []rune) int {
	before, prev := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, prev = prev, row
	}
	return prev[len(b)]
}
