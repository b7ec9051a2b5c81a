package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

var byteOrderMark = []byte("\xef\xbb\xbf")

// A lineReader cuts a stream into lines of bounded length.
type lineReader struct {
	r     *bufio.Reader
	max   int
	first bool
}

func newLineReader(r io.Reader, maxLine int) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, 64<<10), max: maxLine, first: true}
}

// next returns the next line without its end and without blanks around it. A line
// longer than the bound is skipped and reported as tooLong. A last line without an end comes together
// with the error that ended it.
func (l *lineReader) next() (line []byte, tooLong bool, err error) {
	for {
		part, e := l.r.ReadSlice('\n')
		switch {
		case tooLong:
		case len(line)+len(bytes.TrimRight(part, "\r\n")) > l.max:
			line, tooLong = nil, true
		default:
			line = append(line, part...)
		}
		if !errors.Is(e, bufio.ErrBufferFull) {
			err = e
			break
		}
	}
	if l.first {
		line = bytes.TrimPrefix(line, byteOrderMark)
		l.first = false
	}
	// JSON's own white space only: anything else around a message is an error of the sender.
	return bytes.Trim(line, " \t\r\n"), tooLong, err
}
