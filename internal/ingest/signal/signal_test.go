package signal_test

import (
	"testing"

	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/chattest"
	"github.com/openhuman/openhuman-core/internal/ingest/signal"
)

var chats = map[string]struct{ rel, text string }{
	"markdown": {"signal-chats/Ada Byron/chat.md", "[2019-05-29, 15:04] Me: How is everyone?\n[2019-05-29, 15:10] Ada: We're great: really!\n\nsecond paragraph\n(- Me: 😃 -)\n[2019-05-29 15:20:11] Ada: look ![img.jpg](./media/img.jpg)  [plan.pdf](./media/plan.pdf)  \n[2019-05-30 09:00:00] Ada: (This message was deleted)\n[2019-05-30 09:01:00] Me: \n> quoted before\n\nand answered\n"},
	"lines":    {"signal-chats/Ada Byron/data.json", `{"date": "2022-11-01T09:20:36", "sender": "Me", "body": "How is everyone?", "quote": "", "sticker": null, "reactions": [], "attachments": []}` + "\n" + `{"date": "2022-11-01T09:21:36", "sender": "Ada", "body": "great", "quote": "> How", "reactions": [["Me", "x"]], "attachments": [{"name":"plan.pdf","path":"media/plan.pdf"},{"name":"a.jpg"}]}` + "\n" + `{"date": "2022-11-01T09:22:36", "sender": "Ada", "body": "", "reactions": [], "attachments": [], "call": true}` + "\n{bad\n"},
	"long":     {"messages/Ada Byron (+4915112345).txt", "Conversation: Ada Byron (+4915112345)\n\nFrom: Ada Byron (+4915112345)\nType: incoming\nSent: Wed, 1 May 2024 23:30:00 +0200\nReceived: Wed, 1 May 2024 23:30:01 +0200\nReaction: 👍 from You\n\nHow is everyone?\n\nSecond paragraph\nwith a line\n\nFrom: You\nType: outgoing\nSent: Thu, 2 May 2024 00:10:00 +0200\nAttachment: plan.pdf (application/pdf, 1234 bytes)\n\n> From: Ada Byron (+4915112345)\n> Sent: Wed, 1 May 2024 23:30:00 +0200\n>\n> How is everyone?\n\nGreat.\n\nType: verified-change\nSent: Thu, 2 May 2024 00:11:00 +0200\nReceived: x\n\nFrom: Ada Byron (+4915112345)\nType: incoming\nSent: Thu, 2 May 2024 00:12:00 +0200\nReceived: Thu, 2 May 2024 00:12:00 +0200\nEdited: 2 versions\n\n| Version: 2\n| Sent: Thu, 2 May 2024 00:13:00 +0200\n|\n| corrected text\n|\n| Version: 1\n| Sent: Thu, 2 May 2024 00:12:00 +0200\n|\n| first text\n\n"},
	"short":    {"messages/Ada Byron (+4915112345).txt", "2024-05-01 23:30 Ada Byron: How is everyone?\nsecond line\n2024-05-01 23:30 Ada Byron: [verified-change message]\n2024-05-01 23:31 You: [reply to Ada Byron on 2024-05-01 23:30, 1 attachment] Great.\n"},
	"raw":      {"messages/Ada Byron.json", `[{"id":"m1","type":"incoming","body":"How is everyone?","sent_at":1714599000000,"conversationId":"c","source":"+4915112345"},{"id":"m2","type":"outgoing","body":"Great.","sent_at":1714601400000,"conversationId":"c","attachments":[{"fileName":"plan.pdf"}]},{"id":"m3","type":"call-history","conversationId":"c","sent_at":1714601400000},{"id":"m4","type":"incoming","body":"no time","conversationId":"c"}]`},
}

func TestRead(t *testing.T) {
	for name, c := range chats {
		golden.Check(t, "testdata/"+name+".golden.txt", []byte(chattest.Write(chattest.Read(t, signal.New(), chattest.Input(c.rel, []byte(c.text), nil)))))
	}
}

func TestContract(t *testing.T) {
	for _, c := range chats {
		chattest.Run(t, signal.New(), c.rel, []byte(c.text), nil)
	}
}

func TestNotMine(t *testing.T) {
	for _, s := range []string{"", "text", "[1]", "{}", "Conversation: with Ada\n\nwe spoke at length\n", "[2024-05-01] list\n", `{"date":1,"sender":"x"}`} {
		if n := signal.New().Detect(chattest.Input("chat.md", []byte(s), nil)); n != 0 {
			t.Errorf("%q: %d", s, n)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, c := range chats {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in := chattest.Input("Ada/chat.md", b, nil)
		signal.New().Detect(in)
		chattest.Read(t, signal.New(), in)
	})
}
