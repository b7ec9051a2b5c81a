package tools

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/openhuman/openhuman-core/internal/audit"
	"github.com/openhuman/openhuman-core/internal/near"
	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/resources"
)

// Name is what the server calls itself.
const Name = "openhuman-core"

// Defaults of [Options].
const (
	DefaultTimeout     = 30 * time.Second
	DefaultConcurrency = 4
)

//go:embed instructions.md
var instructions string

// Options are what a server is made from.
type Options struct {
	Controller *controller.Controller
	Policy     *policy.Policy
	Version    string
	Log        zerolog.Logger
	ToolNames  NameStyle // "" means Auto

	Timeout     time.Duration // of one call; 0 means DefaultTimeout
	Concurrency int           // calls that run at once; 0 means DefaultConcurrency

	// Introduced, when set, is told the label of a client as soon as it has said who it is.
	Introduced func(label string)
	// Running, when set, is called before a call runs and may keep it waiting. What it returns is called
	// when the call has ended.
	Running func(context.Context) (done func(), err error)

	Audit *audit.Log // of calls; nil: none
	// Pinned is the name by which policy knows the clients, whatever they call themselves; "": that.
	Pinned string
}

// server is the MCP projection of the catalog.
type server struct {
	deps           Deps
	log            zerolog.Logger
	names          NameStyle
	timeout        time.Duration
	slots          chan struct{}
	implementation *mcp.Implementation
	callers        *callers
	introduced     func(label string)
	running        func(context.Context) (done func(), err error)
	pinned         string
}

// Server returns an MCP server that serves the catalog's tools and the built-in prompts. It touches
// neither the store nor anything else that may be slow or missing before a tool is called.
func Server(o Options) *mcp.Server {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Concurrency <= 0 {
		o.Concurrency = DefaultConcurrency
	}
	s := &server{
		deps:           Deps{Controller: o.Controller, Policy: o.Policy, Audit: o.Audit},
		pinned:         clientinfo.Normalize(o.Pinned),
		log:            o.Log,
		names:          o.ToolNames,
		timeout:        o.Timeout,
		slots:          make(chan struct{}, o.Concurrency),
		implementation: &mcp.Implementation{Name: Name, Version: o.Version},
		callers:        newCallers(),
		introduced:     o.Introduced,
		running:        o.Running,
	}
	if s.introduced == nil {
		s.introduced = func(string) {}
	}
	if s.running == nil {
		s.running = func(context.Context) (func(), error) { return func() {}, nil }
	}
	m := mcp.NewServer(s.implementation, &mcp.ServerOptions{
		Instructions: instructions,
		Capabilities: sdkCapabilities(),
		// The SDK logs what it received, and that may be a person's words.
		Logger: slog.New(slog.DiscardHandler),
	})
	for _, o := range Catalog {
		if o.Tool != nil {
			m.AddTool(&mcp.Tool{Name: o.Tool.Name, InputSchema: o.In, OutputSchema: o.Out}, s.handler(o))
		}
	}
	for _, r := range resources.Catalog {
		m.AddResource(describe(r), read)
	}
	m.AddReceivingMiddleware(
		s.recover,
		declared,
		s.greet,
		s.recover, // once more where the caller is known
		s.shape,
	)
	return m
}

// recover turns a panic below it into an internal error; the SDK would let the process die.
func (s *server) recover(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if v := recover(); v != nil {
				// The value may quote memory text; its type and the stack do not.
				e := s.log.Error().Str("client", clientinfo.From(ctx).Label).Str("method", method)
				if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok {
					if o, ok := ByTool(p.Name); ok {
						e = e.Str("tool", o.Tool.Name)
					}
				}
				e.Str("panic", fmt.Sprintf("%T", v)).Bytes("stack", debug.Stack()).Msg("request panicked")
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "Internal error. The server's log (stderr) has the details."}
			}
		}()
		return next(ctx, method, req)
	}
}

