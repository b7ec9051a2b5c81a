package kernel_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/openhuman/openhuman-core/internal/embed/kernel"
)

// eachKernel runs a test with every implementation this machine has.
func eachKernel(t *testing.T, test func(t *testing.T, k *kernel.Kernels)) {
	t.Helper()
	for _, k := range kernel.All() {
		t.Run(k.Name, func(t *testing.T) { test(t, k) })
	}
}

func random(seed uint64, n int, scale float64) []float32 {
	r := rand.New(rand.NewPCG(seed, 1))
	out := make([]float32, n)
	for i := range out {
		out[i] = float32(r.NormFloat64() * scale)
	}
	return out
}

// matrix makes a random layer and the same weights as plain numbers, [out][in].
func matrix(seed uint64, in, out int) (*kernel.Matrix, [][]float64) {
	r := rand.New(rand.NewPCG(seed, 2))
	m := &kernel.Matrix{In: in, Out: out, Data: make([]byte, kernel.MatrixSize(in, out)), Bias: random(seed, out, 1)}
	plain := make([][]float64, out)
	for o := range plain {
		plain[o] = make([]float64, in)
	}
	for i := range m.Data {
		m.Data[i] = byte(r.Uint32())
	}
	for p := range out / 16 {
		for b := range in / 32 {
			block := m.Data[(p*in/32+b)*kernel.WeightBlock:]
			for c := range 16 {
				scale := r.Float32()*0.02 + 0.001
				binary.LittleEndian.PutUint32(block[4*c:], math.Float32bits(scale))
				for g := range 4 {
					for i := range 4 {
						v := block[64+64*g+4*c+i]
						plain[p*16+c][b*32+8*g+i] = float64(int(v&15)-8) * float64(scale)
						plain[p*16+c][b*32+8*g+4+i] = float64(int(v>>4)-8) * float64(scale)
					}
				}
			}
		}
	}
	return m, plain
}

func TestMatMulIsTheProduct(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *kernel.Kernels) {
		for _, c := range []struct{ rows, in, out int }{{1, 32, 16}, {4, 384, 48}, {5, 384, 16}, {12, 1536, 32}, {9, 480, 16}} {
			m, plain := matrix(uint64(c.rows), c.in, c.out)
			src := random(7, c.rows*c.in, 2)
			src[3] = 40 // an outlier spoils its block only
			var a kernel.Acts
			k.Quantize(&a, src, c.in, c.rows, c.in)
			got := make([]float32, a.Rows()*c.out)
			k.MatMul(got, c.out, &a, m)
			var err2, size2 float64
			for r := range c.rows {
				for o := range c.out {
					want := float64(m.Bias[o])
					for i, w := range plain[o] {
						want += w * float64(src[r*c.in+i])
					}
					d := want - float64(got[r*c.out+o])
					err2, size2 = err2+d*d, size2+want*want
				}
			}
			if rel := math.Sqrt(err2 / size2); rel > 0.012 {
				t.Errorf("%+v: relative error %.4f", c, rel)
			}
			for r := c.rows; r < a.Rows(); r++ {
				for o := range c.out {
					if got[r*c.out+o] != m.Bias[o] {
						t.Fatalf("%+v: padding row %d is not the bias", c, r)
					}
				}
			}
		}
	})
}

// TestMatMulAgrees compares with portable Go, which differs in the rounding of sums only.
func TestMatMulAgrees(t *testing.T) {
	ref := kernel.Portable()
	eachKernel(t, func(t *testing.T, k *kernel.Kernels) {
		for rows := 1; rows <= 17; rows++ {
			const in, out = 416, 32
			m, _ := matrix(uint64(rows)+100, in, out)
			src := random(uint64(rows), rows*in, 3)
			src[0] = 0
			for i := range 32 {
				src[32+i] = 0
			}
			var a, b kernel.Acts
			k.Quantize(&a, src, in, rows, in)
			ref.Quantize(&b, src, in, rows, in)
			got, want := make([]float32, a.Rows()*out), make([]float32, a.Rows()*out)
			k.MatMul(got, out, &a, m)
			ref.MatMul(want, out, &b, m)
			close32(t, fmt.Sprint(rows, " rows"), got, want, 1e-4)
		}
	})
}

