// Package vector compares many stored vectors with one: inner products of 8-bit vectors and Hamming
// distances of their signs, in portable Go and, where the processor allows, in assembly. All
// implementations give the same whole numbers. Where vectors come from and which of them win is the
// caller's business.
package vector

import (
	"math"
	"math/bits"
)

// Kernels is one implementation. It has no state and is safe for concurrent use.
type Kernels struct {
	// Name says which instructions it uses.
	Name string
	// dots writes the inner product of q with each of len(out) rows of len(q); len(q) is a multiple
	// of 32.
	dots func(out []int32, q, rows []int8)
}

// Best is the fastest implementation this processor can run.
func Best() *Kernels { return All()[0] }

// All lists the implementations this processor can run, the fastest first, portable Go last.
func All() []*Kernels { return append(native(), Portable()) }

// Portable is the implementation in plain Go.
func Portable() *Kernels { return &Kernels{Name: "portable", dots: dotsGo} }

// Dots writes to out[i] the inner product of q with row i of rows, which lie one after the other. The
// length of q must be a multiple of 32 and at most MaxDims.
func (k *Kernels) Dots(out []int32, q, rows []int8) {
	if len(q) == 0 || len(q)%32 != 0 || len(q) > MaxDims || len(rows) < len(out)*len(q) {
		panic("vector: rows do not fit the query")
	}
	if len(out) > 0 {
		k.dots(out, q, rows)
	}
}

// MaxDims keeps the largest inner product within 32 bits.
const MaxDims = 1 << 16

func dotsGo(out []int32, q, rows []int8) {
	for i := range out {
		row := rows[i*len(q):][:len(q)]
		var s0, s1, s2, s3 int32
		for j := 0; j+4 <= len(q); j += 4 {
			a, b := q[j:j+4:j+4], row[j:j+4:j+4]
			s0 += int32(a[0]) * int32(b[0])
			s1 += int32(a[1]) * int32(b[1])
			s2 += int32(a[2]) * int32(b[2])
			s3 += int32(a[3]) * int32(b[3])
		}
		out[i] = s0 + s1 + s2 + s3
	}
}

// Quantize writes v to q in steps of the returned scale, so that v[i] is about scale·q[i] and
// |q[i]| ≤ 127.
func Quantize(q []int8, v []float32) (scale float32) {
	var top float32
	for _, x := range v {
		top = max(top, x, -x)
	}
	if top == 0 {
		clear(q[:len(v)])
		return 0
	}
	for i, x := range v {
		q[i] = int8(math.RoundToEven(float64(x) * 127 / float64(top)))
	}
	return top / 127
}

// Signs writes one bit for each number of v to out, 64 to a word: 1 for what is above 0. len(v) is a
// multiple of 64.
func Signs(out []uint64, v []int8) {
	for w := range len(v) / 64 {
		var word uint64
		for i, x := range v[w*64:][:64] {
			// 0-x is negative, its highest bit 1, just when x is above 0 (and int keeps -(-128)).
			word |= uint64(-int64(x)) >> 63 << i
		}
		out[w] = word
	}
}

// Distances writes to out[i] in how many bits q differs from row i of rows.
func Distances(out []int32, q, rows []uint64) {
	n := len(q)
	if n == 6 { // 384 bits, the usual case, without the inner loop
		q0, q1, q2, q3, q4, q5 := q[0], q[1], q[2], q[3], q[4], q[5]
		for i := range out {
			r := rows[i*6 : i*6+6 : i*6+6]
			out[i] = int32(bits.OnesCount64(q0^r[0]) + bits.OnesCount64(q1^r[1]) + bits.OnesCount64(q2^r[2]) +
				bits.OnesCount64(q3^r[3]) + bits.OnesCount64(q4^r[4]) + bits.OnesCount64(q5^r[5]))
		}
		return
	}
	for i := range out {
		d := 0
		for j, w := range rows[i*n:][:n] {
			d += bits.OnesCount64(q[j] ^ w)
		}
		out[i] = int32(d)
	}
}
