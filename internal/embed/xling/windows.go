package xling

import (
	"strings"
	"unicode/utf8"
)

const (
	// windowRoom is how much the encoder reads at once, in hundredths of its tokens; contextRoom what
	// the context takes of it at most.
	windowRoom, contextRoom = 22000, 6000
	// Translated word by word, a Chinese or Japanese character takes about this much, and one of
	// ASCII; what is neither takes a token.
	runRoom, asciiRoom, otherRoom = 75, 28, 100
)

func room(r rune) int {
	switch {
	case r < utf8.RuneSelf:
		return asciiRoom
	case inRun(r):
		return runRoom
	}
	return otherRoom
}

// parts cuts a foreign text into windows of about equal size behind a context, at the ends of
// sentences where there are any.
func (e *Encoder) parts(context, text string) []string {
	context, used := cutRoom(context, contextRoom)
	left := windowRoom - used
	var parts []string
	for _, w := range windows(text, left) {
		if strings.TrimSpace(w) == "" {
			continue
		}
		if context != "" {
			w = context + "\n" + w
		}
		if e.Knows(w) {
			parts = append(parts, w)
		}
	}
	return parts
}

// cutRoom cuts s to what fits into some room, and returns how much it takes.
func cutRoom(s string, most int) (string, int) {
	used := 0
	for i, r := range s {
		if used+room(r) > most {
			return s[:i], used
		}
		used += room(r)
	}
	return s, used
}

// windows cuts a text into as few parts as fit into room, of about equal size.
func windows(text string, most int) []string {
	whole := 0
	for _, r := range text {
		whole += room(r)
	}
	if whole <= most {
		return []string{text}
	}
	n := (whole + most - 1) / most
	share := whole / n
	var out []string
	current, used := "", 0
	flush := func() {
		if current != "" {
			out = append(out, current)
		}
		current, used = "", 0
	}
	for _, s := range sentences(text) {
		_, need := cutRoom(s, 1<<30)
		if used > 0 && (used+need > most || used+need/2 > share) {
			flush()
		}
		for need > most { // one sentence longer than a window
			head, took := cutRoom(s, most)
			out = append(out, head)
			s, need = s[len(head):], need-took
		}
		current, used = current+s, used+need
	}
	flush()
	return out
}
