package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/vecset"
	"github.com/openhuman/openhuman-core/pkg/store"
)

const fakeDims = 64

// fakeModel makes vectors that depend on every byte of the text, and nothing else.
type fakeModel struct {
	name  string
	delay time.Duration
	// before, when set, is called with the texts before they are embedded.
	before func(texts []string) error

	mu    sync.Mutex
	texts []string // all that it was given
}

func (m *fakeModel) Fingerprint() string { return m.name }
func (m *fakeModel) Dims() int           { return fakeDims }

func (m *fakeModel) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if m.before != nil {
		if err := m.before(texts); err != nil {
			return nil, err
		}
	}
	time.Sleep(m.delay * time.Duration(len(texts)))
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m.mu.Lock()
	m.texts = append(m.texts, texts...)
	m.mu.Unlock()
	out := make([][]float32, len(texts))
	for i, t := range texts {
		out[i] = fakeVector(t)
	}
	return out, nil
}

func fakeVector(text string) []float32 {
	h := fnv.New64a()
	h.Write([]byte(text))
	r := rand.New(rand.NewPCG(h.Sum64(), 0))
	v := make([]float32, fakeDims)
	for i := range v {
		v[i] = float32(r.NormFloat64())
	}
	return v
}

// Parts cuts at every hundredth byte and makes nothing of texts about silence.
func (m *fakeModel) Parts(context, text string) []string {
	if strings.Contains(text, "silence") {
		return nil
	}
	var out []string
	for len(text) > 100 {
		out = append(out, context+"|"+text[:100])
		text = text[100:]
	}
	return append(out, context+"|"+text)
}

// vectorsOf lists the vectors of a store: chunk, model, part and a sum of the data.
func vectorsOf(t *testing.T, s *store.Store) []string {
	t.Helper()
	names := map[int64]string{}
	page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 10_000})
	must(t, err)
	for _, c := range page {
		names[c.RowID] = c.ChunkID
	}
	var out []string
	var models map[int64]store.ModelVectors
	_, err = s.Vectors(t.Context(), store.VectorState{}, store.VectorChanges{
		Models: func(m map[int64]store.ModelVectors) error { models = m; return nil },
		Dead:   func(int64) error { return nil },
		Vector: func(v *store.StoredVector) error {
			h := fnv.New32a()
			h.Write(v.Data)
			out = append(out, fmt.Sprintf("%s %s %d %d:%08x", names[v.Chunk], models[v.Model].Fingerprint, v.Part, len(v.Data), h.Sum32()))
			return nil
		},
	})
	must(t, err)
	slices.Sort(out)
	return out
}

// expected is what vectorsOf should list when every chunk has the encoder's vectors.
func expected(t *testing.T, s *store.Store, m *fakeModel) []string {
	t.Helper()
	page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 10_000})
	must(t, err)
	var out []string
	for _, c := range page {
		parts := m.Parts(c.Context, c.Content)
		if parts == nil {
			out = append(out, fmt.Sprintf("%s %s 0 0:%08x", c.ChunkID, m.name, fnv.New32a().Sum32()))
		}
		for i, p := range parts {
			data := vecset.Pack(fakeVector(p))
			h := fnv.New32a()
			h.Write(data)
			out = append(out, fmt.Sprintf("%s %s %d %d:%08x", c.ChunkID, m.name, i, len(data), h.Sum32()))
		}
	}
	slices.Sort(out)
	return out
}

func manyNotes(n int) map[string]string {
	files := map[string]string{}
	for i := range n {
		var body strings.Builder
		for k := range 1 + i%20 {
			fmt.Fprintf(&body, "Mortar %d.%d sets slowly. ", i, k)
		}
		files[fmt.Sprintf("n%03d.md", i)] = fmt.Sprintf("# Note %d\n\n%s\n", i, body.String())
	}
	return files
}

func embed(t *testing.T, o ingest.EmbedOptions) ingest.EmbedSummary {
	t.Helper()
	sum, err := ingest.Embed(t.Context(), o)
	must(t, err)
	return sum
}

