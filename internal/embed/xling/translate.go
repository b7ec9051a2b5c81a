package xling

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/text"
)

var lattices = sync.Pool{New: func() any { return new(lattice) }}

// A visitor is told what a text is made of.
type visitor struct {
	// word is told of a word of a language, or of one that no dictionary has (unknown) or that is the
	// person's own; written is as it stands in the text, folded.
	word func(l *Language, id int32, written []byte)
	// other is told of everything between.
	other func(s string)
}

// visit goes through a text.
func (s *Set) visit(t string, v visitor) {
	var marks []mark
	if hasRun(t) {
		t = widen(t)
		marks = s.personal().marks(t)
	}
	s.visitMarked(t, marks, v)
}

// visitMarked goes through a text that has been widened, and in which marks are names.
func (s *Set) visitMarked(t string, marks []mark, v visitor) {
	at := 0
	for _, sp := range s.spans(t) {
		from := at
		at += len(sp.text)
		switch {
		case sp.of == nil:
			v.other(sp.text)
		case sp.of.script == Spaced:
			s.visitSpaced(sp, v)
		default:
			s.visitRuns(sp, v, func(start, end int) (int32, bool) {
				for len(marks) > 0 && marks[0].end <= from+start {
					marks = marks[1:]
				}
				if len(marks) == 0 || from+start < marks[0].start || from+end > marks[0].end {
					return 0, false
				}
				return marks[0].id, true
			})
		}
	}
}

// visitRuns goes through a span of Chinese or Japanese. named tells, in order, whether a part of it is a
// name, whatever else it may be.
func (s *Set) visitRuns(sp span, v visitor, named func(start, end int) (int32, bool)) {
	l := lattices.Get().(*lattice)
	defer lattices.Put(l)
	from, in := 0, false
	flush := func(to int) {
		part, start := sp.text[from:to], from
		from = to
		switch {
		case part == "":
		case in:
			folded := text.Fold(part)
			l.run = sp.of.appendSimple(l.run[:0], folded, false)
			if id, ok := named(start, to); ok && !s.personal().explained(l.run) {
				v.word(sp.of, id, l.run)
				return
			}
			l.asis = sp.of.appendSimple(l.asis[:0], folded, true)
			if bytes.Equal(l.run, l.asis) {
				l.asis = l.asis[:0]
			}
			for _, p := range sp.of.words.segment(l, s.personal(), s.use) {
				v.word(sp.of, p.id, l.written(p))
			}
		default:
			v.other(part)
		}
	}
	for i, r := range sp.text {
		if is := inRun(r); is != in {
			flush(i)
			in = is
		}
	}
	flush(len(sp.text))
}

// visitSpaced looks words up whole, and those that are not there as compounds of others.
func (s *Set) visitSpaced(sp span, v visitor) {
	l := lattices.Get().(*lattice)
	defer lattices.Put(l)
	at := 0
	for t := range text.Tokens(sp.text) {
		if t.Run {
			continue
		}
		ids := sp.of.compound(l, t.Form)
		if ids == nil {
			continue
		}
		v.other(sp.text[at:t.Start])
		at = t.End
		for _, p := range ids {
			v.word(sp.of, p.id, l.run[p.start:p.end])
		}
	}
	v.other(sp.text[at:])
}

// shortestPart is how long a part of a compound is at least, in characters.
const shortestPart = 3

// compound returns the words that a word is made of, or nil.
func (l *Language) compound(la *lattice, word string) []piece {
	la.run, la.asis = append(la.run[:0], word...), la.asis[:0]
	if id := l.words.number(word); id >= 0 {
		return []piece{{0, len(word), id, false}}
	}
	if len(word) > maxCompound {
		return nil
	}
	pieces := l.words.segment(la, nil, func(_ int32, characters int) bool { return characters >= shortestPart })
	for _, p := range pieces {
		if p.id == unknown {
			return nil
		}
	}
	return pieces
}

// maxCompound is how long a word is at most that is looked into, in bytes.
const maxCompound = 60

// appendSimple appends the simplified form of a folded run; where some words are written with a character
// as it is, it stays if asis is set.
func (l *Language) appendSimple(dst []byte, run string, asis bool) []byte {
	if len(l.words.simpler) == 0 {
		return append(dst, run...)
	}
	for _, r := range run {
		if s := l.words.simple(r); s != r && !(asis && l.words.has(r)) {
			r = s
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst
}

func (l *Language) simplified(s string) string { return string(l.appendSimple(nil, s, false)) }

// Translate returns a text with every foreign word in place of which its meaning stands, word by
// word. What is not foreign stays as it is.
func (s *Set) Translate(t string) string { return s.TranslateAll(t)[0] }

// TranslateAll does so with texts that belong together: lines of which the first tells what it is.
func (s *Set) TranslateAll(texts ...string) []string {
	out, wide := make([]string, len(texts)), make([]string, len(texts))
	foreign := false
	for i, t := range texts {
		if wide[i] = t; hasRun(t) {
			foreign, wide[i] = true, widen(t)
		}
	}
	var marks []mark
	if foreign {
		marks = s.personal().marks(strings.Join(wide, "\n"))
	}
	at := 0
	for i, t := range wide {
		var here []mark
		for ; len(marks) > 0 && marks[0].start < at+len(t); marks = marks[1:] {
			here = append(here, mark{marks[0].start - at, marks[0].end - at, marks[0].id})
		}
		out[i] = s.translate(t, here)
		at += len(t) + len("\n")
	}
	return out
}

func (s *Set) translate(t string, marks []mark) string {
	var b strings.Builder
	s.visitMarked(t, marks, visitor{
		word: func(l *Language, id int32, written []byte) {
			if g := s.gloss(l, id, written); g != "" {
				b.WriteByte(' ')
				b.WriteString(g)
			}
		},
		other: func(o string) {
			b.WriteByte(' ')
			b.WriteString(punctuation.Replace(o))
		},
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// gloss is what stands for a word in a translation.
func (s *Set) gloss(l *Language, id int32, written []byte) string {
	switch {
	case id == unknown:
		return string(written)
	case id < unknown:
		if o := s.personal().get(id); o.Gloss != "" {
			return o.Gloss
		}
		return string(written)
	case l.stop[string(written)]:
		return ""
	}
	return l.words.glossOf(id)
}

var punctuation = strings.NewReplacer("，", ", ", "。", ". ", "：", ": ", "、", ", ", "；", "; ", "（", " (", "）", ") ", "！", "! ", "？", "? ",
	"「", ` "`, "」", `" `, "『", ` "`, "』", `" `, "“", ` "`, "”", `" `, "《", ` "`, "》", `" `, "…", "... ", "·", " ", "・", " ")
