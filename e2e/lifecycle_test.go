//go:build e2e

package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// session is a running mcp with a client that has said hello.
type session struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	stdout io.Closer
	out    *bufio.Reader
	stderr strings.Builder
	id     int
}

func start(t *testing.T) *session {
	t.Helper()
	s := &session{cmd: command(t.Context(), "mcp"), id: 1}
	var err error
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.stdout, s.out = out, bufio.NewReader(out)
	s.cmd.Stderr = &s.stderr
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	s.ask(t, initialize)
	return s
}

// ask sends a line and returns the answer's line.
func (s *session) ask(t *testing.T, line string) string {
	t.Helper()
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
	answer, err := s.out.ReadString('\n')
	if err != nil {
		t.Fatalf("no answer: %v\n%s", err, s.stderr.String())
	}
	return answer
}

func (s *session) call(t *testing.T, tool, arguments string) string {
	t.Helper()
	s.id++
	answer := s.ask(t, fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, s.id, tool, arguments))
	var m struct {
		ID     int
		Result struct{ IsError bool }
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil || m.ID != s.id || m.Result.IsError {
		t.Fatalf("%s: %v\n%s", tool, err, answer)
	}
	return answer
}

// wait returns how the process ended, which it must do soon.
func (s *session) wait(t *testing.T) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(5 * time.Second):
		t.Fatal("still running")
		return nil
	}
}

func TestEnds(t *testing.T) {
	t.Run("when input ends", func(t *testing.T) {
		s := start(t)
		s.in.Close()
		if err := s.wait(t); err != nil {
			t.Error(err)
		}
	})
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run("by "+sig.String(), func(t *testing.T) {
			s := start(t)
			s.call(t, "memory.search", `{"query":"boiler"}`)
			began := time.Now()
			if err := s.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			if err := s.wait(t); err != nil {
				t.Errorf("exit status: %v", err)
			}
			if took := time.Since(began); took > time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
	t.Run("when the client is gone", func(t *testing.T) {
		s := start(t)
		// Nobody reads any more, and the next answers cannot be delivered. How it ends does not matter,
		// but it must not wait for a reader for ever.
		s.stdout.Close()
		for range 100 {
			if _, err := io.WriteString(s.in, `{"jsonrpc":"2.0","id":9,"method":"tools/list"}`+"\n"); err != nil {
				break
			}
			time.Sleep(time.Millisecond)
		}
		_ = s.wait(t)
	})
}

// A client that is killed takes its server along: nothing of it is left running.
func TestParentKilled(t *testing.T) {
	shell := exec.Command("sh", "-c", `"$1" mcp <&3 & echo $!; wait`, "sh", program)
	shell.Env = append(os.Environ(), "OPENHUMAN_WORKSPACE="+workspace)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	shell.ExtraFiles = []*os.File{r}
	out, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	r.Close()
	var pid int
	if _, err := fmt.Fscan(out, &pid); err != nil {
		t.Fatal(err)
	}
	if err := shell.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	w.Close() // what the death of the client does to its end of the pipe
	_ = shell.Wait()
	for range 100 {
		if err := syscall.Kill(pid, 0); errors.Is(err, syscall.ESRCH) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("the server %d outlived its client", pid)
}

// Several clients have a server each over the same memory, while a new ingest writes to it.
func TestManyServers(t *testing.T) {
	var all []*session
	for range 7 {
		all = append(all, start(t))
	}
	files := t.TempDir()
	for i := range 200 {
		text := fmt.Sprintf("# Note %d\n\nAbout the lighthouse, number %d.\n", i, i)
		if err := os.WriteFile(fmt.Sprintf("%s/n%d.md", files, i), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	ingest := command(t.Context(), "ingest", "--source", "notes:lighthouse", files)
	if err := ingest.Start(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		for _, s := range all {
			s.call(t, "memory.search", `{"query":"boiler"}`)
		}
	}
	if err := ingest.Wait(); err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		if answer := s.call(t, "memory.search", `{"query":"lighthouse","k":1}`); !strings.Contains(answer, "lighthouse") {
			t.Errorf("a running server does not see what was ingested: %s", answer)
		}
		s.in.Close()
		if err := s.wait(t); err != nil {
			t.Error(err)
		}
	}
	if out, err := command(t.Context(), "forget", "--yes", "notes:lighthouse").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
