package rpc

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
)

// A refusal is a request that goes no further.
type refusal struct {
	status int
	say    string // to the caller
	why    string // to the log; never what the caller sent
}

// guard judges where a request comes from. A web page of another origin, or one whose name was made to
// point here, must get nothing, not even whether there is a server.
func (g *generation) guard(w http.ResponseWriter, r *http.Request) *refusal {
	if !g.knowsHost(r.Host) {
		return &refusal{http.StatusForbidden, "This server does not go by that name. Use the address it listens on, or add the name to [server] allowed_hosts.", "host"}
	}
	if origins := r.Header.Values("Origin"); len(origins) > 0 {
		switch {
		case len(origins) == 1 && sameOrigin(origins[0], r.Host):
		case len(origins) == 1 && slices.ContainsFunc(g.Origins, func(o string) bool { return equalOrigins(o, origins[0]) }):
			allowOrigin(w.Header(), origins[0])
		default:
			return &refusal{http.StatusForbidden, "Web pages of other origins may not call this server. The owner can add one to [server] allowed_origins.", "origin"}
		}
	}
	if r.URL.RawQuery != "" && g.tokenInQuery(r.URL.RawQuery) {
		return &refusal{http.StatusBadRequest, "A token does not belong into an address, which is logged and remembered. Send it as a header: Authorization: Bearer TOKEN.", "token in the address"}
	}
	return nil
}

func allowOrigin(h http.Header, origin string) {
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE")
	h.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Accept, Mcp-Session-Id, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Last-Event-ID")
	h.Set("Access-Control-Expose-Headers", "Mcp-Session-Id")
	h.Set("Access-Control-Max-Age", "600")
	h.Add("Vary", "Origin")
}

// knowsHost reports whether the server goes by the name. Names that are addresses cannot be made to
// point elsewhere, so that a server on every address takes all of them. Any port will do: a tunnel or a
// container may show another one.
func (g *generation) knowsHost(hostport string) bool {
	host, ok := splitHost(hostport)
	if !ok {
		return false
	}
	same := func(name string) bool { return hostOf(name) == host }
	if host == localhost || same(g.Host) || slices.ContainsFunc(g.Hosts, same) {
		return true
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	listen, err := netip.ParseAddr(hostOf(g.Host))
	return addr.IsLoopback() || err == nil && listen.IsUnspecified()
}

const localhost = "localhost"

// splitHost returns the host of a Host header, without its port, its brackets and the dot that ends a
// full name, in lower case. ok is false for what is no host with or without a port.
func splitHost(hostport string) (host string, ok bool) {
	rest := ""
	if in, after, found := strings.Cut(hostport, "]"); found {
		addr, err := netip.ParseAddr(strings.TrimPrefix(in, "["))
		if err != nil || !addr.Is6() || addr.Zone() != "" || in[0] != '[' {
			return "", false
		}
		host, rest = addr.String(), after
	} else if i := strings.IndexByte(hostport, ':'); i >= 0 {
		host, rest = hostport[:i], hostport[i:]
	} else {
		host = hostport
	}
	if port, found := strings.CutPrefix(rest, ":"); found && port != "" {
		if n, err := strconv.ParseUint(port, 10, 16); err != nil || strconv.FormatUint(n, 10) != port {
			return "", false
		}
	} else if !found && rest != "" {
		return "", false
	}
	host = strings.ToLower(host)
	if name, found := strings.CutSuffix(host, "."); found && !strings.HasSuffix(name, ".") {
		if _, err := netip.ParseAddr(name); err != nil {
			host = name
		}
	}
	return host, host != ""
}

// hostOf returns a host as the settings name it in the form of splitHost, with or without brackets.
func hostOf(name string) string {
	if addr, err := netip.ParseAddr(strings.TrimSpace(name)); err == nil {
		return addr.String()
	}
	host, _ := splitHost(strings.TrimSpace(name))
	return host
}

// sameOrigin reports whether a page of the origin is one that this server has served.
func sameOrigin(origin, host string) bool {
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && strings.EqualFold(u.Host, host)
}

func equalOrigins(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(strings.TrimSpace(a), "/"), b)
}

// tokenInQuery reports whether somebody tries to show a token in the address, whatever it is called.
func (g *generation) tokenInQuery(raw string) bool {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return true // not to be understood, so not to be trusted
	}
	for name, values := range query {
		switch strings.ToLower(name) {
		case "token", "access_token", "auth_token", "bearer", "bearer_token", "authorization", "auth", "api_key", "apikey", "key":
			return true
		}
		if slices.ContainsFunc(values, g.isToken) {
			return true
		}
	}
	return false
}

// isToken compares in a time that does not depend on the token.
func (g *generation) isToken(token string) bool {
	want, got := sha256.Sum256([]byte(g.Token)), sha256.Sum256([]byte(token))
	return g.Token != "" && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// bearer returns the token that a request shows.
func bearer(r *http.Request) (token string, ok bool) {
	values := r.Header.Values("Authorization")
	if len(values) != 1 {
		return "", false
	}
	scheme, token, ok := strings.Cut(strings.TrimSpace(values[0]), " ")
	return strings.TrimSpace(token), ok && strings.EqualFold(scheme, "bearer")
}

// authorized runs next for a caller with the token and a method that the path has.
func (s *Server) authorized(w http.ResponseWriter, r *http.Request, g *generation, methods []string, next func()) {
	token, shown := bearer(r)
	if !shown || !g.isToken(token) {
		denied := &refusal{http.StatusUnauthorized, "This needs the token of the server, as a header: Authorization: Bearer TOKEN. It is OPENHUMAN_CORE_TOKEN, or in core.token in the workspace.", "no token"}
		if shown {
			denied.say, denied.why = "That is not the token of this server. It is OPENHUMAN_CORE_TOKEN, or in core.token in the workspace.", "wrong token"
		}
		w.Header().Set("WWW-Authenticate", `Bearer realm="openhuman-core"`)
		s.turnAway(w, r, denied)
		return
	}
	only(w, r, methods, next)
}

// only runs next for the methods that a path has.
func only(w http.ResponseWriter, r *http.Request, methods []string, next func()) {
	if slices.Contains(methods, r.Method) {
		next()
		return
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	refuse(w, http.StatusMethodNotAllowed, "Only "+strings.Join(methods, ", ")+" will do here.")
}

// turnAway answers a request that goes no further, and logs that it does not: neither its address nor
// what it holds.
func (s *Server) turnAway(w http.ResponseWriter, r *http.Request, d *refusal) {
	path := "other"
	if slices.Contains([]string{"/", "/rpc", "/mcp", "/schema", "/health"}, r.URL.Path) {
		path = r.URL.Path
	}
	s.log.Warn().Str("client", clientinfo.HTTP).Str("path", path).Int("status", d.status).Str("reason", d.why).Msg("request refused")
	refuse(w, d.status, d.say)
}
