package plain_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/plain"
)

type file struct {
	io.Reader
	io.ReaderAt
}

func (file) Close() error { return nil }

func input(name, body string) *doc.Input {
	return &doc.Input{
		Rel: name, Size: int64(len(body)), ModTime: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), Head: []byte(body[:min(len(body), doc.HeadSize)]),
		Open: func() (doc.File, error) {
			r := strings.NewReader(body)
			return file{iotest.HalfReader(r), r}, nil
		},
	}
}

func read(t interface{ Fatal(...any) }, r *plain.Reader, in *doc.Input) ([]*doc.Document, doc.Report) {
	var ds []*doc.Document
	report, err := r.Read(context.Background(), in, func(d *doc.Document) error { ds = append(ds, d); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return ds, report
}

func utf16le(s string) string {
	b := []byte{0xff, 0xfe}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func utf16be(s string) string {
	b := []byte{0xfe, 0xff}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u>>8), byte(u))
	}
	return string(b)
}

func TestCharsets(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"utf-8":           {"Café in Lisboa\r\nzwei\rdrei\n", "Café in Lisboa\nzwei\ndrei\n"},
		"utf-8 with mark": {"\xef\xbb\xbfCafé\n", "Café\n"},
		"utf-16le":        {utf16le("Café 会议 🙂\n"), "Café 会议 🙂\n"},
		"utf-16le alone":  {strings.TrimPrefix(utf16le("明天开会，讨论预算"), "\xff\xfe"), "明天开会，讨论预算"},
		"utf-16be alone":  {strings.TrimPrefix(utf16be("Привет, мир"), "\xfe\xff"), "Привет, мир"},
		"two sets":        {"Réunion à dix heures\nFr\xfchst\xfcck um neun\n", "Réunion à dix heures\nFrühstück um neun\n"},
		"utf-16be":        {utf16be("Café 会议 🙂\n"), "Café 会议 🙂\n"},
		"windows-1252":    {"Le caf\xe9 de la gare, d\xe9j\xe0 ferm\xe9 \xe0 midi.\n", "Le café de la gare, déjà fermé à midi.\n"},
	} {
		t.Run(name, func(t *testing.T) {
			in := input("n.txt", c.in)
			if plain.New().Detect(in) == 0 {
				t.Fatal("not taken for text")
			}
			ds, report := read(t, plain.New(), in)
			if report.Outcome != doc.OK || len(ds) != 1 {
				t.Fatalf("%+v, %d documents", report, len(ds))
			}
			if diff := cmp.Diff(c.want, ds[0].Body); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDetect(t *testing.T) {
	random := make([]byte, 4096)
	for i, x := 0, uint32(1); i < len(random); i++ {
		x = x*1664525 + 1013904223
		random[i] = byte(x>>24) | 1 // no NUL to give it away
	}
	for name, c := range map[string]struct {
		body string
		want bool
	}{
		"text": {"hello", true}, "NUL": {"hel\x00lo", false}, "picture": {"\x89PNG\r\n\x1a\n\x00", false}, "random": {string(random), false},
		"cut character at the end of the head": {strings.Repeat("a", doc.HeadSize-1) + "é", true},
		"chinese":                              {strings.Repeat("会议记录", 500), true},
		"form feed":                            {"page one\fpage two", true},
	} {
		if got := plain.New().Detect(input("n", c.body)) > 0; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestDocument(t *testing.T) {
	ds, _ := read(t, plain.New(), input("sub/My notes.v2.txt", "\n\ntext\n"))
	want := []*doc.Document{{
		Kind: doc.KindDocument, Key: "sub/My notes.v2.txt", SourceRef: "sub/My notes.v2.txt", Title: "My notes.v2",
		Time: time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC), Line: 1, Body: "\n\ntext\n",
	}}
	if diff := cmp.Diff(want, ds); diff != "" {
		t.Error(diff)
	}
}

func TestParts(t *testing.T) {
	for name, body := range map[string]string{
		"lines":     strings.Repeat("a line of text\n", 4000),
		"one line":  strings.Repeat("word ", 12000),
		"one run":   strings.Repeat("x", 60000),
		"chinese":   strings.Repeat("会议记录", 6000),
		"emoji":     strings.Repeat("👨‍👩‍👧‍👦", 3000),
		"sentences": strings.Repeat("Erster Satz über Öl. Zweiter? ", 2000),
	} {
		t.Run(name, func(t *testing.T) {
			for kind, in := range map[string]string{"utf-8": body, "utf-16le": utf16le(body), "utf-16be": utf16be(body)} {
				ds, report := read(t, plain.WithLimits(10_000, 1<<30), input("n.txt", in))
				if report.Outcome != doc.OK || len(ds) < 3 {
					t.Fatalf("%s: %+v, %d documents", kind, report, len(ds))
				}
				var all strings.Builder
				keys := map[string]bool{}
				line := 1
				for _, d := range ds {
					if len(d.Body) > 30_000 {
						t.Errorf("%s: a part of %d bytes", kind, len(d.Body))
					}
					if d.Line != line {
						t.Errorf("%s: line %d, not %d", kind, d.Line, line)
					}
					line += strings.Count(d.Body, "\n")
					keys[d.Key] = true
					all.WriteString(d.Body)
				}
				if all.String() != body {
					t.Errorf("%s: text changed", kind)
				}
				if len(keys) != len(ds) {
					t.Errorf("%s: keys %v", kind, keys)
				}
			}
		})
	}
}

func TestLimit(t *testing.T) {
	body := strings.Repeat("0123456789 ", 1000)
	if _, report := read(t, plain.WithLimits(4096, int64(len(body))), input("n", body)); report.Outcome != doc.OK {
		t.Errorf("at the limit: %+v", report)
	}
	ds, report := read(t, plain.WithLimits(4096, int64(len(body)-1)), input("n", body))
	n := 0
	for _, d := range ds {
		n += len(d.Body)
	}
	if report.Outcome != doc.Partial || n != len(body)-1 {
		t.Errorf("past the limit: %+v, %d of %d bytes", report, n, len(body))
	}
}

func TestBadDisk(t *testing.T) {
	in := input("n", strings.Repeat("some text ", 5000))
	for _, c := range []struct {
		after int64
		want  doc.Outcome
	}{{0, doc.Failed}, {30_000, doc.Partial}} {
		in.Open = func() (doc.File, error) {
			r := bytes.NewReader(bytes.Repeat([]byte("some text "), 5000))
			return file{io.MultiReader(io.LimitReader(r, c.after), iotest.ErrReader(errors.New("input/output error"))), r}, nil
		}
		if _, report := read(t, plain.WithLimits(10_000, 1<<30), in); report.Outcome != c.want || !strings.Contains(report.Reason, "input/output error") {
			t.Errorf("after %d bytes: %+v", c.after, report)
		}
	}
	in.Open = func() (doc.File, error) { return nil, errors.New("denied") }
	if _, report := read(t, plain.New(), in); report.Outcome != doc.Failed {
		t.Errorf("%+v", report)
	}
}

func TestStopsAtAnErrorOfEmit(t *testing.T) {
	stop := errors.New("stop")
	_, err := plain.New().Read(t.Context(), input("n", "text"), func(*doc.Document) error { return stop })
	if !errors.Is(err, stop) {
		t.Errorf("err = %v", err)
	}
}

func TestPropertyNothingIsLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := rapid.StringN(1, 400, 3000).Draw(t, "body")
		body = strings.Map(func(r rune) rune {
			if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0xfeff || r == utf8.RuneError {
				return 'x'
			}
			return r
		}, body)
		if strings.TrimSpace(body) == "" {
			return
		}
		ds, _ := read(t, plain.WithLimits(rapid.IntRange(64, 600).Draw(t, "part"), 1<<30), input("n", body))
		var all strings.Builder
		for _, d := range ds {
			all.WriteString(d.Body)
		}
		blank := func(s string) string { return strings.Join(strings.Fields(s), "") }
		if got := all.String(); blank(got) != blank(body) {
			t.Fatal(cmp.Diff(body, got))
		}
	})
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"text", "\xff\xfea\x00", "\xfe\xff\x00a\xd8", "\xef\xbb\xbf", "caf\xe9\n", strings.Repeat("a", 300), "会议"} {
		f.Add([]byte(s), 64)
	}
	f.Fuzz(func(t *testing.T, b []byte, part int) {
		part = 64 + part&1023
		in := input("n", string(b))
		if plain.New().Detect(in) == 0 {
			return
		}
		ds, report := read(t, plain.WithLimits(part, 1<<20), in)
		for _, d := range ds {
			if !utf8.ValidString(d.Body) || strings.TrimSpace(d.Body) == "" {
				t.Errorf("body %q", d.Body)
			}
		}
		if (report.Outcome == doc.OK) != (len(ds) > 0) {
			t.Errorf("%+v with %d documents", report, len(ds))
		}
	})
}

