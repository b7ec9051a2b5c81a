package xling

import (
	"unicode"
	"unicode/utf8"
)

// A Script is how a language is written, which is how its texts are told from others.
type Script uint8

const (
	// Han is written in Chinese characters alone.
	Han Script = iota + 1
	// Kana is written in kana and Chinese characters.
	Kana
	// Spaced has words between spaces; its texts are known by its stop words.
	Spaced
)

func isKana(r rune) bool {
	return r >= 0x3041 && r <= 0x3096 || r >= 0x30A1 && r <= 0x30FA || r >= 0x31F0 && r <= 0x31FF
}

func isHan(r rune) bool {
	switch {
	case r >= 0x4E00 && r <= 0x9FFF, r >= 0x3400 && r <= 0x4DBF, r == '々', r == '〇':
		return true
	case r < 0xF900:
		return false
	}
	return unicode.Is(unicode.Han, r)
}

// inRun reports whether r is part of a run of Chinese or Japanese.
func inRun(r rune) bool { return r >= 0x3005 && (isHan(r) || isKana(r) || r == 'ー') }

// hasRun reports whether s has any Chinese or Japanese, if need be when it has been widened.
func hasRun(s string) bool {
	for i := 0; i < len(s); {
		if s[i] < 0xE2 { // the least first byte of what is looked for
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if inRun(r) || isHalfKana(r) || isRadical(r) {
			return true
		}
		i += n
	}
	return false
}

// A span is a part of a text in one language; nil: what the encoder reads as it is.
type span struct {
	text string
	of   *Language
}

// spans cuts a text into the languages it is in. The whole of it comes back as one span when nothing
// of it is foreign to the encoder.
func (s *Set) spans(text string) []span {
	if !hasRun(text) {
		if l := s.spaced(text); l != nil {
			return []span{{text, l}}
		}
		return []span{{text, nil}}
	}
	units := sentences(text)
	out := make([]span, len(units))
	// Where neither kana nor a character that only one language has tells, the rest of the text does.
	fallback := s.of(Han)
	for i, u := range units {
		out[i].text = u
		if !hasRun(u) {
			continue
		}
		out[i].of = s.runs(u)
		if out[i].of != nil && out[i].of.script == Kana {
			fallback = out[i].of
		}
	}
	if fallback == nil {
		fallback = s.of(Kana)
	}
	for i := range out {
		if out[i].of == nil && hasRun(out[i].text) {
			out[i].of = fallback
		}
	}
	return out
}

// runs returns the language of a sentence in Chinese characters or kana, or nil when that is open.
func (s *Set) runs(text string) *Language {
	zh, ja := s.of(Han), s.of(Kana)
	if zh == nil || ja == nil {
		return nil // what there is takes it
	}
	only := 0
	for _, r := range text {
		switch {
		case isKana(r):
			return ja
		case isHan(r):
			a, b := zh.words.has(zh.words.simple(r)), ja.words.has(r)
			if a && !b {
				only++
			}
			if b && !a {
				only--
			}
		}
	}
	switch {
	case only > 0:
		return zh
	case only < 0:
		return ja
	}
	return nil
}

// sentences cuts a text behind the ends of its sentences and lines.
func sentences(text string) []string {
	var out []string
	start := 0
	for i, r := range text {
		switch r {
		case '\n', '。', '｡', '！', '？', '!', '?', '；':
			out = append(out, text[start:i+utf8.RuneLen(r)])
			start = i + utf8.RuneLen(r)
		}
	}
	if start < len(text) {
		out = append(out, text[start:])
	}
	return out
}

// spaced returns the language of a text in words between spaces that is not English: the one that
// has more of the text's words among its stop words than English and all others.
func (s *Set) spaced(text string) *Language {
	if !s.hasSpaced {
		return nil
	}
	counts := make([]int, len(s.languages))
	tokens, english := 0, 0
	for w := range foldedWords(text) {
		tokens++
		if isEnglish(w) {
			english++
		}
		for i, l := range s.languages {
			if l.script == Spaced && l.stop[w] {
				counts[i]++
			}
		}
	}
	best, n := -1, max(1, english, tokens/12) // one alone may be a word of English too: die, rest
	for i, c := range counts {
		if c > n {
			best, n = i, c
		}
	}
	if best < 0 {
		return nil
	}
	return s.languages[best]
}
