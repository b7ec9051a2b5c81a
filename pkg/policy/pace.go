package policy

import (
	"sync"
	"time"
)

// maxPaced is how many clients are counted each for itself. Names are claims, and whoever makes up
// ever new ones shares what is left with the others.
const maxPaced = 256

// Counts remember how often each client has called. A server whose settings change gives the same to
// every policy that it makes, so that nobody begins anew. They are safe for concurrent use.
type Counts struct{ reads, acts history }

// NewCounts returns counts of nothing.
func NewCounts() *Counts {
	return &Counts{history{calls: map[string][]time.Time{}}, history{calls: map[string][]time.Time{}}}
}

type history struct {
	mu    sync.Mutex
	calls map[string][]time.Time // the latest of each client, oldest first
}

// A pace bounds how often each client calls: at most so many times in any stretch of a length. A nil
// *pace is not asked.
type pace struct {
	most   int
	within time.Duration
	*history
}

func newPace(h *history, most int, within time.Duration) *pace {
	if most <= 0 {
		return nil
	}
	return &pace{most, within, h}
}

// take counts a call, or returns how long the caller has to wait for one.
func (p *pace) take(who string, now time.Time) (wait time.Duration, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.calls[who]; !known && len(p.calls) >= maxPaced {
		p.forget(now)
		if len(p.calls) >= maxPaced {
			who = ""
		}
	}
	times := p.calls[who]
	gone := 0
	for gone < len(times) && now.Sub(times[gone]) >= p.within {
		gone++
	}
	times = times[gone:]
	if n := len(times); n >= p.most {
		p.calls[who] = times
		return p.within - now.Sub(times[n-p.most]), false // more than that, when the bound was higher before
	}
	p.calls[who] = append(times, now)
	return 0, true
}

// forget drops the clients who have not called of late.
func (p *pace) forget(now time.Time) {
	for who, times := range p.calls {
		if len(times) == 0 || now.Sub(times[len(times)-1]) >= p.within {
			delete(p.calls, who)
		}
	}
}
