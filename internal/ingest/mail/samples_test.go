package mail_test

import (
	"bytes"
	"encoding/base64"
	"io"
	"mime"
	mimeparts "mime/multipart"
	"mime/quotedprintable"
	netmail "net/mail"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/ingest/mail"
)

// plainWords decodes a mail in the way of the standard library, which knows well-formed mail only,
// and returns the words of its plain texts in UTF-8.
func plainWords(raw []byte) (words []string, sender string) {
	m, err := netmail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return nil, ""
	}
	if from, err := m.Header.AddressList("From"); err == nil {
		sender = from[0].Address
	}
	return textOf(m.Header.Get("Content-Type"), m.Header.Get("Content-Transfer-Encoding"), "", m.Body), sender
}

var aWord = regexp.MustCompile(`[\pL\pN]{3,}`)

func textOf(contentType, encoding, disposition string, body io.Reader) (words []string) {
	media, params, err := mime.ParseMediaType(contentType)
	if contentType == "" {
		media, err = "text/plain", nil
	}
	switch {
	case err != nil || strings.HasPrefix(disposition, "attachment"):
	case strings.HasPrefix(media, "multipart/") && media != "multipart/report" && media != "multipart/digest":
		for parts := mimeparts.NewReader(body, params["boundary"]); ; {
			p, err := parts.NextRawPart()
			if err != nil {
				return words
			}
			words = append(words, textOf(p.Header.Get("Content-Type"), p.Header.Get("Content-Transfer-Encoding"), p.Header.Get("Content-Disposition"), p)...)
			if media == "multipart/alternative" {
				return words
			}
		}
	case media == "text/plain":
		b, err := io.ReadAll(body)
		switch strings.ToLower(encoding) {
		case "base64":
			b, err = base64.StdEncoding.DecodeString(string(bytes.Join(bytes.Fields(b), nil)))
		case "quoted-printable":
			b, err = io.ReadAll(quotedprintable.NewReader(bytes.NewReader(b)))
		}
		text, _, _ := strings.Cut(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n-- \n")
		if err == nil && utf8.ValidString(text) && !strings.Contains(text, "\n>") && !strings.Contains(text, "\x1b") {
			return aWord.FindAllString(text, -1)
		}
	}
	return nil
}

// noMail are samples without the header that mail has.
var noMail = map[string]bool{"msg_19.txt": true, "msg_35.txt": true, "erroneous.raw": true}

// footer is the only sample whose text ends in a footer, which is left out.
const footer = "quoted-printable-invalid.raw"

// TestEveryWord: every sample is taken for mail, every word of a plain text that another decoder reads in it is in a body, and
// its sender is the author.
func TestEveryWord(t *testing.T) {
	paths, err := filepath.Glob("testdata/mime/*/*.txt")
	more, err2 := filepath.Glob("testdata/mime/enmime/*/*.raw")
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	compared := 0
	for _, path := range append(paths, more...) {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if in := doctest.Input(path, raw); (mail.Message{}).Detect(in) < 50 && (mail.Mbox{}).Detect(in) < 50 && !noMail[filepath.Base(path)] {
			t.Errorf("%s is taken for something else", path)
		}
		docs, _ := read(t, mail.Message{}, path, raw)
		words, sender := plainWords(raw)
		if filepath.Base(path) == footer {
			words = words[:slices.Index(words, "This")]
		}
		if len(words) > 0 {
			compared++
		}
		var body strings.Builder
		for _, d := range docs {
			body.WriteString(d.Body)
		}
		have := aWord.FindAllString(body.String(), -1)
		slices.Sort(have)
		for _, w := range words {
			if _, ok := slices.BinarySearch(have, w); !ok {
				t.Errorf("%s: the word %q is nowhere", path, w)
			}
		}
		if len(docs) > 0 && sender != "" && docs[0].Author.Email != sender && docs[0].Kind == doc.KindEmail {
			t.Errorf("%s: by %+v, not %s", path, docs[0].Author, sender)
		}
	}
	if compared < 60 {
		t.Errorf("only %d samples were compared", compared)
	}
}
