package mail

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Years that a mail can be from; anything else is a broken clock.
const (
	firstYear = 1970
	lastYear  = 2100
)

// parseDate reads a date in any of the forms that mail programs of fifty years have written: RFC 5322
// and its predecessors, asctime, ISO 8601, dotted and slashed dates, month names of several
// languages, zones by offset and by name. What is wrong in it (weekday, seconds of 60, an impossible
// zone) is passed over. ok is false when day, month or year cannot be told, or there is no such day or
// time of day: nobody knows which one was meant.
func parseDate(s string) (t time.Time, ok bool) {
	if len(s) > 200 {
		s = s[:200]
	}
	p := dateParser{day: -1, month: -1, year: -1}
	p.tokens(s)
	if p.year < 0 || p.month < 0 || p.day < 0 {
		return time.Time{}, false
	}
	if p.impossible || p.year < firstYear || p.year > lastYear || p.month < 1 || p.month > 12 || p.day < 1 || p.day > 31 {
		return time.Time{}, false
	}
	zone := time.UTC
	if p.offset != 0 {
		zone = time.FixedZone("", p.offset)
	}
	t = time.Date(p.year, time.Month(p.month), p.day, p.hour, p.min, p.sec, 0, zone)
	return t, t.Day() == p.day
}

type dateParser struct {
	day, month, year int
	hour, min, sec   int
	timeSet, zoneSet bool
	offset           int  // seconds east of UTC
	impossible       bool // there is no such time of day
}

func (p *dateParser) tokens(s string) {
	s = stripComment(s)
	if !isASCII(s) {
		s = eastAsian.Replace(s)
	}
	for s != "" {
		i := strings.IndexFunc(s, dateBlank)
		if i < 0 {
			i = len(s)
		}
		if i > 0 {
			p.token(s[:i])
		}
		s = s[min(i+1, len(s)):]
	}
}

func dateBlank(r rune) bool { return unicode.IsSpace(r) || r == ',' || r == '"' || r == ';' }

// eastAsian turns the words for year, month and day into what stands between them elsewhere.
var eastAsian = strings.NewReplacer("年", "-", "月", "-", "日", " ", "년", "-", "월", "-", "일", " ", "\u202f", " ", "\u00a0", " ")

func isASCII(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (p *dateParser) token(tok string) {
	lower := strings.ToLower(strings.Trim(tok, "."))
	if lower == "" {
		return
	}
	if p.clock(lower) {
		return
	}
	if c := lower[0]; (c == '+' || c == '-') && p.timeSet {
		p.zone(lower)
		return
	}
	// 2024-05-01T10:11:12Z and its parts
	if i := strings.IndexByte(lower, 't'); i >= 8 && lower[0] >= '0' && lower[0] <= '9' {
		if p.date(lower[:i]) && p.clock(lower[i+1:]) {
			return
		}
	}
	if p.date(lower) {
		return
	}
	if m := monthNumber(lower); m > 0 {
		if p.month < 0 {
			p.month = m
		}
		return
	}
	if (lower == "am" || lower == "a.m") && p.timeSet && p.hour == 12 {
		p.hour = 0
		return
	}
	if (lower == "pm" || lower == "p.m") && p.timeSet {
		if p.hour < 12 {
			p.hour += 12
		}
		return
	}
	digits := strings.TrimRight(lower, "stndrh") // 1st, 2nd, 3rd, 4th
	if n, err := strconv.Atoi(digits); err == nil && n >= 0 && digits != "" {
		p.number(n, len(digits))
		return
	}
	if off, ok := zoneName(lower); ok && !p.zoneSet {
		p.offset, p.zoneSet = off, true
		return
	}
	if rest, ok := strings.CutPrefix(lower, "gmt"); ok || strings.HasPrefix(lower, "utc") {
		p.zone(strings.TrimPrefix(rest, "utc"))
	}
}

// number takes a bare number: a day first, then a year.
func (p *dateParser) number(n, digits int) {
	switch {
	case digits >= 4 || n > 31 && p.year < 0 || p.day >= 0 && p.year < 0:
		if p.year < 0 {
			p.year = fullYear(n, digits)
		}
	case p.day < 0:
		p.day = n
	}
}

// fullYear reads years of two digits, and of three as broken programs counted from 1900.
func fullYear(n, digits int) int {
	switch {
	case digits <= 2 && n < 70:
		return 2000 + n
	case digits <= 2:
		return 1900 + n
	case digits == 3 && n >= 100 && n < 200:
		return 1900 + n
	}
	return n
}

// clock reads 9:05, 09:05:59.123, 09.05.59, 9:05pm and a zone that is glued to them.
func (p *dateParser) clock(s string) bool {
	if p.timeSet {
		return false
	}
	sep := strings.IndexByte(s, ':')
	if sep < 1 || sep > 2 {
		return false
	}
	var parts [3]int
	n, i := 0, 0
	for n < 3 {
		start := i
		for i < len(s) && i < start+2 && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		if i == start {
			break
		}
		parts[n], _ = strconv.Atoi(s[start:i])
		n++
		if n < 3 && i < len(s) && (s[i] == ':' || s[i] == '.' && n == 2) {
			i++
			continue
		}
		break
	}
	if n < 2 {
		return false
	}
	p.timeSet = true
	// A second of 60 is a leap second, and some count the last midnight as hour 24.
	p.impossible = parts[0] > 24 || parts[1] > 59 || parts[2] > 60 || parts[0] == 24 && parts[1]+parts[2] > 0
	p.hour, p.min, p.sec = min(parts[0], 23), min(parts[1], 59), min(parts[2], 59)
	rest := s[i:]
	if strings.HasPrefix(rest, ".") || strings.HasPrefix(rest, ",") {
		rest = strings.TrimLeft(rest[1:], "0123456789")
	}
	switch {
	case strings.HasPrefix(rest, "pm") || strings.HasPrefix(rest, "p.m"):
		if p.hour < 12 {
			p.hour += 12
		}
	case strings.HasPrefix(rest, "am") || strings.HasPrefix(rest, "a.m"):
		if p.hour == 12 {
			p.hour = 0
		}
	case rest != "":
		if off, ok := zoneName(rest); ok {
			p.offset, p.zoneSet = off, true
		} else {
			p.zone(rest)
		}
	}
	return true
}

// zone reads +0200, -05:00, +2, --0400. An offset that no place has counts as UTC.
func (p *dateParser) zone(s string) {
	if p.zoneSet || s == "" || s[0] != '+' && s[0] != '-' {
		return
	}
	sign := 1
	if s[0] == '-' {
		sign = -1
	}
	d := strings.ReplaceAll(strings.TrimLeft(s, "+-"), ":", "")
	n := 0
	for n < len(d) && d[n] >= '0' && d[n] <= '9' {
		n++
	}
	d = d[:n]
	v, err := strconv.Atoi(d)
	if err != nil {
		return
	}
	h, m := v/100, v%100
	if len(d) <= 2 {
		h, m = v, 0
	}
	p.zoneSet = true
	if h <= 14 && m < 60 && len(d) <= 4 {
		p.offset = sign * (h*3600 + m*60)
	}
}

// date reads 2024-05-01, 2024/5/1, 20240501, 01.05.2024, 5/1/2024 and 1-May-2024.
func (p *dateParser) date(s string) bool {
	if p.day >= 0 && p.month >= 0 {
		return false
	}
	if len(s) == 8 && strings.Trim(s, "0123456789") == "" && (s[:2] == "19" || s[:2] == "20") {
		return p.set(s[:4], s[4:6], s[6:])
	}
	f := strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '/' || r == '.' })
	if len(f) != 3 {
		return false
	}
	switch {
	case len(f[0]) == 4:
		return p.set(f[0], f[1], f[2])
	case monthNumber(f[1]) > 0:
		return p.set(f[2], strconv.Itoa(monthNumber(f[1])), f[0])
	case strings.ContainsRune(s, '/'):
		// Month first as in the United States, unless that cannot be.
		if n, err := strconv.Atoi(f[0]); err == nil && n > 12 {
			return p.set(f[2], f[1], f[0])
		}
		return p.set(f[2], f[0], f[1])
	default:
		return p.set(f[2], f[1], f[0])
	}
}

