package minilm

import "github.com/openhuman/openhuman-core/internal/embed/wordpiece"

// A Window is a part of a text, by byte offsets, that the encoder reads at once.
type Window struct{ Start, End int }

// Windows cuts text into as few parts as the encoder can read at once, of about equal length, at
// borders of words. They cover every token. A text that fits is one window, and so is an empty one.
func (m *Model) Windows(text string) []Window {
	tokens := m.vocab.Encode(text)
	cuts := windows(tokens, MaxTokens-2)
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

// windows cuts tokens into spans of at most limit, none of them inside a word. A word has at most
// 100 tokens, so that a span can always give way by less than half.
func windows(tokens []wordpiece.Token, limit int) []span {
	var out []span
	for from := 0; ; {
		left := len(tokens) - from
		if left <= limit {
			return append(out, span{from, len(tokens)})
		}
		parts := (left + limit - 1) / limit
		to := from + (left+parts-1)/parts
		for to > from+1 && tokens[to].Start == tokens[to-1].Start {
			to--
		}
		out = append(out, span{from, to})
		from = to
	}
}

// Count is how many tokens text has, the two that begin and end it included.
func (m *Model) Count(text string) int { return m.vocab.Count(text) + 2 }
