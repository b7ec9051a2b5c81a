package stdio_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/openhuman/openhuman-core/internal/stdio"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

// hanging is a store whose every read of a source list ends with the call, or with `until`.
type hanging struct {
	controller.Store
	entered chan struct{}
	until   chan struct{} // nil: listen to the context
}

func (h hanging) Sources(ctx context.Context, _ store.Scope) ([]store.SourceInfo, error) {
	close(h.entered)
	if h.until != nil {
		<-h.until
		return nil, nil
	}
	<-ctx.Done()
	return nil, ctx.Err()
}

func serverOver(s controller.Store) *mcp.Server {
	return tools.Server(tools.Options{Controller: controller.New(controller.Options{Store: s}), Version: version, Timeout: time.Hour})
}

const slowCall = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}
{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tree.list_sources"}}
`

// TestStopEndsCallsInFlight: a signal does not wait for anything.
func TestStopEndsCallsInFlight(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		go func() { _, _ = io.WriteString(client, slowCall) }()
		h := hanging{entered: make(chan struct{})}
		ctx, cancel := context.WithCancel(context.Background())
		go func() { <-h.entered; cancel() }()
		start := time.Now()
		if err := stdio.Serve(ctx, serverOver(h), stdio.Transport{In: in, Out: io.Discard}); err != nil {
			t.Errorf("serve: %v", err)
		}
		if took := time.Since(start); took > time.Second {
			t.Errorf("stopping took %v", took)
		}
		client.Close()
	})
}

// TestStuckHandlerDoesNotKeepTheProcess: a handler that ignores its context is left behind.
func TestStuckHandlerDoesNotKeepTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hanging{entered: make(chan struct{}), until: make(chan struct{})}
		start := time.Now()
		err := stdio.Serve(context.Background(), serverOver(h), stdio.Transport{In: strings.NewReader(slowCall), Out: io.Discard, Grace: time.Minute})
		if err == nil || !strings.Contains(err.Error(), "1 of the answers were not made or not taken: nothing moved for 1m0s") {
			t.Errorf("serve: %v", err)
		}
		if took := time.Since(start); took != time.Minute+2*time.Second {
			t.Errorf("the end of input took %v", took)
		}
		close(h.until)
	})
}

// TestSlowAnswerAtTheEndOfInput: what takes seconds is still answered.
func TestSlowAnswerAtTheEndOfInput(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := hanging{entered: make(chan struct{}), until: make(chan struct{})}
		time.AfterFunc(20*time.Second, func() { close(h.until) })
		out := newOutput()
		if err := stdio.Serve(context.Background(), serverOver(h), stdio.Transport{In: strings.NewReader(slowCall), Out: out}); err != nil {
			t.Errorf("serve: %v", err)
		}
		if lines := out.lines(); len(lines) != 2 || !strings.HasPrefix(lines[1], `{"jsonrpc":"2.0","id":1,"result"`) {
			t.Errorf("answers: %q", lines)
		}
	})
}

func TestClientThatClosesItsEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		in, client := io.Pipe()
		go func() { _, _ = io.WriteString(client, slowCall) }()
		err := stdio.Serve(context.Background(), serverOver(hanging{entered: make(chan struct{})}), stdio.Transport{In: in, Out: broken{}})
		if !errors.Is(err, io.ErrClosedPipe) {
			t.Errorf("serve: %v", err)
		}
		client.Close()
	})
}

// TestClientThatNeverReads: the end of input ends the process even when nobody takes the answers.
func TestClientThatNeverReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := blocked{make(chan struct{})}
		err := stdio.Serve(context.Background(), serverOver(hanging{}), stdio.Transport{In: strings.NewReader(initialize("2025-06-18")), Out: b})
		if err == nil || !strings.Contains(err.Error(), "1 of the answers were not made or not taken: nothing moved for 1m0s") {
			t.Errorf("serve: %v", err)
		}
		close(b.until)
	})
}

// TestEmptyInput: a client that goes away at once is no failure.
func TestEmptyInput(t *testing.T) {
	out := newOutput()
	if err := stdio.Serve(t.Context(), serverOver(hanging{}), stdio.Transport{In: strings.NewReader(""), Out: out}); err != nil || out.lines() != nil {
		t.Errorf("serve: %v, answers %q", err, out.lines())
	}
}
