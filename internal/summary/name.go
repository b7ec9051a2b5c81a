package summary

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/text"
)

// Keywords returns up to n words that say what the units are about: those that stand in several
// passages, as they are written most often.
func Keywords(units []Unit, n int) []string {
	type word struct {
		key      string
		first    int
		passages map[int]bool
		forms    map[string]int
	}
	found := map[string]*word{}
	add := func(key, form string, passage int) {
		w := found[key]
		if w == nil {
			w = &word{key: key, first: len(found), passages: map[int]bool{}, forms: map[string]int{}}
			found[key] = w
		}
		w.passages[passage] = true
		w.forms[form]++
	}
	var buf []byte
	for i := range units {
		u := &units[i]
		if u.Weight < poor {
			continue
		}
		for run := range strings.FieldsFuncSeq(u.body(), func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '-' }) {
			if wide(run) {
				for _, part := range text.ContentParts(text.Fold(run)) {
					if k := utf8.RuneCountInString(part); k >= 2 && k <= 6 {
						add(part, part, u.Passage)
					}
				}
				continue
			}
			form := strings.Trim(strings.ToLower(run), "'-")
			if utf8.RuneCountInString(form) < 4 || text.IsStopWord(form) || vague()[form] || strings.Contains(form, "'") {
				continue
			}
			buf = text.AppendIndex(buf[:0], form)
			if len(buf) > 0 {
				add(string(buf), form, u.Passage)
			}
		}
	}
	var list []*word
	for _, w := range found {
		if len(w.passages) > 1 {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *word) int {
		return cmp.Or(cmp.Compare(len(b.passages), len(a.passages)), cmp.Compare(a.first, b.first))
	})
	var out []string
	for _, w := range list[:min(len(list), n)] {
		best := ""
		for f, k := range w.forms {
			if best == "" || k > w.forms[best] || k == w.forms[best] && f < best {
				best = f
			}
		}
		out = append(out, best)
	}
	return out
}

func wide(s string) bool {
	for _, r := range s {
		if r >= 0x2E80 {
			return true
		}
	}
	return false
}

// Period writes a range of time: "3 May 2024", "3–14 May 2024", "28 April – 3 May 2024".
func Period(first, last time.Time) string {
	first, last = first.UTC(), last.UTC()
	end := last.Format("2 January 2006")
	switch {
	case first.Year() != last.Year():
		return first.Format("2 January 2006") + " – " + end
	case first.Month() != last.Month():
		return first.Format("2 January") + " – " + end
	case first.Day() != last.Day():
		return fmt.Sprintf("%d–%s", first.Day(), end)
	}
	return end
}