func (p *dateParser) set(year, month, day string) bool {
	y, err1 := strconv.Atoi(year)
	m, err2 := strconv.Atoi(month)
	d, err3 := strconv.Atoi(day)
	if err1 != nil || err2 != nil || err3 != nil || y < 0 || m < 1 || m > 12 || d < 1 || d > 31 {
		return false
	}
	p.year, p.month, p.day = fullYear(y, len(year)), m, d
	return true
}

// monthNumber knows the month names of the larger European languages by their first letters.
func monthNumber(s string) int {
	if len(s) < 3 || s[0] >= '0' && s[0] <= '9' {
		return 0
	}
	for i, names := range months {
		for _, n := range names {
			if strings.HasPrefix(s, n) {
				return i + 1
			}
		}
	}
	return 0
}

var months = [12][]string{
	{"jan", "ene", "gen", "янв", "janv"},
	{"feb", "fév", "fev", "фев"},
	{"mar", "mär", "mrz", "maa", "мар"},
	{"apr", "avr", "abr", "апр"},
	{"may", "mai", "mei", "mag", "maj", "май", "мая"},
	{"jun", "juin", "giu", "июн"},
	{"jul", "juil", "lug", "июл"},
	{"aug", "aoû", "aou", "ago", "авг"},
	{"sep", "set", "сен"},
	{"oct", "okt", "out", "ott", "окт"},
	{"nov", "ноя"},
	{"dec", "dez", "déc", "dic", "дек"},
}

// zoneName knows the zones that RFC 5322 calls obsolete and those that are still written.
func zoneName(s string) (int, bool) {
	const h = 3600
	switch s {
	case "z", "ut", "utc", "gmt", "wet":
		return 0, true
	case "bst", "west", "cet", "met", "mez", "wat":
		return h, true
	case "cest", "mest", "mesz", "eet", "sast", "cat":
		return 2 * h, true
	case "eest", "msk", "eat":
		return 3 * h, true
	case "ist":
		return 5*h + h/2, true
	case "hkt", "sgt", "awst":
		return 8 * h, true
	case "jst", "kst":
		return 9 * h, true
	case "aest":
		return 10 * h, true
	case "aedt":
		return 11 * h, true
	case "nzst":
		return 12 * h, true
	case "nzdt":
		return 13 * h, true
	case "brt", "adt":
		return -3 * h, true
	case "est", "cdt":
		return -5 * h, true
	case "edt", "ast":
		return -4 * h, true
	case "cst", "mdt":
		return -6 * h, true
	case "mst", "pdt":
		return -7 * h, true
	case "pst", "akdt":
		return -8 * h, true
	case "akst":
		return -9 * h, true
	case "hst":
		return -10 * h, true
	}
	return 0, false
}
