package tools

import (
	"slices"
	"strings"
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
