package config_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// load reads the settings of somebody whose home folder holds toml as .openhuman/config.toml.
func load(t *testing.T, toml string, environ ...string) *config.Loaded {
	t.Helper()
	home := t.TempDir()
	if toml != "" {
		write(t, filepath.Join(home, ".openhuman", "config.toml"), toml)
	}
	return config.Load(config.Options{Environ: append([]string{"HOME=" + home}, environ...), ReviewSource: func(s config.Source) error {
		if slices.Contains(s.Path, "refused") {
			return errors.New("that is refused")
		}
		return nil
	}})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// said is every problem, one a line, with the file's folder taken off.
func said(l *config.Loaded) string {
	var b strings.Builder
	for _, p := range l.Problems {
		s := strings.ReplaceAll(p.String(), l.Path, "config.toml")
		if p.Warning {
			s = "warning: " + s
		}
		if p.Policy {
			s += " [policy]"
		}
		b.WriteString(s + "\n")
	}
	return b.String()
}

func TestDefaults(t *testing.T) {
	l := load(t, "")
	if s := said(l); s != "" {
		t.Fatalf("problems with nothing set:\n%s", s)
	}
	want := config.Defaults()
	want.Workspace = filepath.Dir(l.Path)
	if d := cmp.Diff(want, l.Config, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	if len(l.Origins) != 0 {
		t.Errorf("origins: %v", l.Origins)
	}
}

func TestLayers(t *testing.T) {
	home := t.TempDir()
	path := filepath.Join(home, "elsewhere", "settings.toml")
	write(t, path, `log = "error"
workspace = "data"
[mcp]
tool_names = "dotted"
[searxng]
base_url = "http://file:1"
max_results = 5
timeout_secs = 7
`)
	l := config.Load(config.Options{
		Path:    path,
		Environ: []string{"HOME=" + home, "OPENHUMAN_SEARXNG_BASE_URL=http://env:2", "OPENHUMAN_MCP_TOOL_NAMES=underscore", "OPENHUMAN_LOG=", "OPENHUMAN_CORE_PORT=99", "PATH=/bin"},
		Flags:   map[string]string{"mcp.tool_names": "auto"},
	})
	if err := l.Err(); err != nil {
		t.Fatal(err)
	}
	c := l.Config
	for _, v := range []struct {
		key       string
		got, want any
		origin    string
	}{
		{"log", c.Log, "error", path + ":1"},
		{"workspace", c.Workspace, filepath.Join(home, "elsewhere", "data"), path + ":2"},
		{"mcp.tool_names", c.MCP.ToolNames, "auto", "--tool_names"},
		{"searxng.base_url", c.SearXNG.BaseURL, "http://env:2", "OPENHUMAN_SEARXNG_BASE_URL"},
		{"searxng.max_results", c.SearXNG.MaxResults, 5, path + ":7"},
		{"searxng.timeout_seconds", c.SearXNG.TimeoutSeconds, 7, path + ":8"},
		{"server.port", c.Server.Port, 99, "OPENHUMAN_CORE_PORT"},
		{"searxng.default_language", c.SearXNG.DefaultLanguage, "en", "default"},
	} {
		if v.got != v.want || string(l.Origin(v.key)) != v.origin {
			t.Errorf("%s = %v from %s, want %v from %s", v.key, v.got, l.Origin(v.key), v.want, v.origin)
		}
	}
}

func TestSeedVariables(t *testing.T) {
	l := load(t, "", "OPENHUMAN_SEARXNG_ENABLED=yes", "OPENHUMAN_SEARXNG_BASE_URL=http://localhost:8080",
		"OPENHUMAN_SEARXNG_MAX_RESULTS=20", "OPENHUMAN_SEARXNG_DEFAULT_LANGUAGE=de", "OPENHUMAN_SEARXNG_TIMEOUT_SECONDS=3")
	want := config.SearXNG{Enabled: true, BaseURL: "http://localhost:8080", MaxResults: 20, DefaultLanguage: "de", TimeoutSeconds: 3}
	if d := cmp.Diff(want, l.Config.SearXNG); d != "" || l.Err() != nil {
		t.Error(d, l.Err())
	}
}

func TestEveryFieldHasAVariable(t *testing.T) {
	values := map[string]string{"yes or no": "true", "whole number": "5000", "list": "a, b", "text": "some text"}
	names := map[string]string{}
	for _, f := range config.Fields() {
		for _, name := range f.Env {
			if names[name] != "" {
				t.Errorf("%s sets %s and %s", name, names[name], f.Key)
			}
			names[name] = f.Key
		}
		value := values[f.Type()]
		switch {
		case len(f.Choices) > 0:
			value = f.Choices[len(f.Choices)-1]
		case strings.HasSuffix(f.Key, "_url"):
			value = "https://example.com/x"
		case f.Type() == "whole number" && f.Key != "mcp.max_result_bytes":
			value = "7"
		}
		l := load(t, "", f.Env[0]+"="+value)
		if err := l.Err(); err != nil {
			t.Errorf("%s=%s: %v", f.Env[0], value, err)
		}
		if got := string(l.Origin(f.Key)); got != f.Env[0] {
			t.Errorf("%s comes from %s, want %s", f.Key, got, f.Env[0])
		}
		if got := f.Value(&l.Config); got != value && !f.Secret && f.Key != "workspace" {
			t.Errorf("%s = %q, want %q", f.Key, got, value)
		}
		if f.Secret && strings.Contains(f.Value(&l.Config), value) {
			t.Errorf("%s is shown", f.Key)
		}
	}
}

func TestBooleans(t *testing.T) {
	for value, want := range map[string]bool{"1": true, "true": true, "YES": true, "on": true, " True ": true, "0": false, "false": false, "no": false, "Off": false} {
		if l := load(t, "", "OPENHUMAN_AUDIT_ENABLED="+value); l.Config.Audit.Enabled != want || l.Err() != nil {
			t.Errorf("%q gives %v, %v", value, l.Config.Audit.Enabled, l.Err())
		}
	}
	if l := load(t, "", "OPENHUMAN_AUDIT_ENABLED=maybe"); l.Err() == nil {
		t.Error("maybe was taken for a boolean")
	}
}

func TestLists(t *testing.T) {
	want := []string{"slack:#hr*", "mail:*"}
	for name, l := range map[string]*config.Loaded{
		"variable": load(t, "", "OPENHUMAN_POLICY_DENY_SOURCES= slack:#hr* ,mail:*,"),
		"list":     load(t, "[policy]\ndeny_sources = [\"slack:#hr*\", \"mail:*\"]"),
		"text":     load(t, "policy.deny_sources = \"slack:#hr*, mail:*\""),
	} {
		if d := cmp.Diff(want, l.Config.Policy.DenySources); d != "" || l.Err() != nil {
			t.Error(name, d, l.Err())
		}
	}
}

func TestProblems(t *testing.T) {
	for _, c := range []struct{ name, toml, env, want string }{
		{"unknown key", "[searxng]\n\nbase_ulr = \"x\"\n", "", "config.toml:3: unknown key searxng.base_ulr; did you mean searxng.base_url?\n"},
		{"key of another section", "[mcp]\nbase_url = \"x\"", "", "config.toml:2: unknown key mcp.base_url; did you mean searxng.base_url?\n"},
		{"key without its section", "deny_sources = [\"mail:hr\"]", "", "config.toml:1: unknown key deny_sources; did you mean policy.deny_sources? [policy]\n"},
		{"two letters wrong", "[serchxng]\nenabled = true", "", "config.toml:1: unknown key serchxng; did you mean searxng?\n"},
		{"unknown section", "[colours]\nenabled = true", "", "config.toml:1: unknown key colours\n"},
		{"misspelt section", "[searxgn]\nenabled = true", "", "config.toml:1: unknown key searxgn; did you mean searxng?\n"},
		{"section as a value", "mcp = 3", "", "config.toml:1: mcp must be a section: [mcp]\n"},
		{"bad number", "[searxng]\nmax_results = \"ten\"", "", "config.toml:2: searxng.max_results must be a whole number, not \"ten\"\n"},
		{"fraction", "[searxng]\nmax_results = 1.5", "", "config.toml:2: searxng.max_results must be a whole number, not 1.5\n"},
		{"out of range", "[searxng]\nmax_results = 51", "", "config.toml:2: searxng.max_results must be from 1 to 50, not 51\n"},
		{"bad choice", "log = \"warning\"", "", "config.toml:1: log must be one of debug, info, warn, error, off, not \"warning\"; did you mean warn?\n"},
		{"inline table", "searxng = { enable = true }", "", "config.toml:1: unknown key searxng.enable; did you mean searxng.enabled?\n"},

		{"bad address does not repeat it", "[searxng]\nbase_url = \"me:secret@host\"", "", "config.toml:2: searxng.base_url must be an address that starts with http:// or https://\n"},
		{"secret is not repeated", "[server]\ntoken = 12345", "", "config.toml:2: server.token must be text\n"},
		{"variable of a section", "", "OPENHUMAN_SEARXNG_BASE_ULR=x", "OPENHUMAN_SEARXNG_BASE_ULR: no setting has this name; did you mean OPENHUMAN_SEARXNG_BASE_URL?\n"},
		{"foreign variable", "", "OPENHUMAN_APP_THEME=dark", "warning: OPENHUMAN_APP_THEME: no setting has this name\n"},
		{"bad variable", "", "OPENHUMAN_CORE_PORT=high", "OPENHUMAN_CORE_PORT: server.port must be a whole number, not \"high\"\n"},
		{"policy key", "[policy]\ndeny_source = [\"x\"]", "", "config.toml:2: unknown key policy.deny_source; did you mean policy.deny_sources? [policy]\n"},
		{"policy variable", "", "OPENHUMAN_POLICY_DENY_SORCES=x", "OPENHUMAN_POLICY_DENY_SORCES: no setting has this name; did you mean OPENHUMAN_POLICY_DENY_SOURCES? [policy]\n"},
		{"misspelt policy", "[polcy]\ndeny_sources = [\"x\"]", "", "config.toml:1: unknown key polcy; did you mean policy? [policy]\n"},
		{"client rules", "[policy.clients.cursor]\nallow_source = [\"x\"]", "", "config.toml:2: unknown key allow_source in policy.clients.cursor; did you mean allow_sources? [policy]\n"},
		{"good client rules", "[policy.clients.\"Claude Desktop\"]\nallow_sources = [\"notes:*\"]\ndeny_tools = [\"tree.browse\"]\n[policy.clients.default]\ndeny_sources = [\"*\"]", "", ""},
		{"client of several names", "[policy.clients.\"claude*\"]\ndeny_sources = [\"x\"]", "", "config.toml:1: policy.clients.claude* is a pattern, and each client needs a section of its own; policy.clients.default is for all others [policy]\n"},
		{"client with several sources in one", "[policy.clients.x]\nallow_sources = [\"mail:a;mail:b\"]", "", "config.toml:2: policy.clients.x.allow_sources \"mail:a;mail:b\" is several sources in one pattern; write each on its own, with commas between them (a ? stands for any character) [policy]\n"},
		{"client that is allowed nothing", "[policy.clients.x]\nallow_sources = []", "", "config.toml:2: policy.clients.x.allow_sources is empty, which allows all; leave it out for that, or deny_sources = [\"*\"] to allow none [policy]\n"},
		{"clients of one name", "[policy.clients.Zed]\n[policy.clients.zed]", "", "config.toml:2: policy.clients.zed is no name of its own (a client's name is lower case, with - between words) [policy]\n"},
		{"source without a path", "[[sources]]\nname = \"x\"", "", "warning: config.toml:1: [[sources]] number 1 is left out: each of [[sources]] needs a path\n"},
		{"source with an unknown key", "[[sources]]\npath = \"x\"\n[[sources]]\npath = \"y\"\nignored = [\"z\"]", "", "warning: config.toml:5: [[sources]] number 2 is left out: unknown key ignored; did you mean ignore?\n"},
		{"source that the caller refuses", "[[sources]]\npath = \"refused\"", "", "warning: config.toml:1: [[sources]] number 1 is left out: that is refused\n"},
		{"two names of one key", "[searxng]\ntimeout_secs = 3\ntimeout_seconds = 4", "", "warning: config.toml:2: searxng.timeout_secs is another name of searxng.timeout_seconds, which is set too; searxng.timeout_seconds is used\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := load(t, c.toml, c.env)
			got := said(l)
			if (c.want == "" || strings.HasSuffix(c.want, "\n")) && got != c.want || !strings.HasPrefix(got, c.want) {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
			if wantErr := c.want != "" && !strings.HasPrefix(c.want, "warning"); (l.Err() != nil) != wantErr {
				t.Errorf("Err() = %v", l.Err())
			}
			if wantPolicy := strings.Contains(c.want, "[policy]"); (l.PolicyUnknown() != nil) != wantPolicy {
				t.Errorf("PolicyUnknown() = %v", l.PolicyUnknown())
			}
		})
	}
}

// What is valid beside something that is not stays in effect.
func TestTheRestIsInEffect(t *testing.T) {
	l := load(t, "log = 7\n[mcp]\ntool_names = \"underscore\"\nnonsense = 1\n[policy]\ndeny_tools = [\"tree.browse\"]")
	if l.Config.MCP.ToolNames != "underscore" || len(l.Config.Policy.DenyTools) != 1 || l.Config.Log != "warn" {
		t.Errorf("%+v", l.Config)
	}
	if fault.CodeOf(l.Err()) != fault.Invalid {
		t.Errorf("Err() = %v", l.Err())
	}
}

func TestFileThatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "config.toml")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	large := filepath.Join(dir, "large.toml")
	write(t, large, strings.Repeat("# nothing\n", 200_000))
	// A link to nothing was somebody's settings once.
	link := filepath.Join(dir, "home", ".openhuman", "config.toml")
	if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o700), os.Symlink(filepath.Join(dir, "away"), link)); err == nil {
		l := config.Load(config.Options{Environ: []string{"HOME=" + filepath.Join(dir, "home")}})
		if l.Err() == nil || l.PolicyUnknown() == nil {
			t.Errorf("a link to nothing is taken for no file: %s", said(l))
		}
	}
	closed := filepath.Join(dir, "closed.toml")
	write(t, closed, "[policy]")
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := os.ReadFile(closed); err != nil { // the administrator may read everything
		l := config.Load(config.Options{Path: closed, Environ: []string{"HOME=" + dir}})
		if l.Err() == nil || l.PolicyUnknown() == nil {
			t.Errorf("a file that may not be read: %s", said(l))
		}
	}
	for path, want := range map[string]string{
		os.DevNull:                    "it is not a regular file",
		folder:                        "it is a folder",
		large:                         "larger than",
		filepath.Join(dir, "no.toml"): "no such file",
	} {
		l := config.Load(config.Options{Path: path, Environ: []string{"HOME=" + dir}})
		if l.Err() == nil || !strings.Contains(said(l), want) || fault.CodeOf(l.PolicyUnknown()) != fault.Unavailable {
			t.Errorf("%s: %s", path, said(l))
		}
	}
}

