// Command sync measures what it costs to keep a large folder current: openhuman-core sync --no-embed over
// files of which none has changed, and over the same with one that has, as processes of the built program. It
// prints seconds of CPU and of the clock, and what was used of the bounds for 100,000 files.
//
//	go build -o /tmp/oh ./cmd/openhuman-core && go run ./bench/sync -program /tmp/oh [-files N]
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Bounds in seconds, of the clock and of CPU, for 100,000 files.
const (
	unchangedBound = 3.0
	changedBound   = 3.2
)

func main() {
	program := flag.String("program", "", "the built program")
	files := flag.Int("files", 100_000, "how many")
	flag.Parse()
	if err := measure(*program, *files); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(program string, files int) error {
	dir, err := os.MkdirTemp("", "bench-sync")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	notes, memory := filepath.Join(dir, "notes"), filepath.Join(dir, "memory")
	if err := os.Mkdir(memory, 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(memory, "config.toml"), []byte("[[sources]]\npath = \"../notes\"\n"), 0o600); err != nil {
		return err
	}
	for i := range files {
		if err := note(notes, i, "first"); err != nil {
			return err
		}
	}
	for _, step := range []struct {
		name  string
		bound float64
		do    func() error
	}{
		{"cold", 0, func() error { return nil }},
		{"unchanged", unchangedBound, func() error { return nil }},
		{"one changed", changedBound, func() error { return note(notes, files/2, "second") }},
		{"unchanged", unchangedBound, func() error { return nil }},
	} {
		if err := step.do(); err != nil {
			return err
		}
		cmd := exec.Command(program, "--workspace", memory, "sync", "--no-embed")
		cmd.Stderr = os.Stderr
		begin := time.Now()
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("%s: %w", step.name, err)
		}
		wall, st := time.Since(begin).Seconds(), cmd.ProcessState
		cpu := (st.UserTime() + st.SystemTime()).Seconds()
		fmt.Printf("%-12s %d files  wall %.2f s  cpu %.2f s", step.name, files, wall, cpu)
		if step.bound > 0 {
			fmt.Printf("  ratio to the bound of %.1f s: wall %.2f, cpu %.2f", step.bound, wall/step.bound, cpu/step.bound)
		}
		fmt.Println()
	}
	return nil
}

// note writes the i-th note.
func note(dir string, i int, version string) error {
	path := filepath.Join(dir, fmt.Sprint(i/100), fmt.Sprintf("n%02d.md", i%100))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, fmt.Appendf(nil, "# Note %d\n\nThe %s words about garden number %d, planned for the spring.\n", i, version, i), 0o600)
}
