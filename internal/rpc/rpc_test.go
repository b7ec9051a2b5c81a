package rpc_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"github.com/openhuman/openhuman-core/internal/rpc"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const token = "a-token-of-the-tests"

// secret stands in everything that must not be logged.
const secret = "hunter2"

// memory is a store with one chunk; do, when set, is asked before every read.
func memory(t *testing.T) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	content := "The boiler warranty <b>ends</b> & is " + secret + "."
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.PutDocument(store.DocumentRecord{
			Source: store.SourceMeta{SourceID: "notes:work", Kind: "document"}, Identity: "1", SourceRef: "boiler.md", Hash: [32]byte{1},
			Chunks: []store.ChunkRecord{{ChunkID: "c1", Content: content, TokenCount: 9, TimestampMS: 1_700_000_000_000, Index: store.IndexText{Body: "boiler warranty " + secret}}},
		})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// slow is a store whose searches wait.
type slow struct {
	controller.Store
	wait func(context.Context) error
}

func (s slow) SearchChunks(ctx context.Context, q store.ChunkQuery) ([]store.ChunkHit, error) {
	if err := s.wait(ctx); err != nil {
		return nil, err
	}
	return s.Store.SearchChunks(ctx, q)
}

// logs collects log lines.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) { l.mu.Lock(); defer l.mu.Unlock(); return l.b.Write(p) }
func (l *logs) String() string              { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

// a site is a server on a port of its own.
type site struct {
	t      *testing.T
	url    string
	server *rpc.Server
	log    *logs
	stop   func()
}

func backend(s controller.Store, o policy.Options) rpc.Backend {
	p, err := policy.New(o)
	if err != nil {
		panic(err)
	}
	c := controller.New(controller.Options{Store: s, Policy: p, Registry: controller.Registry{Tools: tools.Registry}})
	return rpc.Backend{
		Deps:  tools.Deps{Controller: c, Policy: p},
		MCP:   tools.Server(tools.Options{Controller: c, Policy: p, Version: "1.2.3", Log: zerolog.Nop()}),
		Token: token, Host: "127.0.0.1",
	}
}

func open(t *testing.T, b rpc.Backend, edit func(*rpc.Options)) *site {
	t.Helper()
	l := &logs{}
	o := rpc.Options{Backend: b, Version: "1.2.3", Log: zerolog.New(l)}
	if edit != nil {
		edit(&o)
	}
	s := &site{t: t, server: rpc.New(o), log: l}
	listener, err := rpc.Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	s.url = rpc.URL("127.0.0.1", listener)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.server.Serve(ctx, listener) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Serve returned %v", err)
			}
		case <-time.After(20 * time.Second):
			t.Error("the server does not stop")
		}
		http.DefaultClient.CloseIdleConnections()
	})
	t.Cleanup(s.stop)
	return s
}

// do sends a request, with the token unless headers say otherwise, and returns the answer.
func (s *site) do(method, path, body string, headers ...string) (status int, answer string, h http.Header) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		switch {
		case headers[i] == "Host":
			r.Host = headers[i+1]
		case headers[i+1] == "":
			r.Header.Del(headers[i])
		default:
			r.Header.Set(headers[i], headers[i+1])
		}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, strings.TrimSpace(string(data)), res.Header
}

func (s *site) rpc(body string) string {
	s.t.Helper()
	status, answer, _ := s.do("POST", "/rpc", body)
	if status != http.StatusOK {
		s.t.Errorf("%s: status %d", body, status)
	}
	return answer
}