// Every chunk has an instant vector as soon as it is there, and later the encoder's in its place.
func TestEmbed(t *testing.T) {
	files := manyNotes(40)
	files["quiet.md"] = "# Quiet\n\nNothing but silence.\n"
	dir := folder(t, "home", files)
	s := open(t)
	instant, encoder := &fakeModel{name: "instant"}, &fakeModel{name: "encoder"}
	run(t, ingest.Options{Store: s, Instant: instant}, dir)
	pending, _, chunks, err := s.CountPending(t.Context(), []string{"instant"})
	must(t, err)
	if pending != 0 || chunks < 41 {
		t.Fatalf("%d of %d chunks have no instant vector", pending, chunks)
	}
	shared := 0
	o := ingest.EmbedOptions{Store: s, Instant: instant, Encoder: encoder, Share: func(context.Context) error { shared++; return nil }}
	sum := embed(t, o)
	if sum.Embedded != chunks || sum.Instant != 0 || shared != 2 {
		t.Errorf("%+v, shared %d times", sum, shared)
	}
	if d := cmp.Diff(expected(t, s, encoder), vectorsOf(t, s)); d != "" {
		t.Errorf("vectors (-want +got):\n%s", d)
	}
	given := len(encoder.texts)
	if sum := embed(t, o); sum.Embedded != 0 || len(encoder.texts) != given {
		t.Errorf("a second time: %+v", sum)
	}

	// What changes is embedded again, what does not is not.
	write(t, dir, map[string]string{"n007.md": "# Note 7\n\nIt is about something else now.\n"})
	must(t, os.Remove(dir+"/n008.md"))
	run(t, ingest.Options{Store: s, Instant: instant}, dir)
	if sum := embed(t, o); sum.Embedded != 1 {
		t.Errorf("after a change: %+v", sum)
	}
	if d := cmp.Diff(expected(t, s, encoder), vectorsOf(t, s)); d != "" {
		t.Errorf("after a change (-want +got):\n%s", d)
	}

	// Another model makes everything anew, a memory without instant vectors gets them first.
	other := &fakeModel{name: "other"}
	late := &fakeModel{name: "late"}
	sum = embed(t, ingest.EmbedOptions{Store: s, Instant: late, Encoder: other})
	if sum.Instant != chunks-1 || sum.Embedded != chunks-1 {
		t.Errorf("by another model: %+v of %d", sum, chunks-1)
	}
	if d := cmp.Diff(expected(t, s, other), vectorsOf(t, s)); d != "" {
		t.Errorf("by another model (-want +got):\n%s", d)
	}
}

// A dry run makes no vectors, and neither does an ingest without a model.
func TestNoEmbedding(t *testing.T) {
	dir := folder(t, "home", manyNotes(5))
	s := open(t)
	m := &fakeModel{name: "instant"}
	run(t, ingest.Options{Store: s, Instant: m, DryRun: true}, dir)
	if len(m.texts) > 0 {
		t.Errorf("a dry run embedded %d texts", len(m.texts))
	}
	run(t, ingest.Options{Store: s}, dir)
	if v := vectorsOf(t, s); v != nil {
		t.Errorf("vectors: %q", v)
	}
	if sum := embed(t, ingest.EmbedOptions{Store: s}); sum.Embedded+sum.Instant != 0 {
		t.Errorf("no models: %+v", sum)
	}
}

// Interrupted, it keeps what is finished, and goes on with the rest.
func TestEmbedInterrupted(t *testing.T) {
	dir := folder(t, "home", manyNotes(100))
	s := open(t)
	run(t, ingest.Options{Store: s}, dir)
	ctx, cancel := context.WithCancel(t.Context())
	m := &fakeModel{name: "encoder"}
	calls := 0
	m.before = func([]string) error {
		if calls++; calls == 3 {
			cancel()
		}
		return nil
	}
	shared := 0
	share := func(ctx context.Context) error { shared++; return ctx.Err() }
	sum, err := ingest.Embed(ctx, ingest.EmbedOptions{Store: s, Encoder: m, Share: share})
	if !errors.Is(err, context.Canceled) || sum.Embedded != 32 {
		t.Fatalf("interrupted: %+v, %v", sum, err)
	}
	if shared != 2 {
		t.Errorf("shared %d times, want at the end too", shared)
	}
	first := len(m.texts)
	if sum := embed(t, ingest.EmbedOptions{Store: s, Encoder: m}); sum.Embedded != 68 {
		t.Errorf("the rest: %+v", sum)
	}
	if d := cmp.Diff(expected(t, s, m), vectorsOf(t, s)); d != "" {
		t.Errorf("vectors (-want +got):\n%s", d)
	}
	seen := map[string]bool{}
	for i, text := range m.texts {
		if seen[text] {
			t.Errorf("text %d of %d was embedded before (%d before the interruption)", i, len(m.texts), first)
		}
		seen[text] = true
	}
}

