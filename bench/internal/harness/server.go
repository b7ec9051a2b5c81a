// Package harness holds what several benchmarks need: the built program, driven the way an MCP client
// drives it, the folder that a generated memory is kept in, and how much memory a process took. What is
// measured is not its business.
package harness

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// Server is a running "openhuman-core mcp" whose client has introduced itself.
type Server struct {
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
	ids int
}

// Start starts binary over workspace and returns when it has answered initialize.
func Start(ctx context.Context, binary, workspace string) (*Server, error) {
	cmd := exec.CommandContext(ctx, binary, "mcp", "--workspace", workspace)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &Server{cmd: cmd, in: in, out: bufio.NewReader(out)}
	err = s.request("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": struct{}{}, "clientInfo": map[string]string{"name": "bench", "version": "0"},
	})
	if err == nil {
		_, err = s.answer()
	}
	if err != nil {
		_, e := s.End()
		return nil, errors.Join(fmt.Errorf("initialize: %w", err), e)
	}
	return s, nil
}

// Pid is the server's process.
func (s *Server) Pid() int { return s.cmd.Process.Pid }

// Call calls tool and returns the text of the answer.
func (s *Server) Call(tool string, arguments any) (string, error) {
	if err := s.call(tool, arguments); err != nil {
		return "", err
	}
	return s.answer()
}

// Pipeline makes a call with each of the arguments without waiting for the answers to those before,
// and hands the texts of the answers to check.
func (s *Server) Pipeline(tool string, arguments []any, check func(text string) error) error {
	sent := make(chan error, 1)
	go func() {
		for _, a := range arguments {
			if err := s.call(tool, a); err != nil {
				sent <- err
				return
			}
		}
		sent <- nil
	}()
	for range arguments {
		text, err := s.answer()
		if err == nil {
			err = check(text)
		}
		if err != nil {
			return err
		}
	}
	return <-sent
}

// End ends the input and returns how much CPU time the server has taken in its life.
func (s *Server) End() (cpu time.Duration, err error) {
	s.in.Close() //nolint:errcheck // how the server ends says more
	if err := s.cmd.Wait(); err != nil {
		return 0, fmt.Errorf("mcp: %w", err)
	}
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime(), nil
}

func (s *Server) call(tool string, arguments any) error {
	return s.request("tools/call", map[string]any{"name": tool, "arguments": arguments})
}

func (s *Server) request(method string, params any) error {
	s.ids++
	line, err := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": s.ids, "method": method, "params": params})
	if err != nil {
		return err
	}
	_, err = s.in.Write(append(line, '\n'))
	return err
}

// answer reads the next answer and returns the text in it.
func (s *Server) answer() (string, error) {
	line, err := s.out.ReadBytes('\n')
	if err != nil {
		return "", fmt.Errorf("read answer: %w", err)
	}
	var reply struct {
		Error  json.RawMessage
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal(line, &reply); err != nil || reply.Error != nil || reply.Result.IsError {
		return "", fmt.Errorf("a bad answer: %.200s", line)
	}
	if len(reply.Result.Content) == 0 {
		return "", nil
	}
	return reply.Result.Content[0].Text, nil
}
