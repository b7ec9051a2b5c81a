package ignore_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/ignore"
)

// tree is what TestAsGit asks about: every path of these names up to three deep, folders and files.
var (
	folders = []string{"a", "b", "foo", "a/b", "a/foo", "foo/b", "a/b/foo", "foo/a b"}
	files   = []string{"x", "ab", "foo.md", "a-b", "A", "a]c", "!x", "#x", "b ", `a*b`, "é"}
)

// TestAsGit has git itself decide about every path of a small tree, with patterns at random in two
// folders of it.
func TestAsGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	run := func(stdin []byte, args ...string) ([]byte, error) {
		cmd := exec.Command(git, append([]string{"-C", dir, "-c", "core.ignorecase=false", "-c", "core.excludesFile="}, args...)...)
		cmd.Env = []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1", "HOME=" + dir, "PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT")}
		cmd.Stdin = bytes.NewReader(stdin)
		return cmd.Output()
	}
	_, err = run(nil, "init", "-q")
	must(err)
	type item struct {
		rel string
		dir bool
	}
	var all []item
	for _, d := range append([]string{""}, folders...) {
		if d != "" {
			must(os.MkdirAll(filepath.Join(dir, filepath.FromSlash(d)), 0o700))
			all = append(all, item{d, true})
		}
		for _, f := range files {
			rel := path.Join(d, f)
			if os.WriteFile(filepath.Join(dir, filepath.FromSlash(rel)), nil, 0o600) != nil {
				continue // not a name for this system, or one that it takes for another
			}
			if got, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(d), "*")); err != nil || !slices.Contains(got, filepath.Join(dir, filepath.FromSlash(rel))) {
				continue
			}
			all = append(all, item{rel, false})
		}
	}
	var stdin bytes.Buffer
	for _, i := range all {
		stdin.WriteString(i.rel + "\x00")
	}
	pieces := rapid.SampledFrom([]string{
		"*", "**", "?", "/", "a", "b", "foo", "x", ".md", "A", " ", `\ `, `\*`, `\`, "!", "#", "[", "]", "[a-c]", "[!a]", "[^a]", "[]a]", "[[:alpha:]]", "[[:upper:]]", "[[:nope:]]",
		"[a", "/**/", "**/", "/**", "/*", "-", `\!`, `\#`, "é", "[a-", `[\]]`, "[x-]", "***", "\t",
	})
	line := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(pieces, 1, 5).Draw(t, "pieces"), "") })
	list := rapid.Custom(func(t *rapid.T) []byte {
		return []byte(strings.Join(rapid.SliceOfN(line, 0, 4).Draw(t, "lines"), rapid.SampledFrom([]string{"\n", "\r\n"}).Draw(t, "end")))
	})
	rapid.Check(t, func(rt *rapid.T) {
		top, below := list.Draw(rt, "top"), list.Draw(rt, "below")
		must(os.WriteFile(filepath.Join(dir, ".gitignore"), top, 0o600))
		must(os.WriteFile(filepath.Join(dir, "a", ".gitignore"), below, 0o600))
		out, err := run(stdin.Bytes(), "check-ignore", "--no-index", "-v", "-n", "-z", "--stdin")
		if exit := (*exec.ExitError)(nil); err != nil && !asExit(err, &exit) {
			rt.Fatal(err)
		}
		fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
		if len(fields) != 4*len(all) {
			rt.Fatalf("git says %q", out)
		}
		lists := map[string]*ignore.List{"": ignore.Parse(top, "top"), "a": ignore.Parse(below, "below")}
		for n, i := range all {
			want := fields[4*n] != "" && !strings.HasPrefix(fields[4*n+2], "!")
			if got := left(lists, i.rel, i.dir); got != want {
				rt.Errorf("%q (folder %v) with %q and in a %q: left out %v, git says %v by %q", i.rel, i.dir, top, below, got, want, fields[4*n:4*n+3])
			}
		}
	})
}

func asExit(err error, exit **exec.ExitError) bool {
	e, ok := err.(*exec.ExitError) //nolint:errorlint // as Output returns it
	*exit = e
	return ok && e.ExitCode() == 1
}

// left decides as a walk does: from the top down, and never again below what is left out.
func left(lists map[string]*ignore.List, rel string, dir bool) bool {
	elements := strings.Split(rel, "/")
	for n := range elements {
		at, last := strings.Join(elements[:n+1], "/"), n == len(elements)-1
		out := false
		for base := path.Dir(at); ; base = path.Dir(base) {
			if base == "." {
				base = ""
			}
			below := strings.TrimPrefix(at, base+"/")
			if m, ok := lists[base].Match(below, dir || !last); ok {
				out = !m.Keep
				break
			}
			if base == "" {
				break
			}
		}
		if out {
			return true
		}
	}
	return false
}

// TestMatch: what git says of patterns that people write, for systems without git.
func TestMatch(t *testing.T) {
	for _, c := range []struct{ pattern, out, in string }{
		{"*.log", "a.log b/c.log .log", "a.logs"},
		{"build/", "build/ a/build/", "build"},
		{"/build", "build build/", "a/build"},
		{"a/*.md", "a/x.md", "b/a/x.md a/b/x.md"},
		{"**/tmp", "tmp a/tmp a/b/tmp", "a/tmpx"},
		{"a/**/z", "a/z a/b/z a/b/c/z", "az"},
		{"a/**", "a/b a/b/c", "a"},
		{"[Dd]rafts", "drafts Drafts a/drafts", "xdrafts"},
		{`\!important`, "!important", "important"},
		{"trailing  ", "trailing", "trailing "},
		{"#comment", "", "#comment comment"},
		{`ends\`, "", `ends ends\`},
		{"[unclosed", "", "[unclosed u"},
	} {
		l := ignore.Parse([]byte(c.pattern), "list")
		for want, names := range map[bool]string{true: c.out, false: c.in} {
			for name := range strings.SplitSeq(names, " ") {
				if name == "" || name == "trailing" && !want {
					continue
				}
				m, ok := l.Match(strings.TrimSuffix(name, "/"), strings.HasSuffix(name, "/"))
				if ok != want {
					t.Errorf("%q and %q: %v", c.pattern, name, ok)
				}
				if ok && m.Rule != fmt.Sprintf("list line 1: %s", strings.TrimRight(c.pattern, " ")) {
					t.Errorf("%q says %q", c.pattern, m.Rule)
				}
			}
		}
	}
}
