package stdio_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openhuman/openhuman-core/internal/stdio"
)

// output collects what the connection writes and when.
type output struct {
	mu    sync.Mutex
	b     bytes.Buffer
	at    []time.Duration
	start time.Time
}

func newOutput() *output { return &output{start: time.Now()} }

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.at = append(o.at, time.Since(o.start))
	return o.b.Write(p)
}

func (o *output) lines() []string {
	o.mu.Lock()
	defer o.mu.Unlock()
	s := strings.TrimSuffix(o.b.String(), "\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}

// serve plays the SDK: it answers each call with its task after the time that the task says ("200ms"),
// all calls at once, until input ends. "never" is not answered. The task is the name of the tool, or
// the method where there is none.
func serve(t testing.TB, tr stdio.Transport) {
	t.Helper()
	c, err := tr.Connect(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		msg, err := c.Read(context.Background())
		if err != nil {
			if !errors.Is(err, io.EOF) {
				t.Errorf("read: %v", err)
			}
			return
		}
		req, ok := msg.(*jsonrpc.Request)
		task := ""
		if ok {
			task = req.Method
			var p struct{ Name string }
			if json.Unmarshal(req.Params, &p) == nil && p.Name != "" {
				task = p.Name
			}
		}
		if !ok || !req.IsCall() || task == "never" {
			continue
		}
		wg.Go(func() {
			result := fmt.Sprintf(`{"task":%q}`, task)
			if d, err := time.ParseDuration(task); err == nil {
				time.Sleep(d)
			}
			if req.Method == "initialize" {
				time.Sleep(time.Millisecond)
				var p struct{ ProtocolVersion string }
				_ = json.Unmarshal(req.Params, &p)
				result = fmt.Sprintf(`{"protocolVersion":%q}`, p.ProtocolVersion)
			}
			_ = c.Write(context.Background(), &jsonrpc.Response{ID: req.ID, Result: json.RawMessage(result)})
		})
	}
}

// call is a request that may take its time, quick one that may not.
func call(id, task string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q}}`, id, task)
}

func quick(id, method string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":%q}`, id, method)
}

func ok(id, task string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"task":%q}}`, id, task)
}

func failure(id string, code int, message string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, id, code, message)
}

func initialize(version string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":%q}}`, version)
}

const (
	parseError = "Parse error: a line must be one JSON-RPC message."
	notUTF8    = "Parse error: the line is not valid UTF-8."
	noBatch    = "Invalid request: this protocol revision has no batches; send one message a line."
)

