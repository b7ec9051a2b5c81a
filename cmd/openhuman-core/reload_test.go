package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A reloading is a server whose settings change, with a method to ask it.
type reloading struct {
	*session
	url, token, path string
	log              fmt.Stringer
}

func newReloading(t *testing.T, settings string) *reloading {
	s := demoSession(t)
	r := &reloading{session: s, path: filepath.Join(s.dir, "memory", "config.toml")}
	r.write(settings)
	r.url, r.token, r.log = s.served()
	return r
}

func (r *reloading) write(settings string) {
	r.t.Helper()
	if err := os.WriteFile(r.path, []byte(logged+settings), 0o600); err != nil {
		r.t.Fatal(err)
	}
}

func (r *reloading) ask(method string) string {
	result, failure := post(r.t, r.url, r.token, method, `{"query":"boiler"}`)
	return string(slices.Concat(result, failure))
}

// until waits for the log to say something once more than before.
func (r *reloading) until(what string, change func()) {
	r.t.Helper()
	before := strings.Count(r.log.String(), what)
	change()
	for range 500 {
		if strings.Count(r.log.String(), what) > before {
			return
		}
		time.Sleep(20 * time.Millisecond)
	}
	r.t.Fatalf("%q is not said:\n%s", what, r.log)
}

const (
	logged   = "log = \"info\"\n" // before other settings: for until
	inEffect = "the settings have changed and are in effect"
	searches = "openhuman.memory_tree_search"
	recalls  = "openhuman.memory_tree_recall"
)

// An edit that leaves the length and the time of the file as they were is an edit.
func TestServeSeesEveryEdit(t *testing.T) {
	r := newReloading(t, "[policy]\ndeny_tools = [\"memory.search\"]\n")
	if got := r.ask(searches); !strings.Contains(got, "-32003") {
		t.Fatal(got)
	}
	info, err := os.Stat(r.path)
	if err != nil {
		t.Fatal(err)
	}
	r.until(inEffect, func() {
		next := r.path + ".next"
		if err := os.WriteFile(next, []byte(logged+"[policy]\ndeny_tools = [\"memory.recall\"]\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(next, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(next, r.path); err != nil {
			t.Fatal(err)
		}
	})
	if now, err := os.Stat(r.path); err != nil || now.Size() != info.Size() || !now.ModTime().Equal(info.ModTime()) {
		t.Fatalf("%v %v", now, err)
	}
	if got := r.ask(searches); !strings.Contains(got, `"chunk_id"`) {
		t.Error(got)
	}
	if got := r.ask(recalls); !strings.Contains(got, "-32003") {
		t.Error(got)
	}
}

// What is hidden now is hidden although the server cannot be set up anew, and the token stays.
func TestServeHidesWhateverElseFails(t *testing.T) {
	r := newReloading(t, "")
	file := filepath.Join(r.dir, "memory", "core.token")
	r.until(inEffect, func() {
		if err := errors.Join(os.Remove(file), os.Mkdir(file, 0o700)); err != nil {
			t.Fatal(err)
		}
	})
	if !strings.Contains(r.log.String(), "only the policy is in effect") {
		t.Errorf("nothing is said about the token:\n%s", r.log)
	}
	r.until(inEffect, func() { r.write("[policy]\ndeny_tools = [\"memory.search\"]\n") })
	if got := r.ask(searches); !strings.Contains(got, "-32003") {
		t.Error(got)
	}
	if got := r.ask(recalls); !strings.Contains(got, `"chunks"`) {
		t.Error(got)
	}
	r.until(inEffect, func() { r.write("[policy]\ndeny_tools = [\"memory.serach\"]\n") })
	if got := r.ask(recalls); !strings.Contains(got, "-32001") {
		t.Error(got)
	}
}

// A limit holds across changes of the settings.
func TestServeGoesOnCounting(t *testing.T) {
	r := newReloading(t, "[policy]\nmax_reads_per_minute = 3\n")
	for range 3 {
		if got := r.ask(searches); !strings.Contains(got, `"chunk_id"`) {
			t.Fatal(got)
		}
	}
	r.until(inEffect, func() { r.write("[policy]\nmax_reads_per_minute = 3\nredact_secrets = false\n") })
	if got := r.ask(searches); !strings.Contains(got, "3 reads in one minute") {
		t.Error(got)
	}
}
