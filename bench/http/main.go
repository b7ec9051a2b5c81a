// Command http measures the built program's serve over a workspace that has a memory: what HTTP adds
// to a call, and what many clients at once get. It fails when a bound is missed.
//
//	go run ./bench/http -workspace DIR -binary bin/openhuman-core [-clients 64] [-for 60s]
//
// What HTTP adds is the median of POST /rpc less that of the same call of the controller, in one
// process and in turns. The controller is called by a goroutine that waits at a bare socket, as the
// server's does, and a round trip over that socket without a call counts as HTTP's: whoever waits for
// somebody else to compute loses his processor on a busy machine, for as long as others please, and that
// is nothing that HTTP does. The clients call without a pause, each on a connection of its own; they may get
// results, and 429 or 503 when it is too much.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/rpc"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

func main() {
	workspace := flag.String("workspace", "", "a workspace with a memory")
	binary := flag.String("binary", "bin/openhuman-core", "the built program")
	calls := flag.Int("calls", 1000, "how many calls of each kind are compared")
	clients := flag.Int("clients", 64, "how many clients call at once; 0: none")
	length := flag.Duration("for", time.Minute, "how long they do")
	flag.Parse()
	ctx := context.Background()
	err := overhead(ctx, *workspace, *calls)
	if *clients > 0 {
		err = errors.Join(err, crowd(ctx, *binary, *workspace, *clients, *length))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

const (
	mostAdded = 300 * time.Microsecond
	token     = "a-token-of-the-benchmark"
)

// overhead compares calls over HTTP with calls of the controller.
func overhead(ctx context.Context, workspace string, calls int) error {
	s := store.Lazy(store.Options{Path: filepath.Join(workspace, "memory.db"), ReadOnly: true})
	defer s.Close()
	c := controller.New(controller.Options{Store: s})
	deps := tools.Deps{Controller: c}
	server := rpc.New(rpc.Options{Backend: rpc.Backend{Deps: deps, Token: token, Host: "127.0.0.1"}})
	l, err := rpc.Listen(ctx, "127.0.0.1", 0)
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, l) }()
	defer func() { stop(); <-done }()
	client := &caller{url: rpc.URL("127.0.0.1", l), token: token, http: &http.Client{}}
	w, err := learn(ctx, client)
	if err != nil {
		return err
	}
	// A client of net/http hands every request from goroutine to goroutine, which is not the server's
	// doing.
	wire, err := dial(client.url, token)
	if err != nil {
		return err
	}
	defer wire.conn.Close()
	var worst time.Duration
	for _, k := range []kind{readChunk, rareWord, listSources} {
		var direct, trip, over []time.Duration
		op, ok := tools.ByMethod(k.method)
		if !ok {
			return fmt.Errorf("there is no %s", k.method)
		}
		bare, err := behindSocket(ctx, func(params []byte) error {
			_, _, err := op.Answer(ctx, deps, params, time.Minute)
			return err
		})
		if err != nil {
			return err
		}
		for i := range calls {
			params := []byte(k.params(w, i))
			timed := func(into *[]time.Duration, f func() error) func() error {
				return func() error {
					began := time.Now()
					err := f()
					*into = append(*into, time.Since(began))
					return err
				}
			}
			ask := []func() error{
				timed(&direct, func() error { return bare.call(params) }),
				timed(&over, func() error { return wire.call(k.method, params) }),
			}
			if i%2 == 1 { // whoever comes second finds the pages in place
				slices.Reverse(ask)
			}
			for _, f := range append(ask, timed(&trip, func() error { return bare.call(nil) })) {
				if err := f(); err != nil {
					bare.close()
					return fmt.Errorf("%s: %w", k.name, err)
				}
			}
		}
		bare.close()
		d, r, o := at(direct, 50), at(trip, 50), at(over, 50)
		added := o - d + r
		worst = max(worst, added)
		fmt.Printf("%-14s controller %8v with a round trip of %8v, HTTP %8v, added %8v (medians of %d in turns)\n", k.name, round(d), round(r), round(o), round(added), calls)
	}
	if worst > mostAdded {
		return fmt.Errorf("HTTP adds %v, more than %v", worst, mostAdded)
	}
	return nil
}

// at returns a percentile.
func at(d []time.Duration, percent int) time.Duration {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return d[min(len(d)*percent/100, len(d)-1)]
}

func round(d time.Duration) time.Duration { return d.Round(time.Microsecond) }

// A kind is one sort of call. i tells calls apart.
type kind struct {
	name, method string
	params       func(w *words, i int) string
}

var (
	readChunk = kind{"read a chunk", "openhuman.memory_tree_get_chunk", func(w *words, i int) string {
		return fmt.Sprintf(`{"chunk_id":%q}`, w.ids[i%len(w.ids)])
	}}
	rareWord = kind{"a rare word", "openhuman.memory_tree_search", func(w *words, i int) string {
		return fmt.Sprintf(`{"query":%q}`, w.long[i%len(w.long)])
	}}
	twoWords = kind{"two words", "openhuman.memory_tree_search", func(w *words, i int) string {
		return fmt.Sprintf(`{"query":%q,"k":50}`, w.long[i%len(w.long)]+" "+w.long[i*7%len(w.long)])
	}}
	recall = kind{"recall", "openhuman.memory_tree_recall", func(w *words, i int) string {
		return fmt.Sprintf(`{"query":%q}`, "what about "+w.long[i%len(w.long)]+" and "+w.long[i*3%len(w.long)])
	}}
	browse = kind{"browse", "openhuman.memory_tree_list_chunks", func(_ *words, i int) string {
		return fmt.Sprintf(`{"k":20,"offset":%d}`, i%2000)
	}}
	listSources = kind{"list sources", "openhuman.memory_tree_list_sources", func(*words, int) string { return `{}` }}
	entities    = kind{"top entities", "openhuman.memory_tree_top_entities", func(*words, int) string { return `{}` }}
	registry    = kind{"registry", "openhuman.tool_registry_get", func(*words, int) string { return `{"tool_id":"memory.search"}` }}

	// mix is what the crowd does: what clients do most is there most.
	mix = []kind{readChunk, rareWord, readChunk, twoWords, readChunk, rareWord, recall, browse, listSources, entities, registry, rareWord}
)

// words are what there is to ask for.
type words struct{ ids, long []string }

// learn browses the memory for ids and words.
func learn(ctx context.Context, c *caller) (*words, error) {
	w := &words{}
	for offset := 0; offset < 500; offset += 50 {
		var page struct{ Chunks []controller.Row }
		if err := c.result(ctx, browse.method, fmt.Sprintf(`{"k":50,"offset":%d}`, offset), &page); err != nil {
			return nil, err
		}
		for _, row := range page.Chunks {
			w.ids = append(w.ids, row.ChunkID)
			for word := range strings.FieldsSeq(row.Preview) {
				if word = strings.Trim(word, `.,;:!?"'()…`); len(word) > 9 {
					w.long = append(w.long, word)
				}
			}
		}
	}
	if len(w.ids) == 0 || len(w.long) == 0 {
		return nil, errors.New("there is nothing to ask for in this memory")
	}
	return w, nil
}