// TestLines runs whole inputs through the transport. Every input ends right after its last byte.
func TestLines(t *testing.T) {
	const cancel2 = `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":2}}`
	for _, tc := range []struct {
		name string
		in   []string
		want []string
	}{
		{"one call", []string{call("1", "a")}, []string{ok("1", "a")}},
		{"a notification has no answer", []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, call("1", "a")}, []string{ok("1", "a")}},
		{"answers in the order of requests", []string{call("1", "30ms"), call("2", "20ms"), call("3", "10ms")},
			[]string{ok("1", "30ms"), ok("2", "20ms"), ok("3", "10ms")}},
		{"slow calls are answered after the end of input", []string{call("1", "20s")}, []string{ok("1", "20s")}},
		{"ids come back to the letter", []string{call(`"x"`, "a"), call("1.5", "b"), call("9007199254740993", "c"), call("-0", "d"), call(`"é"`, "e"), call("1e3", "f"), call(`""`, "g"), call("123456789012345678901234567890", "h")},
			[]string{ok(`"x"`, "a"), ok("1.5", "b"), ok("9007199254740993", "c"), ok("-0", "d"), ok(`"é"`, "e"), ok("1e3", "f"), ok(`""`, "g"), ok("123456789012345678901234567890", "h")}},
		{"the string and the number are different ids", []string{call("1", "20ms"), call(`"1"`, "b")}, []string{ok("1", "20ms"), ok(`"1"`, "b")}},
		{"an id in flight cannot be used twice", []string{call("1", "20ms"), call("1", "b"), call("1.0", "c")},
			[]string{ok("1", "20ms"), failure("null", -32600, "Invalid request: the id belongs to a request that has not been answered yet."), failure("null", -32600, "Invalid request: the id belongs to a request that has not been answered yet.")}},
		{"a cancelled call is not answered", []string{call("1", "10ms"), call("2", "20ms"), cancel2, call("3", "30ms")}, []string{ok("1", "10ms"), ok("3", "30ms")}},
		{"a cancelled call does not hold up the end", []string{call("2", "never"), cancel2}, nil},
		{"initialize cannot be cancelled", []string{`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"protocolVersion":"v"}}`, cancel2}, []string{`{"jsonrpc":"2.0","id":2,"result":{"protocolVersion":"v"}}`}},
		{"cancelling nothing", []string{`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":null}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":[1]}}`, call("1", "a")}, []string{ok("1", "a")}},
		{"BOM, CRLF, blank lines and blanks around", []string{"\xef\xbb\xbf" + call("1", "a") + "\r", "", "  ", "\t" + call("2", "b") + " \t\r"}, []string{ok("1", "a"), ok("2", "b")}},
		{"not JSON", []string{"hello", call("1", "a"), `{"jsonrpc":"2.0","id":1,`, `{} {}`, "}"},
			[]string{failure("null", -32700, parseError), ok("1", "a"), failure("null", -32700, parseError), failure("null", -32700, parseError), failure("null", -32700, parseError)}},
		{"JSON but no request", []string{`"hello"`, `5`, `null`, `{}`, `{"jsonrpc":"1.0","id":7,"method":"a"}`, `{"jsonrpc":"2.0","id":true,"method":"a"}`, `{"jsonrpc":"2.0","id":null,"method":"a"}`, `{"jsonrpc":"2.0","id":7}`, `{"jsonrpc":"2.0","id":7,"method":5}`, `{"jsonrpc":"2.0","result":{}}`, `{"JSONRPC":"2.0","ID":7,"METHOD":"a"}`},
			[]string{
				failure("null", -32600, "Invalid request: a message is a JSON object."),
				failure("null", -32600, "Invalid request: a message is a JSON object."),
				failure("null", -32600, "Invalid request: a message is a JSON object."),
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: \"jsonrpc\" must be \"2.0\"."}}`,
				`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request: \"jsonrpc\" must be \"2.0\"."}}`,
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: \"id\" must be a string or a number."}}`,
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: \"id\" must be a string or a number."}}`,
				`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request: \"method\" is missing."}}`,
				`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request: \"method\" must be a string."}}`,
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: \"method\" is missing."}}`,
				`{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid request: \"jsonrpc\" must be \"2.0\"."}}`,
			}},
		{"parameters that are no object", []string{`{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}`, `{"jsonrpc":"2.0","id":2,"method":"ping","params":null}`},
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Invalid params: \"params\" must be an object."}}`, ok("2", "ping")}},
		{"a method without a name", []string{quick("1", "")}, []string{ok("1", "")}},
		{"an answer to nothing", []string{`{"jsonrpc":"2.0","id":7,"result":{}}`, `{"jsonrpc":"2.0","id":8,"error":{"code":1,"message":"x"}}`, call("1", "a")}, []string{ok("1", "a")}},
		{"an error keeps its place in the order", []string{call("1", "20ms"), "oops", call("2", "a")}, []string{ok("1", "20ms"), failure("null", -32700, parseError), ok("2", "a")}},
		{"invalid UTF-8", []string{"{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"a\xff\"}", "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"method\":\"a\",\"params\":{\"q\":\"\xe9\"}}", "\xff\xfe", call("1", "b")},
			[]string{failure("4", -32700, notUTF8), failure(`"x"`, -32700, notUTF8), failure("null", -32700, notUTF8), ok("1", "b")}},
		{"deep nesting", []string{`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":` + strings.Repeat("[", 20000) + strings.Repeat("]", 20000) + `}}`, call("2", "b")}, []string{failure("null", -32700, parseError), ok("2", "b")}},
		{"a line beyond 64 KB", []string{`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":"` + strings.Repeat("x", 200_000) + `"}}`}, []string{ok("1", "a")}},
		{"an oversized line", []string{`{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":"` + strings.Repeat("x", 1<<20) + `"}}`, call("2", "b")},
			[]string{failure("null", -32600, "Invalid request: the message is longer than 1048576 bytes."), ok("2", "b")}},
		{"no batches before the handshake", []string{"[" + call("1", "a") + "]", "[]"}, []string{failure("null", -32600, noBatch), failure("null", -32600, noBatch)}},
		{"no batches from 2025-06-18 on", []string{initialize("2025-06-18"), "[" + call("1", "a") + "]"}, []string{`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-06-18"}}`, failure("null", -32600, noBatch)}},
		{"batches in 2025-03-26", []string{initialize("2025-03-26"), "[" + call("1", "20ms") + `,{"jsonrpc":"2.0","method":"notifications/x"},5,` + call("2", "b") + "]", "[]", `[{"jsonrpc":"2.0","method":"notifications/x"}]`, call("3", "c")},
			[]string{`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26"}}`,
				"[" + ok("1", "20ms") + "," + failure("null", -32600, "Invalid request: a message is a JSON object.") + "," + ok("2", "b") + "]",
				failure("null", -32600, "Invalid request: a batch must not be empty."), ok("3", "c")}},
		{"a call cancelled inside its own batch", []string{initialize("2025-03-26"), "[" + call("2", "never") + "," + cancel2 + "," + call("3", "c") + "]"},
			[]string{`{"jsonrpc":"2.0","id":0,"result":{"protocolVersion":"2025-03-26"}}`, "[" + ok("3", "c") + "]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, end := range []string{"\n", ""} {
				synctest.Test(t, func(t *testing.T) {
					out := newOutput()
					serve(t, stdio.Transport{In: strings.NewReader(strings.Join(tc.in, "\n") + end), Out: out, MaxLine: 1 << 20})
					if diff := cmp.Diff(tc.want, out.lines()); diff != "" {
						t.Errorf("last line ended by %q: answers (-want +got):\n%s", end, diff)
					}
				})
			}
		})
	}
}

