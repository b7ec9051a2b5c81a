package endpoint_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/endpoint"
	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// A standIn speaks the wire formats of Ollama and OpenAI, and can fail in every way.
type standIn struct {
	*httptest.Server
	mu       sync.Mutex
	requests []request
	// trouble, when set, may answer a request itself.
	trouble func(n int, w http.ResponseWriter, r *http.Request, body map[string]any) (handled bool)
	answer  string
}

type request struct {
	path, key string
	body      map[string]any
}

func serve(t *testing.T) *standIn {
	t.Helper()
	s := &standIn{answer: "It rains [1]."}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body map[string]any
	raw, _ := io.ReadAll(r.Body)
	if r.Method != http.MethodPost || r.Header.Get("Content-Type") != "application/json" || json.Unmarshal(raw, &body) != nil {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	s.mu.Lock()
	s.requests = append(s.requests, request{r.URL.Path, r.Header.Get("Authorization"), body})
	n := len(s.requests)
	s.mu.Unlock()
	if s.trouble != nil && s.trouble(n, w, r, body) {
		return
	}
	w.Header().Set("Content-Type", "application/json")
	switch r.URL.Path {
	case "/api/embed":
		reply(w, map[string]any{"model": body["model"], "embeddings": vectorsOf(body), "total_duration": 14143917, "load_duration": 1019500, "prompt_eval_count": 8})
	case "/v1/embeddings":
		var data []map[string]any
		for i, v := range vectorsOf(body) {
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": v})
		}
		slices.Reverse(data) // the order is not promised
		reply(w, map[string]any{"object": "list", "data": data, "model": body["model"], "usage": map[string]any{"prompt_tokens": 8, "total_tokens": 8}})
	case "/api/chat":
		reply(w, map[string]any{"model": body["model"], "created_at": "2024-05-01T09:00:00Z", "message": map[string]any{"role": "assistant", "content": s.answer}, "done": true, "done_reason": "stop"})
	case "/v1/chat/completions":
		reply(w, map[string]any{"id": "chatcmpl-1", "object": "chat.completion", "choices": []any{map[string]any{"index": 0, "message": map[string]any{"role": "assistant", "content": s.answer}, "finish_reason": "stop"}}})
	default:
		http.NotFound(w, r)
	}
}

func reply(w io.Writer, v any) { _ = json.NewEncoder(w).Encode(v) }

// vectorsOf gives each text a vector that tells it from others.
func vectorsOf(body map[string]any) [][]float64 {
	var out [][]float64
	for _, t := range body["input"].([]any) {
		out = append(out, []float64{float64(len(t.(string))), 1, 2})
	}
	return out
}

func client(t *testing.T, s *standIn, o endpoint.Options) *endpoint.Client {
	t.Helper()
	if o.BaseURL == "" {
		o.BaseURL = s.URL
	}
	if o.Model == "" {
		o.Model = "m"
	}
	if o.Pause == nil {
		o.Pause = func(context.Context, time.Duration) error { return nil }
	}
	c, err := endpoint.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

var apis = []endpoint.API{endpoint.Ollama, endpoint.OpenAI}

func each(t *testing.T, f func(t *testing.T, api endpoint.API)) {
	for _, api := range apis {
		t.Run(string(api), func(t *testing.T) { f(t, api) })
	}
}

func TestEmbed(t *testing.T) {
	each(t, func(t *testing.T, api endpoint.API) {
		s := serve(t)
		e := endpoint.NewEmbedder(client(t, s, endpoint.Options{API: api, Key: "secret", Model: "mini"}))
		var texts []string
		for i := range 70 {
			texts = append(texts, strings.Repeat("x", i+1))
		}
		texts[5] = ""
		got, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) != 70 || e.Dims() != 3 {
			t.Fatalf("%d vectors of %d", len(got), e.Dims())
		}
		for i, v := range got {
			n := max(len(texts[i]), 1)
			norm := math.Sqrt(float64(n*n + 5))
			if math.Abs(float64(v[0])-float64(n)/norm) > 1e-6 || math.Abs(float64(v[2])-2/norm) > 1e-6 {
				t.Errorf("vector %d is %v", i, v)
			}
		}
		if len(s.requests) != 3 {
			t.Errorf("%d requests for 70 texts", len(s.requests))
		}
		for _, r := range s.requests {
			if r.key != "Bearer secret" || r.body["model"] != "mini" {
				t.Errorf("%+v", r)
			}
		}
		if e.Fingerprint() != string(api)+":mini" {
			t.Error(e.Fingerprint())
		}
	})
}

func TestChat(t *testing.T) {
	each(t, func(t *testing.T, api endpoint.API) {
		s := serve(t)
		s.answer = "Es regnet. [1]"
		got, err := client(t, s, endpoint.Options{API: api}).Chat(t.Context(), "be brief", strings.Repeat("long text ", 3000))
		if err != nil || got != s.answer {
			t.Fatal(got, err)
		}
		body := s.requests[0].body
		want := []any{map[string]any{"role": "system", "content": "be brief"}, map[string]any{"role": "user", "content": strings.Repeat("long text ", 3000)}}
		if d := cmp.Diff(want, body["messages"]); d != "" {
			t.Error(d)
		}
		if api == endpoint.Ollama {
			if o := body["options"].(map[string]any); body["stream"] != false || o["num_ctx"].(float64) < 9000 {
				t.Errorf("stream %v, %v", body["stream"], o)
			}
		}
	})
}

// TestModelWithoutTemperature: some models of OpenAI refuse the setting.
func TestModelWithoutTemperature(t *testing.T) {
	s := serve(t)
	s.trouble = func(_ int, w http.ResponseWriter, _ *http.Request, body map[string]any) bool {
		if _, ok := body["temperature"]; ok {
			http.Error(w, `{"error":{"message":"Unsupported value: 'temperature'"}}`, http.StatusBadRequest)
			return true
		}
		return false
	}
	if got, err := client(t, s, endpoint.Options{API: endpoint.OpenAI}).Chat(t.Context(), "s", "u"); err != nil || got != s.answer {
		t.Error(got, err)
	}
}

func TestRetries(t *testing.T) {
	each(t, func(t *testing.T, api endpoint.API) {
		for _, c := range []struct {
			status, requests int
			code             fault.Code
		}{
			{500, 3, fault.Unavailable}, {502, 3, fault.Unavailable}, {503, 3, fault.Unavailable}, {429, 3, fault.Unavailable}, {408, 3, fault.Unavailable},
			{401, 1, fault.Unavailable}, {403, 1, fault.Unavailable}, {404, 1, fault.Unavailable}, {418, 1, fault.Unavailable}, {204, 1, fault.Unavailable},
		} {
			s := serve(t)
			s.trouble = func(_ int, w http.ResponseWriter, _ *http.Request, body map[string]any) bool {
				w.Header().Set("Retry-After", "7")
				w.WriteHeader(c.status)
				if c.status != 204 {
					fmt.Fprintf(w, `{"error":"cannot do %v"}`, body["input"])
				}
				return true
			}
			var waited []time.Duration
			o := endpoint.Options{API: api, Key: "hidden-key", Pause: func(_ context.Context, d time.Duration) error { waited = append(waited, d); return nil }}
			_, err := endpoint.NewEmbedder(client(t, s, o)).Embed(t.Context(), []string{"private words"})
			if fault.CodeOf(err) != c.code || fault.HintOf(err) == "" || len(s.requests) != c.requests || len(waited) != c.requests-1 {
				t.Errorf("%d: %v after %d requests, hint %q, waited %v", c.status, err, len(s.requests), fault.HintOf(err), waited)
			}
			if s := fmt.Sprint(err); strings.Contains(s, "private") || strings.Contains(s, "hidden-key") {
				t.Errorf("%d: %s", c.status, s)
			}
			for _, d := range waited {
				if d < 7*time.Second {
					t.Errorf("%d: waited %v, was told 7s", c.status, d)
				}
			}
		}
		// A failure that passes.
		s := serve(t)
		s.trouble = func(n int, w http.ResponseWriter, _ *http.Request, _ map[string]any) bool {
			if n < 3 {
				w.WriteHeader(http.StatusServiceUnavailable)
			}
			return n < 3
		}
		if _, err := endpoint.NewEmbedder(client(t, s, endpoint.Options{API: api})).Embed(t.Context(), []string{"a"}); err != nil {
			t.Error(err)
		}
	})
}

// TestTooMuchText has a model that takes few characters at once, and refuses the batch for one text.
func TestTooMuchText(t *testing.T) {
	each(t, func(t *testing.T, api endpoint.API) {
		s := serve(t)
		s.trouble = func(_ int, w http.ResponseWriter, _ *http.Request, body map[string]any) bool {
			for _, x := range body["input"].([]any) {
				if len(x.(string)) > 300 {
					http.Error(w, `{"error":"the input length exceeds the context length"}`, http.StatusBadRequest)
					return true
				}
			}
			return false
		}
		e := endpoint.NewEmbedder(client(t, s, endpoint.Options{API: api}))
		got, err := e.Embed(t.Context(), []string{"short", strings.Repeat("ä", 500), "also short"})
		if err != nil || len(got) != 3 {
			t.Fatal(len(got), err)
		}
		// One that refuses everything.
		s.trouble = func(_ int, w http.ResponseWriter, _ *http.Request, _ map[string]any) bool {
			w.WriteHeader(http.StatusBadRequest)
			return true
		}
		if _, err := e.Embed(t.Context(), []string{strings.Repeat("b", 5000)}); fault.CodeOf(err) != fault.Invalid {
			t.Error(err)
		}
	})
}

func TestAnswersThatCannotBeUsed(t *testing.T) {
	data := func(s string) string { return `{"data":[` + s + `]}` }
	for _, c := range []struct {
		name, ollama, openai string
	}{
		{"no JSON", "<html>", "<html>"},
		{"nothing", "", ""},
		{"another JSON", `[1]`, `"x"`},
		{"no vectors", `{"embeddings":[]}`, data("")},
		{"too few", `{"embeddings":[[1,2,3]]}`, data(`{"index":0,"embedding":[1,2,3]}`)},
		{"too many", `{"embeddings":[[1,2],[1,2],[1,2]]}`, data(`{"index":0,"embedding":[1]},{"index":1,"embedding":[1]},{"index":2,"embedding":[1]}`)},
		{"an empty one", `{"embeddings":[[1,2,3],[]]}`, data(`{"index":0,"embedding":[1,2,3]},{"index":1,"embedding":[]}`)},
		{"of two lengths", `{"embeddings":[[1,2,3],[1,2]]}`, data(`{"index":0,"embedding":[1,2,3]},{"index":1,"embedding":[1,2]}`)},
		{"zeros", `{"embeddings":[[0,0,0],[1,2,3]]}`, data(`{"index":0,"embedding":[0,0,0]},{"index":1,"embedding":[1,2,3]}`)},
		{"too large numbers", `{"embeddings":[[1e39,0,0],[1,2,3]]}`, data(`{"index":0,"embedding":[1e39,0,0]},{"index":1,"embedding":[1,2,3]}`)},
		{"twice the same number", `{"embeddings":null}`, data(`{"index":1,"embedding":[1,2,3]},{"index":1,"embedding":[1,2,3]}`)},
		{"a number past the end", `{}`, data(`{"index":0,"embedding":[1,2,3]},{"index":2,"embedding":[1,2,3]}`)},
		{"cut off", `{"embeddings":[[1,2`, `{"data":[{"ind`},
	} {
		for _, api := range apis {
			s := serve(t)
			s.trouble = func(_ int, w http.ResponseWriter, _ *http.Request, _ map[string]any) bool {
				body := c.ollama
				if api == endpoint.OpenAI {
					body = c.openai
				}
				fmt.Fprint(w, body)
				return true
			}
			_, err := endpoint.NewEmbedder(client(t, s, endpoint.Options{API: api})).Embed(t.Context(), []string{"a", "b"})
			if !endpoint.IsUnavailable(err) || len(s.requests) != 1 {
				t.Errorf("%s, %s: %v after %d requests", api, c.name, err, len(s.requests))
			}
		}
	}
	for _, body := range []string{`{"message":{"content":"  "}}`, `{"choices":[{"message":{"content":""}}]}`, `{"choices":[]}`} {
		for _, api := range apis {
			s := serve(t)
			s.trouble = func(_ int, w http.ResponseWriter, _ *http.Request, _ map[string]any) bool {
				fmt.Fprint(w, body)
				return true
			}
			if got, err := client(t, s, endpoint.Options{API: api}).Chat(t.Context(), "s", "u"); err == nil {
				t.Errorf("%s: %s gives %q", api, body, got)
			}
		}
	}
}

func TestAnotherModelBehindTheSameName(t *testing.T) {
	s := serve(t)
	e := endpoint.NewEmbedder(client(t, s, endpoint.Options{API: endpoint.Ollama}))
	if err := e.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.trouble = func(_ int, w http.ResponseWriter, _ *http.Request, _ map[string]any) bool {
		fmt.Fprint(w, `{"embeddings":[[1,2,3,4]]}`)
		return true
	}
	if _, err := e.Embed(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), "4 dimensions") {
		t.Error(err)
	}
}

