package xling

import (
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/text"
)

// An Own is a word that a person has explained, or a name that is to stay one.
type Own struct {
	Word  string
	Gloss string // what it means in English; empty: it is a name
}

const (
	// ownCost makes a person's own words win over any others, and long names.
	ownCost = 1
	// shortCost and bareCost are the prices of names of one or two characters, whole ones and parts of
	// others: those of rare words, which two that are often met by themselves are cheaper than.
	shortCost, bareCost = 11, 13
	// shortName is how long a name is at most that may be found in other words, in characters.
	shortName = 2
	// maxOwn is how long an own word is at most, in characters.
	maxOwn = 32
)

// personal is a list of Own words for looking up.
type personal struct {
	list   []Own
	forms  map[string]int32 // how they are written, to the number that a piece has
	whole  map[string]bool  // those of forms that are whole names
	length map[rune]uint32  // how long those are that begin with a character: bit n-1 for n characters
}

func newPersonal(list []Own, s *Set) *personal {
	p := &personal{forms: make(map[string]int32, len(list)), whole: map[string]bool{}, length: map[rune]uint32{}}
	for _, o := range list {
		id, used := int32(-2-len(p.list)), false
		add := func(form string, whole bool) {
			if whole && o.Gloss == "" {
				p.whole[form] = true
			}
			if _, ok := p.forms[form]; ok { // the first counts
				return
			}
			used = true
			p.forms[form] = id
			r, _ := utf8.DecodeRuneInString(form)
			p.length[r] |= 1 << (utf8.RuneCountInString(form) - 1)
		}
		for i, form := range formsOf(o) {
			add(form, i == 0)
			if simple := s.simplified(form); simple != form {
				add(simple, i == 0)
			}
		}
		if used {
			p.list = append(p.list, o)
		}
	}
	return p
}

// simplified is a folded form in simplified characters.
func (s *Set) simplified(form string) string {
	zh := s.of(Han)
	if zh == nil || !strings.ContainsFunc(form, func(r rune) bool { return zh.words.simple(r) != r }) {
		return form
	}
	return zh.simplified(form)
}

// formsOf returns how an own word is written in texts, folded, the whole first: people are called by a part
// of their name too. Words in letters have none: they are read as they are.
func formsOf(o Own) []string {
	parts := []string{text.Fold(widen(o.Word))}
	if strings.ContainsFunc(parts[0], betweenNames) {
		parts = strings.FieldsFunc(parts[0], betweenNames)
	}
	whole := strings.Join(parts, "")
	if whole == "" || !all(whole, inRun) || utf8.RuneCountInString(whole) > maxOwn {
		return nil
	}
	forms := []string{whole}
	if o.Gloss != "" {
		return forms
	}
	if len(parts) > 1 {
		for _, part := range parts {
			if utf8.RuneCountInString(part) > 1 {
				forms = append(forms, part)
			}
		}
		return forms
	}
	if !all(whole, isHan) {
		return forms
	}
	switch r := []rune(whole); len(r) {
	case 3: // the family name is one character
		forms = append(forms, string(r[1:]))
	case 4: // two and two, as 欧阳 and 小丽, or 田中 and 太郎
		forms = append(forms, string(r[2:]), string(r[:2]))
	}
	return forms
}

// betweenNames reports whether r stands between the parts of a name.
func betweenNames(r rune) bool {
	switch r {
	case ' ', '\t', '\u3000', '·', '・', '•', '‧', '=', '＝':
		return true
	}
	return false
}

func all(s string, is func(rune) bool) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !is(r) })
}

// each calls fn for the own words that run begins with.
func (p *personal) each(run []byte, fn func(length int, id int32)) {
	if p == nil || len(p.forms) == 0 {
		return
	}
	first, _ := utf8.DecodeRune(run)
	lengths := p.length[first]
	for end := 0; lengths != 0 && end < len(run); lengths >>= 1 {
		_, n := utf8.DecodeRune(run[end:])
		end += n
		if lengths&1 == 0 {
			continue
		}
		if id, ok := p.forms[string(run[:end])]; ok {
			fn(end, id)
		}
	}
}

// isName reports whether a piece is a name.
func (p *personal) isName(id int32) bool { return p.get(id).Gloss == "" }

// get returns the entry that a piece names.
func (p *personal) get(id int32) Own { return p.list[-2-id] }

// explained reports whether a run is, as a whole, a word that the person has explained.
func (p *personal) explained(run []byte) bool {
	id, ok := p.forms[string(run)]
	return ok && !p.isName(id)
}
