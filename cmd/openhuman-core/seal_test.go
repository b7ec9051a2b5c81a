package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// counts returns the counts of the trees that status shows.
func (s *session) counts() summaryCounts {
	s.t.Helper()
	out, _ := s.run(0, "status", "--json")
	var status struct {
		Summaries summaryCounts `json:"summaries"`
	}
	if err := json.Unmarshal([]byte(out), &status); err != nil {
		s.t.Fatal(err)
	}
	return status.Summaries
}

func TestSealing(t *testing.T) {
	s := newSession(t)
	notes := s.notes(60)
	s.run(0, "ingest", "--no-embed", notes)
	if c := s.counts(); c.Summaries != 0 || c.Stale != 1 {
		t.Errorf("before: %+v", c)
	}
	if out, _ := s.run(0, "status"); !strings.Contains(out, "1 sources: openhuman-core embed") {
		t.Error(out)
	}
	s.run(0, "embed")
	made := s.counts()
	if made.Summaries < 4 || made.Stale != 0 || made.Sealed < 40 || made.Vectors != made.Summaries {
		t.Errorf("after: %+v", made)
	}
	out, _ := s.run(0, "embed", "--rebuild")
	if !strings.Contains(out, number(made.Summaries)+" summaries were made") || s.counts() != made {
		t.Errorf("anew: %s %+v", out, s.counts())
	}

	// From a summary down to the text.
	m, err := store.Open(t.Context(), store.Options{Path: filepath.Join(s.dir, "memory", "memory.db"), ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	list, err := m.PendingSummaries(t.Context(), []string{"-"}, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	var r controller.GetChunkResult
	out, _ = s.run(0, "read", "--json", list[0].SummaryID)
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Chunk.NodeKind != "summary" || len(r.Chunk.Children) < 6 {
		t.Fatalf("%v %s", err, out)
	}
	out, _ = s.run(0, "read", list[0].SummaryID)
	if !strings.Contains(out, "Summary of notes:notes, ") || !strings.Contains(out, r.Chunk.Children[5]) {
		t.Error(out)
	}
	if out, _ = s.run(0, "read", r.Chunk.Children[5]); !strings.Contains(out, "repairs the harbour wall") {
		t.Error(out)
	}

	s.run(0, "forget", "--yes", "notes:notes")
	if c := s.counts(); c.Summaries != 0 || c.Sealed != 0 || c.Stale != 0 {
		t.Errorf("forgotten: %+v", c)
	}
}
