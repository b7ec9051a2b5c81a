package tools

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/openhuman/openhuman-core/internal/audit"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

// An RPC names an operation on the JSON-RPC surface.
type RPC struct {
	Method, Title, About string
	Access               policy.Access
}

// An MCP names an operation on the MCP surface. The title is that of the operation.
type MCP struct {
	Name, About string
	OpenWorld   bool // the operation reaches beyond the store
}

// An Op is one row of the catalog: a method, and the tool that fronts it if there is one.
type Op struct {
	RPC
	Tool    *MCP               // nil when the method has no MCP tool
	In, Out *jsonschema.Schema // of the parameters and the result, on every surface
	needs   controller.Need    // what it cannot work without
	args    *arguments
	call    func(context.Context, Deps, json.RawMessage) (any, error)
}

// Deps is what a call needs.
type Deps struct {
	Controller *controller.Controller
	Policy     *policy.Policy
	Audit      *audit.Log // nil: none
}

// Call runs the operation for the caller in ctx with JSON parameters: first the gate, then the
// decoding, then the controller. The result is the controller's, ready to be marshalled.
func (o Op) Call(ctx context.Context, d Deps, params json.RawMessage) (out any, err error) {
	began, finished := time.Now(), false
	defer func() {
		if !finished { // a panic, on its way to whoever logs it
			err = fmt.Errorf("%s panicked", o.Method)
		}
		o.record(ctx, d, params, began, out, err)
	}()
	out, err = o.checked(ctx, d, params)
	finished = true
	return out, err
}

func (o Op) checked(ctx context.Context, d Deps, params json.RawMessage) (any, error) {
	if err := d.Policy.Check(ctx, o.Access, o.names()...); err != nil {
		if fault.CodeOf(err) == fault.Denied {
			d.Controller.Denied(ctx, o.names()[0])
		}
		return nil, err
	}
	return o.call(ctx, d, params)
}

// Hidden reports whether the operation does not exist for the caller in ctx.
func (o Op) Hidden(ctx context.Context, p *policy.Policy) bool { return p.Hidden(ctx, o.names()...) }

// Enabled reports whether the settings and the policy let the caller in ctx use the operation.
func (o Op) Enabled(ctx context.Context, d Deps) bool {
	return o.off(d) == nil && d.Policy.Allows(ctx, o.Access, o.names()...)
}

// names are all names the operation goes by, the one that callers know best first: its tool, its
// method, its entry in the registry. A method of the tree without a tool is called as one would be.
func (o Op) names() []string {
	names := []string{o.Method, o.ID()}
	if o.Tool != nil {
		names = slices.Insert(names, 0, o.Tool.Name)
	} else if namespace, function := o.split(); namespace == treeNamespace {
		names = append(names, treeTools+function)
	}
	return names
}

// An option completes a row.
type option func(*Op)

// tool gives the operation an MCP name.
func tool(m MCP) option { return func(o *Op) { o.Tool = &m } }

// arg describes one parameter. Names and types come from the parameter type; a name that it does not
// have is a mistake in the table.
func arg(name, about string, edits ...func(*jsonschema.Schema)) option {
	return func(o *Op) {
		p := o.In.Properties[name]
		if p == nil {
			panic(fmt.Sprintf("tools: %s has no parameter %q", o.Method, name))
		}
		p.Description = about
		for _, edit := range edits {
			edit(p)
		}
	}
}

func atLeast(n float64) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Minimum = &n }
}

func byDefault(literal string) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) { s.Default = json.RawMessage(literal) }
}

// oneOf lists the values of a parameter, or of its items.
func oneOf(values []string) func(*jsonschema.Schema) {
	return func(s *jsonschema.Schema) {
		if s.Items != nil {
			s = s.Items
		}
		for _, v := range values {
			s.Enum = append(s.Enum, v)
		}
	}
}

// op builds a row from a controller method. It panics on a bad row, so that a bad row cannot ship.
func op[In, Out any](m RPC, method func(*controller.Controller, context.Context, In) (Out, error), options ...option) Op {
	if m.Access != policy.Read && m.Access != policy.Act {
		panic(fmt.Sprintf("tools: %s does not say what it accesses", m.Method))
	}
	o := Op{RPC: m, In: inputSchema[In](m.Method), Out: outputSchema[Out](m.Method), needs: controller.NeedsStore}
	for _, apply := range options {
		apply(&o)
	}
	o.args = newArguments[In](o.names()[0], o.In)
	args, clean := o.args, cleanerOf(reflect.TypeFor[Out]())
	o.call = func(ctx context.Context, d Deps, raw json.RawMessage) (any, error) {
		var in In
		if err := args.decode(raw, &in); err != nil {
			return nil, err
		}
		out, err := method(d.Controller, ctx, in)
		if err != nil {
			return out, err
		}
		return served(ctx, d.Policy, clean, out), nil
	}
	return o
}