func close32(t *testing.T, what string, got, want []float32, tol float64) {
	t.Helper()
	for i := range want {
		g, w := float64(got[i]), float64(want[i])
		if !(math.Abs(g-w) <= tol*(1+math.Abs(w))) {
			t.Fatalf("%s: [%d] = %v, want %v", what, i, g, w)
		}
	}
}

func TestMatMulExtremes(t *testing.T) {
	// The largest sums there can be must not overflow any lane.
	for _, nib := range []byte{0x00, 0xff} {
		for _, sign := range []float32{1, -1} {
			const in, out = 1536, 16
			m, _ := matrix(1, in, out)
			for b := range in / 32 {
				block := m.Data[b*kernel.WeightBlock:][:kernel.WeightBlock]
				for c := range 16 {
					binary.LittleEndian.PutUint32(block[4*c:], math.Float32bits(1))
				}
				for i := range block[64:] {
					block[64+i] = nib
				}
			}
			src := make([]float32, in)
			for i := range src {
				src[i] = sign
			}
			want := float32(int(nib&15)-8) * sign * in
			eachKernel(t, func(t *testing.T, k *kernel.Kernels) {
				var a kernel.Acts
				k.Quantize(&a, src, in, 1, in)
				got := make([]float32, 4*out)
				k.MatMul(got, out, &a, m)
				for c := range out {
					if d := got[c] - m.Bias[c] - want; math.Abs(float64(d)) > 0.05 {
						t.Errorf("nibbles %x, inputs %v: got %v, want %v", nib, sign, got[c]-m.Bias[c], want)
					}
				}
			})
		}
	}
}

func TestProduct(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *kernel.Kernels) {
		for _, c := range []struct{ rows, n, inner, lda, ldb, ldc int }{
			{1, 16, 1, 40, 16, 16}, {12, 32, 32, 48, 32, 40}, {13, 48, 17, 17, 60, 48}, {25, 16, 100, 112, 384, 384},
		} {
			rows := (c.rows + k.AttentionRows() - 1) / k.AttentionRows() * k.AttentionRows()
			a, b := random(1, rows*c.lda, 1), random(2, c.inner*c.ldb+16, 1)
			got := make([]float32, rows*c.ldc)
			for i := range got {
				got[i] = 99
			}
			k.Product(got, c.ldc, a, c.lda, b, c.ldb, c.rows, c.n, c.inner)
			for r := range rows {
				for j := range c.ldc {
					want := 99.0
					if j < c.n {
						want = 0
						for i := range c.inner {
							want += float64(a[r*c.lda+i]) * float64(b[i*c.ldb+j])
						}
					}
					if d := math.Abs(want - float64(got[r*c.ldc+j])); d > 1e-4 {
						t.Fatalf("%+v: [%d,%d] = %v, want %v", c, r, j, got[r*c.ldc+j], want)
					}
				}
			}
		}
	})
}

func TestSoftmax(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *kernel.Kernels) {
		for n := 8; n <= 64; n += 8 {
			x := random(uint64(n), n, 12)
			x[n-1], x[n-2] = kernel.MaskedScore, 60
			want, sum := make([]float64, n), 0.0
			for i, v := range x {
				want[i] = math.Exp2(float64(v) - 60)
				sum += want[i]
			}
			k.Softmax(x)
			for i := range x {
				if d := math.Abs(float64(x[i]) - want[i]/sum); d > 1e-6 {
					t.Errorf("n %d: [%d] = %v, want %v", n, i, x[i], want[i]/sum)
				}
			}
			if x[n-1] > 1e-30 {
				t.Errorf("a masked score got %v", x[n-1])
			}
		}
	})
}

