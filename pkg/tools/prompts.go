package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openhuman/openhuman-core/pkg/resources"
)

// codeNotFound is the error of resources/read up to revision 2025-11-25.
const codeNotFound = -32002

// describe returns a prompt as resources/list shows it.
func describe(r resources.Resource) *mcp.Resource {
	text, err := r.Text()
	if err != nil {
		panic(fmt.Sprintf("tools: %v", err)) // embedded with the binary; every test would fail
	}
	return &mcp.Resource{
		URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description,
		MIMEType: resources.MIMEType, Size: int64(len(text)),
	}
}

// read serves a prompt that findable has let through.
func read(_ context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	r, _ := resources.Find(req.Params.URI)
	text, err := r.Text()
	if err != nil {
		return nil, err
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.URI, MIMEType: resources.MIMEType, Text: text}}}, nil
}

// findable returns the error for a URI that names no prompt, in the words of the request's revision.
func findable(uri string, stateless bool) error {
	if _, ok := resources.Find(uri); ok {
		return nil
	}
	if strings.TrimSpace(uri) == "" {
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: `Invalid params: "uri" is required and must not be blank.`}
	}
	e := &jsonrpc.Error{Code: codeNotFound, Message: "Resource not found."}
	if stateless {
		e.Code = jsonrpc.CodeInvalidParams
	}
	e.Data, _ = json.Marshal(map[string]string{"uri": cut(uri)})
	return e
}

// place is where a resource stands in the catalog.
func place(uri string) int {
	return slices.IndexFunc(resources.Catalog, func(r resources.Resource) bool { return r.URI == uri })
}
