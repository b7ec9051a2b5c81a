// Command start measures how long the built program takes to answer initialize, against what
// "version" takes, in alternating runs. It prints medians and their ratio.
//
//	go run ./bench/start -binary bin/openhuman-core -workspace DIR
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"github.com/openhuman/openhuman-core/bench/internal/harness"
)

func main() {
	binary := flag.String("binary", "bin/openhuman-core", "the built program")
	workspace := flag.String("workspace", "", "a workspace; empty: one that does not exist")
	runs := flag.Int("runs", 51, "how many runs of each")
	bound := flag.Float64("bound", 1.5, "the ratio that must not be exceeded; 0: only print")
	flag.Parse()
	if err := measure(context.Background(), *binary, *workspace, *runs, *bound); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(ctx context.Context, binary, workspace string, runs int, bound float64) error {
	if workspace == "" {
		workspace = filepath.Join(os.TempDir(), "openhuman-bench-missing")
	}
	var versions, answers []time.Duration
	for range runs {
		began := time.Now()
		if err := exec.CommandContext(ctx, binary, "version").Run(); err != nil {
			return fmt.Errorf("version: %w", err)
		}
		versions = append(versions, time.Since(began))
		d, err := answer(ctx, binary, workspace)
		if err != nil {
			return fmt.Errorf("mcp: %w", err)
		}
		answers = append(answers, d)
	}
	v, a := median(versions), median(answers)
	ratio := float64(a) / float64(v)
	fmt.Printf("version %v, initialize answered after %v, ratio %.2f (medians of %d alternating runs)\n", v, a, ratio, runs)
	if bound > 0 && ratio > bound {
		return fmt.Errorf("the ratio exceeds %.2f", bound)
	}
	return nil
}

// answer starts the server and returns when the answer to initialize was there.
func answer(ctx context.Context, binary, workspace string) (time.Duration, error) {
	began := time.Now()
	s, err := harness.Start(ctx, binary, workspace)
	if err != nil {
		return 0, err
	}
	took := time.Since(began)
	_, err = s.End()
	return took, err
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
