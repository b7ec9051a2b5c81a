package rpc

import (
	"bytes"
	"encoding/json"
	"net/http"

	"github.com/openhuman/openhuman-core/pkg/tools"
)

// coding gives the errors of the SDK a code that JSON-RPC knows. It has some without: they come from
// before the server's own middleware, and stdio mends them as well.
type coding struct{ http.ResponseWriter }

// Unwrap is what http.ResponseController asks for.
func (c coding) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Write implements http.ResponseWriter. The SDK writes an answer in one piece.
func (c coding) Write(b []byte) (int, error) {
	out := b
	if bytes.Contains(b, []byte(`"error":{"code":0,`)) {
		out = coded(b)
	}
	if _, err := c.ResponseWriter.Write(out); err != nil {
		return 0, err
	}
	return len(b), nil
}

// coded returns an answer with an error that has a code; anything else stays as it is.
func coded(b []byte) []byte {
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
