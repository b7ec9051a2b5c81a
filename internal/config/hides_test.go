package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/openhuman/openhuman-core/internal/config"
)

// TestMisplacedDenialsWithhold: what was meant to hide something and stands in the wrong place, or is
// written so that it matches nothing, leaves the policy unknown.
func TestMisplacedDenialsWithhold(t *testing.T) {
	for text, withheld := range map[string]bool{
		"[clients.claude-desktop]\ndeny_sources = [\"mail:hr\"]\n":    true,
		"[client.x]\ndeny_tools = [\"memory.search\"]\n":              true,
		"[clients.\"claude*\"]\nallow_sources = [\"notes:*\"]\n":      true,
		"[[rules]]\n[rules.for.x]\ndeny_sources = [\"mail:hr\"]\n":    true,
		"[policy]\ndeny_sources = [\"mail:hr;mail:work\"]\n":          true,
		"[policy]\ndeny_sources = [\"mail:hr,mail:work\"]\n":          true,
		"[policy]\ndeny_sources = [\"mail:hr mail:work\"]\n":          true,
		"[policy]\ndeny_sources = [\"[\\\"mail:hr\\\"]\"]\n":          true,
		"[policy]\ndeny_sources = [\"mail:hr\", \"notes:my, own\"]\n": false,
		"[policy]\ndeny_sources = [\"mail:[Gmail]*\"]\n":              false,
		"[colours]\nshade = 1\n":                                      false,
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l := config.Load(config.Options{Path: path})
		if got := l.PolicyUnknown() != nil; got != withheld {
			t.Errorf("%q: withheld %v, want %v (%v)", text, got, withheld, l.Err())
		}
	}
}
