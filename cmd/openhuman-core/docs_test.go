package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/tools"
	"github.com/spf13/cobra"
)

const generated = "<!-- Generated from the code by: go test ./cmd/openhuman-core -run TestDocs -update -->\n\n"

// The documents in docs/ that describe code are written from it; -update rewrites them.
func TestDocs(t *testing.T) {
	t.Run("tools", func(t *testing.T) { golden.Check(t, "../../docs/tools.md", toolsDoc(t)) })
	t.Run("errors", func(t *testing.T) { golden.Check(t, "../../docs/errors.md", errorsDoc()) })
	t.Run("commands", func(t *testing.T) { golden.Check(t, "../../docs/commands.md", commandsDoc()) })
}

func toolsDoc(t *testing.T) []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, generated, `# Tools

What MCP clients see, in the order of tools/list. Each tool is one row of the table in pkg/tools/catalog.go, with the
JSON-RPC method behind it. Names can be called with a dot or an underscore (memory_search).

| tool | method | what it does |
|---|---|---|
`)
	for _, o := range tools.Catalog {
		if o.Tool != nil {
			fmt.Fprintf(&b, "| [`%s`](#%s) | `%s` | %s |\n", o.Tool.Name, strings.ReplaceAll(o.Tool.Name, ".", ""), o.Method, o.About)
		}
	}
	for _, o := range tools.Catalog {
		if o.Tool != nil {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", o.Tool.Name, o.Tool.About)
			describe(t, &b, o)
		}
	}
	fmt.Fprint(&b, "\n# Methods without a tool\n\nThey are called over HTTP (docs/http.md) or with `openhuman-core call`.\n")
	for _, o := range tools.Catalog {
		if o.Tool == nil {
			fmt.Fprintf(&b, "\n## %s\n\n%s\n\n", o.Method, o.About)
			describe(t, &b, o)
		}
	}
	return b.Bytes()
}

func describe(t *testing.T, b *bytes.Buffer, o tools.Op) {
	t.Helper()
	if o.Access == policy.Act {
		fmt.Fprintf(b, "Access: %s, within `policy.level`, and only with `mcp.write_tools = true`.\n\n", o.Access)
	} else {
		fmt.Fprintf(b, "Access: %s.\n\n", o.Access)
	}
	if len(o.In.Properties) > 0 {
		fmt.Fprint(b, "| argument | type | meaning |\n|---|---|---|\n")
	}
	for _, name := range order(o.In) {
		p := o.In.Properties[name]
		what := p.Description
		if len(p.Default) > 0 {
			what += " Default " + string(p.Default) + "."
		}
		if values := enum(p); values != "" {
			what += " One of " + values + "."
		}
		if slices.Contains(o.In.Required, name) {
			what += " Required."
		}
		fmt.Fprintf(b, "| `%s` | %s | %s |\n", name, kind(p), what)
	}
	if len(o.In.Properties) == 0 {
		fmt.Fprint(b, "It takes nothing.\n")
	}
	fmt.Fprintf(b, "\nResult:\n\n```json\n%s\n```\n", sample(t, o.Out))
}

// order lists the properties of a schema as the code declares them.
func order(s *jsonschema.Schema) []string {
	if len(s.PropertyOrder) > 0 {
		return s.PropertyOrder
	}
	var names []string
	for name := range s.Properties {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func kind(s *jsonschema.Schema) string {
	if s.Items != nil {
		return "list of " + kind(s.Items) + "s"
	}
	return s.Type
}

func enum(s *jsonschema.Schema) string {
	if s.Items != nil {
		s = s.Items
	}
	var values []string
	for _, v := range s.Enum {
		values = append(values, fmt.Sprintf("`%v`", v))
	}
	return strings.Join(values, ", ")
}

// sample writes the shape of a result: each member with its type, those that may be absent with a ?.
func sample(t *testing.T, s *jsonschema.Schema) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(shape(s)), "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func shape(s *jsonschema.Schema) string {
	switch {
	case s.Items != nil:
		return "[" + shape(s.Items) + "]"
	case len(s.Properties) > 0:
		var members []string
		for _, name := range order(s) {
			label := name
			if len(s.Required) > 0 && !slices.Contains(s.Required, name) {
				label += "?"
			}
			members = append(members, fmt.Sprintf("%q:%s", label, shape(s.Properties[name])))
		}
		return "{" + strings.Join(members, ",") + "}"
	}
	return fmt.Sprintf("%q", s.Type)
}

func errorsDoc() []byte {
	about := map[fault.Code]string{
		fault.Invalid:     "the caller sent something wrong, or the settings are",
		fault.NotFound:    "the named thing does not exist, or is hidden from this caller",
		fault.Denied:      "the policy does not allow it",
		fault.Conflict:    "locked, changed meanwhile, or written by a newer version",
		fault.Unavailable: "something that is needed is missing, off or too slow",
		fault.Internal:    "a bug or a broken disk; the log has the details",
	}
	var b bytes.Buffer
	fmt.Fprint(&b, generated, `# Errors

Every error has one of six codes. A tool tells an error as a result with isError and a text that says what happened and
what to do next; a tool that is unknown or denied is JSON-RPC error -32602. The command line prints the same on stderr
(as JSON with --json) and ends with the exit status.

| code | means | JSON-RPC | exit status |
|---|---|---|---|
`)
	for _, w := range fault.Table {
		fmt.Fprintf(&b, "| `%s` | %s | %d | %d |\n", w.Code, about[w.Code], w.RPC, w.Exit)
	}
	fmt.Fprintf(&b, "\nBeside these, exit status %d means that an ingest finished but could not take in some files whole, and %d that the\ncommand was interrupted.\n", exitSomeFailed, exitInterrupted)
	return b.Bytes()
}

func commandsDoc() []byte {
	var b bytes.Buffer
	fmt.Fprint(&b, generated, "# Commands\n\n")
	root := newRoot(&app{})
	fmt.Fprintf(&b, "%s\n\n## Flags of every command\n\n```\n%s```\n", root.Long, root.PersistentFlags().FlagUsages())
	for _, c := range root.Commands() {
		if c.Hidden || c.Name() == "help" || c.Name() == "completion" {
			continue
		}
		about := c.Long
		if about == "" {
			about = c.Short + "."
		}
		fmt.Fprintf(&b, "\n## %s\n\n    %s\n\n%s\n", c.Name(), use(c), about)
		if flags := c.LocalNonPersistentFlags().FlagUsages(); flags != "" {
			fmt.Fprintf(&b, "\n```\n%s```\n", flags)
		}
	}
	return b.Bytes()
}

func use(c *cobra.Command) string {
	s := "openhuman-core " + c.Use
	for _, alias := range c.Aliases {
		s += "\n    openhuman-core " + alias
	}
	return s
}
