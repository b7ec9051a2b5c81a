package minilm

import (
	"strings"

	"github.com/openhuman/openhuman-core/internal/embed/wordpiece"
	"github.com/openhuman/openhuman-core/internal/text"
)

// maxContext is how many tokens of a window say where the rest of it is from.
const maxContext = 64

// Parts returns what to embed for a text that is read with a context, such as its title and author:
// as few windows of the text as the encoder can read, together all of it, each behind the context. A
// window that the vocabulary knows hardly a word of is left out, so that there may be none: its
// vector would say only that it is foreign.
func (m *Model) Parts(context, text string) []string {
	head := m.vocab.Encode(context)
	if len(head) > maxContext {
		cut := maxContext
		for cut > 1 && head[cut].Start == head[cut-1].Start {
			cut--
		}
		context = context[:head[cut-1].End]
		head = head[:cut]
	}
	tokens := m.vocab.Encode(text)
	var out []string
	for _, w := range windows(text, tokens, MaxTokens-2-len(head)) {
		part := text
		if w.to-w.from < len(tokens) {
			part = text[tokens[w.from].Start:tokens[w.to-1].End]
		}
		if !m.known(tokens[w.from:w.to]) {
			continue
		}
		if context != "" {
			part = strings.Join([]string{context, part}, "\n")
		}
		out = append(out, part)
	}
	return out
}

// Knows reports whether the vocabulary knows enough of a text for its vector to mean something. It
// has the characters of Chinese and Japanese, but the model has read neither.
func (m *Model) Knows(s string) bool {
	runs, tokens := 0, 0
	for t := range text.Tokens(s) {
		if tokens++; t.Run {
			runs++
		}
	}
	return 2*runs <= tokens && m.known(m.vocab.Encode(s))
}

// known reports whether at most half of the tokens are unknown words. Punctuation counts as known,
// and so does a text without any word.
func (m *Model) known(tokens []wordpiece.Token) bool {
	unknown := 0
	for _, t := range tokens {
		if t.ID == m.vocab.UNK() {
			unknown++
		}
	}
	return 2*unknown <= len(tokens)
}
