package ingest_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest"
)

// samples are documents that meet every rule which turns text into tokens and entities.
func samples() []*doc.Document {
	ada, bob := doc.Person{Name: "Ada Moreau", Email: "ada@example.com"}, doc.Person{Name: "Bob O'Neil", Email: "bob.oneil@example.org", Handle: "bobby"}
	return []*doc.Document{
		{Kind: doc.KindDocument, Key: "a.md", SourceRef: "a.md", Title: "Budget & plans", Time: when, Markdown: true, Tags: []string{"work/plans", "Q3"}, Aliases: []string{"The plan"}, Body: `# Budgets

Running costs were planned, the runners' plans differ; it doesn't matter. POL-358, snake_case, camelCase, v1.0.21,
38.101, 1,234.50 EUR, 3:30 pm on 2024-05-01, a@b.org, https://example.com/a/b?c=d#e, C:\Users\ada, ~/notes/x.md, #tag, @bobby.

## Другие языки

Встреча перенесена на пятницу. Straße, café, naïve, İstanbul, ﬁne, Ångström, Ελληνικά, עברית, العربية, हिन्दी भाषा, ภาษาไทย.
预约改到星期五，OpenAI模型GPT4。歯医者の予約はｶﾞｷﾞ。병원 예약이 금요일로. ` + "e\u0301 zero\u200bwidth soft\u00adhyphen \U0001F44D\U0001F3FD \U0001F468\u200d\U0001F469\u200d\U0001F467 \U0001F1EB\U0001F1F7 \u2764\ufe0f :-) \u0378 \ue000 \u2460 \u2167 ½ x² ™ 100% €5 §7" + `

` + "```go\nfunc main() { fmt.Println(\"hi_there\") }\n```\n"},
		{Kind: doc.KindEmail, Key: "m1", GlobalKey: "mid:1@example.com", SourceRef: "box.mbox#1", Title: "Re: lunch", Author: ada, To: []doc.Person{bob}, Time: when, Body: "Hi Bob,\n\nlunch at Café Luna on May 3rd? Call +1 555 0100.\n\n> earlier words\n\nAda\n"},
		{Kind: doc.KindChat, Key: "#eng/2024-05-01", Title: "#eng", Time: when, Mentioned: []doc.Person{bob}, Messages: []doc.Message{
			{Author: ada, Time: when, Text: "shipping today \U0001F680 @bobby", SourceRef: "1"}, {Author: bob, Time: when, Text: "ok 好的", SourceRef: "2"},
		}},
	}
}

// TestBuildVersion keeps what the samples give beside the version that it was given under. A change
// of it without a change of the version would leave the index of every existing memory as it is,
// where the new tokens of a query do not find it; -update alone therefore does not help.
func TestBuildVersion(t *testing.T) {
	const path = "testdata/build_version.golden"
	var b strings.Builder
	fmt.Fprintf(&b, "version %s\n", ingest.RecordVersion())
	for _, d := range samples() {
		r := ingest.Record(d)
		fmt.Fprintf(&b, "\n%s %q %q %q\n", r.Source.Kind, r.Title, r.Author, r.Tags)
		for _, c := range r.Chunks {
			fmt.Fprintf(&b, "chunk %s %d tokens, context %q\n  head %s\n  body %s\n  extra %s\n", c.ChunkID, c.TokenCount, c.Context, c.Index.Head, c.Index.Body, c.Index.Extra)
			for _, m := range c.Mentions {
				fmt.Fprintf(&b, "  %s:%s %q %d\n", m.Kind, m.Value, m.Surface, m.Count)
			}
		}
		for _, l := range r.Links {
			fmt.Fprintf(&b, "link %s:%s %s\n", l.Kind, l.Value, l.Person)
		}
	}
	was, err := os.ReadFile(path)
	if err != nil && !golden.Update() {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(string(was), "\r\n", "\n")
	before, _, _ := strings.Cut(want, "\n")
	if now, _, _ := strings.Cut(b.String(), "\n"); before == now && want != b.String() {
		t.Errorf("The same document gives another record now. Raise buildVersion in build.go, then run this test with -update.")
		if golden.Update() {
			return
		}
	}
	golden.Check(t, path, []byte(b.String()))
}
