package algebra_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/openhuman/openhuman-core/datagen/algebra"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
)

func TestEigen(t *testing.T) {
	const n = 24
	r := rand.New(rand.NewPCG(1, 1))
	a, b := make([][]float64, n), make([][]float64, n)
	for i := range a {
		a[i], b[i] = make([]float64, n), make([]float64, n)
	}
	for i := range n {
		for j := range i + 1 {
			v := r.NormFloat64()
			a[i][j], a[j][i], b[i][j], b[j][i] = v, v, v, v
		}
	}
	values, vectors := algebra.Eigen(a)
	for k, value := range values {
		for i := range n {
			sum := 0.0
			for j := range n {
				sum += b[i][j] * vectors[j][k]
			}
			if math.Abs(sum-value*vectors[i][k]) > 1e-9 {
				t.Fatalf("column %d is no eigenvector", k)
			}
		}
	}
}

func TestDirections(t *testing.T) {
	const d = minilm.Dims
	rows := make([]float32, 3*d)
	rows[5] = 3     // along one axis
	rows[d+7] = 2   // along another, but heavier
	rows[2*d+7] = 1 // between that one
	rows[2*d+9] = 1 // and a third
	weights := []float64{1, 4, 0.5}
	basis := algebra.Directions(rows, func(row int) float64 { return weights[row] }, 2)
	if len(basis) != 2*d {
		t.Fatalf("%d numbers", len(basis))
	}
	// The matrix is [16.5 0.5; 0.5 0.5] in the axes 7 and 9, and 9 in axis 5.
	angle := math.Atan2(2*0.5, 16.5-0.5) / 2
	for k, want := range []map[int]float64{{7: math.Cos(angle), 9: math.Sin(angle)}, {5: 1}} {
		for i, x := range basis[k*d : k*d+d] {
			if math.Abs(math.Abs(float64(x))-want[i]) > 1e-6 {
				t.Errorf("direction %d has %v at %d, want %v", k, x, i, want[i])
			}
		}
	}
}

// Rows come to sum up to where the target points, and those that are in no sum stay.
func TestDescent(t *testing.T) {
	table := []float32{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1}
	target := []float32{0.6, 0, 0, 0.8}
	descent, sum := algebra.NewDescent(table, 4), make([]float32, 4)
	rate := float32(0.15)
	for range 200 {
		clear(sum)
		algebra.AddRows(sum, table, []int32{0, 1})
		descent.Step([]int32{0, 1}, sum, target, 1, rate)
		rate *= 0.98
	}
	clear(sum)
	algebra.AddRows(sum, table, []int32{0, 1})
	if c := algebra.Dot(sum, target) / math.Sqrt(algebra.Dot(sum, sum)); c < 0.999 {
		t.Errorf("cosine %v", c)
	}
	if !slices.Equal(table[8:], []float32{0, 0, 1, 1}) {
		t.Errorf("an unused row is %v", table[8:])
	}
	before := slices.Clone(table)
	descent.Step([]int32{0}, make([]float32, 4), target, 1, rate)
	descent.Step(nil, sum, target, 1, rate)
	if !slices.Equal(table, before) {
		t.Error("moved by what has no direction")
	}
}
