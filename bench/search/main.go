// Command search measures memory.search at 100,000 chunks of 1 KB, through the controller, against
// SQLite's own full-text ranking as Python's sqlite3 module runs it: the same text, the same words,
// the same run. It prints the CPU time of both and their ratio, and fails when a bound is missed.
//
//	go run ./bench/search [-chunks N] [-dir DIR]
//
// The stores stay in DIR and are used again; without -dir they are made in a folder that is removed.
package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/store"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	chunks := flags.Int("chunks", 100_000, "how many chunks")
	dir := flags.String("dir", "", "folder for the stores, kept")
	rounds := flags.Int("rounds", 5, "how many rounds of both are measured; the best counts")
	python := flags.String("python", "python3", "the Python to compare with")
	script := flags.String("baseline", "bench/search/baseline.py", "the baseline's script")
	ask := flags.String("ask", "", "run this query -n times and nothing else")
	n := flags.Int("n", 0, "with -ask: how many times")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *ask != "" {
		return repeat(ctx, *dir, *ask, *n)
	}
	if *dir == "" {
		tmp, err := os.MkdirTemp("", "bench-search")
		if err != nil {
			return err
		}
		defer os.RemoveAll(tmp)
		*dir = tmp
	}
	if _, err := os.Stat(filepath.Join(*dir, "memory.db")); errors.Is(err, os.ErrNotExist) {
		fmt.Fprintf(os.Stderr, "making %d chunks ...\n", *chunks)
		if err := build(ctx, *dir, *chunks); err != nil {
			return err
		}
	}
	qs := questions(newCorpus())
	ours, base := make([]time.Duration, len(qs)), make([]time.Duration, len(qs))
	// The best of several rounds, taken in turns, since whatever else the machine does adds to both.
	for round := range *rounds {
		b, err := baseline(ctx, *python, *script, *dir, qs)
		if err != nil {
			return fmt.Errorf("baseline: %w", err)
		}
		for i, q := range qs {
			o, err := measure(ctx, *dir, q.Query)
			if err != nil {
				return err
			}
			if round == 0 {
				ours[i], base[i] = o, b[i]
			}
			ours[i], base[i] = min(ours[i], o), min(base[i], b[i])
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "query\tours ms\tPython ms\tratio\tbound")
	missed := 0
	for i, q := range qs {
		ratio := ours[i].Seconds() / base[i].Seconds()
		verdict := ""
		if ratio > q.Bound {
			verdict = "  MISSED"
			missed++
		}
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.2f\t%.1f%s\n", q.Name, ms(ours[i]), ms(base[i]), ratio, q.Bound, verdict)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d bounds missed", missed, len(qs))
	}
	return nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// baseline returns the CPU time of each query in Python.
func baseline(ctx context.Context, python, script, dir string, qs []question) ([]time.Duration, error) {
	var in strings.Builder
	for _, q := range qs {
		fmt.Fprintln(&in, q.Baseline)
	}
	cmd := exec.CommandContext(ctx, python, script, dir)
	cmd.Stdin, cmd.Stderr = strings.NewReader(in.String()), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var times []time.Duration
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		first, rows, _ := strings.Cut(lines.Text(), " ")
		s, err := strconv.ParseFloat(first, 64)
		if err != nil {
			return nil, err
		}
		if rows == "0" {
			return nil, fmt.Errorf("query %q finds nothing", qs[len(times)].Baseline)
		}
		times = append(times, time.Duration(s*float64(time.Second)))
	}
	if len(times) != len(qs) {
		return nil, fmt.Errorf("%d answers to %d queries", len(times), len(qs))
	}
	return times, nil
}

// measure returns the CPU time of one search: that of a process that makes many, less that of one
// that makes a single one, so that everything the runtime does beside it counts and starting does not.
func measure(ctx context.Context, dir, query string) (time.Duration, error) {
	cpu := func(n int) (time.Duration, error) {
		cmd := exec.CommandContext(ctx, os.Args[0], "-dir", dir, "-ask", query, "-n", strconv.Itoa(n))
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return 0, fmt.Errorf("search %q: %w", query, err)
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime(), nil
	}
	one, err := cpu(1)
	if err != nil {
		return 0, err
	}
	for n := 20; ; n *= 4 {
		many, err := cpu(1 + n)
		if err != nil {
			return 0, err
		}
		if many-one > 500*time.Millisecond || n > 20_000 {
			return max(many-one, 0) / time.Duration(n), nil
		}
	}
}

func repeat(ctx context.Context, dir, query string, n int) error {
	st, err := store.Open(ctx, store.Options{Path: filepath.Join(dir, "memory.db"), ReadOnly: true})
	if err != nil {
		return err
	}
	defer st.Close()
	c := controller.New(controller.Options{Store: st})
	for range n {
		res, err := c.Search(ctx, controller.SearchParams{Query: query})
		if err != nil {
			return err
		}
		if len(res.Chunks) == 0 {
			return fmt.Errorf("nothing found")
		}
	}
	return nil
}
