package mail_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

const postmark = "From ann@x.org Wed May  1 10:11:12 2024\n"

func bodies(msgs []mail.Split1) []string {
	var out []string
	for _, m := range msgs {
		_, body, _ := strings.Cut(strings.ReplaceAll(m.Data, "\r\n", "\n"), "\n\n")
		out = append(out, strings.TrimRight(body, "\n"))
	}
	return out
}

func TestSplitMbox(t *testing.T) {
	h := "Subject: s\n\n"
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"two", postmark + h + "one\n\n" + postmark + h + "two\n", []string{"one", "two"}},
		{"CRLF", strings.ReplaceAll(postmark+h+"one\n\n"+postmark+h+"two\n", "\n", "\r\n"), []string{"one", "two"}},
		{"no line end at the end", postmark + h + "one", []string{"one"}},
		{"From in a sentence", postmark + h + "one\n\nFrom here on Wednesday it rains.\n\nFrom May 1 to May 5 2024 at 10:00 we met.\n", []string{"one\n\nFrom here on Wednesday it rains.\n\nFrom May 1 to May 5 2024 at 10:00 we met."}},
		{"separator without blank line", postmark + h + "one\n" + postmark + h + "still one\n", []string{"one\n" + postmark + h + "still one"}},
		{"separator without blank line above a mail", postmark + h + "one\n" + postmark + "Received: from a\n\tby b\nFrom: a@x.org\nDate: Wed, 1 May 2024 10:00:00 +0200\n\ntwo\n", []string{"one", "two"}},
		{"separator in the header of a mail without body", postmark + "Subject: s\n" + postmark + "Message-ID: <1@x.org>\nFrom: a@x.org\nTo: b@x.org\n\ntwo\n", []string{"", "two"}},
		{"separator in text without header", postmark + h + "one\n\n" + postmark + "just words\n", []string{"one\n\n" + postmark + "just words"}},
		{"quoted From", postmark + h + ">From the start\n>>From deeper\n> From spaced\n", []string{"From the start\n>From deeper\n> From spaced"}},
		{"Gmail Takeout", "From 1234567890123456789@xxx Wed May 01 10:11:12 +0000 2024\n" + h + "one\n\nFrom 99@xxx Thu May 02 10:11:12 +0000 2024\n" + h + "two", []string{"one", "two"}},
		{"Thunderbird", "From - Wed May  1 10:11:12 2024\nX-Mozilla-Status: 0001\n" + h + "one\n\nFrom - Thu May  2 10:11:12 2024\n" + h + "two\n", []string{"one", "two"}},
		{"zone, remote, RFC date", "From ann Wed May  1 10:11 MET DST 2024 remote from vax\n" + h + "one\n\nFrom ann@x.org Wed, 1 May 2024 10:11:12 +0200\n" + h + "two\n", []string{"one", "two"}},
		{"blank lines and a mark first", "\ufeff\n\n" + postmark + h + "one\n", []string{"one"}},
		{"first separator lost", h + "one\n\n" + postmark + h + "two\n", []string{"one", "two"}},
		{"mail without body", postmark + "Subject: s\n\n" + postmark + h + "two\n", []string{"", "two"}},
		{"long line", postmark + h + strings.Repeat("x", 600_000) + "\n\n" + postmark + h + "two\n", []string{strings.Repeat("x", 600_000), "two"}},
		{"empty", "", nil},
		{"blank lines only", "\n\n\n", nil},
	} {
		for _, r := range []io.Reader{strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in))} {
			if diff := cmp.Diff(c.want, bodies(mail.Split(r, strings.NewReader(c.in), 1<<20))); diff != "" {
				t.Errorf("%s (-want +got):\n%s", c.name, diff)
			}
		}
	}
}