func ExampleReader() {
	in := input("todo.txt", "Buy paint.\n")
	_, _ = plain.New().Read(context.Background(), in, func(d *doc.Document) error {
		fmt.Println(d.Title, len(d.Body))
		return nil
	})
	// Output: todo 11
}

// A few zeros that a fault has left in a text go; they make no other text of it. What is mostly zeros, or
// holds other control characters beside them, is no text.
func TestStrayZeros(t *testing.T) {
	long := strings.Repeat("The dentist moved the appointment to Friday. ", 100)
	for name, text := range map[string]string{
		"short": "Buy milk, eggs and bread.\n", "long": long, "Chinese": "和医生的预约改到星期五上午十点，记得带病历。\n", "accents": "Rendez-vous à l'hôpital vendredi.\n",
	} {
		for at := range text {
			if at%7 > 0 && len(text) > 100 {
				continue
			}
			in := input("n.txt", text[:at]+"\x00"+text[at:])
			if plain.New().Detect(in) == 0 {
				t.Fatalf("%s: a zero at %d: not taken for text", name, at)
			}
			ds, report := read(t, plain.New(), in)
			if report.Outcome != doc.OK || len(ds) != 1 || ds[0].Body != text {
				t.Fatalf("%s: a zero at %d: %+v, %d documents", name, at, report, len(ds))
			}
		}
	}
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"many in much":           {strings.Repeat(long, 10) + strings.Repeat("\x00 and ", 100), true},
		"too many":               {strings.Repeat("word\x00word ", 100), false},
		"a block at the end":     {long + strings.Repeat("\x00", 4096), false},
		"among others":           {"some words in it\x00\x01 and others", false},
		"among high bytes":       {"caf\xe9 au lait et du pain, deux \x9fufs\x00 frais", false},
		"among high bytes, long": {strings.Repeat("caf\xe9 au lait ", 100) + "\x00", true},
		"UTF-16":                 {"w\x00o\x00r\x00d\x00s\x00 \x00a\x00n\x00d\x00", true},
	} {
		if got := plain.New().Detect(input("n.txt", c.text)) > 0; got != c.want {
			t.Errorf("%s: taken %v, want %v", name, got, c.want)
		}
	}
}
