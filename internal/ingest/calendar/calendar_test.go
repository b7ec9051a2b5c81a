package calendar_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/calendar"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
)

var samples = []string{"google.ics", "outlook.ics", "apple.ics", "vcal1.vcs"}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestContract(t *testing.T) {
	for _, name := range samples {
		t.Run(name, func(t *testing.T) { doctest.Contract(t, calendar.Reader{}, name, sample(t, name)) })
	}
}

func TestGoldens(t *testing.T) {
	for _, name := range samples {
		t.Run(name, func(t *testing.T) {
			docs, report := doctest.Read(t, calendar.Reader{}, "cal/"+name, sample(t, name))
			doctest.Golden(t, "testdata/"+name+".golden.json", docs, report)
		})
	}
}

func event(lines ...string) []byte {
	return []byte("BEGIN:VCALENDAR\nBEGIN:VEVENT\nSUMMARY:Tea\n" + strings.Join(lines, "\n") + "\nEND:VEVENT\nEND:VCALENDAR\n")
}

// line returns what stands behind a label in the only event.
func line(t testing.TB, data []byte, label string) string {
	t.Helper()
	d := doctest.One(t, calendar.Reader{}, "a.ics", data)
	for l := range strings.SplitSeq(d.Body, "\n") {
		if v, ok := strings.CutPrefix(l, label+": "); ok {
			return v
		}
	}
	return ""
}

func TestWhen(t *testing.T) {
	const monday = "2024-06-03 (Monday, 3 June 2024)"
	for want, lines := range map[string][]string{
		monday + ", 09:00 to 10:30, Europe/Berlin":                     {"DTSTART;TZID=Europe/Berlin:20240603T090000", "DTEND;TZID=Europe/Berlin:20240603T103000"},
		monday + ", 09:00 to 10:00, Europe/Berlin":                     {"DTSTART;TZID=Europe/Berlin:20240603T090000", "DTEND:20240603T080000Z"},
		monday + ", 09:00 to 2024-06-04 (Tuesday, 4 June 2024), 01:00": {"DTSTART:20240603T090000", "DURATION:PT16H"},
		monday + ", 09:00, UTC":                                        {"DTSTART:20240603T090000Z"},
		monday + ", 09:05, Asia/Kolkata":                               {"DTSTART;TZID=India Standard Time:20240603T090500"},
		monday + ", 09:00":                                             {"DTSTART;TZID=Nowhere at all:20240603T090000"},
		monday + ", 09:00, UTC+05:30":                                  {"DTSTART;TZID=\"(UTC+05:30) Chennai, Kolkata\":20240603T090000"},
		monday + ", 09:00, America/Argentina/Buenos_Aires":             {"DTSTART;TZID=/citadel.org/20210210_1/America/Argentina/Buenos_Aires:20240603T090000"},
		monday + ", all day":                                           {"DTSTART;VALUE=DATE:20240603", "DTEND;VALUE=DATE:20240604"},
		monday + ", all day ":                                          {"DTSTART;VALUE=DATE:20240603", "DURATION:P1D"},
		monday + " to 2024-06-05 (Wednesday, 5 June 2024)":             {"DTSTART;VALUE=DATE:20240603", "DTEND;VALUE=DATE:20240606"},
		"": {"DTSTART:sometime"},
	} {
		if got := line(t, event(lines...), "When"); got != strings.TrimSpace(want) {
			t.Errorf("%v: %q, want %q", lines, got, want)
		}
	}
}

// TestDated: the document is dated at the start, whatever the zone.
func TestDated(t *testing.T) {
	for start, want := range map[string]string{
		"DTSTART;TZID=Europe/Berlin:20240603T090000":           "2024-06-03T07:00:00Z",
		"DTSTART;TZID=W. Europe Standard Time:20241203T090000": "2024-12-03T08:00:00Z",
		"DTSTART;TZID=\"Tokyo Standard Time\":20240603T090000": "2024-06-03T00:00:00Z",
		"DTSTART:20240603T090000Z":                             "2024-06-03T09:00:00Z",
		"DTSTART:20240603T090000":                              "2024-06-03T09:00:00Z",
		"DTSTART;VALUE=DATE:20240603":                          "2024-06-03T00:00:00Z",
		"DTSTART;TZID=GMT-0300:20240603T090000":                "2024-06-03T12:00:00Z",
		"DTSTART:00010101T000000\nDTSTAMP:20240102T030405Z":    "2024-01-02T03:04:05Z",
		"DTSTAMP:20240102T030405Z\nCREATED:20230102T030405Z":   "2023-01-02T03:04:05Z",
		"X-NOTHING:1": doctest.FileTime.Format(time.RFC3339),
	} {
		if got := doctest.One(t, calendar.Reader{}, "a.ics", event(start)).Time.Format(time.RFC3339); got != want {
			t.Errorf("%s: %s, want %s", start, got, want)
		}
	}
}

