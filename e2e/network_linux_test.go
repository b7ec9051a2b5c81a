//go:build e2e

package e2e

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// calls uses every tool once.
func calls(t *testing.T, s *session) {
	s.call(t, "memory.search", `{"query":"boiler"}`)
	s.call(t, "memory.recall", `{"query":"When is the rent due?"}`)
	s.call(t, "tree.browse", `{"k":3}`)
	s.call(t, "tree.top_entities", `{}`)
	s.call(t, "tree.list_sources", `{}`)
}

// TestNoSockets looks at the open files of the server over and over while every tool is used: the
// server never has a socket, neither to listen nor to call.
func TestNoSockets(t *testing.T) {
	s := start(t)
	stop := make(chan struct{})
	var looking sync.WaitGroup
	var looks int
	looking.Go(func() {
		folder := fmt.Sprintf("/proc/%d/fd", s.cmd.Process.Pid)
		for {
			select {
			case <-stop:
				return
			default:
			}
			entries, err := os.ReadDir(folder)
			if err != nil {
				t.Errorf("look at open files: %v", err)
				return
			}
			for _, e := range entries {
				if target, err := os.Readlink(folder + "/" + e.Name()); err == nil && strings.HasPrefix(target, "socket:") {
					t.Errorf("the server has %s", target)
				}
			}
			looks++
			time.Sleep(time.Millisecond)
		}
	})
	for range 20 {
		calls(t, s)
	}
	close(stop)
	looking.Wait()
	if looks < 10 {
		t.Errorf("looked only %d times", looks)
	}
	s.in.Close()
	if err := s.wait(t); err != nil {
		t.Error(err)
	}
}
