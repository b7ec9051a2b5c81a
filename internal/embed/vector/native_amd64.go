package vector

import "golang.org/x/sys/cpu"

func native() []*Kernels {
	if !cpu.X86.HasAVX2 {
		return nil
	}
	avx2 := &Kernels{Name: "avx2", dots: dotsWith(dotsAVX2)}
	if !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512VL {
		return []*Kernels{avx2}
	}
	return []*Kernels{{Name: "avx512bw", dots: dotsWith(dotsAVX512)}, avx2}
}

func dotsWith(f func(out *int32, q, rows *int8, dims, n int)) func([]int32, []int8, []int8) {
	return func(out []int32, q, rows []int8) { f(&out[0], &q[0], &rows[0], len(q), len(out)) }
}

//go:noescape
func dotsAVX2(out *int32, q, rows *int8, dims, n int)

//go:noescape
func dotsAVX512(out *int32, q, rows *int8, dims, n int)
