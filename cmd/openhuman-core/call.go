package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/openhuman/openhuman-core/internal/near"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/tools"
	"github.com/spf13/cobra"
)

// maxParams bounds the parameters that are read from stdin.
const maxParams = 16 << 20

func newCallCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "call METHOD [JSON]",
		Short: "Run one JSON-RPC method and print its result",
		Long: `Runs one method and prints its result as JSON, as POST /rpc of "openhuman-core serve" would give it. No server needs to
run. METHOD is the name of a method or of the tool before it; JSON is the object of its parameters, or - to read it
from stdin:

  openhuman-core call openhuman.memory_tree_search '{"query":"budget","k":3}'
  openhuman-core call openhuman.tool_registry_list`,
		Args: cobra.RangeArgs(1, 2),
		RunE: func(c *cobra.Command, args []string) error {
			op, err := operation(args[0])
			if err != nil {
				return err
			}
			var params json.RawMessage
			if len(args) == 2 {
				if params, err = a.params(args[1]); err != nil {
					return err
				}
			}
			return a.call(c.Context(), op, params)
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return methodNames(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	a.rawFlag(c)
	return c
}

// operation finds a row of the catalog by any of its names.
func operation(name string) (tools.Op, error) {
	for _, find := range []func(string) (tools.Op, bool){tools.ByMethod, tools.ByTool} {
		if o, ok := find(name); ok {
			return o, nil
		}
	}
	unknown := fault.New(fault.Invalid, "There is no method %q.", name).WithHint("The methods are %s.", strings.Join(methodNames(), ", "))
	for _, try := range []string{name, "openhuman." + name} {
		if n := near.Word(try, methodNames()); n != "" {
			return tools.Op{}, unknown.WithHint("Did you mean %s?", n)
		}
	}
	return tools.Op{}, unknown
}

func methodNames() []string {
	var names []string
	for _, o := range tools.Catalog {
		names = append(names, o.Method)
	}
	return names
}

// params returns the parameters as an argument or stdin gives them.
func (a *app) params(arg string) (json.RawMessage, error) {
	data := []byte(arg)
	if arg == "-" {
		var err error
		if data, err = io.ReadAll(io.LimitReader(a.stdin, maxParams+1)); err != nil {
			return nil, fmt.Errorf("read the parameters: %w", err)
		}
		if len(data) > maxParams {
			return nil, fault.New(fault.Invalid, "The parameters have more than %d bytes.", maxParams)
		}
	}
	data = bytes.TrimSpace(data)
	if len(data) > 0 && !json.Valid(data) {
		return nil, fault.New(fault.Invalid, "The parameters are not JSON.").WithHint(`They are an object: '{"query":"budget"}'`)
	}
	return data, nil
}

func (a *app) call(ctx context.Context, o tools.Op, params json.RawMessage) error {
	l := a.loadConfig()
	if err := l.Err(); err != nil {
		return err
	}
	a.warn(l)
	m, err := openMemoryWith(l.Config, nil, reviewed(l.ProviderEntries))
	if err != nil {
		return err
	}
	defer m.Close()
	m.trouble.to(func(err error) { a.warning(fault.Message(err)) })
	out, _, err := o.Answer(a.owner(ctx), m.Deps, params, tools.DefaultTimeout)
	if err != nil {
		return err
	}
	return a.printJSON(json.RawMessage(out))
}
