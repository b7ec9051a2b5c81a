package rpc

import (
	"context"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// rpc answers POST /rpc.
func (s *Server) rpc(w http.ResponseWriter, r *http.Request, g *generation) {
	if denied := readable(r); denied != nil {
		s.turnAway(w, r, denied)
		return
	}
	body, denied := s.read(w, r)
	if denied != nil {
		s.turnAway(w, r, denied)
		return
	}
	parts, batch, bad := parse(body, s.limits)
	if bad != nil {
		s.log.Info().Str("client", clientinfo.HTTP).Int64("code", bad.Code).Int("bytes", len(body)).Msg("request not understood")
		write(w, http.StatusOK, failed(nil, bad).append(nil))
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), s.limits.Request)
	defer cancel()
	done, denied := s.turns.take(ctx)
	if denied != nil {
		s.turnAway(w, r, denied)
		return
	}
	defer done()
	ctx = caller(ctx)
	var answers []*answer
	for _, p := range parts {
		if a := s.answer(ctx, g, p); a != nil {
			answers = append(answers, a)
		}
	}
	switch {
	case answers == nil: // nothing but notifications
		w.WriteHeader(http.StatusNoContent)
	case batch:
		b := []byte{'['}
		for i, a := range answers {
			if i > 0 {
				b = append(b, ',')
			}
			b = a.append(b)
		}
		write(w, http.StatusOK, append(b, ']'))
	default:
		status := http.StatusOK
		if seconds, ok := tools.RetryAfter(answers[0].cause); ok {
			status = http.StatusTooManyRequests
			w.Header().Set("Retry-After", strconv.Itoa(seconds))
		}
		write(w, status, answers[0].append(nil))
	}
}

// caller returns the context of a call over /rpc.
func caller(ctx context.Context) context.Context {
	return clientinfo.With(ctx, clientinfo.Caller{Label: clientinfo.HTTP, Client: clientinfo.HTTP})
}

// readable refuses bodies that say they are something else than JSON. curl -d says that it sends a
// form, and means JSON.
func readable(r *http.Request) *refusal {
	if r.Header.Get("Content-Encoding") != "" {
		return &refusal{http.StatusUnsupportedMediaType, "The body must not be compressed.", "content encoding"}
	}
	given := r.Header.Get("Content-Type")
	if given == "" {
		return nil
	}
	kind, _, err := mime.ParseMediaType(given)
	if err == nil && (kind == "application/x-www-form-urlencoded" || strings.HasPrefix(kind, "application/json") || strings.HasSuffix(kind, "+json")) {
		return nil
	}
	return &refusal{http.StatusUnsupportedMediaType, "The body must be JSON: Content-Type: application/json.", "content type"}
}

// answer runs one call; nil for a notification.
func (s *Server) answer(ctx context.Context, g *generation, p part) *answer {
	if p.bad != nil {
		return failed(p.id, p.bad)
	}
	o, ok := tools.ByMethod(p.method)
	if !ok {
		s.log.Info().Str("client", clientinfo.HTTP).Int64("code", codeMethod).Msg("unknown method")
		tools.RecordUnknown(ctx, g.Deps, p.params)
		if p.id == nil {
			return nil
		}
		return failed(p.id, unknownMethod(p.method))
	}
	start := time.Now()
	out, rows, err := s.run(ctx, g, o, p)
	s.logCall(ctx, call{o.Method, rows, len(out), time.Since(start), err})
	switch {
	case p.id == nil:
		return nil
	case err != nil:
		a := failed(p.id, failureOf(err))
		a.cause = err
		return a
	}
	return &answer{id: p.id, result: out}
}

func (s *Server) run(ctx context.Context, g *generation, o tools.Op, p part) (out []byte, rows int, err error) {
	defer func() {
		if v := recover(); v != nil {
			s.logPanic(v, debug.Stack())
			out, rows, err = nil, 0, errors.New("panicked")
		}
	}()
	return o.Answer(ctx, g.Deps, p.params, s.limits.Call)
}

// A call is how one call went.
type call struct {
	method      string
	rows, bytes int
	took        time.Duration
	err         error
}

// logCall writes the one line of a call: what and how it went, never what was asked or found.
func (s *Server) logCall(ctx context.Context, c call) {
	level, decision, code := zerolog.InfoLevel, "allowed", fault.CodeOf(c.err)
	switch code {
	case fault.Internal:
		level = zerolog.ErrorLevel
	case fault.Denied:
		decision = "denied"
	}
	if ctx.Err() != nil { // the caller has gone, or has asked for too much at once
		level = zerolog.InfoLevel
	}
	e := s.log.WithLevel(level).Str("client", clientinfo.HTTP).Str("tool", c.method).Str("decision", decision).Int64("ms", c.took.Milliseconds())
	if c.err == nil {
		e = e.Int("rows", c.rows).Int("bytes", c.bytes)
	} else if e = e.Str("code", string(code)); level == zerolog.ErrorLevel {
		e = e.Err(c.err)
	}
	e.Msg("method called")
}

// logPanic keeps the value out, which may quote memory text.
func (s *Server) logPanic(v any, stack []byte) {
	s.log.Error().Str("client", clientinfo.HTTP).Str("panic", fmt.Sprintf("%T", v)).Bytes("stack", stack).Msg("request panicked")
}

// refuse answers a request that is not let in, in the form of JSON-RPC, whatever it asked for.
func refuse(w http.ResponseWriter, status int, say string) {
	code := fault.Invalid
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		code = fault.Denied
	case http.StatusTooManyRequests, http.StatusServiceUnavailable:
		code = fault.Unavailable
		w.Header().Set("Retry-After", "1")
	case http.StatusInternalServerError:
		code = fault.Internal
	}
	rpcCode := int64(codeRequest)
	if code != fault.Invalid {
		rpcCode = fault.WireOf(fault.New(code, "")).RPC
	}
	write(w, status, failed(nil, &failure{rpcCode, say, &data{Code: code}}).append(nil))
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	data, err := tools.Encode(v)
	if err != nil { // nothing that is written here cannot be encoded
		refuse(w, http.StatusInternalServerError, "Internal error.")
		return
	}
	write(w, status, data)
}

func write(w http.ResponseWriter, status int, data []byte) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(data)+1))
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // a caller that has gone is no failure of the server
}
