// Package onnx reads the weights out of an ONNX file: its initializers, with those kept in a file
// beside it. It knows just enough of protocol buffers for that, and nothing of the graph.
package onnx

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
)

// A Tensor is one initializer.
type Tensor struct {
	Name string
	Dims []int
	Raw  []byte
}

// Floats reads the tensor as float32.
func (t *Tensor) Floats() []float32 {
	out := make([]float32, len(t.Raw)/4)
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.Raw[i*4:]))
	}
	return out
}

// Numbers of the fields used, from onnx.proto.
const (
	modelGraph       = 7
	graphInitializer = 5
	tensorDims       = 1
	tensorName       = 8
	tensorRaw        = 9
	tensorExternal   = 13
	entryKey         = 1
	entryValue       = 2
)

// Load reads all initializers of a model.
func Load(path string) (map[string]*Tensor, error) {
	file, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	beside := map[string][]byte{}
	out := map[string]*Tensor{}
	err = fields(file, func(model field) error {
		if model.number != modelGraph {
			return nil
		}
		return fields(model.bytes, func(graph field) error {
			if graph.number != graphInitializer {
				return nil
			}
			t, external, err := tensor(graph.bytes)
			if err != nil {
				return err
			}
			if external["location"] != "" {
				if t.Raw, err = part(filepath.Dir(path), external, beside); err != nil {
					return fmt.Errorf("data of %s: %w", t.Name, err)
				}
			}
			out[t.Name] = t
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return out, nil
}

func tensor(b []byte) (*Tensor, map[string]string, error) {
	t, external := &Tensor{}, map[string]string{}
	err := fields(b, func(f field) error {
		switch f.number {
		case tensorDims:
			if f.bytes == nil {
				t.Dims = append(t.Dims, int(f.value))
				return nil
			}
			for p := f.bytes; len(p) > 0; {
				v, n := binary.Uvarint(p)
				if n <= 0 {
					return errBroken
				}
				t.Dims, p = append(t.Dims, int(v)), p[n:]
			}
		case tensorName:
			t.Name = string(f.bytes)
		case tensorRaw:
			t.Raw = f.bytes
		case tensorExternal:
			var key, value string
			err := fields(f.bytes, func(e field) error {
				switch e.number {
				case entryKey:
					key = string(e.bytes)
				case entryValue:
					value = string(e.bytes)
				}
				return nil
			})
			external[key] = value
			return err
		}
		return nil
	})
	return t, external, err
}

// part is the piece of a file beside the model that an initializer points to.
func part(dir string, external map[string]string, read map[string][]byte) ([]byte, error) {
	name := external["location"]
	if !filepath.IsLocal(name) {
		return nil, fmt.Errorf("location %q is not beside the model", name)
	}
	data, ok := read[name]
	if !ok {
		var err error
		if data, err = os.ReadFile(filepath.Join(dir, name)); err != nil {
			return nil, err
		}
		read[name] = data
	}
	offset, err := strconv.Atoi(external["offset"])
	if err != nil && external["offset"] != "" {
		return nil, err
	}
	length, err := strconv.Atoi(external["length"])
	if err != nil {
		return nil, err
	}
	if offset < 0 || length < 0 || offset > len(data)-length {
		return nil, errBroken
	}
	return data[offset : offset+length], nil
}

var errBroken = errors.New("broken protocol buffer")

// field is one field of a message: a number in value or a string of bytes.
type field struct {
	number int
	value  uint64
	bytes  []byte
}

func fields(b []byte, each func(field) error) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return errBroken
		}
		b = b[n:]
		f := field{number: int(tag >> 3)}
		skip := 0
		switch tag & 7 {
		case 0:
			if f.value, skip = binary.Uvarint(b); skip <= 0 {
				return errBroken
			}
		case 1:
			skip = 8
		case 2:
			l, n := binary.Uvarint(b)
			if n <= 0 || l > uint64(len(b)-n) {
				return errBroken
			}
			f.bytes, skip = b[n:n+int(l):n+int(l)], n+int(l)
		case 5:
			skip = 4
		default:
			return errBroken
		}
		if skip > len(b) {
			return errBroken
		}
		b = b[skip:]
		if err := each(f); err != nil {
			return err
		}
	}
	return nil
}
