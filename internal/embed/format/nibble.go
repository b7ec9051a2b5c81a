package format

import (
	"encoding/binary"
	"math"
)

// A Table is rows of small whole numbers with one 16-bit scale to 32 of them, used in place. Numbers
// have 4 bits or up to 4 more. A block of 32 takes 4·bits bytes: byte i < 16 holds the low 4 bits of
// number i in its low nibble and of number 16+i in its high one. Each further bit takes 4 bytes, in
// which bit i is number i's. All numbers are raised by half of their range.
type Table struct {
	Dims   int
	bits   int
	values []byte
	scales []byte
}

// tableBlock is how many numbers share a scale.
const tableBlock = 32

// Table reads a table of n rows.
func (r *Reader) Table(n, dims, bits int) Table {
	return Table{Dims: dims, bits: bits, scales: r.Bytes(n * dims / tableBlock * 2), values: r.Bytes(n * dims * bits / 8)}
}

// Rows is how many rows there are.
func (t *Table) Rows() int { return len(t.values) * 8 / (t.Dims * t.bits) }

// AddTo adds row i to dst.
func (t *Table) AddTo(dst []float32, i int) {
	blocks, size := t.Dims/tableBlock, tableBlock/8*t.bits
	row := t.values[i*blocks*size:][:blocks*size]
	scales := t.scales[i*blocks*2:][:blocks*2]
	dst = dst[:t.Dims]
	if t.bits == 4 {
		addNibbles(dst, row, scales)
		return
	}
	raise := 1 << (t.bits - 1)
	for b := range blocks {
		s := Half(binary.LittleEndian.Uint16(scales[2*b:]))
		d, low, high := dst[b*tableBlock:][:tableBlock], row[:tableBlock/2], row[tableBlock/2:size]
		row = row[size:]
		var n [tableBlock]int
		for k, v := range low {
			n[k], n[k+16] = int(v&15), int(v>>4)
		}
		for bit := range t.bits - 4 {
			mask := binary.LittleEndian.Uint32(high[4*bit:])
			for k := range n {
				n[k] |= int(mask>>k&1) << (4 + bit)
			}
		}
		for k, v := range n {
			d[k] += float32(v-raise) * s
		}
	}
}

// addNibblesPortable adds a row of 4-bit numbers with its scales to dst.
func addNibblesPortable(dst []float32, row, scales []byte) {
	for b := 0; b < len(dst); b += tableBlock {
		s := Half(binary.LittleEndian.Uint16(scales[b/tableBlock*2:]))
		d0, d1 := dst[b:][:tableBlock/2], dst[b+tableBlock/2:][:tableBlock/2]
		for k, v := range row[b/2:][:tableBlock/2] {
			d0[k] += float32(int32(v&15)-8) * s
			d1[k] += float32(int32(v>>4)-8) * s
		}
	}
}

// Table appends rows of dims values as a Table, each block with the scale that errs least.
func (w *Writer) Table(x []float32, bits int) {
	var scales []float32
	var values []byte
	for b := 0; b < len(x); b += tableBlock {
		block := x[b:][:tableBlock]
		s := bestScale(block, bits)
		scales = append(scales, s)
		var n [tableBlock]int
		for k, v := range block {
			n[k] = quantum(v, s, bits) + 1<<(bits-1)
		}
		for k := range tableBlock / 2 {
			values = append(values, byte(n[k]&15|n[k+16]&15<<4))
		}
		for bit := 4; bit < bits; bit++ {
			mask := uint32(0)
			for k, v := range n {
				mask |= uint32(v>>bit&1) << k
			}
			values = binary.LittleEndian.AppendUint32(values, mask)
		}
	}
	w.Halves(scales)
	w.Bytes(values)
}

// quantum is the whole number nearest to v/s that fits.
func quantum(v, s float32, bits int) int {
	if s == 0 {
		return 0
	}
	half := float64(int(1) << (bits - 1))
	return int(min(max(math.RoundToEven(float64(v/s)), -half), half-1))
}

// bestScale tries scales around the one that just reaches the largest value, with either sign (the
// range is not symmetric), and keeps the one with the least squared error.
func bestScale(x []float32, bits int) float32 {
	var top float32
	for _, v := range x {
		if math.Abs(float64(v)) > math.Abs(float64(top)) {
			top = v
		}
	}
	if top == 0 {
		return 0
	}
	const steps = 24
	best, least := float32(0), math.Inf(1)
	half := float32(int(1) << (bits - 1))
	for i := -steps; i <= steps; i++ {
		for _, sign := range []float32{1, -1} {
			s := Half(HalfBits(sign * top / (half * (1 + float32(i)/(2*steps)))))
			var e float64
			for _, v := range x {
				d := float64(v) - float64(quantum(v, s, bits))*float64(s)
				e += d * d
			}
			if e < least {
				best, least = s, e
			}
		}
	}
	return best
}

// Half is the value of a 16-bit float.
func Half(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&0x3ff)
	switch exp {
	case 0: // zero and subnormal
		v := float32(frac) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(v) | sign)
	case 31:
		return math.Float32frombits(sign | 0x7f800000 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// HalfBits is the 16-bit float nearest to v; what is too large becomes infinite.
func HalfBits(v float32) uint16 {
	bits := math.Float32bits(v)
	sign := uint16(bits >> 16 & 0x8000)
	a := math.Abs(float64(v))
	switch {
	case math.IsNaN(float64(v)):
		return sign | 0x7e00
	case a >= 65520:
		return sign | 0x7c00
	case a < 1.0/(1<<14): // subnormal, in steps of 2^-24
		return sign | uint16(math.RoundToEven(a*(1<<24)))
	}
	exp := math.Ilogb(a)
	frac := math.RoundToEven(math.Ldexp(a, 10-exp)) - 1024 // a carry moves into the exponent by itself
	return sign | uint16((exp+15)<<10+int(frac))
}
