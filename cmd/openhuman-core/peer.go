package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A peer is this program, started again as an MCP server and spoken to over pipes, as a client does.
type peer struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	last int
	stop context.CancelFunc
}

// peerTime bounds the whole session: a demo that hangs shows nothing.
const peerTime = time.Minute

func (a *app) startServer(ctx context.Context, workspace string) (*peer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	ctx, stop := context.WithTimeout(ctx, peerTime)
	cmd := exec.CommandContext(ctx, self, "mcp")
	cmd.Args[0] = os.Args[0]
	for _, e := range a.environ {
		// The settings of the person's own memory are no business of the demo.
		if !strings.HasPrefix(e, "OPENHUMAN_") {
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "OPENHUMAN_WORKSPACE="+workspace)
	cmd.Stderr = a.stderr
	p := &peer{cmd: cmd, stop: stop}
	if p.in, err = cmd.StdinPipe(); err == nil {
		var out io.ReadCloser
		if out, err = cmd.StdoutPipe(); err == nil {
			p.out = bufio.NewReader(out)
			err = cmd.Start()
		}
	}
	if err != nil {
		stop()
		return nil, fmt.Errorf("start the server: %w", err)
	}
	return p, nil
}

type message struct {
	Version string `json:"jsonrpc"`
	ID      int    `json:"id,omitempty"`
	Method  string `json:"method"`
	Params  any    `json:"params,omitempty"`
}

// request sends a request and returns the line that was sent.
func (p *peer) request(method string, params any) (string, error) {
	p.last++
	return p.send(message{"2.0", p.last, method, params})
}

func (p *peer) notify(method string) error {
	_, err := p.send(message{Version: "2.0", Method: method})
	return err
}

func (p *peer) send(m message) (string, error) {
	var line strings.Builder
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(m); err != nil {
		return "", fmt.Errorf("encode %s: %w", m.Method, err)
	}
	if _, err := io.WriteString(p.in, line.String()); err != nil {
		return "", fmt.Errorf("send %s: %w", m.Method, err)
	}
	return strings.TrimSpace(line.String()), nil
}

// response reads the answer to the last request.
func (p *peer) response(result any) error {
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	var answer struct {
		ID     int             `json:"id"`
		Result json.RawMessage `json:"result"`
		Error  *struct {
			Code    int    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if err := json.Unmarshal(line, &answer); err != nil {
		return fmt.Errorf("read an answer: %w", err)
	}
	switch {
	case answer.Error != nil:
		return fmt.Errorf("the server answered: %s (%d)", answer.Error.Message, answer.Error.Code)
	case answer.ID != p.last:
		return fmt.Errorf("the server answered request %d instead of %d", answer.ID, p.last)
	}
	return json.Unmarshal(answer.Result, result)
}

// end closes the server's input, which ends it, and waits.
func (p *peer) end() error {
	defer p.stop()
	return errors.Join(p.in.Close(), p.cmd.Wait())
}

func (p *peer) kill() {
	p.stop()
	_ = p.cmd.Wait() // it was told to die; how it died is of no interest
}
