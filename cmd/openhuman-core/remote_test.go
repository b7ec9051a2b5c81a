package main

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// ollama stands in for Ollama: a vector says which words a text has, a summary repeats the first
// sentences of what it is given.
type ollama struct {
	*httptest.Server
	mu   sync.Mutex
	seen map[string]int // requests by path
	down bool
}

func newOllama(t *testing.T) *ollama {
	t.Helper()
	o := &ollama{seen: map[string]int{}}
	o.Server = httptest.NewServer(o)
	t.Cleanup(o.Close)
	return o
}

func (o *ollama) requests(path string) int { o.mu.Lock(); defer o.mu.Unlock(); return o.seen[path] }

func (o *ollama) turn(down bool) { o.mu.Lock(); defer o.mu.Unlock(); o.down = down }

var piece = regexp.MustCompile(`(?m)^\[(\d+)\] .*\n([^.]*\.)`)

func (o *ollama) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	o.mu.Lock()
	o.seen[r.URL.Path]++
	down := o.down
	o.mu.Unlock()
	if down {
		w.WriteHeader(http.StatusForbidden) // as a proxy says of a server that is off; it is not worth another try
		return
	}
	var in struct {
		Input    []string                   `json:"input"`
		Messages []struct{ Content string } `json:"messages"`
	}
	if json.NewDecoder(r.Body).Decode(&in) != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	switch r.URL.Path {
	case "/api/embed":
		var vectors [][]float32
		for _, text := range in.Input {
			v := make([]float32, 64)
			v[0] = 0.01
			for word := range strings.FieldsSeq(strings.ToLower(text)) {
				h := fnv.New32a()
				h.Write([]byte(strings.Trim(word, ".,?")))
				v[h.Sum32()%64]++
			}
			vectors = append(vectors, v)
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"embeddings": vectors})
	case "/api/chat":
		var out strings.Builder
		for _, m := range piece.FindAllStringSubmatch(in.Messages[1].Content, 3) {
			fmt.Fprintf(&out, "%s [%s]\n", m[2], m[1])
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"message": map[string]string{"role": "assistant", "content": out.String()}, "done": true})
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func TestEndpoint(t *testing.T) {
	o := newOllama(t)
	s := newSession(t,
		"OPENHUMAN_EMBEDDING_PROVIDER=ollama", "OPENHUMAN_EMBEDDING_BASE_URL="+o.URL, "OPENHUMAN_EMBEDDING_MODEL=mini",
		"OPENHUMAN_SUMMARY_PROVIDER=ollama", "OPENHUMAN_SUMMARY_BASE_URL="+o.URL, "OPENHUMAN_SUMMARY_MODEL=llama")
	_, stderr := s.run(0, "ingest", s.notes(60))
	if stderr != "" {
		t.Errorf("stderr: %s", stderr)
	}
	vectors, makers := s.models()
	if len(vectors) != 1 || vectors[0] != "ollama:mini" || len(makers) != 1 || makers[0] != "ollama:llama" {
		t.Errorf("vectors by %q, summaries by %q", vectors, makers)
	}
	before := o.requests("/api/embed")
	stdout, stderr := s.run(0, "recall", "which mason repairs the wall")
	if o.requests("/api/embed") != before+1 || stderr != "" || !strings.Contains(stdout, "mortar") {
		t.Errorf("%d requests for a question, %s\n%s", o.requests("/api/embed")-before, stderr, stdout)
	}

	// Away: recall answers, and says what is missing.
	o.turn(true)
	stdout, stderr = s.run(0, "recall", "which mason repairs the wall")
	if !strings.Contains(stdout, "mortar") || strings.Count(stderr, "\n") != 1 || !strings.Contains(stderr, "Check api_key") || strings.Contains(stderr, "mason") {
		t.Errorf("%s\n%s", stderr, stdout)
	}
	if _, stderr = s.run(0, "search", "mason"); strings.Contains(stderr, "warning") {
		t.Errorf("a search asks the endpoint: %s", stderr)
	}

	// Whoever changes the settings gets the other vectors and summaries.
	s.environ = s.environ[:3]
	asked := o.requests("/api/embed") + o.requests("/api/chat")
	s.run(0, "embed")
	vectors, makers = s.models()
	if len(vectors) != 1 || strings.Contains(vectors[0], "ollama") || len(makers) != 1 || makers[0] != "builtin" {
		t.Errorf("vectors by %q, summaries by %q", vectors, makers)
	}
	if o.requests("/api/embed")+o.requests("/api/chat") != asked {
		t.Error("the endpoint is still asked")
	}
	s.environ = append(s.environ, "OPENHUMAN_SUMMARY_PROVIDER=none")
	s.run(0, "embed")
	if _, makers = s.models(); len(makers) != 0 {
		t.Errorf("summaries by %q are left", makers)
	}
}

func TestEndpointAway(t *testing.T) {
	o := newOllama(t)
	o.turn(true)
	s := newSession(t,
		"OPENHUMAN_EMBEDDING_PROVIDER=ollama", "OPENHUMAN_EMBEDDING_BASE_URL="+o.URL, "OPENHUMAN_EMBEDDING_MODEL=mini",
		"OPENHUMAN_SUMMARY_PROVIDER=ollama", "OPENHUMAN_SUMMARY_BASE_URL="+o.URL, "OPENHUMAN_SUMMARY_MODEL=llama")
	notes := s.notes(60)
	_, stderr := s.run(0, "ingest", notes)
	if strings.Count(stderr, "\n") != 2 || !strings.Contains(stderr, "built-in summariser") || !strings.Contains(stderr, "built-in model embeds") {
		t.Errorf("stderr: %s", stderr)
	}
	vectors, makers := s.models()
	if len(vectors) != 1 || !strings.HasPrefix(vectors[0], "minilm") || len(makers) != 1 || makers[0] != "builtin" {
		t.Errorf("vectors by %q, summaries by %q", vectors, makers)
	}
	s.run(0, "embed") // still away: what there is stays
	if again, _ := s.models(); !slices.Equal(again, vectors) {
		t.Errorf("vectors by %q", again)
	}
	o.turn(false)
	s.run(0, "embed")
	vectors, makers = s.models()
	if len(vectors) != 1 || vectors[0] != "ollama:mini" || len(makers) != 1 || makers[0] != "ollama:llama" {
		t.Errorf("when it is back: vectors by %q, summaries by %q", vectors, makers)
	}
	// Away again: its vectors are not replaced, new notes get the built-in one's.
	o.turn(true)
	s.notes(61)
	s.run(0, "ingest", notes)
	if vectors, _ = s.models(); len(vectors) != 2 {
		t.Errorf("vectors by %q", vectors)
	}
}

func TestEndpointWithoutModel(t *testing.T) {
	s := newSession(t, "OPENHUMAN_SUMMARY_PROVIDER=openai")
	if _, stderr := s.run(2, "ingest", s.notes(1)); !strings.Contains(stderr, "needs the name of a model") {
		t.Error(stderr)
	}
	s = newSession(t)
	s.run(0, "ingest", s.notes(3))
	s.environ = append(s.environ, "OPENHUMAN_EMBEDDING_PROVIDER=ollama")
	if stdout, stderr := s.run(0, "recall", "mason"); !strings.Contains(stdout, "mortar") || !strings.Contains(stderr, "needs the name of a model") {
		t.Errorf("%s\n%s", stdout, stderr)
	}
}
