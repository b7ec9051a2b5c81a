package searxng_test

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/searxng"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// words stand for what was searched for: they must be in no message.
const words = "hunter2 medical results"

const good = `{"query":"x","number_of_results":2,"results":[
	{"url":"https://a.example/1","title":"One","content":"First  line\nsecond","engine":"duckduckgo","engines":["duckduckgo","bing"],"score":3.5},
	{"url":"https://a.example/2","title":"Two","content":"","engine":"bing"}],"answers":[],"unresponsive_engines":[]}`

func client(t *testing.T, base string, timeout time.Duration) *searxng.Client {
	t.Helper()
	c, err := searxng.New(searxng.Options{BaseURL: base, MaxResults: 10, Language: "en", Timeout: timeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func answer(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func TestRequest(t *testing.T) {
	var got *http.Request
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Clone(context.Background())
		answer(200, "application/json", good)(w, r)
	}))
	defer server.Close()
	for _, base := range []string{server.URL, server.URL + "/", server.URL + "/search", " " + server.URL + "/?q=1#x "} {
		_, err := client(t, base, time.Second).Search(t.Context(), controller.WebQuery{
			Query: "a & b=c 龙井", Categories: []string{"web", "news", "images"}, Language: "zh-CN", MaxResults: 5,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got.Method != http.MethodGet || got.URL.Path != "/search" {
			t.Errorf("%s: %s %s", base, got.Method, got.URL.Path)
		}
		want := url.Values{"q": {"a & b=c 龙井"}, "format": {"json"}, "categories": {"general,news,images"}, "language": {"zh-CN"}}
		if diff := cmp.Diff(want, got.URL.Query()); diff != "" {
			t.Errorf("%s: parameters (-want +got):\n%s", base, diff)
		}
		for _, name := range []string{"Cookie", "Referer", "Authorization"} {
			if v := got.Header.Get(name); v != "" {
				t.Errorf("%s is sent: %q", name, v)
			}
		}
		// Without these the limiter takes us for a robot.
		if !strings.Contains(got.Header.Get("Accept"), "text/html") || got.Header.Get("Accept-Language") == "" ||
			!strings.Contains(got.Header.Get("Accept-Encoding"), "gzip") || strings.Contains(got.UserAgent(), "Go-http") {
			t.Errorf("headers: %v", got.Header)
		}
	}
	// Below a path, with a password, and without a language.
	base := strings.Replace(server.URL, "http://", "http://ann:s3cret@", 1) + "/searx/"
	if _, err := client(t, base, time.Second).Search(t.Context(), controller.WebQuery{Query: "x", MaxResults: 1}); err != nil {
		t.Fatal(err)
	}
	if user, pass, _ := got.BasicAuth(); user != "ann" || pass != "s3cret" || got.URL.Path != "/searx/search" {
		t.Errorf("%s by %s:%s", got.URL.Path, user, pass)
	}
	if q := got.URL.Query(); q.Has("language") || q.Get("categories") != "general" {
		t.Errorf("parameters %v", q)
	}
}

func TestResults(t *testing.T) {
	for _, c := range []struct {
		name, body string
		most       int
		want       []controller.WebResult
		note       string
	}{
		{"good", good, 10, []controller.WebResult{
			{Title: "One", URL: "https://a.example/1", Snippet: "First line second", Source: "duckduckgo"},
			{Title: "Two", URL: "https://a.example/2", Source: "bing"},
		}, ""},
		{"no more than asked for", good, 1, []controller.WebResult{{Title: "One", URL: "https://a.example/1", Snippet: "First line second", Source: "duckduckgo"}}, ""},
		{"wrong types", `{"results":[
			{"url":"http://a/1","title":12,"content":null,"engine":["x"],"engines":"y"},
			{"url":"http://a/2","title":{"a":1},"content":[["deep"]],"engine":7},
			{"url":"http://a/3","title":true,"content":["first","second"],"engine":null,"engines":["z"]}],"unresponsive_engines":"none"}`, 10,
			[]controller.WebResult{
				{Title: "12", URL: "http://a/1", Source: "x"},
				{Title: "a", URL: "http://a/2", Source: "7"},
				{Title: "a", URL: "http://a/3", Snippet: "first", Source: "z"},
			}, ""},
		{"rows without an address", `{"results":[{"title":"no"},{"url":""},{"url":null},{"url":5},{"url":"/relative"},{"url":"javascript:alert(1)"},{"url":"data:text/html,x"},
			"text",null,[1],{"url":"http://%zz"},{"url":"https://ok.example/","title":"yes"},{"url":"https://ok.example/","title":"again"}]}`, 10,
			[]controller.WebResult{{Title: "yes", URL: "https://ok.example/"}}, ""},
		{"nothing found", `{"results":[]}`, 10, nil, ""},
		{"addresses that run", `{"results":[{"url":"javascript:alert(1)","title":"x"},{"url":" JavaScript://a.example/%0aalert(1)"},{"url":"vbscript:x"},{"url":"data:text/html,x"},{"url":"file:///etc/passwd"},
			{"url":"http://a.example/\u0000x"},{"url":"https://a.example/\njavascript:alert(1)"}]}`, 10,
			nil, "The engines found 7 pages, none of them with an address of http or https that can be shown."},
		{"an address of 100 KB", `{"results":[{"url":"https://a.example/` + strings.Repeat("x", 100<<10) + `"},{"url":"https://` + strings.Repeat("a.", 50<<10) + `example/"},{"url":"https://a.example/1","title":"One"}]}`, 10,
			[]controller.WebResult{{Title: "One", URL: "https://a.example/1"}}, ""},
		{"engines that do not answer", `{"results":[],"unresponsive_engines":[["google","CAPTCHA"],["bing",null],"qwant",[],3]}`, 10, nil,
			"Nothing was found, and these engines of the instance did not answer: google (CAPTCHA), bing, qwant, 3. Try again later."},
	} {
		t.Run(c.name, func(t *testing.T) {
			server := httptest.NewServer(answer(200, "application/json; charset=utf-8", c.body))
			defer server.Close()
			got, err := client(t, server.URL, time.Second).Search(t.Context(), controller.WebQuery{Query: "x", MaxResults: c.most})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(controller.WebAnswer{Results: c.want, Note: c.note}, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Long members are cut, and never inside a character.
func TestLongMembers(t *testing.T) {
	server := httptest.NewServer(answer(200, "application/json", fmt.Sprintf(`{"results":[{"url":"https://a.example/","title":%q,"content":%q,"engine":%[1]q},{"url":"https://a.example/%s"}]}`,
		strings.Repeat("長", 5000), strings.Repeat("é", 5000), strings.Repeat("x", 5000))))
	defer server.Close()
	got, err := client(t, server.URL, time.Second).Search(t.Context(), controller.WebQuery{Query: "x", MaxResults: 10})
	if err != nil {
		t.Fatal(err)
	}
	want := []controller.WebResult{{Title: strings.Repeat("長", 299) + "…", URL: "https://a.example/", Snippet: strings.Repeat("é", 499) + "…", Source: strings.Repeat("長", 59) + "…"}}
	if diff := cmp.Diff(want, got.Results); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Every way in which an instance fails its users, with what they are told.
func TestFailures(t *testing.T) {
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		elsewhere.Add(1)
		answer(200, "application/json", good)(w, r)
	}))
	t.Cleanup(other.Close)
	released := make(chan struct{})
	t.Cleanup(func() { close(released) })
	hang := func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-released:
		case <-r.Context().Done():
		}
	}
	for _, c := range []struct {
		name    string
		handler http.HandlerFunc
		want    []string
	}{
		{"json is not allowed", answer(403, "text/html", "<h1>Forbidden</h1>"), []string{"HTTP 403", "search.formats", "json", "settings.yml"}},
		{"password", answer(401, "text/html", ""), []string{"HTTP 401", "base_url"}},
		{"not there", answer(404, "text/html", ""), []string{"HTTP 404", "base_url"}},
		{"refused language", answer(400, "text/plain", words), []string{"HTTP 400", "language"}},
		{"too often", answer(429, "text/plain", "Too Many Requests"), []string{"HTTP 429", "limiter"}},
		{"too often, until when", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "30")
			w.WriteHeader(429)
		}, []string{"HTTP 429", "in 30 seconds"}},
		{"broken", answer(500, "text/html", words), []string{"HTTP 500", "log"}},
		{"behind a broken proxy", answer(502, "text/html", ""), []string{"HTTP 502"}},
		{"odd status", answer(418, "text/html", ""), []string{"HTTP 418"}},
		{"web page", answer(200, "text/html", "<!doctype html><title>"+words+"</title>"), []string{"web page", "search.formats"}},
		{"web page that calls itself nothing", answer(200, "", "\n <html>"), []string{"web page"}},
		{"empty", answer(200, "application/json", ""), []string{"it is empty"}},
		{"blank", answer(200, "application/json", " \n"), []string{"it is empty"}},
		{"null", answer(200, "application/json", "null"), []string{"holds no results"}},
		{"list", answer(200, "application/json", "[]"), []string{"not a JSON object"}},
		{"other JSON", answer(200, "application/json", `{"error":"`+words+`"}`), []string{"holds no results"}},
		{"results of another type", answer(200, "application/json", `{"results":{}}`), []string{"not a list"}},
		{"cut JSON", answer(200, "application/json", good[:100]), []string{"not a JSON object"}},
		{"deep JSON", answer(200, "application/json", strings.Repeat("[", 200_000)), []string{"not a JSON object"}},
		{"slow", hang, []string{"within 300ms", "timeout_seconds"}},
		{"slow in the middle", func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.WriteString(w, good[:50])
			w.(http.Flusher).Flush()
			hang(w, r)
		}, []string{"within 300ms"}},
		{"drop by drop", func(w http.ResponseWriter, r *http.Request) {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, " "); err != nil {
					return
				}
				w.(http.Flusher).Flush()
				time.Sleep(5 * time.Millisecond)
			}
		}, []string{"within 300ms"}},
		{"endless", func(w http.ResponseWriter, r *http.Request) {
			piece := []byte(strings.Repeat(" ", 1<<16))
			for r.Context().Err() == nil {
				if _, err := w.Write(piece); err != nil {
					return
				}
			}
		}, []string{"larger than 4 MB"}},
		{"enormous when unpacked", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			piece := make([]byte, 1<<16)
			for range 200 {
				_, _ = z.Write(piece)
			}
			_ = z.Close()
		}, []string{"larger than 4 MB"}},
		{"enormous header", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Fill", strings.Repeat("x", 1<<20))
		}, []string{"broke off"}},
		{"hangs up", func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, []string{"broke off"}},
		{"hangs up in the middle", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, good[:50])
		}, []string{"broke off"}},
		{"elsewhere", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+"/search?"+r.URL.RawQuery, http.StatusFound)
		}, []string{"redirects to " + other.URL + ",", "base_url"}},
		{"another protocol", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://"+r.Host+r.URL.String(), http.StatusMovedPermanently)
		}, []string{"redirects to https://", "base_url"}},
		{"to a file", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "file:///etc/passwd", http.StatusMovedPermanently)
		}, []string{"redirects"}},
		{"in circles", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		}, []string{"redirects in circles", "searxng.base_url"}},
		{"through ever new addresses", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/a"+r.URL.Path, http.StatusTemporaryRedirect)
		}, []string{"redirects in circles", "searxng.base_url"}},
		{"to a host without end", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Location", "http://"+strings.Repeat("a.", 20<<10)+"example/")
			w.WriteHeader(http.StatusFound)
		}, []string{"redirects to http://a.a.", "base_url"}},
		{"to nowhere", func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusFound) }, []string{"SearXNG"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(c.handler)
			defer server.Close()
			timeout := 20 * time.Second
			if len(c.want) > 0 && strings.Contains(c.want[0], "300ms") {
				timeout = 300 * time.Millisecond
			}
			began := time.Now()
			got, err := client(t, server.URL, timeout).Search(t.Context(), controller.WebQuery{Query: words, Language: "en", MaxResults: 10})
			if fault.CodeOf(err) != fault.Unavailable || len(got.Results) > 0 {
				t.Fatalf("%v, %v", got, err)
			}
			check(t, err, c.want...)
			if took := time.Since(began); took > 15*time.Second {
				t.Errorf("took %v", took)
			}
		})
	}
	t.Cleanup(func() {
		if n := elsewhere.Load(); n > 0 {
			t.Errorf("%d requests went to another host", n)
		}
	})
}