// TestOrderIsBounded: an answer waits for an earlier one, but never longer than Order. Those that wait
// keep their order.
func TestOrderIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := newOutput()
		in := strings.Join([]string{call("1", "10s"), call("2", "100ms"), call("3", "a"), call("4", "9900ms")}, "\n")
		serve(t, stdio.Transport{In: strings.NewReader(in), Out: out})
		want := []string{ok("2", "100ms"), ok("3", "a"), ok("1", "10s"), ok("4", "9900ms")}
		if diff := cmp.Diff(want, out.lines()); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		at := []time.Duration{250 * time.Millisecond, 250 * time.Millisecond, 10 * time.Second, 10 * time.Second}
		if diff := cmp.Diff(at, out.at); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
	})
}

// TestQuickRequestsAreNotOvertaken: what needs no store is answered in order, however busy the machine
// is, and is not held up by a call that takes its time.
func TestQuickRequestsAreNotOvertaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := newOutput()
		in := strings.Join([]string{quick("1", "900ms"), quick("2", "600ms"), quick("3", "300ms"), call("4", "5s"), quick("5", "x"), quick("6", "y")}, "\n")
		serve(t, stdio.Transport{In: strings.NewReader(in), Out: out})
		want := []string{ok("1", "900ms"), ok("2", "600ms"), ok("3", "300ms"), ok("5", "x"), ok("6", "y"), ok("4", "5s")}
		if diff := cmp.Diff(want, out.lines()); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
		ms := time.Millisecond
		at := []time.Duration{900 * ms, 1500 * ms, 1800 * ms, 2050 * ms, 2050 * ms, 6800 * ms}
		if diff := cmp.Diff(at, out.at); diff != "" {
			t.Errorf("times (-want +got):\n%s", diff)
		}
	})
}

func TestNoOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := newOutput()
		serve(t, stdio.Transport{In: strings.NewReader(call("1", "10ms") + "\n" + call("2", "5ms")), Out: out, Order: -1})
		if diff := cmp.Diff([]string{ok("2", "5ms"), ok("1", "10ms")}, out.lines()); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
	})
}