// A model that fails, or returns something else than was asked, ends the run; what was there before
// stays.
func TestEmbedFails(t *testing.T) {
	dir := folder(t, "home", manyNotes(30))
	s := open(t)
	run(t, ingest.Options{Store: s, Instant: &fakeModel{name: "instant"}}, dir)
	broken := errors.New("out of order")
	calls := 0
	m := &fakeModel{name: "encoder", before: func([]string) error {
		if calls++; calls == 2 {
			return broken
		}
		return nil
	}}
	sum, err := ingest.Embed(t.Context(), ingest.EmbedOptions{Store: s, Encoder: m})
	if !errors.Is(err, broken) || sum.Embedded != 16 {
		t.Errorf("%+v, %v", sum, err)
	}
	if pending, _, _, err := s.CountPending(t.Context(), []string{"instant", "encoder"}); err != nil || pending != 0 {
		t.Errorf("%d chunks lost their vectors, %v", pending, err)
	}
	if _, err := ingest.Embed(t.Context(), ingest.EmbedOptions{Store: s, Encoder: lying{m}}); err == nil {
		t.Error("vectors of another length were taken")
	}
}

type lying struct{ *fakeModel }

func (lying) Dims() int { return fakeDims + 1 }

// The memory changes while it is embedded: what is gone gets nothing, what is new is found.
func TestEmbedWhileIngesting(t *testing.T) {
	dir := folder(t, "home", manyNotes(60))
	s := open(t)
	run(t, ingest.Options{Store: s}, dir)
	m := &fakeModel{name: "encoder"}
	calls := 0
	m.before = func([]string) error {
		if calls++; calls == 2 {
			files := manyNotes(75)
			for i := range 60 {
				if i%3 > 0 {
					delete(files, fmt.Sprintf("n%03d.md", i))
				} else {
					files[fmt.Sprintf("n%03d.md", i)] = fmt.Sprintf("# Changed %d\n\nTo this.\n", i)
				}
			}
			write(t, dir, files)
			must(t, os.Remove(dir+"/n001.md"))
			run(t, ingest.Options{Store: s}, dir)
		}
		return nil
	}
	embed(t, ingest.EmbedOptions{Store: s, Encoder: m})
	if d := cmp.Diff(expected(t, s, m), vectorsOf(t, s)); d != "" {
		t.Errorf("vectors (-want +got):\n%s", d)
	}
}

func TestEmbedProgress(t *testing.T) {
	dir := folder(t, "home", manyNotes(100))
	s := open(t)
	run(t, ingest.Options{Store: s}, dir)
	now := time.Unix(1_700_000_000, 0)
	m := &fakeModel{name: "encoder"}
	m.before = func([]string) error { now = now.Add(2 * time.Second); return nil }
	var events []ingest.EmbedEvent
	embed(t, ingest.EmbedOptions{
		Store: s, Encoder: m, Now: func() time.Time { return now },
		Progress: func(e ingest.EmbedEvent) { events = append(events, e) },
	})
	if len(events) < 8 {
		t.Fatalf("%d events", len(events))
	}
	for i, e := range events {
		if e.Chunks != 100 || i > 0 && (e.Done < events[i-1].Done || e.Elapsed < events[i-1].Elapsed) {
			t.Errorf("event %d: %+v after %+v", i, e, events[max(i, 1)-1])
		}
	}
	if e := events[0]; e.Done != 0 || e.Left >= 0 {
		t.Errorf("the first: %+v", e)
	}
	// 100 chunks in groups of 16 take seven times two seconds.
	if e := events[3]; e.Left < 5*time.Second || e.Left > 12*time.Second {
		t.Errorf("in the middle: %+v", e)
	}
	if e := events[len(events)-1]; e.Done != 100 || e.Left != 0 {
		t.Errorf("the last: %+v", e)
	}
}