// TestEnvelopes are the cases of the JSON-RPC 2.0 specification, and those that callers invent.
func TestEnvelopes(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	const list = `"method":"openhuman.memory_tree_list_sources"`
	sources := s.rpc(`{"jsonrpc":"2.0","id":1,` + list + `}`)
	if !strings.HasPrefix(sources, `{"jsonrpc":"2.0","id":1,"result":{"sources":[`) {
		t.Fatal(sources)
	}
	result := strings.TrimSuffix(strings.TrimPrefix(sources, `{"jsonrpc":"2.0","id":1,`), "}")
	ok := func(id string) string { return `{"jsonrpc":"2.0","id":` + id + `,` + result + `}` }
	bad := func(id, code, message string) string {
		return `{"jsonrpc":"2.0","id":` + id + `,"error":{"code":` + code + `,"message":"` + message + `"}}`
	}
	const call = "Invalid request: a call is an object."
	for _, c := range []struct{ name, body, want string }{
		{"number", `{"jsonrpc":"2.0","id":7,` + list + `}`, ok("7")},
		{"text", `{"jsonrpc":"2.0","id":"x<y",` + list + `}`, ok(`"x<y"`)},
		{"null is an id", `{"jsonrpc":"2.0","id":null,` + list + `}`, ok("null")},
		{"a large number stays exact", `{"jsonrpc":"2.0","id":9007199254740993,` + list + `}`, ok("9007199254740993")},
		{"a fraction", `{"jsonrpc":"2.0","id":1.50,` + list + `}`, ok("1.50")},
		{"no parameters", `{"jsonrpc":"2.0","id":1,"params":{},` + list + `}`, ok("1")},
		{"null parameters", `{"jsonrpc":"2.0","id":1,"params":null,` + list + `}`, ok("1")},
		{"an empty list of parameters", `{"jsonrpc":"2.0","id":1,"params":[ ],` + list + `}`, ok("1")},
		{"further members", `{"jsonrpc":"2.0","id":1,"trace":{},` + list + `}`, ok("1")},
		{"blanks and a mark", "\ufeff \n{\"jsonrpc\":\"2.0\",\"id\":1," + list + "}\r\n", ok("1")},

		{"empty", ``, bad("null", "-32700", "Parse error: the body is empty.")},
		{"not JSON", `{"jsonrpc":"2.0","method":"foo`, bad("null", "-32700", "Parse error: the body is not JSON.")},
		{"two objects", `{"jsonrpc":"2.0","id":1,` + list + `}{}`, bad("null", "-32700", "Parse error: the body is not JSON.")},
		{"not UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xff\"}", bad("null", "-32700", "Parse error: the body is not UTF-8.")},
		{"deep", strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), bad("null", "-32600", "Invalid request: nested deeper than 64 levels.")},
		{"deep and unfinished", strings.Repeat(`{"a":`, 100_000), bad("null", "-32600", "Invalid request: nested deeper than 64 levels.")},
		{"brackets in text are not deep", `{"jsonrpc":"2.0","id":"` + strings.Repeat("[", 100) + `\"` + strings.Repeat("{", 100) + `",` + list + `}`, ok(`"` + strings.Repeat("[", 100) + `\"` + strings.Repeat("{", 100) + `"`)},
		{"text", `"hello"`, bad("null", "-32600", call)},
		{"number", `1`, bad("null", "-32600", call)},
		{"no method", `{"jsonrpc":"2.0","id":3}`, bad("3", "-32600", "Invalid request: method must be a string.")},
		{"method is a number", `{"jsonrpc":"2.0","id":3,"method":1,"params":"bar"}`, bad("3", "-32600", "Invalid request: method must be a string.")},
		{"no version", `{"id":3,` + list + `}`, bad("3", "-32600", `Invalid request: jsonrpc must be \"2.0\".`)},
		{"version is a number", `{"jsonrpc":2.0,"id":3,` + list + `}`, bad("3", "-32600", `Invalid request: jsonrpc must be \"2.0\".`)},
		{"version 1", `{"jsonrpc":"1.0","id":3,` + list + `}`, bad("3", "-32600", `Invalid request: jsonrpc must be \"2.0\".`)},
		{"id is true", `{"jsonrpc":"2.0","id":true,` + list + `}`, bad("null", "-32600", "Invalid request: id must be a string, a number or null.")},
		{"id is a list", `{"jsonrpc":"2.0","id":[1],` + list + `}`, bad("null", "-32600", "Invalid request: id must be a string, a number or null.")},
		{"parameters are text", `{"jsonrpc":"2.0","id":1,"params":"{}",` + list + `}`, bad("1", "-32600", "Invalid request: params must be an object.")},
		{"members have one spelling", `{"JSONRPC":"2.0","ID":1,"Method":"x"}`, bad("null", "-32600", `Invalid request: jsonrpc must be \"2.0\".`)},

		{"a batch", `[{"jsonrpc":"2.0","id":1,` + list + `},{"jsonrpc":"2.0",` + list + `},{"foo":"boo"},{"jsonrpc":"2.0","id":"9",` + list + `}]`,
			"[" + ok("1") + "," + bad("null", "-32600", `Invalid request: jsonrpc must be \"2.0\".`) + "," + ok(`"9"`) + "]"},
		{"a batch of one", `[{"jsonrpc":"2.0","id":1,` + list + `}]`, "[" + ok("1") + "]"},
		{"an empty batch", `[]`, bad("null", "-32600", "Invalid request: the batch is empty.")},
		{"a batch of nonsense", `[1,2]`, "[" + bad("null", "-32600", call) + "," + bad("null", "-32600", call) + "]"},
		{"a batch that is no JSON", `[{"jsonrpc":"2.0"},`, bad("null", "-32700", "Parse error: the body is not JSON.")},
		{"a batch of 10,000", "[" + strings.TrimSuffix(strings.Repeat(`{"jsonrpc":"2.0","id":1,"method":"x"},`, 10_000), ",") + "]",
			bad("null", "-32600", "Invalid request: the batch has 10000 calls, and at most 100 may come at once.")},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, s.rpc(c.body)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestNotificationsGetNoAnswer(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	const list = `{"jsonrpc":"2.0","method":"openhuman.memory_tree_list_sources"}`
	for _, body := range []string{list, "[" + list + "," + list + "]", `{"jsonrpc":"2.0","method":"nothing"}`} {
		if status, answer, _ := s.do("POST", "/rpc", body); status != http.StatusNoContent || answer != "" {
			t.Errorf("%s: %d %q", body, status, answer)
		}
	}
	if ran := strings.Count(s.log.String(), "method called"); ran != 3 {
		t.Errorf("ran %d calls\n%s", ran, s.log)
	}
}

func TestErrors(t *testing.T) {
	broken := backend(slow{memory(t), func(context.Context) error { return errors.New("disk on fire: " + secret) }}, policy.Options{})
	panics := backend(slow{memory(t), func(context.Context) error { panic(secret) }}, policy.Options{})
	late := backend(slow{memory(t), func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }}, policy.Options{})
	denied := backend(memory(t), policy.Options{DenyTools: []string{"memory.search"}})
	withheld := backend(memory(t), policy.Options{Withhold: fault.New(fault.Unavailable, "Nothing is served.").WithHint("Mend it.")})
	const search = `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_search","params":{"query":"` + secret + `"}}`
	const internal = `"error":{"code":-32603,"message":"Internal error. The server's log (stderr) has the details.","data":{"code":"internal"}}`
	for _, c := range []struct {
		name    string
		backend rpc.Backend
		body    string
		want    string
	}{
		{"unknown method", backend(memory(t), policy.Options{}), `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_serch"}`,
			`"error":{"code":-32601,"message":"Method not found.","data":{"code":"invalid","hint":"Did you mean openhuman.memory_tree_search? GET /schema lists the methods."}}`},
		{"a tool's name", backend(memory(t), policy.Options{}), `{"jsonrpc":"2.0","id":1,"method":"memory_search"}`,
			`"error":{"code":-32601,"message":"Method not found.","data":{"code":"invalid","hint":"That is the name of a tool; its method is openhuman.memory_tree_search."}}`},
		{"parameters in a list", backend(memory(t), policy.Options{}), `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_search","params":["boiler"]}`,
			`"error":{"code":-32602,"message":"Invalid params: they are an object with names, not a list.","data":{"code":"invalid","hint":"GET /schema has the names of every method."}}`},
		{"a parameter is missing", backend(memory(t), policy.Options{}), `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_search"}`,
			`"error":{"code":-32602,"message":"\"query\" is required and must not be empty.","data":{"code":"invalid","hint":"memory.search takes query (required), k."}}`},
		{"a parameter of a wrong type", backend(memory(t), policy.Options{}), `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_search","params":{"query":{"a":1}}}`,
			`"error":{"code":-32602,"message":"\"query\" must be a string.","data":{"code":"invalid","hint":"memory.search takes query (required), k."}}`},
		{"an unknown parameter", backend(memory(t), policy.Options{}), `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_search","params":{"query":"x","limit":3}}`,
			`"error":{"code":-32602,"message":"There is no argument \"limit\"; did you mean \"k\"?","data":{"code":"invalid","hint":"memory.search takes query (required), k."}}`},
		{"an unknown chunk", backend(memory(t), policy.Options{}), `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_get_chunk","params":{"chunk_id":"nothing"}}`, `"code":-32004`},
		{"an unknown entry", backend(memory(t), policy.Options{}), `{"jsonrpc":"2.0","id":1,"method":"openhuman.tool_registry_get","params":{"tool_id":"memory.serch"}}`,
			`"error":{"code":-32602,"message":"The registry has no tool \"memory.serch\".","data":{"code":"invalid","hint":"Did you mean memory.search? openhuman.tool_registry_list has them all."}}`},
		{"denied", denied, search, `"error":{"code":-32003,"message":"memory.search is not allowed for http."`},
		{"withheld", withheld, search, `"error":{"code":-32001,"message":"Nothing is served.","data":{"code":"unavailable","hint":"Mend it."}}`},
		{"broken", broken, search, internal},
		{"panics", panics, search, internal},
		{"too slow", late, search, `"error":{"code":-32001,"message":"openhuman.memory_tree_search took longer than 100ms.","data":{"code":"unavailable"`},
		{"no web search", backend(memory(t), policy.Options{}), `{"jsonrpc":"2.0","id":1,"method":"openhuman.tools_web_search","params":{"query":"x"}}`, `"code":-32001`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := open(t, c.backend, func(o *rpc.Options) {
				if c.name == "too slow" {
					o.Limits.Call = 100 * time.Millisecond
				}
			})
			if got := s.rpc(c.body); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1,"error":`) || !strings.Contains(got, c.want) {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
			if log := strings.ReplaceAll(s.log.String(), "disk on fire: "+secret, ""); strings.Contains(log, secret) {
				t.Errorf("the log quotes what was asked:\n%s", log)
			}
		})
	}
}

func TestGuard(t *testing.T) {
	b := backend(memory(t), policy.Options{})
	b.Hosts, b.Origins = []string{"memory.example.org"}, []string{"https://dash.example.org/"}
	s := open(t, b, nil)
	port := s.url[strings.LastIndexByte(s.url, ':'):]
	const body = `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_list_sources"}`
	for _, c := range []struct {
		name, method, path string
		headers            []string
		want               int
	}{
		{"token", "POST", "/rpc", nil, 200},
		{"scheme in other letters", "POST", "/rpc", []string{"Authorization", "bEARER  " + token}, 200},
		{"no token", "POST", "/rpc", []string{"Authorization", ""}, 401},
		{"wrong token", "POST", "/rpc", []string{"Authorization", "Bearer " + token + "x"}, 401},
		{"beginning of the token", "POST", "/rpc", []string{"Authorization", "Bearer " + token[:5]}, 401},
		{"empty token", "POST", "/rpc", []string{"Authorization", "Bearer "}, 401},
		{"another scheme", "POST", "/rpc", []string{"Authorization", "Basic " + token}, 401},
		{"no scheme", "POST", "/rpc", []string{"Authorization", token}, 401},
		{"schema needs it", "GET", "/schema", []string{"Authorization", ""}, 401},
		{"mcp needs it", "POST", "/mcp", []string{"Authorization", ""}, 401},
		{"health does not", "GET", "/health", []string{"Authorization", ""}, 200},
		{"nor does the page", "GET", "/", []string{"Authorization", ""}, 200},
		{"token in the address", "POST", "/rpc?token=" + token, nil, 400},
		{"wrong token in the address", "POST", "/rpc?access_token=x", nil, 400},
		{"token under another name", "GET", "/?x=" + token, []string{"Authorization", ""}, 400},
		{"an address that cannot be read", "GET", "/health?%zz", nil, 400},
		{"other queries are fine", "GET", "/health?pretty=1", nil, 200},

		{"localhost", "POST", "/rpc", []string{"Host", "localhost" + port}, 200},
		{"LOCALHOST.", "POST", "/rpc", []string{"Host", "LOCALHOST." + port}, 200},
		{"without a port", "POST", "/rpc", []string{"Host", "127.0.0.1"}, 200},
		{"IPv6", "POST", "/rpc", []string{"Host", "[::1]" + port}, 200},
		{"another address of this machine", "POST", "/rpc", []string{"Host", "127.0.0.2" + port}, 200},
		{"IPv6 without a port", "POST", "/rpc", []string{"Host", "[::1]"}, 200},
		{"IPv6 of IPv4", "POST", "/rpc", []string{"Host", "[::ffff:127.0.0.1]" + port}, 200},
		{"localhost. without a port", "POST", "/rpc", []string{"Host", "localhost."}, 200},
		{"the port of a tunnel", "POST", "/rpc", []string{"Host", "localhost:1"}, 200},
		{"two dots", "POST", "/rpc", []string{"Host", "localhost.." + port}, 403},
		{"a name below localhost", "POST", "/rpc", []string{"Host", "evil.localhost" + port}, 403},
		{"IPv4 in brackets", "POST", "/rpc", []string{"Host", "[127.0.0.1]" + port}, 403},
		{"a name in brackets", "POST", "/rpc", []string{"Host", "[localhost]" + port}, 403},
		{"a name that begins like an address", "POST", "/rpc", []string{"Host", "127.0.0.1.evil.example" + port}, 403},
		{"a shortened address", "POST", "/rpc", []string{"Host", "127.1" + port}, 403},
		{"an address as one number", "POST", "/rpc", []string{"Host", "2130706433" + port}, 403},
		{"an address with a dot", "POST", "/rpc", []string{"Host", "127.0.0.1." + port}, 403},
		{"an octal address", "POST", "/rpc", []string{"Host", "0177.0.0.1" + port}, 403},
		{"every address", "POST", "/rpc", []string{"Host", "0.0.0.0" + port}, 403},
		{"a port that is none", "POST", "/rpc", []string{"Host", "localhost:99999"}, 403},
		{"a name of its own", "POST", "/rpc", []string{"Host", "Memory.example.org"}, 200},
		{"another name", "POST", "/rpc", []string{"Host", "evil.example"}, 403},
		{"another name for health", "GET", "/health", []string{"Host", "evil.example"}, 403},
		{"a name that only begins right", "POST", "/rpc", []string{"Host", "localhost.evil.example"}, 403},
		{"an address of elsewhere", "POST", "/rpc", []string{"Host", "10.0.0.1"}, 403},

		{"same origin", "POST", "/rpc", []string{"Origin", "http://127.0.0.1" + port}, 200},
		{"an origin that is allowed", "POST", "/rpc", []string{"Origin", "https://dash.example.org"}, 200},
		{"another origin", "POST", "/rpc", []string{"Origin", "https://evil.example"}, 403},
		{"another port is another origin", "POST", "/rpc", []string{"Origin", "http://127.0.0.1:1"}, 403},
		{"no origin to speak of", "POST", "/rpc", []string{"Origin", "null"}, 403},
		{"another origin for mcp", "POST", "/mcp", []string{"Origin", "https://evil.example"}, 403},

		{"GET", "GET", "/rpc", nil, 405},
		{"PUT", "PUT", "/mcp", nil, 405},
		{"POST to health", "POST", "/health", nil, 405},
		{"POST to schema", "POST", "/schema", nil, 405},
		{"elsewhere", "GET", "/nothing", nil, 404},
		{"paths are exact", "POST", "/rpc/", nil, 405},

		{"no content type", "POST", "/rpc", []string{"Content-Type", ""}, 200},
		{"what curl says", "POST", "/rpc", []string{"Content-Type", "application/x-www-form-urlencoded"}, 200},
		{"with a charset", "POST", "/rpc", []string{"Content-Type", "application/json; charset=utf-8"}, 200},
		{"XML", "POST", "/rpc", []string{"Content-Type", "text/xml"}, 415},
		{"no type at all", "POST", "/rpc", []string{"Content-Type", ";;"}, 415},
		{"compressed", "POST", "/rpc", []string{"Content-Encoding", "gzip"}, 415},
	} {
		t.Run(c.name, func(t *testing.T) {
			send := body
			if c.method == "GET" {
				send = ""
			}
			status, answer, h := s.do(c.method, c.path, send, c.headers...)
			if status != c.want {
				t.Errorf("status %d, want %d: %s", status, c.want, answer)
			}
			if status >= 400 && !json.Valid([]byte(answer)) {
				t.Errorf("no JSON: %s", answer)
			}
			if allowed := h.Get("Access-Control-Allow-Origin"); allowed != "" && c.name != "an origin that is allowed" {
				t.Errorf("allows the origin %s", allowed)
			}
			if status == 401 && h.Get("WWW-Authenticate") == "" || status == 405 && h.Get("Allow") == "" {
				t.Errorf("headers %v", h)
			}
		})
	}
	for _, said := range []string{token, "evil.example", "pretty"} {
		if strings.Contains(s.log.String(), said) {
			t.Errorf("the log quotes %s:\n%s", said, s.log)
		}
	}
}

// A server on every address is called by any of them, and by no name that could be made to point there.
func TestGuardOnEveryAddress(t *testing.T) {
	b := backend(memory(t), policy.Options{})
	b.Host = "0.0.0.0"
	s := open(t, b, nil)
	for host, want := range map[string]int{"192.168.1.7:7788": 200, "[fe80::1]": 200, "localhost": 200, "host.example": 403} {
		if status, answer, _ := s.do("GET", "/health", "", "Host", host); status != want {
			t.Errorf("%s: %d %s", host, status, answer)
		}
	}
}

// TestLoopback: what --host may say for this machine, and what is elsewhere.
func TestLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"127.0.0.1": true, "127.0.0.2": true, "::1": true, "[::1]": true, "localhost": true, "LOCALHOST.": true, "::ffff:127.0.0.1": true,
		"0.0.0.0": false, "::": false, "": false, "localhost.example": false, "evil.localhost": false, "192.168.1.1": false, "127.0.0.1.nip.io": false, "[localhost]": false,
	} {
		if got := rpc.Loopback(host); got != want {
			t.Errorf("%q: %v", host, got)
		}
	}
	l, err := rpc.Listen(t.Context(), "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for host, want := range map[string]string{"[::1]": "http://[::1]:", "::1": "http://[::1]:", "localhost": "http://localhost:"} {
		if got := rpc.URL(host, l); !strings.HasPrefix(got, want) {
			t.Errorf("%s is at %s", host, got)
		}
	}
}

