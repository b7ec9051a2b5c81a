// Command recall measures what one memory.recall costs over 100,000 chunks that have vectors, beside a
// memory.search for the same question: the CPU time of the built program, asked as an MCP client
// asks. It also measures how long the models take to load, and fails when a bound is missed.
//
//	go run ./bench/recall [-binary FILE] [-chunks N] [-dir DIR]
//
// The text is generated, and so are the vectors: the encoder would take hours. The questions go through
// the encoder. The memory stays in DIR and is used again; without -dir it is made in a folder that is
// removed.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/openhuman/openhuman-core/bench/internal/harness"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
)

const (
	boundExtra = 25 * time.Millisecond
	boundLoad  = 80 * time.Millisecond
	kinds      = 9  // of questions
	each       = 40 // questions of a kind that are asked
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "recall:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("recall", flag.ContinueOnError)
	binary := flags.String("binary", "bin/openhuman-core", "the built program")
	dir := flags.String("dir", "", "folder for the memory, kept")
	chunks := flags.Int("chunks", 100_000, "how many chunks")
	rounds := flags.Int("rounds", 3, "how many rounds are measured; the best of each counts")
	if err := flags.Parse(args); err != nil {
		return err
	}
	path, done, err := harness.Memory(ctx, *dir, *chunks, build)
	if err != nil {
		return err
	}
	defer done()
	load, err := loading(*rounds)
	if err != nil {
		return err
	}
	asker := asker{ctx: ctx, binary: *binary, dir: path, rounds: *rounds}
	c := newCorpus()
	var extra, recalls []time.Duration
	for kind := range kinds {
		questions := c.questions(kind)
		search, err := asker.cpu("memory.search", questions)
		if err != nil {
			return err
		}
		recall, err := asker.cpu("memory.recall", questions)
		if err != nil {
			return err
		}
		fmt.Printf("%-52s search %5.1f ms, recall %5.1f ms\n", questions[0], ms(search), ms(recall))
		extra, recalls = append(extra, recall-search), append(recalls, recall)
	}
	slices.Sort(extra)
	slices.Sort(recalls)
	fmt.Printf("median: recall takes %.1f ms of CPU, %.1f ms more than search; the models load in %.1f ms\n",
		ms(recalls[len(recalls)/2]), ms(extra[len(extra)/2]), ms(load))
	if extra[len(extra)/2] > boundExtra {
		return fmt.Errorf("that is more than %v beyond search", boundExtra)
	}
	if load > boundLoad {
		return fmt.Errorf("the models take more than %v to load", boundLoad)
	}
	return nil
}

func ms(d time.Duration) float64 { return d.Seconds() * 1000 }

// loading is how long the models take to load, the best of some times.
func loading(rounds int) (best time.Duration, err error) {
	for i := range rounds {
		start := time.Now()
		_, err1 := minilm.Load()
		_, err2 := static.Load()
		if err := errors.Join(err1, err2); err != nil {
			return 0, err
		}
		if took := time.Since(start); i == 0 || took < best {
			best = took
		}
	}
	return best, nil
}

type asker struct {
	ctx         context.Context
	binary, dir string
	rounds      int
}

// cpu is what one call costs on average, the start of the program and what only the first call does left out.
func (a *asker) cpu(tool string, questions []string) (best time.Duration, err error) {
	for i := range a.rounds {
		few, err := a.life(tool, questions[:1])
		if err != nil {
			return 0, err
		}
		all, err := a.life(tool, questions)
		if err != nil {
			return 0, err
		}
		if one := (all - few) / time.Duration(len(questions)-1); i == 0 || one < best {
			best = one
		}
	}
	return best, nil
}

// life is the CPU time of a server that answers some questions.
func (a *asker) life(tool string, questions []string) (time.Duration, error) {
	s, err := harness.Start(a.ctx, a.binary, a.dir)
	if err != nil {
		return 0, err
	}
	for _, q := range questions {
		if _, err := s.Call(tool, map[string]string{"query": q}); err != nil {
			_, e := s.End()
			return 0, errors.Join(err, e)
		}
	}
	return s.End()
}
