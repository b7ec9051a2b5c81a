package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/near"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// The codes of JSON-RPC itself. Those of the product are in fault.Table.
const (
	codeParse    = -32700
	codeRequest  = -32600
	codeMethod   = -32601
	codeInternal = -32603
)

// A failure is the error of an answer.
type failure struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
	Data    *data  `json:"data,omitempty"`
}

type data struct {
	Code fault.Code `json:"code"`
	Hint string     `json:"hint,omitempty"`
}

// An answer is one response. The id and the result are JSON already.
type answer struct {
	id, result json.RawMessage
	err        *failure // nil when there is a result
	cause      error    // of err, when an operation has failed
}

// append writes the answer. A result may be large and is not gone through again.
func (a *answer) append(b []byte) []byte {
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), a.id...)
	if a.err == nil {
		return append(append(append(b, `,"result":`...), a.result...), '}')
	}
	e, err := tools.Encode(a.err)
	if err != nil { // texts and numbers can be encoded
		e = []byte(`{"code":-32603,"message":"Internal error."}`)
	}
	return append(append(append(b, `,"error":`...), e...), '}')
}

var null = json.RawMessage("null")

func failed(id json.RawMessage, f *failure) *answer {
	if id == nil {
		id = null
	}
	return &answer{id: id, err: f}
}

func invalidRequest(format string, args ...any) *failure {
	return &failure{codeRequest, "Invalid request: " + fmt.Sprintf(format, args...), nil}
}

// failureOf words an error of an operation.
func failureOf(err error) *failure {
	f := &failure{Code: fault.WireOf(err).RPC, Message: fault.Message(err), Data: &data{Code: fault.CodeOf(err)}}
	if hint := strings.TrimSpace(fault.HintOf(err)); hint != "" && f.Data.Code != fault.Internal {
		f.Message, f.Data.Hint = strings.TrimSpace(strings.TrimSuffix(fault.Message(err), fault.HintOf(err))), hint
	}
	return f
}

func unknownMethod(name string) *failure {
	f := &failure{codeMethod, "Method not found.", &data{fault.Invalid, "GET /schema lists the methods."}}
	if o, ok := tools.ByTool(name); ok {
		f.Data.Hint = "That is the name of a tool; its method is " + o.Method + "."
		return f
	}
	var names []string
	for _, o := range tools.Catalog {
		names = append(names, o.Method)
	}
	for _, try := range []string{name, "openhuman." + name} {
		if n := near.Word(try, names); n != "" {
			f.Data.Hint = "Did you mean " + n + "? " + f.Data.Hint
			break
		}
	}
	return f
}

// A part is one element of a request body: a call, or what is wrong with it.
type part struct {
	id     json.RawMessage // nil for a notification
	method string
	params json.RawMessage
	bad    *failure
}

// misread returns what keeps a body from being JSON that can be looked into.
func misread(body []byte, l Limits) *failure {
	switch {
	case len(bytes.TrimSpace(body)) == 0:
		return &failure{codeParse, "Parse error: the body is empty.", nil}
	case !utf8.Valid(body):
		return &failure{codeParse, "Parse error: the body is not UTF-8.", nil}
	case deeper(body, l.Depth):
		return invalidRequest("nested deeper than %d levels.", l.Depth)
	case !json.Valid(body):
		return &failure{codeParse, "Parse error: the body is not JSON.", nil}
	}
	return nil
}

// parse reads a body. What is wrong with all of it is returned as a failure.
func parse(body []byte, l Limits) (parts []part, batch bool, bad *failure) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\ufeff")))
	switch bad := misread(body, l); {
	case bad != nil:
		return nil, false, bad
	case body[0] != '[':
		return []part{parseOne(body)}, false, nil
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(body, &elements); err != nil {
		return nil, false, &failure{codeParse, "Parse error: the body is not JSON.", nil}
	}
	switch n := len(elements); {
	case n == 0:
		return nil, false, invalidRequest("the batch is empty.")
	case n > l.Batch:
		return nil, false, invalidRequest("the batch has %d calls, and at most %d may come at once.", n, l.Batch)
	}
	for _, e := range elements {
		parts = append(parts, parseOne(bytes.TrimSpace(e)))
	}
	return parts, true, nil
}

// deeper reports whether the brackets of a body are nested deeper than most, whether it is JSON or not.
func deeper(body []byte, most int) bool {
	depth, text := 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			if depth++; depth > most {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// parseOne reads one element. The id is kept even of one that is wrong, when it is usable.
func parseOne(raw []byte) part {
	var p part
	var members map[string]json.RawMessage
	if raw[0] != '{' || json.Unmarshal(raw, &members) != nil {
		p.bad = invalidRequest("a call is an object.")
		return p
	}
	if id, given := members["id"]; given {
		switch id[0] {
		case '{', '[', 't', 'f':
			p.bad = invalidRequest("id must be a string, a number or null.")
			return p
		}
		p.id = id
	}
	var version string
	if json.Unmarshal(members["jsonrpc"], &version) != nil || version != "2.0" {
		p.bad = invalidRequest(`jsonrpc must be "2.0".`)
		return p
	}
	method := members["method"]
	if len(method) == 0 || method[0] != '"' || json.Unmarshal(method, &p.method) != nil {
		p.bad = invalidRequest("method must be a string.")
		return p
	}
	p.params = members["params"]
	if len(p.params) == 0 {
		return p
	}
	switch p.params[0] {
	case '{', 'n':
	case '[':
		if string(bytes.Join(bytes.Fields(p.params), nil)) == "[]" {
			p.params = nil
			return p
		}
		p.bad = &failure{fault.WireOf(fault.New(fault.Invalid, "")).RPC, "Invalid params: they are an object with names, not a list.", &data{fault.Invalid, "GET /schema has the names of every method."}}
	default:
		p.bad = invalidRequest("params must be an object.")
	}
	return p
}
