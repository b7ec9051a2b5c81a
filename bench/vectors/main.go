// Command vectors measures the scan of vectors on vectors of real text: how long a question
// takes with and without choosing candidates by their codes, and how much of the ten nearest, as
// vectors of 32-bit numbers tell them, either finds. Texts are the lines of the files and folders that
// it is given, questions the lines of a file. It fails when a bound is missed.
//
//	go run ./bench/vectors [-model static|minilm] [-n N] -questions FILE PATH...
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/vecset"
)

const (
	questions = 200
	wanted    = 10
	asked     = 50 // recall asks for more than it shows
	// The bounds: the share of the ten nearest that must be found, and the time at 100,000 vectors.
	leastShare = 0.99
	mostTime   = 8 * time.Millisecond
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "vectors:", err)
		os.Exit(1)
	}
}

type embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("vectors", flag.ContinueOnError)
	name := flags.String("model", "static", "static or minilm")
	ask := flags.String("questions", "", "the file of questions, one a line")
	n := flags.Int("n", 100_000, "how many texts at most")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var model embedder
	var err error
	switch *name {
	case "static":
		model, err = static.Load()
	case "minilm":
		model, err = minilm.Load()
	default:
		err = fmt.Errorf("no model %q", *name)
	}
	if err != nil {
		return err
	}
	asking, err := collect([]string{*ask}, questions)
	if err != nil {
		return err
	}
	texts, err := collect(flags.Args(), *n)
	if err != nil {
		return err
	}
	if len(texts) < 1000 || len(asking) < 20 {
		return fmt.Errorf("only %d texts and %d questions", len(texts), len(asking))
	}
	fmt.Printf("%s: %d questions over %d texts\n", *name, len(asking), len(texts))
	return measure(ctx, model, asking, texts)
}

// collect returns distinct lines that are texts, evenly from all that there are.
func collect(paths []string, n int) ([]string, error) {
	seen := map[string]bool{}
	var all []string
	for _, p := range paths {
		err := filepath.WalkDir(p, func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() {
				return err
			}
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer f.Close()
			lines := bufio.NewScanner(f)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				line := strings.Trim(lines.Text(), " \t/*#-")
				if _, gloss, ok := strings.Cut(line, " | "); ok { // WordNet
					line = gloss
				}
				if words := len(strings.Fields(line)); words >= 5 && words <= 200 && !seen[line] {
					seen[line] = true
					all = append(all, line)
				}
			}
			if err := lines.Err(); !errors.Is(err, bufio.ErrTooLong) {
				return err
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if len(all) <= n {
		return all, nil
	}
	some := make([]string, n)
	for i := range some {
		some[i] = all[i*len(all)/n]
	}
	return some, nil
}

func measure(ctx context.Context, model embedder, asking, texts []string) error {
	queries, err := model.Embed(ctx, asking)
	if err != nil {
		return err
	}
	start := time.Now()
	var rows [][]float32
	for part := range slices.Chunk(texts, 512) {
		v, err := model.Embed(ctx, part)
		if err != nil {
			return err
		}
		rows = append(rows, v...)
	}
	fmt.Printf("embedded in %v\n", time.Since(start).Round(time.Millisecond))

	set := vecset.NewSet(len(rows[0]), len(rows))
	for i, v := range rows {
		if err := set.Append(int64(i+1), int64(i), 0, vecset.Pack(v)); err != nil {
			return err
		}
	}
	set.Encode()
	var failed error
	for _, exact := range []bool{true, false} {
		found := 0
		var spent time.Duration
		for _, q := range queries {
			best := nearest(rows, q)
			var hits []vecset.Hit
			fastest := time.Hour // other programs only add to the time
			for range 3 {
				start := time.Now()
				hits = set.Nearest(vecset.NewQuery(q), vecset.Options{Limit: asked, Exact: exact})
				fastest = min(fastest, time.Since(start))
			}
			spent += fastest
			for _, h := range hits[:wanted] {
				if slices.Contains(best, int(h.Chunk)) {
					found++
				}
			}
		}
		share, each := float64(found)/float64(wanted*len(queries)), spent/time.Duration(len(queries))
		fmt.Printf("every row in full: %-5v  %.4f of the ten nearest, %v a question\n", exact, share, each.Round(time.Microsecond))
		if share < leastShare || float64(each) > float64(mostTime)*max(float64(len(rows))/100_000, 1) {
			failed = errors.New("a bound is missed")
		}
	}
	return failed
}

// nearest returns the rows nearest to q.
func nearest(rows [][]float32, q []float32) []int {
	type scored struct {
		row int
		dot float32
	}
	all := make([]scored, len(rows))
	for i, r := range rows {
		var sum float32
		for k := range r {
			sum += r[k] * q[k]
		}
		all[i] = scored{i, sum}
	}
	slices.SortFunc(all, func(a, b scored) int {
		switch {
		case a.dot > b.dot:
			return -1
		case a.dot < b.dot:
			return 1
		}
		return a.row - b.row
	})
	out := make([]int, wanted)
	for i := range out {
		out[i] = all[i].row
	}
	return out
}
