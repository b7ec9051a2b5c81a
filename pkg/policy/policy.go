// Package policy is the gate before every controller: what a caller may call and which sources
// exist for it. It decides; it does not know tools, stores or transports.
package policy

import (
	"context"
	"strings"

	"github.com/openhuman/openhuman-core/internal/glob"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// Access is what an operation does to the store or the world.
type Access int

// The kinds of access. The zero value is refused, so that a forgotten field fails closed.
const (
	Read Access = iota + 1
	Act
)

func (a Access) String() string {
	switch a {
	case Read:
		return "read"
	case Act:
		return "act"
	}
	return "unset"
}

// Level governs acts; reads pass at every level.
type Level string

// The levels.
const (
	ReadOnly   Level = "readonly"
	Supervised Level = "supervised"
	Full       Level = "full"
)

// Options are the settings of a Policy, as [policy] in the configuration gives them.
type Options struct {
	Level       Level
	DenyTools   []string // tool or method names, dotted or underscored, or globs over them
	DenySources []string // globs over source ids: * any run, ? one character
	// Withhold, when set, is what every call answers: it is not known what may be served.
	Withhold error
}

// Policy is the gate. A nil *Policy allows every read and no act.
type Policy struct{ o Options }

// New checks o and builds the gate. An unknown level or a malformed glob is an Invalid fault.
func New(o Options) (*Policy, error) {
	switch o.Level {
	case "":
		o.Level = Supervised
	case ReadOnly, Supervised, Full:
	default:
		return nil, fault.New(fault.Invalid, "policy.level is %q.", o.Level).WithHint("Use readonly, supervised or full.")
	}
	return &Policy{o}, nil
}

// Check returns a Denied fault when the caller in ctx must not run the operation. names are every
// name the operation goes by (tool and method).
func (p *Policy) Check(ctx context.Context, a Access, names ...string) error {
	if p.Hidden(ctx, names...) {
		return fault.New(fault.Denied, "%s is not allowed for %s.", names[0], clientinfo.From(ctx).Label).
			WithHint("The owner of this memory can change policy.deny_tools in config.toml.")
	}
	switch {
	case p != nil && p.o.Withhold != nil:
		return p.o.Withhold
	case a == Read:
		return nil
	case a == Act && p != nil && p.o.Level != ReadOnly:
		return nil
	}
	return fault.New(fault.Denied, "%s would change something, and this server is read-only.", names[0])
}

// Hidden reports whether the operation is denied to the caller by name. Such a tool is absent from
// the caller's tools/list and unknown when called.
func (p *Policy) Hidden(_ context.Context, names ...string) bool {
	if p == nil {
		return false
	}
	for _, d := range p.o.DenyTools {
		for _, n := range names {
			if Names(d, n) {
				return true
			}
		}
	}
	return false
}

// Names reports whether a pattern of DenyTools means the tool or method called name: letters are
// compared without case, dots and underscores are the same, * is any run of characters and ? one.
func Names(pattern, name string) bool {
	return name != "" && glob.Match(canonical(pattern), canonical(name))
}

// Scope returns the part of the memory that exists for the caller in ctx.
func (p *Policy) Scope(_ context.Context) Scope {
	if p == nil || len(p.o.DenySources) == 0 {
		return Scope{}
	}
	return Scope{deny: p.o.DenySources}
}

// A Scope says which sources exist for a caller. The zero Scope holds everything.
type Scope struct{ deny []string }

// Hides reports whether the source does not exist for the caller.
func (s Scope) Hides(sourceID string) bool {
	for _, g := range s.deny {
		if glob.Match(g, sourceID) {
			return true
		}
	}
	return false
}

// All reports whether the scope hides nothing.
func (s Scope) All() bool { return len(s.deny) == 0 }

// canonical makes the dotted and the underscored form of a name equal.
func canonical(name string) string {
	return strings.ReplaceAll(strings.TrimSpace(name), ".", "_")
}
