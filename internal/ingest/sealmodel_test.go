package ingest_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// chat is a model that says of the first pieces what they say themselves.
type chat struct {
	mu     sync.Mutex
	asked  int
	answer func(n int) (string, error) // when set, instead
}

func (c *chat) Name() string { return "ollama:parrot" }

var piece = regexp.MustCompile(`(?m)^\[(\d+)\] .*\n(?:Hi all,\n\n|Ann: |Bob: )?(.*)`)

func (c *chat) Chat(_ context.Context, _, user string) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked++
	if c.answer != nil {
		return c.answer(c.asked)
	}
	var out strings.Builder
	for _, m := range piece.FindAllStringSubmatch(user, 2) {
		fmt.Fprintf(&out, "%s [%s]\n", m[2], m[1])
	}
	return out.String(), nil
}

func TestSealByModel(t *testing.T) {
	s := memory(t)
	defer s.Close()
	put(t, s, many(100)...)
	model := &chat{}
	sum := seal(t, ingest.SealOptions{Store: s, Chat: model, Fallback: func(err error) { t.Error(err) }})
	if sum.Fallen != 0 || sum.Sealed != model.asked || sum.Sealed == 0 {
		t.Errorf("%+v, asked %d times", sum, model.asked)
	}
	levels := map[int]int{}
	for id, x := range summaries(t, s) {
		levels[x.Level]++
		if x.Maker != model.Name() || len(x.Citations) == 0 {
			t.Errorf("%s by %s: %q", id, x.Maker, x.Content)
		}
		for _, line := range x.Citations {
			for _, c := range line {
				if _, err := s.Chunk(t.Context(), c.ChunkID, nil); err != nil {
					t.Errorf("%s cites %s: %v", id, c.ChunkID, err)
				}
			}
		}
		if strings.Contains(x.Content, "[") {
			t.Errorf("%q still holds marks", x.Content)
		}
	}
	if levels[2] == 0 {
		t.Errorf("levels %v", levels)
	}
	if again := seal(t, ingest.SealOptions{Store: s, Chat: model}); again.Sealed != 0 {
		t.Errorf("a second run did %+v", again)
	}
	// Another summariser makes all of them anew, and none is left of the first.
	if other := seal(t, ingest.SealOptions{Store: s}); other.Sealed != sum.Sealed || other.Removed != sum.Sealed {
		t.Errorf("the built-in one: %+v", other)
	}
}

func TestModelTalksNonsense(t *testing.T) {
	s := memory(t)
	defer s.Close()
	put(t, s, many(60)...)
	told := 0
	for name, answer := range map[string]func(int) (string, error){
		"nothing":    func(int) (string, error) { return " ", nil },
		"no sources": func(int) (string, error) { return "The roof costs money.", nil },
		"people":     func(int) (string, error) { return "Zebediah pays [1].", nil },
		"endless":    func(int) (string, error) { return strings.Repeat("the roof [1]\n", 5000), nil },
		"refused":    func(int) (string, error) { return "", fault.New(fault.Invalid, "Too long.") },
	} {
		model := &chat{answer: answer}
		sum := seal(t, ingest.SealOptions{Store: s, Chat: model, Rebuild: true, Fallback: func(error) { told++ }})
		if sum.Fallen != sum.Sealed || model.asked != sum.Sealed {
			t.Errorf("%s: %+v, asked %d times", name, sum, model.asked)
		}
		if told != 1 {
			t.Errorf("%s: told %d times", name, told)
		}
		told = 0
		for id, x := range summaries(t, s) {
			if x.Maker != "builtin" || x.Content == "" {
				t.Errorf("%s: %s by %s", name, id, x.Maker)
			}
		}
		// It has answered, so it is not asked the same again.
		if again := seal(t, ingest.SealOptions{Store: s, Chat: model}); again.Sealed != 0 {
			t.Errorf("%s: asked again: %+v", name, again)
		}
	}
}

func TestModelAway(t *testing.T) {
	s := memory(t)
	defer s.Close()
	put(t, s, many(100)...)
	model := &chat{}
	want := memory(t)
	defer want.Close()
	put(t, want, many(100)...)
	seal(t, ingest.SealOptions{Store: want, Chat: model})

	away := func(int) (string, error) { return "", fault.New(fault.Unavailable, "It is away.") }
	told := 0
	o := ingest.SealOptions{Store: s, Chat: &chat{answer: func(n int) (string, error) {
		if n > 4 {
			return away(n)
		}
		return " ", nil
	}}, Fallback: func(error) { told++ }}
	first := seal(t, o)
	if told != 1 || first.Sealed == 0 || o.Chat.(*chat).asked != 5 {
		t.Errorf("%+v, told %d times, asked %d", first, told, o.Chat.(*chat).asked)
	}
	stats, err := s.TreeStats(t.Context())
	must(t, err)
	if stats.Provisional != first.Sealed-4 {
		t.Errorf("%d of %d are provisional", stats.Provisional, first.Sealed)
	}
	// Still away: one question, and what there is stays.
	down := &chat{answer: away}
	if again := seal(t, ingest.SealOptions{Store: s, Chat: down}); down.asked != 1 || again.Removed != 0 || len(summaries(t, s)) != first.Sealed {
		t.Errorf("%+v, asked %d times", again, down.asked)
	}
	// Back: what stood in is replaced, and what was made of it.
	seal(t, ingest.SealOptions{Store: s, Chat: model})
	if stats, err = s.TreeStats(t.Context()); err != nil || stats.Provisional != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
	seal(t, ingest.SealOptions{Store: s, Chat: model, Rebuild: true})
	if d := cmp.Diff(summaries(t, want), summaries(t, s)); d != "" {
		t.Error(d)
	}
}

func TestSealByModelStops(t *testing.T) {
	s := memory(t)
	defer s.Close()
	put(t, s, many(60)...)
	ctx, cancel := context.WithCancel(t.Context())
	model := &chat{answer: func(n int) (string, error) {
		if n == 3 {
			cancel()
			return "", context.Canceled
		}
		return " ", nil
	}}
	if _, err := ingest.Seal(ctx, ingest.SealOptions{Store: s, Chat: model}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if model.asked != 3 {
		t.Errorf("asked %d times", model.asked)
	}
}
