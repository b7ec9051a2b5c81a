package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	mostSpread = 20  // p99 over p50
	mostGrowth = 1.3 // of memory, from the first third to the end
)

// a caller posts to /rpc.
type caller struct {
	url, token string
	http       *http.Client
}

func (c *caller) post(ctx context.Context, method, params string) (status int, body []byte, err error) {
	text := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+"/rpc", strings.NewReader(text))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+c.token)
	r.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(res.Body)
	return res.StatusCode, body, err
}

// call makes a call whose result must be none but a result.
func (c *caller) call(ctx context.Context, method, params string) (status int, err error) {
	status, body, err := c.post(ctx, method, params)
	if err == nil && status == http.StatusOK && !strings.HasPrefix(string(body), `{"jsonrpc":"2.0","id":1,"result":`) {
		err = fmt.Errorf("%s answers %.300s", method, body)
	}
	return status, err
}

func (c *caller) result(ctx context.Context, method, params string, into any) error {
	status, body, err := c.post(ctx, method, params)
	if err != nil {
		return err
	}
	var answer struct{ Result, Error json.RawMessage }
	if err := json.Unmarshal(body, &answer); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	if answer.Error != nil {
		return fmt.Errorf("%s: status %d, %s", method, status, answer.Error)
	}
	return json.Unmarshal(answer.Result, into)
}

// a wire is one connection that is spoken to by hand.
type wire struct {
	conn  net.Conn
	in    *bufio.Reader
	token string
}

func dial(url, token string) (*wire, error) {
	c, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		return nil, err
	}
	return &wire{c, bufio.NewReader(c), token}, nil
}

// call makes a call whose answer must be a result.
func (w *wire) call(method string, params []byte) error {
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + string(params) + `}`
	_, err := fmt.Fprintf(w.conn, "POST /rpc HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", w.token, len(body), body)
	if err != nil {
		return err
	}
	res, err := http.ReadResponse(w.in, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err == nil && !strings.HasPrefix(string(answer), `{"jsonrpc":"2.0","id":1,"result":`) {
		err = fmt.Errorf("status %d: %.300s", res.StatusCode, answer)
	}
	return err
}

var serving = regexp.MustCompile(`serving on (http://\S+),`)

// crowd lets many clients call the built program at once.
func crowd(ctx context.Context, binary, workspace string, clients int, length time.Duration) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	server := exec.CommandContext(ctx, binary, "serve", "--port", "0", "--workspace", workspace)
	server.Env = append(os.Environ(), "OPENHUMAN_CORE_TOKEN="+token, "OPENHUMAN_LOG=error")
	server.Cancel = func() error { return server.Process.Signal(os.Interrupt) }
	server.WaitDelay = 15 * time.Second
	stderr, err := server.StderrPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer server.Wait() //nolint:errcheck // it is told to end
	defer stop()
	url := ""
	lines := bufio.NewScanner(stderr)
	for url == "" && lines.Scan() {
		if m := serving.FindStringSubmatch(lines.Text()); m != nil {
			url = m[1]
		}
	}
	go func() {
		for lines.Scan() {
			fmt.Fprintln(os.Stderr, lines.Text())
		}
	}()
	w, err := learn(ctx, &caller{url, token, &http.Client{}})
	if err != nil {
		return err
	}
	var (
		mu       sync.Mutex
		took     []time.Duration
		statuses = map[int]int{}
		failure  error
		wg       sync.WaitGroup
		sizes    []int
	)
	end := time.Now().Add(length)
	for n := range clients {
		wg.Go(func() {
			c := &caller{url, token, &http.Client{Transport: &http.Transport{}}}
			for i := n * 1009; time.Now().Before(end); i++ {
				k := mix[i%len(mix)]
				began := time.Now()
				status, err := c.call(ctx, k.method, k.params(w, i))
				d := time.Since(began)
				mu.Lock()
				statuses[status]++
				if status == http.StatusOK {
					took = append(took, d)
				}
				if failure == nil && err != nil {
					failure = err
				}
				if failure == nil && status != http.StatusOK && status != http.StatusTooManyRequests && status != http.StatusServiceUnavailable {
					failure = fmt.Errorf("%s: status %d", k.name, status)
				}
				mu.Unlock()
			}
		})
	}
	for time.Now().Before(end) {
		time.Sleep(min(length/12, time.Until(end)+time.Millisecond))
		if size := resident(server.Process.Pid); size > 0 {
			sizes = append(sizes, size)
		}
	}
	wg.Wait()
	if failure != nil {
		return failure
	}
	p50, p99 := at(took, 50), at(took, 99)
	spread := float64(p99) / float64(p50)
	fmt.Printf("%d clients, %v: %.0f answers a second, p50 %v, p99 %v, ratio %.1f\n", clients, length, float64(len(took))/length.Seconds(), round(p50), round(p99), spread)
	for _, status := range slices.Sorted(maps.Keys(statuses)) {
		fmt.Printf("  status %d: %d\n", status, statuses[status])
	}
	fmt.Printf("  resident memory in MB: %v\n", sizes)
	if spread > mostSpread {
		return fmt.Errorf("p99 is %.1f times p50, more than %d", spread, mostSpread)
	}
	if n := len(sizes); n >= 6 {
		early, late := slices.Max(sizes[:n/3]), slices.Max(sizes[n-n/3:])
		if float64(late) > mostGrowth*float64(early) {
			return fmt.Errorf("memory grows from %d MB to %d MB", early, late)
		}
	}
	return nil
}

// resident returns how many MB of memory a process holds, or 0 where that cannot be seen.
func resident(pid int) int {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kb, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			return kb / 1024
		}
	}
	return 0
}
