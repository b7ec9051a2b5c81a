package tools

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

// Answer runs the operation within a time limit, for surfaces other than MCP: the result is JSON, with
// the number of rows it lists.
func (o Op) Answer(ctx context.Context, d Deps, params json.RawMessage, limit time.Duration) (data []byte, listed int, err error) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	out, err := o.Call(ctx, d, params)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = fault.Wrap(fault.Unavailable, err, "%s took longer than %v.", o.Method, limit).
				WithHint("Ask for less: rarer words, a source or a shorter time.")
		}
		return nil, 0, err
	}
	data, err = encode(out)
	return data, rows(out), err
}

// RetryAfter returns in how many seconds to call again, when err is that the caller has called too often.
func RetryAfter(err error) (seconds int, ok bool) {
	var e *policy.TooManyError
	if !errors.As(err, &e) {
		return 0, false
	}
	return e.Seconds(), true
}

// Encode marshals v as every surface does: compactly, with <, > and & as they are.
func Encode(v any) ([]byte, error) { return encode(v) }
