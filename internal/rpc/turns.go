package rpc

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"
)

// turns lets a few requests run, some wait, and turns the rest away at once: an answer that says when
// to come back is worth more than one that never comes.
type turns struct {
	slots    chan struct{}
	waiting  *atomic.Int64
	most     int64
	patience time.Duration
}

func newTurns(l Limits) turns {
	return turns{make(chan struct{}, l.Concurrency), &atomic.Int64{}, int64(l.Waiting), l.Patience}
}

var (
	tooMany = &refusal{http.StatusTooManyRequests, "Too many requests are waiting. Come back in a second.", "too many waiting"}
	tooLate = &refusal{http.StatusServiceUnavailable, "The server is busy. Come back in a second.", "no turn in time"}
)

// take waits for a turn. Without a refusal, the caller gives it back by calling done.
func (t turns) take(ctx context.Context) (done func(), denied *refusal) {
	done = func() { <-t.slots }
	select {
	case t.slots <- struct{}{}:
		return done, nil
	default:
	}
	if t.waiting.Add(1) > t.most {
		t.waiting.Add(-1)
		return nil, tooMany
	}
	defer t.waiting.Add(-1)
	timer := time.NewTimer(t.patience)
	defer timer.Stop()
	select {
	case t.slots <- struct{}{}:
		return done, nil
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil, tooLate
}