// shape resolves the names of tools and gives every result its wire form.
func (s *server) shape(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch p := req.GetParams().(type) {
		case *mcp.CallToolParamsRaw:
			if err := s.resolve(ctx, p); err != nil {
				return nil, err
			}
		case *mcp.ReadResourceParams:
			if err := findable(p.URI, stateless(req)); err != nil {
				return nil, err
			}
		}
		res, err := next(ctx, method, req)
		if err != nil {
			return nil, err
		}
		switch r := res.(type) {
		case *mcp.CallToolResult:
			return callToolResult{r, eraOf(req, nil)}, nil
		case *mcp.ListToolsResult:
			r.CacheScope = "private" // the list follows the client
			return listToolsResult{r, eraOf(req, &r.Cacheable), s.list(ctx)}, nil
		case *mcp.ListResourcesResult:
			slices.SortFunc(r.Resources, func(a, b *mcp.Resource) int { return place(a.URI) - place(b.URI) })
			return listResourcesResult{r, eraOf(req, &r.Cacheable)}, nil
		case *mcp.ListResourceTemplatesResult:
			return listTemplatesResult{r, eraOf(req, &r.Cacheable)}, nil
		case *mcp.ReadResourceResult:
			return readResourceResult{r, eraOf(req, &r.Cacheable)}, nil
		}
		return res, nil
	}
}

// resolve replaces the name in a call by the tool's own. A tool that is denied to the caller is as
// unknown as one that does not exist.
func (s *server) resolve(ctx context.Context, p *mcp.CallToolParamsRaw) error {
	o, ok := ByTool(p.Name)
	if ok && !o.Hidden(ctx, s.deps.Policy) {
		if off := o.off(s.deps); off != nil {
			o.record(ctx, s.deps, p.Arguments, time.Now(), nil, off)
			return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("Unknown tool: %q. %s", cut(p.Name), s.text(ctx, fault.Message(off)))}
		}
		p.Name = o.Tool.Name
		return nil
	}
	if ok {
		s.deps.Controller.Denied(ctx, o.Tool.Name)
		o.record(ctx, s.deps, p.Arguments, time.Now(), nil, fault.New(fault.Denied, "%s is not allowed.", o.Tool.Name))
	} else {
		RecordUnknown(ctx, s.deps, p.Arguments)
	}
	var names []string
	for _, o := range s.visible(ctx) {
		names = append(names, s.text(ctx, o.Tool.Name))
	}
	message := fmt.Sprintf("Unknown tool: %q.", cut(p.Name))
	if near := near.Word(p.Name, names); near != "" {
		message += fmt.Sprintf(" Did you mean %q?", near)
	} else if len(names) > 0 {
		message += " The tools are " + strings.Join(names, ", ") + "."
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}

// visible are the operations that tools/list shows to the caller in ctx.
func (s *server) visible(ctx context.Context) []Op {
	var ops []Op
	for _, o := range Catalog {
		if o.Tool != nil && !o.Hidden(ctx, s.deps.Policy) && o.off(s.deps) == nil {
			ops = append(ops, o)
		}
	}
	return ops
}

// text writes a text that names tools the way the caller in ctx knows them.
func (s *server) text(ctx context.Context, text string) string {
	if s.names.underscores(clientinfo.From(ctx).Client) {
		text = underscoreAll(text)
	}
	return strings.TrimSpace(text)
}

func (s *server) list(ctx context.Context) []json.RawMessage {
	list := []json.RawMessage{}
	for _, o := range s.visible(ctx) {
		list = append(list, o.describe(func(text string) string { return s.text(ctx, text) }))
	}
	return list
}

// describe returns the operation as tools/list shows it, with texts passed through spell.
func (o Op) describe(spell func(string) string) json.RawMessage {
	in := o.In.CloneSchemas()
	for _, p := range in.Properties {
		p.Description = spell(p.Description)
	}
	data, err := encode(struct {
		Name         string `json:"name"`
		Title        string `json:"title"`
		Description  string `json:"description"`
		InputSchema  any    `json:"inputSchema"`
		OutputSchema any    `json:"outputSchema"`
		Annotations  any    `json:"annotations"`
	}{spell(o.Tool.Name), o.Title, spell(o.Tool.About), in, o.Out, o.annotations()})
	if err != nil {
		panic(fmt.Sprintf("tools: describe %s: %v", o.Tool.Name, err)) // a schema that cannot be written; every test would fail
	}
	return data
}

