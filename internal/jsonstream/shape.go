package jsonstream

import (
	"bytes"
	"encoding/json"
)

const (
	shapeDepth = 5
	shapeKeys  = 4096
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
	}
	var stack []level
	for len(found) < shapeKeys {
		t, err := dec.Token()
		if err != nil {
			break
		}
		top := len(stack) - 1
		path := ""
		if top >= 0 {
			path = stack[top].path
		}
		if s, ok := t.(string); ok && top >= 0 && stack[top].object && stack[top].key {
			stack[top].key = false
			path = stack[top].base + "." + s
			stack[top].path = path
			if len(stack) <= shapeDepth && len(s) < 100 {
				found[path] = true
			}
			continue
		}
		switch t {
		case json.Delim('{'):
			stack = append(stack, level{path, path, true, true})
			continue
		case json.Delim('['):
			stack = append(stack, level{path + "[]", path + "[]", false, false})
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
