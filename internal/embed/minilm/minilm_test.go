package minilm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/embed/kernel"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
)

func load(t testing.TB, o minilm.Options) *minilm.Model {
	t.Helper()
	m, err := minilm.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func cosine(a, b []float32) float64 {
	var d, n, m float64
	for i := range a {
		d, n, m = d+float64(a[i])*float64(b[i]), n+float64(a[i])*float64(a[i]), m+float64(b[i])*float64(b[i])
	}
	return d / math.Sqrt(n*m)
}

type reference struct {
	Text   string
	Tokens int
	Vector []float32
}

func references(t testing.TB) []reference {
	t.Helper()
	b, err := os.ReadFile("testdata/reference.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []reference
	if err := json.Unmarshal(b, &out); err != nil {
		t.Fatal(err)
	}
	if len(out) < 60 {
		t.Fatalf("only %d reference vectors", len(out))
	}
	return out
}

// TestVectorsAreTheReference compares each implementation with vectors that onnxruntime computed
// from the unconverted model (see datagen/README.md).
func TestVectorsAreTheReference(t *testing.T) {
	refs := references(t)
	for _, k := range kernel.All() {
		t.Run(k.Name, func(t *testing.T) {
			m := load(t, minilm.Options{Kernels: k})
			var texts []string
			for _, r := range refs {
				if r.Tokens < minilm.MaxTokens {
					texts = append(texts, r.Text)
				} else {
					// The reference read the first window's worth of tokens and no more.
					texts = append(texts, firstTokens(t, m, r.Text))
				}
			}
			got, err := m.Embed(t.Context(), texts)
			if err != nil {
				t.Fatal(err)
			}
			least, sum := 1.0, 0.0
			for i, r := range refs {
				c := cosine(got[i], r.Vector)
				least, sum = min(least, c), sum+c
				if c < 0.999 {
					t.Errorf("%.50q: cosine %.5f", r.Text, c)
				}
			}
			t.Logf("cosine: least %.5f, mean %.5f", least, sum/float64(len(refs)))
		})
	}
}

// firstTokens is the part of text that fills one window exactly.
func firstTokens(t *testing.T, m *minilm.Model, text string) string {
	t.Helper()
	for n := len(text); n > 0; n-- {
		if text[n-1] != ' ' && m.Count(text[:n]) == minilm.MaxTokens {
			return text[:n]
		}
	}
	t.Fatal("text is short")
	return ""
}

// TestImplementationsAgree is stricter between implementations than against the reference.
func TestImplementationsAgree(t *testing.T) {
	texts := []string{"The meeting moved to Thursday at noon.", "貓 and dog", strings.Repeat("a long one, ", 30)}
	want, err := load(t, minilm.Options{Kernels: kernel.Portable()}).Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kernel.All() {
		got, err := load(t, minilm.Options{Kernels: k}).Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		for i := range texts {
			if c := cosine(got[i], want[i]); c < 0.9998 {
				t.Errorf("%s, text %d: cosine %.6f", k.Name, i, c)
			}
		}
	}
}

// TestBatchesDoNotMatter embeds the same texts alone, together and in another order.
func TestBatchesDoNotMatter(t *testing.T) {
	m := load(t, minilm.Options{Workers: 2})
	var texts []string
	for i := range 40 {
		texts = append(texts, strings.Repeat(fmt.Sprintf("note %d about apples. ", i), 1+i%9))
	}
	together, err := m.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for i, text := range texts {
		wg.Go(func() {
			alone, err := m.Embed(context.Background(), []string{text})
			if err != nil {
				t.Error(err)
				return
			}
			for j, v := range alone[0] {
				if math.Abs(float64(v-together[i][j])) > 1e-6 {
					t.Errorf("text %d differs at %d: %v alone, %v together", i, j, v, together[i][j])
					return
				}
			}
		})
	}
	wg.Wait()
}

func TestUnitLength(t *testing.T) {
	m := load(t, minilm.Options{})
	got, err := m.Embed(t.Context(), []string{"", "x", strings.Repeat("many words ", 900)})
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		var n float64
		for _, x := range v {
			n += float64(x) * float64(x)
		}
		if len(v) != m.Dims() || math.Abs(n-1) > 1e-5 {
			t.Errorf("vector %d: %d numbers, squared length %v", i, len(v), n)
		}
	}
	if none, err := m.Embed(t.Context(), nil); err != nil || len(none) != 0 {
		t.Errorf("no texts: %v, %v", none, err)
	}
}

// TestWindows checks that windows fit, are of about one length, and leave no word out.
func TestWindows(t *testing.T) {
	m := load(t, minilm.Options{})
	for _, text := range []string{
		"", "short", strings.Repeat("word ", 254), strings.Repeat("word ", 255),
		strings.Repeat("unaffable antidisestablishmentarianism, ", 200),
		strings.Repeat("漢字", 700), strings.Repeat(strings.Repeat("qz", 50)+" ", 30),
	} {
		ws := m.Windows(text)
		all := m.Count(text) - 2
		if want := max(1, (all+253)/254); len(ws) < want || len(ws) > want+want/2+1 {
			t.Errorf("%.20q: %d windows for %d tokens", text, len(ws), all)
		}
		sum, end := 0, 0
		var kept strings.Builder
		for i, w := range ws {
			if w.Start < end || strings.TrimSpace(text[end:w.Start]) != "" {
				t.Errorf("%.20q: window %d begins at %d, the one before ends at %d", text, i, w.Start, end)
			}
			end = w.End
			n := m.Count(text[w.Start:w.End])
			if n > minilm.MaxTokens {
				t.Errorf("%.20q: window %d has %d tokens", text, i, n)
			}
			sum += n - 2
			kept.WriteString(text[w.Start:w.End])
		}
		if sum != all {
			t.Errorf("%.20q: windows have %d of %d tokens", text, sum, all)
		}
		squeeze := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if diff := cmp.Diff(squeeze(text), squeeze(kept.String())); diff != "" {
			t.Errorf("%.20q: windows leave text out:\n%s", text, diff)
		}
	}
}

func TestWindowsEndWithSentences(t *testing.T) {
	m := load(t, minilm.Options{})
	for text, end := range map[string]string{
		strings.Repeat("We met on the pier and talked for an hour about boats. ", 60): ".",
		strings.Repeat("milk, eggs, flour, a dozen apples\n", 90):                     "apples",
		strings.Repeat("up-to-date/well-known ", 150):                                 "known",
	} {
		ws := m.Windows(text)
		if len(ws) < 3 {
			t.Fatalf("%.20q: %d windows", text, len(ws))
		}
		for _, w := range ws {
			if part := text[w.Start:w.End]; !strings.HasSuffix(part, end) {
				t.Errorf("window ends with %q", part[len(part)-20:])
			}
		}
	}
}

// TestLongTextIsReadWhole hides a sentence at the end of a long text: it must move the vector.
func TestLongTextIsReadWhole(t *testing.T) {
	m := load(t, minilm.Options{})
	long := strings.Repeat("The ferry timetable has not changed this winter. ", 60)
	tail := strings.Repeat("My daughter is allergic to peanuts. ", 20)
	got, err := m.Embed(t.Context(), []string{long, long + tail, "What food must the child avoid?"})
	if err != nil {
		t.Fatal(err)
	}
	if without, with := cosine(got[0], got[2]), cosine(got[1], got[2]); with < without+0.05 {
		t.Errorf("cosine to the question: %.3f without the end, %.3f with it", without, with)
	}
}

func TestCancel(t *testing.T) {
	m := load(t, minilm.Options{Workers: 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if _, err := m.Embed(t.Context(), []string{"a"}); err != nil {
		t.Errorf("after a cancelled call: %v", err)
	}
}

func TestFingerprint(t *testing.T) {
	a, b := load(t, minilm.Options{}), load(t, minilm.Options{Kernels: kernel.Portable()})
	if a.Fingerprint() != b.Fingerprint() || !strings.HasPrefix(a.Fingerprint(), "minilm-l6-") {
		t.Errorf("fingerprints %q and %q", a.Fingerprint(), b.Fingerprint())
	}
}

// TestMemory bounds what a process keeps of its own: the weights stay where they lie.
func TestMemory(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	m := load(t, minilm.Options{Workers: 1})
	if _, err := m.Embed(t.Context(), []string{strings.Repeat("long ", 2000)}); err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > 8<<20 {
		t.Errorf("a model keeps %.1f MB", float64(kept)/(1<<20))
	} else {
		t.Logf("a model keeps %.1f MB", float64(kept)/(1<<20))
	}
	runtime.KeepAlive(m)
}

func BenchmarkEmbed(b *testing.B) {
	for _, k := range kernel.All() {
		m := load(b, minilm.Options{Kernels: k, Workers: 1})
		for _, n := range []int{12, 32, 100, 256} {
			text := strings.Repeat("time ", n-2)
			b.Run(fmt.Sprintf("%s/%d", k.Name, n), func(b *testing.B) {
				for b.Loop() {
					if _, err := m.Embed(b.Context(), []string{text}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load(b, minilm.Options{})
	}
}
