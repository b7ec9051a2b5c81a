package telegram_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/chattest"
	"github.com/openhuman/openhuman-core/internal/ingest/telegram"
)

const one = `{
 "name": "Trip", "type": "private_supergroup", "id": 1234567890,
 "messages": [
  {"id": -999, "type": "service", "date": "2024-05-01T08:00:00", "date_unixtime": "1714543200", "actor": "Ada", "actor_id": "user1", "action": "create_group", "title": "Trip", "text": ""},
  {"id": 2, "type": "message", "date": "2024-05-01T23:30:00", "date_unixtime": "1714599000", "from": "Ada Byron", "from_id": "user1", "text": "Who books the train?", "text_entities": [{"type":"plain","text":"Who books the train?"}]},
  {"id": 3, "type": "message", "date": "2024-05-01T23:31:00", "date_unixtime": "1714599060", "edited": "2024-05-01T23:40:00", "from": "Bob Tanaka", "from_id": "user2", "reply_to_message_id": 2, "text": ["I do, ", {"type":"mention_name","text":"Carla","user_id":3}, ", see ", {"type":"text_link","text":"the page","href":"https://example.com/t"}, " and ", {"type":"link","text":"https://example.org"}, {"type":"pre","text":"a = 1\n","language":"go"}]},
  {"id": 4, "type": "message", "date": "2024-05-02T00:10:00", "date_unixtime": "1714601400", "from": "Ada Byron", "from_id": "user1", "forwarded_from": "Rail News", "text": "Trains run\nagain"},
  {"id": 5, "type": "message", "date": "2024-05-02T00:11:00", "from": null, "from_id": "user9", "photo": "photos/p.jpg", "text": "caption of a picture"},
  {"id": 6, "type": "message", "date": "2024-05-02T00:12:00", "from": "Ada Byron", "from_id": "user1", "file": "files/Plan.pdf", "mime_type": "application/pdf", "text": ""},
  {"id": 7, "type": "message", "date": "2024-05-02T00:13:00", "from": "Ada Byron", "from_id": "user1", "file": "x.webp", "media_type": "sticker", "text": ""},
  {"id": 8, "type": "message", "date": "2024-05-02T00:14:00", "from": "Ada Byron", "from_id": "user1", "poll": {"question":"Which day?","answers":[{"text":"Friday","voters":1},{"text":"Monday"}]}, "text": ""},
  {"id": 9, "type": "message", "date": "never", "from": "Ada Byron", "text": "no time"},
  {"id": 8, "type": "message", "date": "2024-05-02T00:14:00", "from": "Ada Byron", "text": "the same id twice"},
  {"id": 10, "type": "message", "date": "2024-05-02T00:15:00", "from": "Trip", "from_id": "channel1234567890", "text": "said as the group"}
 ]
}`

const account = `{"about":"Here is the data you requested.","personal_information":{"first_name":"Ada"},"contacts":{"list":[{"first_name":"Bob"}]},
 "chats":{"about":"chats","list":[
  {"name":"Bob Tanaka","type":"personal_chat","id":11,"messages":[{"id":1,"type":"message","date":"2024-05-01T12:00:00","date_unixtime":"1714557600","from":"Bob Tanaka","from_id":"user11","text":"hello Ada"}]},
  {"name":"Bob Tanaka","type":"personal_chat","id":12,"messages":[{"id":1,"type":"message","date":"2024-05-01T12:00:00","date_unixtime":"1714557600","from":"Bob Tanaka","from_id":"user12","text":"another Bob"}]},
  {"name":null,"type":"personal_chat","id":13,"messages":[{"id":1,"type":"message","date":"2024-05-01T12:00:00","date_unixtime":"1714557600","from":null,"from_id":"user13","text":"gone since"}]},
  {"type":"saved_messages","id":14,"messages":[{"id":1,"type":"message","date":"2024-05-01T12:00:00","date_unixtime":"1714557600","from":"Ada","from_id":"user1","text":"a note to self"}]}]},
 "left_chats":{"about":"left","list":[{"name":"News","type":"public_channel","id":15,"messages":[{"id":7,"type":"message","date":"2024-05-01T12:00:00","date_unixtime":"1714557600","from":"News","from_id":"channel15","text":"an old post"}]}]}}`

