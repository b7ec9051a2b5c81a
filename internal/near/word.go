package near

import "strings"

// Word returns the candidate that resembles s most, or "" when none comes close. Case and the signs
// "-", "_" and "." do not count as differences. Of equally near ones the first wins.
func Word(s string, candidates []string) string {
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