func TestGELU(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *kernel.Kernels) {
		var x []float32
		for v := -12.0; v < 12; v += 0.01 {
			x = append(x, float32(v))
		}
		x = append(x, 0, -0, 1e4, -1e4, 1e-20, -100, 100, 3)[:len(x)/8*8+8]
		got := append([]float32(nil), x...)
		k.GELU(got)
		for i, v := range x {
			want := 0.5 * float64(v) * (1 + math.Erf(float64(v)/math.Sqrt2))
			if d := math.Abs(float64(got[i]) - want); d > 1e-6 {
				t.Errorf("gelu(%v) = %v, want %v", v, got[i], want)
			}
		}
	})
}

func TestAddNorm(t *testing.T) {
	eachKernel(t, func(t *testing.T, k *kernel.Kernels) {
		for _, n := range []int{8, 384} {
			x, add, w, b := random(1, n, 3), random(2, n, 1), random(3, n, 1), random(4, n, 1)
			var mean, sq float64
			for i := range x {
				mean += float64(x[i]+add[i]) / float64(n)
			}
			for i := range x {
				d := float64(x[i]+add[i]) - mean
				sq += d * d / float64(n)
			}
			want := make([]float32, n)
			for i := range x {
				want[i] = float32((float64(x[i]+add[i])-mean)/math.Sqrt(sq+1e-12)*float64(w[i]) + float64(b[i]))
			}
			k.AddNorm(x, add, w, b)
			close32(t, "norm", x, want, 1e-5)
		}
	})
}

func TestNormalize(t *testing.T) {
	v := []float32{3, 0, -4}
	kernel.Normalize(v)
	close32(t, "unit vector", v, []float32{0.6, 0, -0.8}, 1e-7)
	zero := make([]float32, 3)
	kernel.Normalize(zero)
	close32(t, "zeros", zero, make([]float32, 3), 0)
}

func TestByName(t *testing.T) {
	for _, k := range kernel.All() {
		if got, err := kernel.ByName(k.Name); err != nil || got.Name != k.Name {
			t.Errorf("ByName(%q) = %v, %v", k.Name, got, err)
		}
	}
	if _, err := kernel.ByName("abacus"); err == nil {
		t.Error("ByName found an abacus")
	}
	if last := kernel.All()[len(kernel.All())-1].Name; last != "portable" {
		t.Errorf("the last implementation is %q", last)
	}
}

func BenchmarkMatMul(b *testing.B) {
	for _, c := range []struct{ rows, in, out int }{{12, 384, 384}, {100, 384, 1536}, {100, 1536, 384}} {
		m, _ := matrix(1, c.in, c.out)
		src := random(1, c.rows*c.in, 1)
		for _, k := range kernel.All() {
			b.Run(fmt.Sprintf("%s/%dx%dx%d", k.Name, c.rows, c.in, c.out), func(b *testing.B) {
				var a kernel.Acts
				k.Quantize(&a, src, c.in, c.rows, c.in)
				dst := make([]float32, a.Rows()*c.out)
				for b.Loop() {
					k.MatMul(dst, c.out, &a, m)
				}
				b.ReportMetric(2*float64(c.rows*c.in*c.out)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GFLOPS")
			})
		}
	}
}

func BenchmarkElementwise(b *testing.B) {
	x, y := random(1, 1536, 1), make([]float32, 1536)
	one := random(2, 384, 1)
	for _, k := range kernel.All() {
		b.Run("gelu/"+k.Name, func(b *testing.B) {
			for b.Loop() {
				copy(y, x)
				k.GELU(y)
			}
		})
		b.Run("softmax256/"+k.Name, func(b *testing.B) {
			for b.Loop() {
				copy(y, x[:256])
				k.Softmax(y[:256])
			}
		})
		b.Run("addnorm/"+k.Name, func(b *testing.B) {
			for b.Loop() {
				k.AddNorm(y[:384], x[:384], one, one)
			}
		})
		b.Run("quantize/"+k.Name, func(b *testing.B) {
			var a kernel.Acts
			for b.Loop() {
				k.Quantize(&a, x, 1536, 1, 1536)
			}
		})
	}
}
