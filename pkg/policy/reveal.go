package policy

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// flags are the sequences of tag characters that belong to an emoji, after the black flag that leads
// them: England, Scotland and Wales.
var flags = []string{"gbeng", "gbsct", "gbwls"}

const (
	blackFlag = '\U0001F3F4'
	tagFirst  = '\U000E0000'
	tagEnd    = '\U000E007F'
)

// invisible reports whether r leaves no mark of its own. Some such characters are part of how people
// write; Reveal tells these apart.
func invisible(r rune) bool { return always(r) || joins(r) || r == blankCell }

// always reports whether r is made visible wherever it stands: control characters, what turns the
// direction of the text around it, ends of lines that few programs show as such, tags, annotations,
// letters without a form, and what is reserved for more of these.
func always(r rune) bool {
	switch {
	case r < ' ':
		return r != '\n' && r != '\r' && r != '\t' && r != '\f' && r != '\v'
	case r < 0x7f:
		return false
	case r < 0xa0:
		return true
	case r >= 0x2028 && r <= 0x202e, r == 0x2065, r >= 0x2066 && r <= 0x206f:
		return true
	case r == 0x3164, r == 0xffa0:
		return true
	case r >= 0xfff0 && r <= 0xfffb:
		return true
	case r >= 0x1bca0 && r <= 0x1bca3, r == 0x1d159, r >= 0x1d173 && r <= 0x1d17a:
		return true
	case r >= tagFirst && r <= 0xe0fff:
		return !selects(r)
	}
	return false
}

// joins reports whether r has no width and may stand alone: joiners, marks of direction, places to
// break a line, fillers of old Korean, variation selectors. Several in a row carry something that
// nobody sees.
func joins(r rune) bool {
	switch {
	case r >= 0x200b && r <= 0x200f, r >= 0x2060 && r <= 0x2064, selects(r):
		return true
	case r == 0xad, r == 0x34f, r == 0x61c, r == 0x115f, r == 0x1160, r == 0x17b4, r == 0x17b5,
		r >= 0x180b && r <= 0x180f, r == 0xfeff, r >= 0x13430 && r <= 0x1343f:
		return true
	}
	return false
}

// blankCell is the blank of braille, which belongs beside other braille.
const blankCell = '\u2800'

func braille(r rune) bool { return r > blankCell && r <= '\u28ff' }

// selects reports whether r chooses the form of the character before it.
func selects(r rune) bool { return r >= 0xfe00 && r <= 0xfe0f || r >= 0xe0100 && r <= 0xe01ef }

// Reveal returns s with the invisible characters in it written out, such as [U+202E] or [U+200B×12].
// What belongs to writing stays: the joiners of emoji and of Persian and Indic words, one character
// that chooses a form, one place to break a line, the flags of England, Scotland and Wales.
func Reveal(s string) string {
	var out strings.Builder
	done, seen := 0, 0 // seen is the end of the invisible characters before
	for i := next(s, 0); i < len(s); i = next(s, i) {
		before, _ := utf8.DecodeLastRuneInString(s[seen:i])
		if before == blackFlag {
			if n := flagLength(s[i:]); n > 0 {
				i += n
				seen = i
				continue
			}
		}
		r, _ := utf8.DecodeRuneInString(s[i:])
		end, count, show := runOf(s[i:], before)
		if show {
			out.WriteString(s[done:i])
			if count == 1 {
				fmt.Fprintf(&out, "[U+%04X]", r)
			} else {
				fmt.Fprintf(&out, "[U+%04X×%d]", r, count)
			}
			done = i + end
		}
		i += end
		seen = i
	}
	if done == 0 {
		return s
	}
	return out.String() + s[done:]
}

// runOf returns how long the invisible characters at the beginning of s are, how many, and whether
// they have to be shown. Blanks between them count as part of a run: newsletters fill the lines that a
// mail program shows first with both in turn. before is the visible character before them, if any.
func runOf(s string, before rune) (end, count int, show bool) {
	alone, cells := 0, 0
	var first, after rune // after is what follows the run
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		at += size
		if count > 0 && (r == ' ' || r == '\u00a0' || r == '\u2007') {
			continue
		}
		if !invisible(r) {
			after = r
			break
		}
		end = at
		if count++; count == 1 {
			first = r
		}
		switch {
		case always(r):
			show = true
		case r == blankCell:
			cells++
		case count == 1 && before != utf8.RuneError && selects(r): // belongs to what stands before it
		default:
			alone++
		}
	}
	switch {
	case show || alone > 1:
	case cells > 0:
		show = cells < count || !braille(before) && !braille(after)
	case count == 1 && (first == 0x115f || first == 0x1160):
		show = !jamo(before) && !jamo(after)
	}
	return end, count, show || alone > 1
}

// jamo reports whether r is a part of a Korean syllable, which may take the place of a missing one.
func jamo(r rune) bool {
	return r >= 0x1100 && r <= 0x11ff || r >= 0xa960 && r <= 0xa97f || r >= 0xd7b0 && r <= 0xd7ff
}

// flagLength returns the length of the tags that complete a flag, or 0.
func flagLength(s string) int {
	var name []byte
	for i, r := range s {
		if r == tagEnd {
			for _, f := range flags {
				if f == string(name) {
					return i + utf8.RuneLen(r)
				}
			}
			return 0
		}
		if r <= tagFirst || r > tagEnd || len(name) > 6 {
			return 0
		}
		name = append(name, byte(r-tagFirst))
	}
	return 0
}
