package xling

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/text"
)

// Learnt is what a list of own words makes of texts, for telling it from another list. It holds hashes
// and no word, so that nothing stays in it of what was forgotten.
type Learnt struct {
	forms []learntForm // in order, each once
}

// learntForm is one way in which an own word is written.
type learntForm struct {
	place   uint64 // its simplified form, which is looked for in texts: a hash, and how long it is
	meaning uint32 // a hash of the form itself and its meaning
}

const (
	learntBytes = 12
	lengthBits  = 5 // of place, the lowest
)

// Learn returns what a list of own words makes of texts.
func (s *Set) Learn(own []Own) Learnt {
	l := Learnt{forms: make([]learntForm, 0, len(own))}
	seen := make(map[string]bool, len(own))
	for _, o := range own {
		for _, form := range formsOf(o) {
			simple := s.simplified(form)
			for _, f := range []string{form, simple} {
				if !seen[f] { // the first counts
					seen[f] = true
					l.forms = append(l.forms, learntForm{placeOf(simple), meaningOf(f, o.Gloss)})
				}
			}
		}
	}
	slices.SortFunc(l.forms, learntForm.compare)
	return l
}

func (f learntForm) compare(g learntForm) int {
	return cmp.Or(cmp.Compare(f.place, g.place), cmp.Compare(f.meaning, g.meaning))
}

func placeOf(form string) uint64 {
	h := uint64(placeSeed)
	for i := range len(form) {
		h = placeStep(h, form[i])
	}
	return placed(h, utf8.RuneCountInString(form))
}

// placed is the place of a form with a hash and a length in characters.
func placed(h uint64, characters int) uint64 {
	return h&^(1<<lengthBits-1) | uint64(characters-1)
}

const placeSeed = 14695981039346656037

// placeStep adds a byte to a hash (FNV-1a).
func placeStep(h uint64, b byte) uint64 { return (h ^ uint64(b)) * 1099511628211 }

func meaningOf(form, gloss string) uint32 {
	h := uint32(hashSeed)
	for _, s := range []string{form, "\t", gloss} {
		for i := range len(s) {
			h = step(h, s[i])
		}
	}
	return h
}

// String returns l as text for ParseLearnt; "" when nothing has been learnt.
func (l Learnt) String() string {
	b := make([]byte, 0, learntBytes*len(l.forms))
	for _, f := range l.forms {
		b = binary.LittleEndian.AppendUint64(b, f.place)
		b = binary.LittleEndian.AppendUint32(b, f.meaning)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// ParseLearnt reads what String wrote. What it cannot read is as if nothing had been learnt.
func ParseLearnt(s string) Learnt {
	b, err := base64.StdEncoding.DecodeString(s)
	if err != nil || len(b)%learntBytes != 0 {
		return Learnt{}
	}
	l := Learnt{forms: make([]learntForm, 0, len(b)/learntBytes)}
	for ; len(b) > 0; b = b[learntBytes:] {
		l.forms = append(l.forms, learntForm{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint32(b[8:])})
	}
	slices.SortFunc(l.forms, learntForm.compare)
	return l
}

// Differ returns what tells whether texts may be read in another way by one of two lists than by the
// other; nil when no text is.
func (s *Set) Differ(a, b Learnt) func(texts ...string) bool {
	changed := map[uint64]bool{}
	lengths := uint64(0)
	add := func(f learntForm) {
		changed[f.place] = true
		lengths |= 1 << (f.place & (1<<lengthBits - 1))
	}
	x, y := a.forms, b.forms
	for len(x) > 0 && len(y) > 0 {
		switch c := x[0].compare(y[0]); {
		case c < 0:
			add(x[0])
			x = x[1:]
		case c > 0:
			add(y[0])
			y = y[1:]
		default:
			x, y = x[1:], y[1:]
		}
	}
	for _, f := range slices.Concat(x, y) {
		add(f)
	}
	if len(changed) == 0 {
		return nil
	}
	return func(texts ...string) bool {
		return slices.ContainsFunc(texts, func(t string) bool {
			return hasRun(t) && s.contains(t, lengths, func(place uint64) bool { return changed[place] })
		})
	}
}

// contains reports whether a text has in one of its runs a form that is meant; lengths says how long
// such forms are.
func (s *Set) contains(t string, lengths uint64, meant func(place uint64) bool) bool {
	for part := range strings.FieldsFuncSeq(widen(t), func(r rune) bool { return !inRun(r) && !betweenNames(r) }) {
		if strings.ContainsFunc(part, betweenNames) { // as names are written too
			part = strings.Join(strings.FieldsFunc(part, betweenNames), "")
		}
		run := s.simplified(text.Fold(part))
		for start := range run {
			h, end := uint64(placeSeed), start
			for n := 1; end < len(run) && lengths>>(n-1) != 0; n++ {
				_, size := utf8.DecodeRuneInString(run[end:])
				for ; size > 0; size-- {
					h = placeStep(h, run[end])
					end++
				}
				if lengths>>(n-1)&1 != 0 && meant(placed(h, n)) {
					return true
				}
			}
		}
	}
	return false
}
