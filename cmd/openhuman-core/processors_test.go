package main

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		used := make(chan int, 8)
		p := &processors{use: func(n int) { used <- n }, all: 8, turn: make(chan struct{}, 1), using: 8}
		// run makes a call that takes so long.
		run := func(d time.Duration) {
			done, err := p.call(t.Context())
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(d)
			done()
		}
		expect := func(what string, want ...int) {
			t.Helper()
			synctest.Wait()
			var got []int
			for len(used) > 0 {
				got = append(got, <-used)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("%s (-want +got):\n%s", what, d)
			}
		}
		expect("before the first call")
		run(slowCall / 2)
		expect("a short call", 1)
		for range 3 {
			run(slowCall - 1)
		}
		expect("more short calls")
		go run(3 * slowCall)
		time.Sleep(slowCall + 1)
		expect("a call that has become slow", 8)
		run(slowCall / 2)
		expect("a short one beside it")
		go run(slowCall * 5 / 2)
		time.Sleep(2 * slowCall)
		expect("the first slow one has ended, another has not")
		time.Sleep(slowCall)
		expect("none is left", 1)
	})
}

func TestProcessorsOfOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &processors{use: func(n int) { t.Errorf("set to %d", n) }, all: 1, turn: make(chan struct{}, 1), using: 1}
		done, err := p.call(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * slowCall)
		done()
	})
}

// Short calls run one after the other; behind a slow one nobody waits longer than it takes to be one.
func TestProcessorsTakeTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &processors{use: func(int) {}, all: 8, turn: make(chan struct{}, 1), using: 8}
		begin := time.Now()
		ended := make(chan time.Duration, 4)
		for _, d := range []time.Duration{10 * time.Millisecond, 20 * time.Millisecond, time.Second, 30 * time.Millisecond} {
			go func() {
				done, err := p.call(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(d)
				done()
				ended <- time.Since(begin)
			}()
			synctest.Wait()
		}
		gone, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("gone")
		time.AfterFunc(time.Millisecond, func() { cancel(cause) })
		if _, err := p.call(gone); !errors.Is(err, cause) {
			t.Errorf("a call that is cancelled while it waits: %v", err)
		}
		time.Sleep(2 * time.Second)
		slow := 30 * time.Millisecond // when it begins
		for _, want := range []time.Duration{10 * time.Millisecond, slow, slow + slowCall + 30*time.Millisecond, slow + time.Second} {
			if got := <-ended; got != want {
				t.Errorf("a call ended after %v, want %v", got, want)
			}
		}
	})
}
