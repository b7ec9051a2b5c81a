// Package format writes and reads the files that the embedding models are built from: a header
// with the kind of the file and the checksum of what follows, then sections in an order that
// writer and reader agree on. Reading copies little: weights are handed out as parts of the file.
// What the sections mean is the business of the model that reads them.
package format

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"

	"github.com/openhuman/openhuman-core/internal/embed/kernel"
)

// headerSize is the length of the header: 16 bytes of kind, 32 of checksum, 16 of nothing.
const (
	headerSize = 64
	kindSize   = 16
)

// A Writer collects the sections of one file.
type Writer struct {
	kind string
	body []byte
}

// NewWriter starts a file. kind names the layout and its version, in at most 16 bytes.
func NewWriter(kind string) *Writer {
	if len(kind) > kindSize {
		panic("format: kind " + kind + " is too long")
	}
	return &Writer{kind: kind}
}

// Bytes appends a section as it is.
func (w *Writer) Bytes(b []byte) { w.body = append(w.body, b...) }

// Floats appends float32 values.
func (w *Writer) Floats(x []float32) {
	for _, v := range x {
		w.body = binary.LittleEndian.AppendUint32(w.body, math.Float32bits(v))
	}
}

// Halves appends values as 16-bit floats.
func (w *Writer) Halves(x []float32) {
	for _, v := range x {
		w.body = binary.LittleEndian.AppendUint16(w.body, HalfBits(v))
	}
}

// A Weight says for output o and input block b the scale, and for input i of it the value from 0 to
// 15 that stands for weight (value-8)·scale.
type Weight interface {
	Scale(o, b int) float32
	Nibble(o, i int) byte
}

// Matrix appends a linear layer in the order of kernel.Matrix, and its bias.
func (w *Writer) Matrix(in, out int, m Weight, bias []float32) {
	for p := 0; p < out; p += kernel.PanelCols {
		for b := range in / kernel.Block {
			for c := range kernel.PanelCols {
				w.body = binary.LittleEndian.AppendUint32(w.body, math.Float32bits(m.Scale(p+c, b)))
			}
			for g := range kernel.Block / 8 {
				for c := range kernel.PanelCols {
					for i := range 4 {
						at := b*kernel.Block + 8*g + i
						w.body = append(w.body, m.Nibble(p+c, at)|m.Nibble(p+c, at+4)<<4)
					}
				}
			}
		}
	}
	w.Floats(bias)
}

// File is the finished file.
func (w *Writer) File() []byte {
	out := make([]byte, headerSize, headerSize+len(w.body))
	copy(out, w.kind)
	sum := sha256.Sum256(w.body)
	copy(out[kindSize:], sum[:])
	return append(out, w.body...)
}

// A Reader hands out the sections of a file in the order they were written. The first error stays.
type Reader struct {
	body []byte
	sum  string
	err  error
}

// NewReader opens a file of the given kind. It does not compute the checksum, which would cost more
// than everything else: see Verify.
func NewReader(kind string, file []byte) (*Reader, error) {
	want := make([]byte, kindSize)
	copy(want, kind)
	if len(file) < headerSize || string(file[:kindSize]) != string(want) {
		return nil, fmt.Errorf("not a %s file", kind)
	}
	return &Reader{body: file[headerSize:], sum: hex.EncodeToString(file[kindSize : kindSize+sha256.Size])}, nil
}

// Verify says whether the file is the one its checksum was made from.
func Verify(file []byte) error {
	if len(file) < headerSize {
		return errors.New("file is shorter than its header")
	}
	if sum := sha256.Sum256(file[headerSize:]); string(sum[:]) != string(file[kindSize:kindSize+sha256.Size]) {
		return errors.New("file does not match its checksum")
	}
	return nil
}

// Sum is the checksum in the header, in hexadecimal.
func (r *Reader) Sum() string { return r.sum }

// Err says whether a section was missing, or bytes are left when all should be read.
func (r *Reader) Err() error {
	if r.err == nil && len(r.body) > 0 {
		return fmt.Errorf("%d bytes too many", len(r.body))
	}
	return r.err
}

// Bytes is a section of n bytes, in place.
func (r *Reader) Bytes(n int) []byte {
	if r.err == nil && n > len(r.body) {
		r.err = fmt.Errorf("section of %d bytes, %d left", n, len(r.body))
	}
	if r.err != nil {
		return make([]byte, n)
	}
	b := r.body[:n:n]
	r.body = r.body[n:]
	return b
}

// Rest is all that is left, in place.
func (r *Reader) Rest() []byte { return r.Bytes(len(r.body)) }

// Floats is a section of n float32 values, copied.
func (r *Reader) Floats(n int) []float32 {
	b := r.Bytes(4 * n)
	out := make([]float32, n)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

// Matrix is a linear layer, its weights in place.
func (r *Reader) Matrix(in, out int) kernel.Matrix {
	return kernel.Matrix{In: in, Out: out, Data: r.Bytes(kernel.MatrixSize(in, out)), Bias: r.Floats(out)}
}
