package stdio

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openhuman/openhuman-core/pkg/tools"
)

// maxErrorRunes bounds the message of an error: the SDK quotes what it was sent, whole.
const maxErrorRunes = 300

const (
	methodInitialize = "initialize"
	methodCancelled  = "notifications/cancelled"
)

// A message is one parsed JSON-RPC message of the client.
type message struct {
	id     jsonrpc.ID      // what the SDK calls it; invalid for a notification
	rawID  json.RawMessage // what the client calls it, to be echoed to the letter
	method string
	params json.RawMessage
	reply  bool // an answer, to a request that this server never made
}

func (m message) request() *jsonrpc.Request {
	return &jsonrpc.Request{ID: m.id, Method: m.method, Params: m.params}
}

// A refusal is the answer to a message that never reaches the server.
type refusal struct {
	rawID json.RawMessage // nil: unknown
	code  int64
	text  string
}

func invalid(rawID json.RawMessage, format string, args ...any) *refusal {
	return &refusal{rawID, jsonrpc.CodeInvalidRequest, fmt.Sprintf(format, args...)}
}

// parse reads one message from valid JSON. It returns a refusal for what is not JSON-RPC 2.0.
func parse(data []byte) (message, *refusal) {
	var m map[string]json.RawMessage
	if json.Unmarshal(data, &m) != nil || m == nil {
		return message{}, invalid(nil, "Invalid request: a message is a JSON object.")
	}
	var msg message
	if raw, ok := m["id"]; ok {
		id, err := parseID(raw)
		if err != nil {
			return message{}, invalid(nil, "Invalid request: %v.", err)
		}
		msg.id, msg.rawID = id, raw
	}
	var version string
	if json.Unmarshal(m["jsonrpc"], &version) != nil || version != "2.0" {
		return message{}, invalid(msg.rawID, `Invalid request: "jsonrpc" must be "2.0".`)
	}
	rawMethod, ok := m["method"]
	if !ok {
		_, result := m["result"]
		_, failure := m["error"]
		if msg.id.IsValid() && (result || failure) {
			msg.reply = true
			return msg, nil
		}
		return message{}, invalid(msg.rawID, `Invalid request: "method" is missing.`)
	}
	if json.Unmarshal(rawMethod, &msg.method) != nil || rawMethod[0] != '"' {
		return message{}, invalid(msg.rawID, `Invalid request: "method" must be a string.`)
	}
	if msg.params = m["params"]; string(msg.params) == "null" {
		msg.params = nil
	}
	if len(msg.params) > 0 && msg.params[0] != '{' && msg.id.IsValid() {
		if !tools.Declares(msg.method) {
			return message{}, &refusal{msg.rawID, jsonrpc.CodeMethodNotFound, notFound(msg.method)}
		}
		return message{}, &refusal{msg.rawID, jsonrpc.CodeInvalidParams, `Invalid params: "params" must be an object.`}
	}
	msg.params = repair(msg.method, msg.params)
	return msg, nil
}

// parseID makes the SDK's form of an id. The SDK knows strings and integers that a float64 can hold;
// every other number travels as a string that no client sends and is echoed as it came.
func parseID(raw json.RawMessage) (jsonrpc.ID, error) {
	var v any
	if err := json.Unmarshal(raw, &v); err != nil && !isNumber(raw) {
		return jsonrpc.ID{}, errors.New(`"id" is malformed`)
	}
	switch {
	case isNumber(raw):
		if f, ok := v.(float64); ok && f == float64(int64(f)) && f > -1<<53 && f < 1<<53 {
			return jsonrpc.MakeID(f)
		}
		return jsonrpc.MakeID("\x00" + string(raw))
	case raw[0] == '"':
		return jsonrpc.MakeID(v)
	}
	return jsonrpc.ID{}, errors.New(`"id" must be a string or a number`)
}

func isNumber(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
}

// cancels returns the id that a cancellation names.
func cancels(params json.RawMessage) (jsonrpc.ID, bool) {
	var p map[string]json.RawMessage
	if json.Unmarshal(params, &p) != nil || len(p["requestId"]) == 0 {
		return jsonrpc.ID{}, false
	}
	id, err := parseID(p["requestId"])
	return id, err == nil
}

