package jsonstream

import (
	"bytes"
	"encoding/json"
)

const (
	shapeDepth = 5
	shapeKeys  = 4096
	shapeKey   = 100 // members with names as long as this one are left out, with what is in them
)

// Shape returns the paths of the members that stand in head, the beginning of a JSON text: ".name" of an
// object, "[].name" of an array's elements. What is not JSON has none.
func Shape(head []byte) map[string]bool {
	head = bytes.TrimPrefix(head, []byte("\xef\xbb\xbf"))
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' && trimmed[0] != '[' {
		return nil
	}
	found := map[string]bool{}
	dec := json.NewDecoder(bytes.NewReader(head))
	type level struct {
		base, path string // without and with the key
		object     bool
		key        bool // a key comes next
		out        bool // too deep, or in a member that is left out: nothing in it has a path
		lost       bool // the same of the member that is read
	}
	var stack []level
	for len(found) < shapeKeys {
		t, err := dec.Token()
		if err != nil {
			break
		}
		top := len(stack) - 1
		var in level
		if top >= 0 {
			in = stack[top]
		}
		if s, ok := t.(string); ok && in.object && in.key {
			in.key = false
			in.lost = in.out || len(s) >= shapeKey || top >= shapeDepth
			if in.path = in.base; !in.lost {
				in.path += "." + s
				found[in.path] = true
			}
			stack[top] = in
			continue
		}
		switch t {
		case json.Delim('{'):
			stack = append(stack, level{base: in.path, path: in.path, object: true, key: true, out: in.lost, lost: in.lost})
			continue
		case json.Delim('['):
			lost := in.lost || top+1 >= shapeDepth
			next := level{base: in.path, path: in.path, out: lost, lost: lost}
			if !lost {
				next.base += "[]"
				next.path = next.base
			}
			stack = append(stack, next)
			continue
		case json.Delim('}'), json.Delim(']'):
			stack = stack[:top]
			if top--; top < 0 {
				return found
			}
		}
		if top >= 0 {
			stack[top].key = stack[top].object
		}
	}
	return found
}
