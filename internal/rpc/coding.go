package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"strings"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// coding gives the answers of the SDK the form of JSON-RPC throughout. It has errors without a code,
// which come from before the server's own middleware and which stdio mends as well, and others that
// are plain text.
type coding struct {
	http.ResponseWriter
	id     json.RawMessage // of the request; nil when it has none to speak of
	method string          // the same
	held   int             // the status of an error whose text is awaited, or 0
	text   []byte
}

// mostHeld bounds how much of the text of an error is kept.
const mostHeld = 400

// unhandled begins what the SDK says to a method that it does not know.
const unhandled = "JSON RPC not handled"

// Unwrap is what http.ResponseController asks for.
func (c *coding) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// WriteHeader implements http.ResponseWriter.
func (c *coding) WriteHeader(status int) {
	if kind, _, _ := mime.ParseMediaType(c.Header().Get("Content-Type")); status >= http.StatusBadRequest && kind != "application/json" {
		c.held = status
		return
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter. The SDK writes an answer in one piece.
func (c *coding) Write(b []byte) (int, error) {
	if c.held != 0 {
		c.text = append(c.text, b[:min(len(b), mostHeld-len(c.text))]...)
		return len(b), nil
	}
	out := b
	if bytes.Contains(b, []byte(`"error":{"code":0,`)) {
		out = coded(b)
	}
	if _, err := c.ResponseWriter.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// finish writes an error that was held, and returns its status.
func (c *coding) finish() int {
	if c.held == 0 {
		return 0
	}
	if c.held == http.StatusBadRequest && c.id != nil && !tools.Declares(c.method) && bytes.HasPrefix(c.text, []byte(unhandled)) {
		// The SDK takes a method that it does not know for no request at all. It is one like those
		// that it knows and this server does not have.
		write(c.ResponseWriter, http.StatusOK, failed(c.id, &failure{codeMethod, fmt.Sprintf("Method not found: %q.", c.method), nil}).append(nil))
		return http.StatusOK
	}
	f := &failure{Code: codeRequest, Message: strings.ToValidUTF8(strings.TrimSpace(string(c.text)), "\ufffd"), Data: &data{Code: fault.Invalid}}
	switch c.held {
	case http.StatusNotFound:
		f.Data = &data{fault.NotFound, "The session has ended, as it does when the settings change. Begin a new one with initialize."}
	case http.StatusConflict:
		f.Data.Code = fault.Conflict
	case http.StatusInternalServerError:
		f.Data.Code = fault.Internal
	}
	if f.Data.Code != fault.Invalid {
		f.Code = fault.WireOf(fault.New(f.Data.Code, "")).RPC
	}
	if f.Message == "" {
		f.Message = "Invalid request."
	}
	write(c.ResponseWriter, c.held, failed(c.id, f).append(nil))
	return c.held
}

// coded returns an answer, or a batch of them, with errors that have a code; anything else stays as it
// is.
func coded(b []byte) []byte {
	if trimmed := bytes.TrimSpace(b); len(trimmed) > 0 && trimmed[0] == '[' {
		var answers []json.RawMessage
		if json.Unmarshal(trimmed, &answers) != nil {
			return b
		}
		parts := make([][]byte, len(answers))
		for i, a := range answers {
			parts[i] = codedOne(a)
		}
		return append(append([]byte{'['}, bytes.Join(parts, []byte{','})...), ']')
	}
	return codedOne(b)
}

func codedOne(b []byte) []byte {
	var a struct {
		JSONRPC string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  json.RawMessage `json:"result,omitempty"`
		Error   *struct {
			Code    int64           `json:"code"`
			Message string          `json:"message"`
			Data    json.RawMessage `json:"data,omitempty"`
		} `json:"error"`
	}
	if json.Unmarshal(b, &a) != nil || a.Error == nil || a.Error.Code != 0 || a.Result != nil {
		return b
	}
	a.Error.Code = codeInternal
	if a.ID == nil {
		a.ID = null
	}
	out, err := tools.Encode(a)
	if err != nil {
		return b
	}
	return out
}
