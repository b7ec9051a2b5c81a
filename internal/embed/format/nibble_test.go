package format

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestAddNibblesAgree holds the native form against the portable one, bit for bit.
func TestAddNibblesAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, dims := range []int{32, 64, 256, 384, 512, 1024} {
		row, scales := make([]byte, dims/2), make([]byte, dims/tableBlock*2)
		for range 50 {
			for i := range row {
				row[i] = byte(r.Uint32())
			}
			for b := 0; b < len(scales); b += 2 {
				bits := HalfBits(float32(r.NormFloat64()))
				scales[b], scales[b+1] = byte(bits), byte(bits>>8)
			}
			got := make([]float32, dims)
			for i := range got {
				got[i] = float32(r.NormFloat64())
			}
			want := slices.Clone(got)
			addNibbles(got, row, scales)
			addNibblesPortable(want, row, scales)
			if !slices.Equal(got, want) {
				t.Fatalf("%d numbers: native and portable differ", dims)
			}
		}
	}
}

func BenchmarkAddNibbles(b *testing.B) {
	row, scales, dst := make([]byte, 128), make([]byte, 16), make([]float32, 256)
	for name, f := range map[string]func([]float32, []byte, []byte){"best": addNibbles, "portable": addNibblesPortable} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f(dst, row, scales)
			}
		})
	}
}
