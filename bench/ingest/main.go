// Command ingest measures what it costs to take in a folder: cold, then again without a change, each
// in a process of its own, in seconds of CPU and peak memory. Without a path it writes 2,000 Markdown
// notes (8 MB) of its own and prints what was used of the bounds that are set for those.
//
//	go run ./bench/ingest [-profile FILE] [-keep STORE] [PATH...]
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/pprof"
	"time"

	"github.com/openhuman/openhuman-core/bench/internal/harness"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
)

func main() {
	profile := flag.String("profile", "", "write a CPU profile of the cold run to this file")
	keep := flag.String("keep", "", "put the store here and keep it")
	child := flag.String("child", "", "run once over this store (internal)")
	flag.Parse()
	err := error(nil)
	if *child != "" {
		err = once(*child, *profile, flag.Args())
	} else {
		err = measure(*profile, *keep, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// measure runs the child twice and prints what it cost.
func measure(profile, keep string, paths []string) error {
	bounds := map[string]float64{}
	if len(paths) == 0 {
		dir, err := os.MkdirTemp("", "bench-notes")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if err := corpus(dir); err != nil {
			return err
		}
		paths = []string{dir}
		bounds = map[string]float64{"cold": coldBound, "again": againBound}
	}
	db := keep
	if db == "" {
		dir, err := os.MkdirTemp("", "bench-ingest")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		db = filepath.Join(dir, "memory.db")
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, name := range []string{"cold", "again"} {
		args := []string{"-child", db}
		if profile != "" && name == "cold" {
			args = append(args, "-profile", profile)
		}
		cmd := exec.Command(self, append(args, paths...)...)
		cmd.Stderr = os.Stderr
		begin := time.Now()
		out, err := cmd.Output()
		if err != nil {
			return fmt.Errorf("%s run: %w", name, err)
		}
		var s ingest.Summary
		if err := json.Unmarshal(out, &s); err != nil {
			return fmt.Errorf("%s run: %w", name, err)
		}
		st := cmd.ProcessState
		cpu := st.UserTime() + st.SystemTime()
		fmt.Printf("%-6s cpu %.2f s (user %.2f, system %.2f)  wall %.2f s  peak %s  files %d (unchanged %d)  documents +%d =%d  chunks %d  %.1f MB",
			name, cpu.Seconds(), st.UserTime().Seconds(), st.SystemTime().Seconds(), time.Since(begin).Seconds(), harness.Peak(st),
			s.Files, s.Unchanged, s.Added, s.Same, s.Chunks, float64(s.Bytes)/1e6)
		if s.Bytes > 0 {
			fmt.Printf("  %.2f MB per CPU second", float64(s.Bytes)/1e6/cpu.Seconds())
		}
		if b := bounds[name]; b > 0 {
			fmt.Printf("  ratio to the bound of %.1f s: %.2f", b, cpu.Seconds()/b)
		}
		fmt.Println()
		for _, n := range s.Notes {
			fmt.Println("       ", n)
		}
		for i, p := range s.Problems {
			if i == 5 {
				fmt.Println("        …")
				break
			}
			fmt.Println("       ", p.Outcome, filepath.Base(p.Path), p.Reason)
		}
	}
	if info, err := os.Stat(db); err == nil {
		fmt.Printf("store  %.1f MB\n", float64(info.Size())/1e6)
	}
	return nil
}

// once ingests the paths and prints the summary for the parent.
func once(db, profile string, paths []string) error {
	ctx := context.Background()
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	s, err := store.Open(ctx, store.Options{Path: db})
	if err != nil {
		return err
	}
	sum, err := ingest.Run(ctx, ingest.Options{Store: s, Workers: runtime.GOMAXPROCS(0)}, paths)
	if err != nil {
		return err
	}
	if err := s.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(sum)
}
