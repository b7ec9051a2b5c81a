package controller_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/pkg/controller"
)

// However many names of a call do not exist, the hint tells of a few.
func TestHintsAreBounded(t *testing.T) {
	c := searchable(t, nil, note{id: "one", text: "A walrus."})
	many := func(form string) (out []string) {
		for i := range 3000 {
			out = append(out, fmt.Sprintf(form, i))
		}
		return out
	}
	list := func(p controller.ListChunksParams) string {
		res, err := c.ListChunks(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if res.Truncated != nil {
			t.Errorf("%d rows, and %v", len(res.Chunks), res.Truncated)
		}
		return res.Hint
	}
	for name, tt := range map[string]struct {
		hint string
		told int
	}{
		"sources":       {list(controller.ListChunksParams{SourceIDs: many("x:%d")}), 3},
		"patterns":      {list(controller.ListChunksParams{SourceIDs: many("x:%d*")}), 3},
		"entities":      {list(controller.ListChunksParams{EntityIDs: many("email:%d@x.org")}), 3},
		"authors":       {search(t, c, strings.Join(many("from:p%d"), " ")[:900]+" walrus", 0).Hint, 3},
		"the same":      {search(t, c, strings.Repeat("from:nobody ", 70), 0).Hint, 1},
		"three":         {search(t, c, "tag:a tag:b tag:c", 0).Hint, 3},
		"no operators":  {search(t, c, strings.Join(many("kind:k%d"), " ")[:900], 0).Hint, 3},
		"one of a kind": {search(t, c, strings.Repeat("kind:zzz ", 90), 0).Hint, 1},
	} {
		told := strings.Count(tt.hint, "There is no ") + strings.Count(tt.hint, "Nothing has the tag") + strings.Count(tt.hint, "was not understood as a filter")
		if told != tt.told || len(tt.hint) > 800 || (told == 3 && name != "three") != strings.Contains(tt.hint, "There may be more") {
			t.Errorf("%s: %d told, want %d: %q", name, told, tt.told, tt.hint)
		}
	}
}

// Somebody who is written about and writes nothing is no misspelt author.
func TestHintOnANamedPersonWhoWroteNothing(t *testing.T) {
	c := over(t, controller.Options{}, life()...)
	for in, want := range map[string]string{
		`from:"Ann Lee"`: `Nothing is written by "Ann Lee"; what is about person:ann-lee is found without from:.`,
		`from:ann-lee`:   `Nothing is written by "ann-lee"; what is about person:ann-lee is found without from:.`,
		`from:"Ann Leo"`: `There is no author "Ann Leo". The nearest are person:ann-lee.`,
	} {
		if got := search(t, c, in, 0).Hint; !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", in, got, want)
		}
	}
}
