package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/text"
)

const goldenPath = "../../testdata/rank/golden.json"

// worse is by how much a number may fall before the test fails: vectors differ in their last bits
// between processors, which may change the order of two texts that are about as good.
const worse = 0.02

// report is how well each set is answered, by what asks.
type report map[string]map[string]result

// Every set is answered at least as well as the golden file says, and by recall at least as well as
// by search. What is better, or worse for a reason, is written with -update.
func TestRank(t *testing.T) {
	m, err := loadModels()
	if err != nil {
		t.Fatal(err)
	}
	// One memory for all sets: the notes of one stand in the way of the others.
	var lines []line
	for _, dir := range []string{"memory", "paraphrase", "reworded"} {
		more, err := readSet("../../testdata/rank/" + dir)
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, more...)
	}
	got := report{}
	for _, run := range []struct{ name, stage, tool string }{
		{"search", "words", "search"}, {"recall by words", "words", "recall"},
		{"recall at once", "instant", "recall"}, {"recall", "all", "recall"},
	} {
		sets, err := measureSet(t.Context(), m, run.stage, run.tool, lines)
		if err != nil {
			t.Fatalf("%s: %v", run.name, err)
		}
		got[run.name] = sets
	}
	for set, searched := range got["search"] {
		for _, how := range []string{"recall by words", "recall at once", "recall"} {
			if r := got[how][set]; r.R10 < searched.R10 {
				t.Errorf("%s: %s finds %.3f in ten rows, search %.3f", set, how, r.R10, searched.R10)
			}
		}
		if searched.Questions < 20 {
			t.Errorf("%s has %d questions", set, searched.Questions)
		}
	}
	if len(got["search"]) < 7 {
		t.Errorf("%d sets", len(got["search"]))
	}
	checkNotWorse(t, goldenPath, got)
}

// checkNotWorse compares with a golden file, or writes it.
func checkNotWorse(t *testing.T, path string, got report) {
	t.Helper()
	if golden.Update() {
		golden.Write(t, path, encode(t, got))
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want report
	if err := json.Unmarshal(data, &want); err != nil {
		t.Fatal(err)
	}
	for how, sets := range want {
		for set, w := range sets {
			g := got[how][set]
			for name, pair := range map[string][2]float64{
				"R@1": {g.R1, w.R1}, "R@5": {g.R5, w.R5}, "R@10": {g.R10, w.R10}, "MRR@10": {g.MRR10, w.MRR10},
			} {
				if pair[0] < pair[1]-worse {
					t.Errorf("%s, %s: %s is %.3f, was %.3f", how, set, name, pair[0], pair[1])
				}
			}
			if g.Questions != w.Questions {
				t.Errorf("%s, %s: %d questions, were %d; write the golden file with -update", how, set, g.Questions, w.Questions)
			}
		}
	}
}

// encode writes one line for each set, so that a change is seen at a glance.
func encode(t *testing.T, r report) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, how := range slices.Sorted(maps.Keys(r)) {
		fmt.Fprintf(&b, "%s%q: {\n", map[bool]string{true: "", false: ",\n"}[i == 0], how)
		for k, set := range slices.Sorted(maps.Keys(r[how])) {
			x := r[how][set]
			fmt.Fprintf(&b, "%s  %q: {\"Questions\": %d, \"R1\": %.3f, \"R5\": %.3f, \"R10\": %.3f, \"MRR10\": %.3f}",
				map[bool]string{true: "", false: ",\n"}[k == 0], set, x.Questions, x.R1, x.R5, x.R10, x.MRR10)
		}
		b.WriteString("\n}")
	}
	b.WriteString("\n}\n")
	return b.Bytes()
}

// The paraphrases share no words with what they ask for, apart from those that carry no meaning.
func TestParaphrasesShareNoWords(t *testing.T) {
	others := 0
	for _, set := range []string{"paraphrase", "reworded"} {
		lines, err := readSet("../../testdata/rank/" + set)
		if err != nil {
			t.Fatal(err)
		}
		pairs, shared := 0, 0
		for _, l := range lines {
			if l.Question == "" {
				others++
				continue
			}
			pairs++
			shared += sharedWords(t, l)
		}
		if pairs < 100 || others < 2000 {
			t.Errorf("%s: %d pairs among %d others", set, pairs, others)
		}
		if shared*20 > pairs {
			t.Errorf("%s: %d words are shared by %d pairs", set, shared, pairs)
		}
	}
}

// sharedWords counts the words of a question that its text has too.
func sharedWords(t *testing.T, l line) (shared int) {
	t.Helper()
	stems := map[string]bool{}
	for tok := range text.Tokens(l.Text) {
		stems[tok.Term()] = !text.IsStopWord(tok.Form)
	}
	for tok := range text.Tokens(l.Question) {
		if stems[tok.Term()] && !text.IsStopWord(tok.Form) && !strings.ContainsAny(tok.Form, "0123456789") {
			shared++
			t.Logf("%s: %s", l.ID, tok.Form)
		}
	}
	return shared
}
