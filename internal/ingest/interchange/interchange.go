// Package interchange reads the lines that programs exchange memory in: one JSON object a line, with
// source_kind, source_id, owner, tags and a payload for that kind. It holds no writing; export has
// its own.
package interchange

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Limits of the reader.
const (
	// MaxLine is the largest line that is read; a longer one is reported and left out.
	MaxLine = 16 << 20
	// maxNamed is how many bad lines a report names.
	maxNamed = 5
)

// Reader reads interchange lines. It implements doc.Reader.
type Reader struct{ maxLine int }

// New returns a Reader with the product's limits.
func New() *Reader { return &Reader{MaxLine} }

// WithLimit returns a Reader that reads lines of at most n bytes.
func WithLimit(n int) *Reader { return &Reader{n} }

// Name implements doc.Reader.
func (*Reader) Name() string { return "interchange" }

// Version implements doc.Reader.
func (*Reader) Version() int { return 1 }

// Detect looks for the two members that every line has, in the first line with text.
func (*Reader) Detect(in *doc.Input) int {
	head := bytes.TrimLeft(bytes.TrimPrefix(in.Head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 || head[0] != '{' {
		return 0
	}
	line, rest, ended := bytes.Cut(head, []byte("\n"))
	if bytes.Contains(line, []byte(`"source_kind"`)) && bytes.Contains(line, []byte(`"payload"`)) {
		return 95
	}
	// The first line may be the bad one, or so long that its end is out of sight.
	if bytes.Contains(line, []byte(`"source_kind"`)) && !ended || bytes.Contains(rest, []byte(`"source_kind"`)) && bytes.Contains(rest, []byte(`"payload"`)) {
		return 60
	}
	return 0
}

// Read emits what every line holds. Bad lines are reported by number and left out.
func (r *Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	f, err := in.Open()
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: err.Error()}, ctx.Err()
	}
	defer f.Close()
	var bad []string
	nbad, docs := 0, 0
	keys := keyring{}
	lines := lineReader{src: bufio.NewReaderSize(f, 64<<10), max: r.maxLine}
	for {
		if err := ctx.Err(); err != nil {
			return doc.Report{}, err
		}
		line, n, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		var fail error
		switch {
		case errors.Is(err, errLong):
			fail = fmt.Errorf("it is longer than %d MB", r.maxLine>>20)
		case err != nil:
			return doc.Report{Outcome: doc.Partial, Reason: "reading stopped: " + err.Error()}, nil
		default:
			var ds []*doc.Document
			ds, fail = parse(line, in, keys)
			for _, d := range ds {
				if err := emit(d); err != nil {
					return doc.Report{}, err
				}
				docs++
			}
		}
		if fail != nil {
			if nbad++; nbad <= maxNamed {
				bad = append(bad, fmt.Sprintf("line %d: %v", n, fail))
			}
		}
	}
	switch {
	case nbad > 0 && docs == 0:
		return doc.Report{Outcome: doc.Failed, Reason: reason(bad, nbad)}, nil
	case nbad > 0:
		return doc.Report{Outcome: doc.Partial, Reason: reason(bad, nbad), Whole: true}, nil
	case docs == 0:
		return doc.Report{Outcome: doc.NoText, Reason: "no line holds a text"}, nil
	}
	return doc.Report{Outcome: doc.OK}, nil
}

func reason(named []string, n int) string {
	s := strings.Join(named, "; ")
	if n > len(named) {
		s += fmt.Sprintf("; and %d more lines", n-len(named))
	}
	return s
}

// Parse reads one line, as a payload that arrives by itself.
func Parse(line []byte) ([]*doc.Document, error) {
	return parse(line, &doc.Input{}, keyring{})
}

// errLong is a line over the limit.
var errLong = errors.New("line too long")

// lineReader reads lines of bounded length.
type lineReader struct {
	src *bufio.Reader
	max int
	n   int
	buf []byte
}

// next returns the next line that is not blank and its number.
func (l *lineReader) next() ([]byte, int, error) {
	for {
		l.buf = l.buf[:0]
		l.n++
		long := false
		for {
			part, err := l.src.ReadSlice('\n')
			if len(l.buf)+len(part) > l.max {
				long = true
			} else {
				l.buf = append(l.buf, part...)
			}
			if errors.Is(err, bufio.ErrBufferFull) {
				continue
			}
			if errors.Is(err, io.EOF) && (len(l.buf) > 0 || long) {
				break
			}
			if err != nil {
				return nil, l.n, err
			}
			break
		}
		if long {
			return nil, l.n, errLong
		}
		line := l.buf
		if l.n == 1 {
			line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
		}
		if line = bytes.TrimSpace(line); len(line) > 0 {
			return line, l.n, nil
		}
	}
}

// decode reads JSON into v and says what is wrong in words for people.
func decode(b []byte, v any) error {
	err := json.Unmarshal(b, v)
	var syntax *json.SyntaxError
	var typ *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &syntax):
		return fmt.Errorf("not valid JSON at byte %d", syntax.Offset)
	case errors.As(err, &typ) && typ.Field == "":
		return fmt.Errorf("it is a JSON %s, not an object", typ.Value)
	case errors.As(err, &typ):
		return fmt.Errorf("%s is a JSON %s", typ.Field, typ.Value)
	}
	return err
}
