package tools

import (
	"context"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"weak"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
)

const (
	methodInitialize = "initialize"
	methodDiscover   = "server/discover"
	methodPing       = "ping"
	notifications    = "notifications/"

	// statelessRevision is the first revision without a handshake: every request introduces itself.
	statelessRevision = "2026-07-28"
)

// unintroduced marks the state of a session whose client has not said who it is.
const unintroduced = "openhuman/unintroduced"

// Unintroduced returns the state in which a session over a stream starts. The SDK takes the first
// message of either protocol for the only handshake; with this state it leaves the handshakes to the
// server's own middleware, which takes both, in either order.
func Unintroduced() *mcp.ServerSessionState {
	return &mcp.ServerSessionState{
		InitializeParams:          &mcp.InitializeParams{ProtocolVersion: handshakeRevision(""), Meta: mcp.Meta{unintroduced: true}},
		NegotiatedProtocolVersion: handshakeRevision(""),
	}
}

// handshakeRevision is the revision that answers an initialize that asks for want.
func handshakeRevision(want string) string {
	newest := ""
	for _, v := range mcp.SupportedProtocolVersions() {
		if v >= statelessRevision {
			continue
		}
		if v == want {
			return v
		}
		newest = max(newest, v)
	}
	return newest
}

// callers remembers who introduced themselves by initialize. A session stays known as its first
// caller, whatever it says later, and is forgotten with the session.
type callers struct {
	mu sync.Mutex
	m  map[weak.Pointer[mcp.ServerSession]]clientinfo.Caller
}

func newCallers() *callers {
	return &callers{m: map[weak.Pointer[mcp.ServerSession]]clientinfo.Caller{}}
}

func (c *callers) introduce(s *mcp.ServerSession, who clientinfo.Caller) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := weak.Make(s)
	if _, known := c.m[key]; known {
		return
	}
	c.m[key] = who
	runtime.AddCleanup(s, func(key weak.Pointer[mcp.ServerSession]) {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.m, key)
	}, key)
}

func (c *callers) of(s *mcp.ServerSession) (clientinfo.Caller, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	who, ok := c.m[weak.Make(s)]
	return who, ok
}

// greet answers initialize and server/discover and finds out who makes each request. Stateless
// requests carry their own name, all others go by that of their session.
func (s *server) greet(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		session, _ := req.GetSession().(*mcp.ServerSession)
		if session == nil {
			return next(ctx, method, req)
		}
		if p, ok := req.GetParams().(*mcp.InitializeParams); ok && p != nil {
			return s.initialize(ctx, next, session, p, req)
		}
		known := session.InitializeParams()
		who, introduced := s.callers.of(session)
		name, named := nameIn(metaOf(req))
		switch {
		case named && stateless(req):
			who = clientinfo.MCP(name)
			s.introduced(who.Label)
		case introduced:
		case known != nil && known.ClientInfo != nil: // a session that the SDK has introduced itself
			who = clientinfo.MCP(known.ClientInfo.Name)
		default:
			who = clientinfo.MCP("")
			if known != nil && known.Meta[unintroduced] != nil && !stateless(req) && needsHandshake(method) {
				return nil, &jsonrpc.Error{
					Code:    jsonrpc.CodeInvalidRequest,
					Message: fmt.Sprintf("Invalid request: %q before the handshake. Send initialize first, or name the protocol version in params._meta.", method),
				}
			}
		}
		who.Pinned = s.pinned
		ctx = clientinfo.With(ctx, who)
		if method == methodDiscover {
			return s.discover(ctx), nil
		}
		return next(ctx, method, req)
	}
}

func (s *server) initialize(ctx context.Context, next mcp.MethodHandler, session *mcp.ServerSession, p *mcp.InitializeParams, req mcp.Request) (mcp.Result, error) {
	name := ""
	if p.ClientInfo != nil {
		name = p.ClientInfo.Name
	}
	// The SDK would go on treating a session as one of the revision it asked for.
	p.ProtocolVersion = handshakeRevision(p.ProtocolVersion)
	again := session.InitializeParams() != nil
	s.callers.introduce(session, clientinfo.MCP(name))
	who, _ := s.callers.of(session)
	s.introduced(who.Label)
	who.Pinned = s.pinned
	ctx = clientinfo.With(ctx, who)
	s.log.Info().Str("client", who.Label).Str("revision", p.ProtocolVersion).Msg("client connected")
	if !again {
		if _, err := next(ctx, methodInitialize, req); err != nil {
			return nil, err
		}
	}
	return initializeResult{&mcp.InitializeResult{
		ProtocolVersion: p.ProtocolVersion,
		ServerInfo:      s.implementation,
		Instructions:    s.instructionsFor(ctx),
	}}, nil
}

// discover answers without touching the session: a client may only be probing before it initializes.
func (s *server) discover(ctx context.Context) mcp.Result {
	r := &mcp.DiscoverResult{SupportedVersions: mcp.SupportedProtocolVersions(), Instructions: s.instructionsFor(ctx)}
	r.CacheScope = "private" // tool names in the text follow the client
	return discoverResult{r}
}

func needsHandshake(method string) bool {
	return method != methodPing && !strings.HasPrefix(method, notifications)
}

// metaOf returns the request's _meta. Lists may come without parameters, as a typed nil.
func metaOf(req mcp.Request) mcp.Meta {
	p := req.GetParams()
	if p == nil || reflect.ValueOf(p).IsNil() {
		return nil
	}
	return p.GetMeta()
}

// stateless reports whether the request speaks a revision without a handshake. The session does not
// count: it may have seen both.
func stateless(req mcp.Request) bool {
	v, _ := metaOf(req)[mcp.MetaKeyProtocolVersion].(string)
	return v >= statelessRevision
}

// nameIn returns the client's name from a request's own introduction.
func nameIn(meta mcp.Meta) (name string, ok bool) {
	info, ok := meta[mcp.MetaKeyClientInfo].(map[string]any)
	name, _ = info["name"].(string)
	return name, ok
}

// Declares reports whether the server offers a method. The SDK knows more than that, and judges their
// parameters before it asks anybody, so that a transport does well to ask first.
func Declares(method string) bool {
	switch method {
	case methodInitialize, methodPing, methodDiscover,
		"tools/list", "tools/call", "resources/list", "resources/templates/list", "resources/read":
		return true
	}
	return strings.HasPrefix(method, notifications)
}

// declared refuses every other method, whatever the transport has let through.
func declared(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if Declares(method) {
			return next(ctx, method, req)
		}
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("Method not found: %q.", method)}
	}
}
