package kernel

import "golang.org/x/sys/cpu"

func native() []*Kernels {
	neon := &Kernels{
		Name: "neon", attentionRows: 6,
		quantize: func(dst []byte, tileRow int, src []float32, blocks int) {
			quantizeNEON(&dst[tileRow*Block], &dst[TileRows*Block+4*tileRow], &src[0], blocks)
		},
		matMul: matMulWith(matMulNEON),
		product: func(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
			productNEON(k, &a[0], lda, &b[0], ldb, &c[0], ldc)
		},
		softmax: func(x []float32) { softmaxNEON(&x[0], len(x)) },
		gelu:    func(x []float32) { geluNEON(&x[0], len(x)) },
		addNorm: func(x, add, weight, bias []float32) {
			addNormNEON(&x[0], &add[0], &weight[0], &bias[0], len(x))
		},
	}
	if !cpu.ARM64.HasASIMDDP {
		return []*Kernels{neon}
	}
	dot := *neon
	dot.Name, dot.matMul = "dotprod", matMulWith(matMulDOT)
	return []*Kernels{&dot, neon}
}

func matMulWith(f func(w *byte, bias *float32, a *byte, c *float32, ldc, blocks, tiles int)) func([]byte, []float32, []byte, []float32, int, int, int) {
	return func(w []byte, bias []float32, a []byte, c []float32, ldc, blocks, tiles int) {
		f(&w[0], &bias[0], &a[0], &c[0], ldc, blocks, tiles)
	}
}

// matMulNEON and matMulDOT multiply one panel (blocks × WeightBlock bytes) with tiles of 4 rows;
// matMulDOT needs the dot-product instructions of ARMv8.2.

//go:noescape
func matMulNEON(w *byte, bias *float32, a *byte, c *float32, ldc, blocks, tiles int)

//go:noescape
func matMulDOT(w *byte, bias *float32, a *byte, c *float32, ldc, blocks, tiles int)

// productNEON writes 6 × 16 sums of k products.
//
//go:noescape
func productNEON(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)

// quantizeNEON writes one row of a tile: its values from dst, its scales from scale.
//
//go:noescape
func quantizeNEON(dst, scale *byte, src *float32, blocks int)

//go:noescape
func softmaxNEON(x *float32, n int)

//go:noescape
func geluNEON(x *float32, n int)

//go:noescape
func addNormNEON(x, add, weight, bias *float32, n int)