func TestPreflight(t *testing.T) {
	b := backend(memory(t), policy.Options{})
	b.Origins = []string{"https://dash.example.org"}
	s := open(t, b, nil)
	status, _, h := s.do("OPTIONS", "/rpc", "", "Authorization", "", "Origin", "https://dash.example.org", "Access-Control-Request-Method", "POST")
	if status != 204 || h.Get("Access-Control-Allow-Origin") != "https://dash.example.org" || !strings.Contains(h.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("%d %v", status, h)
	}
	if status, _, h = s.do("OPTIONS", "/rpc", "", "Origin", "https://evil.example", "Access-Control-Request-Method", "POST"); status != 403 || h.Get("Access-Control-Allow-Origin") != "" {
		t.Errorf("%d %v", status, h)
	}
	if status, _, _ = s.do("OPTIONS", "/rpc", "", "Access-Control-Request-Method", "POST"); status != 405 {
		t.Errorf("without an origin: %d", status)
	}
}

func TestTooLarge(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), func(o *rpc.Options) { o.Limits.Body = 1000 })
	for _, path := range []string{"/rpc", "/mcp"} {
		status, answer, _ := s.do("POST", path, `{"x":"`+strings.Repeat("y", 1000)+`"}`)
		if status != http.StatusRequestEntityTooLarge || !strings.Contains(answer, "more than 1000 bytes") {
			t.Errorf("%s: %d %s", path, status, answer)
		}
	}
}

