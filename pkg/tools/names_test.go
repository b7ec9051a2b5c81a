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
		{tools.Auto, "Claude Desktop", true},
		{tools.Auto, "claude-desktop (via mcp-remote 0.1.37)", true},
		{tools.Auto, "claude-desktops", false},
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

func TestDeniable(t *testing.T) {
	const all = "; the tools are memory.search, memory.recall, tree.read_chunk, tree.browse, tree.top_entities, tree.list_sources, memory.store, searxng_search"
	for pattern, want := range map[string]string{
		"memory.search": "", "memory_search": "", "MEMORY.SEARCH": "", " tree.browse ": "",
		"openhuman.memory_tree_search": "", "openhuman_memory_tree_search": "",
		"memory.*": "", "*": "", "tree_*": "", "tree.brows?": "", "*entities": "",
		"memory.serach":               `names "memory.serach", and there is no such tool; did you mean memory.search?`,
		"memory_serach":               `names "memory_serach", and there is no such tool; did you mean memory.search?`,
		"openhuman.memory_tree_serch": `names "openhuman.memory_tree_serch", and there is no such tool; did you mean openhuman.memory_tree_search?`,
		"tree.top_entity":             `names "tree.top_entity", and there is no such tool; did you mean tree.top_entities?`,
		"mem.*":                       `names "mem.*", and there is no such tool` + all,
		"delete everything":           `names "delete everything", and there is no such tool` + all,
		"":                            `names "", and there is no such tool` + all,
	} {
		got := ""
		if err := tools.Deniable(pattern); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", pattern, got, want)
		}
	}
}
