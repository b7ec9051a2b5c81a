package calendar

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxParts bounds a list within a rule.
const maxParts = 100

// A rule says when something repeats.
type rule struct {
	freq      string
	interval  int
	count     int
	until     time.Time
	days      []weekday
	monthDays []int
	months    []int
	positions []int
}

// A weekday is one of a rule, the nth of its month or year when nth is not 0.
type weekday struct {
	nth int
	day time.Weekday
}

var weekdays = map[string]time.Weekday{
	"SU": time.Sunday, "MO": time.Monday, "TU": time.Tuesday, "WE": time.Wednesday, "TH": time.Thursday, "FR": time.Friday, "SA": time.Saturday,
}

// readRule reads an RRULE, also in the form of vCalendar 1.0.
func readRule(s string) rule {
	s = strings.ToUpper(strings.TrimSpace(s))
	if !strings.Contains(s, "FREQ=") {
		return oldRule(s)
	}
	r := rule{interval: 1}
	for part := range strings.SplitSeq(s, ";") {
		name, v, _ := strings.Cut(part, "=")
		switch name {
		case "FREQ":
			r.freq = v
		case "INTERVAL":
			if n, err := strconv.Atoi(v); err == nil && n > 0 && n < 1000 {
				r.interval = n
			}
		case "COUNT":
			if n, err := strconv.Atoi(v); err == nil && n > 0 {
				r.count = n
			}
		case "UNTIL":
			r.until, _, _ = clock(v)
		case "BYDAY":
			for d := range strings.SplitSeq(v, ",") {
				if w, ok := readWeekday(d); ok && len(r.days) < maxParts {
					r.days = append(r.days, w)
				}
			}
		case "BYMONTHDAY":
			r.monthDays = numbers(v, -31, 31)
		case "BYMONTH":
			r.months = numbers(v, 1, 12)
		case "BYSETPOS":
			r.positions = numbers(v, -366, 366)
		}
	}
	return r
}

func readWeekday(s string) (weekday, bool) {
	s = strings.TrimSpace(s)
	if len(s) < 2 {
		return weekday{}, false
	}
	day, ok := weekdays[s[len(s)-2:]]
	if !ok {
		return weekday{}, false
	}
	n := 0
	if p := s[:len(s)-2]; p != "" {
		v, err := strconv.Atoi(p)
		if err != nil || v < -53 || v > 53 {
			return weekday{}, false
		}
		n = v
	}
	return weekday{n, day}, true
}

func numbers(s string, low, high int) []int {
	var out []int
	for p := range strings.SplitSeq(s, ",") {
		if n, err := strconv.Atoi(strings.TrimSpace(p)); err == nil && n != 0 && n >= low && n <= high && len(out) < maxParts {
			out = append(out, n)
		}
	}
	return out
}

// oldRule reads "W2 MO WE #10" and its like.
func oldRule(s string) rule {
	fields := strings.Fields(s)
	if len(fields) == 0 {
		return rule{}
	}
	i := strings.IndexAny(fields[0], "0123456789")
	if i <= 0 {
		return rule{}
	}
	n, err := strconv.Atoi(fields[0][i:])
	freq := map[string]string{"D": "DAILY", "W": "WEEKLY", "MD": "MONTHLY", "MP": "MONTHLY", "YM": "YEARLY", "YD": "YEARLY"}[fields[0][:i]]
	if err != nil || n < 1 || n >= 1000 || freq == "" {
		return rule{}
	}
	r := rule{freq: freq, interval: n}
	nth := 0
	for _, f := range fields[1:] {
		switch v, err := strconv.Atoi(strings.TrimPrefix(f, "#")); {
		case strings.HasPrefix(f, "#"):
			if err == nil && v > 0 {
				r.count = v
			}
		case len(f) == 2 && (f[1] == '+' || f[1] == '-') && f[0] >= '1' && f[0] <= '5':
			if nth = int(f[0] - '0'); f[1] == '-' {
				nth = -nth
			}
		case err == nil && len(f) < 3 && freq == "MONTHLY" && v >= 1 && v <= 31:
			r.monthDays = append(r.monthDays, v)
		case err == nil && len(f) < 3 && freq == "YEARLY" && v >= 1 && v <= 12:
			r.months = append(r.months, v)
		default:
			if d, ok := weekdays[f]; ok && len(r.days) < maxParts {
				r.days = append(r.days, weekday{nth, d})
			} else if t, _, ok := clock(f); ok {
				r.until = t
			}
		}
	}
	return r
}

// words says the rule as people do, "" when it says nothing.
func (r rule) words() string {
	unit := map[string]string{
		"SECONDLY": "second", "MINUTELY": "minute", "HOURLY": "hour", "DAILY": "day", "WEEKLY": "week", "MONTHLY": "month", "YEARLY": "year",
	}[r.freq]
	if unit == "" {
		return ""
	}
	var b strings.Builder
	days := r.weekdayWords()
	switch {
	case r.interval > 1:
		fmt.Fprintf(&b, "every %d %ss", r.interval, unit)
	case r.freq == "WEEKLY" && days == "weekday":
		b.WriteString("every weekday")
		days = ""
	default:
		b.WriteString("every " + unit)
	}
	if days == "weekday" {
		days = "weekdays"
	}
	switch {
	case days != "" && len(r.positions) > 0:
		each := make([]string, len(r.positions))
		for i, p := range r.positions {
			each[i] = ordinal(p)
		}
		if len(r.days) == 7 {
			days = "day"
		}
		b.WriteString(" on the " + listed(each) + " of: " + days)
	case days != "":
		b.WriteString(" on " + days)
	}
	if len(r.monthDays) > 0 {
		each := make([]string, len(r.monthDays))
		for i, d := range r.monthDays {
			if each[i] = strconv.Itoa(d); d == -1 {
				each[i] = "the last day"
			} else if d < 0 {
				each[i] = fmt.Sprintf("%d from the end", -d)
			} else {
				each[i] = "day " + each[i]
			}
		}
		b.WriteString(" on " + listed(each))
	}
	if len(r.months) > 0 {
		each := make([]string, len(r.months))
		for i, m := range r.months {
			each[i] = time.Month(m).String()
		}
		b.WriteString(" in " + listed(each))
	}
	switch {
	case r.count == 1:
		b.WriteString(", once")
	case r.count > 1:
		fmt.Fprintf(&b, ", %d times", r.count)
	}
	if !r.until.IsZero() {
		b.WriteString(", until " + r.until.Format(time.DateOnly))
	}
	return b.String()
}

// weekdayWords names the days of the week; "weekday" stands for Monday to Friday.
func (r rule) weekdayWords() string {
	var each []string
	plain := map[time.Weekday]bool{}
	for _, d := range r.days {
		name := d.day.String()
		if d.nth != 0 {
			name = "the " + ordinal(d.nth) + " " + name
		} else {
			plain[d.day] = true
		}
		if !slices.Contains(each, name) {
			each = append(each, name)
		}
	}
	if len(each) == 5 && len(plain) == 5 && !plain[time.Saturday] && !plain[time.Sunday] {
		return "weekday"
	}
	return listed(each)
}

func ordinal(n int) string {
	words := []string{"", "first", "second", "third", "fourth", "fifth"}
	switch {
	case n == -1:
		return "last"
	case n < 0:
		return ordinal(-n) + " to last"
	case n < len(words):
		return words[n]
	}
	return strconv.Itoa(n) + "th"
}

func listed(s []string) string {
	if len(s) < 2 {
		return strings.Join(s, "")
	}
	return strings.Join(s[:len(s)-1], ", ") + " and " + s[len(s)-1]
}
