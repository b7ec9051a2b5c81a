package slack_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/slack"
)

// folder is an export that was unpacked.
type folder map[string]string

func (f folder) input(rel string) *doc.Input {
	open := func(name string) (doc.File, error) {
		text, ok := f[name]
		if !ok {
			return nil, os.ErrNotExist
		}
		return doc.InMemory([]byte(text)), nil
	}
	text := f[rel]
	return &doc.Input{
		Path: rel, Rel: rel, Root: "export", Size: int64(len(text)), Head: []byte(text[:min(len(text), doc.HeadSize)]),
		Open:  func() (doc.File, error) { return open(rel) },
		Above: open,
	}
}

func TestUnpackedFolder(t *testing.T) {
	f := folder{
		"users.json":              users,
		"channels.json":           channels,
		"integration_logs.json":   `[{"user_id":"U1","service_type":"Travis CI"}]`,
		"general/2024-05-01.json": `[{"type":"message","user":"U1","text":"hi <@U2>","ts":"1714560000.000100"}]`,
		"general/2024-05-02.json": `[
			{"type":"message","user":"U2","text":"typo","ts":"1714646400.000100"},
			{"type":"message","user":"U1","text":"late reply","ts":"1714646500.000100","thread_ts":"1714560000.000100"},
			{"type":"message","subtype":"message_changed","ts":"1714646600.000100","message":{"user":"U2","text":"fixed","ts":"1714646400.000100"}}]`,
		"general/2024-05-03.json": `[{"type":"message","user":"U1","text":"whole","ts":"1714732800.000100"},{`,
	}
	r := slack.NewDay()
	var docs []*doc.Document
	for rel, want := range map[string]doc.Outcome{
		"general/2024-05-01.json": doc.OK, "general/2024-05-02.json": doc.OK, "general/2024-05-03.json": doc.Partial,
		"users.json": doc.Skipped, "channels.json": doc.Skipped, "integration_logs.json": doc.Skipped,
	} {
		in := f.input(rel)
		if r.Detect(in) < 90 {
			t.Errorf("%s is not recognised", rel)
		}
		report, err := r.Read(t.Context(), in, func(d *doc.Document) error {
			docs = append(docs, d)
			return nil
		})
		if err != nil || report.Outcome != want || (report.Reason == "") != (want == doc.OK) {
			t.Errorf("%s: %+v, %v", rel, report, err)
		}
	}
	slices.SortFunc(docs, func(a, b *doc.Document) int { return strings.Compare(a.Key, b.Key) })
	want := []string{
		"C1/2024-05-01", "Alice Moreau: hi @Bob Tanaka",
		"C1/2024-05-02", "Bob Tanaka: fixed", "Alice Moreau: late reply",
		"C1/2024-05-03", "Alice Moreau: whole",
	}
	if d := cmp.Diff(want, lines(docs)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}

	// The lists are parsed once, and again when they change.
	f["users.json"] = strings.ReplaceAll(users, "Alice Moreau", "Alice Brown")
	docs = nil
	if _, err := r.Read(t.Context(), f.input("general/2024-05-01.json"), func(d *doc.Document) error { docs = append(docs, d); return nil }); err != nil {
		t.Fatal(err)
	}
	if got := docs[0].Messages[0].Author.Name; got != "Alice Brown" {
		t.Errorf("after a change of the list the author is %q", got)
	}

	// A channel's folder alone has no lists.
	in := f.input("general/2024-05-01.json")
	in.Rel, in.Above, docs = "2024-05-01.json", nil, nil
	if _, err := r.Read(t.Context(), in, func(d *doc.Document) error { docs = append(docs, d); return nil }); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff([]string{"export/2024-05-01", "U1: hi @U2"}, lines(docs)); d != "" || docs[0].SourceID != "slack:#export" {
		t.Errorf("%s\n%s", docs[0].SourceID, d)
	}
}

func TestDayIsTheSamePackedAndUnpacked(t *testing.T) {
	day := `[{"type":"message","user":"U1","text":"hi <@U2>","ts":"1714560000.000100"},{"type":"message","user":"U2","text":"yes","ts":"1714560001.000100","thread_ts":"1714560000.000100"}]`
	packed, _ := read(t, slack.New(), general(t, "2024-05-01", day))
	f := folder{"users.json": users, "channels.json": channels, "general/2024-05-01.json": day}
	var unpacked []*doc.Document
	if _, err := slack.NewDay().Read(t.Context(), f.input("general/2024-05-01.json"), func(d *doc.Document) error { unpacked = append(unpacked, d); return nil }); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(packed, unpacked); d != "" {
		t.Errorf("-packed +unpacked:\n%s", d)
	}
}

func TestDayDetect(t *testing.T) {
	for _, c := range []struct {
		rel, text string
		mine      bool
	}{
		{"general/2024-05-01.json", `[ {"user":"U1", "ts" : "1714560000.000100"} ]`, true},
		{"general/2024-05-01.json", `[{"date":"2024-05-01","steps":9000}]`, false},
		{"general/2024-05-01.json", `{"ts":"1714560000.000100"}`, false},
		{"general/notes.json", `[{"ts":"1714560000.000100"}]`, false},
		{"users.json", `[{"id":1,"name":"x"}]`, false},
		{"users.json", `[{"id":"U0BMYT2FL","team_id":"T"}]`, true},
		{"2024-05-01.md", `[{"ts":"1714560000.000100"}]`, false},
	} {
		in := folder{c.rel: c.text}.input(c.rel)
		if got := slack.NewDay().Detect(in) > 0; got != c.mine {
			t.Errorf("%s %s: %v, want %v", c.rel, c.text, got, c.mine)
		}
	}
}

// A day without messages, or one that is broken, is a day all the same and no note.
func TestEmptyAndBrokenDays(t *testing.T) {
	f := folder{
		"users.json": users, "channels.json": channels, "general/2024-05-01.json": "[]\n", "general/2024-05-02.json": `[{"type":"mess`,
		"general/2024-05-03.json": "", "general/about.json": "[]",
	}
	r := slack.NewDay()
	for rel, want := range map[string]doc.Outcome{
		"general/2024-05-01.json": doc.NoText, "general/2024-05-02.json": doc.Failed,
	} {
		in := f.input(rel)
		if r.Detect(in) < 50 {
			t.Errorf("%s is not recognised", rel)
		}
		docs := 0
		report, err := r.Read(t.Context(), in, func(*doc.Document) error { docs++; return nil })
		if err != nil || docs != 0 || report.Outcome != want {
			t.Errorf("%s: %d documents, %+v, %v", rel, docs, report, err)
		}
	}
	if r.Detect(f.input("general/about.json")) != 0 {
		t.Error("any list is taken for a day")
	}
	alone := f.input("general/2024-05-01.json")
	if alone.Above = nil; r.Detect(alone) == 0 {
		t.Error("an empty day is not recognised by itself")
	}
}
