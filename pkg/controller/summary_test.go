package controller_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// diary is enough for summaries of summaries.
func diary(t *testing.T, s *store.Store) {
	t.Helper()
	var docs []store.DocumentRecord
	for i := range 200 {
		docs = append(docs, storetest.Doc("notes:diary", "document", fmt.Sprintf("%03d.md", i), storetest.Text{
			Content:  fmt.Sprintf("Day %d at the harbour. The lighthouse keeper Ann Lee told me about storm number %d and the boats that it sank.", i, i*7%23),
			TimeMS:   1_700_000_000_000 + int64(i)*86_400_000,
			Mentions: []store.Mention{{Kind: "person", Value: "ann-lee", Surface: "Ann Lee", Count: 1}},
		}))
	}
	storetest.Put(t, s, docs...)
	if _, err := ingest.Seal(t.Context(), ingest.SealOptions{Store: s}); err != nil {
		t.Fatal(err)
	}
}

func TestReadSummary(t *testing.T) {
	s, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	diary(t, s)
	c := controller.New(controller.Options{Store: s})
	hits, err := s.SearchSummaries(t.Context(), store.SummaryQuery{Match: `"lighthous"`, Limit: 50})
	if err != nil {
		t.Fatal(err)
	}
	read := func(id string) controller.Chunk {
		t.Helper()
		r, err := c.GetChunk(t.Context(), controller.GetChunkParams{ChunkID: id})
		if err != nil {
			t.Fatal(err)
		}
		return r.Chunk
	}
	top, seen := "", map[int]int{}
	for _, h := range hits {
		if seen[h.Level]++; h.Level == 2 {
			top = h.SummaryID
		}
	}
	if top == "" {
		t.Fatalf("no summary of summaries: %v", seen)
	}
	node := read(top)
	if node.NodeKind != "summary" || node.SourceID != "notes:diary" || !strings.HasPrefix(node.Title, "Summary of notes:diary, ") ||
		!strings.Contains(node.Context, "Ann Lee") || node.Content == "" || node.TokenCount == 0 || len(node.Children) < 6 {
		t.Errorf("%+v", node)
	}
	if d := cmp.Diff([]controller.EntityRef{{EntityID: "person:ann-lee", Kind: "person", Surface: "Ann Lee"}}, node.Entities); d != "" {
		t.Error(d)
	}
	// Down to the text, in the order of time.
	last := ""
	for _, id := range node.Children {
		below := read(id)
		if below.NodeKind != "summary" {
			t.Fatalf("%s is a %s", id, below.NodeKind)
		}
		for _, id := range below.Children {
			leaf := read(id)
			if leaf.NodeKind != "chunk" || leaf.Children != nil || leaf.Timestamp <= last {
				t.Errorf("%s at %s after %s", leaf.NodeKind, leaf.Timestamp, last)
			}
			last = leaf.Timestamp
		}
	}
	if last != node.Timestamp {
		t.Errorf("the last chunk is of %s, the summary of %s", last, node.Timestamp)
	}
	if next := read(node.Children[0]).NextChunkID; next != node.Children[1] {
		t.Errorf("next is %s, not %s", next, node.Children[1])
	}
	if prev := read(node.Children[1]).PrevChunkID; prev != node.Children[0] {
		t.Errorf("previous is %s, not %s", prev, node.Children[0])
	}

	_, err = c.GetChunk(t.Context(), controller.GetChunkParams{ChunkID: "sum_0000"})
	if fault.CodeOf(err) != fault.NotFound || !strings.Contains(fault.HintOf(err), "made anew") {
		t.Errorf("unknown: %v, %q", err, fault.HintOf(err))
	}
	p, err := policy.New(policy.Options{Level: policy.ReadOnly, DenySources: []string{"notes:*"}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = controller.New(controller.Options{Store: s, Policy: p}).GetChunk(t.Context(), controller.GetChunkParams{ChunkID: top})
	if fault.CodeOf(err) != fault.NotFound {
		t.Errorf("a summary of a denied source: %v", err)
	}

	// Search and listing know chunks alone.
	found, err := c.Search(t.Context(), controller.SearchParams{Query: "lighthouse keeper", K: 50})
	if err != nil {
		t.Fatal(err)
	}
	listed, err := c.ListChunks(t.Context(), controller.ListChunksParams{Query: "lighthouse", K: 50})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range append(found.Chunks, listed.Chunks...) {
		if r.NodeKind != "chunk" {
			t.Errorf("%s is a %s", r.ChunkID, r.NodeKind)
		}
	}
	if listed.Total != 200 {
		t.Errorf("%d chunks are listed", listed.Total)
	}
}
