package tools_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/policy"
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
		"memory_tree.search": "", "memory_tree_activity": "", "memory_tree.*": "", "tree.activity": "", "audit.calls": "", "tools.web_search": "",
		"mcp__openhuman__memory_search": "", "mcp__my-memory__tree_browse": "", "mcp_openhuman_memory_recall": "", "openhuman:memory.search": "", "memory-search": "",
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

// TestEveryNameCanBeDenied: whatever somebody finds a tool or a method called, in a client, in the
// registry or in an address of it, takes exactly that operation away.
func TestEveryNameCanBeDenied(t *testing.T) {
	for _, o := range tools.Catalog {
		short := strings.TrimPrefix(o.Method, "openhuman.")
		names := []string{o.Method, underscore(o.Method), short, o.ID(), underscore(o.ID()), strings.ToUpper(o.Method)}
		if o.Tool != nil {
			wire := underscore(o.Tool.Name)
			names = append(names, o.Tool.Name, wire, strings.ReplaceAll(o.Tool.Name, ".", "-"),
				"mcp__openhuman__"+wire, "mcp__openhuman-core__"+wire, "openhuman__"+wire, "mcp_openhuman_"+wire, "openhuman_"+wire, "openhuman:"+o.Tool.Name, "openhuman/"+wire)
		}
		for _, name := range names {
			p := gate(t, policy.Options{DenyTools: []string{name}})
			for _, other := range tools.Catalog {
				if hidden := other.Hidden(t.Context(), p); hidden != (other.Method == o.Method) {
					t.Errorf("deny_tools = [%q]: %s is hidden: %v", name, other.Method, hidden)
				}
			}
			if err := tools.Deniable(name); err != nil {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
}

// TestNamespacesCanBeDenied: a pattern for a namespace means all of it and nothing else.
func TestNamespacesCanBeDenied(t *testing.T) {
	tree := "get_chunk list_chunks top_entities list_sources ingest activity list_summaries"
	for pattern, want := range map[string]string{
		"tree.*": tree, "tree_*": tree, "mcp__openhuman__tree_*": tree,
		"memory.*": "search recall store", "memory_*": "search recall store",
		"memory_tree.*": "search recall " + tree, "memory_tree_*": "search recall " + tree, "openhuman.memory_tree_*": "search recall " + tree,
		"tool_registry.*": "tool_registry_list tool_registry_get tool_registry_diagnostics", "audit.*": "audit_calls",
		"tools.*": "tools_searxng_search tools_web_search", "searxng*": "tools_searxng_search", "*ingest": "ingest",
	} {
		p := gate(t, policy.Options{DenyTools: []string{pattern}})
		var got []string
		for _, o := range tools.Catalog {
			if o.Hidden(t.Context(), p) {
				name := strings.TrimPrefix(o.Method, "openhuman.memory_tree_")
				name = strings.TrimPrefix(strings.TrimPrefix(name, "openhuman.memory_"), "openhuman.")
				got = append(got, name)
			}
		}
		list := strings.Fields(want)
		slices.Sort(list)
		slices.Sort(got)
		if diff := cmp.Diff(list, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", pattern, diff)
		}
	}
}
