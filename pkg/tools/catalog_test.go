package tools_test

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

func underscore(name string) string { return strings.ReplaceAll(name, ".", "_") }

// TestSeedTable restates the contract: which tool stands before which method, and in which order.
func TestSeedTable(t *testing.T) {
	want := [][2]string{
		{"memory.search", "openhuman.memory_tree_search"},
		{"memory.recall", "openhuman.memory_tree_recall"},
		{"tree.read_chunk", "openhuman.memory_tree_get_chunk"},
		{"tree.browse", "openhuman.memory_tree_list_chunks"},
		{"tree.top_entities", "openhuman.memory_tree_top_entities"},
		{"tree.list_sources", "openhuman.memory_tree_list_sources"},
		{"memory.store", "openhuman.memory_store"}, // while writing is allowed
		{"searxng_search", "openhuman.tools_searxng_search"},
	}
	var got [][2]string
	for _, o := range tools.Catalog {
		if o.Tool != nil {
			got = append(got, [2]string{o.Tool.Name, o.Method})
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("tools (-want +got):\n%s", diff)
	}
}

// TestArguments restates which arguments the tools take.
func TestArguments(t *testing.T) {
	want := map[string]string{
		"memory.search":     "query k?",
		"memory.recall":     "query k?",
		"tree.read_chunk":   "chunk_id",
		"tree.browse":       "source_kinds? source_ids? entity_ids? since_ms? until_ms? query? k? offset?",
		"tree.top_entities": "kind? k?",
		"tree.list_sources": "user_email_hint?",
		"searxng_search":    "query categories? language? max_results?",

		"memory.store":                 "title content tags?",
		"openhuman.memory_tree_ingest": "payload source_kind? source_id? owner? tags?",

		"openhuman.tools_web_search":          "query max_results?",
		"openhuman.tool_registry_list":        "",
		"openhuman.tool_registry_get":         "tool_id",
		"openhuman.tool_registry_diagnostics": "",

		"openhuman.memory_tree_activity":       "months?",
		"openhuman.memory_tree_list_summaries": "source_id? parent_id? k? offset?",
		"openhuman.audit_calls":                "days?",
	}
	for _, o := range tools.Catalog {
		name := o.Method
		if o.Tool != nil {
			name = o.Tool.Name
		}
		if _, ok := want[name]; !ok {
			t.Errorf("%s is not in the contract", name)
		}
		var got []string
		for _, name := range o.In.PropertyOrder {
			if !slices.Contains(o.In.Required, name) {
				name += "?"
			}
			got = append(got, name)
		}
		if diff := cmp.Diff(want[name], strings.Join(got, " ")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

var (
	legalName   = regexp.MustCompile(`^[a-z0-9_]+(\.[a-z0-9_]+)?$`)
	legalMethod = regexp.MustCompile(`^openhuman\.[a-z0-9]+_[a-z0-9_]+$`)
)

func TestRowsAreComplete(t *testing.T) {
	seen := map[string]bool{}
	unique := func(name string) {
		if seen[name] {
			t.Errorf("%s stands in the catalog twice", name)
		}
		seen[name] = true
	}
	for _, o := range tools.Catalog {
		unique(o.Method)
		if !legalMethod.MatchString(o.Method) {
			t.Errorf("%s is not openhuman.<namespace>_<function>", o.Method)
		}
		if o.Title == "" || o.About == "" {
			t.Errorf("%s has no title or no text", o.Method)
		}
		if o.Access != policy.Read && o.Access != policy.Act {
			t.Errorf("%s has access %v", o.Method, o.Access)
		}
		for name, p := range o.In.Properties {
			if p.Description == "" {
				t.Errorf("%s: parameter %s is not described", o.Method, name)
			}
		}
		if got, ok := tools.ByMethod(o.Method); !ok || got.Method != o.Method {
			t.Errorf("ByMethod does not find %s", o.Method)
		}
		if o.Tool == nil {
			continue
		}
		unique(o.Tool.Name)
		unique(underscore(o.Tool.Name) + " (underscored)")
		// Clients put their own prefix before the name and allow 64 characters in all.
		if !legalName.MatchString(o.Tool.Name) || len(o.Tool.Name) > 30 {
			t.Errorf("%s is no name that every client takes", o.Tool.Name)
		}
		if o.Tool.About == "" {
			t.Errorf("%s is not described", o.Tool.Name)
		}
	}
	if _, ok := tools.ByMethod("openhuman.nothing"); ok {
		t.Error("ByMethod finds what is not there")
	}
}

// TestSchemasArePlain: clients drop tools, or all of them, over unions, references and combinators.
func TestSchemasArePlain(t *testing.T) {
	var walk func(where string, s *jsonschema.Schema)
	walk = func(where string, s *jsonschema.Schema) {
		if s.Type == "" || len(s.Types) > 0 {
			t.Errorf("%s: type is %q %v, want one type", where, s.Type, s.Types)
		}
		if s.Ref != "" || s.AllOf != nil || s.AnyOf != nil || s.OneOf != nil || s.Not != nil || s.If != nil || s.Defs != nil {
			t.Errorf("%s uses a reference or a combinator", where)
		}
		for name, p := range s.Properties {
			walk(where+"."+name, p)
		}
		if s.Type == "array" {
			walk(where+"[]", s.Items)
		}
	}
	for _, o := range tools.Catalog {
		walk(o.Method+" in", o.In)
		walk(o.Method+" out", o.Out)
		for name, p := range o.In.Properties {
			// What no model fills in may be an object.
			if p.Type == "object" && o.Tool != nil || p.Type == "array" && p.Items.Type != "string" {
				t.Errorf("%s: parameter %s is no scalar and no list of strings", o.Method, name)
			}
		}
		if o.In.AdditionalProperties == nil {
			t.Errorf("%s does not say that it refuses unknown parameters", o.Method)
		}
	}
}

// TestListsSayThatTheyWereCut: every list result can tell what is missing and why.
func TestListsSayThatTheyWereCut(t *testing.T) {
	for _, o := range tools.Catalog {
		for name, p := range o.Out.Properties {
			// A list of texts belongs to one row and is no list of rows.
			if p.Type == "array" && p.Items.Type == "object" && (o.Out.Properties["truncated"] == nil || o.Out.Properties["hint"] == nil) {
				t.Errorf("%s lists %s without truncated and hint", o.Method, name)
			}
		}
	}
}

// TestToolsListIsSmall: the list travels into every conversation.
func TestToolsListIsSmall(t *testing.T) {
	size := len(`{"jsonrpc":"2.0","id":1,"result":{"tools":[]}}`)
	for _, o := range tools.Catalog {
		if o.Tool != nil {
			size += len(tools.Describe(o)) + 1
		}
	}
	t.Logf("tools/list has %d bytes", size)
	if size > 10_000 {
		t.Errorf("tools/list has %d bytes, want at most 10,000", size)
	}
}

// TestSnapshots pins what clients see of each tool.
func TestSnapshots(t *testing.T) {
	var names []string
	for _, o := range tools.Catalog {
		if o.Tool == nil {
			continue
		}
		var v any
		raw := tools.Describe(o)
		if err := json.Unmarshal(raw, &v); err != nil {
			t.Fatal(err)
		}
		file := o.Tool.Name + ".json"
		names = append(names, file)
		golden.Check(t, filepath.Join("..", "..", "testdata", "tools", file), indent(t, raw))
	}
	files, err := filepath.Glob(filepath.Join("..", "..", "testdata", "tools", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if !slices.Contains(names, filepath.Base(f)) {
			t.Errorf("%s belongs to no tool", f)
		}
	}
}

// TestKinds: the lists in the schemas are those of the contract.
func TestKinds(t *testing.T) {
	want := strings.Fields("email url handle hashtag person organization location event product datetime technology artifact quantity misc topic")
	if diff := cmp.Diff(want, controller.EntityKinds); diff != "" {
		t.Errorf("entity kinds (-want +got):\n%s", diff)
	}
	o, _ := tools.ByTool("tree.top_entities")
	if got := len(o.In.Properties["kind"].Enum); got != len(want) {
		t.Errorf("kind has %d values", got)
	}
}
