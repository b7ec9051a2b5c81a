// Package static is the instant embedding model: a table of a vector for each token, whose sum over
// a text points about where the encoder of package minilm would point once the mean over many texts
// is taken away. It costs microseconds where the encoder costs milliseconds, and understands less:
// word order and context mean nothing to it. Its table is part of the program and used in place.
//
// To compare an encoder's vector with one of these, put it through Center first.
package static

import (
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/openhuman/openhuman-core/internal/embed/format"
	"github.com/openhuman/openhuman-core/internal/embed/kernel"
	"github.com/openhuman/openhuman-core/internal/embed/vocab"
	"github.com/openhuman/openhuman-core/internal/embed/wordpiece"
)

const (
	// Dims is the length of a vector, that of the encoder's.
	Dims = 384
	// Rank is how many numbers a token has in the table; a basis of as many vectors expands them.
	Rank = 256
	// Bits is how many bits such a number has.
	Bits = 4
	// Kind marks the file of the table and its layout.
	Kind = "static-minilm/1"

	vocabSize = 30522
)

//go:embed static.bin
var table []byte

// Model is the instant model. It is safe for concurrent use.
type Model struct {
	vocab   *wordpiece.Vocab
	kernels *kernel.Kernels
	sum     string
	table   format.Table
	basis   []float32 // Rank rows of Dims
	mean    []float32
}

// Load opens the model that is part of the program.
func Load() (*Model, error) { return New(kernel.Best()) }

// New is Load with the arithmetic of one's choice.
func New(k *kernel.Kernels) (*Model, error) {
	v, err := vocab.Open()
	if err != nil {
		return nil, err
	}
	r, err := format.NewReader(Kind, table)
	if err != nil {
		return nil, fmt.Errorf("open static table: %w", err)
	}
	m := &Model{vocab: v, kernels: k, sum: r.Sum(), table: r.Table(vocabSize, Rank, Bits)}
	half := r.Bytes(2 * Rank * Dims)
	m.basis = make([]float32, Rank*Dims)
	for i := range m.basis {
		m.basis[i] = format.Half(binary.LittleEndian.Uint16(half[2*i:]))
	}
	m.mean = r.Floats(Dims)
	if err := r.Err(); err != nil {
		return nil, fmt.Errorf("open static table: %w", err)
	}
	return m, nil
}

// Fingerprint names the model and its table. Vectors of one fingerprint can be compared.
func (m *Model) Fingerprint() string { return Kind + "/" + m.sum[:16] }

// Dims is the length of a vector.
func (m *Model) Dims() int { return Dims }

// Embed returns one vector of unit length for each text, of any length. A text without any token the
// table knows gets a vector of zeros, which resembles nothing.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	// Texts are expanded as many at a time as the kernel takes rows.
	rows := m.kernels.AttentionRows()
	sums, wide := make([]float32, rows*Rank), make([]float32, rows*Dims)
	all := make([]float32, len(texts)*Dims)
	out := make([][]float32, len(texts))
	var tokens []wordpiece.Token
	for i := 0; i < len(texts); i += rows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		n := min(rows, len(texts)-i)
		clear(sums)
		for k := range n {
			tokens = m.vocab.AppendTokens(tokens[:0], texts[i+k])
			for _, t := range tokens {
				if t.ID != m.vocab.UNK() {
					m.table.AddTo(sums[k*Rank:][:Rank], int(t.ID))
				}
			}
		}
		m.kernels.Product(wide, Dims, sums, Rank, m.basis, Dims, n, Dims, Rank)
		for k := range n {
			v := all[(i+k)*Dims:][:Dims:Dims]
			copy(v, wide[k*Dims:])
			kernel.Normalize(v)
			out[i+k] = v
		}
	}
	return out, nil
}

// Sum adds what a text's tokens sum up to, not brought to unit length, to dst, which has Dims numbers.
// It returns how many tokens the table knew.
func (m *Model) Sum(dst []float32, text string) (known int) {
	// The kernel writes whole groups of rows.
	rows := m.kernels.AttentionRows()
	sums, wide := make([]float32, rows*Rank), make([]float32, rows*Dims)
	for _, t := range m.vocab.Encode(text) {
		if t.ID != m.vocab.UNK() {
			m.table.AddTo(sums[:Rank], int(t.ID))
			known++
		}
	}
	if known == 0 {
		return 0
	}
	m.kernels.Product(wide, Dims, sums, Rank, m.basis, Dims, 1, Dims, Rank)
	for i, x := range wide[:Dims] {
		dst[i] += x
	}
	return known
}

// Center brings a vector of the encoder into the space of this model: it takes the mean away and
// restores unit length. It changes v.
func (m *Model) Center(v []float32) {
	for i, x := range m.mean {
		v[i] -= x
	}
	kernel.Normalize(v)
}

// Uncenter undoes Center: it brings a vector of this space, of unit length, into that of the encoder.
// It changes v; a vector of zeros stays one.
func (m *Model) Uncenter(v []float32) {
	var along, mean, size float64
	for i, x := range m.mean {
		along += float64(x) * float64(v[i])
		mean += float64(x) * float64(x)
		size += float64(v[i]) * float64(v[i])
	}
	if size == 0 {
		return
	}
	// The encoder's vectors have unit length, and v points from the mean to one of them.
	far := float32(math.Sqrt(along*along+1-mean) - along)
	for i, x := range m.mean {
		v[i] = x + far*v[i]
	}
}
