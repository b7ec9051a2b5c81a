package query

import (
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/openhuman/openhuman-core/internal/text"
)

// A Span is the time that a question names: a day, a week, a month or a year.
type Span struct {
	From, Until time.Time // before Until
	// Alone says that the question asks for nothing else, as "what happened yesterday?" does.
	Alone bool
}

const (
	// monthFit is how well what was written in the month of a day or week fits, since people write of
	// things before and after, and yearFit how well what was written in a year does, which says little
	// about when.
	monthFit = 0.7
	yearFit  = 0.3

	longest = 32 * 24 * time.Hour // of what is not a year
)

// Fit returns how well a time fits, from 0 to 1.
func (s Span) Fit(t time.Time) float64 {
	month := time.Date(s.From.Year(), s.From.Month(), 1, 0, 0, 0, 0, s.From.Location())
	inside, long := !t.Before(s.From) && t.Before(s.Until), s.Until.Sub(s.From) > longest
	switch {
	case inside && long:
		return yearFit
	case inside:
		return 1
	case !long && !t.Before(month) && t.Before(month.AddDate(0, 1, 0)):
		return monthFit
	}
	return 0
}

// When returns the time that a question names, in English, Chinese, Japanese or digits. A month
// without a year is the last one of that name. A year alone counts only when it is named from
// today's point of view: "of 2022" is what a thing is about more often than when it was written.
func When(question string, now time.Time) (Span, bool) {
	s := text.Fold(question)
	for _, f := range dateForms {
		loc := f.form().FindStringSubmatchIndex(s)
		if loc == nil {
			continue
		}
		part := func(i int) string { return group(s, loc, i) }
		if span, ok := dated(number(part(f.year)), monthNumber(part(f.month)), number(part(f.day)), now); ok {
			return span.of(s, loc), true
		}
	}
	if span, loc, ok := hanWhen(s, now); ok {
		return span.of(s, loc), true
	}
	if loc := relative().FindStringIndex(s); loc != nil {
		r := relatives[s[loc[0]:loc[1]]]
		return back(r.unit, r.n, now).of(s, loc), true
	}
	return Span{}, false
}

// of completes a span that stands at loc of a folded question.
func (s Span) of(question string, loc []int) Span {
	s.Alone = empty(question[:loc[0]]) && empty(question[loc[1]:])
	return s
}

// empty reports whether a part of a folded question asks for nothing in particular.
func empty(s string) bool {
	for t := range text.Tokens(s) {
		if !text.IsStopWord(t.Form) && !anything[t.Form] && !(t.Run && hanAnything().MatchString(t.Form)) {
			return false
		}
	}
	return true
}

// anything are words that ask for whatever there is.
var anything = map[string]bool{
	"happen": true, "happened": true, "happening": true, "going": true, "went": true, "new": true, "news": true,
	"wrote": true, "write": true, "written": true, "note": true, "notes": true, "everything": true, "anything": true,
	"entries": true, "entry": true, "show": true, "list": true, "find": true, "day": true, "end": true, "beginning": true,
}

// Questions are matched as they are folded: in lower case, with narrow digits.
const (
	yearForm  = `((?:19|20)\d\d)`
	monthForm = `(january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec)\b\.?`
	dayForm   = `(\d{1,2})(?:st|nd|rd|th)?`
	afterForm = `(?:,?\s+(?:of\s+)?` + yearForm + `\b)`
)

// late compiles an expression when it is first asked for: most starts of the program read no question.
func late(expr string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })
}

// dateForms are dates with the groups that hold their parts; 0: none does.
var dateForms = []struct {
	form             func() *regexp.Regexp
	year, month, day int
}{
	{late(`\b` + yearForm + `([-/.])(\d{1,2})(?:[-/.](\d{1,2}))?\b`), 1, 3, 4},
	{late(`\b` + dayForm + `\s+(?:of\s+)?` + monthForm + afterForm + `?`), 3, 2, 1},
	{late(`\b` + monthForm + `\s+` + dayForm + `\b` + afterForm + `?`), 3, 1, 2},
	{late(`\b` + monthForm + afterForm), 2, 1, 0},
	// Without a day or a year "may" and "march" are other words more often than not.
	{late(`\b(?:in|of|since|during|last|this|early|late|mid)\s+` + monthForm), 0, 1, 0},
}

var relative = late(`\b(?:the day before yesterday|yesterday|last night|today|(?:last|this) (?:week|month|year))\b`)

// relatives are how many units ago something was; 'd', 'w', 'm' and 'y' are the units.
var relatives = map[string]struct {
	unit byte
	n    int
}{
	"today": {'d', 0}, "yesterday": {'d', 1}, "last night": {'d', 1}, "the day before yesterday": {'d', 2},
	"this week": {'w', 0}, "last week": {'w', 1}, "this month": {'m', 0}, "last month": {'m', 1},
	"this year": {'y', 0}, "last year": {'y', 1},
}

// group returns group i of a match at loc; nothing for one that took no part, and for 0.
func group(s string, loc []int, i int) string {
	if i == 0 || loc[2*i] < 0 {
		return ""
	}
	return s[loc[2*i]:loc[2*i+1]]
}

// number reads digits; what is none is 0.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}

const monthNames = "jan feb mar apr may jun jul aug sep oct nov dec"

// monthNumber reads a month in digits or by its English name; 0: it is none.
func monthNumber(s string) int {
	if n := number(s); n > 0 || len(s) < 3 {
		return n
	}
	for i := 0; i < len(monthNames); i += 4 {
		if monthNames[i:i+3] == s[:3] {
			return i/4 + 1
		}
	}
	return 0
}

// dated returns a day or, when day is 0, a month. Year 0 is that of the last such month.
func dated(year, month, day int, now time.Time) (Span, bool) {
	if month < 1 || month > 12 || day > 31 {
		return Span{}, false
	}
	if year == 0 {
		if year = now.Year(); time.Month(month) > now.Month() {
			year--
		}
	}
	if day == 0 {
		from := time.Date(year, time.Month(month), 1, 0, 0, 0, 0, now.Location())
		return Span{From: from, Until: from.AddDate(0, 1, 0)}, true
	}
	from := time.Date(year, time.Month(month), day, 0, 0, 0, 0, now.Location())
	return Span{From: from, Until: from.AddDate(0, 0, 1)}, from.Day() == day
}

// back returns the day, week, month or year that was n of them ago.
func back(unit byte, n int, now time.Time) Span {
	y, m, d := now.Date()
	at := func(m time.Month, d int) time.Time { return time.Date(y, m, d, 0, 0, 0, 0, now.Location()) }
	switch unit {
	case 'd':
		return Span{From: at(m, d-n), Until: at(m, d-n+1)}
	case 'w': // from Monday on
		d -= (int(now.Weekday())+6)%7 + 7*n
		return Span{From: at(m, d), Until: at(m, d+7)}
	case 'm':
		return Span{From: at(m-time.Month(n), 1), Until: at(m-time.Month(n)+1, 1)}
	}
	return yearOf(y-n, now)
}

func yearOf(year int, now time.Time) Span {
	from := time.Date(year, 1, 1, 0, 0, 0, 0, now.Location())
	return Span{From: from, Until: from.AddDate(1, 0, 0)}
}