// Dialects with Content-Length do not quote: a right length is believed, a wrong one is not.
func TestSplitMboxByContentLength(t *testing.T) {
	inner := "Look:\n\n" + postmark + "Subject: inside\n\nquoted mail\n"
	build := func(n int) string {
		return postmark + "Content-Length: " + strconv.Itoa(n) + "\nSubject: s\n\n" + inner + "\n" + postmark + "Subject: s\n\ntwo\n"
	}
	for _, c := range []struct {
		n    int
		want []string
	}{
		{len(inner), []string{strings.TrimSpace(inner), "two"}},
		{len(inner) - 3, []string{"Look:", "quoted mail", "two"}},
		{1 << 40, []string{"Look:", "quoted mail", "two"}},
		{-5, []string{"Look:", "quoted mail", "two"}},
	} {
		in := build(c.n)
		if diff := cmp.Diff(c.want, bodies(mail.Split(strings.NewReader(in), strings.NewReader(in), 1<<20))); diff != "" {
			t.Errorf("length %d (-want +got):\n%s", c.n, diff)
		}
	}
	last := postmark + "Content-Length: " + strconv.Itoa(len(inner)) + "\nSubject: s\n\n" + inner
	if got := mail.Split(strings.NewReader(last), strings.NewReader(last), 1<<20); len(got) != 1 {
		t.Errorf("last mail: split into %d", len(got))
	}
}

func TestSplitCutsLongMails(t *testing.T) {
	in := postmark + "Subject: s\n\n" + strings.Repeat("line\n", 1000) + "\n" + postmark + "Subject: s\n\ntwo\n"
	got := mail.Split(strings.NewReader(in), nil, 100)
	if len(got) != 2 || !got[0].Cut || len(got[0].Data) != 100 || got[1].Cut {
		t.Errorf("got %d mails, %+v", len(got), got)
	}
	if in[got[1].Offset:][:5] != "From " {
		t.Errorf("offset %d is not that of the separator", got[1].Offset)
	}
	// What lies beyond the limit costs no memory.
	long := postmark + "Subject: s\n\n" + strings.Repeat("line\n", 100_000)
	if n := testing.AllocsPerRun(1, func() { mail.Split(strings.NewReader(long), nil, 10_000) }); n > 100 {
		t.Errorf("%.0f allocations for one long mail", n)
	}
}

func TestReadMbox(t *testing.T) {
	in := postmark + "From: Ann <ann@x.org>\nTo: bob@x.org\nSubject: =?utf-8?Q?caf=C3=A9?=\nDate: Wed, 1 May 2024 10:00:00 +0200\nMessage-ID: <1@x.org>\nX-Gmail-Labels: =?UTF-8?Q?Inbox,Opened,Caf=C3=A9,\"a,_b\"?=\n\nHello\n\n" +
		"From bob@x.org Thu May  2 10:11:12 2024\nSubject: no id\n\nHello again\n\n" +
		postmark + "\n\n" +
		postmark + "From: ann@x.org\nSubject: bin\nX-Gmail-Labels: Spam,Trash,Unread\n\nlast\n"
	docs, report := read(t, mail.Mbox{}, "Mail/All.mbox", []byte(in))
	if want := (doc.Report{Outcome: doc.OK, Reason: "1 mail in the trash or in spam was left out"}); report != want || len(docs) != 2 {
		t.Fatalf("%d documents, %+v", len(docs), report)
	}
	for _, d := range docs {
		check(t, d)
	}
	d := docs[0]
	if d.Title != "café" || d.SourceRef != "mid:1@x.org" || !strings.HasPrefix(d.GlobalKey, "mid:1@x.org ann@x.org 1714550400 ") || d.Kind != doc.KindEmail {
		t.Errorf("got %+v", d)
	}
	if diff := cmp.Diff([]string{"Inbox", "Café", "a, b"}, d.Tags); diff != "" {
		t.Error(diff)
	}
	if got := docs[1]; got.Author.Email != "bob@x.org" || !strings.HasPrefix(got.SourceRef, "Mail/All.mbox#byte=") {
		t.Errorf("without Message-ID: %+v", got)
	}
	if docs[0].Key == docs[1].Key {
		t.Error("keys are not unique")
	}
}

