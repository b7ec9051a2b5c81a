package contacts

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/openhuman/openhuman-core/internal/ingest/contentline"
	"github.com/openhuman/openhuman-core/internal/ingest/entries"
)

func place(line int) string { return "L" + strconv.Itoa(line) }

func trimmed(ss []string) []string {
	for i := range ss {
		ss[i] = entries.OneLine(ss[i])
	}
	return ss
}

// filled returns the parts that say something.
func filled(ss []string) []string {
	out := []string{}
	for _, s := range trimmed(ss) {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

func han(s string) bool {
	for _, r := range s {
		if !unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
			return false
		}
	}
	return s != ""
}

// kind says which of several addresses a field is: "work", or what the person called it.
func (c *card) kind(f field) string {
	if l := c.labels[f.group]; l != "" && f.group != "" {
		return l
	}
	var out []string
	for _, t := range f.types {
		switch t {
		case "home", "work", "fax", "pager", "main", "other", "car", "spouse", "child", "parent", "friend", "sibling", "colleague", "emergency":
			out = append(out, t)
		case "cell", "iphone", "mobile":
			out = append(out, "mobile")
		}
	}
	return strings.Join(out, " ")
}

// number returns a telephone number as people write it.
func number(s string) string {
	s = strings.TrimPrefix(strings.TrimPrefix(s, "tel:"), "TEL:")
	if i := strings.Index(s, ";ext="); i >= 0 {
		s = s[:i] + " ext. " + s[i+len(";ext="):]
	}
	if i := strings.IndexByte(s, ';'); i >= 0 {
		s = s[:i]
	}
	return s
}

// address puts the parts of a postal address into one line.
func address(l *contentline.Line) string {
	parts := trimmed(contentline.Fields(l.Value, ';'))
	for len(parts) < 7 {
		parts = append(parts, "")
	}
	// post box, extended, street, town, region, code, country
	town := entries.OneLine(parts[5] + " " + parts[3])
	line := strings.Join(filled([]string{parts[0], parts[2], parts[1], town, parts[4], parts[6]}), ", ")
	if line == "" {
		line = entries.OneLine(contentline.Text(l.Param("LABEL")))
	}
	return line
}

// day reads a date; a year that Apple puts where there is none goes.
func day(l *contentline.Line, s string) string {
	d := readDay(s)
	if y := l.Param("X-APPLE-OMIT-YEAR"); y != "" && strings.HasPrefix(s, y) {
		return readDay("--" + strings.TrimLeft(s[len(y):], "-"))
	}
	return d
}

// readDay writes a date so that it is found as a number and in words; what is no date stays.
func readDay(s string) string {
	date, _, _ := strings.Cut(s, "T")
	date, _, _ = strings.Cut(date, " ")
	for _, f := range []struct{ in, out string }{
		{"2006-01-02", "2006-01-02 (2 January 2006)"}, {"20060102", "2006-01-02 (2 January 2006)"}, {"2006-01", "2006-01 (January 2006)"},
		{"--01-02", "2 January"}, {"--0102", "2 January"},
	} {
		if t, err := time.Parse(f.in, date); err == nil && (t.Year() == 0 || t.Year() > 1000) {
			// Microsoft and Apple write these years when there is none.
			if t.Year() == 1604 || t.Year() == 1601 {
				return t.Format("2 January")
			}
			return t.Format(f.out)
		}
	}
	var y, m, d int
	if n, _ := fmt.Sscanf(s, "%d/%d/%d", &y, &m, &d); n == 3 && y > 1000 && m >= 1 && m <= 12 && d >= 1 && d <= 31 {
		return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).Format("2006-01-02 (2 January 2006)")
	}
	return s
}

// when reads a time of revision, zero when it is none.
func when(s string) time.Time {
	for _, layout := range []string{
		time.RFC3339Nano, "20060102T150405Z", "2006-01-02T15:04:05", "20060102T150405", "2006-01-02", "20060102", "20060102T150405-0700",
	} {
		if t, err := time.Parse(layout, s); err == nil && t.Year() > 1980 && t.Year() < 2200 {
			return t.UTC()
		}
	}
	return time.Time{}
}
