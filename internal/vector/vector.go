// Package vector packs the vectors of embedding models into bytes and finds, among many of one
// model, those nearest to another. It knows neither where vectors come from nor where they are kept.
package vector

import (
	"encoding/binary"
	"math"
)

// Pack returns v as it is stored: a little-endian float32 scale, then one signed byte for each
// component. Components are rounded to 1/127 of the largest.
func Pack(v []float32) []byte {
	out := make([]byte, headSize+len(v))
	var top float32
	for _, x := range v {
		top = max(top, x, -x)
	}
	if top == 0 {
		return out
	}
	scale := top / 127
	binary.LittleEndian.PutUint32(out, math.Float32bits(scale))
	for i, x := range v {
		out[headSize+i] = byte(int8(math.Round(float64(x / scale))))
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
	exact []float32
	cells []int16 // of the packed form, as dotRows wants them
	scale float32
}

// NewQuery prepares a vector of unit length.
func NewQuery(v []float32) *Query {
	packed := Pack(v)
	q := &Query{exact: pad(v), cells: make([]int16, stride(len(v))), scale: readFloat(packed)}
	for i, b := range packed[headSize:] {
		q.cells[i] = int16(int8(b))
	}
	return q
}

// stride is how many components a row takes: whole words of a code.
func stride(dims int) int { return (dims + 63) &^ 63 }

func pad(v []float32) []float32 {
	out := make([]float32, stride(len(v)))
	copy(out, v)
	return out
}
