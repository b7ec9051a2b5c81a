package jsonstream

import (
	"bufio"
	"errors"
	"io"
)

// Lines reads records that stand on a line each, so that a damaged one takes nothing with it.
type Lines struct {
	r     *bufio.Reader
	limit int
	n     int
	buf   []byte
}

// NewLines returns the lines of r, of which those longer than limit are passed over.
func NewLines(r io.Reader, limit int) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, bufferSize), limit: limit}
}

// Number returns the number, from 1, of the line that Next was about last.
func (l *Lines) Number() int { return l.n }

// Next returns the next line, valid until the call after it. After ErrTooLarge the one behind it can be
// read.
func (l *Lines) Next() ([]byte, error) {
	l.buf = l.buf[:0]
	over, any := false, false
	for {
		part, err := l.r.ReadSlice('\n')
		any = any || len(part) > 0
		if over = over || len(l.buf)+len(part) > l.limit; !over {
			l.buf = append(l.buf, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !any:
			return nil, err
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		}
		l.n++
		if over {
			return nil, ErrTooLarge
		}
		return l.buf, nil
	}
}
