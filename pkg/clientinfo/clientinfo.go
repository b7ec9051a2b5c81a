// Package clientinfo says who is calling: it turns the name a client gives itself into the label
// that stands on log lines, policy decisions and whatever the client writes. It holds no policy.
package clientinfo

import (
	"context"
	"strings"
)

// Bare is the label of an MCP client without a usable name.
const Bare = "mcp"

// Labels of the surfaces that are not MCP.
const (
	HTTP = "http"
	CLI  = "cli"
)

// Normalize trims name, lower-cases it, turns each run of anything but ASCII letters and digits into
// one hyphen and trims hyphens: "Claude Desktop" becomes "claude-desktop". The result may be empty.
func Normalize(name string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(name) {
		if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		b.WriteRune(r)
	}
	return b.String()
}

// Label returns "mcp:<normalised name>", or "mcp" when nothing is left of the name.
func Label(name string) string {
	if n := Normalize(name); n != "" {
		return Bare + ":" + n
	}
	return Bare
}

// Caller is what is known about the author of one call.
type Caller struct {
	Label  string // "mcp:claude-desktop", "http", "cli"
	Client string // the normalised name alone, "" when unknown
	Pinned string // the name that the owner has given the client, "" when there is none
}

// PolicyName is the name that policy knows the caller by: what the owner has said, or else what the
// caller says. A client of MCP that calls itself as another surface is called has none.
func (c Caller) PolicyName() string {
	switch {
	case c.Pinned != "":
		return c.Pinned
	case (c.Client == HTTP || c.Client == CLI) && c.Label != c.Client:
		return ""
	}
	return c.Client
}

// MCP returns the Caller of an MCP client that calls itself name.
func MCP(name string) Caller {
	n := Normalize(name)
	return Caller{Label: Label(name), Client: n}
}

type key struct{}

// With returns a context that carries c.
func With(ctx context.Context, c Caller) context.Context { return context.WithValue(ctx, key{}, c) }

// From returns the Caller in ctx; a context without one belongs to a nameless MCP client.
func From(ctx context.Context) Caller {
	if c, ok := ctx.Value(key{}).(Caller); ok {
		return c
	}
	return Caller{Label: Bare}
}
