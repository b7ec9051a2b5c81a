package lock_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/lock"
)

// TestMain is also the process that holds a lock until it is killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("LOCK_TEST"); path != "" {
		if _, err := lock.Try(path); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		fmt.Println("held")
		time.Sleep(time.Minute)
	}
	os.Exit(m.Run())
}

// TestKilled: a lock is held against others, who learn by whom, and is free when its process is killed.
func TestKilled(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "LOCK_TEST="+path)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatal(line)
	}
	var held *lock.Held
	if _, err := lock.Try(path); !errors.As(err, &held) || held.PID != cmd.Process.Pid {
		t.Fatalf("%v", err)
	}
	brief, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := lock.Wait(brief, path, func(*lock.Held) {}); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	told := make(chan *lock.Held, 1)
	got := make(chan error, 1)
	go func() {
		l, err := lock.Wait(t.Context(), path, func(h *lock.Held) { told <- h })
		if err == nil {
			err = l.Close()
		}
		got <- err
	}()
	if h := <-told; h.PID != cmd.Process.Pid {
		t.Error(h)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if err := <-got; err != nil {
		t.Fatal(err)
	}
}

func TestOneProcess(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.lock")
	l, err := lock.Try(path)
	if err != nil {
		t.Fatal(err)
	}
	var held *lock.Held
	if _, err := lock.Try(path); !errors.As(err, &held) || held.PID != os.Getpid() || held.Error() == "" {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l, err = lock.Try(path)
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if _, err := lock.Try(filepath.Join(path, "no")); err == nil || errors.As(err, &held) {
		t.Error(err)
	}
}
