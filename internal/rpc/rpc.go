// Package rpc serves the operations over HTTP: JSON-RPC 2.0 on /rpc, MCP on /mcp, what there is on
// /schema, whether the server lives on /health. It knows envelopes, tokens, limits and connections;
// what an operation does, and for whom, is decided behind the catalog, as on every other surface.
package rpc

import (
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/openhuman/openhuman-core/pkg/tools"
)

// Limits bound what callers can make the server do. Zero fields mean those of [DefaultLimits].
type Limits struct {
	Body        int64         // bytes of a request
	Depth       int           // of nested JSON
	Batch       int           // calls in one request
	Call        time.Duration // one call
	Request     time.Duration // reading a body, and waiting for and running what it asks for
	Concurrency int           // requests that run at once
	Waiting     int           // requests that may wait for their turn
	Patience    time.Duration // how long they wait
	Connections int           // open at once
	Session     time.Duration // of MCP, without a request
}

// DefaultLimits are generous for a person and stingy for a flood.
func DefaultLimits() Limits {
	return Limits{
		Body: 1 << 20, Depth: 64, Batch: 100, Call: tools.DefaultTimeout, Request: time.Minute,
		Concurrency: tools.DefaultConcurrency, Waiting: 256, Patience: 20 * time.Second, Connections: 512, Session: 30 * time.Minute,
	}
}

func (l Limits) orDefaults() Limits {
	d := DefaultLimits()
	l.Body, l.Depth, l.Batch = or(l.Body, d.Body), or(l.Depth, d.Depth), or(l.Batch, d.Batch)
	l.Call, l.Request = or(l.Call, d.Call), or(l.Request, d.Request)
	l.Concurrency, l.Waiting, l.Patience = or(l.Concurrency, d.Concurrency), or(l.Waiting, d.Waiting), or(l.Patience, d.Patience)
	l.Connections, l.Session = or(l.Connections, d.Connections), or(l.Session, d.Session)
	return l
}

func or[T int | int64 | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// A Backend is what is served, for as long as one reading of the settings is in effect.
type Backend struct {
	Deps tools.Deps
	MCP  *mcp.Server // over the same; nil: /mcp is not there

	Token   string   // must not be empty
	Host    string   // what the server was told to listen on
	Hosts   []string // further names it goes by
	Origins []string // web pages elsewhere that may call

	// Close, when set, is called once nothing uses the backend any more.
	Close func()
}

// Options are what a Server is made from.
type Options struct {
	Backend Backend
	Version string
	Log     zerolog.Logger
	Limits  Limits
	// Static, when set, answers every other path, without a token.
	Static http.Handler
}

// Server answers requests. It is safe for concurrent use.
type Server struct {
	log     zerolog.Logger
	version string
	limits  Limits
	turns   turns
	static  http.Handler

	mu      sync.RWMutex
	current *generation
	retired sync.WaitGroup
}

// New returns a Server over o.Backend.
func New(o Options) *Server {
	s := &Server{log: o.Log, version: o.Version, limits: o.Limits.orDefaults(), static: o.Static}
	s.turns = newTurns(s.limits)
	if s.static == nil {
		s.static = http.HandlerFunc(signpost)
	}
	s.current = s.generation(o.Backend)
	return s
}

// Use serves b from now on. Calls that run end on what they began with; MCP sessions end, so that
// nobody goes on with what the old settings allowed.
func (s *Server) Use(b Backend) {
	next := s.generation(b)
	s.mu.Lock()
	old := s.current
	if old == nil { // closed meanwhile
		old = next
	} else {
		s.current = next
	}
	s.mu.Unlock()
	s.retired.Go(old.retire)
}

// Close ends the sessions and waits for what runs.
func (s *Server) Close() {
	s.mu.Lock()
	old := s.current
	s.current = nil
	s.mu.Unlock()
	if old != nil {
		s.retired.Go(old.retire)
	}
	s.retired.Wait()
}

// enter returns what is being served, which stays until leave is called; nil after Close.
func (s *Server) enter() *generation {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.current != nil {
		s.current.busy.Add(1)
	}
	return s.current
}

func (g *generation) leave() { g.busy.Done() }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if v := recover(); v != nil && v != http.ErrAbortHandler {
			s.logPanic(v, debug.Stack())
			refuse(w, http.StatusInternalServerError, "Internal error. The server's log has the details.")
		}
	}()
	g := s.enter()
	if g == nil {
		refuse(w, http.StatusServiceUnavailable, "The server is stopping.")
		return
	}
	defer g.leave()
	header := w.Header()
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Cache-Control", "no-store")
	defer awaitBody(w, r)()
	if denied := g.guard(w, r); denied != nil {
		s.turnAway(w, r, denied)
		return
	}
	if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" && header.Get("Access-Control-Allow-Origin") != "" {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	switch r.URL.Path {
	case "/health":
		only(w, r, []string{http.MethodGet, http.MethodHead}, func() { s.health(w, r, g) })
	case "/rpc":
		s.authorized(w, r, g, []string{http.MethodPost}, func() { s.rpc(w, r, g) })
	case "/schema":
		s.authorized(w, r, g, []string{http.MethodGet, http.MethodHead}, func() { s.schema(w, r, g) })
	case "/mcp":
		s.authorized(w, r, g, []string{http.MethodPost, http.MethodGet, http.MethodDelete}, func() { s.mcp(w, r, g) })
	default:
		only(w, r, []string{http.MethodGet, http.MethodHead}, func() { s.static.ServeHTTP(w, r) })
	}
}

// health says that the server lives, and whether the memory can be read; nothing else, for anybody
// may ask.
func (s *Server) health(w http.ResponseWriter, r *http.Request, g *generation) {
	writeJSON(w, http.StatusOK, struct {
		Status  string `json:"status"`
		Name    string `json:"name"`
		Version string `json:"version"`
		Memory  string `json:"memory"`
	}{"ok", tools.Name, s.version, g.Deps.Controller.Health(r.Context())})
}

// Missing answers requests for paths that nothing has, for a handler that is Static.
var Missing http.Handler = http.HandlerFunc(signpost)

// signpost stands where there is no page.
func signpost(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path != "/" {
		refuse(w, http.StatusNotFound, "There is nothing here. JSON-RPC is at POST /rpc, MCP at /mcp, the methods at GET /schema.")
		return
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = w.Write([]byte("openhuman-core: JSON-RPC at POST /rpc, MCP at /mcp, the methods at GET /schema, GET /health.\n"))
}
