package query_test

import (
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/query"
)

func TestAll(t *testing.T) {
	for in, want := range map[string]string{
		"":                             ``,
		"   ":                          ``,
		`* ( ) ^ : " - -- + !? "" "*"`: ``,
		"NEAR AND OR NOT":              `"near" AND "and" AND "or" AND "not"`,
		"Running meetings, late!":      `"run" AND "meet" AND "late"`,
		"meeting meetings":             `"meet"`,
		`"Running late"`:               `"run late"`,
		"“Running late”":               `"run late"`,
		`say "unclosed phrase`:         `"say" AND "unclos" AND "phrase"`,
		`a"b c"d`:                      `"a" AND "b c" AND "d"`,
		"POL-358":                      `"pol 358"`,
		"(POL-358),":                   `"pol 358"`,
		"snake_case v1.0.21 38.101":    `"snake case" AND "v1 0 21" AND "38 101"`,
		`C:\Users\x\notes`:             `"c user x note"`,
		"https://x.org/a?b=c":          `"https x org a b c"`,
		"a@b.org":                      `"a b org"`,
		"mailto:a@b.org Tel:123 tel:":  `"a b org" AND "123" AND "tel"`,
		"Alice's don't":                `"alic" AND "don t"`,
		"#tag @bob .net":               `"tag" AND "bob" AND "net"`,
		"数据库":                          `"数据 据库"`,
		"数据":                           `"数据"`,
		"部":                            `"部" *`,
		"重跑gen-itgc后":                  `"重跑" AND "gen itgc" AND "后" *`,
		"你好，世界":                        `"你好" AND "世界"`,
		`"第3章"`:                        `"第 3 章" *`,
		`"数据库 abc"`:                    `"数据 据库 库 abc"`,
		"ไทย":                          `"ไท ทย"`,
		"hello NOT world":              `"hello" AND "not" AND "world"`,
		"-- --verbose - x":             `"verbos" AND "x"`,
		"from: word":                   `"from" AND "word"`,
		"kind:nonsense after:tomorrow": `"kind nonsens" AND "after tomorrow"`,
		"after:2024-13-45":             `"after 2024 13 45"`,
		"zq*":                          `"zq" *`,
		"POL-3*":                       `"pol 3" *`,
		"re*-lease*d":                  `"re" AND "leas" AND "d"`,
		"\xff\xfe bad\xffutf":          `"bad" AND "utf"`,
		"nul\x00byte":                  `"nul" AND "byte"`,
		"lease,boat;a b|c":             `"leas" AND "boat" AND "a" AND "b" AND "c"`,
		"boat—lease…x...y(z)":          `"boat" AND "leas" AND "x" AND "y" AND "z"`,
		"boat\u200blease boat&lease":   `"boat" AND "leas"`,
		"a+b c=d? e*f":                 `"a" AND "b" AND "c d" AND "e" AND "f"`,
		"C++,C#&D AT&T R&D":            `"c" AND "c d" AND "at t" AND "r d"`,
		"me+x@example.org,you@b.org":   `"me x exampl org" AND "you b org"`,
		"https://x.org/a,b;c&d":        `"https x org a b c d"`,
		"1,234.56 boat/lease":          `"1 234 56" AND "boat leas"`,
		"../a ./... a..b":              `"a" AND "a b"`,
		"ok👍 🎉":                        `"ok" AND "👍" AND "🎉"`,
		"🎉🎂👩🏽\u200d🚀x":                 `"🎉" AND "🎂" AND "` + "👩\u200d🚀" + `" AND "x"`,
		`"🎉🎂 done"`:                    `"🎉 🎂 done"`,
	} {
		q := query.Parse(in)
		got := q.All()
		if in == "zq*" || in == "POL-3*" { // other forms of the stem may follow
			got, _, _ = strings.Cut(strings.TrimPrefix(got, "("), " OR ")
		}
		if got != want {
			t.Errorf("Parse(%q).All() = %s, want %s", in, got, want)
		}
	}
}

func day(s string) *time.Time {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return &t
}

