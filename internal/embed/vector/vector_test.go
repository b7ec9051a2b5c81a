package vector_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/embed/vector"
)

func random(seed uint64, n int) []int8 {
	r := rand.New(rand.NewPCG(seed, 3))
	out := make([]int8, n)
	for i := range out {
		out[i] = int8(r.Uint32())
	}
	return out
}

func TestDotsAreExact(t *testing.T) {
	for _, k := range vector.All() {
		t.Run(k.Name, func(t *testing.T) {
			for _, dims := range []int{32, 64, 96, 384, 768, vector.MaxDims} {
				const n = 7
				q, rows := random(1, dims), random(2, dims*n)
				if dims > 384 { // the largest products there are
					for i := range q {
						q[i], rows[i], rows[dims+i] = -128, -128, 127
					}
				}
				want := make([]int32, n)
				for i := range want {
					for j := range q {
						want[i] += int32(q[j]) * int32(rows[i*dims+j])
					}
				}
				got := make([]int32, n)
				k.Dots(got, q, rows)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%d dims:\n%s", dims, diff)
				}
				k.Dots(nil, q, nil)
			}
		})
	}
}

func TestDotsRefuse(t *testing.T) {
	for _, c := range []struct{ dims, rows, out int }{{0, 0, 0}, {31, 31, 1}, {32, 63, 2}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%+v did not panic", c)
				}
			}()
			vector.Best().Dots(make([]int32, c.out), make([]int8, c.dims), make([]int8, c.rows))
		}()
	}
}

func TestQuantize(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := rapid.SliceOfN(rapid.Float32Range(-1, 1), 1, 64).Draw(t, "v")
		q := make([]int8, len(v))
		scale := vector.Quantize(q, v)
		for i, x := range v {
			if d := math.Abs(float64(scale)*float64(q[i]) - float64(x)); d > float64(scale)*0.51+1e-30 || q[i] == -128 {
				t.Fatalf("%v became %d × %v", x, q[i], scale)
			}
		}
	})
	if q := []int8{5}; vector.Quantize(q, []float32{0}) != 0 || q[0] != 0 {
		t.Error("zero is not zero")
	}
}

func TestSignsAndDistances(t *testing.T) {
	for _, dims := range []int{64, 384, 512} {
		v, w := random(4, dims), random(5, dims)
		v[0], w[0], v[1], v[2] = 0, 0, -128, 127
		a, b := make([]uint64, dims/64), make([]uint64, dims/64)
		vector.Signs(a, v)
		vector.Signs(b, w)
		differ := int32(0)
		for i := range v {
			if (v[i] > 0) != (a[i/64]>>(i%64)&1 == 1) {
				t.Fatalf("sign of %d", v[i])
			}
			if (v[i] > 0) != (w[i] > 0) {
				differ++
			}
		}
		got := make([]int32, 2)
		vector.Distances(got, a, append(append([]uint64(nil), b...), a...))
		if got[0] != differ || got[1] != 0 {
			t.Errorf("%d dims: distances %v, want %d and 0", dims, got, differ)
		}
	}
}

func BenchmarkDots(b *testing.B) {
	const n, dims = 10_000, 384
	q, rows, out := random(1, dims), random(2, n*dims), make([]int32, n)
	for _, k := range vector.All() {
		b.Run(k.Name, func(b *testing.B) {
			b.SetBytes(n * dims)
			for b.Loop() {
				k.Dots(out, q, rows)
			}
		})
	}
	b.Run("hamming", func(b *testing.B) {
		signs := make([]uint64, n*6)
		vector.Signs(signs, rows)
		b.SetBytes(n * 48)
		for b.Loop() {
			vector.Distances(out, signs[:6], signs)
		}
	})
}
