package controller_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// TestListSummaries walks a tree from its roots down and meets every chunk once.
func TestListSummaries(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	diary(t, s)
	c := controller.New(controller.Options{Store: s})
	list := func(p controller.ListSummariesParams) (nodes []controller.TreeNode) {
		t.Helper()
		p.K = 7
		for {
			r, err := c.ListSummaries(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if nodes = append(nodes, r.Nodes...); r.NextOffset == nil {
				if len(nodes) != r.Total {
					t.Errorf("%d nodes of %d", len(nodes), r.Total)
				}
				return nodes
			}
			p.Offset = *r.NextOffset
		}
	}
	seen := map[string]bool{}
	var walk func(nodes []controller.TreeNode) int
	walk = func(nodes []controller.TreeNode) (chunks int) {
		for _, n := range nodes {
			if seen[n.ChunkID] || n.Preview == "" || n.SourceID != "notes:diary" || n.SinceMS > n.UntilMS || (n.NodeKind == "summary") != (n.Level > 0) {
				t.Errorf("node %+v", n)
			}
			seen[n.ChunkID] = true
			under := 1
			if n.Level > 0 {
				below := list(controller.ListSummariesParams{ParentID: n.ChunkID})
				for _, b := range below {
					if b.Level != n.Level-1 || b.SinceMS < n.SinceMS || b.UntilMS > n.UntilMS {
						t.Errorf("%+v under %+v", b, n)
					}
				}
				under = walk(below)
			}
			if under != n.Chunks {
				t.Errorf("%d chunks under %s, which says %d", under, n.ChunkID, n.Chunks)
			}
			chunks += under
		}
		return chunks
	}
	roots := list(controller.ListSummariesParams{SourceID: "notes:diary"})
	if n := walk(roots); n < 150 || n > 200 {
		t.Errorf("%d of 200 chunks are under the roots", n)
	}
	hidden, err := policy.New(policy.Options{DenySources: []string{"notes:diary"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, q := range map[string]struct {
		p    controller.ListSummariesParams
		deny bool
		code fault.Code
		hint string
	}{
		"neither":        {code: fault.Invalid},
		"both":           {p: controller.ListSummariesParams{SourceID: "a", ParentID: "b"}, code: fault.Invalid},
		"negative":       {p: controller.ListSummariesParams{SourceID: "a", Offset: -1}, code: fault.Invalid},
		"unknown parent": {p: controller.ListSummariesParams{ParentID: "sum_x"}, code: fault.NotFound},
		"unknown source": {p: controller.ListSummariesParams{SourceID: "notes:dairy"}, hint: "notes:diary"},
		"hidden parent":  {p: controller.ListSummariesParams{ParentID: roots[0].ChunkID}, deny: true, code: fault.NotFound},
		"hidden source":  {p: controller.ListSummariesParams{SourceID: "notes:diary"}, deny: true, hint: "no source"},
	} {
		t.Run(name, func(t *testing.T) {
			o := controller.Options{Store: s}
			if q.deny {
				o.Policy = hidden
			}
			r, err := controller.New(o).ListSummaries(t.Context(), q.p)
			if q.code != "" {
				if fault.CodeOf(err) != q.code || fault.HintOf(err) == "" {
					t.Errorf("%v", err)
				}
				return
			}
			if err != nil || len(r.Nodes) != 0 || !strings.Contains(r.Hint, q.hint) {
				t.Errorf("%+v, %v", r, err)
			}
		})
	}
}

func TestActivityByMonth(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	diary(t, s) // a chunk a day from 14 November 2023 on
	c := controller.New(controller.Options{Store: s, Now: func() time.Time { return time.Date(2024, 2, 29, 12, 0, 0, 0, time.UTC) }})
	got, err := c.Activity(t.Context(), controller.ActivityParams{Months: 5})
	want := controller.ActivityResult{
		Months:  []string{"2023-10", "2023-11", "2023-12", "2024-01", "2024-02"},
		Sources: []controller.ActivityRow{{SourceID: "notes:diary", Counts: []int{0, 17, 31, 31, 29}}},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if got, err = c.Activity(t.Context(), controller.ActivityParams{Months: 9999}); err != nil || len(got.Months) != 120 {
		t.Errorf("%d months, %v", len(got.Months), err)
	}
	if _, err = c.Activity(t.Context(), controller.ActivityParams{Months: -1}); fault.CodeOf(err) != fault.Invalid {
		t.Error(err)
	}
}
