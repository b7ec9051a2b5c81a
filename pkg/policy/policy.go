// Package policy is the gate before every controller: what a caller may call and how often, which
// sources exist for it, and in which form text is served. It decides; it does not know tools, stores
// or transports.
package policy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

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

// ActsPerHour is how many acts one client may do in an hour when the level is supervised.
const ActsPerHour = 60

// Options are the settings of a Policy, as [policy] in the configuration gives them.
type Options struct {
	Level       Level
	DenyTools   []string // names of tools and methods in any form, or globs over them: see Names
	DenySources []string // globs over source ids: * any run, ? one character
	// Clients narrows what single clients may call and see, by the name that policy uses for them;
	// Others is for everybody who has no row.
	Clients map[string]Client
	// MaxReadsPerMinute bounds the reads of one client; 0 is without a bound.
	MaxReadsPerMinute int
	// OneClient says that all callers are one client, whatever they call themselves.
	OneClient bool
	// RedactSecrets hides keys, tokens and card numbers in what is served.
	RedactSecrets bool
	// Withhold, when set, is what every call answers: it is not known what may be served.
	Withhold error
	Counts   *Counts          // of the calls before; nil: none
	Now      func() time.Time // nil: time.Now
}

// Others is the row of [Options.Clients] for everybody who has no row of their own.
const Others = "default"

// A Client narrows what one client may call and see, beside what is denied to all.
type Client struct {
	AllowSources []string // globs over source ids; none: all
	DenySources  []string
	DenyTools    []string
}

// Policy is the gate. A nil *Policy allows every read and no act, and serves text as it is. It is safe
// for concurrent use.
type Policy struct {
	o     Options
	reads *pace
	acts  *pace
}