func TestSlowAndEndless(t *testing.T) {
	each(t, func(t *testing.T, api endpoint.API) {
		s := serve(t)
		stop := make(chan struct{})
		s.trouble = func(_ int, w http.ResponseWriter, r *http.Request, _ map[string]any) bool {
			w.WriteHeader(http.StatusOK)
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-stop:
			}
			return true
		}
		e := endpoint.NewEmbedder(client(t, s, endpoint.Options{API: api, Timeout: 30 * time.Millisecond, Attempts: 2}))
		_, err := e.Embed(t.Context(), []string{"a"})
		if !endpoint.IsUnavailable(err) || !strings.Contains(err.Error(), "within 30ms") || len(s.requests) != 2 {
			t.Errorf("%v after %d requests", err, len(s.requests))
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(5*time.Millisecond, cancel)
		if _, err := endpoint.NewEmbedder(client(t, s, endpoint.Options{API: api})).Embed(ctx, []string{"a"}); err != context.Canceled {
			t.Error(err)
		}
		close(stop)
		s.trouble = func(_ int, w http.ResponseWriter, r *http.Request, _ map[string]any) bool {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, strings.Repeat(" ", 1<<20)); err != nil {
					break
				}
			}
			return true
		}
		if _, err := endpoint.NewEmbedder(client(t, s, endpoint.Options{API: api})).Embed(t.Context(), []string{"a"}); err == nil || !strings.Contains(err.Error(), "larger than") {
			t.Error(err)
		}
	})
}

