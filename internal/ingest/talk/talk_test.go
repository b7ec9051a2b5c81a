package talk_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
)

var noon = time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)

// write has a Writer make documents and returns them as "key: texts".
func write(t testing.TB, msgs []talk.Message) []string {
	t.Helper()
	var out []string
	w := talk.New(t.Context(), func(d *doc.Document) error {
		var texts []string
		for _, m := range d.Messages {
			texts = append(texts, m.Text)
		}
		out = append(out, d.Key+": "+strings.Join(texts, " "))
		return nil
	}, talk.Room{SourceID: "x:y", Key: "r", Title: "y"})
	for _, m := range msgs {
		if err := w.Add(m); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if w.Emitted() != len(out) {
		t.Errorf("%d emitted, %d told", len(out), w.Emitted())
	}
	return out
}

func TestDays(t *testing.T) {
	zone := time.FixedZone("", 9*3600)
	got := write(t, []talk.Message{
		{ID: "3", Time: noon.Add(2 * time.Minute), Text: "c"}, {ID: "1", Time: noon, Text: "a"}, {ID: "2", Time: noon.Add(time.Minute), Text: "b"}, {ID: "2", Time: noon.Add(time.Minute), Text: "b again"},
		{ID: "5", Time: noon.Add(3 * time.Hour).In(zone), Text: "the next day there"}, {ID: "6", Time: noon, Text: " \n"},
		{ID: "1", Time: noon, Text: "a day that comes back"},
	})
	if d := cmp.Diff([]string{"r/2024-05-01/1: a b c", "r/2024-05-02/5: the next day there", "r/2024-05-01/1/2: a day that comes back"}, got); d != "" {
		t.Error(d)
	}
}

// TestNothingIsLost: whatever messages come in whatever order, each text is emitted once, and no two
// documents share a key.
func TestNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(t, "n")
		var msgs []talk.Message
		for i := range n {
			m := talk.Message{ID: fmt.Sprint(i), Time: noon.Add(time.Duration(rapid.IntRange(-3000, 3000).Draw(t, "minute")) * time.Minute), Text: fmt.Sprintf("text%d.", i)}
			if rapid.Bool().Draw(t, "answers") {
				m.ReplyTo = fmt.Sprint(rapid.IntRange(0, 60).Draw(t, "to"))
			}
			msgs = append(msgs, m)
		}
		var texts []string
		keys := map[string]bool{}
		w := talk.New(context.Background(), func(d *doc.Document) error {
			if keys[d.Key] {
				t.Fatalf("key %s twice", d.Key)
			}
			keys[d.Key] = true
			for _, m := range d.Messages {
				texts = append(texts, m.Text)
			}
			return nil
		}, talk.Room{})
		for _, m := range msgs {
			if err := w.Add(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		all := strings.Join(texts, " ")
		for _, m := range msgs {
			if strings.Count(all, m.Text) != 1 {
				t.Fatalf("%s stands %d times in %s", m.Text, strings.Count(all, m.Text), all)
			}
		}
	})
}

func TestLargeDayGoesOn(t *testing.T) {
	var msgs []talk.Message
	for i := range 90 {
		msgs = append(msgs, talk.Message{ID: fmt.Sprint(i), Time: noon.Add(time.Duration(i) * time.Second), Text: strings.Repeat("x", 100_000)})
	}
	if got := write(t, msgs); len(got) != 3 {
		t.Errorf("%d documents of 9 MB", len(got))
	}
}

func TestThread(t *testing.T) {
	var got []string
	emit := func(d *doc.Document) error {
		for _, m := range d.Messages {
			got = append(got, d.Key+" "+m.Time.Format(time.TimeOnly)+" "+m.Text[:1])
		}
		return nil
	}
	n, err := talk.Thread(emit, doc.Document{Key: "k", Time: noon, Messages: []doc.Message{
		{Text: "a"}, {Text: "b", Time: noon.Add(time.Hour)}, {Text: "c"}, {Text: "  "}, {Text: strings.Repeat("d", 5<<20)}, {Text: "e"},
	}})
	want := []string{"k 12:00:00 a", "k 13:00:00 b", "k 13:00:00 c", "k/2 13:00:00 d", "k/3 13:00:00 e"}
	if d := cmp.Diff(want, got); d != "" || n != 3 || err != nil {
		t.Errorf("%d, %v: %s", n, err, d)
	}
	stop := errors.New("stop")
	if _, err := talk.Thread(func(*doc.Document) error { return stop }, doc.Document{Messages: []doc.Message{{Text: "a"}}}); !errors.Is(err, stop) {
		t.Error(err)
	}
}

