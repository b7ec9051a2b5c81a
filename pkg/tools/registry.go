package tools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

// methodPrefix begins every method.
const methodPrefix = "openhuman."

// namespaces are the first parts of methods. One that begins with another stands before it.
var namespaces = []string{treeNamespace, "memory", "tool_registry", "tools", "audit"}

const (
	treeNamespace = "memory_tree"
	treeTools     = "tree." // begins the names of tools before methods of that namespace
)

// routeMCP is the method that calls every tool.
const routeMCP = "tools/call"

// Registry returns what the tool registry says about the catalog: one entry for each method, and one
// for each tool that fronts a method, sorted by id. It is handed to the controller, which adds what
// depends on settings, callers and the state of the memory.
var Registry = sync.OnceValue(func() []controller.ToolInfo {
	var list []controller.ToolInfo
	for _, o := range Catalog {
		t := controller.ToolInfo{
			Title: o.Title, Description: o.About, Version: o.Version(),
			Input: written(o.In), Output: written(o.Out), Names: o.names(), Access: o.Access, Needs: o.needs,
		}
		rpc := t
		rpc.ToolID = o.ID()
		rpc.Name, rpc.Transport, rpc.Route = o.Method, controller.TransportRPC, o.Method
		rpc.Tags = o.tags()
		list = append(list, rpc)
		if o.Tool != nil {
			t.ToolID, t.Name, t.Description = o.Tool.Name, o.Tool.Name, o.Tool.About
			t.Transport, t.Route, t.Tags = controller.TransportMCP, routeMCP, o.tags()
			list = append(list, t)
		}
	}
	slices.SortFunc(list, func(a, b controller.ToolInfo) int { return strings.Compare(a.ToolID, b.ToolID) })
	return list
})

// ID is the method as the registry writes it: <namespace>.<function>.
//
// Where a tool has that name, which is what its own entry is called, the method goes by its whole name.
func (o Op) ID() string {
	namespace, function := o.split()
	if id := namespace + "." + function; o.Tool == nil || o.Tool.Name != id {
		return id
	}
	return o.Method
}

// Version is that of the operation's contract: its names and its schemas.
//
// None has changed yet.
func (o Op) Version() string { return "1.0.0" }

func (o Op) split() (namespace, function string) {
	rest := strings.TrimPrefix(o.Method, methodPrefix)
	for _, n := range namespaces {
		if f, ok := strings.CutPrefix(rest, n+"_"); ok {
			return n, f
		}
	}
	panic(fmt.Sprintf("tools: %s is in no namespace", o.Method)) // a mistake in the table
}

func (o Op) tags() []string {
	namespace, _ := o.split()
	tags := []string{namespace, o.Access.String()}
	if o.needs == controller.NeedsWeb {
		tags = append(tags, "open_world")
	}
	return tags
}

func written(s *jsonschema.Schema) controller.Schema {
	data, err := json.Marshal(s)
	if err != nil {
		panic(fmt.Sprintf("tools: %v", err)) // a schema that cannot be written; every test would fail
	}
	return data
}

// needs says what the operation cannot work without, when that is not the store.
func needs(n controller.Need) option { return func(o *Op) { o.needs = n } }

// standsAlone marks an operation that answers whatever the memory is like.
func standsAlone() option { return needs(controller.NeedsNothing) }

// registryRows are the operations that describe all others.
func registryRows() []Op {
	return []Op{
		op(RPC{"openhuman.tool_registry_list", "List tools", "Every operation on every surface with its schemas, state and health. For discovery only: it changes neither dispatch nor permissions.", policy.Read},
			(*controller.Controller).ListTools, standsAlone()),

		op(RPC{"openhuman.tool_registry_get", "Get tool", "One entry of the tool registry.", policy.Read},
			(*controller.Controller).GetTool, standsAlone(),
			arg("tool_id", "The id of an entry, such as memory.search or tools.web_search.")),

		op(RPC{"openhuman.tool_registry_diagnostics", "Diagnose tools", "Counts of tools, possible write surfaces, policy surfaces, capability providers, the health of the memory and recent denials, redacted.", policy.Read},
			(*controller.Controller).Diagnostics, standsAlone()),
	}
}
