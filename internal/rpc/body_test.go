package rpc_test

import (
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/pkg/policy"
)

// exchange sends raw bytes to the server, and returns what it says until it closes the connection, and
// whether that took longer than a moment.
func (s *site) exchange(t *testing.T, request string) (answer string, late bool) {
	t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	if _, err := io.WriteString(c, request); err != nil {
		t.Fatal(err)
	}
	const moment = 8 * time.Second // well below the time that a body has
	if err := c.SetReadDeadline(time.Now().Add(moment)); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(c)
	return string(got), err != nil
}

// What is answered without its body must not wait for it.
func TestAnswersWaitForNoBody(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	const auth = "Authorization: Bearer " + token + "\r\n"
	var all sync.WaitGroup
	for _, c := range []struct{ name, line, headers, want string }{
		{"no token", "POST /rpc", "Host: localhost\r\n", "401"},
		{"wrong token", "POST /mcp", "Host: localhost\r\nAuthorization: Bearer x\r\n", "401"},
		{"name", "POST /rpc", "Host: elsewhere.example\r\n" + auth, "403"},
		{"path", "GET /nowhere", "Host: localhost\r\n", "404"},
		{"method", "PUT /rpc", "Host: localhost\r\n" + auth, "405"},
		{"type", "POST /rpc", "Host: localhost\r\nContent-Type: text/plain\r\n" + auth, "415"},
		{"page", "GET /", "Host: localhost\r\n", "200"},
		{"health", "GET /health", "Host: localhost\r\n", "200"},
		{"schema", "GET /schema", "Host: localhost\r\n" + auth, "200"},
	} {
		for _, length := range []string{"Content-Length: 100000\r\n\r\n", "Transfer-Encoding: chunked\r\n\r\n"} {
			all.Go(func() {
				answer, late := s.exchange(t, c.line+" HTTP/1.1\r\n"+c.headers+length)
				if late || !strings.HasPrefix(answer, "HTTP/1.1 "+c.want+" ") || !strings.Contains(answer, "\r\nConnection: close\r\n") {
					t.Errorf("%s, %q: late %v, %.200q", c.name, length, late, answer)
				}
			})
		}
	}
	all.Wait()
}

// Nor does a connection end whose body was read.
func TestConnectionsGoOn(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	const body = `{"jsonrpc":"2.0","id":1,"method":"openhuman.memory_tree_list_sources"}`
	one := "POST /rpc HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + token + "\r\nContent-Length: 70\r\n\r\n" + body
	answer, late := s.exchange(t, one+one+"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
	if n := strings.Count(answer, "HTTP/1.1 200 OK"); late || n != 3 {
		t.Errorf("late %v, %d answers: %q", late, n, answer)
	}
}

func TestBrokenBodies(t *testing.T) {
	s := open(t, backend(memory(t), policy.Options{}), nil)
	for _, path := range []string{"/rpc", "/mcp"} {
		answer, late := s.exchange(t, "POST "+path+" HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "+token+"\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}")
		if late || !strings.HasPrefix(answer, "HTTP/1.1 400 ") || !strings.Contains(answer, "\r\nConnection: close\r\n") {
			t.Errorf("%s: late %v, %q", path, late, answer)
		}
	}
}
