package mail_test

import (
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

// TestTimes: a date that is missing, unreadable or that of a wrong clock gives way to when the mail arrived.
func TestTimes(t *testing.T) {
	const path = "Received: from b by c; Sat, 3 May 2014 12:00:05 +0200\nReceived: from a by b (added by x; y);\n\tSat, 3 May 2014 10:00:00 +0000\n"
	for _, c := range []struct{ name, header, want string }{
		{"as the header says", "Date: Sat, 3 May 2014 09:00:00 +0200\n" + path, "2014-05-03T07:00:00Z"},
		{"long before it arrived here", "Date: Sat, 3 May 2003 09:00:00 +0200\n" + path, "2003-05-03T07:00:00Z"},
		{"a day ahead, as wrong zones are", "Date: Sun, 4 May 2014 09:00:00 +0200\n" + path, "2014-05-04T07:00:00Z"},
		{"years after it arrived", "Date: Sat, 3 May 2031 09:00:00 +0200\n" + path, "2014-05-03T10:00:00Z"},
		{"the first day of all computers", "Date: Thu, 1 Jan 1970 01:00:00 +0100\n" + path, "2014-05-03T10:00:00Z"},
		{"the first day, and nothing else known", "Date: Thu, 1 Jan 1970 01:00:00 +0100\n", "1970-01-01T00:00:00Z"},
		{"none", path, "2014-05-03T10:00:00Z"},
		{"unreadable", "Date: yesterday\n" + path, "2014-05-03T10:00:00Z"},
		{"a day that does not exist", "Date: Sat, 31 Apr 2014 09:00:00 +0200\n" + path, "2014-05-03T10:00:00Z"},
		{"a time that does not exist", "Date: Sat, 3 May 2014 25:61:00 +0200\n" + path, "2014-05-03T10:00:00Z"},
		{"a zone of no place", "Date: Sat, 3 May 2014 09:00:00 +9900\n" + path, "2014-05-03T09:00:00Z"},
		{"a zone in words", "Date: Sat, 3 May 2014 09:00:00 W. Europe Standard Time\n" + path, "2014-05-03T09:00:00Z"},
		{"a year of two digits", "Date: Sat, 3 May 14 09:00:00 GMT\n" + path, "2014-05-03T09:00:00Z"},
	} {
		docs, _ := read(t, mail.Message{}, "a.eml", []byte("From: a@x.org\nSubject: s\n"+c.header+"\nHello\n"))
		if got := docs[0].Time.UTC().Format(time.RFC3339); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	undated := "From: a@x.org\nSubject: s\n\nHello\n"
	inbox, _ := read(t, mail.Mbox{}, "mbox", []byte(postmark+undated))
	if got := inbox[0].Time.UTC().Format(time.RFC3339); got != "2024-05-01T10:11:12Z" {
		t.Errorf("of the separator line: %s", got)
	}
	wrong, _ := read(t, mail.Mbox{}, "mbox", []byte(postmark+"Date: Sat, 3 May 2031 09:00:00 +0200\n"+undated))
	if got := wrong[0].Time.UTC().Format(time.RFC3339); got != "2024-05-01T10:11:12Z" {
		t.Errorf("years after the separator line: %s", got)
	}
	framed, _ := read(t, mail.Message{}, "1.emlx", apple(undated, 1))
	if got := framed[0].Time.UTC().Format(time.RFC3339); got != "2024-05-01T10:00:00Z" {
		t.Errorf("of Apple's list: %s", got)
	}
	crlf := apple(undated, 1)
	crlf[0] = '9' // the length is one of a mail with other line ends
	longer, _ := read(t, mail.Message{}, "1.emlx", crlf)
	if longer[0].Body != "Hello" {
		t.Errorf("with a length that is too large: %q", longer[0].Body)
	}
}
