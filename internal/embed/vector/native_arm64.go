package vector

import "golang.org/x/sys/cpu"

func native() []*Kernels {
	neon := &Kernels{Name: "neon", dots: dotsWith(dotsNEON)}
	if !cpu.ARM64.HasASIMDDP {
		return []*Kernels{neon}
	}
	return []*Kernels{{Name: "dotprod", dots: dotsWith(dotsDOT)}, neon}
}

func dotsWith(f func(out *int32, q, rows *int8, dims, n int)) func([]int32, []int8, []int8) {
	return func(out []int32, q, rows []int8) { f(&out[0], &q[0], &rows[0], len(q), len(out)) }
}

//go:noescape
func dotsNEON(out *int32, q, rows *int8, dims, n int)

// dotsDOT needs the dot-product instructions of ARMv8.2.
//
//go:noescape
func dotsDOT(out *int32, q, rows *int8, dims, n int)
