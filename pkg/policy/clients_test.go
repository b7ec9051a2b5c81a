package policy_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
)

func as(c clientinfo.Caller) context.Context { return clientinfo.With(context.Background(), c) }

var (
	cursor = as(clientinfo.MCP("Cursor"))
	zed    = as(clientinfo.MCP("Zed"))
	pinned = as(clientinfo.Caller{Label: "mcp:anything", Client: "anything", Pinned: "cursor"})
	cli    = as(clientinfo.Caller{Label: clientinfo.CLI, Client: clientinfo.CLI})
	fakes  = as(clientinfo.MCP("cli"))
)

func TestClients(t *testing.T) {
	p := gate(t, policy.Options{
		DenyTools: []string{"memory.recall"}, DenySources: []string{"mail:hr"},
		Clients: map[string]policy.Client{
			"cursor":      {AllowSources: []string{"notes:*", "mail:*"}, DenySources: []string{"notes:diary"}, DenyTools: []string{"tree_browse"}},
			policy.Others: {AllowSources: []string{"notes:*"}},
			"cli":         {},
		},
	})
	for _, c := range []struct {
		name   string
		ctx    context.Context
		source string
		hidden bool
	}{
		{"allowed", cursor, "notes:work", false},
		{"denied to the client", cursor, "notes:diary", true},
		{"not among the allowed", cursor, "slack:#eng", true},
		{"denied to all", cursor, "mail:hr", true},
		{"pinned", pinned, "mail:x", false},
		{"pinned, denied", pinned, "notes:diary", true},
		{"others", zed, "mail:x", true},
		{"others, allowed", zed, "notes:diary", false},
		{"others, denied to all", zed, "mail:hr", true},
		{"nobody", context.Background(), "mail:x", true},
		{"the command line", cli, "slack:#eng", false},
		{"the command line, denied to all", cli, "mail:hr", true},
		{"who calls himself the command line", fakes, "slack:#eng", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := p.Scope(c.ctx)
			if got := s.Hides(c.source); got != c.hidden {
				t.Errorf("Hides(%q) = %v", c.source, got)
			}
			if s.All() {
				t.Error("the scope holds everything")
			}
		})
	}
	for _, c := range []struct {
		ctx  context.Context
		tool string
		want bool
	}{
		{cursor, "memory.recall", true}, {cursor, "tree.browse", true}, {pinned, "tree.browse", true}, {cursor, "memory.search", false},
		{zed, "tree.browse", false}, {zed, "memory.recall", true}, {cli, "tree.browse", false},
	} {
		if got := p.Hidden(c.ctx, c.tool); got != c.want {
			t.Errorf("%s for %s: hidden %v", c.tool, clientinfo.From(c.ctx).Label, got)
		}
		err := p.Check(c.ctx, policy.Read, c.tool)
		if denied := fault.CodeOf(err) == fault.Denied; denied != c.want || p.Allows(c.ctx, policy.Read, c.tool) == c.want {
			t.Errorf("%s for %s: %v", c.tool, clientinfo.From(c.ctx).Label, err)
		}
	}
}

// Without a row for others, nothing is narrowed for them.
func TestClientsWithoutOthers(t *testing.T) {
	p := gate(t, policy.Options{Clients: map[string]policy.Client{"cursor": {AllowSources: []string{"notes:*"}}}})
	if s := p.Scope(zed); !s.All() {
		t.Error("others are narrowed")
	}
	if s := p.Scope(cursor); !s.Hides("mail:x") {
		t.Error("the client is not narrowed")
	}
}

