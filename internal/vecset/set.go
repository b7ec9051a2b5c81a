package vecset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"sort"
)

// A Set holds vectors of one model in the order of their numbers. Its columns are bytes so that they
// may lie in a file that is mapped into memory. Rows may be appended while others read an earlier
// copy of the Set.
type Set struct {
	Dims int
	Columns
	// Mean is what the codes are relative to; nil while there are none.
	Mean []float32
}

// Columns are the parts of a Set, everything little-endian.
type Columns struct {
	IDs    []byte // int64, ascending
	Chunks []byte // int64
	Parts  []byte // uint16
	Scales []byte // float32
	Codes  []byte // one bit a component: whether it is above the mean
	Cells  []int8 // the components in steps of the scale, padded with zeros to whole words of a code
}

// Widths are the sizes of one row in each column, in the order of Columns.
func Widths(dims int) [6]int {
	return [6]int{8, 8, 2, 4, stride(dims) / 8, stride(dims)}
}

// NewSet returns an empty set with room for rows.
func NewSet(dims, room int) *Set {
	s := NewHeads(dims, room)
	s.Cells = make([]int8, 0, Widths(dims)[5]*room)
	return s
}

// NewHeads is NewSet for a set whose cells are kept elsewhere; see AppendTo.
func NewHeads(dims, room int) *Set {
	w := Widths(dims)
	return &Set{Dims: dims, Columns: Columns{
		IDs: make([]byte, 0, w[0]*room), Chunks: make([]byte, 0, w[1]*room), Parts: make([]byte, 0, w[2]*room),
		Scales: make([]byte, 0, w[3]*room), Codes: make([]byte, 0, w[4]*room),
	}}
}

// Len is how many rows the set has.
func (s *Set) Len() int { return len(s.IDs) / 8 }

// ID is the number of the vector in a row.
func (s *Set) ID(row int) int64 { return int64(binary.LittleEndian.Uint64(s.IDs[8*row:])) }

// Chunk is the chunk that a row is of.
func (s *Set) Chunk(row int) int64 { return int64(binary.LittleEndian.Uint64(s.Chunks[8*row:])) }

// Part is the part of the chunk that a row is of.
func (s *Set) Part(row int) int { return int(binary.LittleEndian.Uint16(s.Parts[2*row:])) }

func (s *Set) scale(row int) float32 { return readFloat(s.Scales[4*row:]) }

// Append adds a row. Numbers must ascend. Rows have no code until Encode.
func (s *Set) Append(id, chunk int64, part int, packed []byte) error {
	if err := s.appendHead(id, chunk, part, packed); err != nil {
		return err
	}
	for _, c := range packed[headSize:] {
		s.Cells = append(s.Cells, int8(c))
	}
	for range stride(s.Dims) - s.Dims {
		s.Cells = append(s.Cells, 0)
	}
	return nil
}

// AppendTo is Append for a set whose cells are too many to keep: it writes them to w, and whoever
// collects them there gives them to the set before it is encoded or searched.
func (s *Set) AppendTo(w io.Writer, id, chunk int64, part int, packed []byte) error {
	if err := s.appendHead(id, chunk, part, packed); err != nil {
		return err
	}
	if _, err := w.Write(packed[headSize:]); err != nil {
		return err
	}
	if pad := stride(s.Dims) - s.Dims; pad > 0 {
		_, err := w.Write(make([]byte, pad))
		return err
	}
	return nil
}

// ErrUnfit says that a vector does not belong into a set.
var ErrUnfit = errors.New("unfit vector")

func (s *Set) appendHead(id, chunk int64, part int, packed []byte) error {
	if len(packed) != headSize+s.Dims {
		return fmt.Errorf("vector %d has %d bytes, not %d: %w", id, len(packed), headSize+s.Dims, ErrUnfit)
	}
	if n := s.Len(); n > 0 && s.ID(n-1) >= id {
		return fmt.Errorf("vector %d after %d: %w", id, s.ID(n-1), ErrUnfit)
	}
	s.IDs = binary.LittleEndian.AppendUint64(s.IDs, uint64(id))
	s.Chunks = binary.LittleEndian.AppendUint64(s.Chunks, uint64(chunk))
	s.Parts = binary.LittleEndian.AppendUint16(s.Parts, uint16(part))
	scale := readFloat(packed)
	if !(scale >= 0 && scale <= math.MaxFloat32) {
		scale = 0 // scores have an order
	}
	s.Scales = binary.LittleEndian.AppendUint32(s.Scales, math.Float32bits(scale))
	return nil
}

// Find returns the row of a vector by its number.
func (s *Set) Find(id int64) (row int, ok bool) {
	n := s.Len()
	row = sort.Search(n, func(i int) bool { return s.ID(i) >= id })
	return row, row < n && s.ID(row) == id
}

// Encode gives codes to the rows that have none, relative to the mean of the rows that there are
// when it is called first.
func (s *Set) Encode() {
	n, width := s.Len(), stride(s.Dims)
	if s.Mean == nil && n > 0 {
		s.Mean = s.mean()
	}
	limits := make([]float32, width)
	for row := len(s.Codes) / (width / 8); row < n; row++ {
		cells := s.Cells[row*width:][:width]
		if scale := s.scale(row); scale > 0 {
			for i, m := range s.Mean {
				limits[i] = m / scale
			}
		}
		for w := 0; w < width; w += 64 {
			var word uint64
			for i, c := range cells[w : w+64] {
				if float32(c) > limits[w+i] {
					word |= 1 << i
				}
			}
			s.Codes = binary.LittleEndian.AppendUint64(s.Codes, word)
		}
	}
}

// mean is the mean of all rows, over every so many of them when there are very many.
func (s *Set) mean() []float32 {
	const enough = 50_000
	n, width := s.Len(), stride(s.Dims)
	step := max(n/enough, 1)
	sums, count := make([]float64, width), 0
	for row := 0; row < n; row += step {
		scale := float64(s.scale(row))
		for i, c := range s.Cells[row*width:][:width] {
			sums[i] += scale * float64(c)
		}
		count++
	}
	mean := make([]float32, width)
	for i := range mean {
		mean[i] = float32(sums[i] / float64(count))
	}
	return mean
}
