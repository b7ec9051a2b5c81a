package main

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/openhuman/openhuman-core/internal/stdio"
)

// slowCall is how long a call runs before it gets all processors and company. It is as long as an
// answer may be held back for one before it; less would call everything slow on a busy machine.
const slowCall = stdio.DefaultOrder

// processors keeps the runtime on one processor as long as calls are short. A call is then worked
// off by one thread from the input to the output; spread over several it costs up to twice as much,
// nearly all of it hand-offs, and short calls beside each other push the pages that the others read
// out of the caches. A call that takes long is worth it, and keeps no other one waiting.
type processors struct {
	use func(n int) // sets how many are used
	all int

	turn chan struct{} // held by the call that runs and has not become slow

	mu    sync.Mutex
	using int
	slow  int // calls that run and have become slow
}

func newProcessors() *processors {
	n := runtime.GOMAXPROCS(0)
	return &processors{use: func(n int) { runtime.GOMAXPROCS(n) }, all: n, turn: make(chan struct{}, 1), using: n}
}

// call waits until a call may begin. The function that it returns notes the end.
func (p *processors) call(ctx context.Context) (done func(), err error) {
	select {
	case p.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	var over, slow bool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.adjust()
	t := time.AfterFunc(slowCall, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if !over {
			slow = true
			p.slow++
			p.adjust()
			<-p.turn
		}
	})
	return func() {
		t.Stop()
		p.mu.Lock()
		defer p.mu.Unlock()
		over = true
		if slow {
			p.slow--
			p.adjust()
		} else {
			<-p.turn
		}
	}, nil
}

// adjust changes the number only when it has to be another one, since that stops everything for a
// moment. The caller holds mu.
func (p *processors) adjust() {
	n := 1
	if p.slow > 0 {
		n = p.all
	}
	if p.using != n {
		p.using = n
		p.use(n)
	}
}
