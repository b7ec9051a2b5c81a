// Package jsonstream walks through JSON of any size with memory bounded by the caller: it goes into
// objects and arrays member by member, hands over values up to a limit, and passes over the rest. What
// the values mean is the callers' business; small JSON needs encoding/json only.
package jsonstream

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Errors of a Decoder. After ErrTooLarge and ErrValue the next value can be read; after others nothing can.
var (
	ErrTooLarge = errors.New("a value is larger than the limit")
	ErrValue    = errors.New("a value is damaged")
	ErrSyntax   = errors.New("it is no valid JSON")
)

const (
	bufferSize = 64 << 10
	maxKey     = 4 << 10 // longer keys are read as ""
)

// A Decoder reads JSON values one after another.
type Decoder struct {
	src    io.Reader
	limit  int
	buf    []byte
	at, n  int
	err    error // of src
	begun  bool
	values int // how many were begun, so that a value nobody read is noticed
	depth  int // of the groups that were gone into
	raw    []byte
}

// New returns a Decoder that reads r and hands over values of at most limit bytes.
func New(r io.Reader, limit int) *Decoder {
	return &Decoder{src: r, limit: limit, buf: make([]byte, bufferSize)}
}

// fill makes sure that there is a byte at d.at.
func (d *Decoder) fill() error {
	for d.at >= d.n {
		if d.err != nil {
			return d.err
		}
		d.at = 0
		d.n, d.err = d.src.Read(d.buf)
	}
	return nil
}

// peek returns the next byte that is no white space.
func (d *Decoder) peek() (byte, error) {
	for {
		if err := d.fill(); err != nil {
			if d.depth > 0 {
				err = cut(err)
			}
			return 0, err
		}
		switch c := d.buf[d.at]; c {
		case ' ', '\t', '\r', '\n':
			d.at++
		case 0xef, 0xbb, 0xbf: // a byte order mark
			if d.begun {
				return c, nil
			}
			d.at++
		default:
			d.begun = true
			return c, nil
		}
	}
}

// cut makes the end of the input an unexpected one.
func cut(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Object calls f for each member of the object that is next; f reads the value or leaves it. Of another
// value it calls nothing and passes over it.
func (d *Decoder) Object(f func(key string) error) error {
	return d.group('{', '}', func() error {
		c, err := d.peek()
		if err != nil {
			return err
		}
		if c != '"' {
			return ErrSyntax
		}
		key, err := d.key()
		if err != nil {
			return err
		}
		if c, err = d.peek(); err != nil {
			return err
		}
		if c != ':' {
			return ErrSyntax
		}
		d.at++
		return d.member(func() error { return f(key) })
	})
}

// Array calls f for each element of the array that is next; f reads the element or leaves it. Of another
// value it calls nothing and passes over it.
func (d *Decoder) Array(f func() error) error {
	return d.group('[', ']', func() error { return d.member(f) })
}

// Kind returns the byte that the next value begins with.
func (d *Decoder) Kind() (byte, error) { return d.peek() }

// Each calls f as Array does for an array, and once for another value.
func (d *Decoder) Each(f func() error) error {
	c, err := d.peek()
	switch {
	case err != nil:
		return err
	case c == '[':
		return d.Array(f)
	}
	return d.member(f)
}

// member has one value read.
func (d *Decoder) member(f func() error) error {
	before := d.values
	if err := f(); err != nil {
		return err
	}
	if d.values == before {
		return d.Skip()
	}
	return nil
}

func (d *Decoder) group(open, end byte, f func() error) error {
	c, err := d.peek()
	if err != nil {
		return err
	}
	if c != open {
		return d.Skip()
	}
	d.values++
	d.at++
	d.depth++
	defer func() { d.depth-- }()
	for first := true; ; first = false {
		c, err := d.peek()
		switch {
		case err != nil:
			return err
		case c == end:
			d.at++
			return nil
		case first:
		case c == ',':
			d.at++
			if c, err = d.peek(); err != nil {
				return err
			}
			if c == end { // a comma too many harms nobody
				continue
			}
		default:
			return ErrSyntax
		}
		if err := f(); err != nil {
			return err
		}
	}
}

// key reads a string that is short.
func (d *Decoder) key() (string, error) {
	over, err := d.scan(maxKey)
	if err != nil {
		return "", err
	}
	var s string
	if over || json.Unmarshal(d.raw, &s) != nil {
		return "", nil
	}
	return s, nil
}

// Skip passes over the next value.
func (d *Decoder) Skip() error {
	_, err := d.next(0)
	return err
}

// Value decodes the next value into v. A field of another type than expected is left as it is.
func (d *Decoder) Value(v any) error {
	over, err := d.next(d.limit)
	if err != nil {
		return err
	}
	if over {
		return ErrTooLarge
	}
	if err := Soft(json.Unmarshal(d.raw, v)); err != nil {
		return fmt.Errorf("%w: %w", ErrValue, err)
	}
	return nil
}

func (d *Decoder) next(limit int) (over bool, err error) {
	if _, err := d.peek(); err != nil {
		return false, err
	}
	d.values++
	return d.scan(limit)
}

// scan goes to the end of the value that begins at d.at and keeps up to limit bytes of it in d.raw.
func (d *Decoder) scan(limit int) (over bool, err error) {
	d.raw = d.raw[:0]
	depth, quoted, escaped, scalar := 0, false, false, false
	for {
		if err := d.fill(); err != nil {
			if scalar && depth == 0 && errors.Is(err, io.EOF) {
				return over, nil
			}
			return over, cut(err)
		}
		from, done := d.at, false
		b := d.buf[:d.n]
	loop:
		for d.at < len(b) {
			c := b[d.at]
			switch {
			case escaped:
				escaped = false
			case quoted:
				switch c {
				case '\\':
					escaped = true
				case '"':
					quoted = false
					if depth == 0 {
						d.at++
						done = true
						break loop
					}
				}
			case c == '"':
				if scalar && depth == 0 {
					return over, ErrSyntax
				}
				quoted = true
			case c == '{' || c == '[':
				if scalar && depth == 0 {
					return over, ErrSyntax
				}
				depth++
			case c == '}' || c == ']':
				if depth == 0 { // of what holds a scalar
					if !scalar {
						return over, ErrSyntax
					}
					done = true
					break loop
				}
				if depth--; depth == 0 {
					d.at++
					done = true
					break loop
				}
			case depth > 0:
			case c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\r' || c == '\t':
				if !scalar {
					return over, ErrSyntax
				}
				done = true
				break loop
			default:
				scalar = true
			}
			d.at++
		}
		if part := b[from:d.at]; len(d.raw)+len(part) <= limit {
			d.raw = append(d.raw, part...)
		} else {
			over = true
		}
		if done {
			return over, nil
		}
	}
}

// Passed forgives a value that was passed over, behind which the next one can be read.
func Passed(err error) error {
	if errors.Is(err, ErrTooLarge) || errors.Is(err, ErrValue) {
		return nil
	}
	return err
}

// Soft forgives a field of another type than expected: everything else of the value was decoded.
func Soft(err error) error {
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) {
		return nil
	}
	return err
}
