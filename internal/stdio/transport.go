// Package stdio carries MCP over a pair of streams, one JSON-RPC message a line. It sees to it that
// every request read is answered, that a bad line costs one error and not the session, and that the
// end of input ends the process. What the messages mean is not its business.
package stdio

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/openhuman/openhuman-core/pkg/tools"
)

// Defaults of a [Transport].
const (
	DefaultMaxLine    = 16 << 20
	DefaultGrace      = time.Minute // twice what one call may take
	DefaultOrder      = 250 * time.Millisecond
	DefaultMaxPending = 1024
)

// maxPendingBytes bounds the text of requests in flight and of answers that wait for the reader.
const maxPendingBytes = 64 << 20

// stopGrace is how long handlers may take to notice that the session is over.
const stopGrace = 2 * time.Second

// Transport is a [mcp.Transport] over two streams. It differs from the SDK's own in that it
//   - reports the end of input only when everything read before it has been answered,
//   - answers a line that is no request with an error and goes on,
//   - releases answers in the order of their requests, as far as that is cheap,
//   - never answers a call that the client has cancelled,
//   - stops reading while too much waits to be answered or to be read by the client.
type Transport struct {
	In  io.Reader
	Out io.Writer
	Log zerolog.Logger // says that a line was refused and why, never what it held

	MaxLine    int           // bytes of one message; 0 means DefaultMaxLine
	Grace      time.Duration // how long after the end of input nothing may move while answers are owed; 0 means DefaultGrace
	Order      time.Duration // how long an answer waits for an earlier one; 0 means DefaultOrder, negative not at all
	MaxPending int           // calls in flight; 0 means DefaultMaxPending
}

// Connect starts reading. It implements [mcp.Transport].
func (t Transport) Connect(context.Context) (mcp.Connection, error) { return t.start(), nil }

func (t Transport) start() *conn {
	if t.MaxLine <= 0 {
		t.MaxLine = DefaultMaxLine
	}
	if t.Grace <= 0 {
		t.Grace = DefaultGrace
	}
	if t.Order == 0 {
		t.Order = DefaultOrder
	}
	if t.MaxPending <= 0 {
		t.MaxPending = DefaultMaxPending
	}
	c := newConn(t)
	go c.readLoop()
	go c.writeLoop()
	return c
}

// started hands out a connection that has been made already.
type started struct{ *conn }

func (s started) Connect(context.Context) (mcp.Connection, error) { return s.conn, nil }

// Serve runs server over t until input ends, the client closes its side of the output or ctx is
// done. It returns nil in the first and the last case. A handler that ignores its context does not
// keep Serve from returning.
func Serve(ctx context.Context, server *mcp.Server, t Transport) error {
	in, done := pollable(t.In, t.Out)
	defer done()
	t.In = in
	c := t.start()
	defer c.Close()
	session, err := server.Connect(ctx, started{c}, &mcp.ServerSessionOptions{State: tools.Unintroduced()})
	if err != nil {
		return fmt.Errorf("start mcp session: %w", err)
	}
	over := make(chan error, 1)
	go func() { over <- session.Wait() }()

	select {
	case <-ctx.Done():
		// The SDK's own Close would wait for the handlers; an ended input cancels them.
		c.Close()
	case <-c.ended:
	case err := <-over:
		return c.outcome(err)
	}
	stuck := time.NewTimer(stopGrace)
	defer stuck.Stop()
	select {
	case err := <-over:
		return c.outcome(err)
	case <-stuck.C:
		return c.outcome(nil)
	}
}
