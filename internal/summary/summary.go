// Package summary writes summaries out of sentences that stand in the text: it cuts text into
// sentences, weighs them, and picks those that say most in little room, each with the place where it
// stands. It invents no word, asks no other program, and knows no storage.
package summary

import (
	"context"
	"sort"
	"strings"

	"github.com/openhuman/openhuman-core/internal/text"
)

// Version is raised whenever the same text would give another summary.
const Version = 2

// MaxTokens is the length of a summary, by estimate. It is half of what it summarises if that is
// shorter.
const MaxTokens = 250

// A Passage is one of the texts that are summarised together.
type Passage struct {
	ChunkID string
	Text    string
	// Chat says that Text holds lines "author: text", written by those whom Authors names, joined by
	// ", ".
	Chat    bool
	Authors string
	// Begins says that it is the first of its document.
	Begins bool
}

// A Citation says where a sentence stands in the text of a chunk. A Length of 0 means all of it.
type Citation struct {
	ChunkID       string
	Start, Length int
}

// A Unit is a sentence that a summary may be made of.
type Unit struct {
	Text    string // one line, as it is shown: in a chat after "author: "
	Cites   []Citation
	Passage int // of which passage; units come in the order of the text
	Weight  float64
	said    int // where in Text the sentence itself begins, after the author
	tokens  int
}

// body is the sentence without its author, who stands before every other one as well.
func (u *Unit) body() string { return u.Text[u.said:] }

// A Summary is what Extract picks, in the order of the text.
type Summary struct {
	Lines  []Line
	Tokens int // text.EstimateTokens of Text
}

// A Line is one sentence of a summary.
type Line struct {
	Text  string
	Cites []Citation
}

// Text returns the lines as one text.
func (s Summary) Text() string {
	lines := make([]string, len(s.Lines))
	for i, l := range s.Lines {
		lines[i] = l.Text
	}
	return strings.Join(lines, "\n")
}

// An Encoder turns sentences into vectors of unit length, fast enough for all sentences of a memory.
type Encoder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// Units cuts the passages into sentences and weighs what each is worth by itself: greetings, footers,
// code and headings little.
func Units(passages []Passage) []Unit {
	var units []Unit
	for i := range passages {
		p := &passages[i]
		first := true
		for _, s := range sentences(p) {
			u := Unit{
				Text: s.author + oneLine(p.Text[s.start:s.end]), Passage: i,
				Cites:  []Citation{{p.ChunkID, s.start, s.end - s.start}},
				Weight: s.weight, said: len(s.author),
			}
			if u.Weight *= quality(oneLine(p.Text[s.start:s.end])); u.Weight == 0 {
				continue
			}
			if first && u.Weight > poor {
				first = false
				if u.Weight *= 1.15; p.Begins {
					u.Weight *= 1.15
				}
			}
			units = append(units, u)
		}
	}
	if len(units) > 0 {
		return units
	}
	// Nothing but code or signs: that is what there is.
	for i, p := range passages {
		if trimmed := strings.TrimSpace(p.Text); trimmed != "" {
			at := strings.Index(p.Text, trimmed)
			units = append(units, Unit{Text: oneLine(trimmed), Passage: i, Cites: []Citation{{p.ChunkID, at, len(trimmed)}}, Weight: poor / 2})
		}
	}
	return units
}

// LineUnits makes units of the lines of summaries, for a summary of these. In a chat lines begin with
// their author.
func LineUnits(summaries [][]Line, chat bool) []Unit {
	var units []Unit
	for i, lines := range summaries {
		for _, l := range lines {
			u := Unit{Text: l.Text, Cites: l.Cites, Passage: i}
			if at := strings.Index(l.Text, ": "); chat && at >= 0 {
				u.said = at + len(": ")
			}
			u.Weight = max(quality(u.body()), poor)
			units = append(units, u)
		}
	}
	return units
}

// Budget is how many tokens a summary of so many may have.
func Budget(tokens int) int { return min(MaxTokens, tokens/2) }

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// cut shortens s to so many tokens, between words where there are any.
func cut(s string, tokens int) string {
	if text.EstimateTokens(s) <= tokens {
		return s
	}
	starts := make([]int, 0, len(s))
	for i := range s {
		starts = append(starts, i)
	}
	// The longest beginning that is short enough.
	n := sort.Search(len(starts), func(i int) bool { return text.EstimateTokens(s[:starts[i]]) > tokens })
	end := starts[max(n-1, 0)]
	if word := strings.LastIndexByte(s[:end], ' '); word > end/2 {
		end = word
	}
	return strings.TrimRight(s[:end], " ")
}
