package ingest_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/ingest/chattest"
)

// TestChatExportedTwice: of a day that two exports hold, one of them in part, all is kept once, whichever
// is read first; a part of a day that only one of them holds is kept beside the other.
func TestChatExportedTwice(t *testing.T) {
	const head, morning, evening = "01/05/2024, 08:00 - Ada: before\n", "13/05/2024, 09:00 - Ada: in the morning\n", "13/05/2024, 21:00 - Bob: in the evening\n"
	for name, files := range map[string]map[string]string{
		"short first": {"1/WhatsApp Chat with Bob.txt": head + morning, "2/WhatsApp Chat with Bob.txt": head + morning + evening},
		"long first":  {"1/WhatsApp Chat with Bob.txt": head + morning + evening, "2/WhatsApp Chat with Bob.txt": head + morning},
	} {
		t.Run(name, func(t *testing.T) {
			dir, s := folder(t, "home", files), open(t)
			o := ingest.Options{Store: s}
			if sum := run(t, o, dir); sum.Outcomes[doc.OK] != 2 {
				t.Fatalf("summary = %+v", sum)
			}
			all := strings.Join(dump(t, s), "\n")
			for _, want := range []string{"before", "in the morning", "in the evening"} {
				if !strings.Contains(all, want) {
					t.Errorf("%q is missing", want)
				}
			}
			if got := sources(t, s); got["whatsapp:Bob"] != 3 { // chunks
				t.Errorf("sources %v", got)
			}
			before := dump(t, s)
			for _, f := range []string{"1", "2", ""} {
				run(t, o, filepath.Join(dir, f))
			}
			if d := cmp.Diff(before, dump(t, s)); d != "" {
				t.Errorf("another run changed something:\n%s", d)
			}
		})
	}
}

// TestChatsAreFoundByContent takes in one export of each kind under names that say nothing.
func TestChatsAreFoundByContent(t *testing.T) {
	files := map[string]string{
		"a.dat": "[01.05.24, 15:00:00] Ada: hello whatsapp\n[01.05.24, 15:01:00] Bob: hi\n",
		"b.dat": `[{"title":"t","create_time":1714557600,"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["hello chatgpt"]}}}},"current_node":"a","id":"1"}]`,
		"c.dat": `[{"uuid":"1","name":"n","created_at":"2024-05-01T10:00:00Z","chat_messages":[{"uuid":"2","text":"hello claude","sender":"human","created_at":"2024-05-01T10:00:00Z"}]}]`,
		"d.dat": `{"sessionId":"s","cwd":"/x/tool","type":"user","message":{"role":"user","content":"hello code"},"uuid":"u","timestamp":"2025-05-01T10:00:00Z"}` + "\n",
		"e.dat": `{"name":"Trip","type":"private_group","id":1,"messages":[{"id":1,"type":"message","date":"2024-05-01T12:00:00","from":"Ada","from_id":"user1","text":"hello telegram"}]}`,
		"f.dat": `{"guild":{"id":"1","name":"Club"},"channel":{"id":"2","type":"GuildTextChat","name":"help"},"messages":[{"id":"1","type":"Default","timestamp":"2024-05-01T10:00:00Z","content":"hello discord","author":{"name":"ada"}}]}`,
		"g.dat": "<!DOCTYPE html><html><body><div class=\"page_body chat_page\"><div class=\"history\"><div class=\"message default clearfix\" id=\"message2\"><div class=\"body\"><div class=\"pull_right date details\" title=\"01.05.2024 23:30:00 UTC+02:00\">23:30</div><div class=\"from_name\">Ada</div><div class=\"text\">hello page</div></div></div></div></div></body></html>",
	}
	files["h.dat"] = "--- Log opened Wed May 01 23:58:00 2024\n23:58 <@ada> hello irssi\n23:59 < bob> hi\n"
	files["i.dat"] = "2024-05-01 12:35:00\t@ada\thello weechat\n2024-05-01 12:35:10\tbob\tI do, or not\n2024-05-01 12:36:10\tbob\tmaybe\n"
	files["j.dat"] = "Conversation: Bob (+49)\n\nFrom: Bob (+49)\nType: incoming\nSent: Wed, 1 May 2024 23:30:00 +0200\n\nhello sigtop\n"
	files["Carl/chat.md"] = "[2019-05-29 15:04:00] Me: hello signal\n[2019-05-29 15:05:00] Carl: hi\n"
	files["Dora.txt"] = "May 17, 2022  5:29:42 PM\nMe\nhello imessage\n\n"
	files["Emil.html"] = `<html><div class="message"><div class="sent"><p><span class="timestamp">May 17, 2022  5:29:42 PM</span><span class="sender">Me</span></p><div class="message_part"><span class="bubble">hello bubble</span></div></div></div></html>`
	files["package/messages/index.json"] = `{"123456789012345678":"general in Package"}`
	files["package/messages/c123456789012345678/channel.json"] = `{"id":"123456789012345678","type":0}`
	files["package/messages/c123456789012345678/messages.json"] = `[{"ID":1,"Timestamp":"2024-05-02 10:00:00","Contents":"hello package","Attachments":""}]`
	dir, s := folder(t, "home", files), open(t)
	sum := run(t, ingest.Options{Store: s}, dir)
	if sum.Outcomes[doc.OK] != len(files)-2 || sum.Outcomes[doc.Skipped] != 2 {
		t.Errorf("summary = %+v", sum)
	}
	want := map[string]int{
		"irc:@h": 1, "irc:@i": 1, "signal:Bob": 1, "signal:Carl": 1, "imessage:Dora": 1, "imessage:Emil": 1, "discord:Package#general": 1,
		"whatsapp:a": 1, "chatgpt:chats": 1, "claude:chats": 1, "claude-code:tool": 1, "telegram:Trip": 1, "discord:Club#help": 1, "telegram:home": 1,
	}
	if d := cmp.Diff(want, sources(t, s)); d != "" {
		t.Error(d)
	}
}

// TestChatsInArchives takes in exports as they are downloaded, twice.
func TestChatsInArchives(t *testing.T) {
	files := map[string]string{
		"WhatsApp Chat - Ada.zip": string(chattest.Zip(t, "_chat.txt", "[01.05.24, 15:00:00] Ada: hello whatsapp\n[01.05.24, 15:01:00] Bob: hi\n")),
		"claude.zip":              string(chattest.Zip(t, "users.json", `[{"uuid":"a","full_name":"Ada","email_address":"a@example.com"}]`, "conversations.json", `[{"uuid":"1","name":"n","created_at":"2024-05-01T10:00:00Z","chat_messages":[{"uuid":"2","text":"hello claude","sender":"human","created_at":"2024-05-01T10:00:00Z"}]}]`)),
	}
	dir, s := folder(t, "home", files), open(t)
	if sum := run(t, ingest.Options{Store: s}, dir); sum.Outcomes[doc.OK] != 2 {
		t.Errorf("summary = %+v", sum)
	}
	if d := cmp.Diff(map[string]int{"whatsapp:Ada": 1, "claude:chats": 1}, sources(t, s)); d != "" {
		t.Error(d)
	}
	before := dump(t, s)
	if sum := run(t, ingest.Options{Store: s}, dir); sum.Unchanged != 2 {
		t.Errorf("again: %+v", sum)
	}
	if d := cmp.Diff(before, dump(t, s)); d != "" {
		t.Error(d)
	}
}