// The same mail in two mailboxes is one: other Received lines, flags and place do not matter.
func TestOneMailInTwoMailboxes(t *testing.T) {
	body := "From: Ann <ann@x.org>\nSubject: s\nMessage-ID: <1@x.org>\nDate: Wed, 1 May 2024 10:00:00 +0200\n\nHello\n"
	a, _ := read(t, mail.Mbox{}, "inbox.mbox", []byte(postmark+"Received: from a; Wed, 1 May 2024 10:00:01 +0200\nStatus: RO\n"+body))
	b, _ := read(t, mail.Mbox{}, "sent.mbox", []byte("From bob Thu May  2 10:11:12 2024\nReceived: from b; Wed, 1 May 2024 10:00:09 +0200\n"+body))
	c, _ := read(t, mail.Message{}, "Maildir/cur/1.host:2,S", []byte(body))
	if a[0].GlobalKey != b[0].GlobalKey || b[0].GlobalKey != c[0].GlobalKey {
		t.Errorf("%q, %q, %q", a[0].GlobalKey, b[0].GlobalKey, c[0].GlobalKey)
	}
	// A reused identifier with another sender or date is another mail.
	d, _ := read(t, mail.Message{}, "x.eml", []byte(strings.Replace(body, "10:00:00", "11:00:00", 1)))
	e, _ := read(t, mail.Message{}, "y.eml", []byte(strings.Replace(body, "ann@", "eve@", 1)))
	if d[0].GlobalKey == a[0].GlobalKey || e[0].GlobalKey == a[0].GlobalKey {
		t.Error("two mails have one key")
	}
	// So is one with another text or another subject, and all of each is kept.
	for name, other := range map[string]string{
		"body": strings.Replace(body, "Hello", "Goodbye", 1), "subject": strings.Replace(body, "Subject: s", "Subject: t", 1),
		"one word more": strings.Replace(body, "Hello", "Hello not", 1),
	} {
		if x, _ := read(t, mail.Message{}, "z.eml", []byte(other)); x[0].GlobalKey == a[0].GlobalKey || x[0].Key == a[0].Key {
			t.Errorf("another %s has the same key", name)
		}
	}
	// Copies that a list, a provider or a program changed on the way are one.
	for name, other := range map[string]string{
		"a list's copy": strings.Replace(strings.Replace(body, "Subject: s", "Subject: [dev] s", 1), "Hello\n",
			"Hello\n\n_______________________________________________\nDev mailing list\ndev@x.org\nhttps://x.org/mailman/listinfo/dev\n", 1),
		"a tag behind Re": strings.Replace(body, "Subject: s", "Subject: Re: [dev] s", 1),
		"line ends":       strings.ReplaceAll(strings.Replace(body, "Hello", "Hello\n\n", 1), "\n", "\r\n"),
		"base64":          strings.Replace(body, "\n\nHello\n", "\nContent-Transfer-Encoding: base64\n\nSGVsbG8K\n", 1),
	} {
		x, _ := read(t, mail.Message{}, "z.eml", []byte(other))
		if x[0].GlobalKey != a[0].GlobalKey {
			t.Errorf("%s: %q, want %q", name, x[0].GlobalKey, a[0].GlobalKey)
		}
	}
	// Without Message-ID and Date the content decides, not when and where it arrived.
	f, _ := read(t, mail.Mbox{}, "a.mbox", []byte(postmark+"Received: x; Wed, 1 May 2024 10:00:01 +0200\nFrom: ann@x.org\nSubject: s\n\nHello\n"))
	g, _ := read(t, mail.Message{}, "b.eml", []byte("From: ann@x.org\nSubject: s\n\nHello\n"))
	if f[0].GlobalKey != g[0].GlobalKey {
		t.Errorf("%q, %q", f[0].GlobalKey, g[0].GlobalKey)
	}
}