// A file that cannot be understood may have hidden something, whatever its bytes look like.
func TestUnreadableFileWithholds(t *testing.T) {
	latin := "# caf\xe9\n[policy]\ndeny_sources = [\"x\"]"
	for name, c := range map[string]struct{ toml, want string }{
		"syntax in the policy":   {"[policy]\ndeny_sources = [\"x\"\n[mcp", "config.toml:3: "},
		"syntax elsewhere":       {"[mcp", "config.toml:1: "},
		"escaped name":           {"[\"\\u0070olicy\"]\n\"deny_\\u0073ources\" = [\"x\"\n", "config.toml:2: "},
		"UTF-16 without a mark":  {utf16Text("[policy]", binary.LittleEndian)[2:], "config.toml: holds a zero byte in line 1"},
		"UTF-16 cut short":       {utf16Text("log = \"warn\"", binary.LittleEndian) + "x", "config.toml: is broken UTF-16"},
		"UTF-16 half surrogate":  {"\xff\xfe\x00\xd8\x20\x00", "config.toml: is broken UTF-16"},
		"UTF-16 ends in a half":  {"\xff\xfe\x00\xd8", "config.toml: is broken UTF-16"},
		"bad TOML in UTF-16":     {utf16Text("log = \"warn\"\n[mcp", binary.BigEndian), "config.toml:2: "},
		"latin-1":                {latin, "config.toml: is not UTF-8 in line 1; save it as UTF-8"},
		"zero byte":              {"log = \"warn\"\n# \x00", "config.toml: holds a zero byte in line 2"},
		"only zero bytes":        {"\x00\x00\x00\x00", "config.toml: holds a zero byte in line 1"},
		"UTF-32":                 {"\xff\xfe\x00\x00[\x00\x00\x00", "config.toml: holds a zero byte"},
		"duplicate table":        {"[mcp]\ntool_names = \"auto\"\n[mcp]\ntool_names = \"auto\"", "config.toml"},
		"duplicate key":          {"log = \"warn\"\nlog = \"info\"", "config.toml"},
		"quoted name with a dot": {"\"policy.deny_sources\" = [\"x\"]", "config.toml:1: unknown key \"policy.deny_sources\": quotes make one name of it"},
	} {
		l := load(t, c.toml)
		if fault.CodeOf(l.PolicyUnknown()) != fault.Unavailable || fault.CodeOf(l.Err()) != fault.Invalid {
			t.Errorf("%s: served all the same: %v, %v", name, l.PolicyUnknown(), l.Err())
		}
		if got := said(l); !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// utf16Text is s as editors on Windows save it.
func utf16Text(s string, order binary.AppendByteOrder) string {
	data := order.AppendUint16(nil, 0xfeff)
	for _, u := range utf16.Encode([]rune(s)) {
		data = order.AppendUint16(data, u)
	}
	return string(data)
}

func TestEncodings(t *testing.T) {
	const text = "log = \"info\"\r\n[\"\\u0070olicy\"]\r\ndeny_sources = [\"mail:é😀*\"]\r\n"
	for name, data := range map[string]string{
		"UTF-8":      text,
		"UTF-8 mark": "\ufeff" + text,
		"UTF-16LE":   utf16Text(text, binary.LittleEndian),
		"UTF-16BE":   utf16Text(text, binary.BigEndian),
	} {
		l := load(t, data)
		if l.Err() != nil || l.Config.Log != "info" || !slices.Equal(l.Config.Policy.DenySources, []string{"mail:é😀*"}) {
			t.Errorf("%s: %v, %+v", name, l.Err(), l.Config.Policy)
		}
	}
}

// A tool that is misspelt would be served.
func TestDenyTools(t *testing.T) {
	judge := func(s string) error {
		if strings.HasPrefix(s, "memory.") {
			return nil
		}
		return fmt.Errorf("names %q, and there is no such tool", s)
	}
	path := filepath.Join(t.TempDir(), "config.toml")
	write(t, path, "[policy]\ndeny_tools = [\"memory.search\", \"serach\"]")
	for want, o := range map[string]config.Options{
		"":                                  {Environ: []string{"OPENHUMAN_POLICY_DENY_TOOLS=memory.search, memory.*"}},
		"config.toml:2: policy.deny_tools ": {Path: path},
		"OPENHUMAN_POLICY_DENY_TOOLS: policy.deny_tools names": {Environ: []string{"OPENHUMAN_POLICY_DENY_TOOLS=memory.search,serach"}},
	} {
		o.DenyTool = judge
		o.Environ = append(o.Environ, "HOME="+filepath.Dir(path))
		l := config.Load(o)
		if got := said(l); !strings.HasPrefix(got, want) || (got == "") != (want == "") {
			t.Errorf("said %q, want %q", got, want)
		}
		if (l.PolicyUnknown() != nil) != (want != "") || (l.Err() != nil) != (want != "") {
			t.Errorf("%s: %v, %v", want, l.PolicyUnknown(), l.Err())
		}
	}
}

func TestWorkspacePaths(t *testing.T) {
	home := t.TempDir()
	for _, c := range []struct{ environ, want string }{
		{"", filepath.Join(home, ".openhuman")},
		{"OPENHUMAN_WORKSPACE=~/mem ory", filepath.Join(home, "mem ory")},
		{"OPENHUMAN_WORKSPACE=" + filepath.Join(home, "x", "..", "y"), filepath.Join(home, "y")},
	} {
		l := config.Load(config.Options{Environ: []string{"HOME=" + home, c.environ}})
		if l.Config.Workspace != c.want || l.Path != filepath.Join(c.want, "config.toml") {
			t.Errorf("%s: workspace %s, file %s", c.environ, l.Config.Workspace, l.Path)
		}
	}
	if l := config.Load(config.Options{}); l.Err() == nil {
		t.Error("without a home folder the default workspace is unknown")
	}
}

func TestEntries(t *testing.T) {
	l := load(t, "\ufeff[[sources]]\npath = \"~/notes/**\"\ntags = [\"a\"]\n\n[[sources]]\npath = [\"b\", \"c\"]\nkind = \"email\"\n"+
		"[[capability_providers]]\nid = \"Acme Tools\"\ntrust_state = \"trusted\"\nenabled = true\n")
	if err := l.Err(); err != nil {
		t.Fatal(err)
	}
	want := []config.Source{{Path: []string{"~/notes/**"}, Tags: []string{"a"}, Gitignore: true}, {Path: []string{"b", "c"}, Kind: "email", Gitignore: true}}
	if d := cmp.Diff(want, l.Config.Sources); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]config.Provider{{ID: "Acme Tools", TrustState: "trusted", Enabled: true}}, l.Config.CapabilityProviders); d != "" {
		t.Error(d)
	}

	rows := load(t, "[[sources]]\npath = \"~/mail, old/*.mbox\"\nignore = \"a,b\"\n[[sources]]\npath = 1\n[[sources]]\npath = [\"/abs\", \"rel/x\"]\n")
	if rows.Err() != nil || len(rows.SourceEntries) != 3 || len(rows.Config.Sources) != 2 {
		t.Fatalf("a bad row stops the others: %v, %v", rows.Err(), rows.SourceEntries)
	}
	first, second, third := rows.SourceEntries[0], rows.SourceEntries[1], rows.SourceEntries[2]
	if d := cmp.Diff([]string{filepath.Join(filepath.Dir(rows.Path), "rel", "x")}, third.Paths[1:]); d != "" || !filepath.IsAbs(first.Paths[0]) || !strings.HasSuffix(filepath.ToSlash(first.Paths[0]), "/mail, old/*.mbox") {
		t.Errorf("%s %q", d, first.Paths)
	}
	if len(first.Problems) != 0 || len(second.Problems) != 1 || second.Number != 2 || !strings.HasSuffix(second.Place, "config.toml:4") || !slices.Equal(first.Ignore, []string{"a,b"}) {
		t.Errorf("%+v", rows.SourceEntries)
	}

	bad := load(t, "[[capability_providers]]\nid = \"a\"\n[[capability_providers]]\nid = \"b\"\nenabled = \"perhaps\"\n")
	if bad.Err() != nil || bad.ProvidersVoid == "" || len(bad.Config.CapabilityProviders) != 0 {
		t.Errorf("a bad provider voids the list and stops nothing else: %v, %q, %v", bad.Err(), bad.ProvidersVoid, bad.Config.CapabilityProviders)
	}
	if !strings.Contains(said(bad), "config.toml:5") {
		t.Errorf("no place: %s", said(bad))
	}
	if n := len(bad.ProviderEntries); n != 2 || bad.ProviderEntries[0].Broken || !bad.ProviderEntries[1].Broken {
		t.Errorf("the entries are kept as they were written: %v", bad.ProviderEntries)
	}
}