// repair makes a handshake that is sloppy about who is calling fit the SDK's types: a client with a
// malformed name is a client without a name, not one to turn away.
func repair(method string, params json.RawMessage) json.RawMessage {
	if method == methodInitialize {
		return repairInitialize(params)
	}
	if !bytes.Contains(params, []byte(mcp.MetaKeyClientInfo)) {
		return params
	}
	var p, meta map[string]json.RawMessage
	if json.Unmarshal(params, &p) != nil || json.Unmarshal(p["_meta"], &meta) != nil {
		return params
	}
	raw, ok := meta[mcp.MetaKeyClientInfo]
	if !ok {
		return params
	}
	meta[mcp.MetaKeyClientInfo] = clientInfo(raw)
	p["_meta"] = encode(meta)
	return encode(p)
}

func repairInitialize(params json.RawMessage) json.RawMessage {
	var p map[string]json.RawMessage
	if json.Unmarshal(params, &p) != nil || p == nil {
		return params
	}
	var version string
	if json.Unmarshal(p["protocolVersion"], &version) != nil {
		delete(p, "protocolVersion")
	}
	var caps mcp.ClientCapabilities
	if json.Unmarshal(p["capabilities"], &caps) != nil {
		p["capabilities"] = json.RawMessage(`{}`)
	}
	var meta map[string]json.RawMessage
	if json.Unmarshal(p["_meta"], &meta) != nil {
		delete(p, "_meta")
	}
	if raw, ok := p["clientInfo"]; ok {
		p["clientInfo"] = clientInfo(raw)
	}
	return encode(p)
}

// clientInfo keeps the name, which is all that is ever used of it.
func clientInfo(raw json.RawMessage) json.RawMessage {
	var info map[string]json.RawMessage
	var name string
	if json.Unmarshal(raw, &info) == nil {
		_ = json.Unmarshal(info["name"], &name) // of another type: no name
	}
	return encode(map[string]string{"name": name, "version": ""})
}

// answer is the wire form of an error. Member order is part of it.
type answer struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Error   *jsonrpc.Error  `json:"error"`
}

func (r *refusal) encode() []byte {
	id := r.rawID
	if id == nil {
		id = json.RawMessage("null")
	}
	return encode(answer{Version: "2.0", ID: id, Error: &jsonrpc.Error{Code: r.code, Message: r.text}})
}

// encodeResponse gives a response of the SDK the client's own id and an error JSON-RPC knows.
func encodeResponse(rawID json.RawMessage, method string, resp *jsonrpc.Response) []byte {
	if resp.Error != nil {
		return encode(answer{Version: "2.0", ID: rawID, Error: wireError(method, resp.Error)})
	}
	// By hand, since encode would read the whole result once more. The SDK has made it compact, and
	// there is always one.
	data := make([]byte, 0, len(resp.Result)+len(rawID)+64)
	data = append(data, `{"jsonrpc":"2.0","id":`...)
	data = append(data, rawID...)
	data = append(data, `,"result":`...)
	data = append(data, resp.Result...)
	return append(data, '}')
}

func wireError(method string, err error) *jsonrpc.Error {
	e := jsonrpc.Error{Message: err.Error()}
	var coded *jsonrpc.Error
	if errors.As(err, &coded) {
		e.Code, e.Data = coded.Code, coded.Data
	}
	if !tools.Declares(method) {
		// The SDK finds fault with the parameters before it looks whether anybody wants them.
		e.Code, e.Data = jsonrpc.CodeMethodNotFound, nil
	}
	switch e.Code {
	case 0: // the SDK's way to say that it has no code
		e.Code = jsonrpc.CodeInternalError
	case jsonrpc.CodeMethodNotFound:
		e.Message = notFound(method)
	case jsonrpc.CodeInvalidRequest:
		if strings.Contains(e.Message, `missing required "params"`) {
			e.Code, e.Message = jsonrpc.CodeInvalidParams, fmt.Sprintf("Invalid params: %q needs parameters.", method)
		}
	case jsonrpc.CodeInvalidParams:
		if strings.Contains(e.Message, "unmarshaling") { // quotes the parameters and the SDK's types
			e.Message = fmt.Sprintf("Invalid params: a parameter of %q has the wrong type.", method)
		}
	}
	e.Message = cut(strings.ToValidUTF8(e.Message, "\uFFFD"), maxErrorRunes)
	return &e
}

func notFound(method string) string {
	return cut(fmt.Sprintf("Method not found: %q.", method), maxErrorRunes)
}

func cut(s string, runes int) string {
	n := 0
	for i := range s {
		if n == runes {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// encode marshals v compactly and leaves <, > and & alone.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		// Only a result that is not JSON gets here; the call is answered all the same.
		return []byte(`{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"Internal error."}}`)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
