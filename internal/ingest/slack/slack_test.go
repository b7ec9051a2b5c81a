package slack_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/slack"
)

func input(b []byte) *doc.Input {
	return &doc.Input{
		Path: "export.zip", Rel: "export.zip", Root: "export.zip", Size: int64(len(b)),
		Head: b[:min(len(b), doc.HeadSize)],
		Open: func() (doc.File, error) { return doc.InMemory(b), nil },
	}
}

// A member is one file of an archive that a test makes.
type member struct{ name, text string }

func archive(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		f, err := w.Create(m.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(m.text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const users = `[
 {"id":"U1","team_id":"T1","name":"amoreau","real_name":"Alice Moreau","profile":{"display_name":"alice","email":"Alice@example.com"}},
 {"id":"U2","team_id":"T1","name":"bob","profile":{"real_name":"Bob Tanaka","email":"bob@example.org"}},
 {"id":"U3","team_id":"T1","name":"carla","profile":{}},
 {"id":"U9","team_id":"T1","name":"deploy","real_name":"Deploy Bot","is_bot":true,"profile":{"bot_id":"B9"}}
]`

const channels = `[{"id":"C1","name":"general","members":["U1","U2"]},{"id":"C2","name":"eng"}]`

// general makes an export with users, channels and the given days of #general.
func general(t testing.TB, days ...string) []byte {
	ms := []member{{"users.json", users}, {"channels.json", channels}}
	for i := 0; i+1 < len(days); i += 2 {
		ms = append(ms, member{"general/" + days[i] + ".json", days[i+1]})
	}
	return archive(t, ms...)
}

func read(t testing.TB, r slack.Reader, b []byte) ([]*doc.Document, doc.Report) {
	t.Helper()
	var docs []*doc.Document
	report, err := r.Read(t.Context(), input(b), func(d *doc.Document) error {
		docs = append(docs, d)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return docs, report
}

// lines writes documents as "key" and "author: text" lines.
func lines(docs []*doc.Document) []string {
	var out []string
	for _, d := range docs {
		out = append(out, d.Key)
		for _, m := range d.Messages {
			out = append(out, m.Author.String()+": "+m.Text)
		}
	}
	return out
}

func TestRealExport(t *testing.T) {
	b, err := os.ReadFile(filepath.Join("testdata", "testarchive.zip"))
	if err != nil {
		t.Fatal(err)
	}
	if n := slack.New().Detect(input(b)); n < 90 {
		t.Errorf("Detect = %d", n)
	}
	docs, report := read(t, slack.New(), b)
	if report.Outcome != doc.OK {
		t.Errorf("report %+v", report)
	}
	var out bytes.Buffer
	for _, d := range docs {
		fmt.Fprintf(&out, "== %s %s %s %q %s\n", d.SourceID, d.Kind, d.Key, d.Title, d.Time.Format(time.RFC3339))
		for _, p := range d.Mentioned {
			fmt.Fprintf(&out, "mentions %s (%s)\n", p, p.Handle)
		}
		for _, m := range d.Messages {
			fmt.Fprintf(&out, "-- %s %s\n%s: %s\n", m.Time.Format(time.RFC3339), m.SourceRef, m.Author, m.Text)
		}
	}
	golden.Check(t, filepath.Join("testdata", "testarchive.golden.txt"), out.Bytes())
}

func TestThreadsAcrossDays(t *testing.T) {
	b := general(t,
		"2024-05-01", `[
			{"type":"message","user":"U2","text":"second","ts":"1714560100.000200"},
			{"type":"message","user":"U1","text":"Where is the offer?","ts":"1714560000.000100","thread_ts":"1714560000.000100"},
			{"type":"message","user":"U2","text":"same day reply","ts":"1714560200.000100","thread_ts":"1714560000.000100"}]`,
		"2024-05-03", `[
			{"type":"message","user":"U3","text":"late reply","ts":"1714732800.000100","thread_ts":"1714560000.000100","subtype":"thread_broadcast"},
			{"type":"message","user":"U3","text":"a new day","ts":"1714732900.000100"}]`,
		"2024-05-02", `[{"type":"message","user":"U1","text":"reply of day two","ts":"1714646400.000100","thread_ts":"1714560000.000100"},
			{"type":"message","user":"U1","text":"to nobody","ts":"1714646500.000100","thread_ts":"1714000000.000100"}]`,
	)
	docs, report := read(t, slack.New(), b)
	want := []string{
		"C1/2024-05-03", "carla: a new day",
		"C1/2024-05-01",
		"Alice Moreau: Where is the offer?", "Bob Tanaka: same day reply", "Alice Moreau: reply of day two", "carla: late reply",
		"Bob Tanaka: second",
		"C1/thread/1714000000.000100", "Alice Moreau: to nobody",
	}
	if d := cmp.Diff(want, lines(docs)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if report.Outcome != doc.OK {
		t.Errorf("report %+v", report)
	}
	for _, d := range docs {
		if d.SourceID != "slack:#general" || d.Kind != doc.KindChat || len(d.Messages) == 0 || !d.Time.Equal(d.Messages[0].Time) {
			t.Errorf("document %+v", d)
		}
	}
	m := docs[1].Messages[0]
	if want := "slack://channel?team=T1&id=C1&message=1714560000.000100"; m.SourceRef != want {
		t.Errorf("source ref %q, want %q", m.SourceRef, want)
	}
	if want := (doc.Person{Name: "Alice Moreau", Handle: "amoreau", Email: "Alice@example.com"}); m.Author != want {
		t.Errorf("author %+v", m.Author)
	}
	if want := time.Unix(1714560000, 100_000).UTC(); !m.Time.Equal(want) {
		t.Errorf("time %v, want %v", m.Time, want)
	}
}

func TestFewRepliesHeld(t *testing.T) {
	limits := slack.DefaultLimits()
	limits.HeldBytes = 500
	b := general(t,
		"2024-05-01", `[{"type":"message","user":"U1","text":"root","ts":"1714560000.000100"}]`,
		"2024-05-02", `[{"type":"message","user":"U1","text":"one","ts":"1714646400.000100","thread_ts":"1714560000.000100"},
			{"type":"message","user":"U1","text":"two","ts":"1714646500.000100","thread_ts":"1714560000.000100"}]`)
	docs, _ := read(t, slack.WithLimits(limits), b)
	want := []string{"C1/2024-05-02", "Alice Moreau: two", "C1/2024-05-01", "Alice Moreau: root", "Alice Moreau: one"}
	if d := cmp.Diff(want, lines(docs)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestEditsAndDeletions(t *testing.T) {
	b := general(t,
		"2024-05-01", `[
			{"type":"message","user":"U1","text":"typo","ts":"1714560000.000100"},
			{"type":"message","user":"U1","text":"regret","ts":"1714560001.000100"},
			{"type":"message","user":"U1","text":"edited in place","edited":{"user":"U1","ts":"1714560009.000000"},"ts":"1714560002.000100"},
			{"type":"message","subtype":"message_changed","hidden":true,"ts":"1714560010.000100","message":{"user":"U1","text":"first fix","ts":"1714560000.000100"}},
			{"type":"message","subtype":"tombstone","user":"USLACKBOT","text":"This message was deleted.","hidden":true,"ts":"1714560003.000100"}]`,
		"2024-05-02", `[
			{"type":"message","subtype":"message_changed","hidden":true,"ts":"1714646400.000100","message":{"user":"U1","text":"second fix","ts":"1714560000.000100"}},
			{"type":"message","subtype":"message_deleted","hidden":true,"ts":"1714646401.000100","deleted_ts":"1714560001.000100"},
			{"type":"message","subtype":"message_changed","hidden":true,"ts":"1714646402.000100","message":{"user":"U2","text":"only the edit is left","ts":"1714500000.000100"}}]`)
	docs, _ := read(t, slack.New(), b)
	want := []string{
		"C1/2024-05-01", "Alice Moreau: second fix", "Alice Moreau: edited in place",
		"C1/thread/1714500000.000100", "Bob Tanaka: only the edit is left",
	}
	if d := cmp.Diff(want, lines(docs)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestAuthorsAndSystemMessages(t *testing.T) {
	b := general(t, "2024-05-01", `[
		{"type":"message","subtype":"channel_join","user":"U1","text":"<@U1> has joined the channel","ts":"1714560000.000100"},
		{"type":"message","subtype":"channel_topic","user":"U1","text":"<@U1> set the channel topic: offers","ts":"1714560001.000100"},
		{"type":"message","subtype":"bot_message","username":"Jenkins","bot_id":"B1","text":"build 7 failed","ts":"1714560002.000100"},
		{"type":"message","bot_id":"B2","bot_profile":{"name":"GitHub"},"user":"U77","text":"merged","ts":"1714560003.000100"},
		{"type":"message","bot_id":"B9","text":"deployed","ts":"1714560004.000100"},
		{"type":"message","bot_id":"B5","bot_profile":{"name":"Giphy"},"user":"U1","text":"through an app","ts":"1714560005.000100"},
		{"type":"message","user":"U404","user_profile":{"real_name":"Dmitri Orlov","name":"dmitri"},"text":"guest","ts":"1714560006.000100"},
		{"type":"message","user":"U405","text":"stranger","ts":"1714560007.000100"},
		{"type":"message","subtype":"me_message","user":"U3","text":"waves","ts":"1714560008.000100"},
		{"type":"message","user":"U1","text":"","ts":"1714560009.000100"},
		{"type":"message","user":"U1","text":"no time","ts":"never"},
		{"type":"message","user":7,"text":"odd type","ts":"1714560010.000100"},
		{"type":"message","user":"U1","text":"twice","ts":"1714560011.000100"},
		{"type":"message","user":"U1","text":"twice","ts":"1714560011.000100"}
	]`)
	docs, report := read(t, slack.New(), b)
	want := []string{
		"C1/2024-05-01", "Alice Moreau: @Alice Moreau set the channel topic: offers", "Jenkins: build 7 failed", "GitHub: merged",
		"Deploy Bot: deployed", "Alice Moreau: through an app", "Dmitri Orlov: guest", "U405: stranger", "carla: waves", ": odd type", "Alice Moreau: twice",
	}
	if d := cmp.Diff(want, lines(docs)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	for _, m := range docs[0].Messages[1:4] {
		if m.Author.Name != "" || m.Author.Handle == "" {
			t.Errorf("the program %+v passes for a person", m.Author)
		}
	}
	if report.Outcome != doc.Partial || !report.Whole || !strings.Contains(report.Reason, "1 messages without a time") {
		t.Errorf("report %+v", report)
	}
}

func TestDirectMessages(t *testing.T) {
	day := `[{"type":"message","user":"U1","text":"hello <@U2>","ts":"1714560000.000100"}]`
	b := archive(t,
		member{"My export/users.json", users},
		member{"My export/dms.json", `[{"id":"D1","members":["U2","U1"]}]`},
		member{"My export/mpims.json", `[{"id":"G1","name":"mpdm-a--b--c-1","members":["U1","U2","U3"]}]`},
		member{"My export/groups.json", `[{"id":"G2","name":"secret","members":["U1"]}]`},
		member{"My export/D1/2024-05-01.json", day},
		member{"My export/mpdm-a--b--c-1/2024-05-01.json", day},
		member{"My export/secret/2024-05-01.json", day},
		member{"My export/unlisted/2024-05-01.json", day},
		member{"My export/secret/notes.txt", "not a day"},
		member{"__MACOSX/My export/._users.json", "junk"},
	)
	if slack.New().Detect(input(b)) == 0 {
		t.Error("an export in a top folder is not recognised")
	}
	docs, report := read(t, slack.New(), b)
	if report.Outcome != doc.OK {
		t.Errorf("report %+v", report)
	}
	got := map[string]string{}
	for _, d := range docs {
		got[d.SourceID] = d.Key + " " + d.Title
		if len(d.Mentioned) != 1 || d.Mentioned[0].Name != "Bob Tanaka" {
			t.Errorf("%s: mentioned %+v", d.SourceID, d.Mentioned)
		}
	}
	want := map[string]string{
		"slack:alice@example.com|bob@example.org":        "D1/2024-05-01 Alice Moreau ↔ Bob Tanaka 2024-05-01",
		"slack:@carla|alice@example.com|bob@example.org": "G1/2024-05-01 Alice Moreau ↔ Bob Tanaka ↔ carla 2024-05-01",
		"slack:#secret":   "G2/2024-05-01 #secret 2024-05-01",
		"slack:#unlisted": "unlisted/2024-05-01 #unlisted 2024-05-01",
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
}

func TestDamage(t *testing.T) {
	good := `[{"type":"message","user":"U1","text":"whole","ts":"1714560000.000100"}]`
	b := general(t,
		"2024-05-01", good,
		"2024-05-02", `[{"type":"message","user":"U1","text":"before the damage","ts":"1714646400.000100"},{"type":"mess`,
		"2024-05-03", `{"not":"a list"}`,
		"2024-05-04", ``,
		"2024-05-05", `[]`,
	)
	docs, report := read(t, slack.New(), b)
	if d := cmp.Diff([]string{"C1/2024-05-02", "Alice Moreau: before the damage", "C1/2024-05-01", "Alice Moreau: whole"}, lines(docs)); d != "" {
		t.Errorf("-want +got:\n%s", d)
	}
	if report.Outcome != doc.Partial || report.Whole || !strings.Contains(report.Reason, "general/2024-05-02.json is damaged after 1 messages") || !strings.Contains(report.Reason, "2024-05-04") {
		t.Errorf("report %+v", report)
	}

	b = archive(t, member{"users.json", "[{"}, member{"channels.json", channels}, member{"general/2024-05-01.json", good})
	docs, report = read(t, slack.New(), b)
	if d := cmp.Diff([]string{"C1/2024-05-01", "U1: whole"}, lines(docs)); d != "" || report.Outcome != doc.Partial {
		t.Errorf("without users: %+v\n%s", report, d)
	}

	if _, report = read(t, slack.New(), general(t, "2024-05-01", "[]")); report.Outcome != doc.NoText {
		t.Errorf("an empty export: %+v", report)
	}
	if _, report = read(t, slack.New(), general(t, "2024-05-01", "[")); report.Outcome != doc.Failed {
		t.Errorf("nothing but damage: %+v", report)
	}
	if _, report = read(t, slack.New(), general(t)[:200]); report.Outcome != doc.Failed || report.Reason == "" {
		t.Errorf("a cut archive: %+v", report)
	}
}

func TestLimits(t *testing.T) {
	msg := func(i int) string {
		return fmt.Sprintf(`{"type":"message","user":"U1","text":"message %d %s","ts":"17145600%02d.000100"}`, i, strings.Repeat("x", 100), i)
	}
	var ms []string
	for i := range 50 {
		ms = append(ms, msg(i))
	}
	long := "[" + strings.Join(ms, ",") + "]"
	b := general(t, "2024-05-01", long, "2024-05-02", `[{"type":"message","user":"U1","text":"short","ts":"1714646400.000100"}]`)

	t.Run("a day", func(t *testing.T) {
		l := slack.DefaultLimits()
		l.DayBytes = int64(len(long))
		docs, report := read(t, slack.WithLimits(l), b)
		if report.Outcome != doc.OK || len(docs) != 2 || len(docs[1].Messages) != 50 {
			t.Fatalf("at the limit: %+v", report)
		}
		l.DayBytes--
		docs, report = read(t, slack.WithLimits(l), b)
		if report.Outcome != doc.Partial || !strings.Contains(report.Reason, "2024-05-01.json is larger than") || len(docs) != 2 || len(docs[1].Messages) != 50 {
			t.Errorf("past it: %+v, %d messages", report, len(docs[1].Messages))
		}
	})
	t.Run("the whole", func(t *testing.T) {
		l := slack.DefaultLimits()
		l.TotalBytes = int64(len(users) + len(channels) + 200)
		docs, report := read(t, slack.WithLimits(l), b)
		if report.Outcome != doc.Partial || len(docs) != 1 || !strings.Contains(report.Reason, "the rest was left out") {
			t.Errorf("%+v, %d documents", report, len(docs))
		}
	})
	t.Run("the entries", func(t *testing.T) {
		l := slack.DefaultLimits()
		l.Entries = 3
		if _, report := read(t, slack.WithLimits(l), b); report.Outcome != doc.Failed || !strings.Contains(report.Reason, "4 files, more than 3") {
			t.Errorf("%+v", report)
		}
	})
	t.Run("the directory", func(t *testing.T) {
		l := slack.DefaultLimits()
		l.DirectoryBytes = 100
		if _, report := read(t, slack.WithLimits(l), b); report.Outcome != doc.Failed || !strings.Contains(report.Reason, "list of files is larger") {
			t.Errorf("%+v", report)
		}
	})
	t.Run("a bomb", func(t *testing.T) {
		l := slack.DefaultLimits()
		l.DayBytes = 1 << 20
		bomb := general(t, "2024-05-01", `[{"type":"message","user":"U1","text":"`+strings.Repeat("0", 64<<20)+`","ts":"1714560000.000100"}]`,
			"2024-05-02", `[{"type":"message","user":"U1","text":"short","ts":"1714646400.000100"}]`)
		docs, report := read(t, slack.WithLimits(l), bomb)
		if report.Outcome != doc.Partial || len(docs) != 1 {
			t.Errorf("%+v, %d documents", report, len(docs))
		}
	})
}

func TestNamesThatLeadOut(t *testing.T) {
	day := `[{"type":"message","user":"U1","text":"x","ts":"1714560000.000100"}]`
	b := archive(t, member{"users.json", users}, member{"channels.json", channels}, member{"general/2024-05-01.json", day},
		member{"../2024-05-02.json", day}, member{"general/../../2024-05-02.json", day}, member{"/etc/2024-05-02.json", day},
		member{`C:\x\2024-05-02.json`, day}, member{"..\\2024-05-02.json", day})
	docs, report := read(t, slack.New(), b)
	if len(docs) != 1 || report.Outcome != doc.Partial || !strings.Contains(report.Reason, "5 files with names that lead out") {
		t.Errorf("%d documents, %+v", len(docs), report)
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name string
		b    []byte
		mine bool
	}{
		{"export", general(t), true},
		{"days and users", archive(t, member{"users.json", users}, member{"x/2024-05-01.json", "[]"}), true},
		{"office document", archive(t, member{"word/document.xml", "<x/>"}), false},
		{"other archive with users", archive(t, member{"users.json", users}), false},
		{"zip of days alone", archive(t, member{"x/2024-05-01.json", "[]"}), false},
		{"text", []byte("users.json channels.json"), false},
		{"cut", general(t)[:100], false},
		{"empty", nil, false},
	} {
		if got := slack.New().Detect(input(c.b)) > 0; got != c.mine {
			t.Errorf("%s: %v, want %v", c.name, got, c.mine)
		}
	}
}

func TestErrors(t *testing.T) {
	b := general(t, "2024-05-01", `[{"type":"message","user":"U1","text":"x","ts":"1714560000.000100"}]`)
	stop := errors.New("stop")
	if _, err := slack.New().Read(t.Context(), input(b), func(*doc.Document) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of emit came back as %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := slack.New().Read(ctx, input(b), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the end of the context came back as %v", err)
	}
	in := input(b)
	in.Open = func() (doc.File, error) { return nil, os.ErrPermission }
	if r, err := slack.New().Read(t.Context(), in, nil); err != nil || r.Outcome != doc.Failed {
		t.Errorf("%+v, %v", r, err)
	}
}
