package rpc

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

const (
	headerProtocol = "Mcp-Protocol-Version"
	headerSession  = "Mcp-Session-Id"

	// statelessRevision is the first revision of MCP without sessions.
	statelessRevision = "2026-07-28"
)

// A generation is a backend with what hangs on it: the sessions of MCP, and the requests that run.
type generation struct {
	Backend
	sessions, stateless http.Handler
	busy                sync.WaitGroup

	streams context.Context // ends when the generation does
	stop    context.CancelFunc
}

func (s *Server) generation(b Backend) *generation {
	g := &generation{Backend: b}
	g.streams, g.stop = context.WithCancel(context.Background())
	if b.MCP == nil {
		return g
	}
	serve := func(*http.Request) *mcp.Server { return b.MCP }
	g.sessions = mcp.NewStreamableHTTPHandler(serve, &mcp.StreamableHTTPOptions{
		JSONResponse: true, SessionTimeout: s.limits.Session, DisableLocalhostProtection: true, // guard is stricter
	})
	g.stateless = mcp.NewStreamableHTTPHandler(serve, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, DisableLocalhostProtection: true,
	})
	return g
}

// retire ends the sessions, waits for the requests that run, and lets go of the backend.
func (g *generation) retire() {
	g.stop()
	if g.MCP != nil {
		for session := range g.MCP.Sessions() {
			_ = session.Close() // the client sees its stream end, and the session unknown
		}
	}
	g.busy.Wait()
	if g.Close != nil {
		g.Close()
	}
}

// mcp serves MCP over Streamable HTTP: with sessions up to revision 2025-11-25, without from
// 2026-07-28 on.
func (s *Server) mcp(w http.ResponseWriter, r *http.Request, g *generation) {
	if g.MCP == nil {
		refuse(w, http.StatusNotFound, "MCP is not served here.")
		return
	}
	handler := g.sessions
	if strings.TrimSpace(r.Header.Get(headerProtocol)) >= statelessRevision {
		handler = g.stateless
	}
	if r.Method != http.MethodPost {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(g.streams, cancel)()
		s.pass(handler, w, r.WithContext(ctx), part{})
		return
	}
	body, denied := s.read(w, r)
	if denied != nil {
		s.turnAway(w, r, denied)
		return
	}
	if bad := misread(body, s.limits); bad != nil {
		s.log.Info().Str("client", clientinfo.Bare).Int64("code", bad.Code).Int("bytes", len(body)).Msg("request not understood")
		write(w, http.StatusBadRequest, failed(nil, bad).append(nil))
		return
	}
	p := parseOne(bytes.TrimSpace(body))
	if handler == g.sessions && r.Header.Get(headerSession) == "" && early(p) {
		s.log.Info().Str("client", clientinfo.Bare).Int64("code", codeRequest).Msg("request before the handshake")
		bad := invalidRequest("%q before the handshake. Send initialize first, and the session that it gives with every request; or revision %s as %s.",
			p.method, statelessRevision, headerProtocol)
		write(w, http.StatusBadRequest, failed(p.id, bad).append(nil))
		return
	}
	done, denied := s.turns.take(r.Context())
	if denied != nil {
		s.turnAway(w, r, denied)
		return
	}
	defer done()
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.pass(handler, w, r, p)
}

// early reports whether a request without a session needs one. What introduces itself as a revision
// without sessions, and lacks the header of one, is told so by the SDK.
func early(p part) bool {
	switch p.method {
	case "initialize", "ping", "server/discover":
		return false
	}
	return p.id != nil && tools.Declares(p.method) && !bytes.Contains(p.params, []byte(mcp.MetaKeyProtocolVersion))
}

// pass has the SDK answer a request, and its errors written as JSON-RPC.
func (s *Server) pass(handler http.Handler, w http.ResponseWriter, r *http.Request, p part) {
	c := &coding{ResponseWriter: w, id: p.id, method: p.method}
	handler.ServeHTTP(c, r)
	if status := c.finish(); status != 0 {
		s.log.Warn().Str("client", clientinfo.Bare).Str("path", "/mcp").Int("status", status).Msg("request refused")
	}
}
