package kernel

import "golang.org/x/sys/cpu"

func native() []*Kernels {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return nil
	}
	avx2 := &Kernels{
		Name: "avx2", attentionRows: 6,
		quantize: quantizeVector, matMul: matMulWith(matMulAVX2), product: productWith(productAVX2),
		softmax: func(x []float32) { softmaxAVX2(&x[0], len(x)) },
		gelu:    func(x []float32) { geluAVX2(&x[0], len(x)) },
		addNorm: func(x, add, weight, bias []float32) {
			addNormAVX2(&x[0], &add[0], &weight[0], &bias[0], len(x))
		},
	}
	if !cpu.X86.HasAVX512F || !cpu.X86.HasAVX512BW || !cpu.X86.HasAVX512VL || !cpu.X86.HasAVX512VNNI {
		return []*Kernels{avx2}
	}
	vnni := *avx2
	vnni.Name, vnni.attentionRows = "avx512vnni", 12
	vnni.matMul, vnni.product = matMulWith(matMulVNNI), productWith(productAVX512)
	return []*Kernels{&vnni, avx2}
}

func quantizeVector(dst []byte, tileRow int, src []float32, blocks int) {
	quantizeAVX2(&dst[tileRow*Block], &dst[TileRows*Block+4*tileRow], &src[0], blocks)
}

func matMulWith(f func(w *byte, bias *float32, a *byte, c *float32, ldc, blocks, tiles int)) func([]byte, []float32, []byte, []float32, int, int, int) {
	return func(w []byte, bias []float32, a []byte, c []float32, ldc, blocks, tiles int) {
		f(&w[0], &bias[0], &a[0], &c[0], ldc, blocks, tiles)
	}
}

func productWith(f func(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)) func(int, []float32, int, []float32, int, []float32, int) {
	return func(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int) {
		f(k, &a[0], lda, &b[0], ldb, &c[0], ldc)
	}
}

// matMulAVX2 and matMulVNNI multiply one panel (blocks × WeightBlock bytes) with tiles of 4 rows.

//go:noescape
func matMulAVX2(w *byte, bias *float32, a *byte, c *float32, ldc, blocks, tiles int)

//go:noescape
func matMulVNNI(w *byte, bias *float32, a *byte, c *float32, ldc, blocks, tiles int)

// productAVX2 writes 6 × 16 and productAVX512 12 × 16 sums of k products.

//go:noescape
func productAVX2(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)

//go:noescape
func productAVX512(k int, a *float32, lda int, b *float32, ldb int, c *float32, ldc int)

// quantizeAVX2 writes one row of a tile: its values from dst, its scales from scale.
//
//go:noescape
func quantizeAVX2(dst, scale *byte, src *float32, blocks int)

//go:noescape
func softmaxAVX2(x *float32, n int)

//go:noescape
func geluAVX2(x *float32, n int)

//go:noescape
func addNormAVX2(x, add, weight, bias *float32, n int)
