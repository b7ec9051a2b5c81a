package slack_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/ingest/slack"
)

func FuzzText(f *testing.F) {
	for _, s := range []string{
		"<@U1> <@U404|x> <#C1> <#C9|y> <!here> <!subteam^S1|@t> <!date^1714560000^{date}|d>",
		"<https://x.org|a> <mailto:a@b.c|a@b.c> &lt;&amp;&gt; <<>> <\n> \xff <|>", "<", "&", "<@", "<!date^", "<a:b|\xfe>",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := slack.Mrkdwn(s)
		if !utf8.ValidString(got) {
			t.Fatalf("invalid UTF-8 in %q", got)
		}
		if strings.ContainsAny(got, "\r\x00") {
			t.Fatalf("control characters in %q", got)
		}
		if !strings.ContainsAny(s, "<&") && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r == 0x7f }) && got != s {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

func FuzzDay(f *testing.F) {
	for _, s := range []string{
		`[{"type":"message","user":"U1","text":"a","ts":"1714560000.000100"},{"text":"b","ts":"1714560001.1","thread_ts":"1714560000.000100"}]`,
		`[{"subtype":"message_changed","ts":"1714560002.0","message":{"text":"c","ts":"1714560000.000100"}},{"subtype":"message_deleted","ts":"1714560003.0","deleted_ts":"1714560000.000100"}]`,
		`[{"ts":"1714560000","blocks":[{"type":"rich_text","elements":[{"type":"text","text":{"text":"x"}}]}],"attachments":[{"fields":[{}]}],"files":[{}]}]`,
		`[{"ts":1},null,3,{"ts":"9999999999999"}`, `{}`, `[[[[`, "",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		texts, messages := slack.SettleDay(b)
		for _, s := range texts {
			if !utf8.ValidString(s) || strings.Contains(s, "\r") {
				t.Fatalf("not clean: %q", s)
			}
		}
		changed := strings.Contains(string(b), "message_")
		if len(texts) != messages && !changed && !strings.Contains(string(b), "\\u") {
			t.Fatalf("%d of %d messages came out", len(texts), messages)
		}
		again, _ := slack.SettleDay(b)
		if d := cmp.Diff(texts, again); d != "" {
			t.Fatalf("not deterministic:\n%s", d)
		}
	})
}