// check tests that an error says what it should, what to do, and nothing of the search.
func check(t *testing.T, err error, want ...string) {
	t.Helper()
	message := fault.Message(err)
	if len(message) > 1000 {
		t.Errorf("a message of %d bytes", len(message))
	}
	for _, w := range want {
		if !strings.Contains(message, w) {
			t.Errorf("no %q in %q", w, message)
		}
	}
	if fault.HintOf(err) == "" {
		t.Errorf("%q does not say what to do", message)
	}
	for _, s := range []string{message, err.Error()} {
		if strings.Contains(s, "hunter2") || strings.Contains(s, "s3cret") || strings.Contains(s, "%20") {
			t.Errorf("the message repeats what was searched for, or a password: %q", s)
		}
	}
}

func TestRedirectWithin(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/search" {
			http.Redirect(w, r, "/searx/search?"+r.URL.RawQuery, http.StatusMovedPermanently)
			return
		}
		answer(200, "application/json", good)(w, r)
	}))
	defer server.Close()
	got, err := client(t, server.URL, time.Second).Search(t.Context(), controller.WebQuery{Query: "x", MaxResults: 10})
	if err != nil || len(got.Results) != 2 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestConnections(t *testing.T) {
	secure := httptest.NewTLSServer(answer(200, "application/json", good))
	defer secure.Close()
	plain := httptest.NewServer(answer(200, "application/json", good))
	defer plain.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, c := range []struct {
		name, base string
		want       []string
	}{
		{"untrusted certificate", secure.URL, []string{"certificate", "not trusted"}},
		{"TLS where there is none", strings.Replace(plain.URL, "http:", "https:", 1), []string{"does not speak TLS", "http://"}},
		{"no TLS where there is some", strings.Replace(secure.URL, "https:", "http:", 1), []string{"base_url"}},
		{"nobody listens", gone.URL, []string{"cannot be reached", "base_url"}},
		{"no such name", "http://ann:s3cret@nothing.invalid:1", []string{"nothing.invalid", "base_url"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := client(t, c.base, 10*time.Second).Search(t.Context(), controller.WebQuery{Query: words, MaxResults: 1})
			if fault.CodeOf(err) != fault.Unavailable && fault.CodeOf(err) != fault.Invalid {
				t.Fatal(err)
			}
			check(t, err, c.want...)
		})
	}
}