// TestDefinedZones: a zone that only the file knows has its summer and its winter.
func TestDefinedZones(t *testing.T) {
	const zone = "BEGIN:VTIMEZONE\nTZID:Ours\nBEGIN:STANDARD\nDTSTART:16011028T030000\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10\nTZOFFSETFROM:+0200\nTZOFFSETTO:+0100\nEND:STANDARD\n" +
		"BEGIN:DAYLIGHT\nDTSTART:16010325T020000\nRRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3\nTZOFFSETFROM:+0100\nTZOFFSETTO:+0200\nEND:DAYLIGHT\nEND:VTIMEZONE\n"
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		wall := time.Date(rapid.IntRange(1996, 2037).Draw(rt, "year"), 1, 1, rapid.IntRange(4, 23).Draw(rt, "hour"), 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 365).Draw(rt, "day"))
		data := strings.Replace(string(event("DTSTART;TZID=Ours:"+wall.Format("20060102T150405"))), "BEGIN:VEVENT", zone+"BEGIN:VEVENT", 1)
		want := time.Date(wall.Year(), wall.Month(), wall.Day(), wall.Hour(), 0, 0, 0, berlin)
		if got := doctest.One(t, calendar.Reader{}, "a.ics", []byte(data)).Time; !got.Equal(want) {
			rt.Fatalf("%s: %s, want %s", wall, got, want)
		}
	})
}

