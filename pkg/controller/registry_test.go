package controller_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// checked is a store whose health is what a test says; it counts how often it is asked.
type checked struct {
	controller.Store
	asked int
	err   error
	hang  bool
}

func (c *checked) Chunk(ctx context.Context, _ string, _ store.Scope) (*store.ChunkDetail, error) {
	c.asked++
	if c.hang {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return nil, c.err
}

var missing = fault.New(fault.NotFound, "There is no such chunk.")

func infos(list ...controller.ToolInfo) controller.Registry {
	return controller.Registry{Tools: func() []controller.ToolInfo { return list }}
}

func TestHealthIsAtMostAMinuteOld(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	s := &checked{err: missing}
	c := controller.New(controller.Options{Store: s, Now: func() time.Time { return now }})
	for _, step := range []struct {
		later time.Duration
		err   error
		want  string
		asked int
	}{
		{0, missing, "available", 1},
		{30 * time.Second, errors.New("gone"), "available", 1},
		{30 * time.Second, fault.New(fault.Unavailable, "Gone."), "unavailable", 2},
		{4 * time.Second, missing, "unavailable", 2}, // what is broken is asked again soon
		{time.Second, missing, "available", 3},
		{-time.Hour, missing, "available", 4}, // the clock was set back
	} {
		now, s.err = now.Add(step.later), step.err
		if got := c.Health(t.Context()); got != step.want || s.asked != step.asked {
			t.Errorf("after %v: %s, asked %d times, want %s, %d", step.later, got, s.asked, step.want, step.asked)
		}
	}
	now = now.Add(time.Hour)
	s.hang = true
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if got := c.Health(ctx); got != "unknown" {
		t.Errorf("a check that does not end: %s", got)
	}
}

// answering is a web search that works or does not.
type answering struct{ err error }

func (a *answering) Defaults() (string, int) { return "en", 10 }
func (a *answering) Search(context.Context, controller.WebQuery) (controller.WebAnswer, error) {
	return controller.WebAnswer{}, a.err
}

func TestWebHealthIsThatOfTheLastSearch(t *testing.T) {
	now := time.Unix(1_700_000_000, 0)
	web := &answering{}
	c := controller.New(controller.Options{
		Store: &checked{err: missing}, Web: web, Now: func() time.Time { return now },
		Registry: infos(controller.ToolInfo{ToolID: "tools.web_search", Access: policy.Read, Needs: controller.NeedsWeb}),
	})
	health := func() string {
		e, err := c.GetTool(t.Context(), controller.GetToolParams{ToolID: "tools.web_search"})
		if err != nil || !e.Enabled {
			t.Fatalf("%v %+v", err, e)
		}
		return e.Health
	}
	if got := health(); got != "unknown" {
		t.Errorf("before the first search: %s", got)
	}
	search := func() { _, _ = c.WebSearch(t.Context(), controller.WebSearchParams{Query: "x"}) }
	search()
	if got := health(); got != "available" {
		t.Errorf("after a search: %s", got)
	}
	web.err = fault.New(fault.Unavailable, "Down.")
	search()
	if got := health(); got != "unavailable" {
		t.Errorf("after one that failed: %s", got)
	}
	now = now.Add(2 * time.Minute)
	if got := health(); got != "unknown" {
		t.Errorf("two minutes later: %s", got)
	}
}

func TestWriteSurfaces(t *testing.T) {
	c := controller.New(controller.Options{Store: &checked{err: missing}, Registry: infos(
		controller.ToolInfo{ToolID: "a.list_stored", Access: policy.Read},
		controller.ToolInfo{ToolID: "b.forget_source", Access: policy.Read},
		controller.ToolInfo{ToolID: "c.quiet", Access: policy.Act, Needs: controller.NeedsWrite},
		controller.ToolInfo{ToolID: "d.read", Access: policy.Read, Names: []string{"openhuman.d_read", "d.Upload-All"}},
	)})
	d, err := c.Diagnostics(t.Context(), controller.DiagnosticsParams{})
	if err != nil {
		t.Fatal(err)
	}
	want := []controller.WriteSurface{{"b.forget_source", "the name says forget"}, {"c.quiet", "access is act"}, {"d.read", "the name says upload"}}
	if diff := cmp.Diff(want, d.PossibleWriteSurfaces); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d.EnabledTools != 3 {
		t.Errorf("%d are enabled: nothing writes unless it is allowed", d.EnabledTools)
	}
}

func TestDenialsAreRemembered(t *testing.T) {
	c := controller.New(controller.Options{Store: &checked{err: missing}, Now: func() time.Time { return time.Unix(1_700_000_000, 0) }})
	for i := range 30 {
		ctx := clientinfo.With(t.Context(), clientinfo.MCP(strings.Repeat("x", i+1)))
		c.Denied(ctx, "memory.search")
	}
	d, err := c.Diagnostics(t.Context(), controller.DiagnosticsParams{})
	if err != nil {
		t.Fatal(err)
	}
	if d.Denials != 30 || len(d.RecentDenials) != 20 {
		t.Errorf("%d denials, %d are remembered", d.Denials, len(d.RecentDenials))
	}
	if diff := cmp.Diff(controller.Denial{At: "2023-11-14T22:13:20Z", Client: "mcp:" + strings.Repeat("x", 30), ToolID: "memory.search"}, d.RecentDenials[0]); diff != "" {
		t.Errorf("the latest (-want +got):\n%s", diff)
	}
}

func TestRegistryFits(t *testing.T) {
	big := controller.Schema(`{"type":"object","description":"` + strings.Repeat("x", 3000) + `"}`)
	c := controller.New(controller.Options{Store: &checked{err: missing}, MaxResultBytes: 5000, Registry: infos(
		controller.ToolInfo{ToolID: "a.b", Access: policy.Read, Input: big, Output: big},
	)})
	r, err := c.ListTools(t.Context(), controller.ListToolsParams{})
	if err != nil || len(r.Tools) != 1 || r.Truncated == nil || r.Hint == "" || string(r.Tools[0].InputSchema) != "{}" {
		t.Errorf("%v %+v", err, r)
	}
	if e, err := c.GetTool(t.Context(), controller.GetToolParams{ToolID: "a.b"}); err != nil || len(e.InputSchema) < 3000 {
		t.Errorf("get leaves nothing out: %v %d", err, len(e.InputSchema))
	}
}

func TestUnknownToolNamesNearOnes(t *testing.T) {
	c := controller.New(controller.Options{Store: &checked{err: missing}, Registry: infos(
		controller.ToolInfo{ToolID: "memory.search", Access: policy.Read}, controller.ToolInfo{ToolID: "tools.web_search", Access: policy.Read},
	)})
	for id, want := range map[string]string{
		"memory.serch": "Did you mean memory.search?", "memory_search": "Did you mean memory.search?", "openhuman.tools.web_serch": "Did you mean tools.web_search?",
		"": "tool_registry_list", "nothing at all": "tool_registry_list",
	} {
		_, err := c.GetTool(t.Context(), controller.GetToolParams{ToolID: id})
		if fault.CodeOf(err) != fault.Invalid || !strings.Contains(fault.Message(err), want) {
			t.Errorf("%q: %v", id, fault.Message(err))
		}
	}
}
