// Package lock lets one process at a time do something, such as taking files in over one workspace. The
// system gives a lock back when its process ends, however that ends, so that none is ever left behind.
// What has to be whole for everybody belongs in a transaction of the store instead.
package lock

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// A Lock is held until it is closed.
type Lock struct{ f *os.File }

// Held says that another process has the lock.
type Held struct{ PID int } // 0 when that is not known

func (h *Held) Error() string {
	if h.PID == 0 {
		return "another process has the lock"
	}
	return fmt.Sprintf("process %d has the lock", h.PID)
}

// Try takes the lock that the file at path stands for, which it makes; a *Held says who has it.
func Try(path string) (*Lock, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the lock: %w", err)
	}
	taken, err := take(f)
	if err != nil || !taken {
		held := &Held{PID: holder(f)}
		_ = f.Close()
		if err != nil {
			return nil, fmt.Errorf("take the lock: %w", err)
		}
		return nil, held
	}
	// Who it is is told to others and nothing depends on it.
	if f.Truncate(0) == nil {
		_, _ = f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	}
	return &Lock{f}, nil
}

// every is how often Wait looks again.
const every = 100 * time.Millisecond

// Wait takes the lock as soon as it is free. waiting is told once who has it.
func Wait(ctx context.Context, path string, waiting func(*Held)) (*Lock, error) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for told := false; ; told = true {
		l, err := Try(path)
		var held *Held
		if !errors.As(err, &held) {
			return l, err
		}
		if !told {
			waiting(held)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Close gives the lock back. The file stays, since another process may be waiting for it.
func (l *Lock) Close() error {
	if err := l.f.Close(); err != nil {
		return fmt.Errorf("give the lock back: %w", err)
	}
	return nil
}

func holder(f *os.File) int {
	b := make([]byte, 20)
	n, _ := f.ReadAt(b, 0)
	pid, err := strconv.Atoi(strings.TrimSpace(string(b[:n])))
	if err != nil {
		return 0
	}
	return pid
}