// TestGrace: the end of input waits for answers as long as there are some, but not for ever.
func TestGrace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		out := newOutput()
		serve(t, stdio.Transport{In: strings.NewReader(call("1", "never") + "\n" + call("2", "a")), Out: out})
		if got := time.Since(start); got != time.Minute+stdio.DefaultOrder {
			t.Errorf("waited %v", got)
		}
		if diff := cmp.Diff([]string{ok("2", "a")}, out.lines()); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
	})
}

// TestLongBacklog: what takes longer than the grace in all is answered whole, as long as it moves.
func TestLongBacklog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var in, want []string
		for i := range 10 {
			id, how := fmt.Sprint(i), fmt.Sprintf("%ds", 25*(i+1))
			in, want = append(in, call(id, how)), append(want, ok(id, how))
		}
		out := newOutput()
		serve(t, stdio.Transport{In: strings.NewReader(strings.Join(in, "\n")), Out: out})
		if diff := cmp.Diff(want, out.lines()); diff != "" {
			t.Errorf("answers (-want +got):\n%s", diff)
		}
	})
}

// blocked is an output that nobody reads.
type blocked struct{ until chan struct{} }

func (b blocked) Write(p []byte) (int, error) { <-b.until; return len(p), nil }

// TestBlockedOutput: a client that does not read makes the server stop reading instead of piling up.
func TestBlockedOutput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in := &counter{line: []byte(call(`"%07d"`, "a") + "\n")}
		b := blocked{make(chan struct{})}
		done := make(chan struct{})
		go func() {
			defer close(done)
			serve(t, stdio.Transport{In: in, Out: b, MaxPending: 100})
		}()
		synctest.Wait()
		time.Sleep(time.Minute)
		// One buffer of the reader may hold lines that nobody has looked at.
		if got, most := in.served(), 100*len(in.line)+2*64<<10; got > most {
			t.Errorf("read %d bytes while the output was blocked, want at most %d", got, most)
		}
		in.end()
		close(b.until)
		<-done
	})
}

// counter serves a numbered line again and again.
type counter struct {
	line []byte
	mu   sync.Mutex
	n    int
	read int
	over bool
}

func (c *counter) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.over {
		return 0, io.EOF
	}
	n := copy(p, fmt.Sprintf(string(c.line), c.n))
	c.n++
	c.read += n
	return n, nil
}

func (c *counter) served() int { c.mu.Lock(); defer c.mu.Unlock(); return c.read }
func (c *counter) end()        { c.mu.Lock(); defer c.mu.Unlock(); c.over = true }

// broken is an output that the client has closed.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

func TestClosedOutputEndsTheSession(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go func() { _, _ = io.WriteString(w, call("1", "a")+"\n") }()
	serve(t, stdio.Transport{In: r, Out: broken{}})
	r.Close()
}

func TestCloseUnblocksRead(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	defer r.Close()
	c, err := stdio.Transport{In: r, Out: io.Discard}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { _, err := c.Read(context.Background()); done <- err }()
	for range 2 {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := <-done; !errors.Is(err, io.EOF) {
		t.Errorf("read returned %v", err)
	}
}

// TestErrorsOfTheSDK: code 0 is not JSON-RPC, and what the SDK quotes is cut.
func TestErrorsOfTheSDK(t *testing.T) {
	out := newOutput()
	in := strings.Join([]string{call("1", "a"), call("2", "b"), quick("3", "<c>")}, "\n")
	c, err := stdio.Transport{In: strings.NewReader(in), Out: out}.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	errs := []error{
		errors.New("no code"),
		fmt.Errorf("wrapped: %w", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: strings.Repeat("é", 1000)}),
		&jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "whatever"},
	}
	for _, e := range errs {
		msg, err := c.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Write(t.Context(), &jsonrpc.Response{ID: msg.(*jsonrpc.Request).ID, Error: e}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Read(t.Context()); !errors.Is(err, io.EOF) {
		t.Fatalf("read: %v", err)
	}
	want := []string{
		failure("1", -32603, "no code"),
		failure("2", -32602, "wrapped: "+strings.Repeat("é", 291)+"…"),
		`{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found: \"<c>\"."}}`,
	}
	if diff := cmp.Diff(want, out.lines()); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

var _ mcp.Transport = stdio.Transport{}
