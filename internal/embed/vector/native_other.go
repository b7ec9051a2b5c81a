//go:build !amd64 && !arm64

package vector

func native() []*Kernels { return nil }
