package entity_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/entity"
)

// short writes mentions as "kind:value" with "xN" and "<surface>" where they say more.
func short(ms []entity.Mention) []string {
	out := []string{}
	for _, m := range ms {
		s := m.Kind + ":" + m.Value
		if m.Count > 1 {
			s += fmt.Sprintf(" x%d", m.Count)
		}
		out = append(out, s)
	}
	return out
}

func TestExtractText(t *testing.T) {
	for _, c := range []struct {
		text string
		want []string
	}{
		// Addresses.
		{"Write to Alice.Moreau@Example.com, or <bob@example.org>.", []string{"email:alice.moreau@example.com", "email:bob@example.org"}},
		{"mailto:carla@example.es?subject=x and a@b.c", []string{"email:carla@example.es"}},
		{"请联系alice@example.com谢谢", []string{"email:alice@example.com"}},
		{"alice@example.com으로 보내", []string{"email:alice@example.com"}},
		{"rené@münchen.de", []string{"email:rené@münchen.de"}},
		{"noreply@example.com, unsubscribe+x@news.example.com, bounces-12@x.example.com", nil},
		{"logo@2x.png pkg@1.2.3 root@db.local git@github.com:a/b.git cid:image001.png@01D9ABCD.12345670", nil},
		{"`ops@example.com` in code", []string{"email:ops@example.com"}},

		// Links.
		{"See (https://Example.com/A/b?utm_source=x&id=7#part).", []string{"url:https://example.com/A/b?id=7"}},
		{"[text](https://en.wikipedia.org/wiki/Go_(game)) end", []string{"url:https://en.wikipedia.org/wiki/Go_(game)"}},
		{"**https://example.com/x**, www.example.org/", []string{"url:https://example.com/x", "url:https://www.example.org"}},
		{"见https://例子.cn/路径，谢谢", []string{"url:https://例子.cn/路径"}},
		{"https://example.com谢谢", []string{"url:https://example.com"}},
		{"http://127.0.0.1:8080/a http://localhost:3000", []string{"url:http://127.0.0.1:8080/a", "url:http://localhost:3000"}},
		{"https://user:secret@example.com:443/p", []string{"url:https://example.com/p"}},
		{"https://app.example.com/#/inbox/3 https://example.com/a#/", []string{"url:https://app.example.com#/inbox/3", "url:https://example.com/a"}},
		{"https://medium.com/@alice/post-#tag https://x.org/#frag", []string{"url:https://medium.com/@alice/post-", "url:https://x.org"}},
		{"https://example.com/unsubscribe?u=1 http://www.w3.org/1999/xhtml https://cdn.example.com/a.PNG?x=1 https://click.example.com/abc", nil},
		{"file:///home/@alice/#x slack://channel/#y http:// https://nodot https://.. ://", nil},
		{"https://a.example/x https://a.example/x/ HTTPS://A.example/x", []string{"url:https://a.example/x", "url:https://a.example/x", "url:https://a.example/x"}},

		// Handles.
		{"ping @Alice, (@bob_k) and @alice", []string{"handle:alice", "handle:bob_k", "handle:alice"}},
		{"@alice @alice", []string{"handle:alice x2"}},
		{"cc:@dmitri.orlov. fin", []string{"handle:dmitri.orlov"}},
		{"follow @ana@mastodon.example please", []string{"handle:ana@mastodon.example"}},
		{"请@张三 看, @alice请看", []string{"handle:张三", "handle:alice"}},
		{"@张三请看一下这个文档", nil},
		{"@media screen{} @import 'x'; @types/node @Component({}) @article{x, [@smith2020] @here @channel @2x @5pm foo@bar @", nil},
		{"```go\n@decorated #tag 2024-05-01\n```\n@after", []string{"handle:after"}},
		{"`@code` @real `@open", []string{"handle:real"}},
		{"  @decorated\n  def f(x):\n@alice\nplease look", []string{"handle:alice"}},
		{"[@alice](https://example.com/alice)", []string{"handle:alice", "url:https://example.com/alice"}},

		// Tags.
		{"#Project/Atlas, (#todo) and #q3_2024; #café", []string{"hashtag:project/atlas", "hashtag:todo", "hashtag:q3_2024", "hashtag:café"}},
		{"今天#会议 讨论 #话题#", []string{"hashtag:会议", "topic:会议", "hashtag:话题", "topic:话题"}},
		{"今天#话题#很热", []string{"hashtag:话题", "topic:话题"}},
		{"＃引っ越し＃の準備、＃東京 #東京", []string{"hashtag:引っ越し", "topic:引っ越し", "hashtag:東京", "topic:東京 x2", "hashtag:東京"}},
		{"#旅行#美食#日落", []string{"hashtag:旅行", "topic:旅行", "hashtag:美食", "topic:美食", "hashtag:日落", "topic:日落"}},
		{"#旅行##美食#", []string{"hashtag:旅行", "topic:旅行", "hashtag:美食", "topic:美食"}},
		{"#搬家，#项目/新办公室。#2024年计划", []string{"hashtag:搬家", "topic:搬家", "hashtag:项目/新办公室", "topic:项目/新办公室", "hashtag:2024年计划", "topic:2024年计划"}},
		{"＃ＡＩ模型 ＃３", []string{"hashtag:ai模型", "topic:ai模型"}},
		{"# 标题\n#一 ＃＃ ＃", []string{"hashtag:一", "topic:一"}},
		{"# Heading\n## Another\n#123 #fff #a1b2c3 #AABBCC C# a#b &#39; [x](#anchor) [[#Heading]] [[Note#Part]] href=#top", nil},
		{"#include <stdio.h>\n#define X 1", nil},
		{"#bad #facade", []string{"hashtag:bad", "hashtag:facade"}},
		{"#tag/ #-x #_", []string{"hashtag:tag"}},

		// Dates.
		{"on 2024-05-01, 1 May 2024, May 1st, 2024 and 1. Mai 2024", []string{"datetime:2024-05-01", "datetime:2024-05-01", "datetime:2024-05-01", "datetime:2024-05-01"}},
		{"2024年5月1日和2024年12月；2024년 5월 1일에", []string{"datetime:2024-05-01", "datetime:2024-12", "datetime:2024-05-01"}},
		{"01.05.2024 31/12/2024 12/31/2024 2024/5/1 2024.05.01", []string{"datetime:2024-05-01", "datetime:2024-12-31", "datetime:2024-12-31", "datetime:2024-05-01", "datetime:2024-05-01"}},
		{"03/04/2024 3-4-2024 2024-13-01 2024-02-30 30.02.2024", nil},
		{"In May 2024; the 3rd of March 2023; 1 de mayo de 2024; Sept. 2022", []string{"datetime:2024-05", "datetime:2023-03-03", "datetime:2024-05-01", "datetime:2022-09"}},
		{"at 2024-05-01T10:00:00Z or 2024-05-02 18:30", []string{"datetime:2024-05-01", "datetime:2024-05-02"}},
		{"in 2024, 10:30, 20240501, 1234, v2024.1.2, CVE-2024-05123, 2024-25, +49 2024 555, 1.2.2024.5", nil},
		{"May 5, 1 March 12024", nil},
		{"meeting_2024-05-01.md 2024-05-01-notes.md", []string{"datetime:2024-05-01 x2"}},
	} {
		got := short(entity.Extract(entity.Input{Content: c.text, Markdown: true}))
		want := c.want
		if want == nil {
			want = []string{}
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", c.text, d)
		}
	}
}

