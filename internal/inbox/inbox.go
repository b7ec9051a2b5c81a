// Package inbox takes in what callers write: one interchange line at a time, into a memory that it
// opens for the length of a write. It holds neither the policy, which has been asked before, nor what
// documents are made of, which internal/ingest knows.
package inbox

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/ingest/interchange"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// DefaultWait is how long a write waits for others that write: longer than a large import holds the
// memory at a time, and well within the time that a call has.
const DefaultWait = 10 * time.Second

// Options are what an Inbox is made from.
type Options struct {
	Path string // of the memory
	// Instant, when set, loads what gives chunks their instant vectors; it is called by the first write.
	Instant func() (ingest.Model, error)
	Wait    time.Duration    // for others that write; 0: DefaultWait
	Now     func() time.Time // nil: time.Now
}

// Inbox implements controller.Writer. It is safe for concurrent use.
type Inbox struct {
	o    Options
	turn chan struct{} // held by the one write that runs
}

var _ controller.Writer = (*Inbox)(nil)

// New returns an Inbox. It touches nothing before the first write.
func New(o Options) *Inbox {
	if o.Wait <= 0 {
		o.Wait = DefaultWait
	}
	if o.Instant != nil {
		o.Instant = sync.OnceValues(o.Instant)
	}
	return &Inbox{o: o, turn: make(chan struct{}, 1)}
}

// TakeIn implements controller.Writer. The memory is open only as long as it takes: no server holds it
// while nobody writes, and a file that was put in its place meanwhile is the one that is written to.
func (b *Inbox) TakeIn(ctx context.Context, line []byte, may func(string) error) (out []controller.Written, err error) {
	documents, err := interchange.ParseWhole(line)
	if err != nil {
		return nil, fault.New(fault.Invalid, "The payload cannot be taken in: %v.", err).WithHint("docs/interchange.md shows one of each kind.")
	}
	wait, cancel := context.WithTimeout(ctx, b.o.Wait)
	defer cancel()
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
	case <-wait.Done():
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		return nil, busy(nil)
	}
	o := ingest.TakeOptions{May: may, Now: b.o.Now}
	if b.o.Instant != nil {
		if o.Instant, err = b.o.Instant(); err != nil {
			return nil, err
		}
	}
	if o.Store, err = store.Open(ctx, store.Options{Path: b.o.Path, BusyWait: b.o.Wait, Now: b.o.Now}); err != nil {
		return nil, busy(err)
	}
	defer func() { err = errors.Join(err, o.Store.Close()) }()
	taken, err := ingest.Take(ctx, o, documents)
	if err != nil {
		return nil, busy(err)
	}
	out = make([]controller.Written, len(taken))
	for i, t := range taken {
		out[i] = controller.Written(t)
	}
	return out, nil
}

// busy words the fault of a memory that others go on writing to, and passes on every other error.
func busy(err error) error {
	if err != nil && !store.Locked(err) {
		return err
	}
	return fault.Wrap(fault.Conflict, err, "Another program is writing to this memory, so nothing was stored.").
		WithHint("Try again when it has ended, as a large openhuman-core ingest does after a while. What is stored twice is kept once.")
}