func TestNobodyThere(t *testing.T) {
	s := serve(t)
	url := s.URL
	s.Close()
	_, err := client(t, s, endpoint.Options{API: endpoint.Ollama, BaseURL: strings.Replace(url, "http://", "http://user:pass@", 1), Attempts: 1}).Chat(t.Context(), "s", "u")
	if !endpoint.IsUnavailable(err) || !strings.Contains(fault.HintOf(err), "ollama serve") || strings.Contains(err.Error(), "pass") {
		t.Errorf("%v, hint %q", err, fault.HintOf(err))
	}
}

// TestStaysWhereItIs: a redirect to another host must not carry the text there.
func TestStaysWhereItIs(t *testing.T) {
	other := serve(t)
	s := serve(t)
	s.trouble = func(_ int, w http.ResponseWriter, r *http.Request, _ map[string]any) bool {
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		return true
	}
	_, err := endpoint.NewEmbedder(client(t, s, endpoint.Options{API: endpoint.Ollama})).Embed(t.Context(), []string{"a"})
	if !endpoint.IsUnavailable(err) || len(other.requests) != 0 {
		t.Errorf("%v, %d requests at the other host", err, len(other.requests))
	}
}

func TestBaseURL(t *testing.T) {
	for _, c := range []struct {
		api        endpoint.API
		path, want string
	}{
		{endpoint.OpenAI, "", "/v1/embeddings"}, {endpoint.OpenAI, "/", "/v1/embeddings"}, {endpoint.OpenAI, "/v1", "/v1/embeddings"},
		{endpoint.OpenAI, "/v1/", "/v1/embeddings"}, {endpoint.OpenAI, "/api/openai/v1", "/api/openai/v1/embeddings"},
		{endpoint.Ollama, "", "/api/embed"}, {endpoint.Ollama, "/ollama/", "/ollama/api/embed"},
	} {
		s := serve(t)
		_, _ = endpoint.NewEmbedder(client(t, s, endpoint.Options{API: c.api, BaseURL: s.URL + c.path})).Embed(t.Context(), []string{"a"})
		if len(s.requests) != 1 || s.requests[0].path != c.want {
			t.Errorf("%s %q: %+v", c.api, c.path, s.requests)
		}
	}
	for _, o := range []endpoint.Options{
		{API: "soap", Model: "m"}, {API: endpoint.Ollama}, {API: endpoint.Ollama, Model: "m", BaseURL: "file:///etc"}, {API: endpoint.OpenAI, Model: "m", BaseURL: "::"},
	} {
		if _, err := endpoint.New(o); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%+v: %v", o, err)
		}
	}
}

func TestParts(t *testing.T) {
	e := endpoint.NewEmbedder(client(t, serve(t), endpoint.Options{API: endpoint.Ollama}))
	for _, content := range []string{
		"short", strings.Repeat("A sentence about mortar and lime. ", 200), strings.Repeat("没有空格的一段话。", 300), strings.Repeat("字", 2000), strings.Repeat("x", 8000),
		strings.Repeat("line\n", 900),
	} {
		parts := e.Parts("Title — Ann", content)
		var joined strings.Builder
		for _, p := range parts {
			rest, ok := strings.CutPrefix(p, "Title — Ann\n")
			if !ok || text.EstimateTokens(p) > 400 {
				t.Errorf("%d tokens: %.40q", text.EstimateTokens(p), p)
			}
			joined.WriteString(strings.Join(strings.Fields(rest), ""))
		}
		if joined.String() != strings.Join(strings.Fields(content), "") {
			t.Errorf("%d parts of %.20q lose something", len(parts), content)
		}
	}
	if parts := e.Parts("x", " \n"); parts != nil {
		t.Errorf("%q", parts)
	}
}