// dial speaks HTTP by hand, as slowly as it likes.
func (s *site) dial() net.Conn {
	s.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { c.Close() })
	return c
}

func TestSlowBodies(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), func(o *rpc.Options) { o.Limits.Request = 200 * time.Millisecond })
	for _, path := range []string{"/rpc", "/mcp"} {
		c := s.dial()
		_, err := io.WriteString(c, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer "+token+"\r\nContent-Length: 100\r\n\r\n{")
		if err != nil {
			t.Fatal(err)
		}
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		answer, err := io.ReadAll(c)
		if err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 408 ") {
			t.Errorf("%s: %v\n%s", path, err, answer)
		}
	}
}

// Headers that trickle in hold a connection for a few seconds, and nobody else's.
func TestSlowHeaders(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	start := time.Now()
	var conns []net.Conn
	for range 50 {
		c := s.dial()
		if _, err := io.WriteString(c, "POST /rpc HTTP/1.1\r\nHost: localhost\r\nX: "); err != nil {
			t.Fatal(err)
		}
		conns = append(conns, c)
	}
	s.rpc(`{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_list_sources"}`)
	for _, c := range conns {
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Second))
		if _, err := io.ReadAll(c); err != nil {
			t.Fatalf("still open after %v: %v", time.Since(start), err)
		}
	}
}

