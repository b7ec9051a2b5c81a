package chatzip_test

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"hash/crc32"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/chatgpt"
	"github.com/openhuman/openhuman-core/internal/ingest/chattest"
	"github.com/openhuman/openhuman-core/internal/ingest/chatzip"
	"github.com/openhuman/openhuman-core/internal/ingest/discord"
	"github.com/openhuman/openhuman-core/internal/ingest/telegram"
	"github.com/openhuman/openhuman-core/internal/ingest/whatsapp"
)

func reader() chatzip.Reader {
	return chatzip.New(whatsapp.New(), chatgpt.New(), telegram.NewPage(), discord.New(), discord.NewPackage())
}

const (
	chat          = "[01.05.24, 15:00:00] Ada: hello\n[01.05.24, 15:01:00] Bob: hi\n"
	conversations = `[{"title":"t","create_time":1714557600,"mapping":{"a":{"message":{"author":{"role":"user"},"content":{"content_type":"text","parts":["hello"]}}}},"current_node":"a","id":"1"}]`
)

func archives(t testing.TB) map[string]struct {
	rel  string
	data []byte
} {
	type a = struct {
		rel  string
		data []byte
	}
	return map[string]a{
		"whatsapp": {"in/WhatsApp Chat - Ada.zip", chattest.Zip(t, "00000001-PHOTO.jpg", "x", "_chat.txt", chat, "__MACOSX/._chat.txt", "x")},
		"chatgpt":  {"export.zip", chattest.Zip(t, "user.json", "{}", "chat.html", "<html></html>", "conversations-000.json", conversations, "conversations-001.json", strings.ReplaceAll(conversations, `"id":"1"`, `"id":"2"`))},
		"discord": {"package.zip", chattest.Zip(t, "Account/user.json", "{}", "Messages/index.json", `{"123456789012345678":"general in Club"}`,
			"Messages/c123456789012345678/channel.json", `{"id":"123456789012345678","type":0}`, "Messages/c123456789012345678/messages.json", `[{"ID":1,"Timestamp":"2024-05-02 10:00:00","Contents":"hello","Attachments":""}]`)},
	}
}

func TestRead(t *testing.T) {
	for name, a := range archives(t) {
		golden.Check(t, "testdata/"+name+".golden.txt", []byte(chattest.Write(chattest.Read(t, reader(), chattest.Input(a.rel, a.data, nil)))))
	}
}

func TestContract(t *testing.T) {
	for _, a := range archives(t) {
		chattest.Run(t, reader(), a.rel, a.data, nil)
	}
}

func TestNotMine(t *testing.T) {
	for name, b := range map[string][]byte{
		"nothing": nil, "text": []byte("PK\x03\x04 text"), "office": chattest.Zip(t, "word/document.xml", "<x/>"),
		"notes": chattest.Zip(t, "a.md", "# Plan\n", "b.txt", "words\n", "c.html", "<html><p>x</p></html>"),
	} {
		if n := reader().Detect(chattest.Input("x.zip", b, nil)); n != 0 {
			t.Errorf("%s: %d", name, n)
		}
	}
}

// TestBomb reads an archive of little that unpacks to much.
func TestBomb(t *testing.T) {
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte(chat)); err != nil {
		t.Fatal(err)
	}
	line := bytes.Repeat([]byte("0"), 1<<20)
	for range 300 {
		if _, err := w.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	b := rawZip("_chat.txt", packed.Bytes(), uint32(len(chat))+300<<20)
	docs, report := chattest.Read(t, reader(), chattest.Input("bomb.zip", b, nil))
	if report.Outcome == doc.OK || report.Outcome == doc.NoText || len(docs) > 1 || !strings.Contains(report.Reason, "_chat.txt") {
		t.Errorf("%d documents, %+v", len(docs), report)
	}
}

func rawZip(name string, packed []byte, size uint32) []byte {
	var b bytes.Buffer
	put := func(vs ...any) {
		for _, v := range vs {
			if err := binary.Write(&b, binary.LittleEndian, v); err != nil {
				panic(err)
			}
		}
	}
	sum := crc32.ChecksumIEEE(nil)
	put(uint32(0x04034b50), uint16(20), uint16(0), uint16(8), uint32(0), sum, uint32(len(packed)), size, uint16(len(name)), uint16(0))
	b.WriteString(name)
	b.Write(packed)
	at := b.Len()
	put(uint32(0x02014b50), uint16(20), uint16(20), uint16(0), uint16(8), uint32(0), sum, uint32(len(packed)), size, uint16(len(name)), uint16(0), uint16(0), uint16(0), uint16(0), uint32(0), uint32(0))
	b.WriteString(name)
	end := b.Len()
	put(uint32(0x06054b50), uint16(0), uint16(0), uint16(1), uint16(1), uint32(end-at), uint32(at), uint16(0))
	return b.Bytes()
}

func FuzzRead(f *testing.F) {
	for _, a := range archives(f) {
		f.Add(a.data)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in := chattest.Input("x.zip", b, nil)
		reader().Detect(in)
		if _, err := reader().Read(t.Context(), in, func(*doc.Document) error { return nil }); err != nil {
			t.Fatal(err)
		}
	})
}
