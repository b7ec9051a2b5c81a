// Package doctest is what the tests of readers share: inputs made of bytes, golden files that show
// documents and the chunks they become, and the promises that every doc.Reader keeps.
package doctest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/chunk"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/golden"
)

// FileTime is the modification time of every Input.
var FileTime = time.Date(2024, 6, 1, 12, 0, 0, 0, time.UTC)

// Input is a file of those bytes.
func Input(rel string, data []byte) *doc.Input {
	return &doc.Input{
		Path: "/home/ann/" + rel, Rel: rel, Root: "root", Size: int64(len(data)), ModTime: FileTime,
		Head: data[:min(len(data), doc.HeadSize)],
		Open: func() (doc.File, error) { return doc.InMemory(data), nil },
	}
}

// Read returns the documents that r makes of data. They keep the promises of documents.
func Read(t testing.TB, r doc.Reader, rel string, data []byte) ([]*doc.Document, doc.Report) {
	t.Helper()
	var docs []*doc.Document
	report, err := r.Read(context.Background(), Input(rel, data), func(d *doc.Document) error {
		docs = append(docs, d)
		return nil
	})
	if err != nil {
		t.Fatalf("read %s: %v", rel, err)
	}
	Check(t, docs, report)
	return docs, report
}

// One returns the only document of data.
func One(t testing.TB, r doc.Reader, rel string, data []byte) *doc.Document {
	t.Helper()
	docs, report := Read(t, r, rel, data)
	if len(docs) != 1 || report.Outcome != doc.OK {
		t.Fatalf("%s: got %d documents, %+v", rel, len(docs), report)
	}
	return docs[0]
}

// Check fails t when documents or a report break a promise of every reader.
func Check(t testing.TB, docs []*doc.Document, report doc.Report) {
	t.Helper()
	switch report.Outcome {
	case doc.OK, doc.Partial:
		if len(docs) == 0 {
			t.Errorf("no document, and the outcome is %q (%s)", report.Outcome, report.Reason)
		}
	case doc.NoText, doc.Failed, doc.Skipped:
		if len(docs) > 0 {
			t.Errorf("%d documents, and the outcome is %q (%s)", len(docs), report.Outcome, report.Reason)
		}
	default:
		t.Errorf("outcome %q", report.Outcome)
	}
	if report.Outcome != doc.OK && report.Reason == "" {
		t.Errorf("outcome %q without a reason", report.Outcome)
	}
	keys := map[string]bool{}
	for _, d := range docs {
		if d.Key == "" || d.SourceRef == "" || d.Title == "" || d.Time.IsZero() || !d.Kind.Valid() || keys[d.Key] {
			t.Errorf("something that must be set is not, or stands twice: key %q, reference %q, title %q, time %v, kind %q", d.Key, d.SourceRef, d.Title, d.Time, d.Kind)
		}
		keys[d.Key] = true
		if d.Kind != doc.KindChat && strings.TrimSpace(d.Body) == "" {
			t.Errorf("%s: a document without text", d.Key)
		}
		texts := append([]string{d.Body, d.Title, d.Key, d.SourceRef, d.Author.Name, d.Author.Email}, d.Tags...)
		at := 0
		for _, p := range d.Places {
			if p.Offset < at || p.Offset > len(d.Body) || p.Ref == "" {
				t.Errorf("%s: place %+v after %d of %d", d.Key, p, at, len(d.Body))
			}
			at = p.Offset
			texts = append(texts, p.Ref)
		}
		for _, s := range texts {
			if !utf8.ValidString(s) || strings.ContainsAny(s, "\r\x00\x1b") {
				t.Errorf("%s: not clean text: %.200q", d.Key, s)
			}
		}
	}
}

var errStop = errors.New("stop")

