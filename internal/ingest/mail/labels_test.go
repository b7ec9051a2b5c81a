package mail_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

// apple returns a file of Apple Mail with that number of flags.
func apple(text string, flags int64) []byte {
	return fmt.Appendf(nil, "%-10d\n%s<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<plist version=\"1.0\">\n<dict>\n\t<key>date-received</key>\n\t<integer>1714557600</integer>\n"+
		"\t<key>flags</key>\n\t<integer>%d</integer>\n</dict>\n</plist>\n", len(text), text, flags)
}

// TestFolders: mail that was thrown away is left out and said so, whatever program and language says it, and nothing else
// is.
func TestFolders(t *testing.T) {
	plain := withBody("", "Hello")
	with := func(header string) string { return withBody(header+"\n", "Hello") }
	for _, c := range []struct {
		rel, data string
		tags      []string
		out       bool
	}{
		{rel: "Maildir/cur/1.host:2,S", data: plain},
		{rel: "Maildir/cur/1.host:2,FRS", data: plain, tags: []string{"Flagged"}},
		{rel: "Maildir/cur/1.host:2,DS", data: plain, tags: []string{"Draft"}},
		{rel: "Maildir/cur/1.host:2,ST", data: plain, out: true},
		{rel: "Maildir/cur/DRAFT.Trash:2,S", data: plain},
		{rel: "Maildir/.Sent/cur/1.host:2,S", data: plain, tags: []string{"Sent"}},
		{rel: "Maildir/.INBOX.Trash/cur/1.host:2,S", data: plain, out: true},
		{rel: "Maildir/INBOX.Junk/new/1.host", data: plain, out: true},
		{rel: "Maildir/.Junk E-mail/cur/1:2,", data: plain, out: true},
		{rel: "Maildir/.Junk drawer/cur/1:2,", data: plain},
		{rel: "junk.drawer/cur/1:2,", data: plain},
		{rel: "[Gmail]/Bin/1.eml", data: plain, out: true},
		{rel: "src/bin/1.eml", data: plain},
		{rel: "Papierkorb/1.eml", data: plain, out: true},
		{rel: "letters/Trash.eml", data: plain},
		{rel: "V10/A/Deleted Messages.mbox/B/Data/Messages/1.emlx", data: string(apple(plain, 1)), out: true},
		{rel: "1.emlx", data: string(apple(plain, 1<<1|1)), out: true},
		{rel: "1.emlx", data: string(apple(plain, 1<<24)), out: true},
		{rel: "1.emlx", data: string(apple(plain, 1<<24|1<<25))},
		{rel: "1.partial.emlx", data: string(apple(plain, 8590195840|1<<4)), tags: []string{"Flagged"}},
		{rel: "1.emlx", data: string(apple(plain, 1<<6)), tags: []string{"Draft"}},
		{rel: "Inbox", data: postmark + with("X-Mozilla-Status: 0001")},
		{rel: "Inbox", data: postmark + with("X-Mozilla-Status: 0005\nX-Mozilla-Keys: $label1 nonjunk holiday  "), tags: []string{"Important", "holiday", "Flagged"}},
		{rel: "Inbox", data: postmark + with("X-Mozilla-Status: 0009"), out: true},
		{rel: "Inbox", data: postmark + with("X-Mozilla-Status: 0001\nX-Mozilla-Status2: 00200000"), out: true},
		{rel: "mbox", data: postmark + with("Status: RO\nX-Status: AF"), tags: []string{"Flagged"}},
		{rel: "mbox", data: postmark + with("Status: RO\nX-Status: D"), out: true},
		{rel: "Takeout/Mail/Spam.mbox", data: postmark + plain, out: true},
		{rel: "Takeout/Mail/All mail Including Spam and Trash.mbox", data: postmark + with("X-Gmail-Labels: Sent,Opened"), tags: []string{"Sent"}},
		{rel: "All.mbox", data: postmark + with("X-Gmail-Labels: =?UTF-8?Q?Papierkorb,Ge=C3=B6ffnet?="), out: true},
		{rel: "All.mbox", data: postmark + with("X-Gmail-Labels: Bin"), out: true},
		{rel: "All.mbox", data: postmark + with("X-Gmail-Labels: =?UTF-8?B?6L+35oOR44Oh44O844Or?="), out: true},
		{rel: "All.mbox", data: postmark + with("X-Gmail-Labels: Drafts,Trash talk"), tags: []string{"Drafts", "Trash talk"}},
		{rel: "a.eml", data: with("Keywords: spam, trash"), tags: []string{"spam", "trash"}},
		{rel: "a.eml", data: with("X-Spam-Flag: YES"), tags: []string{"Spam"}},
	} {
		var r doc.Reader = mail.Message{}
		if strings.HasPrefix(c.data, "From ") {
			r = mail.Mbox{}
		}
		docs, report := read(t, r, c.rel, []byte(c.data))
		if c.out {
			if len(docs) != 0 || report.Outcome != doc.Skipped || !strings.Contains(report.Reason, "trash") {
				t.Errorf("%s, thrown away: %d documents, %+v", c.rel, len(docs), report)
			}
			continue
		}
		if len(docs) != 1 || report != (doc.Report{Outcome: doc.OK}) {
			t.Errorf("%s: %d documents, %+v", c.rel, len(docs), report)
			continue
		}
		if diff := cmp.Diff(c.tags, docs[0].Tags); diff != "" {
			t.Errorf("%s, %.60q: %s", c.rel, c.data, diff)
		}
		if docs[0].Body != "Hello" {
			t.Errorf("%s: %q", c.rel, docs[0].Body)
		}
	}
}