func TestTurns(t *testing.T) {
	let := make(chan struct{})
	b := backend(slow{memory(t), func(ctx context.Context) error {
		select {
		case <-let:
		case <-ctx.Done():
		}
		return ctx.Err()
	}}, policy.Options{})
	s := open(t, b, func(o *rpc.Options) {
		o.Limits = rpc.Limits{Concurrency: 1, Waiting: 1, Patience: 300 * time.Millisecond}
	})
	const search = `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_search","params":{"query":"boiler"}}`
	statuses := make(chan int, 8)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			status, answer, h := s.do("POST", "/rpc", search)
			if status != 200 && (h.Get("Retry-After") == "" || !strings.Contains(answer, `"code":-32001`)) {
				t.Errorf("%d without when to come back: %s", status, answer)
			}
			statuses <- status
		})
	}
	time.Sleep(time.Second)
	if status, _, _ := s.do("GET", "/health", ""); status != 200 {
		t.Errorf("health has to wait: %d", status)
	}
	close(let)
	wg.Wait()
	close(statuses)
	count := map[int]int{}
	for status := range statuses {
		count[status]++
	}
	if diff := cmp.Diff(map[int]int{200: 1, 429: 6, 503: 1}, count); diff != "" {
		t.Errorf("statuses (-want +got):\n%s", diff)
	}
}

