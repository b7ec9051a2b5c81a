package tools_test

import (
	"testing"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

func TestNameStyle(t *testing.T) {
	for _, tc := range []struct {
		style  tools.NameStyle
		client string
		want   bool
	}{
		{tools.Auto, "claude-ai", true},
		{tools.Auto, "claude-ai (via mcp-remote 0.1.37)", true},
		{tools.Auto, "github-copilot-developer", true},
		{tools.Auto, "copilot-cli", true},
		{tools.Auto, "Claude Code", false},
		{tools.Auto, "claude-aid", false},
		{tools.Auto, "Cursor", false},
		{tools.Auto, "", false},
		{"", "claude-ai", true},
		{tools.Dotted, "claude-ai", false},
		{tools.Underscore, "Cursor", true},
	} {
		if got := tools.Underscores(tc.style, clientinfo.Normalize(tc.client)); got != tc.want {
			t.Errorf("style %q, client %q: underscores = %v, want %v", tc.style, tc.client, got, tc.want)
		}
	}
}

func TestByToolTakesBothForms(t *testing.T) {
	for _, o := range tools.Catalog {
		if o.Tool == nil {
			continue
		}
		for _, name := range []string{o.Tool.Name, underscore(o.Tool.Name)} {
			if got, ok := tools.ByTool(name); !ok || got.Method != o.Method {
				t.Errorf("%s: got %q, %v", name, got.Method, ok)
			}
		}
	}
	for _, name := range []string{"", "memory", "memory-search", "Memory.search", "memory.search "} {
		if o, ok := tools.ByTool(name); ok {
			t.Errorf("%q is taken for %s", name, o.Method)
		}
	}
}
