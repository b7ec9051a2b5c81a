package entity_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/entity"
)

// again returns the canonical value that a canonical value has.
func again(kind, value string) string {
	switch kind {
	case "email":
		return entity.EmailValue(value)
	case "url":
		return entity.URLValue(value)
	case "handle":
		return entity.HandleValue(value)
	case "hashtag":
		return entity.HashtagValue(value)
	case "person":
		return entity.PersonValue(value)
	case "organization":
		return entity.OrganizationValue(value)
	case "topic":
		return entity.TopicValue(value)
	case "datetime":
		for _, m := range entity.Extract(entity.Input{Content: value}) {
			return m.Value
		}
	}
	return "unknown kind"
}

func FuzzExtract(f *testing.F) {
	for _, s := range []string{
		"mail a.b@example.com, see https://x.org/(a)#/b?utm_x=1 @alice #tag 1 May 2024 2024年5月1日",
		"```\n@x\n```\n`#y` @a@b.example [@c](www.d.example/) #会议 @张三 31/12/2024",
		"\xff@\xfe#\x80://\x00www.", "Dr. Moreau, Alice (x) via y", "İ@İstanbul.com #İ K", "http://a.b:443:80//",
	} {
		f.Add(s, "Moreau, Alice", "#Tag one")
	}
	f.Fuzz(func(t *testing.T, s, name, tag string) {
		in := entity.Input{
			Content: s, Markdown: true, Tags: []string{tag},
			Authors: []doc.Person{{Name: name, Email: s, Handle: name, Org: s}},
			People:  []doc.Person{{Name: s, Handle: s, Org: name}},
		}
		got := entity.Extract(in)
		if d := cmp.Diff(got, entity.Extract(in)); d != "" {
			t.Fatalf("not deterministic:\n%s", d)
		}
		if n := slices.IndexFunc(got, func(m entity.Mention) bool { return m.Kind != "address" }); len(got) > entity.MaxMentions+2 || n > 2 {
			t.Fatalf("%d mentions", len(got))
		}
		met := map[entity.Mention]bool{}
		for _, m := range got {
			if m.Value == "" || m.Surface == "" || m.Count < 1 || !utf8.ValidString(m.Value) || !utf8.ValidString(m.Surface) {
				t.Fatalf("bad mention %#v", m)
			}
			if v := again(m.Kind, m.Value); m.Kind != "address" && v != m.Value {
				t.Fatalf("%s: the value of %q is %q", m.Kind, m.Value, v)
			}
			if strings.ContainsAny(m.Value, "\n\t") {
				t.Fatalf("control characters in %#v", m)
			}
			m.Count = 0
			if met[m] {
				t.Fatalf("twice: %#v", m)
			}
			met[m] = true
		}
		entity.Links(append(in.Authors, in.People...))
	})
}

func BenchmarkExtract(b *testing.B) {
	para := "Alice agreed to review the migration plan with the team before the quarter ends, see " +
		"https://example.com/atlas/17 and [[Reading List Iris]]. The server, the cache and the index were measured " +
		"after the rollback (ticket ATL-1017, 4:30 pm, 1293 EUR); notes of 2024-05-01 are under #atlas for @bob.\n\n" +
		strings.Repeat("Budget estimate deadline cluster vendor recipe flour water oven paint tile forecast headcount. ", 8)
	in := entity.Input{Content: para, Markdown: true, Authors: []doc.Person{{Name: "Alice Moreau"}}, Tags: []string{"budget", "atlas"}}
	b.SetBytes(int64(len(para)))
	for b.Loop() {
		entity.Extract(in)
	}
}
