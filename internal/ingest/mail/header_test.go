package mail_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

func TestDecodeWords(t *testing.T) {
	for in, want := range map[string]string{
		"plain":                                     "plain",
		"=?utf-8?Q?caf=C3=A9?=":                     "café",
		"=?UTF-8?B?Y2Fmw6k=?=":                      "café",
		"=?utf-8?B?Y2Fmw6k?=":                       "café", // padding lost
		"=?iso-8859-1?q?caf=E9_noir?= (x)":          "café noir (x)",
		"=?iso-8859-1*fr?Q?=E9t=E9?=":               "été",
		"=?utf-8?Q?a?= =?utf-8?Q?b?=":               "ab",
		"=?utf-8?Q?a?=\r\n =?utf-8?Q?b?= c":         "ab c",
		"=?utf-8?B?5L2g?= x =?utf-8?B?5aW9?=":       "你 x 好",
		"=?utf-8?B?5L0=?= =?utf-8?B?oOWlvQ==?=":     "你好", // a character cut in two
		"=?utf-8?Q?=E4=BD?= =?UTF-8?Q?=A0?=":        "你",
		"Re: =?gb2312?B?xOO6ww==?=!":                "Re: 你好!",
		"=?iso-2022-jp?B?GyRCJDMkcxsoQg==?=":        "こん",
		"=?koi8-r?B?8NLJ18XU?=":                     "Привет",
		"=?utf-8?Q?with blanks in it?=":             "with blanks in it",
		"=?utf-8?Q?what=3F?=":                       "what?",
		"=?utf-8?Q?a=3Db?=":                         "a=b",
		"=?utf-8?Q?cut off":                         "cut off",
		"=?utf-8?Q?=XY_bad_=4?=":                    "=XY bad =4",
		"=?x-unknown?Q?caf=E9?=":                    "café",
		"=?utf-8?Q?=3D=3Futf-8=3FQ=3Ftwice=3F=3D?=": "twice",
		"a =? b":                        "a =? b",
		"=?utf-8?X?abc?=":               "=?utf-8?X?abc?=",
		"=?utf-8?Q??=":                  "",
		"prefix=?utf-8?Q?glued?=suffix": "prefixgluedsuffix",
		`"=?utf-8?Q?Quoted?="`:          `"Quoted"`,
		"=?utf-7?Q?+Jjo-?=":             "☺",
		"=?mac-roman?Q?caf=8E?=":        "café",
	} {
		if got := mail.DecodeWords(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestPeople(t *testing.T) {
	type list = []doc.Person
	for in, want := range map[string]list{
		"ann@example.org":                                   {{Email: "ann@example.org"}},
		"<ann@example.org>":                                 {{Email: "ann@example.org"}},
		"Ann Moreau <ann@example.org>":                      {{Name: "Ann Moreau", Email: "ann@example.org"}},
		`"Moreau, Ann" <ann@example.org>`:                   {{Name: "Moreau, Ann", Email: "ann@example.org"}},
		"Moreau, Ann <ann@example.org>, b@c.de":             {{Name: "Moreau, Ann", Email: "ann@example.org"}, {Email: "b@c.de"}},
		"'Ann Moreau' <ann@example.org>":                    {{Name: "Ann Moreau", Email: "ann@example.org"}},
		`"'Ann Moreau'" <ann@example.org>`:                  {{Name: "Ann Moreau", Email: "ann@example.org"}},
		`"Ann \"Annie\" Moreau" <ann@example.org>`:          {{Name: "Ann Annie Moreau", Email: "ann@example.org"}},
		"ann@example.org (Ann Moreau)":                      {{Name: "Ann Moreau", Email: "ann@example.org"}},
		`"ann@example.org" <ann@example.org>`:               {{Email: "ann@example.org"}},
		"=?utf-8?Q?Moreau=2C_Ann?= <ann@example.org>":       {{Name: "Moreau, Ann", Email: "ann@example.org"}},
		`"=?utf-8?Q?Ann_M=C3=B6ller?=" <ann@example.org>`:   {{Name: "Ann Möller", Email: "ann@example.org"}},
		"a@x.org; b@y.org;":                                 {{Email: "a@x.org"}, {Email: "b@y.org"}},
		"Team: Ann <a@x.org>, b@y.org;, c@z.org":            {{Name: "Ann", Email: "a@x.org"}, {Email: "b@y.org"}, {Email: "c@z.org"}},
		"undisclosed-recipients:;":                          nil,
		"Undisclosed recipients: ;":                         nil,
		"Ann <a@x.org> Bob <b@y.org>":                       {{Name: "Ann", Email: "a@x.org"}, {Name: "Bob", Email: "b@y.org"}},
		"GitHub <noreply@github.com>":                       {{Email: "noreply@github.com"}},
		"Mail Delivery System <MAILER-DAEMON@x.org>":        {{Email: "MAILER-DAEMON@x.org"}},
		"Ann Moreau <notifications@github.com>":             {{Name: "Ann Moreau"}},
		"'Ann Moreau' via List <list@x.org>":                {{Name: "Ann Moreau"}},
		"Ann Moreau </O=ORG/OU=FIRST/CN=RECIPIENTS/CN=ANN>": {{Name: "Ann Moreau"}},
		"<mailto:ann@example.org>":                          {{Email: "ann@example.org"}},
		"Ann <ann@example.org":                              {{Name: "Ann", Email: "ann@example.org"}},
		"Ann ann@example.org":                               {{Name: "Ann", Email: "ann@example.org"}},
		`"Ann <ann@example.org>, b@y.org`:                   {{Name: "Ann", Email: "ann@example.org"}, {Email: "b@y.org"}},
		"MAILER DAEMON <>":                                  {{Name: "MAILER DAEMON"}},
		"<@relay.org:ann@example.org>":                      {{Email: "ann@example.org"}},
		"Ann":                                               {{Name: "Ann"}},
		",, ;":                                              nil,
		"":                                                  nil,
		"张三 <zhang@example.cn>":                             {{Name: "张三", Email: "zhang@example.cn"}},
	} {
		if diff := cmp.Diff(want, mail.People(in)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", in, diff)
		}
	}
	if got := mail.People(strings.Repeat("a@x.org, ", 10_000)); len(got) > 500 {
		t.Errorf("%d recipients are kept", len(got))
	}
}

func TestParseDate(t *testing.T) {
	for in, want := range map[string]string{
		"Wed, 1 May 2024 10:11:12 +0200":         "2024-05-01T08:11:12Z",
		"Wed, 01 May 2024 10:11:12 +0200 (CEST)": "2024-05-01T08:11:12Z",
		"1 May 2024 10:11 GMT":                   "2024-05-01T10:11:00Z",
		"Wed, 1 May 24 10:11:12 EST":             "2024-05-01T15:11:12Z",
		"Wed, 1 May 99 10:11:12 -0000":           "1999-05-01T10:11:12Z",
		"Sat, 1 Jan 100 10:11:12 +0000":          "2000-01-01T10:11:12Z", // years counted from 1900
		"Wed May  1 10:11:12 2024":               "2024-05-01T10:11:12Z",
		"Wed May  1 10:11:12 PDT 2024":           "2024-05-01T17:11:12Z",
		"Wed May 01 10:11:12 +0000 2024":         "2024-05-01T10:11:12Z",
		"2024-05-01T10:11:12Z":                   "2024-05-01T10:11:12Z",
		"2024-05-01T10:11:12.345+02:00":          "2024-05-01T08:11:12Z",
		"2024-05-01 10:11:12 +0200":              "2024-05-01T08:11:12Z",
		"2024/05/01 10:11":                       "2024-05-01T10:11:00Z",
		"01.05.2024 10:11":                       "2024-05-01T10:11:00Z",
		"5/1/2024 10:11:12 PM":                   "2024-05-01T22:11:12Z",
		"13/5/2024 12:11 AM":                     "2024-05-13T00:11:00Z",
		"1-May-2024 10:11:12":                    "2024-05-01T10:11:12Z",
		"Mi, 1 Mai 2024 10:11:12 +0200":          "2024-05-01T08:11:12Z",
		"1 Dez 2024 10:11:12 +0100":              "2024-12-01T09:11:12Z",
		"Wednesday, May 1st, 2024 10:11 AM":      "2024-05-01T10:11:00Z",
		"Wed, 1 May 2024 10:11:60 +0000":         "2024-05-01T10:11:59Z",
		"Wed, 1 May 2024 24:00:00 +0000":         "2024-05-01T23:00:00Z",
		"Wed, 1 May 2024 10:11:12 +9900":         "2024-05-01T10:11:12Z", // no such zone
		"Wed, 1 May 2024 10:11:12 --0400":        "2024-05-01T14:11:12Z",
		"Wed, 1 May 2024 10:11:12 GMT+02:00":     "2024-05-01T08:11:12Z",
		"Wed, 1 May 2024 10:11:12 XYZ":           "2024-05-01T10:11:12Z",
		"Wed,1 May 2024 10:11:12 +0200":          "2024-05-01T08:11:12Z",
		"Wed, 1 May 2024 10.11.12 +0200":         "2024-05-01T00:00:00Z", // the day is told, the time is not
		`"Wed, 1 May 2024 10:11:12 +0200"`:       "2024-05-01T08:11:12Z",
		"2024年5月1日 10:11":                        "2024-05-01T10:11:00Z",
		"20240501":                               "2024-05-01T00:00:00Z",
		"1 May 2024":                             "2024-05-01T00:00:00Z",
		"Thu, 31 Apr 2024 10:00:00 +0000":        "", // no such day
		"Fri, 31 Feb 2024 10:00:00 +0000":        "",
		"Wed, 29 Feb 2023 10:00:00 +0000":        "",
		"Thu, 29 Feb 2024 10:00:00 +0000":        "2024-02-29T10:00:00Z",
		"2024-06-31":                             "",
		"31.06.2024 10:11":                       "",
		"Tue, 4 Jun 2024 25:61:00 +0000":         "", // no such time
		"Tue, 4 Jun 2024 10:61:00 +0000":         "",
		"Tue, 4 Jun 2024 10:11:61 +0000":         "",
		"Tue, 4 Jun 2024 24:01:00 +0000":         "",
		"":                                       "",
		"yesterday":                              "",
		"10:11:12":                               "",
		"Wed, 1 May 1904 10:11:12 +0000":         "",
		"Wed, 1 May 9024 10:11:12 +0000":         "",
		"Wed, 41 May 2024 10:11:12 +0000":        "",
	} {
		t1, ok := mail.ParseDate(in)
		got := ""
		if ok {
			got = t1.UTC().Format(time.RFC3339)
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestHeaderFields(t *testing.T) {
	for _, c := range []struct {
		name, mail string
		title      string
		author     doc.Person
		body       string
	}{
		{"folded", "From: Ann\n <ann@x.org>\nSubject: one\n\ttwo\n three\n\nbody", "one two three", doc.Person{Name: "Ann", Email: "ann@x.org"}, "body"},
		{"CRLF", "From: ann@x.org\r\nSubject: s\r\n\r\nbody\r\nmore\r\n", "s", doc.Person{Email: "ann@x.org"}, "body\nmore"},
		{"byte order mark and blank lines", "\ufeff\n\nFrom: ann@x.org\nSubject: s\n\nbody", "s", doc.Person{Email: "ann@x.org"}, "body"},
		{"separator line", "From ann@x.org Wed May  1 10:11:12 2024\nSubject: s\n\nbody", "s", doc.Person{Email: "ann@x.org"}, "body"},
		{"raw utf-8", "From: Añn <ann@x.org>\nSubject: café\n\nbody", "café", doc.Person{Name: "Añn", Email: "ann@x.org"}, "body"},
		{"raw latin-1", "From: ann@x.org\nSubject: caf\xe9\n\nbody", "café", doc.Person{Email: "ann@x.org"}, "body"},
		{"raw in the charset of the text", "From: ann@x.org\nSubject: \xf0\xd2\xc9\xd7\xc5\xd4\nContent-Type: text/plain; charset=koi8-r\n\n\xf0\xd2\xc9\xd7\xc5\xd4", "Привет", doc.Person{Email: "ann@x.org"}, "Привет"},
		{"blanks before the colon", "From : ann@x.org\nSubject : s\n\nbody", "s", doc.Person{Email: "ann@x.org"}, "body"},
		{"wrapped without indent", "From: ann@x.org\nSubject: a very\nlong subject\nTo: b@x.org\n\nbody", "a very long subject", doc.Person{Email: "ann@x.org"}, "body"},
		{"blank line missing", "From: ann@x.org\nSubject: s\nHello Bob,\nhow are you?", "s", doc.Person{Email: "ann@x.org"}, "Hello Bob,\nhow are you?"},
		{"twice", "From: ann@x.org\nSubject: one\nSubject: two\nFrom: bob@x.org\n\nbody", "one", doc.Person{Email: "ann@x.org"}, "body"},
		{"empty first", "From:\nFrom: ann@x.org\nSubject:\nSubject: two\n\nbody", "two", doc.Person{Email: "ann@x.org"}, "body"},
		{"sender instead of from", "Sender: ann@x.org\nSubject: s\nTo: b@x.org\n\nbody", "s", doc.Person{Email: "ann@x.org"}, "body"},
		{"organization", "From: Ann <ann@x.org>\nOrganization: Harbour Works\nSubject: s\n\nbody", "s", doc.Person{Name: "Ann", Email: "ann@x.org", Org: "Harbour Works"}, "body"},
		{"list that hides the sender", "From: 'Ann' via L <l@x.org>\nX-Original-From: Ann <ann@x.org>\nSubject: s\n\nbody", "s", doc.Person{Name: "Ann", Email: "ann@x.org"}, "body"},
		{"header and no body", "From: ann@x.org\nSubject: only this", "only this", doc.Person{Email: "ann@x.org"}, "only this"},
		{"huge field", "From: ann@x.org\nX-Big: " + strings.Repeat("x", 2<<20) + "\nSubject: s\n\nbody", "s", doc.Person{Email: "ann@x.org"}, "body"},
		{"too many fields", "From: ann@x.org\nSubject: s\n" + strings.Repeat("X: y\n", 20_000) + "\nbody", "s", doc.Person{Email: "ann@x.org"}, "body"},
		{"many folds", "From: ann@x.org\nSubject: s\nX-Big: a\n" + strings.Repeat(" x\n", 50_000) + "\nbody", "s", doc.Person{Email: "ann@x.org"}, "body"},
	} {
		d := one(t, c.mail)
		if d.Title != c.title || d.Author != c.author || d.Body != c.body {
			t.Errorf("%s: got title %q, author %+v, body %.80q", c.name, d.Title, d.Author, d.Body)
		}
	}
}

func TestRecipientsAreNamedOnce(t *testing.T) {
	d := one(t, "From: ann@x.org\nTo: Bob <bob@x.org>, ann@x.org\nCc: Bob <bob@x.org>, carl@x.org\nBcc: dora@x.org\nSubject: s\n\nbody")
	want := []doc.Person{{Name: "Bob", Email: "bob@x.org"}, {Email: "carl@x.org"}, {Email: "dora@x.org"}}
	if diff := cmp.Diff(want, d.To); diff != "" {
		t.Error(diff)
	}
}

func TestTimeOfAMail(t *testing.T) {
	received := "Received: from a by b; Wed, 1 May 2024 12:00:09 +0000\nReceived: from c by a; Wed, 1 May 2024 12:00:01 +0000\n"
	for _, c := range []struct{ name, mail, want string }{
		{"date", "Date: Wed, 1 May 2024 10:00:00 +0200\n" + received, "2024-05-01T08:00:00Z"},
		{"unreadable date", "Date: soon\n" + received, "2024-05-01T12:00:01Z"},
		{"date of a broken clock", "Date: Mon, 1 Jan 1904 00:00:00 +0000\n" + received, "2024-05-01T12:00:01Z"},
		{"no date", received, "2024-05-01T12:00:01Z"},
		{"nothing but the file", "", doctest.FileTime.Format(time.RFC3339)},
	} {
		d := one(t, "From: ann@x.org\nSubject: s\n"+c.mail+"\nbody")
		if got := d.Time.UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s: got %s, want %s", c.name, got, c.want)
		}
	}
	docs, _ := read(t, mail.Mbox{}, "a.mbox", []byte("From ann@x.org Thu May  2 10:11:12 2024\nFrom: ann@x.org\nSubject: s\n\nbody\n"))
	if got := docs[0].Time.UTC().Format(time.RFC3339); got != "2024-05-02T10:11:12Z" {
		t.Errorf("separator line: got %s", got)
	}
}

// TestHeadersFullOfOpenMarks: a header of nothing but what opens takes time in proportion to its length, not
// to its square, with which this test would take minutes.
func TestHeadersFullOfOpenMarks(t *testing.T) {
	for _, mark := range []string{"<", ">", "(", "<a", `"`, "](", "> ", "a:b;"} {
		for _, name := range []string{"From", "To", "Subject"} {
			docs, _ := read(t, mail.Message{}, "a.eml", []byte(name+": "+strings.Repeat(mark, 4<<20/len(mark))+"\nDate: Mon, 6 May 2024 09:00:00 +0000\n\nText\n"))
			if len(docs) != 1 || docs[0].Body != "Text" {
				t.Errorf("%s of %q: %d documents", name, mark, len(docs))
			}
		}
	}
}