// A change of the settings lets calls that run end on the old ones, and no other.
func TestUse(t *testing.T) {
	began, let := make(chan struct{}), make(chan struct{})
	b := backend(slow{memory(t), func(context.Context) error { close(began); <-let; return nil }}, policy.Options{})
	closed := make(chan struct{})
	b.Close = func() { close(closed) }
	s := open(t, b, nil)
	const search = `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_search","params":{"query":"boiler"}}`
	first := make(chan string)
	go func() { first <- s.rpc(search) }()
	<-began
	next := backend(memory(t), policy.Options{DenyTools: []string{"memory.search"}})
	next.Token = "another"
	s.server.Use(next)
	if status, _, _ := s.do("POST", "/rpc", search); status != 401 {
		t.Errorf("the old token: %d", status)
	}
	if _, answer, _ := s.do("POST", "/rpc", search, "Authorization", "Bearer another"); !strings.Contains(answer, "-32003") {
		t.Errorf("the new policy: %s", answer)
	}
	select {
	case <-closed:
		t.Error("closed while a call runs")
	default:
	}
	close(let)
	if answer := <-first; !strings.Contains(answer, `"result"`) {
		t.Errorf("the call that ran: %s", answer)
	}
	select {
	case <-closed:
	case <-time.After(5 * time.Second):
		t.Error("the old backend stays open")
	}
}

