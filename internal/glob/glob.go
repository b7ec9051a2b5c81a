// Package glob matches source ids against the patterns that people write. It knows no paths: a
// source id is one flat name.
package glob

import "strings"

// Match reports whether pattern matches the whole of s, letters compared without case. A * matches
// any run of characters, ? one character, and everything else itself.
func Match(pattern, s string) bool {
	p, t := []rune(strings.ToLower(pattern)), []rune(strings.ToLower(s))
	pi, ti := 0, 0
	star, mark := -1, 0 // the last star and the character from which it is being tried
	for ti < len(t) {
		switch {
		case pi < len(p) && p[pi] == '*':
			star, mark = pi, ti
			pi++
		case pi < len(p) && (p[pi] == '?' || p[pi] == t[ti]):
			pi++
			ti++
		case star >= 0:
			mark++
			pi, ti = star+1, mark
		default:
			return false
		}
	}
	return strings.Trim(string(p[pi:]), "*") == ""
}
