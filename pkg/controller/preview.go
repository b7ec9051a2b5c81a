package controller

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/query"
)

// A previewer cuts previews around what a query matched. It is for one goroutine.
type previewer struct{ m *query.Matcher }

func newPreviewer(terms []query.Term) previewer { return previewer{query.NewMatcher(terms)} }

// preview returns the part of content with most of the terms, in one line of at most n runes.
func (p previewer) preview(content string, n int) string {
	if len(content) <= n {
		return opening(content, n)
	}
	hits, _ := p.m.Match(content)
	if len(hits) == 0 || utf8.RuneCountInString(content) <= n {
		return opening(content, n)
	}
	// Where the hits are, in runes.
	at := make([]int, len(hits))
	for i, runes, from := 0, 0, 0; i < len(hits); i++ {
		runes += utf8.RuneCountInString(content[from:hits[i].At])
		at[i], from = runes, hits[i].At
	}
	// The window with most different terms, then most hits, then the first.
	room := n * 3 / 4
	best, first, last := -1, 0, 0
	seen := map[int]int{}
	for i, j := 0, 0; i < len(hits); i++ {
		for j < len(hits) && at[j]-at[i] < room {
			seen[hits[j].Term]++
			j++
		}
		if score := 64*len(seen) + min(j-i, 63); score > best {
			best, first, last = score, i, j-1
		}
		if seen[hits[i].Term]--; seen[hits[i].Term] == 0 {
			delete(seen, hits[i].Term)
		}
	}
	lead := min((n-(at[last]-at[first]))/3, n/4)
	start := hits[first].At
	for ; lead > 0 && start > 0; lead-- {
		_, size := utf8.DecodeLastRuneInString(content[:start])
		start -= size
	}
	start = snap(content, start, hits[first].At)
	if start == 0 {
		return opening(content, n)
	}
	return "…" + opening(content[start:], n-1)
}

// snap moves the beginning of a window, which must stay before limit, to where a line, a sentence
// or at least a word begins.
func snap(s string, start, limit int) int {
	if start == 0 {
		return 0
	}
	if i := strings.LastIndexAny(s[start:limit], "\n。！？"); i >= 0 {
		_, size := utf8.DecodeRuneInString(s[start+i:])
		return start + i + size
	}
	if i := strings.LastIndex(s[start:limit], ". "); i >= 0 {
		return start + i + 2
	}
	if i := strings.IndexFunc(s[start:limit], unicode.IsSpace); i >= 0 {
		return start + i
	}
	return start
}
