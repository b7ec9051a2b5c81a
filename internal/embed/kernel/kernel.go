// Package kernel holds the arithmetic of a small transformer: matrix products with 4-bit weights,
// the single-precision products of attention, and the functions between them. The methods of
// Kernels exist in portable Go and, where the processor allows, in assembly; Best chooses at run time and All lists
// what this machine can run, so that tests can hold one against another.
//
// Weights are used where they lie (see Matrix): nothing is unpacked into memory of its own but a few
// kilobytes in the portable path. What a model does with these products is not its business.
package kernel

import (
	"fmt"
	"math"
)

const (
	// Block is how many neighbouring inputs share one scale, in weights and in activations.
	Block = 32
	// PanelCols is how many outputs one panel of weights holds.
	PanelCols = 16
	// TileRows is how many rows of activations one tile holds.
	TileRows = 4
	// WeightBlock is the size of one block of a panel: 16 scales, then 32 × 16 weights of 4 bits.
	WeightBlock = 4*PanelCols + Block*PanelCols/2
	// tileBlock is the size of one block of a tile: 4 × 32 activations, 4 scales, 4 corrections.
	tileBlock = TileRows*Block + 4*TileRows + 4*TileRows
)

// A Matrix is a linear layer with 4-bit weights: Out outputs of In inputs each.
//
// Data is a sequence of panels of 16 outputs, a panel a sequence of blocks of 32 inputs. A block is
// 16 little-endian float32 scales followed by four groups of 64 bytes. Byte 4c+i of group g holds
// for output c the weights of inputs 8g+i (low nibble) and 8g+4+i (high nibble), each raised by 8.
// One 32-bit lane is thus one output, which is the order dot-product instructions want.
type Matrix struct {
	In, Out int
	Data    []byte
	Bias    []float32
}

// MatrixSize is the length of the Data of a matrix. Inputs come in whole blocks, outputs in panels.
func MatrixSize(in, out int) int { return in / Block * (out / PanelCols) * WeightBlock }

// Acts are quantised rows of activations: 8 bits with one scale to 32, in tiles of 4 rows. The
// correction of a block is -8 times the sum of its values, which undoes the raise of the weights.
type Acts struct {
	data   []byte
	blocks int
	tiles  int
}

// Grow makes room for rows × n activations; n is a multiple of Block.
func (a *Acts) Grow(rows, n int) {
	a.blocks, a.tiles = n/Block, (rows+TileRows-1)/TileRows
	if size := a.blocks * a.tiles * tileBlock; cap(a.data) < size {
		a.data = make([]byte, size)
	} else {
		a.data = a.data[:size]
	}
}

// Rows is how many rows the products over a write: the rows asked for, rounded up to whole tiles.
func (a *Acts) Rows() int { return a.tiles * TileRows }

// Kernels is one implementation of all functions. It has no state and is safe for concurrent use.
type Kernels struct {
	// Name says which instructions it uses.
	Name string
	// attentionRows is how many rows product writes at a time.
	attentionRows int

	quantize func(dst []byte, tileRow int, src []float32, blocks int)
	matMul   func(w []byte, bias []float32, a []byte, c []float32, ldc, blocks, tiles int)
	product  func(k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int)
	softmax  func(x []float32)
	gelu     func(x []float32)
	addNorm  func(x, add, weight, bias []float32)
}

// Quantize fills a with rows of n values from src, ld apart. Rows up to a whole tile become zero.
func (k *Kernels) Quantize(a *Acts, src []float32, ld, rows, n int) {
	a.Grow(rows, n)
	stride := a.blocks * tileBlock
	for r := range rows {
		k.quantize(a.data[r/TileRows*stride:][:stride], r%TileRows, src[r*ld:r*ld+n], a.blocks)
	}
	for r := rows; r < a.tiles*TileRows; r++ {
		clearTileRow(a.data[r/TileRows*stride:][:stride], r%TileRows)
	}
}