// Settings that change while the server stops bring nothing back.
func TestUseAfterClose(t *testing.T) {
	s := rpc.New(rpc.Options{Backend: backend(memory(t), policy.Options{})})
	s.Close()
	b := backend(memory(t), policy.Options{})
	closed := make(chan struct{})
	b.Close = func() { close(closed) }
	s.Use(b)
	select {
	case <-closed:
	case <-time.After(5 * time.Second):
		t.Error("the backend stays open")
	}
	s.Close()
}

func TestStopWaitsForCalls(t *testing.T) {
	began, let := make(chan struct{}), make(chan struct{})
	s := open(t, backend(slow{memory(t), func(context.Context) error { close(began); <-let; return nil }}, policy.Options{}), nil)
	answer := make(chan string)
	go func() {
		answer <- s.rpc(`{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_search","params":{"query":"boiler"}}`)
	}()
	<-began
	stopped := make(chan struct{})
	go func() { s.stop(); close(stopped) }()
	select {
	case <-stopped:
		t.Error("stopped while a call runs")
	case <-time.After(100 * time.Millisecond):
	}
	close(let)
	if got := <-answer; !strings.Contains(got, `"result"`) {
		t.Error(got)
	}
	<-stopped
}

func TestPortInUse(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	var port int
	if err := json.Unmarshal([]byte(s.url[strings.LastIndexByte(s.url, ':')+1:]), &port); err != nil {
		t.Fatal(err)
	}
	_, err := rpc.Listen(t.Context(), "127.0.0.1", port)
	if fault.CodeOf(err) != fault.Conflict || !strings.Contains(fault.Message(err), "in use") || !strings.Contains(fault.Message(err), "OPENHUMAN_CORE_PORT") {
		t.Errorf("got %v", fault.Message(err))
	}
	if _, err := rpc.Listen(t.Context(), "198.51.100.1", 0); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("an address of elsewhere: %v", err)
	}
}

