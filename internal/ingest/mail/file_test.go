package mail_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

// paper reads files that begin with %PDF-: each line after that is a page.
type paper struct{}

func (paper) Name() string { return "paper" }
func (paper) Version() int { return 4 }

func (paper) Detect(in *doc.Input) int {
	if bytes.HasPrefix(in.Head, []byte("%PDF-")) {
		return 90
	}
	return 0
}

func (paper) Read(_ context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	f, err := in.Open()
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: "no"}, nil
	}
	b := make([]byte, in.Size)
	f.Read(b)
	_, text, _ := strings.Cut(string(b), "\n")
	if text == "broken" {
		return doc.Report{Outcome: doc.Failed, Reason: "it is damaged"}, nil
	}
	return doc.Report{Outcome: doc.OK}, emit(&doc.Document{
		Kind: doc.KindDocument, Key: in.Rel, SourceRef: in.Rel, Title: "Report", Body: text, Time: in.ModTime, Author: doc.Person{Name: "Tom"},
		Places: []doc.Place{{Ref: in.Rel + "#page=1"}},
	})
}

func attach(name, content string) string {
	b := base64.StdEncoding.EncodeToString([]byte(content))
	var lines []string
	for ; len(b) > 76; b = b[76:] {
		lines = append(lines, b[:76])
	}
	return "Content-Type: application/octet-stream; name=\"" + name + "\"\nContent-Disposition: attachment; filename=\"" + name + "\"\nContent-Transfer-Encoding: base64\n\n" + strings.Join(append(lines, b), "\n")
}

func TestAttachments(t *testing.T) {
	reader := mail.Message{Files: []doc.Reader{paper{}}}
	long := strings.Repeat("A line of the report with words. ", 20_000)
	text := withBody("Content-Type: multipart/mixed; boundary=b\n", "--b\n\nSee what is attached.\n--b\n"+
		attach("report.pdf", "%PDF-\n"+long+"needle")+"\n--b\n"+attach("report.pdf", "%PDF-\nanother")+"\n--b\n"+attach("photo.jpg", "\xff\xd8\xff\x00")+"\n--b--\n")
	docs, report := read(t, reader, "a.eml", []byte(text))
	if len(docs) != 3 || report.Outcome != doc.OK {
		t.Fatalf("%d documents, %+v", len(docs), report)
	}
	m, a, b := docs[0], docs[1], docs[2]
	if m.Body != "See what is attached.\n\n[attachment: report.pdf] [attachment: photo.jpg]" {
		t.Errorf("mail: %q", m.Body)
	}
	if !strings.HasSuffix(a.Body, "needle") || a.Kind != doc.KindEmail || a.Author != m.Author || !a.Time.Equal(m.Time) || a.Title != "Report (attached to: Test)" {
		t.Errorf("attachment: %.50q, %q, %+v, %v, %q", a.Body, a.Kind, a.Author, a.Time, a.Title)
	}
	if a.SourceRef != "mid:1@example.org/report.pdf" || a.Places[0].Ref != "mid:1@example.org/report.pdf#page=1" {
		t.Errorf("leads to %q, %q", a.SourceRef, a.Places[0].Ref)
	}
	if b.SourceRef != "mid:1@example.org/report (2).pdf" || a.Key == b.Key || a.GlobalKey == b.GlobalKey || a.GlobalKey == "" {
		t.Errorf("second: %q, %q, %q", b.SourceRef, b.Key, b.GlobalKey)
	}
	named := false
	for _, p := range a.To {
		named = named || p.Name == "Tom"
	}
	if !named || len(a.Aliases) != 1 || a.Aliases[0] != "report.pdf" {
		t.Errorf("people %+v, names %q", a.To, a.Aliases)
	}

	// The same mail in a mailbox brings the same documents.
	again, _ := read(t, mail.Mbox(reader), "a.mbox", []byte("From ann@example.org Wed May  1 10:00:00 2024\n"+text))
	if len(again) != 3 || again[1].GlobalKey != a.GlobalKey || again[1].SourceRef != a.SourceRef {
		t.Errorf("in a mailbox: %d documents", len(again))
	}

	// In a forwarded mail, damaged, or with nobody to read it.
	inner := "Content-Type: message/rfc822\n\nFrom: Cat <cat@example.org>\nSubject: Inner\nContent-Type: multipart/mixed; boundary=c\n\n--c\n" + attach("inner.pdf", "%PDF-\ninside") + "\n--c--\n"
	docs, _ = read(t, reader, "a.eml", []byte(withBody("Content-Type: multipart/mixed; boundary=b\n", "--b\n\nFor you.\n--b\n"+inner+"\n--b--\n")))
	if len(docs) != 2 || docs[1].Body != "inside" {
		t.Errorf("forwarded: %d documents", len(docs))
	}
	broken := withBody("Content-Type: multipart/mixed; boundary=b\n", "--b\n\nSee.\n--b\n"+attach("x.pdf", "%PDF-\nbroken")+"\n--b--\n")
	if docs, report := read(t, reader, "a.eml", []byte(broken)); len(docs) != 1 || report.Outcome != doc.Partial || !report.Whole || !strings.Contains(report.Reason, "it is damaged") {
		t.Errorf("damaged: %d documents, %+v", len(docs), report)
	}
	if docs, report := read(t, mail.Message{}, "a.eml", []byte(text)); len(docs) != 1 || report.Outcome != doc.OK {
		t.Errorf("without readers: %d documents, %+v", len(docs), report)
	}
	if a, b := (mail.Message{}).Version(), reader.Version(); a == b {
		t.Error("a new reader of attachments reads nothing anew")
	}
	many := strings.Repeat("--b\n"+attach("x.pdf", "%PDF-\nx")+"\n", 200)
	if docs, _ := read(t, reader, "a.eml", []byte(withBody("Content-Type: multipart/mixed; boundary=b\n", many+"--b--\n"))); len(docs) != 51 {
		t.Errorf("many: %d documents", len(docs))
	}
}
