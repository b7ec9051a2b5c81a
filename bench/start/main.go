// Command start measures how long the built program takes to answer initialize, against what
// "version" takes, in alternating runs. It prints medians and their ratio.
//
//	go run ./bench/start -binary bin/openhuman-core -workspace DIR
package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"time"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"0"}}}` + "\n"

func main() {
	binary := flag.String("binary", "bin/openhuman-core", "the built program")
	workspace := flag.String("workspace", "", "a workspace; empty: one that does not exist")
	runs := flag.Int("runs", 51, "how many runs of each")
	bound := flag.Float64("bound", 1.5, "the ratio that must not be exceeded; 0: only print")
	flag.Parse()
	if err := measure(*binary, *workspace, *runs, *bound); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func measure(binary, workspace string, runs int, bound float64) error {
	if workspace == "" {
		workspace = os.TempDir() + "/openhuman-bench-missing"
	}
	env := append(os.Environ(), "OPENHUMAN_WORKSPACE="+workspace)
	var versions, answers []time.Duration
	for range runs {
		began := time.Now()
		c := exec.Command(binary, "version")
		c.Env = env
		if err := c.Run(); err != nil {
			return fmt.Errorf("version: %w", err)
		}
		versions = append(versions, time.Since(began))
		d, err := answer(binary, env)
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
func answer(binary string, env []string) (time.Duration, error) {
	began := time.Now()
	c := exec.Command(binary, "mcp")
	c.Env = env
	in, err := c.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := c.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := c.Start(); err != nil {
		return 0, err
	}
	if _, err := io.WriteString(in, initialize); err != nil {
		return 0, err
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		return 0, err
	}
	took := time.Since(began)
	if err := in.Close(); err != nil {
		return 0, err
	}
	return took, c.Wait()
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2]
}
