package stdio

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// Revisions of the protocol in which a client may send an array of messages.
var batchRevisions = []string{"2024-11-05", "2025-03-26"}

// Methods that may take their time, so that others run beside them.
var slowMethods = []string{"tools/call"}

// errTwice says that an id is in use. It carries no id: the error must not end the first call.
const errTwice = "Invalid request: the id belongs to a request that has not been answered yet."

type conn struct {
	Transport
	in    chan jsonrpc.Message // unbuffered: what the SDK has not taken is not read
	stop  chan struct{}        // closed by Close and by a broken output
	eof   chan struct{}        // closed by readLoop when input has ended
	ended chan struct{}        // closed when Read has told the SDK that it is over

	stopOnce, endOnce sync.Once

	mu      sync.Mutex
	changed *sync.Cond // any of the fields below
	calls   map[jsonrpc.ID]*call
	lines   []*line  // input lines with an answer to come, in order
	out     [][]byte // released answers, in order
	bytes   int      // of lines and out
	writing bool
	stopped bool
	broken  error // why the output cannot be written
	moved   int   // answers made and answers written so far
	lost    int   // answers that had not been written when the grace ran out
	version string
}

// A line is one line of input that wants an answer. A single message has one part, a batch many.
type line struct {
	size  int
	array bool
	parts [][]byte // answers, nil until they are there and for ever where there is none
	left  int      // parts that have no answer yet
	timer *time.Timer
}

// A call is a request that the SDK has not answered yet.
type call struct {
	rawID     json.RawMessage
	method    string
	line      *line
	part      int
	cancelled bool
}

func newConn(t Transport) *conn {
	c := &conn{
		Transport: t,
		in:        make(chan jsonrpc.Message),
		stop:      make(chan struct{}),
		eof:       make(chan struct{}),
		ended:     make(chan struct{}),
		calls:     map[jsonrpc.ID]*call{},
	}
	c.changed = sync.NewCond(&c.mu)
	return c
}

// SessionID implements [mcp.Connection]; a pair of streams is one nameless session.
func (c *conn) SessionID() string { return "" }

// Close ends the session without waiting for anything. Reads report the end of input.
func (c *conn) Close() error {
	c.stopOnce.Do(func() { close(c.stop) })
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stopped = true
	c.changed.Broadcast()
	return nil
}

// Read returns the next message, or io.EOF once input has ended and everything is answered.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	select {
	case msg := <-c.in:
		return msg, nil
	case <-c.eof:
		c.drain()
	case <-c.stop:
	case <-ctx.Done():
	}
	c.endOnce.Do(func() { close(c.ended) })
	return nil, io.EOF
}

// drain waits until every call has been answered and every answer has been written, however many
// there are. It gives up when nothing moves for as long as Grace says.
func (c *conn) drain() {
	c.mu.Lock()
	defer c.mu.Unlock()
	since, moved := time.Now(), c.moved
	t := time.AfterFunc(c.Grace, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.changed.Broadcast()
	})
	defer t.Stop()
	for !c.stopped {
		owed := len(c.lines) + len(c.out)
		if c.writing {
			owed++
		}
		if owed == 0 {
			return
		}
		if c.moved != moved {
			since, moved = time.Now(), c.moved
			t.Reset(c.Grace)
		}
		if time.Since(since) >= c.Grace {
			c.lost = owed
			return
		}
		c.changed.Wait()
	}
}

// outcome turns the SDK's view of how the session ended into ours.
func (c *conn) outcome(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.broken != nil:
		return fmt.Errorf("write answer: %w", c.broken)
	case c.lost > 0:
		return fmt.Errorf("input has ended, and %d of the answers were not made or not taken: nothing moved for %v", c.lost, c.Grace)
	case err != nil && !c.stopped:
		return fmt.Errorf("serve mcp session: %w", err)
	}
	return nil
}

