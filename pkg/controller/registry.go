package controller

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/openhuman/openhuman-core/internal/near"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

// The transports of registry entries.
const (
	TransportMCP = "mcp_stdio"
	TransportRPC = "json_rpc"
)

// The states of health.
const (
	Available     = "available"
	NotAvailable  = "unavailable"
	HealthUnknown = "unknown"
)

// A Need is what an operation cannot work without.
type Need int

// The needs.
const (
	NeedsNothing Need = iota
	NeedsStore
	NeedsWeb   // a configured web search
	NeedsWrite // writing has been allowed in the settings
)

// Off returns why the settings leave out what has this need, or nil.
func (c *Controller) Off(n Need) *fault.Error {
	switch {
	case n == NeedsWeb && (c == nil || c.web == nil):
		return noWeb()
	case n == NeedsWrite && (c == nil || c.writer == nil):
		return noWriting()
	}
	return nil
}

// A ToolInfo is what the registry knows about one operation on one surface, whatever the settings are.
type ToolInfo struct {
	ToolID, Name, Title, Description, Version string
	Transport, Route                          string
	Input, Output                             Schema
	Tags                                      []string

	Names  []string // what the policy knows the operation by
	Access policy.Access
	Needs  Need
}

// A Registry is what the tool registry is made from. The catalog of operations cannot be asked for it,
// because the registry's own methods are rows of it; whoever wires the program hands it over.
type Registry struct {
	Tools     func() []ToolInfo // sorted by id
	Surfaces  []PolicySurface
	Providers ProviderStatus
}

const (
	checkAge     = time.Minute     // how old a self-check may be
	failureAge   = 5 * time.Second // how old one that failed may be: what was mended should show
	checkTimeout = 2 * time.Second
	maxDenials   = 20
)

// watch is what the registry remembers between calls.
type watch struct {
	mu      sync.Mutex
	checked time.Time
	health  string
	code    fault.Code
	denials []Denial
	denied  int

	webAt time.Time // of the last web search
	webOK bool
}

// webDone notes how a web search went. Nothing is asked of the engine only to learn how it is.
func (w *watch) webDone(at time.Time, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.webAt, w.webOK = at, err == nil
}

func (w *watch) webHealth(now time.Time) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.webAt.IsZero() || now.Sub(w.webAt) > checkAge:
		return HealthUnknown
	case w.webOK:
		return Available
	}
	return NotAvailable
}

// ListTools returns every operation on every surface, by id.
func (c *Controller) ListTools(ctx context.Context, _ ListToolsParams) (ListToolsResult, error) {
	res := ListToolsResult{Tools: c.entries(ctx)}
	if data, err := json.Marshal(res.Tools); err == nil && len(data) > c.maxBytes {
		for i := range res.Tools {
			res.Tools[i].InputSchema, res.Tools[i].OutputSchema = Schema("{}"), Schema("{}")
		}
		res.Truncated = &Truncated{Field: "schemas", Shown: 0, Total: len(res.Tools)}
		res.Hint = "The schemas were left out to fit; openhuman.tool_registry_get has them for one tool_id."
	}
	return res, nil
}

// GetTool returns one entry.
func (c *Controller) GetTool(ctx context.Context, p GetToolParams) (Entry, error) {
	id := strings.TrimSpace(p.ToolID)
	var ids []string
	for _, e := range c.entries(ctx) {
		if e.ToolID == id {
			return e, nil
		}
		ids = append(ids, e.ToolID)
	}
	unknown := fault.New(fault.Invalid, "The registry has no tool %q.", shorten(id, 80))
	for _, try := range []string{id, strings.ReplaceAll(id, "_", "."), strings.TrimPrefix(id, "openhuman.")} {
		if n := near.Word(try, ids); n != "" {
			return Entry{}, unknown.WithHint("Did you mean %s? openhuman.tool_registry_list has them all.", n)
		}
	}
	return Entry{}, unknown.WithHint("openhuman.tool_registry_list has them all.")
}

