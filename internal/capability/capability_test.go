package capability_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/capability"
)

func TestNormalize(t *testing.T) {
	for in, want := range map[string]string{
		"Acme Tools":                         "acme-tools",
		"acme-tools":                         "acme-tools",
		"  ACME\tTools\n":                    "acme-tools",
		"Acme   Tools":                       "acme-tools",
		"acme_tools":                         "acme_tools",
		"acme.tools":                         "acme.tools",
		"a-_.b":                              "a-b",
		"a_-.b":                              "a_b",
		"a._-b":                              "a.b",
		"a @.b":                              "a-b",
		"--acme--":                           "acme",
		"._acme/":                            "acme",
		"Köln":                               "k-ln",
		"Straße 12":                          "stra-e-12",
		"İstanbul":                           "stanbul",
		"\u212a":                             "", // the Kelvin sign is no ASCII letter
		"东方 tools":                           "tools",
		"a\x00b":                             "a-b",
		"a\xffb":                             "a-b",
		"":                                   "",
		" \t":                                "",
		"---":                                "",
		"东方":                                 "",
		strings.Repeat("a", 96):              strings.Repeat("a", 96),
		strings.Repeat("a", 97):              "",
		strings.Repeat("a ", 48):             strings.Repeat("a-", 47) + "a",
		strings.Repeat("-", 5000):            "",
		" " + strings.Repeat("b", 96) + "!!": strings.Repeat("b", 96),
	} {
		got, err := capability.Normalize(in)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("Normalize(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
}

func TestNormalizeHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(
			rapid.String(),
			rapid.StringMatching(`[ A-Za-z0-9._/@-]{0,120}`),
			rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 120), func(b []byte) string { return string(b) }),
		).Draw(t, "id")
		got, err := capability.Normalize(in)
		if err != nil {
			if got != "" {
				t.Fatalf("%q is refused and %q all the same", in, got)
			}
			return
		}
		if got == "" || len(got) > capability.MaxID {
			t.Fatalf("%q has %d characters", got, len(got))
		}
		if strings.ContainsAny(got[:1]+got[len(got)-1:], "-_.") {
			t.Fatalf("%q has a separator at an end", got)
		}
		for i := range len(got) {
			c := got[i]
			legal := c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("-_.", c) >= 0
			if !legal || i > 0 && strings.IndexByte("-_.", c) >= 0 && strings.IndexByte("-_.", got[i-1]) >= 0 {
				t.Fatalf("%q is not normal at %d", got, i)
			}
		}
		if again, err := capability.Normalize(got); again != got || err != nil {
			t.Fatalf("%q becomes %q, %v", got, again, err)
		}
	})
}

func TestReview(t *testing.T) {
	on := capability.Provider{ID: "Acme Tools", Trusted: true, Enabled: true}
	for _, c := range []struct {
		name    string
		entries []capability.Provider
		want    capability.List
		usable  []string
	}{
		{"none", nil, capability.List{}, nil},
		{"usable", []capability.Provider{on}, capability.List{Total: 1, Providers: []capability.Provider{{ID: "acme-tools", Trusted: true, Enabled: true}}}, []string{"acme-tools"}},
		{"only both make usable", []capability.Provider{{ID: "a", Trusted: true}, {ID: "b", Enabled: true}, {ID: "c"}, on},
			capability.List{Total: 4, Providers: []capability.Provider{{ID: "a", Trusted: true}, {ID: "b", Enabled: true}, {ID: "c"}, {ID: "acme-tools", Trusted: true, Enabled: true}}},
			[]string{"acme-tools"}},
		{"same id after normalising", []capability.Provider{on, {ID: "b"}, {ID: "acme  TOOLS"}}, capability.List{Total: 3, Errors: []string{"entries 1 and 3 have the same id"}}, nil},
		{"separators tell ids apart", []capability.Provider{{ID: "a-b"}, {ID: "a_b"}}, capability.List{Total: 2, Providers: []capability.Provider{{ID: "a-b"}, {ID: "a_b"}}}, nil},
		{"no id", []capability.Provider{on, {}}, capability.List{Total: 2, Errors: []string{"entry 2: the id is empty"}}, nil},
		{"long id", []capability.Provider{{ID: strings.Repeat("x", 97)}, on}, capability.List{Total: 2, Errors: []string{"entry 1: the id is longer than 96 characters"}}, nil},
		{"malformed", []capability.Provider{on, {ID: "b", Broken: true}}, capability.List{Total: 2, Errors: []string{"entry 2 is malformed"}}, nil},
		{"every error is named", []capability.Provider{{Broken: true}, {ID: "-"}, on, on}, capability.List{Total: 4, Errors: []string{"entry 1 is malformed", "entry 2: the id is empty", "entries 3 and 4 have the same id"}}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := capability.Review(c.entries)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			var usable []string
			for _, p := range got.Usable() {
				usable = append(usable, p.ID)
			}
			if diff := cmp.Diff(c.usable, usable); diff != "" {
				t.Errorf("usable (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCount(t *testing.T) {
	l := capability.Review([]capability.Provider{{ID: "a", Trusted: true}, {ID: "b", Enabled: true}, {ID: "c", Trusted: true, Enabled: true}})
	if n := l.Count(func(p capability.Provider) bool { return p.Trusted }); n != 2 {
		t.Errorf("%d are trusted", n)
	}
	if n := l.Count(capability.Provider.Usable); n != 1 {
		t.Errorf("%d are usable", n)
	}
}