func (c *conn) readLoop() {
	defer close(c.eof)
	r := newLineReader(c.In, c.MaxLine)
	for {
		data, tooLong, err := r.next()
		switch {
		case tooLong:
			c.refuse(invalid(nil, "Invalid request: the message is longer than %d bytes.", c.MaxLine))
		case len(data) > 0:
			c.accept(data)
		}
		if err != nil {
			if !errors.Is(err, io.EOF) {
				c.Log.Debug().Err(err).Msg("input failed")
			}
			return
		}
		if !c.room() {
			return
		}
	}
}

// room waits until another line may be read; false means that the session is over.
func (c *conn) room() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.stopped && (len(c.calls)+len(c.out) >= c.MaxPending || c.bytes >= maxPendingBytes) {
		c.changed.Wait()
	}
	return !c.stopped
}

// accept hands the messages of one line to the SDK and answers those that are none.
func (c *conn) accept(data []byte) {
	switch {
	case !utf8.Valid(data):
		// The id is found where it can be, so that the client's call does not wait for ever.
		msg, _ := parse(bytes.ToValidUTF8(data, []byte("\uFFFD")))
		c.refuse(&refusal{msg.rawID, jsonrpc.CodeParseError, "Parse error: the line is not valid UTF-8."})
	case !json.Valid(data):
		c.refuse(&refusal{nil, jsonrpc.CodeParseError, "Parse error: a line must be one JSON-RPC message."})
	case data[0] != '[':
		c.acceptAll(data, []json.RawMessage{data}, false)
	case !c.batches():
		c.refuse(invalid(nil, "Invalid request: this protocol revision has no batches; send one message a line."))
	default:
		var members []json.RawMessage
		if json.Unmarshal(data, &members) != nil || len(members) == 0 {
			c.refuse(invalid(nil, "Invalid request: a batch must not be empty."))
			return
		}
		c.acceptAll(data, members, true)
	}
}

// batches reports whether the negotiated revision has batches.
func (c *conn) batches() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Contains(batchRevisions, c.version)
}

func (c *conn) acceptAll(data []byte, members []json.RawMessage, array bool) {
	// One part more than there are members is left until all of them are registered.
	l := &line{size: len(data), array: array, parts: make([][]byte, len(members)), left: 1}
	var forward []*jsonrpc.Request
	c.mu.Lock()
	c.enqueue(l)
	for i, raw := range members {
		msg, bad := parse(raw)
		if bad == nil && msg.id.IsValid() && !msg.reply {
			if bad = c.register(msg, l, i); bad == nil {
				l.left++
			}
		}
		switch {
		case bad != nil:
			c.Log.Debug().Str("reason", bad.text).Msg("message refused")
			l.parts[i] = bad.encode()
		case !msg.reply:
			if msg.method == methodCancelled {
				c.cancel(msg.params)
			}
			forward = append(forward, msg.request())
		}
	}
	l.left--
	c.settle(l)
	c.mu.Unlock()
	for _, req := range forward {
		select {
		case c.in <- req:
			c.await(req)
		case <-c.stop:
			return
		}
	}
}

// await waits for the answer to a request that needs no more than memory to be answered. The SDK
// would run it beside the next ones, and on a busy machine they would overtake it.
func (c *conn) await(req *jsonrpc.Request) {
	if !req.IsCall() || slices.Contains(slowMethods, req.Method) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for c.calls[req.ID] != nil && !c.stopped {
		c.changed.Wait()
	}
}

// register notes that the SDK owes an answer. The caller holds mu.
func (c *conn) register(msg message, l *line, part int) *refusal {
	if c.calls[msg.id] != nil {
		return invalid(nil, errTwice)
	}
	c.calls[msg.id] = &call{rawID: msg.rawID, method: msg.method, line: l, part: part}
	return nil
}

// cancel makes sure that the call gets no answer, as the protocol asks. The caller holds mu.
func (c *conn) cancel(params json.RawMessage) {
	id, ok := cancels(params)
	if !ok {
		return
	}
	k := c.calls[id]
	if k == nil || k.cancelled || k.method == methodInitialize {
		return
	}
	k.cancelled = true
	k.line.left--
	c.settle(k.line)
}

