package xling

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/text"
)

// An ownPiece is a place in a run where an own word may be, by characters.
type ownPiece struct {
	start, end int
	id         int32
	cost       float32
	whole      bool // not only a part of a name
}

// find leaves in l what of a person's own is in the run.
func (l *lattice) find(own *personal) {
	l.own, l.names = l.own[:0], l.names[:0]
	start := 0
	for i, end := range l.ends {
		own.each(l.run[start:], func(length int, id int32) {
			k, ok := slices.BinarySearch(l.ends, start+length)
			if !ok {
				return
			}
			p := ownPiece{start: i, end: k + 1, id: id, cost: ownCost}
			if !own.isName(id) {
				l.own = append(l.own, p)
				return
			}
			p.whole = own.whole[string(l.run[start:start+length])]
			l.names = append(l.names, p)
		})
		start = end
	}
}

// admit adds to l.own the names that the run may hold, l.out being what it is without them. Names are
// short, and other words are full of them: one of a character or two, or that is a part of a name, is
// none where a word goes on across its end, and costs what a rare word does. One that is a word too
// wins only before a title: mother is called mother.
func (l *lattice) admit(w *words, own *personal) {
	l.inside = append(l.inside[:0], make([]bool, len(l.ends)+1)...)
	for _, p := range l.out {
		for k := p.start + 1; k < p.end; k++ {
			l.inside[k] = true
		}
	}
	for _, p := range l.names {
		from, to := 0, l.ends[p.end-1]
		if p.start > 0 {
			from = l.ends[p.start-1]
		}
		titled := l.titled(p.end)
		short := p.end-p.start <= shortName
		switch {
		case (short || !p.whole) && (l.inside[p.start] || l.inside[p.end]):
			continue
		case !titled && w.number(string(l.run[from:to])) >= 0:
			continue
		case titled || p.whole && !short:
		case p.whole:
			p.cost = shortCost
		default:
			p.cost = bareCost
		}
		l.own = append(l.own, p)
	}
	slices.SortStableFunc(l.own, func(a, b ownPiece) int { return cmp.Compare(a.start, b.start) })
}

// titles stand behind names, in simplified characters.
var titles = strings.Fields("先生 女士 小姐 太太 老师 同学 师傅 教授 さん さま ちゃん くん 様 氏 君")

// titled reports whether a title stands at a character of the run.
func (l *lattice) titled(at int) bool {
	rest := l.run[l.ends[at-1]:]
	return slices.ContainsFunc(titles, func(t string) bool {
		return bytes.HasPrefix(rest, []byte(t)) && !l.inside[at+utf8.RuneCountInString(t)]
	})
}

// A mark is a place in a text that holds a name, as what stands around it tells.
type mark struct {
	start, end int
	id         int32
}

// marks returns, in order, where in a text names stand of which it is certain that they are names: of who
// speaks ("name: " begins a line) or has written it (" — name" ends the first line), or with an address or
// an @. Where the text is somebody's, a part of its first line that is no more than that name is one
// too, as titles of talks are.
func (p *personal) marks(t string) []mark {
	if p == nil || len(p.whole) == 0 {
		return nil
	}
	var out []mark
	people := map[int32]bool{}
	rest := func(from int) string { return t[from:] }
	segments(t, func(start, end int, first bool) {
		before, after := t[:start], rest(end)
		speaks := (before == "" || strings.HasSuffix(before, "\n")) && strings.HasPrefix(after, ": ")
		wrote := first && strings.HasSuffix(before, " — ") && (after == "" || after[0] == '\n')
		if !speaks && !wrote && !addressed(after) && !mentioned(before) {
			return
		}
		if id, ok := p.named(t[start:end]); ok {
			out = append(out, mark{start, end, id})
			people[id] = people[id] || speaks || wrote
		}
	})
	if len(out) == 0 {
		return nil
	}
	segments(t, func(start, end int, first bool) {
		before, after := t[:start], rest(end)
		if !first || before != "" && !strings.HasSuffix(before, " — ") && !strings.HasSuffix(before, " › ") ||
			after != "" && after[0] != '\n' && !strings.HasPrefix(after, " — ") && !strings.HasPrefix(after, " › ") {
			return
		}
		if id, ok := p.named(t[start:end]); ok && people[id] {
			out = append(out, mark{start, end, id})
		}
	})
	slices.SortFunc(out, func(a, b mark) int { return cmp.Compare(a.start, b.start) })
	return slices.Compact(out)
}

// addressed reports whether an address in angle brackets follows.
func addressed(after string) bool {
	address, ok := strings.CutPrefix(after, " <")
	if !ok {
		return false
	}
	address, _, ok = strings.Cut(address[:min(len(address), 256)], ">")
	return ok && strings.Contains(address, "@") && !strings.Contains(address, "\n")
}

// mentioned reports whether an @ stands before, and is not in an address.
func mentioned(before string) bool {
	before, ok := strings.CutSuffix(before, "@")
	r, _ := utf8.DecodeLastRuneInString(before)
	return ok && !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// named looks up a name as a whole, with or without what parts it.
func (p *personal) named(s string) (int32, bool) {
	form := text.Fold(s)
	if strings.ContainsFunc(form, betweenNames) {
		form = strings.Join(strings.FieldsFunc(form, betweenNames), "")
	}
	id, ok := p.forms[form]
	return id, ok && p.isName(id)
}

// segments calls fn for everything in a text that may be a name by itself: Chinese characters and kana, and
// what stands between the parts of names.
func segments(t string, fn func(start, end int, first bool)) {
	start, end, first := -1, 0, true
	flush := func() {
		if start >= 0 {
			fn(start, end, first)
		}
		start = -1
	}
	for i, r := range t {
		switch {
		case inRun(r):
			if start < 0 {
				start = i
			}
			end = i + utf8.RuneLen(r)
		case start >= 0 && betweenNames(r):
		default:
			flush()
			first = first && r != '\n'
		}
	}
	flush()
}
