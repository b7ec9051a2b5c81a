//go:build e2e

package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	searxProgram  = "/usr/bin/searx-run"
	searxSettings = "/usr/share/doc/searx/examples/settings.yml"
)

// TestSearx searches through the real thing: Debian's searx, the ancestor of SearXNG with the same
// interface, with one engine that asks a server of this test. .ci/run installs it.
func TestSearx(t *testing.T) {
	if _, err := os.Stat(searxProgram); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("searx is not installed: apt-get install --no-install-recommends searx")
	}
	var asked []string
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Query().Get("q"))
		fmt.Fprint(w, `{"results":[{"url":"https://a.example/harbour","title":"The harbour wall","content":"Mortar & stones"},{"url":"https://a.example/lamp","title":"A lamp","content":""}]}`)
	}))
	defer engine.Close()

	base := startSearx(t, engine.URL, "[html, json]")
	answer := searchWeb(t, base, `{"query":"harbour wall","categories":["web"],"language":"en","max_results":5}`)
	var m struct {
		Result struct {
			IsError           bool
			StructuredContent struct {
				Query   string
				Results []struct{ Title, URL, Snippet, Source string }
			}
		}
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil || m.Result.IsError {
		t.Fatalf("%v\n%s", err, answer)
	}
	got := fmt.Sprint(m.Result.StructuredContent)
	if want := `{harbour wall [{The harbour wall https://a.example/harbour Mortar & stones local} {A lamp https://a.example/lamp  local}]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if len(asked) != 1 || asked[0] != "harbour wall" {
		t.Errorf("the engine was asked %q", asked)
	}

	// With json taken out of the formats SearXNG answers 403, which is what every user meets first. searx
	// 1.1.0 knows no such setting and goes on answering, so that one is put in front that does know it.
	base = startSearx(t, engine.URL, "[html]")
	answer = searchWeb(t, base, `{"query":"harbour wall"}`)
	if !strings.Contains(answer, "https://a.example/harbour") && !strings.Contains(answer, "search.formats") {
		t.Errorf("neither rows nor what to change: %s", answer)
	}
	real, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(real)
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.FormValue("format") != "" && r.FormValue("format") != "html" {
			http.Error(w, "Forbidden", http.StatusForbidden)
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	defer front.Close()
	answer = searchWeb(t, front.URL, `{"query":"harbour wall"}`)
	for _, want := range []string{`"isError":true`, "HTTP 403", "search.formats", "settings.yml"} {
		if !strings.Contains(answer, want) {
			t.Errorf("no %s in %s", want, answer)
		}
	}
}

// startSearx runs searx over a full settings file, made from its example, and returns its address.
func startSearx(t *testing.T, engine, formats string) string {
	t.Helper()
	data, err := os.ReadFile(searxSettings)
	if err != nil {
		t.Fatal(err)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(free.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	free.Close()
	text := string(data)
	replace := func(from, to string) {
		t.Helper()
		if strings.Count(text, from) != 1 {
			t.Fatalf("the example has %q %d times", from, strings.Count(text, from))
		}
		text = strings.Replace(text, from, to, 1)
	}
	replace("\nsearch:\n", "\nsearch:\n    formats: "+formats+"\n")
	replace("    port : 8888", "    port : "+port)
	replace("ultrasecretkey", "of the end-to-end tests")
	before, rest, _ := strings.Cut(text, "\nengines:\n")
	_, after, ok := strings.Cut(rest, "\nlocales:\n")
	if !ok {
		t.Fatal("the example has no engines or no locales")
	}
	text = before + fmt.Sprintf(`
engines:
  - name: local
    engine: json_engine
    shortcut: lo
    categories: general
    enable_http: true
    search_url: %s/?q={query}
    results_query: results
    url_query: url
    title_query: title
    content_query: content

locales:
`, engine) + after
	settings := filepath.Join(t.TempDir(), "settings.yml")
	if err := os.WriteFile(settings, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", searxProgram)
	cmd.Env = append(os.Environ(), "SEARX_SETTINGS_PATH="+settings)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	base := "http://127.0.0.1:" + port
	for deadline := time.Now().Add(90 * time.Second); time.Now().Before(deadline); time.Sleep(200 * time.Millisecond) {
		if resp, err := http.Get(base + "/about"); err == nil {
			resp.Body.Close()
			return base
		}
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	t.Fatalf("searx does not start:\n%s", log.String())
	return ""
}

// searchWeb calls searxng_search of a server that is set up by variables alone.
func searchWeb(t *testing.T, base, arguments string) string {
	t.Helper()
	cmd := command(t.Context(), "mcp")
	cmd.Env = append(cmd.Env, "OPENHUMAN_SEARXNG_ENABLED=true", "OPENHUMAN_SEARXNG_BASE_URL="+base)
	cmd.Stdin = strings.NewReader(initialize + "\n" + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n" +
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"searxng_search","arguments":` + arguments + "}}\n")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	answer := ""
	for line := range strings.Lines(string(out)) {
		switch {
		case strings.Contains(line, `"id":2`):
			if i, j := strings.Index(line, `"name":"tree.list_sources"`), strings.Index(line, `"name":"searxng_search"`); i < 0 || j < i {
				t.Errorf("searxng_search does not follow the six: %s", line)
			}
		case strings.Contains(line, `"id":3`):
			answer = line
		}
	}
	return answer
}