// New checks o and builds the gate. An unknown level is an Invalid fault.
func New(o Options) (*Policy, error) {
	switch o.Level {
	case "":
		o.Level = Supervised
	case ReadOnly, Supervised, Full:
	default:
		return nil, fault.New(fault.Invalid, "policy.level is %q.", o.Level).WithHint("Use readonly, supervised or full.")
	}
	if o.MaxReadsPerMinute < 0 {
		return nil, fault.New(fault.Invalid, "policy.max_reads_per_minute is %d.", o.MaxReadsPerMinute).WithHint("Use 0 for no limit.")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Counts == nil {
		o.Counts = NewCounts()
	}
	p := &Policy{o: o, reads: newPace(&o.Counts.reads, o.MaxReadsPerMinute, time.Minute)}
	if o.Level == Supervised {
		p.acts = newPace(&o.Counts.acts, ActsPerHour, time.Hour)
	}
	return p, nil
}

// ErrTooMany is the cause of the Denied fault of a caller who calls too often.
var ErrTooMany = fmt.Errorf("too many calls")

// A TooManyError is ErrTooMany with how long the caller has to wait.
type TooManyError struct{ Wait time.Duration }

func (e *TooManyError) Error() string { return ErrTooMany.Error() }

// Is implements what errors.Is asks for.
func (e *TooManyError) Is(target error) bool { return target == ErrTooMany }

// Seconds is the wait in whole seconds, at least one.
func (e *TooManyError) Seconds() int { return max(1, int((e.Wait+time.Second-1)/time.Second)) }

// Check returns a Denied fault when the caller in ctx must not run the operation, and otherwise counts
// the call. names are every name the operation goes by (tool and method).
func (p *Policy) Check(ctx context.Context, a Access, names ...string) error {
	if err := p.refuses(ctx, a, names); err != nil {
		return err
	}
	return p.paced(ctx, a)
}

// Allows reports whether the caller in ctx may run the operation, without that being a call.
func (p *Policy) Allows(ctx context.Context, a Access, names ...string) bool {
	return p.refuses(ctx, a, names) == nil
}

// refuses returns why the caller in ctx must not run the operation, however seldom it calls, or nil.
func (p *Policy) refuses(ctx context.Context, a Access, names []string) error {
	if p.Hidden(ctx, names...) {
		return fault.New(fault.Denied, "%s is not allowed for %s.", names[0], clientinfo.From(ctx).Label).
			WithHint("The owner of this memory can change deny_tools in config.toml.")
	}
	switch {
	case p != nil && p.o.Withhold != nil:
		return p.o.Withhold
	case a == Read, a == Act && p != nil && p.o.Level != ReadOnly:
		return nil
	}
	return fault.New(fault.Denied, "%s would change something, and this server is read-only.", names[0]).
		WithHint("The owner of this memory can change policy.level in config.toml.")
}

// paced counts a call of the caller in ctx, and refuses it when there were too many.
func (p *Policy) paced(ctx context.Context, a Access) error {
	if p == nil {
		return nil
	}
	pace, what, key, unit := p.reads, "reads", "policy.max_reads_per_minute", "minute"
	if a == Act {
		pace, what, key, unit = p.acts, "changes", "policy.level", "hour"
	}
	if pace == nil {
		return nil
	}
	who := ""
	if !p.o.OneClient {
		who = clientinfo.From(ctx).Label
	}
	wait, ok := pace.take(who, p.o.Now())
	if ok {
		return nil
	}
	cause := &TooManyError{Wait: wait}
	hint := fmt.Sprintf("Try again in %d seconds", cause.Seconds())
	if a == Read {
		hint += ", and ask for more at once: k goes up to 50"
	}
	return fault.Wrap(fault.Denied, cause, "%d %s in one %s are what %s may do (%s).", pace.most, what, unit, clientinfo.From(ctx).Label, key).
		WithHint("%s.", hint)
}

// Hidden reports whether the operation is denied to the caller by name. Such a tool is absent from
// the caller's tools/list and unknown when called.
func (p *Policy) Hidden(ctx context.Context, names ...string) bool {
	if p == nil {
		return false
	}
	return deniesTool(p.o.DenyTools, names) || deniesTool(p.client(ctx).DenyTools, names)
}

func deniesTool(patterns, names []string) bool {
	for _, d := range patterns {
		for _, n := range names {
			if Names(d, n) {
				return true
			}
		}
	}
	return false
}

// client returns the row of the caller in ctx. A client of MCP that calls itself as a surface is called
// does not get that surface's row.
func (p *Policy) client(ctx context.Context) Client {
	if len(p.o.Clients) == 0 {
		return Client{}
	}
	who := clientinfo.From(ctx)
	if row, ok := p.o.Clients[who.PolicyName()]; ok {
		return row
	}
	return p.o.Clients[Others]
}

// Names reports whether a pattern of DenyTools means the tool or method called name: letters are
// compared without case, dots, hyphens and underscores are the same, * is any run of characters and ?
// one. A client may have put its own words before the name, as in mcp__openhuman__memory_search.
//
// A pattern whose letters end where a namespace could means that one: memory.* is no part of
// memory_tree.search.
func Names(pattern, name string) bool {
	if name == "" {
		return false
	}
	n, namespace := canonical(name), canonical(name[:strings.LastIndexByte(name, '.')+1])
	for _, p := range spellings(pattern) {
		fixed := p
		if i := strings.IndexAny(p, "*?"); i >= 0 {
			fixed = p[:i]
		}
		other := fixed != p && strings.HasSuffix(fixed, "_") && len(fixed) < len(namespace) && strings.HasPrefix(namespace, fixed)
		if !other && glob.Match(p, n) {
			return true
		}
	}
	return false
}

// servers are how clients call this server before the name of a tool.
var servers = []string{"mcp_openhuman_core_", "mcp_openhuman_", "openhuman_core_", "openhuman_"}

// spellings are the names that a pattern may mean: it as it stands, and without what a client writes
// before the name of a tool.
func spellings(pattern string) []string {
	list := []string{canonical(pattern)}
	if i := strings.LastIndexAny(pattern, ":/"); i >= 0 {
		list = append(list, canonical(pattern[i+1:]))
	}
	if i := strings.LastIndex(list[0], "__"); i > 0 {
		list = append(list, list[0][i+2:])
	}
	for _, server := range servers {
		if rest, ok := strings.CutPrefix(list[0], server); ok {
			list = append(list, rest)
		}
	}
	return list
}

// Scope returns the part of the memory that exists for the caller in ctx.
func (p *Policy) Scope(ctx context.Context) Scope {
	if p == nil {
		return Scope{}
	}
	row := p.client(ctx)
	s := Scope{deny: p.o.DenySources, allow: row.AllowSources}
	if len(row.DenySources) > 0 {
		s.deny = slices.Concat(s.deny, row.DenySources)
	}
	return s
}

// A Scope says which sources exist for a caller. The zero Scope holds everything.
type Scope struct {
	allow []string // none: all
	deny  []string
}

// Hides reports whether the source does not exist for the caller.
func (s Scope) Hides(sourceID string) bool {
	matches := func(g string) bool { return glob.Match(g, sourceID) }
	return slices.ContainsFunc(s.deny, matches) || len(s.allow) > 0 && !slices.ContainsFunc(s.allow, matches)
}

// All reports whether the scope hides nothing.
func (s Scope) All() bool { return len(s.deny) == 0 && len(s.allow) == 0 }

// canonical makes the forms of a name equal.
func canonical(name string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || r == '-' {
			return '_'
		}
		return r
	}, strings.ToLower(strings.TrimSpace(name)))
}