func TestLines(t *testing.T) {
	long := strings.Repeat("é", 200_000)
	l := talk.NewLines(iotest.HalfReader(strings.NewReader("\ufeffone\r\n\n"+long+"\nlast\xff")), []byte("\ufeffone"))
	var got []string
	var numbers []int
	for {
		s, err := l.Next()
		if err != nil {
			break
		}
		if !utf8.ValidString(s) {
			t.Errorf("not UTF-8: %q", s[:10])
		}
		got, numbers = append(got, s), append(numbers, l.Number())
	}
	if strings.Join(got, "|") != "one||"+strings.Join([]string{got[2], got[3]}, "|")+"|last\ufffd" || got[2]+got[3] != long {
		t.Errorf("%d lines", len(got))
	}
	if d := cmp.Diff([]int{1, 2, 3, 3, 4}, numbers); d != "" {
		t.Error(d)
	}
	wide := "\xff\xfeh\x00\xe9\x00\n\x00x\x00"
	if d := cmp.Diff([]string{"hé", "x"}, talk.Head([]byte(wide), 9)); d != "" {
		t.Error(d)
	}
}

func TestReports(t *testing.T) {
	var none, noted, unseen talk.Troubles
	for range 7 {
		noted.Note("a")
	}
	unseen.Unseen("b")
	for _, c := range []struct {
		tr   *talk.Troubles
		n    int
		want doc.Report
	}{
		{&none, 1, doc.Report{Outcome: doc.OK}},
		{&none, 0, doc.Report{Outcome: doc.NoText, Reason: "There are no messages in it."}},
		{&noted, 1, doc.Report{Outcome: doc.Partial, Reason: "Some of it could not be read: a; a; a; a; a; and 2 more.", Whole: true}},
		{&unseen, 1, doc.Report{Outcome: doc.Partial, Reason: "Some of it could not be read: b."}},
		{&unseen, 0, doc.Report{Outcome: doc.Failed, Reason: "No message in it could be read: b."}},
	} {
		if d := cmp.Diff(c.want, c.tr.Report(c.n)); d != "" {
			t.Error(d)
		}
	}
}

func TestEnds(t *testing.T) {
	var whole, empty, cut, line talk.Troubles
	whole.Ended(nil, 2, "days")
	whole.EndedAt(io.EOF, 7)
	empty.Ended(io.EOF, 0, "days")
	cut.Ended(io.EOF, 2, "days")
	line.EndedAt(io.ErrUnexpectedEOF, 7)
	for _, c := range []struct {
		tr   *talk.Troubles
		n    int
		want doc.Report
	}{
		{&whole, 2, doc.Report{Outcome: doc.OK}},
		{&empty, 0, doc.Report{Outcome: doc.NoText, Reason: "There are no messages in it."}},
		{&cut, 2, doc.Report{Outcome: doc.Partial, Reason: "Some of it could not be read: it is damaged or cut off after 2 days."}},
		{&line, 0, doc.Report{Outcome: doc.Failed, Reason: "No message in it could be read: line 8 and what follows cannot be read."}},
	} {
		if d := cmp.Diff(c.want, c.tr.Report(c.n)); d != "" {
			t.Error(d)
		}
	}
}

func TestNames(t *testing.T) {
	for in, want := range map[string]string{
		"\u200eAda\u00a0 Byron\n": "Ada Byron", "a\xffb": "a\ufffdb", "  ": "", strings.Repeat("é", 100): strings.Repeat("é", 60),
	} {
		if got := talk.Name(in); got != want {
			t.Errorf("%q: %q", in, got)
		}
	}
	if got := talk.Tidy("\n a\r\nb\x00\rc\x1b \n"); got != " a\nb\nc" {
		t.Errorf("%q", got)
	}
}
