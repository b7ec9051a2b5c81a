package irc_test

import (
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/chattest"
	"github.com/openhuman/openhuman-core/internal/ingest/irc"
)

var logs = map[string]struct{ rel, text string }{
	"irssi":   {"irclogs/libera/#go.log", "--- Log opened Wed May 01 23:58:00 2024\n23:58 -!- ada [~ada@example.com] has joined #go\n23:58 <@ada> who knows \x0304generics\x03?\n23:59 < bob> I do\n23:59  * bob waves\n--- Day changed Thu May 02 2024\n00:01 <+ada> good\n00:02 -ChanServ- notice\n--- Log closed Thu May 02 00:03:00 2024\n"},
	"weechat": {"logs/irc.libera.#go.weechatlog", "2024-05-01 12:34:56\t-->\tada (~ada@example.com) has joined #go\n2024-05-01 12:35:00\t@ada\twho knows generics?\n2024-05-01 12:35:10\tbob\tI do: see <T any>\n2024-05-01 12:35:20\t *\tbob waves\n2024-05-02 00:00:01\t--\tMode #go\n2024-05-02 00:00:05\tada\tgood\n"},
	"hexchat": {"logs/libera/#go.log", "**** BEGIN LOGGING AT Tue Dec 31 23:50:00 2024\n\nDec 31 23:58:01 *\tNow talking on #go\nDec 31 23:59:01 <ada>\twho knows generics?\nJan 01 00:01:00 <bob>\tI do\nJan 01 00:02:00 *\tbob has quit (bye)\nJan 01 00:02:30 *\tada waves\n**** ENDING LOGGING AT Wed Jan  1 00:03:00 2025\n\n"},
	"znc":     {"users/ada/moddata/log/libera/#go/2024-05-01.log", "[12:34:56] *** Joins: ada (ada@example.com)\n[12:35:00] <ada> who knows generics?\n[12:35:10] <bob> I do\n[12:35:20] * bob waves\n"},
	"query":   {"users/ada/moddata/log/libera/bob/2024-05-01.log", "[12:35:00] <ada> hello\n[12:35:10] <bob> hi\n"},
	"mirc":    {"#go.libera.log", "Session Start: Wed May 01 12:00:00 2024\nSession Ident: #go\n[12:35] <ada> who knows generics?\n[12:36] * Joins: bob\n[12:37] <bob> I do\nSession Close: Wed May 01 13:00:00 2024\n"},
}

func TestRead(t *testing.T) {
	for name, l := range logs {
		golden.Check(t, "testdata/"+name+".golden.txt", []byte(chattest.Write(chattest.Read(t, irc.New(), chattest.Input(l.rel, []byte(l.text), nil)))))
	}
}

func TestContract(t *testing.T) {
	for _, l := range logs {
		chattest.Run(t, irc.New(), l.rel, []byte(l.text), nil)
	}
}

func TestOldCharset(t *testing.T) {
	docs, report := chattest.Read(t, irc.New(), chattest.Input("n/#go/2024-05-01.log", []byte("[12:35:00] <ada> sch\xf6ne Gr\xfc\xdfe aus M\xfcnchen\n"), nil))
	if len(docs) != 1 || docs[0].Messages[0].Text != "schöne Grüße aus München" {
		t.Errorf("%s", chattest.Write(docs, report))
	}
}

func TestNotMine(t *testing.T) {
	for rel, s := range map[string]string{
		"a.log": "2024-05-01 12:00:00 INFO started\n2024-05-01 12:00:01 INFO done\n",
		"b.log": "12:00 something\n", "c.txt": "", "d.txt": "plain words\n", "e.txt": "12:00 <b>bold</b>\n12:01 <b>x</b>\n",
		"f.md": "# Notes\n\n12:30 <ada> said that\n\nmore words\nand more\n",
	} {
		if n := irc.New().Detect(chattest.Input(rel, []byte(s), nil)); n != 0 {
			t.Errorf("%s: %d", rel, n)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, l := range logs {
		f.Add([]byte(l.text), l.rel)
	}
	f.Fuzz(func(t *testing.T, b []byte, rel string) {
		in := chattest.Input(strings.ToValidUTF8(rel, ""), b, nil)
		irc.New().Detect(in)
		chattest.Read(t, irc.New(), in)
	})
}