// MatMul writes m·a + bias to dst, one row of m.Out values every ldc, a.Rows() rows of them.
func (k *Kernels) MatMul(dst []float32, ldc int, a *Acts, m *Matrix) {
	panel := a.blocks * WeightBlock
	if a.blocks*Block != m.In || ldc < m.Out || len(dst) < (a.Rows()-1)*ldc+m.Out ||
		len(m.Data) != MatrixSize(m.In, m.Out) || len(m.Bias) != m.Out || a.tiles == 0 {
		panic(fmt.Sprintf("kernel: matrix %d×%d does not fit %d blocks, %d rows into %d by %d",
			m.In, m.Out, a.blocks, a.Rows(), len(dst), ldc))
	}
	for j := 0; j < m.Out; j += PanelCols {
		w := m.Data[j/PanelCols*panel:][:panel]
		k.matMul(w, m.Bias[j:j+PanelCols], a.data, dst[j:], ldc, a.blocks, a.tiles)
	}
}

// AttentionRows is the multiple to which Product rounds up the rows it reads and writes.
func (k *Kernels) AttentionRows() int { return k.attentionRows }

// Product writes a·b to c in single precision: rows × n sums of inner products. Rows of a are lda
// apart, of b ldb, of c ldc; n is a multiple of 16. Rows are rounded up to AttentionRows: a is read
// and c written that far.
func (k *Kernels) Product(c []float32, ldc int, a []float32, lda int, b []float32, ldb int, rows, n, inner int) {
	for j := 0; j < n; j += PanelCols {
		_ = b[(inner-1)*ldb+j : (inner-1)*ldb+j+PanelCols]
		for i := 0; i < rows; i += k.attentionRows {
			k.product(inner, a[i*lda:(i+k.attentionRows-1)*lda+inner], lda, b[j:], ldb,
				c[i*ldc+j:(i+k.attentionRows-1)*ldc+j+PanelCols], ldc)
		}
	}
}

// Softmax replaces x, powers of two, by their shares: 2^x[i] / Σ 2^x. len(x) is a multiple of 8 and
// not 0; what is to get no share is MaskedScore.
func (k *Kernels) Softmax(x []float32) {
	if len(x) == 0 || len(x)%8 != 0 {
		panic("kernel: softmax over a length that is no multiple of 8")
	}
	k.softmax(x)
}

// MaskedScore gets a share of 0 in Softmax.
const MaskedScore = -1e30

// GELU replaces every x by x·Φ(x), the error-function form. len(x) is a multiple of 8.
func (k *Kernels) GELU(x []float32) {
	if len(x)%8 != 0 {
		panic("kernel: GELU over a length that is no multiple of 8")
	}
	if len(x) > 0 {
		k.gelu(x)
	}
}

// AddNorm adds add to x, then shifts and scales x to mean 0 and variance 1, times weight plus bias.
// All have one length, a multiple of 8.
func (k *Kernels) AddNorm(x, add, weight, bias []float32) {
	if n := len(x); n == 0 || n%8 != 0 || len(add) != n || len(weight) != n || len(bias) != n {
		panic("kernel: layer norm over unequal lengths")
	}
	k.addNorm(x, add, weight, bias)
}

// Normalize brings v to unit length, unless it is zero. It is the same Go on every machine.
func Normalize(v []float32) {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return
	}
	inv := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= inv
	}
}

// Best is the fastest implementation this processor can run.
func Best() *Kernels { return All()[0] }

// All lists the implementations this processor can run, the fastest first, portable Go last.
func All() []*Kernels { return append(native(), Portable()) }

// ByName finds one of All.
func ByName(name string) (*Kernels, error) {
	var names []string
	for _, k := range All() {
		if k.Name == name {
			return k, nil
		}
		names = append(names, k.Name)
	}
	return nil, fmt.Errorf("no kernels %q for this processor, only %q", name, names)
}