func TestReadMboxStops(t *testing.T) {
	in := []byte(strings.Repeat(postmark+"Subject: s\n\nHello\n\n", 3))
	n := 0
	_, err := mail.Mbox{}.Read(t.Context(), doctest.Input("a.mbox", in), func(*doc.Document) error { n++; return errStop })
	if !errors.Is(err, errStop) || n != 1 {
		t.Errorf("after an error of emit: %d documents, %v", n, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n = 0
	_, err = mail.Mbox{}.Read(ctx, doctest.Input("a.mbox", in), func(*doc.Document) error { n++; cancel(); return nil })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Errorf("after the end of the context: %d documents, %v", n, err)
	}
	if _, err = (mail.Message{}).Read(ctx, doctest.Input("a.eml", in), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("single mail: %v", err)
	}
}

type brokenFile struct {
	io.Reader
	io.ReaderAt
}

func (brokenFile) Close() error { return nil }

func TestDamagedFiles(t *testing.T) {
	broken := func(data string) *doc.Input {
		in := doctest.Input("a.mbox", []byte(data))
		in.Open = func() (doc.File, error) {
			return brokenFile{io.MultiReader(strings.NewReader(data), iotest.ErrReader(errors.New("disk gone"))), strings.NewReader(data)}, nil
		}
		return in
	}
	for _, r := range []doc.Reader{mail.Mbox{}, mail.Message{}} {
		n := 0
		report, err := r.Read(t.Context(), broken(postmark+"Subject: s\n\nHello\n"), func(*doc.Document) error { n++; return nil })
		if err != nil || report.Outcome != doc.Partial || n != 1 || !strings.Contains(report.Reason, "disk gone") {
			t.Errorf("%s: %d documents, %+v, %v", r.Name(), n, report, err)
		}
		report, err = r.Read(t.Context(), broken(""), func(*doc.Document) error { return nil })
		if err != nil || report.Outcome != doc.Failed {
			t.Errorf("%s, nothing readable: %+v, %v", r.Name(), report, err)
		}
		in := doctest.Input("a", nil)
		in.Open = func() (doc.File, error) { return nil, errors.New("no") }
		report, err = r.Read(t.Context(), in, nil)
		if err != nil || report.Outcome != doc.Failed || report.Reason == "" {
			t.Errorf("%s, not to be opened: %+v, %v", r.Name(), report, err)
		}
		report, err = r.Read(t.Context(), doctest.Input("a", nil), nil)
		if err != nil || report.Outcome != doc.NoText {
			t.Errorf("%s, empty: %+v, %v", r.Name(), report, err)
		}
	}
}

// endless is an mbox that goes on to size bytes without being anywhere.
type endless struct {
	unit []byte
	at   int64
	size int64
}

func (e *endless) Read(p []byte) (int, error) {
	n, err := e.ReadAt(p, e.at)
	e.at += int64(n)
	return n, err
}

func (e *endless) ReadAt(p []byte, off int64) (int, error) {
	n := 0
	for n < len(p) && off < e.size {
		k := copy(p[n:min(int64(len(p)), int64(n)+e.size-off)], e.unit[off%int64(len(e.unit)):])
		n, off = n+k, off+int64(k)
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

func (*endless) Close() error { return nil }

func TestMboxOfAnySizeStreams(t *testing.T) {
	unit := []byte(postmark + withBody("", strings.Repeat("Hello Bob, see you at ten.\n", 40)) + "\n")
	file := &endless{unit: unit, size: int64(len(unit)) * 5_000}
	in := &doc.Input{Rel: "a.mbox", Size: file.size, Open: func() (doc.File, error) { return file, nil }}
	n := 0
	allocated := testing.AllocsPerRun(1, func() {
		file.at, n = 0, 0
		if _, err := (mail.Mbox{}).Read(t.Context(), in, func(*doc.Document) error { n++; return nil }); err != nil {
			t.Fatal(err)
		}
	})
	if n != 5_000 {
		t.Errorf("%d of 5,000 mails", n)
	}
	if perMail := allocated / float64(n); perMail > 150 {
		t.Errorf("%.0f allocations a mail", perMail)
	}
}

// TestCertain: what programs for mail wrote needs no second opinion, anything less does.
func TestCertain(t *testing.T) {
	stored := "Return-Path: <a@x.org>\nReceived: from a by b; Wed, 1 May 2024 10:00:00 +0200\nMessage-ID: <1@x.org>\nFrom: a@x.org\nSubject: Hi\n\nHello\n"
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"stored", stored, true},
		{"in Apple's frame", fmt.Sprintf("%d\n%s", len(stored), stored), true},
		{"after a separator line", "From a@x.org Wed May  1 10:00:00 2024\n" + stored, false},
		{"typed", "From: a@x.org\nTo: b@x.org\nSubject: Hi\nDate: Wed, 1 May 2024 10:00:00 +0200\n\nHello\n", false},
		{"as Signal's exporters write", "From: Ann (+4917012345)\nType: incoming\nSent: Wed, 1 May 2024\nReceived: Wed, 1 May 2024\n\nHello\n", false},
		{"the same field again and again", strings.Repeat("Received: x\n", 8) + "\nHello\n", false},
	} {
		if got := (mail.Message{}).Detect(doctest.Input("cur/1", []byte(c.text))) == doc.Certain; got != c.want {
			t.Errorf("%s: certain is %v", c.name, got)
		}
	}
}

func TestDetect(t *testing.T) {
	full := withBody("", "x")
	for _, c := range []struct {
		rel, data string
		mbox      bool
		message   bool
	}{
		{"inbox", postmark + full, true, true},
		{"inbox.txt", "\ufeff\n" + postmark + full, true, true},
		{"All mail Including Spam and Trash.mbox", "From 12@xxx Wed May 01 10:11:12 +0000 2024\nX-GM-THRID: 12\n" + full, true, true},
		{"a.mbox", "From here on we talk about mail.\n\nNothing else.", false, false},
		{"a.eml", full, false, true},
		{"noname", full, false, true},
		{"Maildir/cur/123.host:2,RS", "Subject: s\n\nx", false, true},
		{"a.eml", "Subject: s\n\nx", false, true},
		{"a.emlx", fmt.Sprintf("%d\n%s<?xml version=\"1.0\"?>", len(full), full), false, true},
		{"note.md", "# Title\n\nFrom: here\n", false, false},
		{"note.md", "---\ntitle: x\nfrom: y\n---\n", false, false},
		{"readme", "Note: this\nTo: do\n\ntext", false, false},
		{"x.bin", "From: a\x00\x00", false, false},
		{"part.raw", "Content-Type: text/plain; charset=utf-8\n\nx", false, true},
		{"part.txt", "Content-Type: ;\n\tname=\"\"\nContent-Transfer-Encoding: base64\n\nSGVsbG8=", false, true},
		{"part", "MIME-Version: 1.0\n\nx", false, true},
		{"part.eml", "Content-Transfer-Encoding: quoted-printable\n\ngr=C3=BCn", false, true},
		{"part.txt", "Content-Transfer-Encoding: BASE64 (coded)\r\n\r\nSGVsbG8=", false, true},
		{"note.txt", "Content-Transfer-Encoding: what it is for\n\nText.", false, false},
		{"parts.txt", "From: a@x.org\nContent-Type: multipart/mixed; boundary=\"B\"\n\n--B\n\nx\n--B--\n", false, true},
		{"http.txt", "Content-Type: text/html is what browsers want to see.\n\nMore of it.", false, false},
		{"api.txt", "Content-Length: 12\n\nx", false, false},
		{"response.http", "HTTP/1.1 200 OK\nDate: x\nContent-Type: text/html\n\n", false, false},
		{"empty.eml", "", false, false},
	} {
		in := doctest.Input(c.rel, []byte(c.data))
		if got := (mail.Mbox{}).Detect(in); (got >= 50) != c.mbox {
			t.Errorf("%s: mbox %d", c.rel, got)
		}
		if got := (mail.Message{}).Detect(in); (got >= 50) != c.message {
			t.Errorf("%s: message %d", c.rel, got)
		}
		if c.mbox && (mail.Mbox{}).Detect(in) <= (mail.Message{}).Detect(in) {
			t.Errorf("%s: a mailbox is taken for one mail", c.rel)
		}
	}
	note := doctest.Input("note.md", []byte("From: Ann\nTo: Bob\nSubject: plan\n\ntext"))
	if got := (mail.Message{}).Detect(note); got <= 0 || got >= 50 {
		t.Errorf("a note that looks like mail: %d", got)
	}
}

func TestMaildirKeys(t *testing.T) {
	body := []byte(withBody("", "x"))
	for rel, want := range map[string]string{
		"Maildir/new/123.host":                "Maildir/cur/123.host",
		"Maildir/cur/123.host:2,":             "Maildir/cur/123.host",
		"Maildir/cur/123.host:2,RS":           "Maildir/cur/123.host",
		"Maildir/.Sent/cur/123.host,S=42:2,S": "Maildir/.Sent/cur/123.host,S=42",
		"Maildir/cur/123.host!2,S":            "Maildir/cur/123.host", // where names cannot have colons
		"letters/one.eml":                     "letters/one.eml",
	} {
		docs, _ := read(t, mail.Message{}, rel, body)
		if docs[0].Key != want {
			t.Errorf("%s: key %q, want %q", rel, docs[0].Key, want)
		}
	}
}

func TestEmlx(t *testing.T) {
	full := withBody("", "Hello")
	data := fmt.Sprintf("%d\n%s<?xml version=\"1.0\"?>\n<plist/>", len(full), full)
	docs, _ := read(t, mail.Message{}, "a.emlx", []byte(data))
	if docs[0].Body != "Hello" {
		t.Errorf("got %q", docs[0].Body)
	}
}

func TestWebPageSavedAsMail(t *testing.T) {
	d := one(t, "From: <Saved by Blink>\nSubject: The Harbour\nDate: Wed, 1 May 2024 10:00:00 +0000\nMIME-Version: 1.0\nContent-Type: text/html\n\n<h1>Harbour</h1><p>Tides.")
	if d.Kind != doc.KindDocument || d.Title != "The Harbour" || d.Body != "# Harbour\n\nTides." || d.Author != (doc.Person{}) {
		t.Errorf("got %+v", d)
	}
}

func FuzzSplit(f *testing.F) {
	f.Add([]byte(postmark+"Content-Length: 3\n\none\n"+postmark+"Subject: s\n\n>From two\n"), 50)
	f.Add([]byte("\r\n\r\nFrom - Wed May  1 10:11:12 2024\r\nA: b\r\n\r\nFrom x\r\n"), 5)
	f.Fuzz(func(t *testing.T, data []byte, limit int) {
		limit = 1 + (limit&0xffff+0xffff)%0xffff
		last, total := int64(-1), 0
		for _, m := range mail.Split(bytes.NewReader(data), bytes.NewReader(data), limit) {
			if len(m.Data) > limit {
				t.Fatalf("%d bytes with a limit of %d", len(m.Data), limit)
			}
			if m.Offset <= last || m.Offset > int64(len(data)) {
				t.Fatalf("offset %d after %d", m.Offset, last)
			}
			if m.Postmark != "" && !bytes.HasPrefix(bytes.TrimPrefix(data[m.Offset:], []byte("\xef\xbb\xbf")), []byte(m.Postmark)) {
				t.Fatalf("no %q at %d", m.Postmark, m.Offset)
			}
			last, total = m.Offset, total+len(m.Data)
		}
		if total > len(data) {
			t.Fatalf("%d bytes became %d", len(data), total)
		}
	})
}

func FuzzMessage(f *testing.F) {
	f.Add([]byte(multipart("alternative", plain("a"), htmlPart("<p>b"))))
	f.Add([]byte(multipart("mixed", plain("a\n> b\nc\n-- \nd"), "Content-Type: message/rfc822\n\nFrom: a@b.c\nSubject: =?utf-8?Q?x?=\n\ny", "Content-Type: text/csv; name*=utf-8''a%20b.csv\n\n1,2")))
	f.Add([]byte(withBody("Content-Transfer-Encoding: base64\nContent-Type: text/plain; charset=koi8-r; format=flowed; delsp=yes\n", "8NLJ18XU IA==")))
	f.Add([]byte(multipart("report", "Content-Type: message/delivery-status\n\nAction: failed")))
	f.Add([]byte("From: \"a\\\" <b@c>, d: e@f;, =?x?B?\nSubject: s\n wrapped\nDate: 1/2/3 4:5 PM\n\nbegin 644 x\n#0V%T\nend\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		d, _ := mail.Document(data)
		if d == nil {
			return
		}
		check(t, d)
		if len(d.Body) > 100*len(data)+1000 {
			t.Fatalf("%d bytes became %d", len(data), len(d.Body))
		}
		again, _ := mail.Document(data)
		if diff := cmp.Diff(d, again); diff != "" {
			t.Fatalf("read twice, two results:\n%s", diff)
		}
	})
}

func FuzzParseDate(f *testing.F) {
	for _, s := range []string{"Wed, 1 May 2024 10:11:12 +0200 (CEST)", "Wed May  1 10:11:12 2024", "2024-05-01T10:11:12.345+02:00", "5/1/24 1:2 PM", "1-May-2024", "2024年5月1日"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got, ok := mail.ParseDate(s)
		if !ok {
			return
		}
		if y := got.Year(); y < 1969 || y > 2101 {
			t.Fatalf("%q: year %d", s, y)
		}
		// What we write ourselves is read back.
		const form = "Mon, 2 Jan 2006 15:04:05 -0700"
		if back, ok := mail.ParseDate(got.Format(form)); !ok || !back.Equal(got) {
			t.Fatalf("%q: %v is read back as %v", s, got, back)
		}
	})
}

func BenchmarkMbox(b *testing.B) {
	small := postmark + withBody("Received: from a by b; Wed, 1 May 2024 10:00:01 +0200\nContent-Type: text/plain; charset=utf-8\n", "Hello Bob,\n\n"+strings.Repeat("see you at ten in the library.\n", 20)+"\nAnn\n\nOn Tue, 30 Apr 2024, Bob wrote:\n> Shall we?\n") + "\n"
	rich := postmark + multipart("alternative", plain(strings.Repeat("see you at ten in the library.\n", 40)), htmlPart("<html><body>"+strings.Repeat("<p>see you at ten in the library.</p>\n", 40)+"</body></html>")) + "\n"
	page := postmark + withBody("Content-Type: text/html; charset=utf-8\n", "<html><body>"+strings.Repeat("<table><tr><td style='padding:0'><p>see you at ten in the library.</p></td></tr></table>\n", 100)+"</body></html>") + "\n"
	for name, unit := range map[string]string{"small": small, "alternative": rich, "html": page} {
		const n = 500
		data := []byte(strings.Repeat(unit, n))
		in := doctest.Input("a.mbox", data)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (mail.Mbox{}).Read(b.Context(), in, func(*doc.Document) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "mails/s")
		})
	}
}
