package rpc

import (
	"net/http"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

type methodSchema struct {
	Method      string             `json:"method"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Access      string             `json:"access"`
	Version     string             `json:"version"`
	Tool        string             `json:"tool,omitempty"` // the MCP tool that fronts it
	Enabled     bool               `json:"enabled"`        // false: a call says what to set
	Input       *jsonschema.Schema `json:"input_schema"`
	Output      *jsonschema.Schema `json:"output_schema"`
}

type errorSchema struct {
	Code  int64      `json:"code"`
	Data  fault.Code `json:"data_code,omitempty"`
	About string     `json:"about"`
}

// methods describes the whole catalog, row by row.
var methods = sync.OnceValue(func() []methodSchema {
	var list []methodSchema
	for _, o := range tools.Catalog {
		m := methodSchema{
			Method: o.Method, Title: o.Title, Description: o.About, Access: o.Access.String(), Version: o.Version(),
			Input: o.In, Output: o.Out,
		}
		if o.Tool != nil {
			m.Tool = o.Tool.Name
		}
		list = append(list, m)
	}
	return list
})

var errorList = sync.OnceValue(func() []errorSchema {
	list := []errorSchema{
		{codeParse, "", "the body is not JSON"},
		{codeRequest, "", "the body is JSON, and no call or too many"},
		{codeMethod, "", "there is no such method"},
	}
	about := map[fault.Code]string{
		fault.Invalid: "the parameters are wrong", fault.NotFound: "the named thing does not exist", fault.Denied: "the policy does not allow it",
		fault.Conflict: "locked, changed meanwhile, or of a newer version", fault.Unavailable: "something that is needed is missing, off or too slow",
		fault.Internal: "a bug or a broken disk",
	}
	for _, row := range fault.Table {
		list = append(list, errorSchema{row.RPC, row.Code, about[row.Code]})
	}
	return list
})

// schema lists every method that the policy does not keep from callers of /rpc, with whether the
// settings have it do anything, and the JSON Schemas
// of what it takes and returns.
func (s *Server) schema(w http.ResponseWriter, r *http.Request, g *generation) {
	ctx := caller(r.Context())
	list := make([]methodSchema, 0, len(tools.Catalog))
	for i, o := range tools.Catalog {
		if !o.Hidden(ctx, g.Deps.Policy) {
			m := methods()[i]
			m.Enabled = o.Enabled(ctx, g.Deps)
			list = append(list, m)
		}
	}
	writeJSON(w, http.StatusOK, struct {
		JSONRPC string         `json:"jsonrpc"`
		Name    string         `json:"name"`
		Version string         `json:"version"`
		Methods []methodSchema `json:"methods"`
		Errors  []errorSchema  `json:"errors"`
	}{"2.0", tools.Name, s.version, list, errorList()})
}