// Contract holds r to what every reader promises, with a good sample of its format.
func Contract(t *testing.T, r doc.Reader, rel string, sample []byte) {
	t.Helper()
	t.Run("detects", func(t *testing.T) {
		if r.Detect(Input(rel, sample)) == 0 {
			t.Error("it does not know its own format")
		}
		for _, other := range []string{"", "Just words.\n", "\x00\x01\x02\x03\xff", "\x89PNG\r\n\x1a\n\x00\x00", "SQLite format 3\x00"} {
			if n := r.Detect(Input("thing.bin", []byte(other))); n > 0 {
				t.Errorf("%q is taken with %d", other, n)
			}
		}
	})
	t.Run("twice the same", func(t *testing.T) {
		a, ra := Read(t, r, rel, sample)
		b, rb := Read(t, r, rel, sample)
		if diff := cmp.Diff(a, b); diff != "" || ra != rb || len(a) == 0 {
			t.Errorf("%d documents, %+v, %+v\n%s", len(a), ra, rb, diff)
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := r.Read(ctx, Input(rel, sample), func(*doc.Document) error { t.Error("a document"); return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("an error of emit", func(t *testing.T) {
		n := 0
		_, err := r.Read(t.Context(), Input(rel, sample), func(*doc.Document) error { n++; return errStop })
		if !errors.Is(err, errStop) || n != 1 {
			t.Errorf("%d documents, error %v", n, err)
		}
	})
	t.Run("cannot be opened", func(t *testing.T) {
		in := Input(rel, sample)
		in.Open = func() (doc.File, error) { return nil, errStop }
		report, err := r.Read(t.Context(), in, func(*doc.Document) error { return nil })
		if err != nil || report.Outcome != doc.Failed || strings.Contains(report.Reason, "/home") {
			t.Errorf("%+v, %v", report, err)
		}
	})
	t.Run("empty", func(t *testing.T) { Read(t, r, rel, nil) })
	t.Run("truncated", func(t *testing.T) {
		for i := range 12 {
			Read(t, r, rel, sample[:len(sample)*i/12])
		}
	})
	t.Run("damaged", func(t *testing.T) {
		for i := range 12 {
			bad := bytes.Clone(sample)
			for j := i; j < len(bad); j += 97 + 13*i {
				bad[j] ^= byte(0x55 + i)
			}
			Read(t, r, rel, bad)
		}
	})
	t.Run("another format", func(t *testing.T) {
		for _, other := range []string{"Just words.\n", "\x00\x01\x02\x03\xff", "<html><p>A page</p></html>", "PK\x03\x04 no archive", "%PDF-1.4\nno more"} {
			Read(t, r, rel, []byte(other))
		}
	})
}

// A view is what goldens show.
type view struct {
	Outcome   doc.Outcome
	Reason    string         `json:",omitempty"`
	Documents []documentView `json:",omitempty"`
}

type documentView struct {
	Key, SourceRef, Title string
	Author                *doc.Person  `json:",omitempty"`
	To                    []doc.Person `json:",omitempty"`
	Tags, Aliases         []string     `json:",omitempty"`
	Time                  string
	Chunks                []chunkView
}

type chunkView struct {
	SourceRef, Context string
	Text               []string
}

// Golden compares documents, and the chunks that they become, with the file at path.
func Golden(t testing.TB, path string, docs []*doc.Document, report doc.Report) {
	t.Helper()
	v := view{Outcome: report.Outcome, Reason: report.Reason}
	for _, d := range docs {
		dv := documentView{Key: d.Key, SourceRef: d.SourceRef, Title: d.Title, To: d.To, Tags: d.Tags, Aliases: d.Aliases, Time: d.Time.UTC().Format(time.RFC3339)}
		if d.Author != (doc.Person{}) {
			dv.Author = &d.Author
		}
		for _, c := range chunk.Split(d.Key, d) {
			dv.Chunks = append(dv.Chunks, chunkView{c.SourceRef, c.Context, strings.Split(c.Text, "\n")})
		}
		v.Documents = append(v.Documents, dv)
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "\t")
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, path, out.Bytes())
}
