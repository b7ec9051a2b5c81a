package discord_test

import (
	"testing"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/chattest"
	"github.com/openhuman/openhuman-core/internal/ingest/discord"
)

const channel = `{"guild":{"id":"100","name":"Go | Club","iconUrl":"x"},"channel":{"id":"200","type":"GuildTextChat","categoryId":"1","category":"Text","name":"help","topic":null},"dateRange":{"after":null,"before":null},"exportedAt":"2024-06-01T00:00:00+02:00","messages":[
{"id":"1","type":"Default","timestamp":"2024-05-01T23:59:00.123+02:00","timestampEdited":null,"content":"How do I pin a module, @Bob?","author":{"id":"u1","name":"ada","discriminator":"0000","nickname":"Ada Byron","isBot":false},"attachments":[],"embeds":[{"title":"A page","description":"text of a linked page"}],"mentions":[{"id":"u2","name":"bob","nickname":"Bob","isBot":false}],"reference":null},
{"id":"2","type":"Reply","timestamp":"2024-05-02T00:01:00+02:00","content":"With go get.\nSee the manual.","author":{"id":"u2","name":"bob","nickname":"Bob"},"attachments":[{"id":"a","url":"x","fileName":"notes.txt","fileSizeBytes":3},{"fileName":"cat.png"}],"embeds":[],"mentions":[],"reference":{"messageId":"1","channelId":"200","guildId":"100"}},
{"id":"3","type":"GuildMemberJoin","timestamp":"2024-05-02T00:02:00+02:00","content":"Joined the server.","author":{"name":"carl"}},
{"id":"4","type":"20","timestamp":"2024-05-02T00:03:00+02:00","content":"","author":{"name":"builder","isBot":true},"embeds":[{"title":"Build 7","url":"https://ci.example.com/7","description":"failed","fields":[{"name":"Branch","value":"main"}]}]},
{"id":"5","type":"Default","timestamp":"later","content":"no time","author":{"name":"x"}},
{"id":"6","type":"Default","timestamp":"2024-05-02T00:04:00+02:00","content":"","author":{"name":"ada"},"forwardedMessage":{"content":"two\nlines"}}
],"messageCount":6}`

const direct = `{"guild":{"id":"0","name":"Direct Messages"},"channel":{"id":"201","type":"DirectTextChat","name":"bob"},"messages":[{"id":"1","type":"Default","timestamp":"2024-05-01T10:00:00+00:00","content":"hi","author":{"name":"bob"}}]}`

const ownJSON = `[{"ID":900000000000000002,"Timestamp":"2024-05-02 10:00:00","Contents":"newest first","Attachments":"https://cdn.example.com/a/plan.pdf?ex=1"},{"ID":900000000000000001,"Timestamp":"2024-05-02 09:00:00","Contents":"older","Attachments":""},{"ID":"900000000000000000","Timestamp":"","Contents":"no time"}]`

const ownCSV = "ID,Timestamp,Contents,Attachments\n900000000000000001,2021-01-02 09:00:00.123000+00:00,\"two\nlines, quoted \"\"x\"\"\",\n900000000000000002,2021-01-02 09:01:00+00:00,plain,https://cdn.example.com/a/cat.png\n"

var index = map[string]string{"index.json": `{"123456789012345678":"general in Club of in and out","223456789012345678":"Direct Message with bob#0","323456789012345678":null}`}

func TestRead(t *testing.T) {
	golden.Check(t, "testdata/channel.golden.txt", []byte(chattest.Write(chattest.Read(t, discord.New(), chattest.Input("Club - help [200].json", []byte(channel), nil)))))
	golden.Check(t, "testdata/direct.golden.txt", []byte(chattest.Write(chattest.Read(t, discord.New(), chattest.Input("dm.json", []byte(direct), nil)))))
	golden.Check(t, "testdata/own.golden.txt", []byte(chattest.Write(chattest.Read(t, discord.NewPackage(), chattest.Input("package/messages/c123456789012345678/messages.json", []byte(ownJSON), index)))))
	golden.Check(t, "testdata/own-csv.golden.txt", []byte(chattest.Write(chattest.Read(t, discord.NewPackage(), chattest.Input("package/messages/c223456789012345678/messages.csv", []byte(ownCSV), index)))))
	docs, _ := chattest.Read(t, discord.NewPackage(), chattest.Input("package/messages/c323456789012345678/messages.csv", []byte(ownCSV), index))
	if len(docs) != 1 || docs[0].SourceID != "discord:channel 323456789012345678" {
		t.Errorf("a channel without a name: %q", docs[0].SourceID)
	}
}

func TestContract(t *testing.T) {
	chattest.Run(t, discord.New(), "x.json", []byte(channel), nil)
	chattest.Run(t, discord.New(), "x.json", []byte(direct), nil)
	chattest.Run(t, discord.NewPackage(), "messages/c123456789012345678/messages.json", []byte(ownJSON), index)
	chattest.Run(t, discord.NewPackage(), "messages/c123456789012345678/messages.csv", []byte(ownCSV), nil)
}

func TestOtherFiles(t *testing.T) {
	for rel, text := range map[string]string{
		"messages/c123456789012345678/channel.json": `{"id":"123456789012345678","type":"DM","recipients":["1"]}`,
		"messages/index.json":                       index["index.json"],
	} {
		in := chattest.Input(rel, []byte(text), nil)
		if discord.NewPackage().Detect(in) == 0 {
			t.Errorf("%s is not recognised", rel)
		}
		if docs, report := chattest.Read(t, discord.NewPackage(), in); len(docs) > 0 || report.Outcome != doc.Skipped {
			t.Errorf("%s: %+v", rel, report)
		}
	}
	for _, s := range []string{"", "[]", `{"guild":{},"messages":[]}`, "ID,Timestamp\n", `[{"ID":1}]`, `{"123456789012345678":"x"}`} {
		in := chattest.Input("other/index.json", []byte(s), nil)
		if n := discord.New().Detect(in) + discord.NewPackage().Detect(in); n != 0 {
			t.Errorf("%s: %d", s, n)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{channel, direct, `{"messages":[{"timestamp":"2024-05-01","content":"x","author":[],"reference":1}],"guild":1,"channel":2}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in := chattest.Input("x.json", b, nil)
		discord.New().Detect(in)
		chattest.Read(t, discord.New(), in)
	})
}

func FuzzPackage(f *testing.F) {
	for _, s := range []string{ownJSON, ownCSV, csvOdd} {
		f.Add([]byte(s), []byte(index["index.json"]))
	}
	f.Fuzz(func(t *testing.T, b, list []byte) {
		in := chattest.Input("messages/c123456789012345678/messages.json", b, map[string]string{"index.json": string(list)})
		discord.NewPackage().Detect(in)
		chattest.Read(t, discord.NewPackage(), in)
	})
}

const csvOdd = "ID,Timestamp,Contents,Attachments\n1,\"2021-01-02\"x,\"\n,,,,,\n1,2021-01-02,a\r\nb\n"
