package main

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A paragraph finds the one that says the same in the other language, in a memory that holds both of all
// pairs, among notes of others; itself is left out of the ranking.
func TestParallelParagraphs(t *testing.T) {
	m, err := loadModels()
	if err != nil {
		t.Fatal(err)
	}
	const dir = "../../testdata/rank/parallel"
	lines, err := readLines("../../testdata/rank/xling/distractors.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	lines = lines[:500]
	var pairs []triple
	f, err := os.Open(filepath.Join(dir, "pairs.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var p triple
		if err := json.Unmarshal(s.Bytes(), &p); err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, p)
		lines = append(lines, line{ID: p.ID + "zh", Text: p.Chinese}, line{ID: p.ID + "en", Text: p.English})
	}
	if len(pairs) != 60 {
		t.Fatalf("%d pairs", len(pairs))
	}
	set, err := os.Create(filepath.Join(t.TempDir(), "set.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if err := writeDocuments(set, lines); err != nil {
		t.Fatal(err)
	}
	if err := set.Close(); err != nil {
		t.Fatal(err)
	}
	mem, err := newMemory(t.Context(), m, "all", set.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer mem.Close()
	got := map[string]result{}
	for i := range pairs {
		p := &pairs[i]
		for _, way := range []string{"zh-en", "en-zh"} {
			from, to := way[:2], way[3:]
			rows, _, err := mem.ask(t.Context(), "recall", p.texts()[from], 11)
			if err != nil {
				t.Fatal(err)
			}
			var ids []string
			for _, r := range rows {
				if id := strings.TrimPrefix(r.SourceRef, "id:"); id != p.ID+from && len(ids) < 10 {
					ids = append(ids, id)
				}
			}
			place := 1 + slices.Index(ids, p.ID+to)
			if place != 1 {
				t.Logf("%s %s: place %d", way, p.ID, place)
			}
			r := got[way]
			r.add(place)
			got[way] = r
		}
	}
	for way, r := range got {
		if got[way] = r.mean(); got[way].R1 < 0.9 {
			t.Errorf("%s: %+v", way, got[way])
		}
	}
	checkNotWorse(t, filepath.Join(dir, "golden.json"), report{"recall": got})
}
