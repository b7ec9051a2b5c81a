package vector

import "golang.org/x/sys/cpu"

func dotRowsBest(q []int16, cells []byte, out []int32) {
	if cpu.X86.HasAVX2 {
		dotRowsAVX2(&q[0], &cells[0], len(out), len(q), &out[0])
	} else {
		dotRowsGo(q, cells, out)
	}
}

// dotRowsAVX2 is dotRows for at least one row of at least 64 components.
//
//go:noescape
func dotRowsAVX2(q *int16, cells *byte, rows, n int, out *int32)
