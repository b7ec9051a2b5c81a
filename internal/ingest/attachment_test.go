package ingest_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/openhuman/openhuman-core/internal/ingest"
)

// An attachment is a document of its own, which comes and goes with its mail.
func TestAttachmentsComeAndGoWithTheirMail(t *testing.T) {
	file, err := os.ReadFile(filepath.Join("office", "testdata", "trip.docx"))
	if err != nil {
		t.Fatal(err)
	}
	mail := func(id string) string {
		return "From: Ann <ann@example.org>\nTo: bob@example.org\nSubject: Trip\nMessage-ID: <" + id + "@example.org>\nDate: Wed, 1 May 2024 10:00:00 +0200\n" +
			"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nOur plan.\n--b\nContent-Type: application/octet-stream; name=trip.docx\nContent-Transfer-Encoding: base64\n\n" +
			base64.StdEncoding.EncodeToString(file) + "\n--b--\n"
	}
	dir, s := folder(t, "mail", map[string]string{"a.eml": mail("a"), "copy.eml": mail("a"), "b.eml": mail("b")}), open(t)
	if sum := run(t, ingest.Options{Store: s}, dir); sum.Added != 4 || len(sum.Sources) != 1 {
		t.Fatalf("first run: %+v", sum)
	}
	if sum := run(t, ingest.Options{Store: s}, dir); sum.Unchanged != 3 {
		t.Errorf("second run: %+v", sum)
	}
	remove := func(name string) {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	remove("a.eml")
	if sum := run(t, ingest.Options{Store: s}, dir); sum.Removed != 0 {
		t.Errorf("the copy holds both: %+v", sum)
	}
	remove("copy.eml")
	if sum := run(t, ingest.Options{Store: s}, dir); sum.Removed != 2 {
		t.Errorf("without the mail: %+v", sum)
	}
}
