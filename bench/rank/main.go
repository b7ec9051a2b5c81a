// Command rank measures how well recall and search answer questions whose answers are known.
//
//	go run ./bench/rank [-tool recall] [-stage all] FOLDER...
//
// A folder holds either conversations (NAME.jsonl in the interchange format and NAME.questions.json
// with questions, turns and evidence), or sets: lines of JSON with a text and its id, a question and
// the ids it wants, or both. What it prints is in docs/ranking.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

func main() {
	tool := flag.String("tool", "recall", "recall or search")
	stage := flag.String("stage", "all", "words, instant (vectors at once) or all (the encoder's)")
	flag.Parse()
	if err := run(context.Background(), *stage, *tool, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "rank:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, stage, tool string, folders []string) error {
	m, err := loadModels()
	if err != nil {
		return err
	}
	for _, dir := range folders {
		talks, err := filepath.Glob(filepath.Join(dir, "*.questions.json"))
		if err != nil {
			return err
		}
		if len(talks) > 0 {
			err = runConversations(ctx, m, stage, tool, talks)
		} else {
			err = runSets(ctx, m, stage, tool, dir)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func runConversations(ctx context.Context, m models, stage, tool string, paths []string) error {
	var all evidence
	print := func(name string, e evidence) {
		e = e.mean()
		fmt.Printf("%-24s questions %4d  evidence@1000 %.4f  @2000 %.4f  session@5 %.4f  mrr %.4f  %v a question\n",
			name, e.questions, e.at1000, e.at2000, e.session5, e.mrr, e.took().Round(100_000))
	}
	for _, path := range paths {
		e, err := measureConversation(ctx, m, stage, tool, path)
		if err != nil {
			return err
		}
		print(filepath.Base(path), e)
		all.add(e)
	}
	print("all", all)
	return nil
}

func runSets(ctx context.Context, m models, stage, tool, dir string) error {
	lines, err := readSet(dir)
	if err != nil {
		return err
	}
	sets, err := measureSet(ctx, m, stage, tool, lines)
	if err != nil {
		return err
	}
	for _, set := range slices.Sorted(maps.Keys(sets)) {
		r := sets[set]
		fmt.Printf("%-24s questions %4d  R@1 %.3f  R@5 %.3f  R@10 %.3f  MRR@10 %.3f\n", set, r.Questions, r.R1, r.R5, r.R10, r.MRR10)
	}
	return nil
}

// readSet reads all lines of a folder; a question without a set is of the folder's.
func readSet(dir string) ([]line, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("%s holds no .jsonl files", dir)
	}
	var lines []line
	for _, path := range paths {
		more, err := readLines(path)
		if err != nil {
			return nil, err
		}
		lines = append(lines, more...)
	}
	for i := range lines {
		if lines[i].Set == "" {
			lines[i].Set = filepath.Base(dir)
		}
	}
	return lines, nil
}