// What is wrong with the list as a whole voids it as a bad entry does.
func TestProvidersAreReviewed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, []byte("log = \"info\"\n[[capability_providers]]\nid = \"a\"\n[[capability_providers]]\nid = \"A\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var seen []config.ProviderEntry
	l := config.Load(config.Options{Path: path, Environ: []string{"HOME=" + t.TempDir()}, ReviewProviders: func(list []config.ProviderEntry) []string {
		seen = list
		return []string{"entries 1 and 2 have the same id"}
	}})
	if len(seen) != 2 || seen[1].ID != "A" {
		t.Errorf("reviewed %v", seen)
	}
	if l.Err() != nil || l.Config.Log != "info" || len(l.Config.CapabilityProviders) != 0 {
		t.Errorf("it stops nothing else: %v, %v", l.Err(), l.Config)
	}
	if got := said(l); !strings.Contains(got, "entries 1 and 2 have the same id") || !strings.Contains(got, "config.toml:2") {
		t.Errorf("said %s", got)
	}
}

func TestSecretsAreMasked(t *testing.T) {
	l := load(t, "[server]\ntoken = \"hunter2\"\n[embedding]\nbase_url = \"http://me:hunter2@host/v1\"")
	for _, f := range config.Fields() {
		if v := f.Value(&l.Config); strings.Contains(v, "hunter2") {
			t.Errorf("%s shows %s", f.Key, v)
		}
	}
}

