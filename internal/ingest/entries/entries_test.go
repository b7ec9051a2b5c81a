package entries_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/ingest/entries"
)

func entry(name, title, body string) entries.Entry {
	return entries.Entry{Name: name, Place: "L1", Doc: doc.Document{Title: title, Body: body}}
}

// gather adds the entries and returns the documents.
func gather(t *testing.T, file string, es ...entries.Entry) []*doc.Document {
	t.Helper()
	var docs []*doc.Document
	w := entries.New(t.Context(), doctest.Input(file, nil), "things", func(d *doc.Document) error {
		docs = append(docs, d)
		return nil
	})
	for _, e := range es {
		if err := w.Add(e); err != nil {
			t.Fatal(err)
		}
	}
	doctest.Check(t, docs, w.Report())
	return docs
}

// TestAdd: each entry once, with a key of its own, and the same key in another file's copy.
func TestAdd(t *testing.T) {
	list := []entries.Entry{
		entry("1", "One", "first"), entry("1", "One", "first"), entry("1", "One", "another"), entry("", " A \n title ", " body\n"), entry("", "A title", "more"), entry("2", "", "no title"), entry("3", "Nothing", " \n"),
	}
	docs := gather(t, "a.txt", list...)
	var got []string
	for _, d := range docs {
		key, _, _ := strings.Cut(d.Key, "/")
		got = append(got, fmt.Sprintf("%s %q %q %s", key, d.Title, d.Body, d.SourceRef))
	}
	want := []string{`a.txt#1 "One" "first" a.txt#L1`, `a.txt#1 "One" "another" a.txt#L1`, `a.txt#A title "A title" "body" a.txt#L1`, `a.txt#A title "A title" "more" a.txt#L1`, `a.txt#2 "a" "no title" a.txt#L1`}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for i, d := range gather(t, "a.txt", list...) {
		if d.Key != docs[i].Key {
			t.Errorf("the key of %q was %q", d.Key, docs[i].Key)
		}
	}
	if other := gather(t, "b.txt", list[0]); other[0].GlobalKey != docs[0].GlobalKey || other[0].Key == docs[0].Key {
		t.Errorf("%q and %q, %q and %q", other[0].GlobalKey, docs[0].GlobalKey, other[0].Key, docs[0].Key)
	}
}

func TestReport(t *testing.T) {
	full := errors.New("full")
	for name, c := range map[string]struct {
		do   func(*entries.Writer)
		want doc.Report
	}{
		"nothing":   {func(*entries.Writer) {}, doc.Report{Outcome: doc.NoText, Reason: "there are no things in it"}},
		"unseen":    {func(w *entries.Writer) { w.Unseen("line %d", 7) }, doc.Report{Outcome: doc.Failed, Reason: "line 7"}},
		"some":      {func(w *entries.Writer) { _ = w.Add(entry("", "a", "b")); w.Unseen("line 7") }, doc.Report{Outcome: doc.Partial, Reason: "line 7"}},
		"all, less": {func(w *entries.Writer) { _ = w.Add(entry("", "a", "b")); w.Note("cut") }, doc.Report{Outcome: doc.Partial, Reason: "cut", Whole: true}},
		"fine":      {func(w *entries.Writer) { _ = w.Add(entry("", "a", "b")) }, doc.Report{Outcome: doc.OK}},
		"many": {func(w *entries.Writer) {
			for i := range 8 {
				w.Note("%d", i)
			}
		}, doc.Report{Outcome: doc.NoText, Reason: "0; 1; 2; 3; 4; and 3 more"}},
	} {
		w := entries.New(t.Context(), doctest.Input("a.txt", nil), "things", func(*doc.Document) error { return nil })
		c.do(w)
		if d := cmp.Diff(c.want, w.Report()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
	w := entries.New(t.Context(), doctest.Input("a.txt", nil), "things", func(*doc.Document) error { return full })
	if err := w.Add(entry("", "a", "b")); !errors.Is(err, full) {
		t.Errorf("err = %v", err)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		in   string
		most int
		want string
	}{{"abc", 5, "abc"}, {"ab cd", 3, "ab"}, {"äöü", 3, "ä"}, {"äöü", 0, ""}} {
		if got := entries.Clip(c.in, c.most); got != c.want {
			t.Errorf("%q to %d: %q", c.in, c.most, got)
		}
	}
}
