// Package vecimage is a file that holds the vectors of a memory in the form in which they are
// searched, so that all processes that serve the memory map one copy of it. The file is derived: the
// store holds the vectors themselves, and the name by which it knows its current image. A reader
// refuses an image that is not whole, and does without.
//
// An image is never changed. A new one gets a new name, so that the old one can stay mapped where
// files in use cannot be replaced, and is removed when nobody uses it.
package vecimage

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/openhuman/openhuman-core/internal/vecset"
)

const (
	magic   = "OHvecimg"
	version = 1
	// headSize is the room for the header: magic, version, length and checksum of the JSON that
	// follows.
	headSize   = 16 << 10
	headPrefix = len(magic) + 4 + 4 + 4
	// align is where columns begin, so that words are read at their natural borders.
	align  = 64
	suffix = ".vectors"
	prefix = "memory-"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Header describes an image.
type Header struct {
	Name string `json:"name"` // as the store knows it
	// Last and Dead are up to where the image holds what the store has; see store.VectorState.
	Last     int64     `json:"last"`
	Dead     int64     `json:"dead"`
	Size     int64     `json:"size"` // of the whole file
	Sum      uint32    `json:"sum"`  // of everything after the header
	Sections []Section `json:"sections"`
}

// Section describes the vectors of one model.
type Section struct {
	Fingerprint string `json:"fingerprint"`
	Dims        int    `json:"dims"`
	Rows        int    `json:"rows"`
}

// maxDims bounds what a header can ask for.
const maxDims = 1 << 16

// sizes returns the lengths of the columns of a section: the mean, then those of vecset.Columns.
func (s Section) sizes() []int64 {
	widths := vecset.Widths(s.Dims)
	out := []int64{int64(4 * widths[5])} // a float32 for each component of a padded row
	for _, w := range widths {
		out = append(out, int64(w)*int64(s.Rows))
	}
	return out
}

func aligned(n int64) int64 { return (n + align - 1) / align * align }

func (h *Header) size() int64 {
	n := int64(headSize)
	for _, s := range h.Sections {
		for _, c := range s.sizes() {
			n += aligned(c)
		}
	}
	return n
}

// Path returns where the image of a name lies.
func Path(dir, name string) string { return filepath.Join(dir, prefix+name+suffix) }

// ErrNotWhole says that a file is not the image it should be.
var ErrNotWhole = errors.New("not a whole image of vectors")

// An Image is a file of vectors that is mapped into memory. It must be closed when nothing reads its
// sets any more.
type Image struct {
	Header
	Sets []*vecset.Set // one for each section
	data []byte
	free func() error
}

// Open maps the image of a name and makes sure that it is whole.
func Open(dir, name string) (*Image, error) {
	if !validName(name) {
		return nil, fmt.Errorf("open image %q: %w", name, ErrNotWhole)
	}
	f, err := os.Open(Path(dir, name))
	if err != nil {
		return nil, fmt.Errorf("open image: %w", err)
	}
	defer f.Close() // the mapping outlives it
	m := &Image{}
	if err := m.readHeader(f, name); err != nil {
		return nil, fmt.Errorf("open image: %w", err)
	}
	if m.data, m.free, err = mapFile(f, int(m.Size)); err != nil {
		return nil, fmt.Errorf("map image: %w", err)
	}
	if crc32.Checksum(m.data[headSize:], castagnoli) != m.Sum {
		return nil, errors.Join(fmt.Errorf("open image: wrong checksum: %w", ErrNotWhole), m.Close())
	}
	m.slice()
	return m, nil
}

func validName(name string) bool {
	return name != "" && len(name) <= 64 && strings.Trim(name, "0123456789abcdefghijklmnopqrstuvwxyz") == ""
}

// Close ends the mapping. The sets must not be used after it.
func (m *Image) Close() error {
	if m.free == nil {
		return nil
	}
	free := m.free
	m.free, m.data, m.Sets = nil, nil, nil
	if err := free(); err != nil {
		return fmt.Errorf("unmap image: %w", err)
	}
	return nil
}

func (m *Image) readHeader(f *os.File, name string) error {
	head := make([]byte, headSize)
	if _, err := io.ReadFull(f, head); err != nil {
		return fmt.Errorf("%w: %w", ErrNotWhole, err)
	}
	b := head[len(magic):]
	length := int(binary.LittleEndian.Uint32(b[4:]))
	if string(head[:len(magic)]) != magic || binary.LittleEndian.Uint32(b) != version || length > headSize-headPrefix {
		return fmt.Errorf("another format: %w", ErrNotWhole)
	}
	text := head[headPrefix:][:length]
	if crc32.Checksum(text, castagnoli) != binary.LittleEndian.Uint32(b[8:]) || len(bytes.Trim(head[headPrefix+length:], "\x00")) > 0 {
		return fmt.Errorf("wrong checksum of the header: %w", ErrNotWhole)
	}
	if err := json.Unmarshal(text, &m.Header); err != nil {
		return fmt.Errorf("%w: %w", ErrNotWhole, err)
	}
	for _, s := range m.Sections {
		if s.Dims <= 0 || s.Dims > maxDims || s.Rows < 0 || int64(s.Rows) > math.MaxInt32 {
			return fmt.Errorf("impossible size: %w", ErrNotWhole)
		}
	}
	fi, err := f.Stat()
	if err != nil {
		return err
	}
	if m.Name != name || m.Size != fi.Size() || m.Size != m.size() {
		return fmt.Errorf("another size or name: %w", ErrNotWhole)
	}
	return nil
}

// slice makes the sets from the mapped bytes.
func (m *Image) slice() {
	at := int64(headSize)
	for _, s := range m.Sections {
		set := &vecset.Set{Dims: s.Dims}
		sizes := s.sizes()
		set.Mean = make([]float32, sizes[0]/4)
		for i := range set.Mean {
			set.Mean[i] = math.Float32frombits(binary.LittleEndian.Uint32(m.data[at+int64(4*i):]))
		}
		at += aligned(sizes[0])
		column := func(i int) []byte {
			n := sizes[i+1]
			b := m.data[at : at+n : at+n]
			at += aligned(n)
			return b
		}
		set.IDs, set.Chunks, set.Parts = column(0), column(1), column(2)
		set.Scales, set.Codes, set.Cells = column(3), column(4), signed(column(5))
		m.Sets = append(m.Sets, set)
	}
}
