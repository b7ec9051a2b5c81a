// Package algebra is the little linear algebra that making the tables of the models takes.
package algebra

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"

	"github.com/openhuman/openhuman-core/internal/embed/minilm"
)

// DecodeFloats reads float32 values, little-endian.
func DecodeFloats(raw []byte) []float32 {
	out := make([]float32, len(raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(raw[4*i:]))
	}
	return out
}

// Dot is the inner product.
func Dot(a, b []float32) float64 {
	var s0, s1, s2, s3 float32
	b = b[:len(a)]
	for i := 0; i+4 <= len(a); i += 4 {
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return float64(s0+s1) + float64(s2+s3)
}

// ScaleTo gives x the length n, unless it is zero.
func ScaleTo(x []float32, n float64) {
	if size := math.Sqrt(Dot(x, x)); size > 0 {
		f := float32(n / size)
		for i := range x {
			x[i] *= f
		}
	}
}

// AddRows adds the rows of a table to sum.
func AddRows(sum, table []float32, rows []int32) {
	d := len(sum)
	for _, id := range rows {
		for j, v := range table[int(id)*d:][:d] {
			sum[j] += v
		}
	}
}

// A Descent moves the rows of a table so that sums of them point along targets, with a rate for each row that
// falls with what it has moved so far (Adagrad).
type Descent struct {
	table, seen, gradient []float32
}

// NewDescent begins one on a table of rows of d.
func NewDescent(table []float32, d int) *Descent {
	return &Descent{table: table, seen: make([]float32, len(table)/d), gradient: make([]float32, d)}
}

// Step moves the rows whose sum, perhaps with something else, is sum. A sum of next to nothing has no
// direction to be turned.
func (s *Descent) Step(rows []int32, sum, target []float32, weight, rate float32) {
	size := float32(math.Sqrt(Dot(sum, sum)))
	if len(rows) == 0 || size < 1e-6 {
		return
	}
	g := s.gradient
	c := float32(Dot(sum, target)) / (size * size)
	var g2 float32
	for j := range g {
		g[j] = weight * (target[j] - c*sum[j]) / size
		g2 += g[j] * g[j]
	}
	for _, id := range rows {
		s.seen[id] += g2
		step := rate / (float32(math.Sqrt(float64(s.seen[id]))) + 1e-3)
		row := s.table[int(id)*len(g):][:len(g)]
		for j, x := range g {
			row[j] += step * x
		}
	}
}

// Project writes rows of 384 in the coordinates of a basis.
func Project(rows, basis []float32) []float32 {
	const d = minilm.Dims
	out := make([]float32, 0, len(rows)/d*(len(basis)/d))
	for r := 0; r < len(rows); r += d {
		for b := 0; b < len(basis); b += d {
			out = append(out, float32(Dot(rows[r:r+d], basis[b:b+d])))
		}
	}
	return out
}

// Directions returns the rank directions in which rows of 384, each with a weight, differ most: the first
// eigenvectors of Σ weight·row·rowᵀ, one after the other.
func Directions(rows []float32, weight func(row int) float64, rank int) []float32 {
	const d = minilm.Dims
	cov := make([][]float64, d)
	for i := range cov {
		cov[i] = make([]float64, d)
	}
	for r := range len(rows) / d {
		row, w := rows[r*d:][:d], weight(r)
		for i, x := range row {
			wx := w * float64(x)
			for j, y := range row[:i+1] {
				cov[i][j] += wx * float64(y)
			}
		}
	}
	for i := range cov {
		for j := range i {
			cov[j][i] = cov[i][j]
		}
	}
	values, vectors := Eigen(cov)
	order := make([]int, d)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	basis := make([]float32, 0, rank*d)
	for _, k := range order[:rank] {
		for i := range d {
			basis = append(basis, float32(vectors[i][k]))
		}
	}
	return basis
}

// Eigen finds eigenvalues and eigenvectors (in columns) of a symmetric matrix by Jacobi's rotations.
// It overwrites a.
func Eigen(a [][]float64) (values []float64, vectors [][]float64) {
	n := len(a)
	v := make([][]float64, n)
	for i := range v {
		v[i] = make([]float64, n)
		v[i][i] = 1
	}
	for range 30 {
		var off, all float64
		for i := range a {
			for j := range i {
				off += a[i][j] * a[i][j]
			}
			all += a[i][i] * a[i][i]
		}
		if off < 1e-18*all {
			break
		}
		for p := range n {
			for q := p + 1; q < n; q++ {
				rotate(a, v, p, q)
			}
		}
	}
	for i := range a {
		values = append(values, a[i][i])
	}
	return values, v
}

// rotate makes a[p][q] zero.
func rotate(a, v [][]float64, p, q int) {
	if a[p][q] == 0 {
		return
	}
	theta := (a[q][q] - a[p][p]) / (2 * a[p][q])
	t := 1 / (math.Abs(theta) + math.Sqrt(theta*theta+1))
	if theta < 0 {
		t = -t
	}
	c := 1 / math.Sqrt(t*t+1)
	s := t * c
	ap, aq := a[p], a[q]
	for k := range a {
		ap[k], aq[k] = c*ap[k]-s*aq[k], s*ap[k]+c*aq[k]
	}
	for k := range a {
		rp, rq := a[k][p], a[k][q]
		a[k][p], a[k][q] = c*rp-s*rq, s*rp+c*rq
		vp, vq := v[k][p], v[k][q]
		v[k][p], v[k][q] = c*vp-s*vq, s*vp+c*vq
	}
}