func TestExtractStructure(t *testing.T) {
	got := entity.Extract(entity.Input{
		Content: "@Alice Moreau and @bob: see #atlas, Alice.Moreau@example.com",
		Authors: []doc.Person{{Name: "Moreau, Alice", Email: "Alice.Moreau@example.com", Handle: "amoreau", Org: "Acme, Inc."}},
		People:  []doc.Person{{Name: "Alice  Moreau", Email: "alice.moreau@example.com"}, {Name: "Alice Moreau"}, {Name: "undisclosed-recipients:"}, {Handle: "@bob"}},
		Tags:    []string{"Quarterly Planning", "#Atlas", "2024", "Inbox", "Category Updates"},
	})
	want := []entity.Mention{
		{Kind: "person", Value: "alice-moreau", Surface: "Moreau, Alice", Count: 1},
		{Kind: "email", Value: "alice.moreau@example.com", Surface: "Alice.Moreau@example.com", Count: 2},
		{Kind: "handle", Value: "amoreau", Surface: "@amoreau", Count: 1},
		{Kind: "organization", Value: "acme", Surface: "Acme, Inc.", Count: 1},
		{Kind: "address", Value: "@bob", Surface: "@bob", Count: 1},
		{Kind: "handle", Value: "bob", Surface: "@bob", Count: 2},
		{Kind: "topic", Value: "quarterly-planning", Surface: "Quarterly Planning", Count: 1},
		{Kind: "topic", Value: "atlas", Surface: "#Atlas", Count: 1},
		{Kind: "person", Value: "alice-moreau", Surface: "Alice Moreau", Count: 1},
		{Kind: "hashtag", Value: "atlas", Surface: "#atlas", Count: 1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestMachinesAreNoPeople(t *testing.T) {
	for _, c := range []struct {
		p    doc.Person
		want []string
	}{
		{doc.Person{Name: "Shop", Email: "no-reply@shop.example"}, []string{"email:no-reply@shop.example"}},
		{doc.Person{Name: "Alice Moreau (via Docs)", Email: "noreply@docs.example"}, []string{"person:alice-moreau", "email:noreply@docs.example"}},
		{doc.Person{Name: "Alice Moreau", Email: "notifications@code.example"}, []string{"person:alice-moreau", "email:notifications@code.example"}},
		{doc.Person{Name: "Alice Moreau", Email: "alice@example.com"}, []string{"person:alice-moreau", "email:alice@example.com"}},
	} {
		got := short(entity.Extract(entity.Input{Authors: []doc.Person{c.p}}))
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%v (-want +got):\n%s", c.p, d)
		}
	}
}

func TestNamesInCJK(t *testing.T) {
	got := short(entity.Extract(entity.Input{
		Content: "@张三请看一下这个文档",
		Known:   []doc.Person{{Name: "张三"}, {Name: "Alice Moreau"}},
	}))
	if d := cmp.Diff([]string{"person:张三"}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestMaxMentions(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "#tag%d ", i)
	}
	b.WriteString("#tag0 #tag199")
	got := entity.Extract(entity.Input{Content: b.String(), Authors: []doc.Person{{Name: "Alice Moreau"}}, Tags: []string{"late"}})
	if len(got) != entity.MaxMentions {
		t.Fatalf("%d mentions, want %d", len(got), entity.MaxMentions)
	}
	if got[0].Value != "alice-moreau" || got[1].Value != "late" || got[2].Value != "tag0" || got[2].Count != 2 {
		t.Errorf("the structure does not come first, or counting stopped: %v", got[:3])
	}
}

func TestPersonValue(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"Moreau, Alice", "alice-moreau"},
		{"alice moreau", "alice-moreau"},
		{"ALICE MOREAU", "alice-moreau"},
		{`"Alice Moreau"`, "alice-moreau"},
		{"Alice Moreau (Acme)", "alice-moreau"},
		{"Alice Moreau via Google Docs", "alice-moreau"},
		{"'Alice Moreau' via Team", "alice-moreau"},
		{"Dr. Alice Moreau", "alice-moreau"},
		{"Mr. Jon Peel Jr.", "jon-peel"},
		{"Peel, Jon, PhD", "jon-peel"},
		{"Jon Peel, MD", "jon-peel"},
		{"Carla Núñez", "carla-nunez"},
		{"Sørensen, Łukasz", "lukasz-sorensen"},
		{"Miles O'Brien", "miles-obrien"},
		{"Miles O’Brien", "miles-obrien"},
		{"Jean-Luc Picard", "jean-luc-picard"},
		{"Дмитрий Орлов", "дмитрии-орлов"},
		{"张三", "张三"},
		{"张 三", "张三"},
		{"田中 太郎", "田中太郎"},
		{"김 철수", "김철수"},
		{"Alice 张", "alice-张"},
		{"alice@example.com", ""},
		{"undisclosed-recipients:;", ""},
		{"Unknown", ""},
		{"me", ""},
		{"我", ""},
		{"", ""},
		{"  ", ""},
		{"+1 555 0100", ""},
		{"Dr.", ""},
		{"X", ""},
		{"No Reply", ""},
		{"\xff\xfe", ""},
		{strings.Repeat("very long name ", 40), ""},
	} {
		if got := entity.PersonValue(c.name); got != c.want {
			t.Errorf("PersonValue(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestOrganizationValue(t *testing.T) {
	for _, c := range []struct{ name, want string }{
		{"Acme, Inc.", "acme"}, {"ACME", "acme"}, {"Müller GmbH & Co. KG", "muller"}, {"Co", "co"},
		{"北京大学", "北京大学"}, {"滨江科技有限公司", "滨江科技"}, {"滨江银行股份有限公司", "滨江银行"}, {"有限公司", "有限公司"},
		{"山田工業株式会社", "山田工業"}, {"株式会社 山田工業", "山田工業"}, {"㈱山田工業", "山田工業"}, {"山田工業（株）", "山田工業"}, {"(株)山田工業", "山田工業"},
		{"株式会社", "株式会社"}, {"株", "株"}, {"", ""}, {"42", ""}, {"a@b.org", ""},
	} {
		if got := entity.OrganizationValue(c.name); got != c.want {
			t.Errorf("OrganizationValue(%q) = %q, want %q", c.name, got, c.want)
		}
	}
}

func TestTopicValue(t *testing.T) {
	for _, c := range []struct{ tag, want string }{
		{"#Project/Atlas", "project/atlas"}, {" reading  list ", "reading-list"}, {"2024", ""}, {"INBOX", ""},
		{"会议", "会议"}, {"[Gmail]/Drafts", ""}, {"", ""}, {"c++", "c++"},
	} {
		if got := entity.TopicValue(c.tag); got != c.want {
			t.Errorf("TopicValue(%q) = %q, want %q", c.tag, got, c.want)
		}
	}
}

func TestLinks(t *testing.T) {
	got := entity.Links([]doc.Person{
		{Name: "Moreau, Alice", Email: "Alice@Example.com", Handle: "Amoreau"},
		{Name: "Alice Moreau", Email: "alice@example.com"},
		{Name: "Bob Tanaka", Email: "notifications@github.com"},
		{Name: "Carla via Docs", Email: "drive@example.com"},
		{Name: "bob@example.com", Email: "bob@example.com"},
		{Name: "Bob Tanaka", Email: "not an address"},
		{Email: "x@example.com"},
	})
	want := []entity.Link{
		{Kind: "email", Value: "alice@example.com", Person: "alice-moreau"},
		{Kind: "handle", Value: "amoreau", Person: "alice-moreau"},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestHashtags(t *testing.T) {
	got := entity.Hashtags("#A/b and #a/B, `#code` #123 #会议 #last", 2)
	if d := cmp.Diff([]string{"A/b"}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	got = entity.Hashtags("#A/b and #a/B, `#code` #123 #会议 #last", 10)
	if d := cmp.Diff([]string{"A/b", "会议", "last"}, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestDate(t *testing.T) {
	for s, want := range map[string]string{
		"Trip of 1 May 2024 (2024-06-01)": "2024-05-01", "May 2024": "2024-05", "none": "", "": "",
		"see https://example.com/2024-01-01 then 2024-01-02": "2024-01-02",
	} {
		if got := entity.Date(s); got != want {
			t.Errorf("Date(%q) = %q, want %q", s, got, want)
		}
	}
}
