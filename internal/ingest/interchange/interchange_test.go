package interchange_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/interchange"
)

var when = time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)

const ms = 1714554000000 // when

func input(body string) *doc.Input {
	return &doc.Input{
		Rel: "x.jsonl", Size: int64(len(body)), ModTime: when, Head: []byte(body[:min(len(body), doc.HeadSize)]),
		Open: func() (doc.File, error) { return doc.InMemory([]byte(body)), nil },
	}
}

func read(t *testing.T, r *interchange.Reader, body string) ([]*doc.Document, doc.Report) {
	t.Helper()
	var ds []*doc.Document
	report, err := r.Read(t.Context(), input(body), func(d *doc.Document) error { ds = append(ds, d); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return ds, report
}

func TestKinds(t *testing.T) {
	ds, report := read(t, interchange.New(), strings.Join([]string{
		`{"source_kind":"chat","source_id":"slack:#eng","owner":"me","tags":["work"," "],"payload":{"platform":"slack","channel_label":"#eng","messages":[` +
			`{"author":"Bob","timestamp":1714554060000,"text":"second\r\nline","source_ref":"m2"},{"author":"Ada <ada@x.org>","timestamp":1714554000000,"text":"first","source_ref":"m1"},{"author":"@eve","timestamp":"1714554120000","text":" "}]}}`,
		`{"source_kind":"email","source_id":"gmail:a|b","payload":{"provider":"gmail","thread_subject":"Paint","messages":[` +
			`{"from":"Ada Byron <ada@x.org>","to":["Bob <bob@x.org>, \"Orlov, Dmitri\" <d@x.org>"],"cc":"carol@x.org","subject":"","sent_at":1714554000000,"body":"Which colour?","source_ref":"<1@x>"},` +
			`{"from":"bob@x.org","to":"ada@x.org","cc":null,"subject":"Re: Paint","sent_at":1714554060000,"body":"Blue."}]}}`,
		`{"source_kind":"Document","source_id":"drive:x","owner":null,"tags":null,"payload":{"provider":"drive","title":"Plan","body":"# Plan\n\nBuy.","modified_at":1714554000000,"source_ref":"https://x/1"}}`,
		`{"source_kind":"document","source_id":"drive:x","payload":{"title":"Undated","body":"Text."}}`,
	}, "\n"))
	if report.Outcome != doc.OK {
		t.Fatalf("%+v", report)
	}
	want := []*doc.Document{
		{
			SourceID: "slack:#eng", Kind: doc.KindChat, Owner: "me", Tags: []string{"work"}, Key: "m1", SourceRef: "m1", Title: "#eng", Time: when,
			Messages: []doc.Message{
				{Author: doc.Person{Name: "Ada", Email: "ada@x.org"}, Time: when, Text: "first", SourceRef: "m1"},
				{Author: doc.Person{Name: "Bob"}, Time: when.Add(time.Minute), Text: "second\nline", SourceRef: "m2"},
			},
		},
		{
			SourceID: "gmail:a|b", Kind: doc.KindEmail, Key: "<1@x>", SourceRef: "<1@x>", Title: "Paint", Time: when, Body: "Which colour?",
			Author: doc.Person{Name: "Ada Byron", Email: "ada@x.org"},
			To:     []doc.Person{{Name: "Bob", Email: "bob@x.org"}, {Name: "Orlov, Dmitri", Email: "d@x.org"}, {Email: "carol@x.org"}},
		},
		{
			SourceID: "gmail:a|b", Kind: doc.KindEmail, Title: "Re: Paint", Time: when.Add(time.Minute), Body: "Blue.",
			Author: doc.Person{Email: "bob@x.org"}, To: []doc.Person{{Email: "ada@x.org"}},
		},
		{SourceID: "drive:x", Kind: doc.KindDocument, Key: "https://x/1", SourceRef: "https://x/1", Title: "Plan", Time: when, Markdown: true, Body: "# Plan\n\nBuy."},
		{SourceID: "drive:x", Kind: doc.KindDocument, Title: "Undated", Time: when, Markdown: true, Body: "Text."},
	}
	for i, d := range ds {
		if d.Key == "" {
			t.Errorf("document %d has no key", i)
		}
		if i < len(want) && want[i].Key == "" {
			want[i].Key = d.Key
		}
	}
	if diff := cmp.Diff(want, ds); diff != "" {
		t.Error(diff)
	}
}

func TestBadLinesAreNamedAndLeftOut(t *testing.T) {
	good := `{"source_kind":"document","source_id":"d:x","payload":{"title":"t","body":"Good.","modified_at":1714554000000}}`
	at := func(v string) string {
		return `{"source_kind":"document","source_id":"d:x","payload":{"title":"t","body":"b","modified_at":` + v + `}}`
	}
	for bad, want := range map[string]string{
		`not json`:                   "line 2: not valid JSON at byte 2",
		`{"source_kind":"document"`:  "line 2: not valid JSON at byte 25",
		`[1]`:                        "line 2: it is a JSON array, not an object",
		`{"source_kind":"sms"}`:      `line 2: source_kind "sms" is not one of chat, email, document`,
		`{"source_kind":"document"}`: "line 2: payload is missing",
		`{"source_kind":"document","payload":"x"}`:        "line 2: payload is not an object",
		`{"source_kind":"document","payload":{"body":7}}`: "line 2: payload: body is a JSON number",
		at("1714554000"):       "line 2: modified_at: 1714554000 is in early 1970; milliseconds are wanted, not seconds",
		at("1714554000000000"): "line 2: modified_at: 1714554000000000 milliseconds are in the year 56302",
		at("-5"):               "line 2: modified_at: -5 milliseconds are in the year 1969",
		at(`"yesterday"`):      `line 2: modified_at: "yesterday" is not a number of milliseconds since 1970`,
		`{"source_kind":"chat","source_id":"c","payload":{"messages":[{"author":"a","text":"hi"}]}}`: "line 2: messages[0].timestamp: missing",
		`{"source_kind":"email","source_id":"c","payload":{"messages":[{"body":"hi"}]}}`:             "line 2: messages[0].sent_at: missing",
	} {
		ds, report := read(t, interchange.New(), good+"\n"+bad+"\n\n"+strings.Replace(good, "Good.", "Better.", 1))
		if len(ds) != 2 || report.Outcome != doc.Partial || !report.Whole {
			t.Errorf("%s: %d documents, %+v", bad, len(ds), report)
		}
		if report.Reason != want {
			t.Errorf("%s: %q", bad, report.Reason)
		}
	}
	t.Run("many", func(t *testing.T) {
		_, report := read(t, interchange.New(), good+strings.Repeat("\nx", 7)+"\n{}\n"+good+strings.Repeat("\nx", 2)+strings.Repeat("\n{}", 2000))
		want := `lines 2-8, 11-12: not valid JSON at byte 1; lines 9, 13-1002: source_kind "" is not one of chat, email, document; and 1010 more lines`
		if report.Reason != want {
			t.Errorf("%q", report.Reason)
		}
	})
	t.Run("many causes", func(t *testing.T) {
		var text strings.Builder
		text.WriteString(good)
		for i := range 30 {
			text.WriteString("\n" + strings.Repeat(" ", i) + "[" + strings.Repeat("1,", i) + "x")
		}
		_, report := read(t, interchange.New(), text.String())
		if n := strings.Count(report.Reason, "not valid JSON at byte"); n != 20 || !strings.HasSuffix(report.Reason, "; other mistakes in lines 22-31") {
			t.Errorf("%d: %q", n, report.Reason)
		}
	})
	t.Run("no payload anywhere", func(t *testing.T) {
		line := `{"source_kind":"document","source_id":"x:y"}`
		if interchange.New().Detect(input(line)) == 0 {
			t.Error("not known")
		}
		if _, report := read(t, interchange.New(), line); report.Outcome != doc.Failed || report.Reason != "line 1: payload is missing" {
			t.Errorf("%+v", report)
		}
	})
	t.Run("only bad ones", func(t *testing.T) {
		if _, report := read(t, interchange.New(), "{}\nx"); report.Outcome != doc.Failed {
			t.Errorf("%+v", report)
		}
	})
	t.Run("empty", func(t *testing.T) {
		if _, report := read(t, interchange.New(), "\n \n"); report.Outcome != doc.NoText {
			t.Errorf("%+v", report)
		}
	})
}

func TestLinesDoNotOverwriteEachOther(t *testing.T) {
	chat := func(text string, ms int) string {
		return fmt.Sprintf(`{"source_kind":"chat","source_id":"c:x","payload":{"channel_label":"x","messages":[{"author":"a","timestamp":%d,"text":%q}]}}`, ms, text)
	}
	document := func(body string) string {
		return fmt.Sprintf(`{"source_kind":"document","source_id":"d:x","payload":{"title":"same","body":%q,"modified_at":1714554000000}}`, body)
	}
	mail := func(body string) string {
		return fmt.Sprintf(`{"source_kind":"email","source_id":"m:x","payload":{"thread_subject":"same","messages":[{"from":"a@x","subject":"same","sent_at":1714554000000,"body":%q}]}}`, body)
	}
	lines := []string{chat("one", ms), chat("two", ms+1000), chat("three", ms), document("one"), document("two"), mail("one"), mail("two")}
	keys := func(lines ...string) map[string]string {
		ds, _ := read(t, interchange.New(), strings.Join(lines, "\n"))
		out := map[string]string{}
		for _, d := range ds {
			text := d.Body
			if d.Kind == doc.KindChat {
				text = d.Messages[0].Text
			}
			out[string(d.Kind)+" "+text] = d.SourceID + " " + d.Key
		}
		return out
	}
	all := keys(lines...)
	distinct := map[string]bool{}
	for _, k := range all {
		distinct[k] = true
	}
	if len(all) != 7 || len(distinct) != 7 {
		t.Errorf("%v", all)
	}
	if diff := cmp.Diff(all, keys(append(lines, lines...)...)); diff != "" {
		t.Errorf("a line that stands there twice is another document: %s", diff)
	}
	t.Run("a grown conversation keeps its key", func(t *testing.T) {
		before := keys(chat("one", ms))
		after := keys(strings.Replace(chat("one", ms), `}]}}`, `},{"author":"b","timestamp":1714554009000,"text":"more"}]}}`, 1))
		if diff := cmp.Diff(before, after); diff != "" {
			t.Error(diff)
		}
	})
}

// Of one source_ref the last line is served, wherever it stands, and nothing of another is lost.
func TestTheLaterLineIsTheNewerState(t *testing.T) {
	document := func(ref, body string) string {
		return fmt.Sprintf(`{"source_kind":"document","source_id":"d:x","payload":{"title":"Plan","body":%q,"modified_at":%d,"source_ref":%q}}`, body, ms, ref)
	}
	mail := func(ref, body string) string {
		return fmt.Sprintf(`{"source_kind":"email","source_id":"m:x","payload":{"thread_subject":"t","messages":[{"from":"a@x","subject":"s","sent_at":%d,"body":%q,"source_ref":%q}]}}`, ms, body, ref)
	}
	chat := func(refs ...string) string {
		var m []string
		for i, ref := range refs {
			m = append(m, fmt.Sprintf(`{"author":"a","timestamp":%d,"text":"says %s","source_ref":%q}`, ms+1000*i, ref, ref))
		}
		return `{"source_kind":"chat","source_id":"c:x","payload":{"channel_label":"x","messages":[` + strings.Join(m, ",") + `]}}`
	}
	ds, report := read(t, interchange.New(), strings.Join([]string{
		document("r1", "First state."), document("r2", "Other."), document("r1", "Second state."), mail("m1", "Old."), document("r1", "Last state."), mail("m1", "New."),
		chat("1", "2"), chat("1", "2", "3"), chat("1", "9"),
	}, "\n"))
	if report.Outcome != doc.OK {
		t.Errorf("%+v", report)
	}
	var got []string
	for _, d := range ds {
		text := d.Body
		for _, m := range d.Messages {
			text += m.SourceRef + " "
		}
		got = append(got, d.SourceID+" "+d.Key+": "+text)
	}
	if diff := cmp.Diff([]string{
		"d:x r2: Other.", "d:x r1: Last state.", "m:x m1: New.", "c:x 1: 1 2 3 ", "c:x 1~2: 1 9 ",
	}, got); diff != "" {
		t.Error(diff)
	}
}

func TestBadTimesCostOneMessageEach(t *testing.T) {
	ds, report := read(t, interchange.New(), `{"source_kind":"chat","source_id":"c:x","payload":{"messages":[`+
		`{"author":"a","timestamp":1714554000000,"text":"one"},{"author":"b","timestamp":"soon","text":"two"},{"author":"c","timestamp":1714554060000,"text":"three"},{"author":"d","text":"four"}]}}`+"\n"+
		`{"source_kind":"email","source_id":"m:x","payload":{"thread_subject":"t","messages":[{"from":"a@x","sent_at":1,"body":"bad"},{"from":"b@x","sent_at":1714554060000,"body":"good"}]}}`)
	if len(ds) != 2 || len(ds[0].Messages) != 2 || ds[0].Messages[1].Text != "three" || ds[1].Body != "good" {
		t.Errorf("%+v", ds)
	}
	want := `line 1: messages[1].timestamp: "soon" is not a number of milliseconds since 1970, messages[3].timestamp: missing; line 2: messages[0].sent_at: 1 milliseconds are in the year 1970`
	if report.Outcome != doc.Partial || report.Reason != want {
		t.Errorf("%+v", report)
	}
}

func TestLineLimit(t *testing.T) {
	at := `{"source_kind":"document","source_id":"d:x","payload":{"title":"t","body":"` + strings.Repeat("x", 5000) + `"}}`
	body := at + "\n" + strings.Replace(at, "xx", "xxx", 1) + "\n" + at + "\n"
	ds, report := read(t, interchange.WithLimit(len(at)+1), body)
	if len(ds) != 2 || report.Outcome != doc.Partial || !strings.HasPrefix(report.Reason, "line 2: it is longer than ") {
		t.Errorf("%d documents, %+v", len(ds), report)
	}
}

func TestDetect(t *testing.T) {
	good := `{"source_kind":"chat","source_id":"x","payload":{}}`
	for name, c := range map[string]struct {
		body string
		want bool
	}{
		"lines": {good, true}, "mark and blank lines": {"\xef\xbb\xbf\n\n" + good, true}, "a bad first line": {"{oops\n" + good, true},
		"a long first line": {`{"source_kind":"chat","owner":"` + strings.Repeat("x", doc.HeadSize), true},
		"other JSON lines":  {`{"a":1}` + "\n" + `{"a":2}`, false}, "a note about it": {"Each line has source_kind and payload: " + good, false}, "empty": {"", false},
	} {
		if got := interchange.New().Detect(input(c.body)) > 1; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestParse(t *testing.T) {
	ds, err := interchange.Parse([]byte(`{"source_kind":"document","source_id":"d:x","payload":{"title":"t","body":"b","modified_at":1714554000000}}`))
	if err != nil || len(ds) != 1 || ds[0].Body != "b" {
		t.Errorf("%v, %v", ds, err)
	}
	if _, err := interchange.Parse([]byte("{")); err == nil {
		t.Error("no error")
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"source_kind":"chat","source_id":"x","payload":{"messages":[{"author":"<@>","timestamp":1e12,"text":"t"}]}}`,
		`{"source_kind":"email","source_id":"x","payload":{"messages":[{"from":["a <b@c>",""],"to":"@","sent_at":"1714554000000","body":"t"}]}}`,
		`{"source_kind":"document","source_id":"x","payload":{"title":"\u0000","body":"\ud800","modified_at":null}}`, "{", "[]", "null", `"x"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		ds, err := interchange.Parse(line)
		if err != nil && strings.ContainsRune(err.Error(), '\n') {
			t.Errorf("an error of several lines: %q", err)
		}
		for _, d := range ds {
			if d.Key == "" || !d.Kind.Valid() || d.Time.Year() > 2100 {
				t.Errorf("%+v", d)
			}
		}
	})
}

func ExampleReader() {
	dir, _ := os.MkdirTemp("", "")
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "x.jsonl")
	body := `{"source_kind":"document","source_id":"d:x","payload":{"title":"Plan","body":"Buy paint.","modified_at":1714554000000}}`
	_ = os.WriteFile(path, []byte(body), 0o600)
	in := &doc.Input{Rel: "x.jsonl", Open: func() (doc.File, error) { return os.Open(path) }}
	_, _ = interchange.New().Read(context.Background(), in, func(d *doc.Document) error {
		fmt.Println(d.SourceID, d.Title, d.Body)
		return nil
	})
	// Output: d:x Plan Buy paint.
}
