//go:build e2e

package e2e

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

const chromium = "/usr/bin/chromium"

// browser is a headless Chromium with one tab, driven over the pipes of its DevTools protocol.
type browser struct {
	t       *testing.T
	in      io.Writer
	session string

	mu      sync.Mutex
	last    int
	waiting map[int]chan reply
	hosts   map[string]bool // that were asked for anything
	blocked []string        // what the page's policy refused, and what it complained of
	paths   []string
}

type reply struct {
	Result json.RawMessage
	Error  *struct{ Message string }
}

// openBrowser starts Chromium. .ci/run installs it.
func openBrowser(t *testing.T, flags ...string) *browser {
	t.Helper()
	if _, err := os.Stat(chromium); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("chromium is not installed: apt-get install --no-install-recommends chromium")
	}
	fromUs, toBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	fromBrowser, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	// Chromium still writes into its folder while it ends, so that t.TempDir could not remove it.
	dir, err := os.MkdirTemp("", "openhuman-browser-")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), chromium, append([]string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--user-data-dir=" + dir, "--remote-debugging-pipe",
	}, flags...)...)
	cmd.ExtraFiles = []*os.File{fromUs, toUs} // 3 and 4, where it looks for them
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	fromUs.Close()
	toUs.Close()
	b := &browser{t: t, in: toBrowser, waiting: map[int]chan reply{}, hosts: map[string]bool{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.listen(fromBrowser)
	}()
	t.Cleanup(func() {
		toBrowser.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		<-done
		fromBrowser.Close()
		for range 20 {
			if os.RemoveAll(dir) == nil {
				break
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
	var target struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &target)
	b.session = target.SessionID
	for _, domain := range []string{"Page", "Runtime", "Network", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// listen hands replies to those who wait, until the browser ends.
func (b *browser) listen(r io.Reader) {
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			for _, c := range b.waiting {
				c <- reply{Error: &struct{ Message string }{"the browser has ended"}}
			}
			b.waiting = nil
			b.mu.Unlock()
			return
		}
		var m struct {
			ID     int
			Method string
			Params struct {
				Request          struct{ URL string }
				Entry            struct{ Level, Text, URL string }
				ExceptionDetails struct {
					Text      string
					Exception struct{ Description string }
				}
			}
			reply
		}
		if json.Unmarshal(line[:len(line)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		switch {
		case m.ID != 0 && b.waiting[m.ID] != nil:
			b.waiting[m.ID] <- m.reply
			delete(b.waiting, m.ID)
		case m.Method == "Network.requestWillBeSent":
			host := strings.SplitN(m.Params.Request.URL, "/", 4)
			if len(host) > 2 && !strings.HasPrefix(m.Params.Request.URL, "data:") {
				b.hosts[host[2]] = true
				b.paths = append(b.paths, m.Params.Request.URL)
			}
		case m.Method == "Log.entryAdded" && m.Params.Entry.Level == "error":
			b.blocked = append(b.blocked, m.Params.Entry.Text+" "+m.Params.Entry.URL)
		case m.Method == "Runtime.exceptionThrown":
			b.blocked = append(b.blocked, m.Params.ExceptionDetails.Text+" "+m.Params.ExceptionDetails.Exception.Description)
		}
		b.mu.Unlock()
	}
}

// call runs one method of the protocol.
func (b *browser) call(method string, params map[string]any, into any) {
	b.t.Helper()
	c := make(chan reply, 1)
	b.mu.Lock()
	if b.waiting == nil {
		b.mu.Unlock()
		b.t.Fatalf("%s: the browser has ended", method)
	}
	b.last++
	b.waiting[b.last] = c
	message := map[string]any{"id": b.last, "method": method}
	if params != nil {
		message["params"] = params
	}
	if b.session != "" {
		message["sessionId"] = b.session
	}
	b.mu.Unlock()
	data, err := json.Marshal(message)
	if err != nil {
		b.t.Fatal(err)
	}
	if _, err := b.in.Write(append(data, 0)); err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	select {
	case r := <-c:
		if r.Error != nil {
			b.t.Fatalf("%s: %s", method, r.Error.Message)
		}
		if into != nil {
			if err := json.Unmarshal(r.Result, into); err != nil {
				b.t.Fatalf("%s: %v", method, err)
			}
		}
	case <-time.After(60 * time.Second):
		b.t.Fatalf("%s: no reply", method)
	}
}

// eval runs an expression in the page and decodes what it is, waiting for it if it is a promise.
func (b *browser) eval(expression string, into any) {
	b.t.Helper()
	var r struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &r)
	if r.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", expression, r.ExceptionDetails.Exception.Description)
	}
	if into != nil {
		if err := json.Unmarshal(r.Result.Value, into); err != nil {
			b.t.Fatalf("%s: %v: %s", expression, err, r.Result.Value)
		}
	}
}

// await waits until an expression is true.
func (b *browser) await(expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var ok bool
		// What it asks for may not be there yet.
		if b.eval("(() => { try { return !!("+expression+") } catch { return false } })()", &ok); ok {
			return
		}
	}
	var seen string
	b.eval("location.href + '\\n' + document.body.innerText", &seen)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.t.Fatalf("never: %s\n%s\n%s", expression, seen, strings.Join(b.blocked, "\n"))
}

func (b *browser) open(url string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	b.await("document.readyState === 'complete'")
}

// press types one key, as a person does. Keys longer than a character go by their name.
func (b *browser) press(key string) {
	b.t.Helper()
	down := map[string]any{"type": "keyDown", "key": key}
	switch key {
	case "Enter":
		down["text"], down["windowsVirtualKeyCode"] = "\r", 13
	case "Tab":
		down["windowsVirtualKeyCode"], down["code"] = 9, "Tab"
	case "Escape":
		down["windowsVirtualKeyCode"], down["code"] = 27, "Escape"
	default:
		down["text"] = key
	}
	b.call("Input.dispatchKeyEvent", down, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// write puts text where the focus is.
func (b *browser) write(text string) {
	b.t.Helper()
	b.call("Input.insertText", map[string]any{"text": text}, nil)
}

// look sets the size of the window and the colours that its user prefers.
func (b *browser) look(width, height int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// shoot keeps a picture of the window in the folder E2E_SCREENSHOTS, if there is one.
func (b *browser) shoot(name string) {
	b.t.Helper()
	dir := os.Getenv("E2E_SCREENSHOTS")
	if dir == "" {
		return
	}
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	data, err := base64.StdEncoding.DecodeString(shot.Data)
	if err == nil {
		err = os.WriteFile(fmt.Sprintf("%s/%s.png", dir, name), data, 0o600)
	}
	if err != nil {
		b.t.Fatal(err)
	}
}
