// Package vecset packs the vectors of embedding models into bytes and finds, among many of one
// model, those nearest to another. It knows neither where vectors come from nor where they are kept.
package vecset

import (
	"encoding/binary"
	"math"

	"github.com/openhuman/openhuman-core/internal/embed/vector"
)

// Pack returns v as it is stored: a little-endian float32 scale, then one signed byte for each
// component. Components are rounded to 1/127 of the largest; the scale keeps the length exact, which
// makes for a third less of an error in cosines.
func Pack(v []float32) []byte {
	cells := make([]int8, len(v))
	out := make([]byte, headSize, headSize+len(v))
	vector.Quantize(cells, v)
	var length, cellLength float64
	for i, c := range cells {
		length += float64(v[i]) * float64(v[i])
		cellLength += float64(c) * float64(c)
		out = append(out, byte(c))
	}
	if cellLength > 0 {
		binary.LittleEndian.PutUint32(out, math.Float32bits(float32(math.Sqrt(length/cellLength))))
	}
	return out
}

// Unpack returns the vector that Pack made packed from, as near as it was kept.
func Unpack(packed []byte) []float32 {
	if len(packed) < headSize {
		return nil
	}
	scale := readFloat(packed)
	out := make([]float32, len(packed)-headSize)
	for i, b := range packed[headSize:] {
		out[i] = float32(int8(b)) * scale
	}
	return out
}

const headSize = 4 // the scale

func readFloat(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b)) }

// A Query is a vector that others are compared with.
type Query struct {
	exact   []float32
	cells   []int8
	kernels *vector.Kernels
}

// NewQuery prepares a vector of unit length.
func NewQuery(v []float32) *Query {
	q := &Query{exact: make([]float32, stride(len(v))), cells: make([]int8, stride(len(v))), kernels: vector.Best()}
	copy(q.exact, v)
	vector.Quantize(q.cells, v) // its scale changes no order
	return q
}

// stride is how many components a row takes: whole words of a code.
func stride(dims int) int { return (dims + 63) &^ 63 }