func TestOperators(t *testing.T) {
	for in, want := range map[string]struct{ narrow, exclude query.Filters }{
		"from:alice FROM:\"Bob Stone\" x":            {narrow: query.Filters{From: []string{"alice", "Bob Stone"}}},
		"-from:alice":                                {exclude: query.Filters{From: []string{"alice"}}},
		"source:slack:#eng":                          {narrow: query.Filters{Source: []string{"slack:#eng", "slack:#eng:*", "*:slack:#eng", "*:#slack:#eng"}}},
		"source:notes:*":                             {narrow: query.Filters{Source: []string{"notes:*"}}},
		"kind:Email kind:notes":                      {narrow: query.Filters{Kind: []string{"email", "document"}}},
		"tag:#todo -tag:done":                        {narrow: query.Filters{Tag: []string{"todo"}}, exclude: query.Filters{Tag: []string{"done"}}},
		"after:2024-05-01":                           {narrow: query.Filters{Since: day("2024-05-01")}},
		"before:2024-05":                             {narrow: query.Filters{Until: day("2024-06-01")}},
		"after:2023 after:2022":                      {narrow: query.Filters{Since: day("2023-01-01")}},
		"-before:2024":                               {narrow: query.Filters{Since: day("2025-01-01")}},
		"before:2024-12-31 -after:2025":              {narrow: query.Filters{Until: day("2025-01-01")}},
		"after:2024-05-01 before:2024-05-01":         {narrow: query.Filters{Since: day("2024-05-01"), Until: day("2024-05-02")}},
		"kind:email,chat tag:a,#b":                   {narrow: query.Filters{Kind: []string{"email", "chat"}, Tag: []string{"a", "b"}}},
		`from:ann,bob from:"Stone, Bob" kind:mail,x`: {narrow: query.Filters{From: []string{"ann", "bob", "Stone, Bob"}}},
		"source:a:*,b:*":                             {narrow: query.Filters{Source: []string{"a:*", "b:*"}}},
		"after:yesterday kind:x tag: http://from:x":  {},
	} {
		q := query.Parse(in)
		if diff := cmp.Diff(want.narrow, q.Narrow); diff != "" {
			t.Errorf("%q: narrow (-want +got)\n%s", in, diff)
		}
		if diff := cmp.Diff(want.exclude, q.Exclude); diff != "" {
			t.Errorf("%q: exclude (-want +got)\n%s", in, diff)
		}
	}
}

