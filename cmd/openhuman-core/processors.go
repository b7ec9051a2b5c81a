package main

import (
	"runtime"
	"sync"
	"time"
)

// slowCall is how long a call runs before it gets all processors.
const slowCall = 100 * time.Millisecond

// processors keeps the runtime on one processor as long as calls are short. A call is then worked
// off by one thread from the input to the output; spread over several it costs up to twice as much,
// nearly all of it hand-offs. A call that takes long is worth them, and so are those beside it.
type processors struct {
	use func(n int) // sets how many are used
	all int

	mu    sync.Mutex
	using int
	slow  int // calls that run and have become slow
}

func newProcessors() *processors {
	n := runtime.GOMAXPROCS(0)
	return &processors{use: func(n int) { runtime.GOMAXPROCS(n) }, all: n, using: n}
}

// call notes that a call begins. The function that it returns notes the end.
func (p *processors) call() (done func()) {
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
		}
	}
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
