package chunk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/chunk"
	"github.com/openhuman/openhuman-core/internal/doc"
)

func chat(ms ...doc.Message) *doc.Document {
	return &doc.Document{Kind: doc.KindChat, Key: "c", Title: "#eng", Time: day, SourceRef: "c", Messages: ms}
}

func msg(after time.Duration, author, text string) doc.Message {
	return doc.Message{Author: doc.Person{Name: author}, Time: day.Add(after), Text: text, SourceRef: fmt.Sprint("m", int(after.Seconds()))}
}

func TestChatWindow(t *testing.T) {
	cs := chunk.Split("x", chat(
		msg(0, "Ada", "Is the build green?"), msg(time.Minute, "Bob", "Yes.\nSince noon."), msg(2*time.Minute, "Ada", " "), msg(3*time.Minute, "", "joined")))
	if diff := cmp.Diff([]string{"Ada: Is the build green?\nBob: Yes.\nSince noon.\njoined"}, texts(cs)); diff != "" {
		t.Fatal(diff)
	}
	c := cs[0]
	if c.Author != "Ada, Bob" || c.Context != "#eng — 1 May 2024" || c.SourceRef != "m0" || !c.Time.Equal(day) {
		t.Errorf("chunk = %+v", c)
	}
}

func TestChatBreaksAtSilence(t *testing.T) {
	for _, c := range []struct {
		name string
		ms   []doc.Message
		want int
	}{
		{"a long one", []doc.Message{msg(0, "a", "night"), msg(9*time.Hour, "b", "morning")}, 2},
		{"but not between question and answer", []doc.Message{msg(0, "a", "Coming?"), msg(9*time.Hour, "b", "Yes!")}, 1},
		{"unless that took days", []doc.Message{msg(0, "a", "Coming?"), msg(50*time.Hour, "b", "Yes!")}, 2},
		{"not at a short one in a small window", []doc.Message{msg(0, "a", "lunch"), msg(2*time.Hour, "b", "back")}, 1},
		{"at a short one in a larger window", []doc.Message{msg(0, "a", words(120, "lunch")), msg(2*time.Hour, "b", "back")}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := chunk.Split("x", chat(c.ms...)); len(got) != c.want {
				t.Errorf("%d windows: %q", len(got), texts(got))
			}
		})
	}
}

func TestChatQuestionMovesToItsAnswer(t *testing.T) {
	cs := chunk.Split("x", chat(
		msg(0, "a", words(110, "first")), msg(time.Second, "b", words(60, "more")), msg(2*time.Second, "a", "And where is the key?"), msg(3*time.Second, "b", words(60, "answer"))))
	if len(cs) != 2 || !strings.HasPrefix(cs[1].Text, "a: And where is the key?\nb: answer") {
		t.Errorf("windows: %q", texts(cs))
	}
}

func TestChatAppendKeepsWindows(t *testing.T) {
	var ms []doc.Message
	for i := range 200 {
		ms = append(ms, msg(time.Duration(i)*time.Minute, "a", words(20, fmt.Sprint("w", i))))
	}
	before, after := chunk.Split("x", chat(ms[:150]...)), chunk.Split("x", chat(ms...))
	for i, c := range before[:len(before)-1] {
		if after[i].ID != c.ID {
			t.Fatalf("window %d of %d changed", i, len(before))
		}
	}
}

func TestPropertyChatIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "messages")
		var ms []doc.Message
		at := time.Duration(0)
		for range n {
			at += time.Duration(rapid.SampledFrom([]int{1, 60, 4000, 90000}).Draw(t, "gap")) * time.Second
			ms = append(ms, msg(at, rapid.SampledFrom([]string{"Ada", "Bob Tanaka", ""}).Draw(t, "author"),
				strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "text"), "")))
		}
		cs := chunk.Split("x", chat(ms...))
		all := strings.Join(texts(cs), "\n") + "\n"
		for _, c := range cs {
			if len(c.Text) > chunk.MaxBytes {
				t.Errorf("%d bytes", len(c.Text))
			}
		}
		at2 := 0
		for _, m := range ms {
			text := strings.Trim(m.Text, "\n")
			if strings.TrimSpace(text) == "" {
				continue
			}
			line := text
			if m.Author.Name != "" {
				line = m.Author.Name + ": " + text
			}
			if len(line) > chunk.MaxBytes {
				continue // cut into pieces, which the test of bodies covers
			}
			i := strings.Index(all[at2:], line+"\n")
			if i < 0 {
				t.Fatalf("message lost or cut: %q", line)
			}
			at2 += i + len(line)
		}
	})
}

func TestHugeMessageIsCut(t *testing.T) {
	body := strings.Repeat("A sentence of a very long message. ", 1000)
	cs := chunk.Split("x", chat(msg(0, "Ada", "hi"), msg(1, "Bob", body), msg(2, "Ada", "wow")))
	if len(cs) < 10 || cs[0].Text != "Ada: hi" || cs[len(cs)-1].Text != "Ada: wow" {
		t.Fatalf("%d windows", len(cs))
	}
	var b strings.Builder
	for _, c := range cs[1 : len(cs)-1] {
		piece, ok := strings.CutPrefix(c.Text, "Bob: ")
		if !ok {
			t.Errorf("a piece without its author: %q", c.Text[:30])
		}
		b.WriteString(piece)
	}
	if b.String() != body {
		t.Error("text changed")
	}
}