func TestNatural(t *testing.T) {
	for in, want := range map[string]string{
		"When did Alice move to Berlin?": `"alic" OR "move" OR "berlin"`,
		"Who is the who?":                `"who" OR "is" OR "the"`,
		"What happened with POL-358?":    `"happen" OR "pol 358" OR "pol" OR "358"`,
		`who said "blue fox"`:            `"said" OR "blue fox"`,
		"What's Bob's plan, isn't it":    `"bob" OR "plan"`,
		"我们什么时候去里斯本":                     `"去里" OR "里斯" OR "斯本"`,
		"什么时候":                           `"什么 么时 时候"`,
		"budget from:alice -draft":       `"budget" OR "draft"`,
		"":                               ``,
		"???":                            ``,
	} {
		if got := query.Any(query.Natural(in).Terms); got != want {
			t.Errorf("Natural(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestOptional(t *testing.T) {
	for in, want := range map[string]string{
		"the budget review": `"budget" OR "review"`,
		"the of":            `"the" OR "of"`,
		`"a phrase" budget`: `"budget"`,
		"北京会议 POL-358":      `"北京" OR "京会" OR "会议" OR "pol 358" OR "pol" OR "358"`,
		`"only a phrase"`:   ``,
	} {
		if got := query.Any(query.Parse(in).Optional()); got != want {
			t.Errorf("Parse(%q).Optional() = %s, want %s", in, got, want)
		}
	}
}

func TestRelaxed(t *testing.T) {
	for in, want := range map[string]string{
		"plain words":           ``,
		`"POL-358"`:             ``,
		"don't":                 ``,
		"GPS URLs":              ``,
		"POL-358 x":             `"pol" AND "358" AND "x"`,
		"boat/lease":            `"boat" AND "leas"`,
		"a@b.org":               `"a" AND "b" AND "org"`,
		"getUser":               `("getus" OR "get user")`,
		"worker3":               `("worker3" OR "worker 3")`,
		"1234 12345678":         `("1234" OR "1 234") AND ("12345678" OR "12 345 678")`,
		"1,234":                 `("1 234" OR "1234")`,
		`"a b" POL-1`:           `"a b" AND "pol" AND "1"`,
		"v1.0.21":               `"v1" AND "0" AND "21"`,
		"Müller Gruß fuel":      `("muller" OR "mueller") AND "gruss" AND "fuel"`,
		"mueller Soeren Queen":  `("mueller" OR "muller") AND ("soeren" OR "soren") AND "queen"`,
		"Mu\u0308ller":          `("muller" OR "mueller")`,
		"2024 007 123456789012": `("2024" OR "2 024") AND "007" AND ("123456789012" OR "123 456 789 012")`,
	} {
		got := ""
		if q := query.Parse(in).Relaxed(); q != nil {
			got = q.All()
		}
		if got != want {
			t.Errorf("Parse(%q).Relaxed() = %s, want %s", in, got, want)
		}
	}
	if got, _, _ := strings.Cut(query.Parse("POL-35*").Relaxed().All(), " OR "); got != `"pol" AND "35" *` {
		t.Errorf("a prefix: %s", got)
	}
}

func TestMisread(t *testing.T) {
	q := query.Parse("kind:bogus after:nonsense before:2024-13-45 -kind:mail,x from:ann -tag:x source:a,b")
	if diff := cmp.Diff([]query.Operator{{"kind", "bogus"}, {"after", "nonsense"}, {"before", "2024-13-45"}, {"kind", "mail,x"}}, q.Misread); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]query.Operator{{"from", "ann"}, {"source", "a"}, {"source", "b"}}, q.Given); diff != "" {
		t.Error(diff)
	}
}

func TestAccept(t *testing.T) {
	for _, c := range []struct {
		query, text string
		want        bool
	}{
		{"POL-358", "see POL-358.", true},
		{"POL-358", "see pol‑358 (non-breaking)", true},
		{"POL-358", "see POL 358", false},
		{"POL-358", "see POL-3581", false},
		{"POL-358", "see XPOL-358", false},
		{"v1.0.21", "is v1.0.21-rc1", true},
		{"v1.0.21", "is v1.0.212", false},
		{"38.101", "38,101 and 38.101", true},
		{"snake_case", "my snake_case_name", true},
		{"snake_case", "snake-case", false},
		{`C:\Users\x\notes`, `in c:\users\X\notes\today.md`, true},
		{"a@b.org", "mail <A@B.org>", true},
		{"C++", "C++ and D", true},
		{"C++", "C and D", false},
		{"C#", "in c#.", true},
		{`"hello world"`, "well, Hello\n   World!", true},
		{`"hello world"`, "hello, world", false},
		{`"hello world"`, "hello worlds", false},
		{`"Crème brûlée"`, "a creme BRULEE", true},
		{`"running late"`, "ran late, runs late", false},
		{"-running", "he runs", true},
		{"-running", "Running!", false},
		{"-cat", "category", true},
		{`-"blue fox"`, "a blue  fox", false},
		{"-数据", "个人数据库", false},
		{"-#sailing", "on #Sailing", false},
		{"-#sailing", "sailing", true},
		{"-.NET", "a .net core", false},
		{"-.NET", "example.net, net", true},
		{"-$HOME", "cd $HOME/x", false},
		{"-/usr/local/bin", "in /usr/local/bin.", false},
		{"-(node)", "a node", false},
		{"-boat,lease", "the lease", false},
		{"-👍", "ok👍🏽", false},
		{"-👍", "ok🎉", true},
		{"-👩", "👩\u200d🚀", true},
		{"-🚀", "👩\u200d🚀", true},
		{"-👩\u200d🚀", "👩🏽\u200d🚀", false},
		{`"state of the art"`, "a State-of-the-Art boat", true},
		{`"state-of-the-art"`, "state of the art", true},
		{`"state-of-the-art"`, "state_of-the/art", true},
		{`"state of the"`, "state-of-the-art", true},
		{`"tate of the"`, "state-of-the-art", false},
		{`"and or"`, "and/or", true},
		{`-"state of the art"`, "state-of-the-art", false},
		{`"snake_case"`, "snake case", false},
		{`"POL-358"`, "POL 358", false},
		{`"POL 358"`, "POL-358", false},
		{`"state of"`, "state - of", false},
		{`"вечер пятницы"`, "вечер‐пятницы", true},
		{"state-of-the-art", "state of the art", false}, // then by its parts
		{`"Alice's plan"`, "Alice’s plan", true},
		{`"coop fine"`, "co\u00adop ﬁne", true},
		{`"ａｂ１"`, "AB1", true},
		{"x ->y", "y", true},
		{"-数据", "个人资料库", true},
		{"relati*", "the relation", true},
		{"relati*", "correlations relate", false},
		{"POL-3*", "POL-358", true},
		{"POL-3*", "POL-4", false},
		{"plain words", "anything", true}, // the index decides
		{"हि", "हिन्दी", true},
		{`"हि"`, "हिन्दी", false}, // the word goes on
		{strings.Repeat("ab", 40), strings.Repeat("ab", 40), true},
		{strings.Repeat("ab", 40), strings.Repeat("ab", 41), false},
		{strings.Repeat("ab", 40) + "*", strings.Repeat("ab", 41), true},
	} {
		if got := query.Parse(c.query).Accept(true, "other", c.text); got != c.want {
			t.Errorf("%q accepts %q: %v, want %v", c.query, c.text, got, c.want)
		}
	}
	// Rows that hold only some of the terms have to hold the phrases.
	q := query.Parse(`"blue fox" POL-358 -red`)
	for text, want := range map[string]bool{"a blue fox": true, "POL-358": false, "blue fox, red": false} {
		if got := q.Accept(false, text); got != want {
			t.Errorf("some terms in %q: %v, want %v", text, got, want)
		}
	}
}

func TestScorer(t *testing.T) {
	q := query.Natural("when did Alice adopt the puppy POL-358")
	df := make([]int, len(q.Terms))
	for i := range df {
		df[i] = 10
	}
	s := query.NewScorer(q.Terms, df, 1000)
	texts := []string{
		"Alice: I adopted a puppy, see POL-358",
		"Alice: I adopted a puppy",
		"Bob: Alice has a dog",
		"nothing of the kind when did the",
	}
	last := 1.0
	for _, text := range texts {
		got := s.Score("", text)
		if got >= last || got < 0 {
			t.Errorf("%q scores %v after %v", text, got, last)
		}
		last = got
	}
	if last != 0 {
		t.Errorf("an unrelated text scores %v", last)
	}
	if a, b := s.Score("Alice", "a dog"), s.Score("", "a dog"); a <= b {
		t.Errorf("the head does not count: %v, %v", a, b)
	}
}

// Strings that look like queries, and those that do not.
func queries() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		parts := rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{" ", `"`, "“", "-", "*", "(", ")", ":", "^", "NEAR", "AND", "OR", "NOT", "{", "}", "+", "'", "\\", "\x00",
				"from:", "source:", "kind:chat", "tag:", "after:2024-01-01", "before:", "POL-358", "数据库", "部", "ไทย", "word", "run*", "\xff", "é", "C++", "ﷺ", "\u0301"}),
			rapid.String(),
			rapid.StringMatching(`[a-z]{1,9}`),
		), 0, 10).Draw(t, "parts")
		return strings.Join(parts, rapid.SampledFrom([]string{"", " "}).Draw(t, "glue"))
	})
}