const pages = `<!DOCTYPE html>
<html><head><meta charset="utf-8"/><title>Exported Data</title></head><body onload="CheckLocation();">
<div class="page_wrap"><div class="page_header"><div class="content"><div class="text bold">
Trip &amp; more
</div></div></div>
<div class="page_body chat_page"><div class="history">
<div class="message service" id="message-1"><div class="body details">1 May 2024</div></div>
<div class="message default clearfix" id="message2">
 <div class="pull_left userpic_wrap"><div class="userpic userpic1"><div class="initials">A</div></div></div>
 <div class="body">
  <div class="pull_right date details" title="01.05.2024 23:30:00 UTC+02:00">23:30</div>
  <div class="from_name">
Ada Byron
  </div>
  <div class="text">
Who books &lt;the train&gt;?<br>Line two: <a href="https://example.com/t">the page</a> <a href="https://example.org/">https://example.org/</a><strong>bold</strong><pre>a = 1
  b = 2</pre>
  </div>
  <div class="signature details">Ada, admin</div>
  <span class="reactions"><span class="reaction"><span class="emoji">👍</span></span></span>
 </div></div>
<div class="message default clearfix joined" id="message3"><div class="body">
  <div class="pull_right date details" title="01.05.2024 23:31:00 UTC+02:00">23:31</div>
  <div class="media_wrap clearfix"><a class="media clearfix pull_left block_link media_file" href="files/Plan.pdf"><div class="fill pull_left"></div><div class="body"><div class="title bold">Plan.pdf</div><div class="status details">12 KB</div></div></a></div>
  <div class="text">with a caption</div>
 </div></div>
<div class="message default clearfix" id="message4"><div class="body">
  <div class="pull_right date details" title="02.05.2024 00:10:00 UTC+02:00">00:10</div>
  <div class="from_name">Bob Tanaka <span class="details">via bot</span></div>
  <div class="reply_to details">In reply to <a href="#go_to_message2" onclick="return GoToMessage(2)">this message</a></div>
  <div class="text">I do.</div>
 </div></div>
<div class="message default clearfix" id="message5"><div class="body">
  <div class="pull_right date details" title="02.05.2024 00:11:00 UTC+02:00">00:11</div>
  <div class="from_name">Bob Tanaka</div>
  <div class="pull_left forwarded userpic_wrap"></div>
  <div class="forwarded body"><div class="from_name">Rail News <span class="date details" title="01.05.2024 10:00:00 UTC+02:00"> 01.05.2024 10:00:00</span></div><div class="text">Trains run</div></div>
 </div></div>
<div class="message default clearfix" id="message6"><div class="body"><div class="from_name">Bob Tanaka</div><div class="text">no time</div></div></div>
<div class="message default clearfix" id="message7"><div class="body"><div class="pull_right date details" title="02.05.2024 00:12:00">x</div><div class="from_name">Bob Tanaka</div><div class="media_wrap clearfix"><a class="photo_wrap clearfix pull_left" href="photos/p.jpg"><img class="photo" src="p.jpg"/></a></div></div></div>
</div><a class="pagination block_link" href="messages2.html">Next messages</a></div></div></body></html>`

func TestRead(t *testing.T) {
	golden.Check(t, "testdata/one.golden.txt", []byte(chattest.Write(chattest.Read(t, telegram.New(), chattest.Input("ChatExport/result.json", []byte(one), nil)))))
	golden.Check(t, "testdata/account.golden.txt", []byte(chattest.Write(chattest.Read(t, telegram.New(), chattest.Input("result.json", []byte(account), nil)))))
	golden.Check(t, "testdata/page.golden.txt", []byte(chattest.Write(chattest.Read(t, telegram.NewPage(), chattest.Input("ChatExport/messages.html", []byte(pages), nil)))))
}

func TestContract(t *testing.T) {
	chattest.Run(t, telegram.New(), "result.json", []byte(one), nil)
	chattest.Run(t, telegram.New(), "result.json", []byte(account), nil)
	chattest.Run(t, telegram.NewPage(), "messages2.html", []byte(pages), nil)
}

func TestNotMine(t *testing.T) {
	for _, s := range []string{"", "text", "[]", `{"name":"x","type":"y","messages":[]}`, `{"messages":[{"id":1}],"guild":{},"channel":{}}`, "<html><body><div class=\"message\">x</div></body></html>"} {
		for _, name := range []string{"result.json", "messages.html"} {
			in := chattest.Input(name, []byte(s), nil)
			if n := telegram.New().Detect(in) + telegram.NewPage().Detect(in); n != 0 {
				t.Errorf("%s: %d", s, n)
			}
		}
	}
}

// TestAnswersStayWithQuestions: an answer far below what it answers stands behind it.
func TestAnswersStayWithQuestions(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"name":"G","type":"private_group","id":1,"messages":[`)
	for i := 1; i <= 20; i++ {
		reply := ""
		switch i {
		case 15:
			reply = `,"reply_to_message_id":2`
		case 16:
			reply = `,"reply_to_message_id":15`
		case 20:
			reply = `,"reply_to_message_id":18`
		}
		fmt.Fprintf(&b, `{"id":%d,"type":"message","date":"2024-05-01T12:%02d:00","from":"A","from_id":"u","text":"%d"%s},`, i, i, i, reply)
	}
	text := strings.TrimSuffix(b.String(), ",") + "]}"
	docs, _ := chattest.Read(t, telegram.New(), chattest.Input("result.json", []byte(text), nil))
	var got []string
	for _, m := range docs[0].Messages {
		got = append(got, m.Text)
	}
	if d := cmp.Diff("1 2 15 16 3 4 5 6 7 8 9 10 11 12 13 14 17 18 19 20", strings.Join(got, " ")); d != "" {
		t.Error(d)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(one))
	f.Add([]byte(account))
	f.Add([]byte(`{"messages":[{"type":"message","date":"2024-05-01","text":[[],1,{"text":2}]}],"name":1,"chats":[]}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := chattest.Input("result.json", b, nil)
		telegram.New().Detect(in)
		chattest.Read(t, telegram.New(), in)
	})
}

func FuzzPage(f *testing.F) {
	f.Add([]byte(pages))
	f.Add([]byte(`<div class="message default"><div class=text>a<pre><a href=x://y>b</a></div></div></div><div class="date details" title="02.05.2024 00:12:00">`))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := chattest.Input("messages.html", b, nil)
		telegram.NewPage().Detect(in)
		chattest.Read(t, telegram.NewPage(), in)
	})
}
