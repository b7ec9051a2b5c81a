package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/bench/internal/harness"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/embed/xling"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// makeMbox writes a mailbox of about n bytes unless it is there.
func makeMbox(path string, n int64) error {
	if info, err := os.Stat(path); err == nil && info.Size() >= n {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	c := newCorpus()
	for written := int64(0); written < n; {
		mail, sender, at := c.next()
		mail = bytes.ReplaceAll(mail, []byte("\nFrom "), []byte("\n>From "))
		k, _ := fmt.Fprintf(w, "From %s %s\n%s\n", sender, at.Format(time.ANSIC), mail)
		written += int64(k)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// measureMbox takes a mailbox in and prints memory and throughput.
func measureMbox(ctx context.Context, o options, scratch string, n int64) error {
	path := filepath.Join(o.dir, "all.mbox")
	if err := makeMbox(path, n); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, o.binary, "ingest", "--no-embed", "--json", "--workspace", filepath.Join(scratch, "memory"), path)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return err
	}
	type mark struct{ at, cpu time.Duration }
	marks := []mark{{}}
	var read mark // when everything was read, and only counts and the like were left
	documents := 0
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		var e struct {
			Stage     string
			Documents int
			Bytes     int64
			BytesDone int64 `json:"bytes_done"`
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil || e.Bytes == 0 {
			continue
		}
		if e.Stage == "finishing" && read.at == 0 {
			read = mark{time.Since(begin), spent(cmd.Process.Pid)}
		}
		if e.Stage != "reading" {
			continue
		}
		documents = e.Documents
		for len(marks) < 10 && e.BytesDone*10 >= e.Bytes*int64(len(marks)) {
			marks = append(marks, mark{time.Since(begin), spent(cmd.Process.Pid)})
		}
	}
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("ingest: %w", err)
	}
	st := cmd.ProcessState
	cpu, wall := st.UserTime()+st.SystemTime(), time.Since(begin)
	marks = append(marks, read)
	fmt.Printf("%d documents, %.0f MB  cpu %.1f s  wall %.1f s  peak %s, bound 300 MB\n", documents, float64(n)/1e6, cpu.Seconds(), wall.Seconds(), harness.Peak(st))
	if len(marks) != 11 {
		return fmt.Errorf("progress was told %d times only", len(marks)-2)
	}
	fmt.Printf("after reading: cpu %.1f s  wall %.1f s\n", (cpu - read.cpu).Seconds(), (wall - read.at).Seconds())
	for i := range 10 {
		d, c := marks[i+1].at-marks[i].at, marks[i+1].cpu-marks[i].cpu
		line := fmt.Sprintf("tenth %2d  %5.1f MB a second", i+1, float64(n)/1e7/d.Seconds())
		if marks[1].cpu > 0 {
			line += fmt.Sprintf("  %5.1f MB a CPU second, %.2f of the mean", float64(n)/1e7/c.Seconds(), read.cpu.Seconds()/10/c.Seconds())
		}
		fmt.Println(line)
	}
	return nil
}

// profileRun takes a Maildir in within this process, as the program does, and writes a profile of it.
func profileRun(ctx context.Context, profile, db, maildir string) error {
	model, err := static.Load()
	if err != nil {
		return err
	}
	languages, err := xling.Load()
	if err != nil {
		return err
	}
	f, err := os.Create(profile)
	if err != nil {
		return err
	}
	defer f.Close()
	s, err := store.Open(ctx, store.Options{Path: db})
	if err != nil {
		return err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	_, err = ingest.Run(ctx, ingest.Options{Store: s, Instant: xling.NewInstant(model, languages)}, []string{maildir})
	pprof.StopCPUProfile()
	if err != nil {
		return err
	}
	return s.Close()
}

// spent is the processor time of a process that runs, 0 where the system does not tell it in the way
// Linux does.
func spent(pid int) time.Duration {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	f := strings.Fields(rest)
	if len(f) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(f[11])
	system, _ := strconv.Atoi(f[12])
	return time.Duration(user+system) * 10 * time.Millisecond // a tick is a hundredth of a second everywhere
}
