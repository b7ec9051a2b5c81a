package clientinfo_test

import (
	"testing"

	"github.com/openhuman/openhuman-core/pkg/clientinfo"
)

func TestLabel(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"Claude Desktop", "mcp:claude-desktop"},
		{"Cursor", "mcp:cursor"},
		{"  Windsurf\n", "mcp:windsurf"},
		{"claude-ai (via mcp-remote 0.1.37)", "mcp:claude-ai-via-mcp-remote-0-1-37"},
		{"--A__b--", "mcp:a-b"},
		{"客户端", "mcp"},
		{"Zed编辑器", "mcp:zed"},
		{"", "mcp"},
		{" \t", "mcp"},
	} {
		if got := clientinfo.Label(c.name); got != c.want {
			t.Errorf("Label(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"Claude Desktop", "", "--", "é", "a b", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n := clientinfo.Normalize(s)
		if again := clientinfo.Normalize(n); again != n {
			t.Errorf("not idempotent: %q -> %q -> %q", s, n, again)
		}
		for i := 0; i < len(n); i++ {
			c := n[i]
			ok := c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' && i > 0 && i < len(n)-1 && n[i-1] != '-'
			if !ok {
				t.Fatalf("Normalize(%q) = %q: byte %d", s, n, i)
			}
		}
	})
}

func TestPolicyName(t *testing.T) {
	for _, c := range []struct {
		caller clientinfo.Caller
		want   string
	}{
		{clientinfo.MCP("Claude Desktop"), "claude-desktop"},
		{clientinfo.MCP(""), ""},
		{clientinfo.Caller{Label: "cli", Client: "cli"}, "cli"},
		{clientinfo.Caller{Label: "http", Client: "http"}, "http"},
		{clientinfo.MCP("CLI"), ""},
		{clientinfo.MCP("http"), ""},
		{clientinfo.Caller{Label: "mcp:x", Client: "x", Pinned: "work"}, "work"},
	} {
		if got := c.caller.PolicyName(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.caller, got, c.want)
		}
	}
}