func TestRules(t *testing.T) {
	for rule, want := range map[string]string{
		"FREQ=DAILY":                                             "every day",
		"FREQ=DAILY;INTERVAL=3;COUNT=10":                         "every 3 days, 10 times",
		"FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR":                       "every weekday",
		"FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,TU,WE,TH,FR":            "every 2 weeks on weekdays",
		"FREQ=WEEKLY;WKST=SU;BYDAY=TU,TH;UNTIL=20241224T000000Z": "every week on Tuesday and Thursday, until 2024-12-24",
		"FREQ=MONTHLY;BYDAY=2MO,-1FR":                            "every month on the second Monday and the last Friday",
		"FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1":          "every month on the last of: weekdays",
		"FREQ=MONTHLY;BYMONTHDAY=1,15,-1":                        "every month on day 1, day 15 and the last day",
		"FREQ=YEARLY;BYMONTH=5,11;BYMONTHDAY=3":                  "every year on day 3 in May and November",
		"FREQ=YEARLY;BYDAY=20MO":                                 "every year on the 20th Monday",
		"FREQ=DAILY;COUNT=1":                                     "every day, once",
		"W2 TU TH #6":                                            "every 2 weeks on Tuesday and Thursday, 6 times",
		"MP1 1+ MO 1- FR 20061224T000000":                        "every month on the first Monday and the last Friday, until 2006-12-24",
		"MD1 15 #0":                                              "every month on day 15",
		"YM1 6":                                                  "every year in June",
		"D1 20050110T000000":                                     "every day, until 2005-01-10",
		"FREQ=SOMETIMES":                                         "",
		"FREQ=DAILY;INTERVAL=x;COUNT=-1;UNTIL=never":             "every day",
		"X":  "",
		";;": "",
	} {
		if got := line(t, event("DTSTART:20240603T090000", "RRULE:"+rule), "Repeats"); got != want {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}

func TestPeople(t *testing.T) {
	d := doctest.One(t, calendar.Reader{}, "a.ics", event(
		"ORGANIZER;CN=Ann Lee:mailto:ann@acme.example", "ATTENDEE;CN=Ann Lee:mailto:ann@acme.example", "ATTENDEE;CN=bob@example.org:MAILTO:bob@example.org",
		"ATTENDEE:mailto:carl@example.org", "ATTENDEE;CN=Team:mailto:c_1@group.calendar.google.com", "ATTENDEE;CUTYPE=ROOM;CN=Blue:mailto:blue@acme.example",
		"ATTENDEE;CUTYPE=GROUP;CN=Everybody here:mailto:all@acme.example", "ATTENDEE;CN=\"Dora Q\":invalid:nomail",
	))
	if d.Author != (doc.Person{Name: "Ann Lee", Email: "ann@acme.example"}) {
		t.Errorf("author %+v", d.Author)
	}
	if diff := cmp.Diff([]doc.Person{{Email: "bob@example.org"}, {Email: "carl@example.org"}, {Name: "Dora Q"}}, d.To); diff != "" {
		t.Error(diff)
	}
	if !strings.Contains(d.Body, "Where: Blue\n") || !strings.Contains(d.Body, "Everybody here (group)") {
		t.Error(d.Body)
	}
	o := doctest.One(t, calendar.Reader{}, "a.ics", event("ORGANIZER;CN=Team calendar:mailto:abc@group.calendar.google.com"))
	if o.Author != (doc.Person{}) {
		t.Errorf("a calendar wrote it: %+v", o.Author)
	}
}

// TestDamage: what is not ended, nested wrongly or cut off loses nothing else.
func TestDamage(t *testing.T) {
	const one, two = "BEGIN:VEVENT\nUID:1\nSUMMARY:One\nDTSTART:20240603T090000Z\nEND:VEVENT\n", "BEGIN:VEVENT\nUID:2\nSUMMARY:Two\nDTSTART:20240604T090000Z\n"
	for name, c := range map[string]struct {
		in   string
		docs int
		out  doc.Outcome
	}{
		"cut":                  {one + two, 2, doc.Partial},
		"never ended":          {two + one, 2, doc.OK},
		"an alarm never ended": {two + "BEGIN:VALARM\nSUMMARY:no\n" + one, 2, doc.OK},
		"no events":            {"BEGIN:VTIMEZONE\nTZID:x\nEND:VTIMEZONE\nEND:VCALENDAR\n", 0, doc.NoText},
		"a busy time":          {"BEGIN:VEVENT\nUID:1\nDTSTART:20240603T090000Z\nEND:VEVENT\n", 0, doc.NoText},
		"the same twice":       {one + one + "END:VCALENDAR\n", 1, doc.OK},
		"two calendars":        {one + "END:VCALENDAR\nBEGIN:VCALENDAR\nMETHOD:CANCEL\n" + two + "END:VEVENT\nEND:VCALENDAR\n", 2, doc.OK},
		"too long":             {strings.Replace(one, "DTSTART", "DESCRIPTION:"+strings.Repeat("word ", 60_000)+"\nDTSTART", 1), 1, doc.Partial},
		"a zone never ended":   {"BEGIN:VTIMEZONE\nTZID:x\nBEGIN:STANDARD\n" + one, 1, doc.OK},
	} {
		docs, report := doctest.Read(t, calendar.Reader{}, "a.ics", []byte("BEGIN:VCALENDAR\n"+c.in))
		if len(docs) != c.docs || report.Outcome != c.out {
			t.Errorf("%s: %d documents, %+v", name, len(docs), report)
		}
		if name == "two calendars" && (strings.Contains(docs[0].Body, "cancelled") || !strings.Contains(docs[1].Body, "Status: cancelled")) {
			t.Errorf("%s\n%s", docs[0].Body, docs[1].Body)
		}
	}
}

func TestDescription(t *testing.T) {
	d := doctest.One(t, calendar.Reader{}, "a.ics", sample(t, "one.ics"))
	if !strings.HasSuffix(d.Body, "\nBring cake & tea.\n\nThe second line.") {
		t.Errorf("%q", d.Body)
	}
}

// TestMany: a calendar of any size takes no more memory than a small one.
func TestMany(t *testing.T) {
	var b strings.Builder
	b.WriteString("BEGIN:VCALENDAR\r\n")
	const n = 10_000
	for i := range n {
		fmt.Fprintf(&b, "BEGIN:VEVENT\r\nUID:%d\r\nSUMMARY:Event number%d\r\nDTSTART;TZID=Europe/Berlin:20%02d0603T090000\r\nATTACH;ENCODING=BASE64;VALUE=BINARY:%s\r\nEND:VEVENT\r\n", i, i, i%50, strings.Repeat("QUJD", 200))
	}
	data := []byte(b.String())
	got := 0
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	peak := uint64(0)
	report, err := calendar.Reader{}.Read(t.Context(), doctest.Input("a.ics", data), func(*doc.Document) error {
		if got++; got%1000 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
		return nil
	})
	if err != nil || got != n || report.Outcome != doc.Partial && report.Outcome != doc.OK {
		t.Errorf("%d events, %+v, %v", got, report, err)
	}
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("%d MB more in use", grown>>20)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range append(samples, "one.ics") {
		f.Add(sample(f, name))
	}
	f.Add(event("RRULE:FREQ=YEARLY;BYDAY=-53SU;BYMONTHDAY=-31;BYSETPOS=-1", "EXDATE:20240101/PT1H,x", "DURATION:-P1D", "RECURRENCE-ID:20240101", "DTSTART;TZID=GMT+99:20240101T000000"))
	f.Fuzz(func(t *testing.T, in []byte) {
		calendar.Reader{}.Detect(doctest.Input("a.ics", in))
		doctest.Read(t, calendar.Reader{}, "a.ics", in)
	})
}

// TestWindowsZones: every zone of the table exists.
func TestWindowsZones(t *testing.T) {
	for _, name := range []string{"W. Europe Standard Time", "Pacific Standard Time", "China Standard Time", "AUS Eastern Standard Time", "Nepal Standard Time", "UTC-11", "Kamchatka Standard Time"} {
		if got := line(t, event("DTSTART;TZID="+name+":20240603T090000"), "When"); strings.Count(got, ", ") != 3 {
			t.Errorf("%s: %q", name, got)
		}
	}
	for name, iana := range calendar.WindowsZones() {
		if _, err := time.LoadLocation(iana); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
