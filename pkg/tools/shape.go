package tools

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The types in this file give results their wire form: the order of members, literal capabilities,
// and no members of later revisions in answers to earlier ones. Each embeds the SDK's result, whose
// unexported methods the SDK needs, and brings its own MarshalJSON.

// capabilities are literal because the SDK's type cannot say false.
var capabilities = json.RawMessage(`{"tools":{},"resources":{"subscribe":false,"listChanged":false}}`)

// sdkCapabilities tell the SDK the same: no logging, no prompts, no notifications about changes.
func sdkCapabilities() *mcp.ServerCapabilities {
	return &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}, Resources: &mcp.ResourceCapabilities{}}
}

type initializeResult struct{ *mcp.InitializeResult }

func (r initializeResult) MarshalJSON() ([]byte, error) {
	return encode(struct {
		ProtocolVersion string              `json:"protocolVersion"`
		Capabilities    json.RawMessage     `json:"capabilities"`
		ServerInfo      *mcp.Implementation `json:"serverInfo"`
		Instructions    string              `json:"instructions,omitempty"`
		Meta            mcp.Meta            `json:"_meta,omitempty"`
	}{r.ProtocolVersion, capabilities, r.ServerInfo, r.Instructions, r.Meta})
}

type discoverResult struct{ *mcp.DiscoverResult }

func (r discoverResult) MarshalJSON() ([]byte, error) {
	return encode(struct {
		ResultType        string          `json:"resultType"`
		SupportedVersions []string        `json:"supportedVersions"`
		Capabilities      json.RawMessage `json:"capabilities"`
		Instructions      string          `json:"instructions,omitempty"`
		TTLMs             int             `json:"ttlMs"`
		CacheScope        string          `json:"cacheScope"`
		Meta              mcp.Meta        `json:"_meta,omitempty"`
	}{complete, r.SupportedVersions, capabilities, r.Instructions, r.TTLMs, r.CacheScope, r.Meta})
}

const complete = "complete"

// An era is what depends on the revision in every result.
type era struct {
	ResultType string `json:"resultType,omitempty"`
	TTLMs      *int   `json:"ttlMs,omitempty"`
	CacheScope string `json:"cacheScope,omitempty"`
}

// eraOf returns the members that results of stateless requests carry.
func eraOf(req mcp.Request, c *mcp.Cacheable) era {
	if !stateless(req) {
		return era{}
	}
	e := era{ResultType: complete}
	if c != nil {
		e.TTLMs, e.CacheScope = &c.TTLMs, c.CacheScope
	}
	return e
}

type listToolsResult struct {
	*mcp.ListToolsResult
	era   era
	tools []json.RawMessage
}

func (r listToolsResult) MarshalJSON() ([]byte, error) {
	return encode(struct {
		Tools []json.RawMessage `json:"tools"`
		era
		Meta mcp.Meta `json:"_meta,omitempty"`
	}{r.tools, r.era, r.Meta})
}

type listResourcesResult struct {
	*mcp.ListResourcesResult
	era era
}

func (r listResourcesResult) MarshalJSON() ([]byte, error) {
	type resource struct {
		URI         string `json:"uri"`
		Name        string `json:"name"`
		Title       string `json:"title,omitempty"`
		Description string `json:"description,omitempty"`
		MIMEType    string `json:"mimeType,omitempty"`
		Size        int64  `json:"size,omitempty"`
	}
	list := make([]resource, len(r.Resources))
	for i, x := range r.Resources {
		list[i] = resource{x.URI, x.Name, x.Title, x.Description, x.MIMEType, x.Size}
	}
	return encode(struct {
		Resources []resource `json:"resources"`
		era
		Meta mcp.Meta `json:"_meta,omitempty"`
	}{list, r.era, r.Meta})
}

type listTemplatesResult struct {
	*mcp.ListResourceTemplatesResult
	era era
}

func (r listTemplatesResult) MarshalJSON() ([]byte, error) {
	return encode(struct {
		ResourceTemplates []struct{} `json:"resourceTemplates"`
		era
		Meta mcp.Meta `json:"_meta,omitempty"`
	}{[]struct{}{}, r.era, r.Meta})
}

type readResourceResult struct {
	*mcp.ReadResourceResult
	era era
}

func (r readResourceResult) MarshalJSON() ([]byte, error) {
	type text struct {
		URI      string `json:"uri"`
		MIMEType string `json:"mimeType,omitempty"`
		Text     string `json:"text"`
	}
	contents := make([]text, len(r.Contents))
	for i, c := range r.Contents {
		contents[i] = text{c.URI, c.MIMEType, c.Text}
	}
	return encode(struct {
		Contents []text `json:"contents"`
		era
		Meta mcp.Meta `json:"_meta,omitempty"`
	}{contents, r.era, r.Meta})
}

type callToolResult struct {
	*mcp.CallToolResult
	era era
}

func (r callToolResult) MarshalJSON() ([]byte, error) {
	if data, ok := r.twice(); ok {
		return r.marshalTwice(data)
	}
	// The SDK's own marshalling of content would escape <, > and &.
	type text struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	content := make([]any, len(r.Content))
	for i, c := range r.Content {
		content[i] = c
		if t, ok := c.(*mcp.TextContent); ok {
			content[i] = text{"text", t.Text}
		}
	}
	return encode(struct {
		Content    []any `json:"content"`
		Structured any   `json:"structuredContent,omitempty"`
		IsError    bool  `json:"isError,omitempty"`
		era
		Meta mcp.Meta `json:"_meta,omitempty"`
	}{content, r.StructuredContent, r.IsError, r.era, r.Meta})
}

// twice returns the data of a result that holds the same JSON as an object and as text.
func (r callToolResult) twice() (data json.RawMessage, ok bool) {
	if data, ok = r.StructuredContent.(json.RawMessage); !ok || len(r.Content) != 1 || r.IsError {
		return nil, false
	}
	t, ok := r.Content[0].(*mcp.TextContent)
	return data, ok && t.Text == string(data)
}

// marshalTwice writes a result that holds data twice. Almost all of every answer is such data, and
// encode would read each copy several times.
func (r callToolResult) marshalTwice(data json.RawMessage) ([]byte, error) {
	rest, err := encode(struct {
		era
		Meta mcp.Meta `json:"_meta,omitempty"`
	}{r.era, r.Meta})
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(data)*9/4+len(rest)+80)
	b = append(b, `{"content":[{"type":"text","text":"`...)
	for _, c := range data {
		// Nothing else needs escaping in JSON that encode has written.
		if c == '"' || c == '\\' {
			b = append(b, '\\')
		}
		b = append(b, c)
	}
	b = append(b, `"}],"structuredContent":`...)
	b = append(b, data...)
	if len(rest) > len(`{}`) {
		b = append(append(b, ','), rest[1:]...)
	} else {
		b = append(b, '}')
	}
	return b, nil
}

// encode marshals v compactly and leaves <, > and & alone: what a person wrote should arrive as such.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, fmt.Errorf("encode: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}
