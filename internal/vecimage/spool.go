package vecimage

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
)

// A Spool collects the cells of a set in a file while its other columns grow in memory, and then maps
// them. Clean removes what an interruption leaves of it.
type Spool struct {
	f    *os.File
	w    *bufio.Writer
	size int
	free func() error
}

// NewSpool makes an empty spool in dir.
func NewSpool(dir string) (*Spool, error) {
	f, err := os.OpenFile(Path(dir, strings.ToLower(rand.Text()))+".part", os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("spool vectors: %w", err)
	}
	return &Spool{f: f, w: bufio.NewWriterSize(f, 1<<18)}, nil
}

// Write appends cells.
func (s *Spool) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.size += n
	if err != nil {
		err = fmt.Errorf("spool vectors: %w", err)
	}
	return n, err
}

// Cells are all that were written, valid until Close. Nothing can be written any more.
func (s *Spool) Cells() ([]int8, error) {
	if s.size == 0 {
		return nil, nil
	}
	if err := s.w.Flush(); err != nil {
		return nil, fmt.Errorf("spool vectors: %w", err)
	}
	data, free, err := mapFile(s.f, s.size)
	if err != nil {
		return nil, fmt.Errorf("map spooled vectors: %w", err)
	}
	s.free = free
	return signed(data), nil
}

// Close removes the file.
func (s *Spool) Close() error {
	var err error
	if s.free != nil {
		err = s.free()
		s.free = nil
	}
	return errors.Join(err, s.f.Close(), removeQuietly(s.f.Name()))
}
