package static_test

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/embed/kernel"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
)

func load(t testing.TB) *static.Model {
	t.Helper()
	m, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func embed(t testing.TB, m interface {
	Embed(context.Context, []string) ([][]float32, error)
}, texts ...string) [][]float32 {
	t.Helper()
	v, err := m.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// unseen are texts that the table was not fitted to.
var unseen = []string{
	"Could you water the plants while I am on vacation?",
	"The quarterly revenue fell short of what analysts had expected.",
	"My grandmother taught me how to bake sourdough bread.",
	"We should move the database to a bigger machine before the launch.",
	"He sprained his ankle playing basketball with friends.",
	"The landlord promised to repair the leaking roof.",
	"She got accepted into medical school and moves in September.",
	"Our flight was cancelled because of the snowstorm.",
	"I am trying to drink less coffee and more water.",
	"The kids built a treehouse in the backyard over the summer.",
}

// TestNearTheEncoder holds the table to what it was fitted for: it points where the encoder points.
func TestNearTheEncoder(t *testing.T) {
	m := load(t)
	encoder, err := minilm.Load()
	if err != nil {
		t.Fatal(err)
	}
	got, want := embed(t, m, unseen...), embed(t, encoder, unseen...)
	sum := 0.0
	for i, v := range want {
		m.Center(v)
		c := dot(got[i], v)
		sum += c
		if c < 0.4 {
			t.Errorf("%q: cosine %.3f", unseen[i], c)
		}
		for j := range got {
			if j != i && dot(got[j], v) > c {
				t.Errorf("%q is nearer to the encoder's %q", unseen[j], unseen[i])
			}
		}
	}
	mean := sum / float64(len(unseen))
	t.Logf("mean cosine %.3f", mean)
	if mean < 0.55 {
		t.Errorf("mean cosine %.3f", mean)
	}
}

func TestParaphrases(t *testing.T) {
	m := load(t)
	asked := embed(t, m,
		"who looks after the flowers when I travel", "the company earned less than forecast",
		"learning to make loaves from an old relative", "migrate our storage to larger hardware",
		"an injury during sports", "fixing the house where rain comes in", "studying to become a doctor",
		"bad weather stopped the plane", "cutting down on caffeine", "children making a play house outdoors")
	docs := embed(t, m, unseen...)
	first := 0
	for i, q := range asked {
		best := 0
		for j := range docs {
			if dot(q, docs[j]) > dot(q, docs[best]) {
				best = j
			}
		}
		if best == i {
			first++
		}
	}
	if first < 8 {
		t.Errorf("%d of %d questions find their text first", first, len(asked))
	}
}

func TestImplementationsAgree(t *testing.T) {
	texts := append([]string{"", "漢", strings.Repeat("long ", 5000)}, unseen...)
	ref, err := static.New(kernel.Portable())
	if err != nil {
		t.Fatal(err)
	}
	want := embed(t, ref, texts...)
	for _, k := range kernel.All() {
		m, err := static.New(k)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range embed(t, m, texts...) {
			for j, x := range v {
				if math.Abs(float64(x-want[i][j])) > 1e-5 {
					t.Fatalf("%s: text %d differs at %d: %v, want %v", k.Name, i, j, x, want[i][j])
				}
			}
		}
	}
}

func TestLengths(t *testing.T) {
	m := load(t)
	vs := embed(t, m, "hello", "", "  \n", "ꙮꙮꙮ", strings.Repeat("word ", 10_000))
	for i, want := range []float64{1, 0, 0, 0, 1} {
		if got := dot(vs[i], vs[i]); len(vs[i]) != m.Dims() || math.Abs(got-want) > 1e-5 {
			t.Errorf("vector %d: %d numbers, squared length %v, want %v", i, len(vs[i]), got, want)
		}
	}
	// Vectors do not share memory that appending to one would reach into another.
	_ = append(vs[0], 7)
	if vs[1][0] != 0 {
		t.Error("vectors overlap")
	}
}

// What Center takes away Uncenter gives back.
func TestUncenter(t *testing.T) {
	m := load(t)
	encoder, err := minilm.Load()
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range embed(t, encoder, unseen...) {
		was := slices.Clone(v)
		m.Center(v)
		m.Uncenter(v)
		if c := dot(v, was); c < 0.99999 || math.Abs(dot(v, v)-1) > 1e-5 {
			t.Errorf("%q: cosine %v, squared length %v", unseen[i], c, dot(v, v))
		}
	}
	zero := make([]float32, static.Dims)
	m.Uncenter(zero)
	if dot(zero, zero) != 0 {
		t.Error("zeros did not stay zeros")
	}
}

// The sum points where the vector does, and sums add up.
func TestSum(t *testing.T) {
	m := load(t)
	got := make([]float32, static.Dims)
	if n := m.Sum(got, "the landlord"); n != 2 {
		t.Errorf("%d tokens", n)
	}
	if n := m.Sum(got, "ꙮꙮꙮ"); n != 0 {
		t.Errorf("%d tokens of what it cannot read", n)
	}
	m.Sum(got, "promised")
	want := embed(t, m, "the landlord promised")[0]
	if c := dot(got, want) / math.Sqrt(dot(got, got)); c < 0.99999 {
		t.Errorf("cosine %v", c)
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := load(t).Embed(ctx, []string{"a"}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestFingerprint(t *testing.T) {
	if f := load(t).Fingerprint(); !strings.HasPrefix(f, static.Kind+"/") || len(f) != len(static.Kind)+17 {
		t.Errorf("fingerprint %q", f)
	}
}

func BenchmarkEmbed(b *testing.B) {
	m := load(b)
	query := "what happens to stored values after cost updates today"
	chunk := strings.Repeat("I went to a support group yesterday and it was powerful; we talked about adoption agencies, ", 6)
	many := make([]string, 120)
	for i := range many {
		many[i] = chunk
	}
	for name, texts := range map[string][]string{"query": {query}, "chunk": {chunk}, "chunks120": many} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := m.Embed(b.Context(), texts); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load(b)
	}
}
