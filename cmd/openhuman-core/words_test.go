package main

import (
	"strings"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

func TestJoinWords(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"budget", "draft"}, "budget draft"},
		{[]string{"budget draft"}, "budget draft"},
		{[]string{"budget", "two words"}, `budget "two words"`},
		{[]string{"budget", `"two words"`}, `budget "two words"`},
		{[]string{"budget", `from:"two words"`}, `budget from:"two words"`},
	} {
		if got := joinWords(c.args); got != c.want {
			t.Errorf("joinWords(%q) = %q, want %q", c.args, got, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", -1000: "-1,000", -100: "-100"} {
		if got := number(n); got != want {
			t.Errorf("number(%d) = %q, want %q", n, got, want)
		}
	}
	for n, want := range map[int64]string{12: "12 bytes", 2048: "2.0 KB", 3 << 20: "3.0 MB", 5 << 29: "2.5 GB"} {
		if got := size(n); got != want {
			t.Errorf("size(%d) = %q, want %q", n, got, want)
		}
	}
	for d, want := range map[time.Duration]string{1500 * time.Millisecond: "1.5 s", 42 * time.Second: "42 s", 90 * time.Second: "1m30s"} {
		if got := span(d); got != want {
			t.Errorf("span(%v) = %q, want %q", d, got, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	ms := func(s string) int64 {
		at, err := time.Parse(time.RFC3339Nano, s)
		if err != nil {
			t.Fatal(err)
		}
		return at.UnixMilli()
	}
	for _, c := range []struct {
		in    string
		upper bool
		want  int64
	}{
		{"2024-05-01", false, ms("2024-05-01T00:00:00Z")},
		{"2024-05-01", true, ms("2024-05-01T23:59:59.999Z")},
		{"2024-05-01T18:00:00+02:00", true, ms("2024-05-01T16:00:00Z")},
		{"1714550400000", false, 1714550400000},
	} {
		got, err := parseTime("--since", c.in, c.upper)
		if err != nil || got == nil || *got != c.want {
			t.Errorf("parseTime(%q, %v) = %v, %v", c.in, c.upper, got, err)
		}
	}
	if got, err := parseTime("--since", "", false); got != nil || err != nil {
		t.Errorf("nothing gives %v, %v", got, err)
	}
	for _, bad := range []string{"2024", "2024-13-01", "last week", "1.5.2024"} {
		if _, err := parseTime("--since", bad, false); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q gives %v", bad, err)
		}
	}
}

func TestBar(t *testing.T) {
	e := ingest.Event{Stage: ingest.Reading, Files: 1200, FilesDone: 300, Bytes: 1000, BytesDone: 500, Documents: 450, Left: 12 * time.Second, Current: "a\x1b[2J/笔记.md"}
	got := bar(e)
	for _, want := range []string{"[############............]", " 50%", "300 of 1,200 files", "450 documents", "12 s left", `a\x1b[2J/笔记.md`} {
		if !strings.Contains(got, want) {
			t.Errorf("%q lacks %q", got, want)
		}
	}
	// The estimate of the total may be short; the bar never leaves its frame.
	e.BytesDone = 3000
	if got := bar(e); !strings.Contains(got, "["+strings.Repeat("#", barWidth)+"] 100%") {
		t.Error(got)
	}
	for _, e := range []ingest.Event{{}, {Stage: ingest.Scanning, Files: 3}, {Stage: ingest.Finishing}} {
		if got := bar(e); got == "" || term.Width(got) > 80 {
			t.Errorf("%v: %q", e.Stage, got)
		}
	}
}
