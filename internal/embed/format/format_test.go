package format_test

import (
	"math"
	"testing"

	"github.com/openhuman/openhuman-core/internal/embed/format"
)

func TestHalfRoundTrip(t *testing.T) {
	for h := range 1 << 16 {
		v := format.Half(uint16(h))
		if math.IsNaN(float64(v)) {
			continue
		}
		if got := format.HalfBits(v); got != uint16(h) {
			t.Fatalf("HalfBits(Half(%#x) = %v) = %#x", h, v, got)
		}
	}
	for v, want := range map[float32]uint16{1: 0x3c00, 2049: 0x6800, 1e9: 0x7c00, 1e-9: 0, 65519: 0x7bff} {
		if got := format.HalfBits(v); got != want {
			t.Errorf("HalfBits(%v) = %#x, want %#x", v, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	const rows, dims = 5, 96
	x := make([]float32, rows*dims)
	for i := range x {
		x[i] = float32(math.Sin(float64(i)*1.7)) * float32(1+i/dims)
	}
	clear(x[:32])
	for bits := 4; bits <= 8; bits++ {
		w := format.NewWriter("test")
		w.Table(x, bits)
		file := w.File()
		if err := format.Verify(file); err != nil {
			t.Fatal(err)
		}
		r, err := format.NewReader("test", file)
		if err != nil {
			t.Fatal(err)
		}
		table := r.Table(rows, dims, bits)
		if err := r.Err(); err != nil || table.Rows() != rows {
			t.Fatalf("%d rows, error %v", table.Rows(), err)
		}
		step := 2.0 / float64(int(1)<<bits)
		for i := range rows {
			got := make([]float32, dims)
			got[0] = 1
			table.AddTo(got, i)
			got[0]--
			for j, v := range got {
				if d := math.Abs(float64(v - x[i*dims+j])); d > step*0.8*float64(1+i) {
					t.Errorf("%d bits, row %d[%d] = %v, want %v", bits, i, j, v, x[i*dims+j])
				}
			}
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	w := format.NewWriter("test")
	w.Floats([]float32{1, 2})
	file := w.File()
	if _, err := format.NewReader("other", file); err == nil {
		t.Error("opened a file of another kind")
	}
	r, _ := format.NewReader("test", file)
	r.Floats(1)
	if r.Err() == nil {
		t.Error("no error with bytes left")
	}
	r.Floats(2)
	if r.Err() == nil {
		t.Error("no error for a section that is not there")
	}
	file[70] ^= 1
	if format.Verify(file) == nil {
		t.Error("verified a changed file")
	}
	if format.Verify(file[:10]) == nil {
		t.Error("verified a stump")
	}
}
