package xling

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/text"
)

// An Own is a word that a person has explained, or a name that is to stay one.
type Own struct {
	Word  string
	Gloss string // what it means in English; empty: it is a name
}

// ownCost makes a person's own words win over any others.
const ownCost = 1

// personal is a list of Own words for looking up.
type personal struct {
	list    []Own
	byFirst map[rune][]ownForm // longest first
}

type ownForm struct {
	form string
	id   int32
}

func newPersonal(list []Own, s *Set) *personal {
	p := &personal{byFirst: map[rune][]ownForm{}}
	seen := map[string]bool{}
	add := func(form string, id int32) {
		if form == "" || seen[form] {
			return
		}
		seen[form] = true
		r, _ := utf8.DecodeRuneInString(form)
		p.byFirst[r] = append(p.byFirst[r], ownForm{form, id})
	}
	for _, o := range list {
		forms := formsOf(o)
		if len(forms) == 0 {
			continue // names in letters are read as they are
		}
		id := int32(-2 - len(p.list))
		p.list = append(p.list, o)
		for _, form := range forms {
			add(form, id)
			if zh := s.of(Han); zh != nil {
				add(zh.simplified(form), id)
			}
		}
	}
	for _, forms := range p.byFirst {
		slices.SortFunc(forms, func(a, b ownForm) int {
			return cmp.Or(cmp.Compare(len(b.form), len(a.form)), cmp.Compare(a.form, b.form))
		})
	}
	return p
}

// formsOf returns how an own word is written in texts, folded, the whole first: people are called by a part
// of their name too.
func formsOf(o Own) []string {
	parts := strings.Fields(text.Fold(o.Word))
	whole := strings.Join(parts, "")
	if whole == "" || !all(whole, inRun) {
		return nil
	}
	forms := []string{whole}
	if o.Gloss != "" {
		return forms
	}
	if len(parts) == 2 { // family and given name
		for _, part := range parts {
			if utf8.RuneCountInString(part) > 1 {
				forms = append(forms, part)
			}
		}
		return forms
	}
	// Without a blank, the given name is the last two characters of three.
	if r := []rune(whole); len(r) == 3 && all(whole, isHan) {
		forms = append(forms, string(r[1:]))
	}
	return forms
}

// Differ returns what tells whether a text holds a word that one of two lists explains in another way
// than the other; nil when they say the same.
func Differ(a, b []Own) func(texts ...string) bool {
	meanings := map[string][2]string{}
	for side, list := range [][]Own{a, b} {
		for _, o := range list {
			for _, word := range append([]string{o.Word}, formsOf(o)...) {
				m := meanings[word]
				if m[side] == "" { // the first counts
					m[side] = "=" + o.Gloss
				}
				meanings[word] = m
			}
		}
	}
	byFirst := map[rune][]string{}
	for word, m := range meanings {
		if r, _ := utf8.DecodeRuneInString(word); m[0] != m[1] && word != "" {
			byFirst[r] = append(byFirst[r], word)
		}
	}
	if len(byFirst) == 0 {
		return nil
	}
	return func(texts ...string) bool {
		for _, t := range texts {
			for i, r := range t {
				for _, w := range byFirst[r] {
					if strings.HasPrefix(t[i:], w) {
						return true
					}
				}
			}
		}
		return false
	}
}

func all(s string, is func(rune) bool) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !is(r) })
}

// each calls fn for the own words that run begins with.
func (p *personal) each(run []byte, fn func(length int, id int32)) {
	if p == nil || len(p.byFirst) == 0 {
		return
	}
	r, _ := utf8.DecodeRune(run)
	for _, f := range p.byFirst[r] {
		if len(f.form) <= len(run) && string(run[:len(f.form)]) == f.form {
			fn(len(f.form), f.id)
		}
	}
}

// isName reports whether a piece is a name, which wins only where a language has no word written like it:
// mother is called mother.
func (p *personal) isName(id int32) bool { return p.get(id).Gloss == "" }

// get returns the entry that a piece names.
func (p *personal) get(id int32) Own { return p.list[-2-id] }

// maxGloss is how long a gloss is at most, in bytes.
const maxGloss = 200

// ReadGlosses reads a person's own words: a word, a tab and what it means in English on each line.
// Blank lines and those that begin with # are passed over. The lines that are none of this are named
// in bad; the others count.
func ReadGlosses(r io.Reader) (list []Own, bad []string, err error) {
	s := bufio.NewScanner(r)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		line := strings.TrimSpace(strings.TrimPrefix(s.Text(), "\uFEFF"))
		if line == "" || line[0] == '#' {
			continue
		}
		word, gloss, tab := strings.Cut(line, "\t")
		word, gloss = strings.TrimSpace(word), strings.Join(strings.Fields(gloss), " ")
		switch {
		case !utf8.ValidString(line):
			bad = append(bad, fmt.Sprintf("line %d is not UTF-8", n))
		case !tab || gloss == "":
			bad = append(bad, fmt.Sprintf("line %d has no tab between the word and its meaning", n))
		case !all(text.Fold(word), inRun):
			bad = append(bad, fmt.Sprintf("line %d does not begin with a word in Chinese characters or kana", n))
		case len(gloss) > maxGloss:
			bad = append(bad, fmt.Sprintf("line %d has a meaning of more than %d bytes", n, maxGloss))
		default:
			list = append(list, Own{word, gloss})
		}
	}
	return list, bad, s.Err()
}
