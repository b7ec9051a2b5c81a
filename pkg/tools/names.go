package tools

import (
	"fmt"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/near"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

// A NameStyle says how tools/list writes the names of tools. Calls are understood in either form.
type NameStyle string

// The styles.
const (
	Auto       NameStyle = "auto"       // dotted, but for clients that are known to refuse dots
	Dotted     NameStyle = "dotted"     // memory.search
	Underscore NameStyle = "underscore" // memory_search
)

// NameStyles lists every style.
var NameStyles = []NameStyle{Auto, Dotted, Underscore}

// refuseDots are the clients, by normalised name, that accept only ^[a-zA-Z0-9_-]{1,64}$ and hide the
// whole server or fail every prompt otherwise. A bridge in between appends its own name.
var refuseDots = []string{
	"claude-ai",                // Claude Desktop
	"claude-desktop",           // the same, by its product name
	"github-copilot-developer", // Copilot CLI
	"copilot-cli",
}

// underscores reports whether client is to see underscored names.
func (s NameStyle) underscores(client string) bool {
	switch s {
	case Dotted:
		return false
	case Underscore:
		return true
	}
	return slices.ContainsFunc(refuseDots, func(name string) bool {
		return client == name || strings.HasPrefix(client, name+"-")
	})
}

// Deniable returns an error when a pattern of [policy.Options.DenyTools] means no tool and no method
// of the catalog. It is a clause that follows the name of the setting, with the nearest right name.
func Deniable(pattern string) error {
	var names []string
	for _, o := range Catalog {
		for _, n := range o.names() {
			if policy.Names(pattern, n) {
				return nil
			}
			names = append(names, n)
		}
	}
	err := fmt.Errorf("names %q, and there is no such tool", cut(pattern))
	plain := strings.ReplaceAll(strings.TrimSpace(pattern), "_", ".")
	for _, try := range []string{plain, strings.TrimSpace(pattern)} {
		if n := near.Word(try, names); n != "" {
			return fmt.Errorf("%w; did you mean %s?", err, n)
		}
	}
	return fmt.Errorf("%w; the tools are %s", err, strings.Join(toolNames(), ", "))
}

func toolNames() []string {
	var names []string
	for _, o := range Catalog {
		if o.Tool != nil {
			names = append(names, o.Tool.Name)
		}
	}
	return names
}

func underscored(name string) string { return strings.ReplaceAll(name, ".", "_") }

// underscoreAll rewrites the names of tools in a text for a model that knows them underscored.
var underscoreAll = func() func(string) string {
	var pairs []string
	for _, o := range Catalog {
		if o.Tool != nil {
			pairs = append(pairs, o.Tool.Name, underscored(o.Tool.Name))
		}
	}
	return strings.NewReplacer(pairs...).Replace
}()
