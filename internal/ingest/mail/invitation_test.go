package mail_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/calendar"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

// TestInvitation: the event of an invitation is read once, wherever in the mail it stands.
func TestInvitation(t *testing.T) {
	const event = "BEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nBEGIN:VEVENT\r\nUID:1\r\nSUMMARY:Mortar tasting\r\nDTSTART:20240603T090000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	head := "From: Ann <ann@acme.example>\r\nTo: bob@example.org\r\nDate: Mon, 20 May 2024 10:00:00 +0000\r\nMessage-ID: <i@x>\r\nSubject: Tasting\r\nMIME-Version: 1.0\r\n"
	alternative := "Content-Type: multipart/alternative; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nPlease come to the tasting, all of you.\r\n" +
		"--b\r\nContent-Type: text/html\r\n\r\n<p>Please come to the tasting, all of you.</p>\r\n--b\r\nContent-Type: text/calendar; method=REQUEST; charset=UTF-8\r\n\r\n" + event + "--b--\r\n"
	attached := "--a\r\nContent-Type: application/ics; name=\"invite.ics\"\r\nContent-Disposition: attachment; filename=\"invite.ics\"\r\nContent-Transfer-Encoding: base64\r\n\r\n" +
		base64.StdEncoding.EncodeToString([]byte(event)) + "\r\n"
	for name, body := range map[string]string{
		"among the forms of the text": alternative,
		"and as a file":               "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\n" + alternative + attached + "--a--\r\n",
		"as a file alone":             "Content-Type: multipart/mixed; boundary=a\r\n\r\n--a\r\nContent-Type: text/plain\r\n\r\nPlease come to the tasting, all of you.\r\n" + attached + "--a--\r\n",
		"and nothing else":            "Content-Type: text/calendar; charset=utf-8\r\n\r\n" + event,
	} {
		docs, report := doctest.Read(t, mail.Message{Files: []doc.Reader{calendar.Reader{}}}, "a.eml", []byte(head+body))
		n := 0
		for _, d := range docs {
			if strings.Contains(d.Body, "Event: Mortar tasting\nWhen: 2024-06-03") {
				n++
				if !strings.HasPrefix(d.SourceRef, "mid:i@x/invite.ics#L") {
					t.Errorf("%s: reference %q", name, d.SourceRef)
				}
			} else if strings.Contains(d.Body, "BEGIN:") {
				t.Errorf("%s: %q", name, d.Body)
			}
		}
		if n != 1 {
			t.Errorf("%s: the event stands %d times in %d documents: %+v", name, n, len(docs), report)
		}
	}
}