func checkQuery(t interface{ Fatalf(string, ...any) }, s string) {
	for _, q := range []*query.Query{query.Parse(s), query.Natural(s)} {
		for _, expr := range []string{q.All(), q.Must(), query.Any(q.Terms), query.Any(q.Optional())} {
			if !utf8.ValidString(expr) || strings.Count(expr, `"`)%2 != 0 {
				t.Fatalf("expression %q of %q", expr, s)
			}
			for i, part := range strings.Split(expr, `"`) {
				if i%2 == 0 && strings.Trim(part, " *()ANDOR") != "" {
					t.Fatalf("%q outside quotes in %q of %q", part, expr, s)
				}
				if i%2 == 1 && (part == "" || strings.ContainsFunc(part, func(r rune) bool {
					return r != ' ' && r != '\u200d' && !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So)
				})) {
					t.Fatalf("token %q in %q of %q", part, expr, s)
				}
			}
		}
		q.Accept(true, s)
		if len(q.Terms) > 0 && !slices.ContainsFunc(q.Terms, func(t query.Term) bool { return t.Required }) && q.Must() != "" {
			t.Fatalf("nothing is required in %q", s)
		}
		query.NewMatcher(q.Terms).Match(s)
	}
}

func TestAnyStringIsAQuery(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkQuery(t, queries().Draw(t, "query")) })
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"", `"a b" -c d* from:x after:2024`, "数据库abc ไทย", `\"*^()`, "POL-358 -\"x y\" C++", "\xff\"\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkQuery(t, s) })
}

// What Accept looks for is what the text has: any stretch of a text at word borders is a phrase of it.
func TestAcceptFindsItsOwnWords(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(rapid.StringMatching(`[A-Za-zéüßа-яÅ0-9_.@-]{1,8}`), 1, 12).Draw(t, "words")
		i := rapid.IntRange(0, len(words)-1).Draw(t, "from")
		j := rapid.IntRange(i+1, len(words)).Draw(t, "to")
		text := strings.Join(words, rapid.SampledFrom([]string{" ", "\n", "  \t"}).Draw(t, "blank"))
		phrase := `"` + strings.Join(words[i:j], " ") + `"`
		if !query.Parse(phrase).Accept(true, text) {
			t.Fatalf("%s is not found in %q", phrase, text)
		}
		if q := query.Parse("-" + phrase); q.HasExclusions() && q.Accept(true, text) {
			t.Fatalf("-%s is not excluded from %q", phrase, text)
		}
	})
}
