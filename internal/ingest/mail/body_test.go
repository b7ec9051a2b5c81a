package mail_test

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

// multipart returns a multipart mail of the given kind; each part is its header lines, a blank line
// and its body.
func multipart(kind string, parts ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "MIME-Version: 1.0\nContent-Type: multipart/%s; boundary=\"=_b\"\n\n", kind)
	for _, p := range parts {
		b.WriteString("--=_b\n" + p + "\n")
	}
	b.WriteString("--=_b--\n")
	return "From: Ann Moreau <ann@example.org>\nTo: bob@example.org\nSubject: Test\nDate: Wed, 1 May 2024 10:00:00 +0200\nMessage-ID: <1@example.org>\n" + b.String()
}

func plain(text string) string { return "Content-Type: text/plain; charset=utf-8\n\n" + text }

func htmlPart(text string) string { return "Content-Type: text/html; charset=utf-8\n\n" + text }

func TestBodies(t *testing.T) {
	b64 := base64.StdEncoding.EncodeToString
	for _, c := range []struct{ name, mail, want string }{
		{"plain", withBody("", "Hello Bob,\n\nsee you.\n"), "Hello Bob,\n\nsee you."},
		{"charset", withBody("Content-Type: text/plain; charset=iso-8859-1\n", "caf\xe9 10 \x80"), "café 10 €"},
		{"wrong charset", withBody("Content-Type: text/plain; charset=utf-8\n", "caf\xe9 cr\xe8me"), "café crème"},
		{"no charset", withBody("", "caf\xe9 cr\xe8me"), "café crème"},
		{"quoted-printable", withBody("Content-Transfer-Encoding: quoted-printable\nContent-Type: text/plain; charset=utf-8\n", "caf=C3=A9 and a =\nlong line =zz 100=\n"), "café and a long line =zz 100"},
		{"base64", withBody("Content-Transfer-Encoding: BASE64\n", b64([]byte("Hello Bob"))), "Hello Bob"},
		{"base64 with junk and lost padding", withBody("Content-Transfer-Encoding: base64\n", "SGVs*bG8g\n Qm9i!"), "Hello Bob"},
		{"base64 in its label only", withBody("Content-Transfer-Encoding: base64\n", "This is plain text, whatever the header says."), "This is plain text, whatever the header says."},
		{"base64 without its label", withBody("", wrap(b64([]byte(strings.Repeat("Hello Bob, this lost its header. ", 8))))), strings.TrimSpace(strings.Repeat("Hello Bob, this lost its header. ", 8))},
		{"binary without its label", withBody("", wrap(b64([]byte("\x00\x01\x02\xff\xfe"+strings.Repeat("\x9d\x00", 200))))), "Test"},
		{"encoding 7-bit", withBody("Content-Transfer-Encoding: 7-bit\n", "Hello"), "Hello"},
		{"unknown encoding", withBody("Content-Transfer-Encoding: x-own\n", "Hello"), "Hello"},
		{"html", withBody("Content-Type: text/html\n", "<style>p{}</style><p>Hello&nbsp;<b>Bob</b></p>"), "Hello Bob"},
		{"html without a type", withBody("", "<html><body><p>Hello</p></body></html>"), "Hello"},
		{"html with its charset inside", withBody("Content-Type: text/html\n", "<html><meta charset=koi8-r><p>\xf0\xd2\xc9\xd7\xc5\xd4</html>"), "Привет"},
		{"html signature", withBody("Content-Type: text/html\n", `<div>Hello</div><div class="gmail_signature">Ann, Boss</div>`), "Hello"},
		{"html that is only a signature", withBody("Content-Type: text/html\n", `<div class="gmail_signature">Ann, Boss</div>`), "Ann, Boss"},
		{"flowed", withBody("Content-Type: text/plain; format=flowed\n", "A long \nline, and \nits end.\n> quoted \n> words\n\n Indented\nAnswer"), "A long line, and its end.\n> quoted words\n\nIndented\nAnswer"},
		{"flowed with delsp", withBody("Content-Type: text/plain; charset=utf-8; format=flowed; delsp=yes\n", "你好， \n世界"), "你好，世界"},
		{"uuencoded", withBody("", "See file.\n\nbegin 644 a.txt\n#0V%T\n`\nend\n\nAnn"), "See file.\n\n\nAnn"},
		{"signed with PGP", withBody("", "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nHello\n-----BEGIN PGP SIGNATURE-----\n\niQEzBAEBCAAd\n=abcd\n-----END PGP SIGNATURE-----\n"), "Hello"},
		{"encrypted with PGP", withBody("", "-----BEGIN PGP MESSAGE-----\n\nhQEMA1\n=abcd\n-----END PGP MESSAGE-----\n"), "Test"},
		{"empty", withBody("", "\n \n"), "Test"},

		{"alternative", multipart("alternative", plain("Hello in plain"), htmlPart("<p>Hello in HTML</p>")), "Hello in plain"},
		{"alternative, HTML first", multipart("alternative", htmlPart("<p>Hello in HTML</p>"), plain("Hello in plain")), "Hello in plain"},
		{"alternative, empty plain", multipart("alternative", plain("\n \n"), htmlPart("<p>Hello in HTML</p>")), "Hello in HTML"},
		{"alternative, stub", multipart("alternative", plain("Your mail client cannot show HTML."), htmlPart("<p>"+strings.Repeat("Hello Bob, ", 20)+"</p>")), strings.TrimSpace(strings.Repeat("Hello Bob, ", 20))},
		{"alternative, stub that is a link", multipart("alternative", plain("https://example.org/view"), htmlPart("<p>"+strings.Repeat("Hello Bob, ", 20)+"</p>")), strings.TrimSpace(strings.Repeat("Hello Bob, ", 20))},
		{"alternative, short but right", multipart("alternative", plain("Yes, let us do that."), htmlPart("<p>Yes, let us do <b>that</b>.</p>")), "Yes, let us do that."},
		{"alternative in three forms", multipart("alternative", plain("Hello"), "Content-Type: text/x-amp-html\n\n<html amp>x</html>", htmlPart("<p>Hello</p>")), "Hello"},
		{"alternative with an invitation", multipart("alternative", plain("We meet at ten."), "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nEND:VCALENDAR"), "We meet at ten."},
		{"alternative of two plain texts", multipart("alternative", plain("Section one"), plain("Section two"), htmlPart("<p>In HTML</p>")), "Section one\n\nSection two"},
		{"alternative of the same plain text twice", multipart("alternative", plain("Hello in plain"), plain("Hello in plain"), htmlPart("<p>Hello</p>")), "Hello in plain"},
		{"text files beside the HTML", multipart("alternative", plain("Hello"), "Content-Type: multipart/related; boundary=\"in\"\n\n--in\nContent-Type: text/html\n\n<p>Hello</p>\n--in\nContent-Type: text/plain; name=list.txt\nContent-Disposition: inline\n\nbread, milk\n--in--"), "Hello\n\n[attachment: list.txt]\nbread, milk"},
		{"a tag for a type", multipart("mixed", "Content-Type: <html>\n\nHello<br>\nBob<br>\n</body>"), "Hello\nBob"},
		{"an address for a type", multipart("mixed", "Content-Type: <a@x.org>\n\nHello"), "Hello"},
		{"several texts", multipart("mixed", plain("First."), plain("Second.")), "First.\n\nSecond."},
		{"attachment", multipart("mixed", plain("See the file."), "Content-Type: application/pdf; name=\"plan.pdf\"\nContent-Transfer-Encoding: base64\nContent-Disposition: attachment\n\n"+b64([]byte("%PDF-1.4\x00"))), "See the file.\n\n[attachment: plan.pdf]"},
		{"attachment with an RFC 2231 name", multipart("mixed", plain("See."), "Content-Type: application/pdf\nContent-Disposition: attachment; filename*0*=utf-8''caf%C3%A9%20; filename*1=plan.pdf\n\nx"), "See.\n\n[attachment: café plan.pdf]"},
		{"attachment with an encoded name", multipart("mixed", plain("See."), "Content-Type: application/pdf; name=\"=?utf-8?Q?caf=C3=A9.pdf?=\"\n\nx"), "See.\n\n[attachment: café.pdf]"},
		{"attachment with a Windows path", multipart("mixed", plain("See."), "Content-Type: application/pdf; name=\"C:\\Temp\\plan.pdf\"\n\nx"), "See.\n\n[attachment: plan.pdf]"},
		{"text attachment", multipart("mixed", plain("See."), "Content-Type: text/csv; name=a.csv\nContent-Disposition: attachment\n\nday,sum\nMon,3"), "See.\n\n[attachment: a.csv]\nday,sum\nMon,3"},
		{"text attachment of unknown type", multipart("mixed", plain("See."), "Content-Type: application/octet-stream; name=notes.md\n\n# Notes"), "See.\n\n[attachment: notes.md]\n# Notes"},
		{"binary called text", multipart("mixed", plain("See."), "Content-Type: text/plain; name=a.txt\nContent-Disposition: attachment\n\n\x00\x01\x02\x03\x04\x05\xff\x00\x00"), "See.\n\n[attachment: a.txt]"},
		{"pictures of the layout", multipart("related", htmlPart("<p>Hello<img src=cid:1 alt=image001.png>"), "Content-Type: image/png; name=image001.png\nContent-ID: <1>\n\nx"), "Hello"},
		{"signed", multipart("signed", plain("Hello"), "Content-Type: application/pgp-signature; name=signature.asc\n\nx"), "Hello"},
		{"forwarded mail", multipart("mixed", plain("FYI"), "Content-Type: message/rfc822\n\nFrom: Carl <carl@x.org>\nSubject: Plan\nDate: Tue, 30 Apr 2024 09:00:00 +0000\n\nThe plan is ready."), "FYI\n\n[Forwarded mail: Plan, from Carl <carl@x.org>, 2024-04-30 09:00]\nThe plan is ready."},
		{"forwarded mail in base64", multipart("mixed", "Content-Type: message/rfc822\nContent-Transfer-Encoding: base64\n\n"+b64([]byte("From: carl@x.org\nSubject: Plan\n\nThe plan."))), "[Forwarded mail: Plan, from carl@x.org]\nThe plan."},
		{"digest", multipart("digest", "\nFrom: a@x.org\nSubject: One\n\nfirst", "\nFrom: b@x.org\nSubject: Two\n\nsecond"), "[Forwarded mail: One, from a@x.org]\nfirst\n\n[Forwarded mail: Two, from b@x.org]\nsecond"},
		{"delivery report", multipart("report; report-type=delivery-status", plain("Your mail could not be delivered."), "Content-Type: message/delivery-status\n\nAction: failed\nFinal-Recipient: rfc822; x@y.z", "Content-Type: message/rfc822\n\nFrom: ann@example.org\nSubject: Lost\n\nMy own words."), "Your mail could not be delivered.\n\n[Returned mail: Lost, from ann@example.org]"},
		{"delivery report without words", multipart("report", "Content-Type: message/delivery-status\n\nAction: failed\nFinal-Recipient: rfc822; x@y.z"), "Action: failed\nFinal-Recipient: rfc822; x@y.z"},
		{"list footer as a part", multipart("mixed", plain("Hello list"), plain("_______________________________________________\nDev mailing list\ndev@x.org\nhttps://x.org/listinfo/dev")), "Hello list"},
		{"no end boundary", strings.Replace(multipart("mixed", plain("First."), plain("Second.")), "--=_b--", "", 1), "First.\n\nSecond."},
		{"no boundary parameter", strings.Replace(multipart("mixed", plain("First."), plain("Second.")), "; boundary=\"=_b\"", "", 1), "First.\n\nSecond."},
		{"other boundary", strings.Replace(multipart("mixed", plain("First."), plain("Second.")), "boundary=\"=_b\"", "boundary=other", 1), "First.\n\nSecond."},
		{"multipart without parts", withBody("Content-Type: multipart/mixed; boundary=x\n", "Just text."), "Just text."},
		{"part without header", multipart("mixed", "Note: this is text", plain("Second.")), "Note: this is text\n\nSecond."},
		{"preamble and epilogue", strings.Replace(multipart("mixed", plain("First.")), "\n\n--=_b", "\n\nThis is a multi-part message.\n--=_b", 1) + "epilogue", "First."},
		{"type without subtype", withBody("Content-Type: text\n", "Hello"), "Hello"},
		{"garbage type", withBody("Content-Type: ;;;=\n", "Hello"), "Hello"},
	} {
		if got := one(t, c.mail).Body; got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func wrap(s string) string {
	var b strings.Builder
	for len(s) > 76 {
		b.WriteString(s[:76] + "\n")
		s = s[76:]
	}
	return b.String() + s
}

func TestPeopleOfForwardedMailAreNamed(t *testing.T) {
	d := one(t, multipart("mixed", "Content-Type: message/rfc822\n\nFrom: Carl <carl@x.org>\nSubject: Plan\n\nThe plan."))
	want := []doc.Person{{Email: "bob@example.org"}, {Name: "Carl", Email: "carl@x.org"}}
	if diff := cmp.Diff(want, d.To); diff != "" {
		t.Error(diff)
	}
}

// A mail of 10,000 nested parts is read down to the documented depth, at once, and said to be partial.
func TestDeepNestingIsRefused(t *testing.T) {
	for _, depth := range []int{mail.MaxDepth, mail.MaxDepth + 1, 10_000} {
		var b strings.Builder
		b.WriteString("From: ann@x.org\nSubject: deep\n")
		for i := range depth {
			fmt.Fprintf(&b, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
		}
		b.WriteString("Content-Type: text/plain\n\nneedle\n")
		docs, report := read(t, mail.Message{}, "deep.eml", []byte(b.String()))
		if len(docs) != 1 {
			t.Fatalf("depth %d: %d documents", depth, len(docs))
		}
		found := strings.Contains(docs[0].Body, "needle")
		if depth <= mail.MaxDepth && (!found || report.Outcome != doc.OK) {
			t.Errorf("depth %d: text read %v, %+v", depth, found, report)
		}
		if depth > mail.MaxDepth && (found || report.Outcome != doc.Partial || !strings.Contains(report.Reason, "32 deep")) {
			t.Errorf("depth %d: text read %v, %+v", depth, found, report)
		}
	}
	nested := strings.Repeat("Content-Type: message/rfc822\n\n", 10_000) + "needle"
	if _, report := read(t, mail.Message{}, "deep.eml", []byte("From: ann@x.org\nSubject: s\n"+nested)); report.Outcome != doc.Partial {
		t.Errorf("nested messages: %+v", report)
	}
}

func TestTooManyPartsAndTooMuchText(t *testing.T) {
	parts := make([]string, 5000)
	for i := range parts {
		parts[i] = plain("x")
	}
	if _, report := read(t, mail.Message{}, "a.eml", []byte(multipart("mixed", parts...))); report.Outcome != doc.Partial {
		t.Errorf("5,000 parts: %+v", report)
	}
	big := strings.Repeat("a line of text\n", 700_000)
	docs, report := read(t, mail.Message{}, "a.eml", []byte(withBody("", big)))
	if report.Outcome != doc.Partial || len(docs) != 1 || len(docs[0].Body) > 9<<20 {
		t.Errorf("10 MiB of text: %+v", report)
	}
	// The end of an attachment beyond the limit is no loss.
	attachment := "Content-Type: application/zip; name=a.zip\nContent-Transfer-Encoding: base64\n\n" + strings.Repeat("QUJD\n", 7_000_000)
	docs, report = read(t, mail.Message{}, "a.eml", []byte(multipart("mixed", plain("See."), attachment)))
	if report.Outcome != doc.OK || docs[0].Body != "See.\n\n[attachment: a.zip]" {
		t.Errorf("large attachment: %+v", report)
	}
}

func TestEncryptedMailIsSaidToBe(t *testing.T) {
	docs, report := read(t, mail.Message{}, "a.eml", []byte(multipart("encrypted", "Content-Type: application/pgp-encrypted\n\nVersion: 1", "Content-Type: application/octet-stream\n\nx")))
	if len(docs) != 1 || docs[0].Body != "Test" || report.Outcome != doc.OK || report.Reason != "an encrypted mail cannot be read, only what stands around it" {
		t.Errorf("got %+v, %+v", docs, report)
	}
	docs, report = read(t, mail.Message{}, "a.eml", []byte(withBody("Content-Type: application/pkcs7-mime; name=smime.p7m\nContent-Transfer-Encoding: base64\n", "MIAG")))
	if len(docs) != 1 || docs[0].Body != "Test" || report.Outcome != doc.OK || !strings.Contains(report.Reason, "S/MIME") {
		t.Errorf("S/MIME: got %+v, %+v", docs, report)
	}

	// In a mailbox the sealed ones are counted, and damage elsewhere is still said first.
	sealed := "From a@x Mon Apr  1 10:00:00 2024\n" + multipart("encrypted", "Content-Type: application/pgp-encrypted\n\nVersion: 1") + "\n"
	docs, report = read(t, mail.Mbox{}, "a.mbox", []byte(sealed+strings.ReplaceAll(sealed, "Test", "Another")))
	if len(docs) != 2 || report.Outcome != doc.OK || report.Reason != "2 mails are encrypted or sealed; only what stands around that is read" {
		t.Errorf("mailbox: got %d documents, %+v", len(docs), report)
	}
}

// A text in a character set that is not known is taken in as it is guessed, and the report says so. Labels
// that say nothing, and texts that need no character set, are no reason for one.
func TestUnknownCharsetIsSaid(t *testing.T) {
	const johab = "\x88\x61\xd0\x65\x8b\xb7" // three syllables
	for name, c := range map[string]struct{ label, body, reason string }{
		"johab":        {"johab", johab, "a text is in the character set johab, which is not known; it may be wrong"},
		"no name":      {`"what is this?"`, johab, "a text is in a character set, which is not known; it may be wrong"},
		"HTML":         {"x-johab", "<p>" + johab + "</p>", "a text is in the character set x-johab, which is not known; it may be wrong"},
		"ASCII":        {"johab", "Lunch at noon.", ""},
		"UTF-8":        {"johab", "점심", ""},
		"says nothing": {"unknown-8bit", "caf\xe9 au lait", ""},
		"known":        {"euc-kr", "\xc1\xa1\xbd\xc9", ""},
	} {
		kind := "text/plain"
		if strings.HasPrefix(c.body, "<") {
			kind = "text/html"
		}
		docs, report := read(t, mail.Message{}, "test.eml", []byte(withBody("Content-Type: "+kind+"; charset="+c.label+"\n", c.body)))
		want := doc.OK
		if c.reason != "" {
			want = doc.Partial
		}
		if len(docs) != 1 || report.Outcome != want || !strings.Contains(report.Reason, c.reason) {
			t.Errorf("%s: %d documents, %+v", name, len(docs), report)
		}
	}
}

// A part that was saved by itself is decoded, and its header is no text.
func TestPartByItself(t *testing.T) {
	for _, in := range []string{
		"Content-Transfer-Encoding: quoted-printable\n\n=E2=98=86 gr=C3=BCn",
		"Content-Transfer-Encoding: Quoted-Printable\r\n\r\n=E2=98=86 gr=C3=BCn\r\n",
		"Content-Transfer-Encoding: base64\n\n4piGIGdyw7xu\n",
		"Content-Transfer-Encoding: 8bit\n\n☆ grün",
	} {
		if got := one(t, in).Body; got != "☆ grün" {
			t.Errorf("%q: got %q", in, got)
		}
	}
}
