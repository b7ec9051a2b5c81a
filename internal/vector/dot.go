package vector

import "fmt"

// dotRows writes to out the inner products of q with as many rows of cells, which have the length of
// q each, a multiple of 64.
func dotRows(q []int16, cells []byte, out []int32) {
	if len(q)%64 != 0 || len(cells) != len(q)*len(out) {
		panic(fmt.Sprintf("vector: %d rows of %d in %d bytes", len(out), len(q), len(cells)))
	}
	if len(out) > 0 && len(q) > 0 {
		dotRowsBest(q, cells, out)
	}
}

func dotRowsGo(q []int16, cells []byte, out []int32) {
	for i := range out {
		row := cells[:len(q)]
		cells = cells[len(q):]
		var a, b, c, d int32
		for k := 0; k+4 <= len(row) && k+4 <= len(q); k += 4 {
			a += int32(q[k]) * int32(int8(row[k]))
			b += int32(q[k+1]) * int32(int8(row[k+1]))
			c += int32(q[k+2]) * int32(int8(row[k+2]))
			d += int32(q[k+3]) * int32(int8(row[k+3]))
		}
		out[i] = a + b + c + d
	}
}
