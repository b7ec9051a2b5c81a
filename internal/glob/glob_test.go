package glob_test

import (
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/glob"
)

func TestMatch(t *testing.T) {
	for _, test := range []struct {
		pattern, s string
		want       bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "a/b:c", true}, {"?", "", false}, {"?", "é", true},
		{"slack:*", "SLACK:#Eng", true}, {"slack:*", "xslack:#eng", false}, {"*:#e?g", "slack:#eng", true}, {"*:#e?g", "slack:#eeng", false},
		{"a*b*c", "a-b-b-c", true}, {"a*b*c", "a-b-c-d", false}, {"a**", "a", true}, {"[a]", "a", false}, {"[a]", "[A]", true},
	} {
		if got := glob.Match(test.pattern, test.s); got != test.want {
			t.Errorf("Match(%q, %q) = %v", test.pattern, test.s, got)
		}
	}
	if glob.Match(strings.Repeat("*a", 50), strings.Repeat("a", 5000)+"b") { // must not take for ever
		t.Error("matched")
	}
}

func TestMatchSourceIDs(t *testing.T) {
	for _, c := range []struct {
		glob, id string
		want     bool
	}{
		{"*", "", true}, {"*", "anything:at/all", true}, {"", "", true}, {"", "a", false},
		{"a*b*c", "aXXbYYc", true}, {"a*b*c", "aXXbYY", false}, {"*:work", "notes:work", true},
		{"???", "一二三", true}, {"???", "一二", false}, {"a**", "a", true}, {"*a*a*a*b", "aaaaaaaaaaaaaaaaaaaa", false},
	} {
		if got := glob.Match(c.glob, c.id); got != c.want {
			t.Errorf("Match(%q, %q) = %v", c.glob, c.id, got)
		}
	}
}