func FuzzLoad(f *testing.F) {
	for _, s := range []string{"", "log = 1", "[mcp", "[[sources]]\npath=1", "sources = [1]", "a.b.c = {d = [{e = 1}]}", "[policy.clients.\"a.b\"]\ndeny_tools=[\"x\"]", "policy = 1", "\xff", "\xff\xfe[\x00", "\"policy.level\" = 1", "searxng.enabled = 2024-01-01"} {
		f.Add(s)
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, s string) {
		path := filepath.Join(dir, "config.toml")
		if err := os.WriteFile(path, []byte(s), 0o600); err != nil {
			t.Fatal(err)
		}
		l := config.Load(config.Options{Path: path, Environ: []string{"HOME=" + dir}})
		if l.Config.Workspace == "" || l.Config.MCP.MaxResultBytes < 4096 {
			t.Errorf("unusable settings: %+v", l.Config)
		}
	})
}

// TestSeedsSearXNG: both forms of the manual mean the same and are taken without a word.
func TestSeedsSearXNG(t *testing.T) {
	want := config.SearXNG{Enabled: true, BaseURL: "http://localhost:8080", MaxResults: 10, DefaultLanguage: "en", TimeoutSeconds: 10}
	file := load(t, "[searxng]\nenabled = true\nbase_url = \"http://localhost:8080\"\nmax_results = 10\ndefault_language = \"en\"\ntimeout_seconds = 10\n", "")
	older := load(t, "[searxng]\nenabled = true\ntimeout_secs = 10\n", "")
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	env := config.Load(config.Options{Path: path, Environ: []string{
		"HOME=" + t.TempDir(), "OPENHUMAN_SEARXNG_ENABLED=true", "OPENHUMAN_SEARXNG_BASE_URL=http://localhost:8080", "OPENHUMAN_SEARXNG_MAX_RESULTS=10",
		"OPENHUMAN_SEARXNG_DEFAULT_LANGUAGE=en", "OPENHUMAN_SEARXNG_TIMEOUT_SECONDS=10",
	}})
	for name, l := range map[string]*config.Loaded{"file": file, "timeout_secs": older, "environment": env} {
		if l.Config.SearXNG != want || len(l.Problems) > 0 {
			t.Errorf("%s: %+v, %v", name, l.Config.SearXNG, l.Problems)
		}
	}
}
