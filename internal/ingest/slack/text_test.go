package slack_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/ingest/slack"
)

// one reads an export with one message and returns what became of its text.
func one(t testing.TB, fields string) string {
	t.Helper()
	b := general(t, "2024-05-01", `[{"type":"message","user":"U1","ts":"1714560000.000100",`+fields+`}]`)
	docs, _ := read(t, slack.New(), b)
	if len(docs) == 0 {
		return ""
	}
	return docs[0].Messages[0].Text
}

func TestText(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain", "plain"},
		{"<@U1> and <@U2|old> and <@U404> and <@U405|who>", "@Alice Moreau and @Bob Tanaka and @U404 and @who"},
		{"<#C2|eng> <#C2> <#C2|> <#C404>", "#eng #eng #eng #C404"},
		{"<!here> <!channel> <!everyone>", "@here @channel @everyone"},
		{"<!subteam^S1|@design> <!subteam^S1>", "@design @S1"},
		{"<!date^1714560000^{date}|May 1st> <!date^1714560000^{date}>", "May 1st 2024-05-01 10:40 UTC"},
		{"<https://example.com/a?b=1&amp;c=2>", "https://example.com/a?b=1&c=2"},
		{"<https://example.com|the page>", "the page (https://example.com)"},
		{"<https://www.example.com/|example.com> <http://x.org/long/path|x.org/lo…>", "https://www.example.com/ http://x.org/long/path"},
		{"<mailto:a@example.com|a@example.com> <mailto:b@example.com> <tel:+49301234|+49 30 1234>", "a@example.com b@example.com +49 30 1234"},
		{"1 &lt; 2 &amp;&amp; 3 &gt; 2 &amp;lt; &copy;", "1 < 2 && 3 > 2 &lt; &copy;"},
		{"a < b > c, <> <|x> <no scheme> <", "a < b > c, <> <|x> <no scheme> <"},
		{"```code\nline```", "```code\nline```"},
		{"会议 <@U1> 结束", "会议 @Alice Moreau 结束"},
	} {
		raw, err := json.Marshal(c.text)
		if err != nil {
			t.Fatal(err)
		}
		if got := one(t, `"text":`+string(raw)); got != c.want {
			t.Errorf("%q\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

func TestParts(t *testing.T) {
	for _, c := range []struct{ name, fields, want string }{
		{"a preview of a link is not what was written", `"text":"see <https://x.org>","attachments":[{"from_url":"https://x.org","text":"the page's text","fallback":"X"}]`, "see https://x.org"},
		{"a shared message is quoted", `"text":"this","attachments":[{"is_share":true,"author_name":"Bob Tanaka","text":"what\nhe said"}]`, "this\n> Bob Tanaka\n> what\n> he said"},
		{"an app's card", `"text":"","bot_id":"B1","attachments":[{"pretext":"pre","title":"Ticket","title_link":"https://x.org/1","text":"body &amp; more","fields":[{"title":"State","value":"open"},{"value":"alone"}],"fallback":"not this"}]`,
			"pre\nTicket (https://x.org/1)\nbody & more\nState: open\nalone"},
		{"an app's card under its text", `"text":"alert","bot_id":"B1","attachments":[{"text":"details"},{"text":"alert"}]`, "alert\ndetails"},
		{"a card with a fallback alone", `"text":"","attachments":[{"fallback":"only <https://x.org|this>"}]`, "only this (https://x.org)"},
		{"a file", `"text":"here","files":[{"name":"offer.pdf","title":"offer","mode":"hosted","preview":"noise"}]`, "here\n[file: offer.pdf]"},
		{"a file without a word", `"text":"","files":[{"name":"a.txt","title":"Notes of May","mode":"hosted","preview":"first lines"}]`, "[file: Notes of May a.txt]\nfirst lines"},
		{"a snippet", `"text":"look","files":[{"title":"fix.go","mode":"snippet","preview":"package x"}]`, "look\n[file: fix.go]\npackage x"},
		{"a voice message", `"text":"","files":[{"title":"voice","mode":"hosted","transcription":{"preview":{"content":"spoken words"}}}]`, "[file: voice]\nspoken words"},
		{"a deleted file", `"text":"","files":[{"mode":"tombstone"}]`, ""},
		{"an upload of an older export", `"subtype":"file_share","text":"<@U1> uploaded a file: <https://x.slack.com/f|cities>","file":{"title":"cities","mode":"snippet","preview":"a,b"}`, "@Alice Moreau uploaded a file: cities (https://x.slack.com/f)\na,b"},
		{"a comment of an older export", `"subtype":"file_comment","text":"","comment":{"user":"U2","comment":"nice &amp; short"}`, "nice & short"},
		{"blocks count without a text", `"text":"","blocks":[{"type":"header","text":{"type":"plain_text","text":"Head"}},{"type":"section","text":{"type":"mrkdwn","text":"hi <@U2>"},"fields":[{"type":"mrkdwn","text":"f1"}]},{"type":"divider"},{"type":"actions","elements":[{"type":"button","text":{"type":"plain_text","text":"Press"}}]},{"type":"context","elements":[{"type":"mrkdwn","text":"foot"},{"type":"image","alt_text":"pic"}]}]`,
			"Head\nhi @Bob Tanaka\nf1\nfoot pic"},
		{"rich text", `"text":"","blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"a "},{"type":"user","user_id":"U1"},{"type":"text","text":" "},{"type":"link","url":"https://x.org","text":"page"},{"type":"text","text":" "},{"type":"channel","channel_id":"C2"},{"type":"emoji","name":"tada"},{"type":"broadcast","range":"here"}]},{"type":"rich_text_list","style":"bullet","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"one"}]},{"type":"rich_text_section","elements":[{"type":"text","text":"two"}]}]},{"type":"rich_text_quote","elements":[{"type":"text","text":"q1\nq2"}]},{"type":"rich_text_preformatted","elements":[{"type":"text","text":"x := 1"}]}]}]`,
			"a @Alice Moreau page (https://x.org) #eng:tada:@here\n- one\n- two\n> q1\n> q2\n```\nx := 1\n```"},
		{"a text hides the blocks that repeat it", `"text":"the text","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"the text"}}]`, "the text"},
		{"blocks that are none", `"text":"","blocks":{"x":1}`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, one(t, c.fields)); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}
