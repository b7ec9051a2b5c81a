// Command search measures memory.search at 100,000 chunks of 1 KB against SQLite's own full-text
// ranking as Python's sqlite3 module runs it: the same text, the same words, the same run. It prints
// the CPU time of both and their ratio, and fails when a bound is missed.
//
//	go run ./bench/search [-chunks N] [-dir DIR] [-stdio BINARY]
//
// It asks the controller, or with -stdio the built program, as an MCP client does: one call after the
// other, and all calls at once. The stores stay in DIR and are used again; without -dir they are made
// in a folder that is removed.
package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/openhuman/openhuman-core/bench/internal/harness"
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
	rounds := flags.Int("rounds", 5, "how many rounds of all are measured; the best counts")
	binary := flags.String("stdio", "", "the built program, to be driven over stdio")
	python := flags.String("python", "python3", "the Python to compare with")
	script := flags.String("baseline", "bench/search/baseline.py", "the baseline's script")
	ask := flags.Int("ask", 0, "make so many searches, for the queries on the input, and nothing else")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *ask > 0 {
		return askController(ctx, *dir, os.Stdin, *ask)
	}
	if _, err := exec.LookPath(*python); err != nil {
		fmt.Println("skipped: there is no Python to compare with:", err)
		return nil
	}
	path, done, err := harness.Memory(ctx, *dir, *chunks, build)
	if err != nil {
		return err
	}
	defer done()
	b := bench{dir: path, baseline: []string{*python, *script, path}, questions: questions(newCorpus())}
	if *binary == "" {
		b.ways = []way{{"controller", controllerCPU(path)}}
	} else {
		b.ways = []way{{"one by one", stdioCPU(*binary, path, false)}, {"all at once", stdioCPU(*binary, path, true)}}
	}
	return b.run(ctx, *rounds)
}

// A way is one way to ask. Its cpu is the CPU time of a process that makes n searches, with the
// queries in turn.
type way struct {
	name string
	cpu  func(ctx context.Context, queries []string, n int) (time.Duration, error)
}

type bench struct {
	dir       string
	baseline  []string // the command line
	questions []question
	ways      []way
}

func (b *bench) run(ctx context.Context, rounds int) error {
	ours := make([][]time.Duration, len(b.ways))
	for i := range ours {
		ours[i] = make([]time.Duration, len(b.questions))
	}
	base := make([]time.Duration, len(b.questions))
	// The best of several rounds, taken in turns, since whatever else the machine does adds to all.
	for round := range rounds {
		times, err := b.python(ctx)
		if err != nil {
			return fmt.Errorf("baseline: %w", err)
		}
		for i, q := range b.questions {
			base[i] = best(round, base[i], times[i])
			for j, w := range b.ways {
				d, err := perSearch(ctx, w, q.Queries)
				if err != nil {
					return fmt.Errorf("%s, %s: %w", q.Name, w.name, err)
				}
				ours[j][i] = best(round, ours[j][i], d)
			}
		}
	}
	return b.report(ours, base)
}

func best(round int, before, now time.Duration) time.Duration {
	if round == 0 {
		return now
	}
	return min(before, now)
}

func (b *bench) report(ours [][]time.Duration, base []time.Duration) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "way\tquery\tours ms\tPython ms\tratio\tbound")
	missed := 0
	for j, way := range b.ways {
		for i, q := range b.questions {
			ratio := ours[j][i].Seconds() / base[i].Seconds()
			verdict := ""
			if ratio > q.Bound {
				verdict = "  MISSED"
				missed++
			}
			fmt.Fprintf(w, "%s\t%s\t%.3f\t%.3f\t%.2f\t%.1f%s\n", way.name, q.Name, ms(ours[j][i]), ms(base[i]), ratio, q.Bound, verdict)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if missed > 0 {
		return fmt.Errorf("%d of %d bounds missed", missed, len(b.ways)*len(b.questions))
	}
	return nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// python returns the CPU time of a query of each kind in Python.
func (b *bench) python(ctx context.Context) ([]time.Duration, error) {
	var in strings.Builder
	for _, q := range b.questions {
		fmt.Fprintln(&in, strings.Join(q.Baseline, "\t"))
	}
	cmd := exec.CommandContext(ctx, b.baseline[0], b.baseline[1:]...)
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
			return nil, fmt.Errorf("one of the queries %q finds nothing", b.questions[len(times)].Baseline)
		}
		times = append(times, time.Duration(s*float64(time.Second)))
	}
	if len(times) != len(b.questions) {
		return nil, fmt.Errorf("%d answers to %d queries", len(times), len(b.questions))
	}
	return times, nil
}

// perSearch returns the CPU time of one search: that of a process that makes many, less that of one
// that makes a few, so that everything the runtime does beside it counts and starting does not.
func perSearch(ctx context.Context, w way, queries []string) (time.Duration, error) {
	few, err := w.cpu(ctx, queries, len(queries))
	if err != nil {
		return 0, err
	}
	for n := 5 * len(queries); ; n *= 4 {
		many, err := w.cpu(ctx, queries, len(queries)+n)
		if err != nil {
			return 0, err
		}
		if many-few > 500*time.Millisecond || n > 20_000 {
			return max(many-few, 0) / time.Duration(n), nil
		}
	}
}
