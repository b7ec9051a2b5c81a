package controller_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/controller"
)

func recall(t testing.TB, c *controller.Controller, query string, k int) controller.RecallResult {
	t.Helper()
	res, err := c.Recall(t.Context(), controller.RecallParams{Query: query, K: k})
	if err != nil {
		t.Fatalf("recall %q: %v", query, err)
	}
	checkRows(t, query, res.Chunks)
	return res
}

func TestRecall(t *testing.T) {
	c := searchable(t, nil, searchNotes...)
	for query, want := range map[string]string{ // the first row
		"When will we move the billing database?":               "plan",
		"What did Bob Stone write about the meetings?":          "retro",
		"who has a recipe with a brulee":                        "mail",
		"What is POL-359?":                                      "retro",
		"POL-358":                                               "plan",
		"去里斯本开会讨论了什么":                                           "zh",
		"когда перенести данных":                                "ru",
		"what did alice say about getUserName":                  "chat",
		`what about "running long"`:                             "retro",
		"anything from:alice about the migration kind:document": "plan",
	} {
		got := ids(recall(t, c, query, 0).Chunks)
		if len(got) == 0 || got[0] != want {
			t.Errorf("%s: %v, want %s first", query, got, want)
		}
	}
	for _, query := range []string{"Where is the quux?", "what", "???"} {
		if res := recall(t, c, query, 0); len(res.Chunks) != 0 || res.Hint == "" {
			t.Errorf("%s: %v, hint %q", query, ids(res.Chunks), res.Hint)
		}
	}
	if n := len(recall(t, c, "alice migration billing", 2).Chunks); n != 2 {
		t.Errorf("k 2 gives %d rows", n)
	}
}

// Whatever search finds, recall finds, and what it finds first is not buried.
func TestRecallIsNotWorseThanSearch(t *testing.T) {
	c := searchable(t, nil, searchNotes...)
	for _, query := range []string{"migration billing", "POL-358", "pol", "worker3", "v1.0.21", "zoe@example.org", "creme brulee", "migrat*",
		"里斯本", "库", "gen-itgc", "елка", "ภาษา", "xylophone", `"ran late"`, "from:alice", "getUserName", "user name", "the"} {
		found := ids(search(t, c, query, 50).Chunks)
		recalled := ids(recall(t, c, query, 50).Chunks)
		for i, id := range found {
			if j := slices.Index(recalled, id); j < 0 || i == 0 && j > 1 {
				t.Errorf("%s: search %v, recall %v", query, found, recalled)
				break
			}
		}
	}
}

func TestRecallContinues(t *testing.T) {
	var notes []note
	for i := range 400 {
		n := note{text: strings.Repeat("lorem ", i%7) + "budget"}
		if i%3 == 0 {
			n.text += " review of the year"
		}
		notes = append(notes, n)
	}
	c := searchable(t, nil, notes...)
	whole := ids(recall(t, c, "the budget review", 50).Chunks)
	if len(whole) != 50 {
		t.Fatalf("%d rows", len(whole))
	}
	if diff := cmp.Diff(whole[:10], ids(recall(t, c, "the budget review", 10).Chunks)); diff != "" {
		t.Error(diff)
	}
}
