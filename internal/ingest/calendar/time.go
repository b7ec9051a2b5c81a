package calendar

import (
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/ingest/contentline"
)

// A moment is a time of the calendar.
type moment struct {
	t     time.Time // in its zone
	date  bool      // a day without a time
	zone  string
	valid bool
}

// moment reads the time of a line.
func (z *zones) moment(l *contentline.Line) moment { return z.read(l.Value, l.Param("TZID")) }

func (z *zones) read(value, id string) moment {
	value = strings.TrimSpace(value)
	t, kind, ok := clock(value)
	if !ok {
		return moment{}
	}
	switch kind {
	case day:
		return moment{t: t, date: true, valid: true}
	case exact:
		if z.usual.loc != nil { // as the calendar shows it
			return moment{t: t.In(z.usual.loc), zone: z.usual.name, valid: true}
		}
		return moment{t: t.UTC(), zone: "UTC", valid: true}
	}
	at := z.named(id)
	return moment{t: at.at(t), zone: at.name, valid: true}
}

// What a written time says.
const (
	day      = iota
	floating // a time on the wall
	exact    // a moment
)

// clock reads a time as it is written, on the wall as if it were UTC.
func clock(s string) (t time.Time, kind int, ok bool) {
	s = strings.TrimSpace(s)
	if len(s) < 8 || len(s) > 40 {
		return time.Time{}, 0, false
	}
	for _, f := range []struct {
		layout string
		kind   int
	}{
		{"20060102T150405", floating}, {"20060102T150405Z", exact}, {"20060102", day}, {"20060102T1504", floating}, {"20060102T1504Z", exact},
		{"20060102T150405-0700", exact}, {"2006-01-02", day}, {"2006-01-02T15:04:05", floating}, {time.RFC3339, exact}, {"2006-01-02 15:04:05", floating},
	} {
		if t, err := time.Parse(f.layout, s); err == nil {
			// Nobody has events in these years; programs write them for nothing.
			return t, f.kind, t.Year() >= 1600 && t.Year() <= 3000
		}
	}
	return time.Time{}, 0, false
}

// length reads a duration such as PT1H30M, -P1W.
func length(s string) (time.Duration, bool) {
	s = strings.ToUpper(strings.TrimSpace(s))
	if strings.HasPrefix(s, "-") || !strings.HasPrefix(strings.TrimPrefix(s, "+"), "P") {
		return 0, false
	}
	s = strings.TrimPrefix(strings.TrimPrefix(s, "+"), "P")
	var total time.Duration
	n, any := 0, false
	for i := range len(s) {
		c := s[i]
		if c >= '0' && c <= '9' {
			if n = 10*n + int(c-'0'); n > 1_000_000 {
				return 0, false
			}
			continue
		}
		unit := map[byte]time.Duration{'W': 7 * 24 * time.Hour, 'D': 24 * time.Hour, 'H': time.Hour, 'M': time.Minute, 'S': time.Second}[c]
		if unit == 0 && c != 'T' {
			return 0, false
		}
		total += time.Duration(n) * unit
		n, any = 0, any || unit > 0
	}
	return total, any && total >= 0 && total < 100*365*24*time.Hour
}

// say writes a day so that it is found as a number and in words.
func say(t time.Time) string { return t.Format("2006-01-02 (Monday, 2 January 2006)") }

// span says from when to when.
func span(from, to moment) string {
	if !from.valid {
		return ""
	}
	s := say(from.t)
	if from.date {
		// The day on which it ends is the first that it does not hold.
		last := to.t.AddDate(0, 0, -1)
		if to.valid && last.After(from.t) {
			return s + " to " + say(last)
		}
		return s + ", all day"
	}
	s += from.t.Format(", 15:04")
	if to.valid && to.t.After(from.t) {
		end := to.t.In(from.t.Location())
		if end.Format(time.DateOnly) == from.t.Format(time.DateOnly) {
			s += end.Format(" to 15:04")
		} else {
			s += " to " + say(end) + end.Format(", 15:04")
		}
	}
	if from.zone != "" {
		s += ", " + from.zone
	}
	return s
}

// single says one time.
func (m moment) single() string {
	if m.valid && m.date {
		return say(m.t)
	}
	return span(m, moment{})
}
