package imessage_test

import (
	"testing"

	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/chattest"
	"github.com/openhuman/openhuman-core/internal/ingest/imessage"
)

const text = `May 17, 2022  5:29:42 PM (Read by you after 1 hour, 49 seconds)
Ada Byron
Who books the train?

With a second paragraph.
Tapbacks:
Loved by Me

    May 17, 2022 11:29:42 PM
    Me
    I do.

May 17, 2022  5:30:00 PM You renamed the conversation to Trip

May 17, 2022 11:29:42 PM
Me
I do.
This message responded to an earlier message.

May 18, 2022 12:00:01 AM
Ada Byron
/Users/ada/Library/Messages/Attachments/ab/12/plan.pdf
/Users/ada/Library/Messages/Attachments/ab/12/IMG_1.heic
the plan
Sent with Balloons

`

const page = `<html>
<meta charset="UTF-8">
<style>
span.bubble { color: blue } .message .sent { } .message .received { }
</style>
<div class="message">
    <div class="received">
        <p><span class="timestamp"><a href="#x">May 17, 2022  5:29:42 PM</a> (Read by you after 5 seconds)</span>
            <span class="sender">Ada Byron</span>
        </p>
        <hr>
        <div class="message_part"><span class="bubble">Who books <b>the train</b> &amp; boat?<br>Line two</span></div>
        <hr><div class="message_part"><span class="bubble">A second part</span></div>
        <span class="expressive">Sent with Echo</span>
        <div class="tapbacks"><p>Tapbacks:</p><div class="tapback"><span class="tapback"><b>Loved</b> by Me</span></div></div>
        <div class="replies"><div class="reply"><div class="message"><div class="sent iMessage"><p><span class="timestamp">May 17, 2022 11:29:42 PM</span><span class="sender">Me</span></p><hr><div class="message_part"><span class="bubble">I do.</span></div></div></div></div></div>
    </div>
</div>
<div class="announcement"><p><span class="timestamp">May 17, 2022  5:30:00 PM</span> You renamed the conversation</p></div>
<div class="message"><div class="sent iMessage"><p><span class="timestamp">May 17, 2022 11:29:42 PM</span><span class="sender">Me</span></p><hr><div class="message_part"><span class="bubble">I do.</span></div><span class="reply_context">This message responded to an earlier message.</span></div></div>
<div class="message"><div class="sent iMessage"><p><span class="timestamp">May 18, 2022 12:00:01 AM</span><span class="sender">Me</span></p><hr><div class="message_part"><a href="attachments/1/plan.pdf">Click to download plan.pdf (12 KB)</a></div></div></div>
<div class="message"><div class="sent"><p><span class="timestamp">never</span><span class="sender">Me</span></p><div class="message_part"><span class="bubble">no time</span></div></div></div>
</html>`

func TestRead(t *testing.T) {
	golden.Check(t, "testdata/text.golden.txt", []byte(chattest.Write(chattest.Read(t, imessage.New(), chattest.Input("export/Ada Byron.txt", []byte(text), nil)))))
	golden.Check(t, "testdata/page.golden.txt", []byte(chattest.Write(chattest.Read(t, imessage.NewPage(), chattest.Input("export/Ada Byron.html", []byte(page), nil)))))
}

func TestContract(t *testing.T) {
	chattest.Run(t, imessage.New(), "Ada.txt", []byte(text), nil)
	chattest.Run(t, imessage.NewPage(), "Ada.html", []byte(page), nil)
}

func TestNotMine(t *testing.T) {
	for _, s := range []string{"", "May 17, 2022\nwe met\n", "May 17, 2022 5:29:42 PM", "<html><div class=\"message\">x</div></html>", "On May 17, 2022  5:29:42 PM Ada wrote:\n> x\n"} {
		in := chattest.Input("x.txt", []byte(s), nil)
		if n := imessage.New().Detect(in) + imessage.NewPage().Detect(in); n != 0 {
			t.Errorf("%q: %d", s, n)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(text))
	f.Add([]byte(page))
	f.Fuzz(func(t *testing.T, b []byte) {
		in := chattest.Input("x.txt", b, nil)
		imessage.New().Detect(in)
		chattest.Read(t, imessage.New(), in)
		imessage.NewPage().Detect(in)
		chattest.Read(t, imessage.NewPage(), in)
	})
}
