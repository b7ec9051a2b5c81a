package ignore_test

import (
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/ignore"
)

func TestGlob(t *testing.T) {
	for _, c := range []struct{ glob, base, in, leads, out string }{
		{"/h/mail/*.mbox", "/h/mail", "a.mbox a.mbox/x", "", "a.txt sub/a.mbox .a.mbox"},
		{"/h/*/notes", "/h", "x/notes x/notes/a.md x/notes/.a", "x", ".x/notes x/other"},
		{"/h/**/*.md", "/h", "a.md x/a.md x/y/a.md", "x x/y", ".x/a.md x/.a.md a.txt!"},
		{"/h/**", "/h", "a x/y", "", ".a x/.y"},
		{"/h/.*/x", "/h", ".a/x", ".a", "a/x"},
		{"/*.md", "/", "a.md", "", "b"},
		{`C:/h/n[ab]/**/z`, "C:/h", "na/z nb/x/z", "na nb/x", "nc/z"},
	} {
		g, ok := ignore.ParseGlob(c.glob)
		if !ok || g.Base != c.base {
			t.Fatalf("%s: %v %q", c.glob, ok, g.Base)
		}
		for _, rel := range strings.Fields(c.in) {
			if !g.Match(rel) || !g.Leads(rel) {
				t.Errorf("%s does not mean %s", c.glob, rel)
			}
		}
		for _, rel := range strings.Fields(c.leads) {
			if g.Match(rel) || !g.Leads(rel) {
				t.Errorf("%s does not lead through %s", c.glob, rel)
			}
		}
		for _, rel := range strings.Fields(c.out) {
			rel, leads := strings.CutSuffix(rel, "!")
			if g.Match(rel) || g.Leads(rel) != leads {
				t.Errorf("%s means %s, or leads there", c.glob, rel)
			}
		}
	}
	for _, bad := range []string{"/h/plain", "/h/[a", "*.md"} {
		if g, ok := ignore.ParseGlob(bad); ok {
			t.Errorf("%s: %+v", bad, g)
		}
	}
}

// FuzzMatch: no pattern makes matching fail or take long.
func FuzzMatch(f *testing.F) {
	f.Add("a*b*c*d*e", "aaaaaaaaaaaaaaaaaaaaaaaaa")
	f.Add("**/**/**/[!a]/***", "a/b/c/d")
	f.Add("[[:alpha:]-z]", "a")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		if len(pattern)+len(name) > 2000 {
			return
		}
		l := ignore.Parse([]byte(pattern), "list")
		l.Match(name, true)
		if g, ok := ignore.ParseGlob("/" + pattern); ok && g.Match(name) && !g.Leads(name) {
			t.Error("it matches where it does not lead")
		}
	})
}