func TestHealthAndSchema(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	if _, got, _ := s.do("GET", "/health", "", "Authorization", ""); got != `{"status":"ok","name":"openhuman-core","version":"1.2.3","memory":"available"}` {
		t.Error(got)
	}
	missing := store.Lazy(store.Options{Path: t.TempDir() + string(os.PathSeparator) + "memory.db", ReadOnly: true})
	t.Cleanup(func() { _ = missing.Close() })
	gone := open(t, backend(missing, policy.Options{}), nil)
	if status, got, _ := gone.do("GET", "/health", ""); status != 200 || !strings.Contains(got, `"memory":"unavailable"`) {
		t.Errorf("%d %s", status, got)
	}

	_, got, _ := s.do("GET", "/schema", "")
	var schema struct {
		Methods []struct {
			Method        string
			Tool          string
			Enabled       bool
			Input, Output struct{ Type string }
			InputSchema   struct{ Type string } `json:"input_schema"`
			OutputSchema  struct{ Type string } `json:"output_schema"`
		}
		Errors []struct{ Code int64 }
	}
	if err := json.Unmarshal([]byte(got), &schema); err != nil {
		t.Fatal(err)
	}
	if len(schema.Methods) != len(tools.Catalog) {
		t.Errorf("%d methods, the catalog has %d", len(schema.Methods), len(tools.Catalog))
	}
	for i, m := range schema.Methods {
		if m.Method != tools.Catalog[i].Method || m.InputSchema.Type != "object" || m.OutputSchema.Type != "object" {
			t.Errorf("%+v", m)
		}
		off := slices.Contains([]string{"openhuman.memory_store", "openhuman.memory_tree_ingest", "openhuman.tools_searxng_search", "openhuman.tools_web_search"}, m.Method)
		if m.Enabled == off {
			t.Errorf("%s is enabled: %v", m.Method, m.Enabled)
		}
	}
	if len(schema.Errors) != 3+len(fault.Table) {
		t.Errorf("errors %v", schema.Errors)
	}
}

// TestSchemaHidesWhatIsDenied: a method that callers of /rpc may not call is not described to them.
func TestSchemaHidesWhatIsDenied(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{
		DenyTools: []string{"tree.*"}, Clients: map[string]policy.Client{"http": {DenyTools: []string{"memory.recall"}}, "other": {DenyTools: []string{"memory.search"}}},
	}), nil)
	_, got, _ := s.do("GET", "/schema", "")
	for method, want := range map[string]bool{
		"memory_tree_search": true, "memory_tree_recall": false, "memory_tree_activity": false, "memory_tree_list_summaries": false, "memory_tree_get_chunk": false, "tool_registry_list": true,
	} {
		if strings.Contains(got, `"openhuman.`+method+`"`) != want {
			t.Errorf("%s is listed: %v", method, !want)
		}
		answer := s.rpc(`{"jsonrpc":"2.0","id":1,"method":"openhuman.` + method + `","params":{}}`)
		if strings.Contains(answer, "-32003") == want {
			t.Errorf("%s answers %s", method, answer)
		}
	}
}

func TestStaticIsAHook(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), func(o *rpc.Options) {
		o.Static = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, "page "+r.URL.Path) })
	})
	if _, got, _ := s.do("GET", "/app.js", "", "Authorization", ""); got != "page /app.js" {
		t.Error(got)
	}
}
