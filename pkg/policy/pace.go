package policy

import (
	"sync"
	"time"
)

// maxPaced is how many clients are counted each for itself. Names are claims, and whoever makes up
// ever new ones shares what is left with the others.
const maxPaced = 256

// A pace bounds how often each client calls: at most so many times in any stretch of a length. A nil
// *pace is not asked.
type pace struct {
	most   int
	within time.Duration

	mu    sync.Mutex
	calls map[string][]time.Time // the latest of each client, oldest first
}

func newPace(most int, within time.Duration) *pace {
	if most <= 0 {
		return nil
	}
	return &pace{most: most, within: within, calls: map[string][]time.Time{}}
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
	if len(times) >= p.most {
		p.calls[who] = times
		return p.within - now.Sub(times[0]), false
	}
	p.calls[who] = append(times, now)
	return 0, true
}

// forget drops the clients who have not called of late.
func (p *pace) forget(now time.Time) {
	for who, times := range p.calls {
		if now.Sub(times[len(times)-1]) >= p.within {
			delete(p.calls, who)
		}
	}
}