func (c *conn) refuse(r *refusal) {
	c.Log.Debug().Str("reason", r.text).Msg("line refused")
	c.mu.Lock()
	defer c.mu.Unlock()
	c.enqueue(&line{parts: [][]byte{r.encode()}})
}

// Write takes a message of the SDK. It never blocks on the output.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	resp, ok := msg.(*jsonrpc.Response)
	if !ok {
		data, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return fmt.Errorf("encode message: %w", err)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		c.emit(data)
		return c.broken
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	k := c.calls[resp.ID]
	if k == nil {
		return c.broken // an error of the SDK about something that was no call
	}
	delete(c.calls, resp.ID)
	c.moved++
	defer c.changed.Broadcast()
	if k.method == methodInitialize {
		var r struct {
			Version string `json:"protocolVersion"`
		}
		if resp.Error == nil && json.Unmarshal(resp.Result, &r) == nil {
			c.version = r.Version
		}
	}
	if !k.cancelled {
		data := encodeResponse(k.rawID, k.method, resp)
		k.line.parts[k.part] = data
		k.line.size += len(data)
		c.bytes += len(data)
		k.line.left--
		c.settle(k.line)
	}
	return c.broken
}

// enqueue gives l its place in the order of answers. The caller holds mu.
func (c *conn) enqueue(l *line) {
	c.lines = append(c.lines, l)
	c.bytes += l.size
	c.settle(l)
}

// settle releases l when it is complete and its turn has come. The caller holds mu.
func (c *conn) settle(l *line) {
	if l.left > 0 {
		return
	}
	if c.Order > 0 && c.lines[0] != l {
		if l.answered() {
			l.timer = time.AfterFunc(c.Order, func() { c.expire(l) })
			return
		}
	}
	c.release(l)
	for len(c.lines) > 0 && c.lines[0].left == 0 {
		c.release(c.lines[0])
	}
}

// expire releases l although an earlier line has no answer yet, and with it those that have waited
// since before it.
func (c *conn) expire(l *line) {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.Index(c.lines, l)
	for _, earlier := range slices.Clone(c.lines[:i+1]) {
		if earlier.left == 0 {
			c.release(earlier)
		}
	}
}

// release moves l's answer to the output. Releasing twice is harmless. The caller holds mu.
func (c *conn) release(l *line) {
	i := slices.Index(c.lines, l)
	if i < 0 {
		return
	}
	c.lines = slices.Delete(c.lines, i, i+1)
	c.bytes -= l.size
	if l.timer != nil {
		l.timer.Stop()
	}
	parts := slices.DeleteFunc(l.parts, func(p []byte) bool { return p == nil })
	switch {
	case len(parts) == 0:
	case l.array:
		c.emit(append(append([]byte{'['}, bytes.Join(parts, []byte{','})...), ']'))
	default:
		c.emit(parts[0])
	}
	c.changed.Broadcast()
}

// answered reports whether there is anything to write.
func (l *line) answered() bool {
	return slices.ContainsFunc(l.parts, func(p []byte) bool { return p != nil })
}

// emit queues one line of output. The caller holds mu.
func (c *conn) emit(data []byte) {
	c.out = append(c.out, append(data, '\n'))
	c.bytes += len(data)
	c.changed.Broadcast()
}

// writeLoop writes what has been released. It alone touches Out, so that a client that does not read
// blocks nobody else.
func (c *conn) writeLoop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		for len(c.out) == 0 && !c.stopped {
			c.changed.Wait()
		}
		if c.stopped {
			return
		}
		data := c.out[0]
		c.out = slices.Delete(c.out, 0, 1)
		c.writing = true
		c.mu.Unlock()
		_, err := c.Out.Write(data)
		c.mu.Lock()
		c.writing = false
		c.moved++
		c.bytes -= len(data) - 1
		if err != nil {
			c.broken = err
			c.stopped = true
			c.stopOnce.Do(func() { close(c.stop) })
		}
		c.changed.Broadcast()
	}
}
