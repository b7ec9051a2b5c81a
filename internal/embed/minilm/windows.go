package minilm

import (
	"strings"

	"github.com/openhuman/openhuman-core/internal/embed/wordpiece"
)

// A Window is a part of a text, by byte offsets, that the encoder reads at once.
type Window struct{ Start, End int }

// Windows cuts text into about as few parts as the encoder can read at once, of about equal length:
// at ends of sentences where there is one near, else at spaces, and never inside a word. They cover
// every token. A text that fits is one window, and so is an empty one.
func (m *Model) Windows(text string) []Window {
	tokens := m.vocab.Encode(text)
	cuts := windows(text, tokens, MaxTokens-2)
	if len(cuts) == 1 {
		return []Window{{0, len(text)}}
	}
	out := make([]Window, len(cuts))
	for i, c := range cuts {
		out[i] = Window{tokens[c.from].Start, tokens[c.to-1].End}
	}
	return out
}

// span is a range of tokens.
type span struct{ from, to int }

// windows cuts tokens into spans of at most limit.
func windows(text string, tokens []wordpiece.Token, limit int) []span {
	var out []span
	for from := 0; ; {
		left := len(tokens) - from
		if left <= limit {
			return append(out, span{from, len(tokens)})
		}
		parts := (left + limit - 1) / limit
		to := cut(text, tokens, from, from+(left+parts-1)/parts)
		out = append(out, span{from, to})
		from = to
	}
}

// yield is how many tokens a span may give up for a better place to end.
const yield = 32

// cut finds the best place at or before to for a span to end. A word has at most 100 tokens and a
// span wants more, so that there always is a place that is in no word.
func cut(text string, tokens []wordpiece.Token, from, to int) int {
	best, rank := to, insideWord
	for i := to; i > from+1; i-- {
		if r := rankOf(text, tokens[i-1], tokens[i]); r > rank {
			best, rank = i, r
		}
		if rank == afterSentence || rank > insideWord && to-i >= yield {
			break
		}
	}
	return best
}

// How good a place between two tokens is to part them.
const (
	insideWord = iota
	betweenWords
	afterSpace
	afterSentence
)

func rankOf(text string, before, after wordpiece.Token) int {
	if before.Start == after.Start {
		return insideWord
	}
	gap := text[before.End:after.Start]
	switch {
	case strings.Contains(gap, "\n"):
		return afterSentence
	case gap == "":
		return betweenWords
	}
	switch text[before.Start:before.End] {
	case ".", "!", "?", "。", "！", "？":
		return afterSentence
	}
	return afterSpace
}

// Count is how many tokens text has, the two that begin and end it included.
func (m *Model) Count(text string) int { return m.vocab.Count(text) + 2 }
