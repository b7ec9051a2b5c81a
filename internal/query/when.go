package query

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	isoMonth   = regexp.MustCompile(`\b((?:19|20)\d\d)-(\d\d)(?:-\d\d)?\b`)
	namedMonth = regexp.MustCompile(`(?i)\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?(?:\s+\d{1,2}(?:st|nd|rd|th)?)?,?\s+(?:of\s+)?((?:19|20)\d\d)\b`)
)

const months = "jan feb mar apr may jun jul aug sep oct nov dec"

// Month returns the month that a question names with its year, as its first instant and that of the
// next month in UTC. A month without a year and a year alone say too little about when something was
// written.
func Month(question string) (from, until time.Time, ok bool) {
	year, month := 0, 0
	if m := isoMonth.FindStringSubmatch(question); m != nil {
		year, _ = strconv.Atoi(m[1])
		month, _ = strconv.Atoi(m[2])
	} else if m := namedMonth.FindStringSubmatch(question); m != nil {
		year, _ = strconv.Atoi(m[2])
		month = strings.Index(months, strings.ToLower(m[1]))/4 + 1
	}
	if month < 1 || month > 12 {
		return from, until, false
	}
	from = time.Date(year, time.Month(month), 1, 0, 0, 0, 0, time.UTC)
	return from, from.AddDate(0, 1, 0), true
}
