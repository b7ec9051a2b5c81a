// Package chattest holds what every reader of chats has to keep, as a test that any of them can run,
// and what their own tests need: inputs in memory, and documents written out for golden files.
package chattest

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// When is the time of the files that tests read.
var When = time.Date(2025, 6, 1, 12, 0, 0, 0, time.UTC)

// Input returns a file in memory. above are the files of the folder above its own.
func Input(rel string, data []byte, above map[string]string) *doc.Input {
	in := &doc.Input{
		Path: "/home/ada/" + rel, Rel: rel, Root: "exports", Size: int64(len(data)), ModTime: When,
		Head: data[:min(len(data), doc.HeadSize)],
		Open: func() (doc.File, error) { return doc.InMemory(data), nil },
	}
	if above != nil {
		in.Above = func(name string) (doc.File, error) {
			if s, ok := above[name]; ok {
				return doc.InMemory([]byte(s)), nil
			}
			return nil, fs.ErrNotExist
		}
	}
	return in
}

// Zip returns an archive of the members, which are names and texts in turn.
func Zip(t testing.TB, members ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i+1 < len(members); i += 2 {
		f, err := w.Create(members[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(members[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Read has r read in and checks what holds for every document.
func Read(t testing.TB, r doc.Reader, in *doc.Input) ([]*doc.Document, doc.Report) {
	t.Helper()
	var docs []*doc.Document
	keys := map[string]bool{}
	report, err := r.Read(t.Context(), in, func(d *doc.Document) error {
		check(t, d)
		if k := d.SourceID + "\x00" + d.Key; keys[k] {
			t.Errorf("two documents of %q have the key %q", d.SourceID, d.Key)
		} else {
			keys[k] = true
		}
		docs = append(docs, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if (report.Outcome == doc.OK) != (report.Reason == "") {
		t.Errorf("report %+v", report)
	}
	return docs, report
}

func check(t testing.TB, d *doc.Document) {
	t.Helper()
	if !d.Kind.Valid() || d.Key == "" || d.Time.IsZero() {
		t.Errorf("kind %q, key %q, time %v", d.Kind, d.Key, d.Time)
	}
	texts := []string{d.SourceID, d.Key, d.SourceRef, d.Title, d.Body, d.Author.Name, d.Owner}
	for _, m := range d.Messages {
		texts = append(texts, m.Text, m.Author.Name, m.Author.Handle, m.Author.Email, m.SourceRef)
		if strings.TrimSpace(m.Text) == "" || m.Time.IsZero() {
			t.Errorf("message %q at %v", m.Text, m.Time)
		}
	}
	for _, s := range texts {
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\r\x00") {
			t.Errorf("not clean: %q", s)
		}
	}
	if strings.ContainsAny(d.SourceID+d.Key+d.Title, "\n") {
		t.Errorf("not one line: %q, %q, %q", d.SourceID, d.Key, d.Title)
	}
}

// Write writes documents out as people would compare them.
func Write(docs []*doc.Document, report doc.Report) string {
	var b strings.Builder
	for _, d := range docs {
		fmt.Fprintf(&b, "== %s | %s | %s | %q | %s\n", d.SourceID, d.Kind, d.Key, d.Title, d.Time.UTC().Format(time.RFC3339))
		for _, p := range d.To {
			fmt.Fprintf(&b, "with %s\n", who(p))
		}
		for _, p := range d.Mentioned {
			fmt.Fprintf(&b, "mentions %s\n", who(p))
		}
		if len(d.Tags) > 0 {
			fmt.Fprintf(&b, "tags %s\n", strings.Join(d.Tags, ", "))
		}
		for _, m := range d.Messages {
			fmt.Fprintf(&b, "-- %s %s\n%s: %s\n", m.Time.UTC().Format(time.RFC3339), m.SourceRef, who(m.Author), m.Text)
		}
		if d.Body != "" {
			fmt.Fprintf(&b, "-- %s\n%s\n", d.SourceRef, d.Body)
		}
	}
	fmt.Fprintf(&b, "== %s %s\n", report.Outcome, report.Reason)
	return b.String()
}

func who(p doc.Person) string {
	s := p.String()
	if p.Handle != "" && p.Handle != s {
		s += " @" + p.Handle
	}
	if p.Email != "" && p.Email != s {
		s += " <" + p.Email + ">"
	}
	return s
}

// Run checks what every reader has to keep, with an input that it reads.
func Run(t *testing.T, r doc.Reader, rel string, data []byte, above map[string]string) {
	t.Helper()
	input := func(b []byte) *doc.Input { return Input(rel, b, above) }
	docs, report := Read(t, r, input(data))
	whole := Write(docs, report)
	t.Run("sample", func(t *testing.T) {
		if n := r.Detect(input(data)); n <= 10 || n > 100 {
			t.Errorf("Detect = %d", n)
		}
		if len(docs) == 0 || report.Outcome == doc.Failed {
			t.Fatalf("the sample gives %d documents: %+v", len(docs), report)
		}
		if again := Write(Read(t, r, input(data))); again != whole {
			t.Errorf("a second reading differs:\n%s\n%s", whole, again)
		}
	})
	t.Run("empty", func(t *testing.T) {
		if n := r.Detect(input(nil)); n != 0 {
			t.Errorf("Detect = %d", n)
		}
		if docs, report := Read(t, r, input(nil)); len(docs) > 0 || report.Outcome == doc.OK {
			t.Errorf("%d documents: %+v", len(docs), report)
		}
	})
	t.Run("truncated", func(t *testing.T) {
		step := max(1, len(data)/97)
		for n := 1; n < len(data); n += step {
			r.Detect(input(data[:n]))
			if cut, _ := Read(t, r, input(data[:n])); len(cut) > len(docs) {
				t.Errorf("%d documents out of %d bytes of %d, which have %d", len(cut), n, len(data), len(docs))
			}
		}
	})
	t.Run("damaged", func(t *testing.T) {
		step := max(1, len(data)/61)
		for i, c := range []byte{0, 0xff, '"', '\n', '{', ']', '<', '>'} {
			b := bytes.Clone(data)
			for n := i; n < len(b); n += step {
				b[n] = c
			}
			r.Detect(input(b))
			Read(t, r, input(b))
		}
	})
	t.Run("wrong charset", func(t *testing.T) {
		wide := make([]byte, 0, 2*len(data)+2)
		wide = append(wide, 0xff, 0xfe)
		latin := make([]byte, 0, len(data))
		for _, c := range string(data) {
			wide = append(wide, byte(c), byte(c>>8))
			latin = append(latin, byte(c))
		}
		for _, b := range [][]byte{wide, latin} {
			r.Detect(input(b))
			Read(t, r, input(b))
		}
	})
	t.Run("twice over", func(t *testing.T) {
		Read(t, r, input(bytes.Repeat(data, 2)))
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := r.Read(ctx, input(data), func(*doc.Document) error { return nil }); !errors.Is(err, context.Canceled) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("stopped", func(t *testing.T) {
		stop := errors.New("stop")
		if _, err := r.Read(t.Context(), input(data), func(*doc.Document) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("err = %v", err)
		}
	})
	t.Run("closed", func(t *testing.T) {
		in := input(data)
		in.Open = func() (doc.File, error) { return nil, fs.ErrPermission }
		if report, err := r.Read(t.Context(), in, nil); err != nil || report.Outcome != doc.Failed {
			t.Errorf("%+v, %v", report, err)
		}
	})
}
