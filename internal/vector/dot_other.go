//go:build !amd64

package vector

func dotRowsBest(q []int16, cells []byte, out []int32) { dotRowsGo(q, cells, out) }
