package mail_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

// read returns the documents of data as r reads it. Unlike those of files, they need no title.
func read(t testing.TB, r doc.Reader, rel string, data []byte) ([]*doc.Document, doc.Report) {
	t.Helper()
	var docs []*doc.Document
	report, err := r.Read(t.Context(), doctest.Input(rel, data), func(d *doc.Document) error {
		docs = append(docs, d)
		return nil
	})
	if err != nil {
		t.Fatalf("%s: %v", rel, err)
	}
	return docs, report
}

// one returns the single document of the mail, whose lines may be written with \n.
func one(t testing.TB, text string) *doc.Document {
	t.Helper()
	docs, report := read(t, mail.Message{}, "test.eml", []byte(text))
	if len(docs) != 1 {
		t.Fatalf("got %d documents (%+v) of\n%s", len(docs), report, text)
	}
	return docs[0]
}

// withBody returns a small mail with the given extra header lines and body.
func withBody(header, body string) string {
	return "From: Ann Moreau <ann@example.org>\nTo: bob@example.org\nSubject: Test\nDate: Wed, 1 May 2024 10:00:00 +0200\n" +
		"Message-ID: <1@example.org>\n" + header + "\n" + body
}

var errStop = errors.New("stop")

// view is what goldens show of a document.
type view struct {
	Outcome   doc.Outcome
	Reason    string       `json:",omitempty"`
	Documents []viewedMail `json:",omitempty"`
}

type viewedMail struct {
	Key, GlobalKey, SourceRef string
	Kind                      doc.Kind
	Tags                      []string `json:",omitempty"`
	Title                     string
	Author                    doc.Person
	To                        []doc.Person `json:",omitempty"`
	Time                      string
	Markdown                  bool `json:",omitempty"`
	Body                      []string
}

func render(t testing.TB, docs []*doc.Document, report doc.Report) []byte {
	t.Helper()
	v := view{Outcome: report.Outcome, Reason: report.Reason}
	for _, d := range docs {
		v.Documents = append(v.Documents, viewedMail{
			Key: d.Key, GlobalKey: d.GlobalKey, SourceRef: d.SourceRef, Kind: d.Kind, Tags: d.Tags, Title: d.Title,
			Author: d.Author, To: d.To, Time: d.Time.Format(time.RFC3339), Markdown: d.Markdown, Body: strings.Split(d.Body, "\n"),
		})
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
