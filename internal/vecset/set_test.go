package vecset

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func unit(r *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	var sum float64
	for i := range v {
		x := r.NormFloat64()
		v[i] = float32(x)
		sum += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func TestPack(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 100 {
		v := unit(r, 384)
		if c := dot(v, Unpack(Pack(v))); c < 0.998 || c > 1.002 {
			t.Fatalf("cosine with what was packed is %v", c)
		}
	}
	if got := Unpack(Pack(make([]float32, 3))); !slices.Equal(got, make([]float32, 3)) {
		t.Errorf("zero became %v", got)
	}
}

func TestNthLargest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float32Range(-4, 4), 1, 60).Draw(t, "x")
		if rapid.Bool().Draw(t, "coarse") {
			for i := range x {
				x[i] = float32(int(x[i]))
			}
		}
		sorted := slices.Clone(x)
		slices.Sort(sorted)
		n := rapid.IntRange(1, len(x)).Draw(t, "n")
		if got, want := nthLargest(x, n), sorted[len(sorted)-n]; got != want {
			t.Fatalf("the %d. largest is %v, want %v", n, got, want)
		}
	})
}

// build makes a set around some topics, as texts are: rows near one another in groups.
func build(t testing.TB, dims, n int, seed uint64) (*Set, [][]float32) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 7))
	shift := unit(r, dims)
	topics := make([][]float32, 40)
	for i := range topics {
		topics[i] = unit(r, dims)
	}
	s := NewSet(dims, n)
	vs := make([][]float32, n)
	for i := range vs {
		v, topic := unit(r, dims), topics[r.IntN(len(topics))]
		var sum float64
		for k := range v {
			v[k] += 0.8*topic[k] + 0.5*shift[k]
			sum += float64(v[k]) * float64(v[k])
		}
		for k := range v {
			v[k] /= float32(math.Sqrt(sum))
		}
		vs[i] = v
		if err := s.Append(int64(2*i+1), int64(1000+i/2), i%2, Pack(v)); err != nil { // two parts a chunk
			t.Fatal(err)
		}
	}
	s.Encode()
	return s, vs
}

// The chunks that are found are those of a plain scan over the vectors before they were packed.
func TestNearest(t *testing.T) {
	for _, c := range []struct {
		dims, n int
		exact   bool
		least   float64
	}{{384, 1000, false, 0.99}, {384, 18_000, true, 0.99}, {384, 18_000, false, 0.95}, {100, 9000, true, 0.99}, {1024, 500, false, 0.99}} {
		s, vs := build(t, c.dims, c.n, 3)
		r := rand.New(rand.NewPCG(5, 6))
		var share float64
		const queries, k = 30, 10
		for range queries {
			v := slices.Clone(vs[r.IntN(len(vs))])
			noise := unit(r, c.dims)
			for i := range v {
				v[i] = 0.8*v[i] + 0.6*noise[i]
			}
			var sum float64
			for _, x := range v {
				sum += float64(x) * float64(x)
			}
			for i := range v {
				v[i] /= float32(math.Sqrt(sum))
			}
			want := map[int64]float64{}
			for i, x := range vs {
				if i%3 != 0 { // a third is dead
					chunk := int64(1000 + i/2)
					if d := dot(x, v); d > want[chunk] && chunk%5 != 0 {
						want[chunk] = d
					}
				}
			}
			var dead []int
			for i := 0; i < c.n; i += 3 {
				dead = append(dead, i)
			}
			hits := s.Nearest(NewQuery(v), Options{
				Limit: k, Exact: c.exact, Dead: Bits(nil).With(c.n, dead),
				Allow: func(chunk int64) bool { return chunk%5 != 0 },
			})
			if len(hits) != k {
				t.Fatalf("%d hits", len(hits))
			}
			best := make([]float64, 0, len(want))
			for _, d := range want {
				best = append(best, d)
			}
			slices.SortFunc(best, func(a, b float64) int { return int(math.Copysign(1, b-a)) })
			for i, h := range hits {
				if i > 0 && h.Cosine > hits[i-1].Cosine {
					t.Errorf("hit %d has %v after %v", i, h.Cosine, hits[i-1].Cosine)
				}
				d, ok := want[h.Chunk]
				if !ok {
					t.Fatalf("chunk %d is dead or not allowed", h.Chunk)
				}
				if math.Abs(d-h.Cosine) > 0.01 {
					t.Errorf("chunk %d has cosine %v, want %v", h.Chunk, h.Cosine, d)
				}
				if d >= best[k-1]-0.002 { // as near as packing can tell
					share += 1.0 / queries / k
				}
			}
		}
		if share < c.least {
			t.Errorf("%d × %d, exact %v: %.3f of the ten nearest were found", c.n, c.dims, c.exact, share)
		}
	}
}

