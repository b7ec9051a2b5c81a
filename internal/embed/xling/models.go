package xling

import (
	"context"
	"strings"

	"github.com/openhuman/openhuman-core/internal/embed/kernel"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/text"
)

// Instant is the instant model for all languages of a set: a table of tokens for English, one of words
// for each of the others, in one space. It is safe for concurrent use.
type Instant struct {
	model *static.Model
	set   *Set
}

// NewInstant returns the instant model with the languages of a set.
func NewInstant(m *static.Model, s *Set) *Instant { return &Instant{m, s} }

// With returns the model with the languages of a set, such as one that has a person's own words.
func (m *Instant) With(s *Set) *Instant { return &Instant{m.model, s} }

// Set returns the languages of the model.
func (m *Instant) Set() *Set { return m.set }

// Fingerprint names the model of English texts. See FingerprintOf.
func (m *Instant) Fingerprint() string { return m.model.Fingerprint() }

// FingerprintOf names what makes the vector of texts that belong together: another thing when one of
// them is foreign, so that English ones keep theirs when a language changes. Behind a "+" it names
// what extends the model; all these vectors can be compared.
func (m *Instant) FingerprintOf(texts ...string) string {
	return fingerprintOf(m.model.Fingerprint(), m.set, texts)
}

// Fingerprints are all that FingerprintOf returns.
func (m *Instant) Fingerprints() []string {
	return []string{m.model.Fingerprint(), m.model.Fingerprint() + m.set.Fingerprint()}
}

func fingerprintOf(model string, s *Set, texts []string) string {
	if s.Foreign(texts...) {
		return model + s.Fingerprint()
	}
	return model
}

// Dims is the length of a vector.
func (m *Instant) Dims() int { return Dims }

// Embed returns one vector of unit length for each text, and zeros for one without a word that the
// tables know.
func (m *Instant) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	var english []string
	var at []int
	for i, t := range texts {
		if !m.set.Foreign(t) {
			english, at = append(english, t), append(at, i)
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i], _, _ = m.vector(t)
	}
	vectors, err := m.model.Embed(ctx, english)
	if err != nil {
		return nil, err
	}
	for k, v := range vectors {
		out[at[k]] = v
	}
	return out, nil
}

// Foreign reports whether any of the texts is in another language, at least in part.
func (m *Instant) Foreign(texts ...string) bool { return m.set.Foreign(texts...) }

// Translate returns what a text says in English, word by word.
func (m *Instant) Translate(text string) string { return m.set.Translate(text) }

// Gloss returns what texts that belong together say in English, word by word, as tokens of the full-text index; "" when none
// of them is foreign.
func (m *Instant) Gloss(texts ...string) string {
	if !m.set.Foreign(texts...) {
		return ""
	}
	var out []byte
	for i, t := range m.set.TranslateAll(texts...) {
		if m.set.Foreign(texts[i]) {
			out = text.AppendIndex(out, t)
		}
	}
	return string(out)
}

// vector returns the vector of a foreign text, how many words of it are foreign, and how many tokens
// are not.
func (m *Instant) vector(t string) (v []float32, foreign, others int) {
	v = make([]float32, Dims)
	var other strings.Builder
	foreign = m.set.sum(v, t, func(s string) {
		other.WriteString(s)
		other.WriteByte(' ')
	})
	others = m.model.Sum(v, other.String())
	kernel.Normalize(v)
	return v, foreign, others
}

// Encoder is the sentence encoder for all languages of a set. A foreign text's vector is made of two
// halves, the sum of its words and what the encoder makes of it word by word in English; of a text
// that is foreign in part the first is less. It is safe for concurrent use.
type Encoder struct {
	model   *minilm.Model
	instant *Instant
	set     *Set
}

// NewEncoder returns the encoder with the languages of the instant model.
func NewEncoder(m *minilm.Model, i *Instant) *Encoder { return &Encoder{m, i, i.set} }

// With returns the encoder with the languages of the instant model.
func (e *Encoder) With(i *Instant) *Encoder { return NewEncoder(e.model, i) }

// Fingerprint names the encoder of English texts. See FingerprintOf.
func (e *Encoder) Fingerprint() string { return e.model.Fingerprint() }

// FingerprintOf is as Instant.FingerprintOf.
func (e *Encoder) FingerprintOf(texts ...string) string {
	return fingerprintOf(e.model.Fingerprint(), e.set, texts)
}

// Fingerprints are all that FingerprintOf returns.
func (e *Encoder) Fingerprints() []string {
	return []string{e.model.Fingerprint(), e.model.Fingerprint() + e.set.Fingerprint()}
}

// Dims is the length of a vector.
func (e *Encoder) Dims() int { return Dims }

// byTable is what the sum of its words is worth in the vector of a text that is all foreign.
const byTable = 0.5

// Embed returns one vector of unit length for each text, in the space of the English encoder.
func (e *Encoder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	read := make([]string, len(texts))
	for i, t := range texts {
		if read[i] = t; e.set.Foreign(t) {
			read[i] = e.set.Translate(t)
		}
	}
	out, err := e.model.Embed(ctx, read)
	if err != nil {
		return nil, err
	}
	for i, t := range texts {
		if !e.set.Foreign(t) {
			continue
		}
		sum, foreign, others := e.instant.vector(t)
		if foreign == 0 {
			continue // nothing of it is known but as it is
		}
		share := byTable * float32(foreign) / float32(foreign+others)
		v := out[i]
		e.instant.model.Center(v)
		for k := range v {
			v[k] = (1-share)*v[k] + share*sum[k]
		}
		kernel.Normalize(v)
		e.instant.model.Uncenter(v)
	}
	return out, nil
}

// Knows reports whether the vector of a text means something.
func (e *Encoder) Knows(text string) bool {
	if !e.set.Foreign(text) {
		return e.model.Knows(text)
	}
	return e.model.Knows(e.set.Translate(text))
}

// Parts returns what to embed for a text that is read with a context: windows that cover it, none when
// the encoder can make nothing of it.
func (e *Encoder) Parts(context, text string) []string {
	if !e.set.Foreign(context, text) {
		return e.model.Parts(context, text)
	}
	return e.parts(context, text)
}
