// Command embed measures the encoder, one thread, at several lengths of text and with every
// implementation this processor has; with onnxruntime at hand, both in turn in one run. It prints
// the shortest time of each, which is what a busy machine disturbs least, and fails when the encoder
// has less than 0.9 of onnxruntime's speed.
//
//	go run ./bench/embed [-ort FOLDER -model MODEL.onnx] [-rounds N]
//
// FOLDER is one in which onnxruntime-node is installed, MODEL.onnx the export that datagen converts.
package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/openhuman/openhuman-core/internal/embed/kernel"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
)

//go:embed ort.js
var script []byte

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}

// bound is how much of onnxruntime's speed the encoder must have.
const bound = 0.9

// runs is how often a length is encoded in one round.
var runs = map[int]int{12: 40, 32: 20, 100: 10, 256: 5}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("embed", flag.ContinueOnError)
	ort := flags.String("ort", "", "folder with onnxruntime-node installed")
	model := flags.String("model", "", "the unconverted model")
	rounds := flags.Int("rounds", 5, "how many rounds are measured")
	if err := flags.Parse(args); err != nil {
		return err
	}
	start := time.Now()
	if _, err := minilm.Load(); err != nil {
		return err
	}
	fmt.Printf("load: %.1f ms\n", ms(time.Since(start)))

	contestants, err := ours()
	if err != nil {
		return err
	}
	if *ort != "" {
		other, stop, err := startORT(ctx, *ort, *model)
		if err != nil {
			return fmt.Errorf("start onnxruntime: %w", err)
		}
		defer stop()
		contestants = append(contestants, contestant{"onnxruntime", other})
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "tokens\t")
	for _, c := range contestants {
		fmt.Fprint(w, c.name, "\t")
	}
	fmt.Fprintln(w, "(ms)\t")
	slow := false
	for _, n := range []int{12, 32, 100, 256} {
		best := make([]float64, len(contestants))
		for i := range best {
			best[i] = math.Inf(1)
		}
		for range *rounds {
			for i, c := range contestants {
				t, err := c.encode(ctx, n, runs[n])
				if err != nil {
					return err
				}
				best[i] = min(best[i], t)
			}
		}
		fmt.Fprintf(w, "%d\t", n)
		for _, t := range best {
			fmt.Fprintf(w, "%.2f\t", t)
		}
		if *ort != "" {
			ratio := best[len(best)-1] / best[0]
			slow = slow || ratio < bound
			fmt.Fprintf(w, "%.2f of onnxruntime's speed", ratio)
		}
		fmt.Fprintln(w, "\t")
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if slow {
		return fmt.Errorf("less than %.1f of onnxruntime's speed", bound)
	}
	return nil
}

// A contestant encodes a text of n tokens several times and says how many ms the fastest took.
type contestant struct {
	name   string
	encode func(ctx context.Context, n, runs int) (float64, error)
}

func ours() ([]contestant, error) {
	var out []contestant
	for _, k := range kernel.All() {
		m, err := minilm.New(minilm.Options{Kernels: k, Workers: 1})
		if err != nil {
			return nil, err
		}
		out = append(out, contestant{k.Name, shortest(m.Embed)})
	}
	s, err := static.Load()
	if err != nil {
		return nil, err
	}
	return append(out, contestant{"static", shortest(s.Embed)}), nil
}

func shortest(embed func(context.Context, []string) ([][]float32, error)) func(context.Context, int, int) (float64, error) {
	return func(ctx context.Context, n, runs int) (float64, error) {
		texts := []string{strings.Repeat("time ", n-2)}
		best := math.Inf(1)
		for range runs {
			start := time.Now()
			if _, err := embed(ctx, texts); err != nil {
				return 0, err
			}
			best = min(best, ms(time.Since(start)))
		}
		return best, nil
	}
}

// startORT runs the script beside onnxruntime, which it can only find from there.
func startORT(ctx context.Context, folder, model string) (encode func(context.Context, int, int) (float64, error), stop func(), err error) {
	path := filepath.Join(folder, "bench-embed.js")
	if err := os.WriteFile(path, script, 0o644); err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, "node", path, model)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop = func() {
		in.Close()
		_ = cmd.Wait() // its answers have been read; how it ends does not matter
		os.Remove(path)
	}
	out := bufio.NewScanner(pipe)
	if !out.Scan() || out.Text() != "ready" {
		stop()
		return nil, nil, errors.New("it did not get ready")
	}
	return func(_ context.Context, n, runs int) (float64, error) {
		if _, err := fmt.Fprintln(in, n, runs); err != nil {
			return 0, err
		}
		if !out.Scan() {
			return 0, io.ErrUnexpectedEOF
		}
		var t float64
		_, err := fmt.Sscan(out.Text(), &t)
		return t, err
	}, stop, nil
}

func ms(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e6 }
