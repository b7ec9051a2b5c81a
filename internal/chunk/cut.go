package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// cut returns how much of s makes the first piece when a piece should cost at most room and must
// hold at most most bytes, and what that piece costs. Of the places it may end, one at the end of a
// sentence (of a line, when the lines stand for themselves) in the second half is best, then a line
// end, then a blank, then a place between two characters of a script without blanks. A run without
// any such place is kept together up to most bytes and then cut between graphemes.
func cut(s string, room, most int, linesFirst bool) (n, c int) {
	type place struct{ at, cost int }
	var sentence, line, word, any place
	var prev rune
	var ended, broke bool // after the end of a sentence; after a line end, in its indentation
	inked := false        // the piece holds more than white space
	sum := 0
	for i, r := range s {
		size := utf8.RuneLen(r)
		if r == utf8.RuneError {
			_, size = utf8.DecodeRuneInString(s[i:])
		}
		if inked && !extends(r) {
			here := place{i, sum}
			space := isSpace(r)
			switch {
			case prev == '\n' && r != '\n':
				// Before the indentation of the next line, which is part of that line.
				word = here
				if sum >= room/2 {
					line = here
					if ended {
						sentence = here
					}
				}
			case isSpace(prev) && !space && !broke:
				word = here
				if sum >= room/2 && ended && !unicode.IsLower(r) {
					sentence = here
				}
			case isSpace(prev):
			case wideStop(prev) && !closes(r) && !wideStop(r):
				any = here
				if sum >= room/2 {
					sentence = here
				}
			case breaksFreely(prev) && (breaksFreely(r) || space) && !closes(r) && !opens(prev):
				any = here
			}
		}
		switch {
		case isSpace(r):
			broke = broke || r == '\n'
		case r == '.' && i > 0 && abbreviated(s[:i]):
			ended = false
		case r == '.' || r == '!' || r == '?' || r == '…' || r == ':' && strings.HasPrefix(s[i+1:], "\n"):
			ended = true
		case !closes(r):
			ended = false
		}
		if !isSpace(r) {
			broke, inked = false, true
		}
		prev = r
		if sum+runeCost(r) > room || i+size > most {
			first, second := sentence, line
			if linesFirst {
				first, second = line, sentence
			}
			for _, p := range [...]place{first, second, word, any} {
				if p.at > 0 {
					return p.at, p.cost
				}
			}
			if i+size > most {
				n = graphemeCut(s, most)
				return n, cost(s[:n])
			}
		}
		sum += runeCost(r)
	}
	return len(s), sum
}

// graphemeCut returns the last border between graphemes in the first most bytes of s. Only a single
// grapheme larger than that is cut between characters.
func graphemeCut(s string, most int) int {
	most = max(most, utf8.UTFMax)
	if len(s) <= most {
		return len(s)
	}
	if s[most-1] < utf8.RuneSelf && s[most] < utf8.RuneSelf {
		return most
	}
	// What decides about a border before most stands at most one character behind it.
	s = s[:min(len(s), most+utf8.UTFMax)]
	at, state := 0, -1
	for rest := s; at < most && rest != ""; {
		var g string
		g, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if at+len(g) > most {
			break
		}
		at += len(g)
	}
	if at > 0 {
		return at
	}
	for at = most; at > 0 && !utf8.RuneStart(s[at]); at-- {
	}
	if at == 0 {
		return most
	}
	return at
}

// isSpace reports whether text may be cut after r: white space, but no no-break space.
func isSpace(r rune) bool {
	switch r {
	case ' ', '\n', '\t', '\r', '\v', '\f', 0x3000, 0x1680, 0x2028, 0x2029, 0x205F:
		return true
	case 0x2007:
		return false
	}
	return r >= 0x2000 && r <= 0x200A
}

// extends reports whether r may belong to the same grapheme as the character before it.
func extends(r rune) bool {
	if r < 0x300 {
		return r == 0xAD
	}
	switch {
	case r == 0x0E33, r == 0x0EB3, // Thai and Lao AM, which no category tells
		r >= 0x1100 && r <= 0x11FF, r >= 0xD7B0 && r <= 0xD7FF, // conjoining Jamo
		r == 0xFF9E, r == 0xFF9F, // half width sound marks
		r >= 0x1F3FB && r <= 0x1F3FF: // skin tones
		return true
	case r < 0x2E80 || r > 0x9FFF || r < 0x3100:
		return unicode.In(r, unicode.Mn, unicode.Me, unicode.Mc, unicode.Cf)
	}
	return false
}

// breaksFreely reports whether r is of a script that may be cut between any two characters.
func breaksFreely(r rune) bool {
	return r >= 0x2E80 && (r <= 0x9FFF || r >= 0xF900 && r <= 0xFAFF || r >= 0xFF01 && r <= 0xFF9D || r >= 0x20000 && r <= 0x3FFFF)
}

// wideStop reports whether r ends a sentence without a blank after it.
func wideStop(r rune) bool {
	switch r {
	case '。', '！', '？', '｡':
		return true
	}
	return false
}

// closes reports whether r belongs to what stands before it.
func closes(r rune) bool {
	switch r {
	case '"', '\'', ')', ']', '}', '»', '”', '’', '、', '，', '」', '』', '）', '】', '》', '〉', '；', '：', '…', 'ー', '々':
		return true
	}
	return wideStop(r)
}

// opens reports whether r belongs to what stands after it.
func opens(r rune) bool {
	switch r {
	case '「', '『', '（', '【', '《', '〈':
		return true
	}
	return false
}

// abbreviated reports whether a full stop after s most likely ends no sentence.
func abbreviated(s string) bool {
	i := len(s)
	for i > 0 && (s[i-1]|0x20 >= 'a' && s[i-1]|0x20 <= 'z') {
		i--
	}
	w := s[i:]
	switch w {
	case "Mr", "Mrs", "Ms", "Dr", "Prof", "St", "No", "Nr", "vs", "etc", "ca", "cf", "approx", "Inc", "Ltd":
		return true
	}
	return len(w) == 1
}