// A proxy that the environment names would be somebody else to talk to.
func TestNoProxy(t *testing.T) {
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the proxy was asked") }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	_, err := client(t, "http://searx.invalid", time.Second).Search(t.Context(), controller.WebQuery{Query: "x", MaxResults: 1})
	if fault.CodeOf(err) != fault.Unavailable {
		t.Error(err)
	}
}

// What comes where no answer is expected must not reach the log of the process: net/http quotes it.
func TestNothingIsLogged(t *testing.T) {
	var logged lockedBuffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	closed := make(chan error, 1)
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = http.ReadRequest(bufio.NewReader(c))
			_, _ = io.WriteString(c, "HTTP/1.1 204 No Content\r\n\r\n")
			time.Sleep(50 * time.Millisecond) // as late as it would be on an idle connection
			_, _ = io.WriteString(c, "<h1>"+words+"</h1>")
			_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
			_, err = c.Read(make([]byte, 1))
			_ = c.Close()
			closed <- err
		}
	}()
	c := client(t, "http://"+l.Addr().String(), time.Second)
	for range 2 {
		if _, err := c.Search(t.Context(), controller.WebQuery{Query: "x", MaxResults: 1}); err == nil {
			t.Error("204 was taken for an answer")
		}
		if err := <-closed; errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error("the connection was kept")
		}
	}
	if got := logged.String(); got != "" {
		t.Errorf("logged: %s", got)
	}
}

