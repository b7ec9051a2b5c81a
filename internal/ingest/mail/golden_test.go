package mail_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

// markup is what never belongs into a body: encoded data, boundaries, header lines, styles.
var markup = regexp.MustCompile(`(?m)^(Content-(Type|Transfer-Encoding|Disposition|ID):|DKIM-Signature:|MIME-Version:|Received:)|^[A-Za-z0-9+/]{60,}={0,2}$|</?(html|body|div|table|td|p|style)\b[^>]*>|\{\s*(margin|padding|font-family):`)

// Every file of the collections has one clear outcome and a body of human text only.
func TestCollections(t *testing.T) {
	n := 0
	err := filepath.WalkDir("testdata", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		switch filepath.Ext(path) {
		case ".raw", ".txt", ".eml", ".mbox", ".emlx":
		default:
			return nil
		}
		n++
		t.Run(filepath.ToSlash(path), func(t *testing.T) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var reader doc.Reader = mail.Message{}
			if filepath.Ext(path) == ".mbox" {
				reader = mail.Mbox{}
			}
			rel := filepath.ToSlash(strings.TrimPrefix(path, "testdata"+string(filepath.Separator)))
			docs, report := read(t, reader, rel, data)
			golden.Check(t, path+".golden.json", render(t, docs, report))

			if (len(docs) == 0) != (report.Outcome == doc.NoText || report.Outcome == doc.Failed) {
				t.Errorf("%d documents with outcome %q", len(docs), report.Outcome)
			}
			if (report.Reason == "") != (report.Outcome == doc.OK) {
				t.Errorf("outcome %q with reason %q", report.Outcome, report.Reason)
			}
			for _, d := range docs {
				if found := markup.FindString(d.Body); found != "" {
					t.Errorf("markup %q in the body", found)
				}
				check(t, d)
			}
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if n < 100 {
		t.Errorf("only %d files were found", n)
	}
}

// check fails when d breaks a promise that every mail keeps.
func check(t testing.TB, d *doc.Document) {
	t.Helper()
	if strings.TrimSpace(d.Body) == "" || d.Key == "" || d.GlobalKey == "" && d.Kind == doc.KindEmail || d.SourceRef == "" {
		t.Errorf("something that must be set is not: %+v", d)
	}
	texts := append([]string{d.Body, d.Title, d.Key, d.GlobalKey, d.SourceRef, d.Author.Name, d.Author.Email}, d.Tags...)
	for _, p := range d.To {
		texts = append(texts, p.Name, p.Email)
	}
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\r\x00") {
			t.Errorf("not clean text: %q", s)
		}
	}
}
