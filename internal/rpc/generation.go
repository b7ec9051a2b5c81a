package rpc

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
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
		s.pass(handler, w, r.WithContext(ctx), nil)
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
	done, denied := s.turns.take(r.Context())
	if denied != nil {
		s.turnAway(w, r, denied)
		return
	}
	defer done()
	r.Body = io.NopCloser(bytes.NewReader(body))
	s.pass(handler, w, r, parseOne(bytes.TrimSpace(body)).id)
}

// pass has the SDK answer a request, and its errors written as JSON-RPC.
func (s *Server) pass(handler http.Handler, w http.ResponseWriter, r *http.Request, id json.RawMessage) {
	c := &coding{ResponseWriter: w, id: id}
	handler.ServeHTTP(c, r)
	if status := c.finish(); status != 0 {
		s.log.Warn().Str("client", clientinfo.Bare).Str("path", "/mcp").Int("status", status).Msg("request refused")
	}
}
