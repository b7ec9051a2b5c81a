package algebra_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/openhuman/openhuman-core/datagen/algebra"
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
