package markdown

import (
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/entity"
)

// Times without a zone are taken as UTC, so that a note has the same time on every machine.

var timeLayouts = []string{
	time.RFC3339, "2006-01-02", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02T15:04",
	"2006-01-02 15:04:05 -0700", "2006-01-02 15:04:05 -07:00", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04 -0700",
	"2006-01-02T15:04:05-0700", "2006-01-02T15:04Z07:00", "2006-01-02 3:04 PM", "2006-1-2", "2006-1-2 15:04",
	"2006/01/02 15:04:05", "2006/01/02 15:04", time.RFC1123Z, time.RFC1123, "20060102", "20060102150405", "200601021504",
	"January 2, 2006 3:04 PM", "Jan 2, 2006 3:04 PM", "2 January 2006 15:04", "2 Jan 2006 15:04",
}

// parseTime reads a time as people write it into front matter; the zero time when it is none.
func parseTime(s string) time.Time {
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "[]\"'"))
	if len(s) > 100 {
		return time.Time{}
	}
	for _, l := range timeLayouts {
		if t, err := time.Parse(l, s); err == nil {
			return sane(t)
		}
	}
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		switch {
		case n >= 1e9 && n < 1e10:
			return sane(time.Unix(n, 0).UTC())
		case n >= 1e12 && n < 1e13:
			return sane(time.UnixMilli(n).UTC())
		}
		return time.Time{}
	}
	return dateOf(entity.Date(s))
}

// dateOf reads YYYY-MM-DD or YYYY-MM.
func dateOf(s string) time.Time {
	for _, l := range []string{"2006-01-02", "2006-01"} {
		if t, err := time.Parse(l, s); err == nil {
			return sane(t)
		}
	}
	return time.Time{}
}

// sane refuses years that only a mistake can mean.
func sane(t time.Time) time.Time {
	if y := t.Year(); y < 1900 || y > 2100 {
		return time.Time{}
	}
	return t.UTC()
}

// dateInName returns the date that a file's name carries: a full date anywhere, the digits in front
// of a slip-box note, or a name that is nothing but a month or a week.
func dateInName(name string) time.Time {
	n := 0
	for n < len(name) && name[n] >= '0' && name[n] <= '9' {
		n++
	}
	switch n {
	case 8, 12, 14:
		layout := "20060102150405"[:n]
		if t, err := time.Parse(layout, name[:n]); err == nil {
			if t = sane(t); !t.IsZero() {
				return t
			}
		}
	}
	if y, w, ok := strings.Cut(name, "-W"); ok && len(y) == 4 && len(w) == 2 {
		year, err1 := strconv.Atoi(y)
		week, err2 := strconv.Atoi(w)
		if err1 == nil && err2 == nil && week >= 1 && week <= 53 {
			// 4 January always lies in the first week.
			d := time.Date(year, 1, 4, 0, 0, 0, 0, time.UTC)
			d = d.AddDate(0, 0, -(int(d.Weekday())+6)%7+7*(week-1))
			return sane(d)
		}
	}
	date := entity.Date(name)
	if len(date) == len("2006-01-02") || date == name {
		return dateOf(date)
	}
	return time.Time{}
}