// Among a few chunks, each gets the cosine of its best part.
func TestAmong(t *testing.T) {
	s, vs := build(t, 384, 9000, 4)
	v := vs[123]
	among := []int64{1000, 1003, 1500, 1501, 5499, 9999}
	hits := s.Nearest(NewQuery(v), Options{Limit: len(among), Among: among, Dead: Bits(nil).With(9000, []int{1000})})
	got := map[int64]float64{}
	for _, h := range hits {
		got[h.Chunk] = h.Cosine
	}
	want := map[int64]float64{}
	for i, x := range vs {
		chunk := int64(1000 + i/2)
		if slices.Contains(among, chunk) && i != 1000 {
			want[chunk] = max(want[chunk], dot(x, v))
		}
	}
	if len(got) != 5 || len(want) != 5 {
		t.Fatalf("got %v, want %v", got, want)
	}
	for chunk, d := range want {
		if math.Abs(got[chunk]-d) > 0.01 {
			t.Errorf("chunk %d has %v, want %v", chunk, got[chunk], d)
		}
	}
}

// A chunk with more parts than are looked at first does not crowd out the others.
func TestManyParts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	v := unit(r, 64)
	s := NewSet(64, 0)
	for i := range 500 {
		if err := s.Append(int64(i+1), 7, i, Pack(v)); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 {
		if err := s.Append(int64(1000+i), int64(10+i), 0, Pack(unit(r, 64))); err != nil {
			t.Fatal(err)
		}
	}
	hits := s.Nearest(NewQuery(v), Options{Limit: 3})
	if len(hits) != 3 || hits[0].Chunk != 7 || hits[0].Cosine < 0.999 {
		t.Errorf("got %v", hits)
	}
}

func TestAppendRefuses(t *testing.T) {
	s := NewSet(64, 0)
	v := Pack(make([]float32, 64))
	if err := s.Append(5, 1, 0, v); err != nil {
		t.Fatal(err)
	}
	if s.Append(5, 1, 1, v) == nil || s.Append(6, 1, 1, v[1:]) == nil || s.Append(6, 1, 1, nil) == nil {
		t.Error("a wrong row was taken")
	}
	if row, ok := s.Find(5); !ok || row != 0 {
		t.Error("5 is not found")
	}
	if _, ok := s.Find(4); ok {
		t.Error("4 is found")
	}
	if _, ok := s.Find(9); ok {
		t.Error("9 is found")
	}
}

func BenchmarkNearest(b *testing.B) {
	s, vs := build(b, 384, 100_000, 3)
	q := NewQuery(vs[77])
	for name, exact := range map[string]bool{"codes": false, "exact": true} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				s.Nearest(q, Options{Limit: 50, Exact: exact})
			}
		})
	}
	b.Run("among", func(b *testing.B) {
		among := make([]int64, 200)
		for i := range among {
			among[i] = int64(1000 + 200*i)
		}
		for b.Loop() {
			s.Nearest(q, Options{Limit: 200, Among: among})
		}
	})
	b.Run("allow", func(b *testing.B) {
		for b.Loop() {
			s.Nearest(q, Options{Limit: 50, Allow: func(c int64) bool { return c&1 == 0 }})
		}
	})
}
