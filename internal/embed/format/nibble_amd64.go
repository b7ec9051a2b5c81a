package format

import (
	"encoding/binary"

	"golang.org/x/sys/cpu"
)

// addNibbles is addNibblesPortable, to the bit: products and sums are rounded one by one.
func addNibbles(dst []float32, row, scales []byte) {
	var s [16]float32
	blocks := len(dst) / tableBlock
	if !cpu.X86.HasAVX2 || blocks == 0 || blocks > len(s) {
		addNibblesPortable(dst, row, scales)
		return
	}
	for b := range blocks {
		s[b] = Half(binary.LittleEndian.Uint16(scales[2*b:]))
	}
	_ = row[blocks*tableBlock/2-1]
	addNibblesAVX2(&dst[0], &row[0], &s[0], blocks)
}

//go:noescape
func addNibblesAVX2(dst *float32, row *byte, scales *float32, blocks int)
