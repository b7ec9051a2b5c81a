package near_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/near"
)

func TestBest(t *testing.T) {
	have := []string{"slack:#eng", "slack:#engineering", "notes:work", "notes:home", "person:alice-moreau", "person:bob"}
	for want, best := range map[string][]string{
		"slack:eng":          {"slack:#eng", "slack:#engineering"},
		"SLACK:#ENG":         {"slack:#eng", "slack:#engineering"},
		"notes:wrok":         {"notes:work"},
		"work":               {"notes:work"},
		"mail:work":          {"notes:work"},
		"person:alice":       {"person:alice-moreau"},
		"person:alice-maeru": {"person:alice-moreau"},
		"zzz":                {},
		"slack:":             {},
	} {
		if diff := cmp.Diff(best, near.Best(want, have, 2)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", want, diff)
		}
	}
	if got := near.Best("", have, 2); got != nil {
		t.Errorf("nothing resembles %q", got)
	}
	if got := near.Best("notes:work", have, 0); len(got) != 0 {
		t.Errorf("with limit 0: %q", got)
	}
}