// Diagnostics counts what there is and says what deserves a look, without text, paths or secrets.
func (c *Controller) Diagnostics(ctx context.Context, _ DiagnosticsParams) (DiagnosticsResult, error) {
	res := DiagnosticsResult{PossibleWriteSurfaces: []WriteSurface{}, PolicySurfaces: []PolicySurface{}, RecentDenials: []Denial{}}
	infos := c.tools()
	for i, e := range c.entries(ctx) {
		res.TotalTools++
		if e.Enabled {
			res.EnabledTools++
		}
		switch e.Transport {
		case TransportMCP:
			res.MCPTools++
		case TransportRPC:
			res.RPCTools++
		}
		if reason := writes(infos[i]); reason != "" {
			res.PossibleWriteSurfaces = append(res.PossibleWriteSurfaces, WriteSurface{e.ToolID, reason})
		}
	}
	res.PolicySurfaces = append(res.PolicySurfaces, c.registry.Surfaces...)
	res.CapabilityProviders = c.registry.Providers
	if res.CapabilityProviders.Errors == nil {
		res.CapabilityProviders.Errors = []string{}
	}
	health, code := c.check(ctx)
	res.Store = StoreHealth{Health: health, Code: string(code)}
	c.watch.mu.Lock()
	defer c.watch.mu.Unlock()
	res.Denials = c.watch.denied
	res.RecentDenials = append(res.RecentDenials, c.watch.denials...)
	slices.Reverse(res.RecentDenials)
	return res, nil
}

func (c *Controller) tools() []ToolInfo {
	if c.registry.Tools == nil {
		return nil
	}
	return c.registry.Tools()
}

// entries are all tools as they stand for the caller in ctx.
func (c *Controller) entries(ctx context.Context) []Entry {
	infos := c.tools()
	list := make([]Entry, len(infos))
	store, _ := c.check(ctx)
	for i, t := range infos {
		e := Entry{
			ToolID: t.ToolID, Name: t.Name, Title: t.Title, Description: t.Description, Version: t.Version,
			Transport: t.Transport, Route: t.Route, InputSchema: t.Input, OutputSchema: t.Output,
			AllowedAgents: []string{"*"}, Tags: t.Tags, Health: Available,
		}
		switch t.Needs {
		case NeedsStore, NeedsWrite:
			e.Health = store
		case NeedsWeb:
			e.Health = c.watch.webHealth(c.now()) // asking would be a search
		}
		configured := c.Off(t.Needs) == nil
		e.Enabled = configured && c.policy.Allows(ctx, t.Access, t.Names...)
		if !configured {
			e.Health = NotAvailable
		}
		list[i] = e
	}
	return list
}

// check returns the health of the store, from a self-check that is at most a minute old.
func (c *Controller) check(ctx context.Context) (string, fault.Code) {
	c.watch.mu.Lock()
	defer c.watch.mu.Unlock()
	age := c.now().Sub(c.watch.checked)
	if age >= 0 && age < failureAge || age >= 0 && age < checkAge && c.watch.health == Available {
		return c.watch.health, c.watch.code
	}
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	// The smallest read there is: of a chunk that does not exist.
	_, err := c.store.Chunk(ctx, "", nil)
	switch code := fault.CodeOf(err); {
	case err == nil, code == fault.NotFound:
		c.watch.health, c.watch.code = Available, ""
	case ctx.Err() != nil || errors.Is(err, context.Canceled):
		return HealthUnknown, "" // not known, and not remembered
	default:
		c.watch.health, c.watch.code = NotAvailable, code
	}
	c.watch.checked = c.now()
	return c.watch.health, c.watch.code
}

// Health says whether the memory can be read, without saying why not.
func (c *Controller) Health(ctx context.Context) string {
	health, _ := c.check(ctx)
	return health
}

// Denied remembers that the policy has refused a call, for the diagnostics.
func (c *Controller) Denied(ctx context.Context, tool string) {
	if c == nil {
		return
	}
	c.watch.mu.Lock()
	defer c.watch.mu.Unlock()
	c.watch.denied++
	d := Denial{At: c.now().UTC().Format(time.RFC3339), Client: shorten(clientinfo.From(ctx).Label, 80), ToolID: tool}
	if len(c.watch.denials) == maxDenials {
		c.watch.denials = slices.Delete(c.watch.denials, 0, 1)
	}
	c.watch.denials = append(c.watch.denials, d)
}

// writeVerbs are words in a name that promise a change.
var writeVerbs = strings.Fields("add append apply archive clear commit create delete edit execute forget import ingest insert install merge move " +
	"patch post publish purge put remove rename replace reset restore run save send set store sync trash update upload upsert write")

// writes says why an operation may change something, or "".
func writes(t ToolInfo) string {
	if t.Access != policy.Read {
		return fmt.Sprintf("access is %s", t.Access)
	}
	for _, name := range append([]string{t.ToolID}, t.Names...) {
		for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return r == '.' || r == '_' || r == '-' }) {
			if slices.Contains(writeVerbs, word) {
				return fmt.Sprintf("the name says %s", word)
			}
		}
	}
	return ""
}
