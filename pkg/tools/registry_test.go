package tools_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/audit"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// TestRegistryIsTheCatalog: one entry for each method, one for each tool, and no other.
func TestRegistryIsTheCatalog(t *testing.T) {
	var want, got []string
	for _, o := range tools.Catalog {
		want = append(want, o.ID()+" json_rpc "+o.Method)
		if o.Tool != nil {
			want = append(want, o.Tool.Name+" mcp_stdio tools/call")
		}
	}
	slices.Sort(want)
	for _, e := range tools.Registry() {
		got = append(got, e.ToolID+" "+e.Transport+" "+e.Route)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-catalog +registry):\n%s", diff)
	}
	for id, method := range map[string]string{
		"openhuman.memory_store": "openhuman.memory_store", "memory_tree.ingest": "openhuman.memory_tree_ingest", // memory.store is the tool
		"tools.web_search": "openhuman.tools_web_search", "tools.searxng_search": "openhuman.tools_searxng_search",
		"memory_tree.list_chunks": "openhuman.memory_tree_list_chunks", "tool_registry.get": "openhuman.tool_registry_get",
	} {
		if o, ok := tools.ByMethod(method); !ok || o.ID() != id {
			t.Errorf("%s has the id %s, want %s", method, o.ID(), id)
		}
	}
}

// TestRegistryEntries: an entry says about a tool what tools/list says.
func TestRegistryEntries(t *testing.T) {
	c := controller.New(controller.Options{Store: fakeStore{do: fails(nil)}, Registry: controller.Registry{Tools: tools.Registry}})
	list, err := c.ListTools(t.Context(), controller.ListToolsParams{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list.Tools {
		one, err := c.GetTool(t.Context(), controller.GetToolParams{ToolID: e.ToolID})
		if diff := cmp.Diff(e, one); err != nil || diff != "" {
			t.Errorf("%s: %v, list and get differ:\n%s", e.ToolID, err, diff)
		}
		off := slices.ContainsFunc([]string{"searxng", "web_search", "memory.store", "memory_store", "ingest"}, func(s string) bool { return strings.Contains(e.ToolID, s) })
		if e.Enabled == off || e.Health != map[bool]string{false: "available", true: "unavailable"}[off] {
			t.Errorf("%s: enabled %v, health %s", e.ToolID, e.Enabled, e.Health)
		}
		if len(e.Tags) == 0 || e.Title == "" || e.Description == "" || !slices.Equal(e.AllowedAgents, []string{"*"}) || !versionPattern.MatchString(e.Version) {
			t.Errorf("%+v is not complete", e)
		}
		o, ok := tools.ByTool(e.ToolID)
		if e.Transport != controller.TransportMCP {
			continue
		}
		if !ok {
			t.Errorf("%s is no tool", e.ToolID)
			continue
		}
		var shown struct {
			Title, Description        string
			InputSchema, OutputSchema any
		}
		if err := json.Unmarshal(tools.Describe(o), &shown); err != nil {
			t.Fatal(err)
		}
		var in, out any
		if err := json.Unmarshal(e.InputSchema, &in); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(e.OutputSchema, &out); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]any{shown.Title, shown.Description, shown.InputSchema, shown.OutputSchema}, []any{e.Title, e.Description, in, out}); diff != "" {
			t.Errorf("%s (-tools/list +registry):\n%s", e.ToolID, diff)
		}
	}
}

// TestRegistryFollowsThePolicy: what a caller may not call is not enabled for it.
func TestRegistryFollowsThePolicy(t *testing.T) {
	p, err := policy.New(policy.Options{DenyTools: []string{"memory.search"}, Clients: map[string]policy.Client{}})
	if err != nil {
		t.Fatal(err)
	}
	c := controller.New(controller.Options{Store: fakeStore{do: fails(nil)}, Policy: p, Registry: controller.Registry{Tools: tools.Registry}})
	list, err := c.ListTools(t.Context(), controller.ListToolsParams{})
	if err != nil {
		t.Fatal(err)
	}
	var off []string
	for _, e := range list.Tools {
		if !e.Enabled {
			off = append(off, e.ToolID)
		}
	}
	if diff := cmp.Diff([]string{"memory.search", "memory.store", "memory_tree.ingest", "memory_tree.search", "openhuman.memory_store", "searxng_search", "tools.searxng_search", "tools.web_search"}, off); diff != "" {
		t.Errorf("disabled (-want +got):\n%s", diff)
	}
	d, err := c.Diagnostics(t.Context(), controller.DiagnosticsParams{})
	if err != nil || d.TotalTools != len(list.Tools) || d.EnabledTools != len(list.Tools)-len(off) || d.MCPTools+d.RPCTools != d.TotalTools || d.RPCTools != len(tools.Catalog) {
		t.Errorf("%v %+v", err, d)
	}
}

var versionPattern = regexp.MustCompile(`^\d+\.\d+\.\d+$`)

// TestVersions: a contract that changes gets a new version. The file holds the last one of each, with
// a digest of its names and schemas; -update takes in new rows and new versions, and nothing else.
func TestVersions(t *testing.T) {
	path := filepath.Join("..", "..", "testdata", "tools", "versions.txt")
	known := map[string]string{}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Log(err)
	}
	for line := range strings.Lines(string(data)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		known[id] = rest
	}
	var b strings.Builder
	for _, e := range tools.Registry() {
		digest := fmt.Sprintf("%x", sha256.Sum256(slices.Concat([]byte(e.Route), e.Input, e.Output)))[:16]
		fmt.Fprintf(&b, "%s %s %s\n", e.ToolID, e.Version, digest)
		version, was, _ := strings.Cut(known[e.ToolID], " ")
		if version == e.Version && was != digest {
			t.Errorf("the contract of %s has changed, and its version is %s as before: raise it (version in the row), then run with -update", e.ToolID, version)
		}
	}
	if t.Failed() {
		return
	}
	golden.Check(t, path, []byte(b.String()))
}

// TestRegistryCallsAreRecorded: one row for one entry, and which of the program's own it was; the words
// of a caller who asks for something else are not kept.
func TestRegistryCallsAreRecorded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "audit")
	log := audit.New(audit.Options{Dir: dir, MaxBytes: 1 << 20, MaxFiles: 2})
	defer log.Close()
	c := controller.New(controller.Options{Store: fakeStore{do: fails(nil)}, Registry: controller.Registry{Tools: tools.Registry}})
	get, _ := tools.ByMethod("openhuman.tool_registry_get")
	list, _ := tools.ByMethod("openhuman.tool_registry_list")
	d := tools.Deps{Controller: c, Audit: log}
	for _, params := range []string{`{"tool_id":"memory.search"}`, `{"tool_id":"hunter2"}`} {
		_, _ = get.Call(t.Context(), d, json.RawMessage(params))
	}
	if _, err := list.Call(t.Context(), d, nil); err != nil {
		t.Fatal(err)
	}
	var got []string
	if _, err := audit.Read(dir, func(r audit.Record) bool {
		got = append(got, fmt.Sprintf("%s %v %s %d %s", r.Tool, r.Args, r.Of, r.Rows, r.Code))
		return true
	}); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"openhuman.tool_registry_get map[tool_id:13] memory.search 1 ", "openhuman.tool_registry_get map[tool_id:7]  0 invalid",
		fmt.Sprintf("openhuman.tool_registry_list map[]  %d ", len(tools.Registry())),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