// embedChild is the process that TestEmbedKilled kills.
func embedChild(path string) {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Path: path})
	if err == nil {
		_, err = ingest.Embed(ctx, ingest.EmbedOptions{
			Store: s, Instant: &fakeModel{name: "instant"}, Encoder: &fakeModel{name: "encoder", delay: time.Millisecond},
			FlushChunks: 20,
		})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// Killed at any instant, the store is whole, and the run that is let through finishes the work.
func TestEmbedKilled(t *testing.T) {
	dir := folder(t, "home", manyNotes(150))
	s := openAt(t, dir+".db")
	run(t, ingest.Options{Store: s}, dir)
	m := &fakeModel{name: "encoder"}
	want := expected(t, s, m)
	self, err := os.Executable()
	must(t, err)
	start := func() *exec.Cmd {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "INGEST_TEST_EMBED="+dir+".db")
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		return cmd
	}
	last, midway := 0, false
	for range 5 {
		cmd := start()
		time.Sleep(100*time.Millisecond + time.Duration(rand.Int64N(int64(250*time.Millisecond))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		problems, err := s.Integrity(t.Context())
		must(t, err)
		if len(problems) > 0 {
			t.Errorf("after a kill: %q", problems)
		}
		pending, _, chunks, err := s.CountPending(t.Context(), []string{"encoder"})
		must(t, err)
		if chunks-pending < last {
			t.Errorf("%d chunks are embedded, %d were before", chunks-pending, last)
		}
		last = chunks - pending
		midway = midway || pending > 0
	}
	t.Logf("embedded before the last run: %d, killed midway %v", last, midway)
	if err := start().Wait(); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, vectorsOf(t, s)); d != "" {
		t.Errorf("vectors (-want +got):\n%s", d)
	}
}

// The models of the program make one vector for a short chunk and several for a long one, and nothing
// of a text in a script that they do not know.
func TestEmbedWithRealModels(t *testing.T) {
	instant, err := static.Load()
	must(t, err)
	encoder, err := minilm.Load()
	must(t, err)
	dir := folder(t, "home", map[string]string{
		"short.md": "# Boiler\n\nThe warranty ends in March.\n",
		"long.md":  "# Diary\n\n" + strings.Repeat("We walked along the river and talked about the house. ", 35) + "\n",
		"zh.md":    "# 会议\n\n今天讨论预算迁移方案，季度预算已经批准，请查收附件。\n",
	})
	s := open(t)
	run(t, ingest.Options{Store: s, Instant: instant}, dir)
	embed(t, ingest.EmbedOptions{Store: s, Instant: instant, Encoder: encoder})
	page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 10})
	must(t, err)
	full := fmt.Sprint(" ", 4+minilm.Dims, ":")
	for _, c := range page {
		var of []string
		for _, v := range vectorsOf(t, s) {
			if strings.HasPrefix(v, c.ChunkID) {
				of = append(of, v)
			}
		}
		parts := encoder.Parts(c.Context, c.Content)
		switch c.Title {
		case "会议":
			if len(of) != 1 || !strings.Contains(of[0], " 0 0:") {
				t.Errorf("%s: %q", c.Title, of)
			}
			continue
		case "Diary":
			if len(parts) < 2 {
				t.Errorf("%s has %d parts", c.Title, len(parts))
			}
		}
		if len(of) != len(parts) {
			t.Errorf("%s: %d vectors for %d parts", c.Title, len(of), len(parts))
		}
		for _, v := range of {
			if !strings.Contains(v, encoder.Fingerprint()) || !strings.Contains(v, full) {
				t.Errorf("%s: %s", c.Title, v)
			}
		}
	}
}
