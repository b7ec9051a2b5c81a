//go:build !amd64

package format

func addNibbles(dst []float32, row, scales []byte) { addNibblesPortable(dst, row, scales) }
