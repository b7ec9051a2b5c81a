package tools

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A result that holds its data twice is written by hand; it has to be what the encoder would write.
func FuzzMarshalTwice(f *testing.F) {
	for _, text := range []string{"", "plain", `"quoted" \ back\"slash`, "two\nlines\ttab\x00\x1f\x7f", "<a href=x>&amp;</a>", "\u2028 \u2029", "\xff\xfe cut \xe4\xb8", "数据库 🙂"} {
		f.Add(text, false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, stateless bool) {
		data, err := encode(map[string]any{text: []string{text}, "n": 1.5})
		if err != nil {
			t.Fatal(err)
		}
		r := callToolResult{&mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: string(data)}},
			StructuredContent: json.RawMessage(data),
		}, era{}}
		if stateless {
			r.era.ResultType, r.Meta = complete, mcp.Meta{text: text}
		}
		got, err := r.marshalTwice(data)
		if err != nil {
			t.Fatal(err)
		}
		type content struct {
			Type string `json:"type"`
			Text string `json:"text"`
		}
		want, err := encode(struct {
			Content    []content       `json:"content"`
			Structured json.RawMessage `json:"structuredContent"`
			era
			Meta mcp.Meta `json:"_meta,omitempty"`
		}{[]content{{"text", string(data)}}, data, r.era, r.Meta})
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), string(got)); d != "" {
			t.Errorf("(-encoder +by hand):\n%s", d)
		}
	})
}
