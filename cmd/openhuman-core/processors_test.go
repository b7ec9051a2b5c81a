package main

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProcessors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var used []int
		p := &processors{use: func(n int) { used = append(used, n) }, all: 8, using: 8}
		// run makes a call that takes so long.
		run := func(d time.Duration) {
			defer p.call()()
			time.Sleep(d)
		}
		expect := func(what string, want ...int) {
			t.Helper()
			synctest.Wait()
			if d := cmp.Diff(want, used); d != "" {
				t.Errorf("%s (-want +got):\n%s", what, d)
			}
			used = nil
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
		p := &processors{use: func(n int) { t.Errorf("set to %d", n) }, all: 1, using: 1}
		done := p.call()
		time.Sleep(2 * slowCall)
		done()
	})
}