// annotations are what clients decide by whether they ask their user first.
func (o Op) annotations() any {
	type hints struct {
		ReadOnly  bool `json:"readOnlyHint"`
		OpenWorld bool `json:"openWorldHint"`
	}
	h := hints{o.Access == policy.Read, o.Tool.OpenWorld}
	if h.ReadOnly {
		return h
	}
	// Acts only ever add.
	return struct {
		hints
		Destructive bool `json:"destructiveHint"`
	}{h, false}
}

// handler runs one operation as a tool.
func (s *server) handler(o Op) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		select {
		case s.slots <- struct{}{}:
			defer func() { <-s.slots }()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		done, err := s.running(ctx)
		if err != nil {
			return nil, err
		}
		defer done()
		makeRoom()
		start := time.Now()
		out, data, err := s.run(ctx, o, req.Params.Arguments)
		s.observe(ctx, o, time.Since(start), rows(out), len(data), err)
		if err != nil {
			return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: s.text(ctx, fault.Message(err))}}}, nil
		}
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: string(data)}},
			StructuredContent: json.RawMessage(data),
		}, nil
	}
}

// makeRoom has the stack grow at once to what a call needs. Every call comes on a new goroutine, whose
// stack would double several times deep inside SQLite, and each time all frames are gone through.
//
//go:noinline
func makeRoom() byte {
	var room [28 << 10]byte
	return room[len(instructions)%len(room)] // must not be optimised away
}

// run calls o within the time limit and marshals what it returns.
func (s *server) run(ctx context.Context, o Op, params json.RawMessage) (out any, data []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	out, err = o.Call(ctx, s.deps, params)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = fault.Wrap(fault.Unavailable, err, "%s took longer than %v.", o.Tool.Name, s.timeout).
			WithHint("Ask for less: rarer words, a source or a shorter time.")
	}
	if err != nil {
		return nil, nil, err
	}
	data, err = encode(s.spellHint(ctx, out))
	return out, data, err
}

// spellHint returns out with the names of tools in its hint, if it has one, as the caller knows them.
func (s *server) spellHint(ctx context.Context, out any) any {
	if out == nil {
		return nil
	}
	v := reflect.New(reflect.TypeOf(out)).Elem()
	v.Set(reflect.ValueOf(out))
	if v.Kind() == reflect.Struct {
		if hint := v.FieldByName("Hint"); hint.IsValid() && hint.Kind() == reflect.String {
			hint.SetString(s.text(ctx, hint.String()))
		}
	}
	return v.Interface()
}

// observe writes the one log line of a call: who, what and how it went, never what was asked or found.
func (s *server) observe(ctx context.Context, o Op, took time.Duration, rows, size int, err error) {
	level := zerolog.InfoLevel
	if fault.CodeOf(err) == fault.Internal {
		level = zerolog.ErrorLevel
	}
	if ctx.Err() != nil { // cancelled by the client or by the end of the session
		level = zerolog.InfoLevel
	}
	e := s.log.WithLevel(level).Str("client", clientinfo.From(ctx).Label).Str("tool", o.Tool.Name).
		Str("decision", decision(err)).Int64("ms", took.Milliseconds())
	if err != nil {
		e = e.Str("code", string(fault.CodeOf(err)))
		if level == zerolog.ErrorLevel {
			e = e.Err(err)
		}
	} else {
		e = e.Int("rows", rows).Int("bytes", size)
	}
	e.Msg("tool called")
}

// cut bounds a text of the caller that is quoted back.
func cut(s string) string {
	if r := []rune(s); len(r) > 64 {
		return string(r[:64]) + "…"
	}
	return s
}
