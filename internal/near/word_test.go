package near_test

import (
	"testing"

	"github.com/openhuman/openhuman-core/internal/near"
)

func TestWord(t *testing.T) {
	keys := []string{"searxng.base_url", "searxng.enabled", "policy.deny_tools", "policy.deny_sources", "log"}
	for in, want := range map[string]string{
		"searxng.base_ulr":   "searxng.base_url",
		"searxng.baseurl":    "searxng.base_url",
		"SEARXNG.BASE-URL":   "searxng.base_url",
		"policy.deny_source": "policy.deny_sources",
		"policy.deny_tool":   "policy.deny_tools",
		"logg":               "log",
		"":                   "",
		"colour":             "",
		"x":                  "",
	} {
		if got := near.Word(in, keys); got != want {
			t.Errorf("Of(%q) = %q, want %q", in, got, want)
		}
	}
	if got := near.Word("ab", []string{"ac", "ad"}); got != "ac" {
		t.Errorf("of equally near names the first must win, got %q", got)
	}
}
