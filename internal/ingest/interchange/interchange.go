// Package interchange reads and writes the lines that programs exchange memory in: one JSON object a
// line, with source_kind, source_id, owner, tags and a payload for that kind. What documents come from or
// go to is not its concern.
package interchange

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Limits of the reader.
const (
	// MaxLine is the largest line that is read; a longer one is reported and left out.
	MaxLine = 64 << 20
	// maxNamed is how many bad lines a report names, maxCauses how many different things that are wrong.
	maxNamed  = 1000
	maxCauses = 20
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
func (*Reader) Version() int { return 3 }

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
	if bytes.Contains(line, []byte(`"source_kind"`)) && bytes.Contains(line, []byte(`"source_id"`)) {
		return 90 // without a payload, which is to be told
	}
	// The first line may be the bad one, or so long that its end is out of sight.
	if bytes.Contains(line, []byte(`"source_kind"`)) && !ended || bytes.Contains(rest, []byte(`"source_kind"`)) && bytes.Contains(rest, []byte(`"payload"`)) {
		return 60
	}
	return 0
}

// Read emits a document for every conversation, mail and document. Lines that are not right are left
// out and named, and so are messages without a right time.
func (r *Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	known := newStates()
	err := r.each(ctx, in, true, func(_ int, items []item, _ error) error {
		for _, it := range items {
			known.note(it)
		}
		return nil
	})
	if err != nil && ctx.Err() != nil {
		return doc.Report{}, ctx.Err()
	}
	known.seen = 0
	var bad badLines
	docs := 0
	var stop error // of emit
	err = r.each(ctx, in, false, func(n int, items []item, fail error) error {
		for _, it := range items {
			if !known.serve(it) {
				docs++
				continue
			}
			if stop = emit(it.d); stop != nil {
				return stop
			}
			docs++
		}
		if fail != nil {
			bad.add(n, fail)
		}
		return nil
	})
	switch {
	case stop != nil:
		return doc.Report{}, stop
	case ctx.Err() != nil:
		return doc.Report{}, ctx.Err()
	case err != nil && docs == 0:
		return doc.Report{Outcome: doc.Failed, Reason: err.Error()}, nil
	case err != nil:
		return doc.Report{Outcome: doc.Partial, Reason: "reading stopped: " + err.Error()}, nil
	case bad.n > 0 && docs == 0:
		return doc.Report{Outcome: doc.Failed, Reason: bad.String()}, nil
	case bad.n > 0:
		return doc.Report{Outcome: doc.Partial, Reason: bad.String(), Whole: true}, nil
	case docs == 0:
		return doc.Report{Outcome: doc.NoText, Reason: "no line holds a text"}, nil
	}
	return doc.Report{Outcome: doc.OK}, nil
}

// each calls f for every line, with what it holds and what is wrong with it. With named it leaves out
// lines without any source_ref.
func (r *Reader) each(ctx context.Context, in *doc.Input, named bool, f func(n int, items []item, fail error) error) error {
	file, err := in.Open()
	if err != nil {
		return err
	}
	defer file.Close()
	keys := keyring{}
	lines := lineReader{src: bufio.NewReaderSize(file, 64<<10), max: r.maxLine}
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		line, n, err := lines.next()
		var items []item
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, errLong):
			err = fmt.Errorf("it is longer than %d MB", r.maxLine>>20)
		case err != nil:
			return err
		case named && !bytes.Contains(line, []byte("source_ref")):
			continue
		default:
			items, err = parser{in, keys, true, named}.parse(line)
		}
		if err := f(n, items, err); err != nil {
			return err
		}
	}
}

// badLines collects what is wrong with a file: each cause with its lines, in the order of the first of them.
type badLines struct {
	n      int
	causes []string
	lines  map[string][]int // by cause
	others []int            // of more causes
}

func (b *badLines) add(line int, err error) {
	if b.n++; b.n > maxNamed {
		return
	}
	cause := err.Error()
	switch _, known := b.lines[cause]; {
	case known:
	case len(b.causes) < maxCauses:
		b.causes = append(b.causes, cause)
	default:
		b.others = append(b.others, line)
		return
	}
	if b.lines == nil {
		b.lines = map[string][]int{}
	}
	b.lines[cause] = append(b.lines[cause], line)
}

func (b *badLines) String() string {
	parts := make([]string, 0, len(b.causes)+2)
	for _, cause := range b.causes {
		parts = append(parts, numbered(b.lines[cause])+": "+cause)
	}
	if len(b.others) > 0 {
		parts = append(parts, "other mistakes in "+numbered(b.others))
	}
	if b.n > maxNamed {
		parts = append(parts, fmt.Sprintf("and %d more lines", b.n-maxNamed))
	}
	return strings.Join(parts, "; ")
}

// numbered names lines by their numbers, which rise: "line 2", "lines 3-5, 9".
func numbered(lines []int) string {
	var s strings.Builder
	s.WriteString("line ")
	if len(lines) > 1 {
		s.Reset()
		s.WriteString("lines ")
	}
	for i := 0; i < len(lines); {
		end := i
		for end+1 < len(lines) && lines[end+1] == lines[end]+1 {
			end++
		}
		if i > 0 {
			s.WriteString(", ")
		}
		s.WriteString(strconv.Itoa(lines[i]))
		if end > i {
			s.WriteString("-" + strconv.Itoa(lines[end]))
		}
		i = end + 1
	}
	return s.String()
}

// Parse reads one line, as a payload that arrives by itself. With an error come the documents that
// are right.
func Parse(line []byte) ([]*doc.Document, error) {
	items, err := parser{&doc.Input{}, keyring{}, true, false}.parse(line)
	ds := make([]*doc.Document, len(items))
	for i := range items {
		ds[i] = items[i].d
	}
	return ds, err
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