// a lockedBuffer collects what several goroutines write.
type lockedBuffer struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}
func (l *lockedBuffer) String() string { l.mu.Lock(); defer l.mu.Unlock(); return l.b.String() }

func TestCancelled(t *testing.T) {
	entered := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(entered)
		<-r.Context().Done()
	}))
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-entered
		cancel()
	}()
	_, err := client(t, server.URL, time.Minute).Search(ctx, controller.WebQuery{Query: "x", MaxResults: 1})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestNew(t *testing.T) {
	for _, base := range []string{"", "localhost:8080", "ftp://x", "http://", "http://ann:s3cret@ho st", "file:///etc/passwd"} {
		_, err := searxng.New(searxng.Options{BaseURL: base})
		if fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: %v", base, err)
			continue
		}
		check(t, err)
	}
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{good, "", "{}", `{"results":[{"url":"http://a"}]}`, `{"results":null}`, `{"results":[],"unresponsive_engines":[[["a"]]]}`, "<html>"} {
		f.Add(s)
	}
	body := ""
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { answer(200, "application/json", body)(w, r) }))
	f.Cleanup(server.Close)
	c, err := searxng.New(searxng.Options{BaseURL: server.URL, Timeout: time.Minute})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, s string) {
		body = s
		got, err := c.Search(t.Context(), controller.WebQuery{Query: "x", MaxResults: 5})
		if err != nil {
			if fault.CodeOf(err) == fault.Internal {
				t.Error(err)
			}
			return
		}
		if len(got.Results) > 5 {
			t.Errorf("%d rows", len(got.Results))
		}
		for _, r := range got.Results {
			if u, err := url.Parse(r.URL); err != nil || u.Host == "" || r.Title == "" || len([]rune(r.Snippet)) > 500 {
				t.Errorf("%+v", r)
			}
		}
	})
}