func TestPace(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	options := policy.Options{MaxReadsPerMinute: 3, Now: func() time.Time { return now }}
	p := gate(t, options)
	read := func(ctx context.Context) error { return p.Check(ctx, policy.Read, "memory.search") }
	for range 3 {
		if err := read(cursor); err != nil {
			t.Fatal(err)
		}
		now = now.Add(10 * time.Second)
	}
	err := read(cursor)
	if fault.CodeOf(err) != fault.Denied || !errors.Is(err, policy.ErrTooMany) {
		t.Fatalf("the fourth read: %v", err)
	}
	if want := "Try again in 30 seconds, and ask for more at once: k goes up to 50."; fault.HintOf(err) != want {
		t.Errorf("hint %q", fault.HintOf(err))
	}
	if err := read(zed); err != nil {
		t.Errorf("another client: %v", err)
	}
	now = now.Add(30 * time.Second)
	if err := read(cursor); err != nil {
		t.Errorf("a minute after the first: %v", err)
	}
	if read(cursor) == nil {
		t.Error("the second is not a minute ago")
	}

	options.OneClient = true
	p = gate(t, options)
	denied := 0
	for i := range 10 { // under ever new names
		if read(as(clientinfo.MCP(fmt.Sprint("client ", i)))) != nil {
			denied++
		}
	}
	if denied != 7 {
		t.Errorf("%d of 10 were denied", denied)
	}
	p = gate(t, policy.Options{MaxReadsPerMinute: 1, Now: options.Now})
	denied = 0
	for i := range 5000 { // nobody can fill the memory with names, or call without end
		if read(as(clientinfo.MCP(fmt.Sprint("client ", i)))) != nil {
			denied++
		}
	}
	if denied < 4000 {
		t.Errorf("%d of 5000 were denied", denied)
	}
	if _, err := policy.New(policy.Options{MaxReadsPerMinute: -1}); fault.CodeOf(err) != fault.Invalid {
		t.Errorf("a negative pace: %v", err)
	}
}

func TestActs(t *testing.T) {
	now := time.Unix(0, 0)
	for level, want := range map[policy.Level]int{policy.ReadOnly: 0, policy.Supervised: policy.ActsPerHour, policy.Full: 500} {
		p := gate(t, policy.Options{Level: level, MaxReadsPerMinute: 1, Now: func() time.Time { return now }})
		done := 0
		for range 500 {
			if p.Check(cursor, policy.Act, "memory.store") == nil {
				done++
			}
		}
		if done != want {
			t.Errorf("%s: %d acts", level, done)
		}
	}
}

// A policy that follows another goes on counting where that one was, also with another bound.
func TestCountsOutliveAPolicy(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	o := policy.Options{MaxReadsPerMinute: 4, Counts: policy.NewCounts(), Now: func() time.Time { return now }}
	read := func(p *policy.Policy) error { return p.Check(cursor, policy.Read, "x") }
	act := func(p *policy.Policy) error { return p.Check(cursor, policy.Act, "x") }
	p := gate(t, o)
	for range 4 {
		if err := read(p); err != nil {
			t.Fatal(err)
		}
		now = now.Add(5 * time.Second)
	}
	for range policy.ActsPerHour {
		if err := act(p); err != nil {
			t.Fatal(err)
		}
	}
	p = gate(t, o)
	if read(p) == nil || act(p) == nil {
		t.Error("the next policy begins anew")
	}
	o.MaxReadsPerMinute = 2
	err := read(gate(t, o))
	var late *policy.TooManyError
	if !errors.As(err, &late) || late.Seconds() != 50 { // the third was 10 s ago, and the fourth may stay
		t.Errorf("with half as many: %v, %+v", err, late)
	}
	o.MaxReadsPerMinute = 5
	p = gate(t, o)
	if err := read(p); err != nil {
		t.Errorf("with one more: %v", err)
	}
	if read(p) == nil {
		t.Error("with two more")
	}
	o.Level = policy.Full
	if err := act(gate(t, o)); err != nil {
		t.Errorf("at the level full: %v", err)
	}
	o.Level = ""
	if act(gate(t, o)) == nil {
		t.Error("at the former level")
	}
	now = now.Add(time.Hour)
	if p = gate(t, o); read(p) != nil || act(p) != nil {
		t.Error("after an hour")
	}
}

// In no stretch of a minute does a client get more reads than it may have, and none is refused that
// would keep to that.
func TestPaceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.IntRange(1, 5).Draw(t, "most")
		now := time.Unix(1_700_000_000, 0)
		p, err := policy.New(policy.Options{MaxReadsPerMinute: most, Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		var allowed []time.Time
		for _, gap := range rapid.SliceOfN(rapid.IntRange(0, 40), 1, 60).Draw(t, "gaps") {
			now = now.Add(time.Duration(gap) * time.Second)
			within := 0
			for _, at := range allowed {
				if now.Sub(at) < time.Minute {
					within++
				}
			}
			ok := p.Check(cursor, policy.Read, "x") == nil
			if ok != (within < most) {
				t.Fatalf("after %d of %d within a minute: allowed %v", within, most, ok)
			}
			if ok {
				allowed = append(allowed, now)
			}
		}
	})
}
