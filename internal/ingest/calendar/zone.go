package calendar

import (
	"strconv"
	"strings"
	"time"
	_ "time/tzdata" // the same zones on every machine, whether it has them or not

	"github.com/openhuman/openhuman-core/internal/ingest/contentline"
	"github.com/openhuman/openhuman-core/internal/ingest/entries"
)

// Limits of what a file may say about zones.
const (
	maxZones       = 500
	maxObservances = 200
)

// A zone tells when a time on the wall of some place is. The zero value stands for no place: a floating
// time, which is taken as UTC so that it reads the same everywhere.
type zone struct {
	name string
	loc  *time.Location
	def  *definition
}

// at returns the moment of a time on the wall, given as if it were UTC.
func (z zone) at(wall time.Time) time.Time {
	switch {
	case z.loc != nil:
		y, m, d := wall.Date()
		return time.Date(y, m, d, wall.Hour(), wall.Minute(), wall.Second(), 0, z.loc)
	case z.def != nil:
		offset := z.def.offset(wall)
		return wall.Add(-offset).In(time.FixedZone(z.name, int(offset/time.Second)))
	}
	return wall
}

// A definition is a zone as a VTIMEZONE of the file defines it.
type definition struct {
	id, olson   string
	observances []observance
}

// An observance is one clock of a zone: standard or daylight time.
type observance struct {
	start   time.Time // on the wall, as if it were UTC
	to      time.Duration
	from    time.Duration
	yearly  bool
	month   time.Month
	nth     int // 1 the first, -1 the last
	weekday time.Weekday
	until   int // the last year, 0 for none
}

// onset returns when the observance began last before wall.
func (o *observance) onset(wall time.Time) (time.Time, bool) {
	if !o.yearly {
		return o.start, !o.start.After(wall)
	}
	year := wall.Year()
	if o.until > 0 {
		year = min(year, o.until)
	}
	for ; year >= max(o.start.Year(), wall.Year()-100); year-- {
		t := o.in(year)
		if !t.After(wall) && !t.Before(o.start) {
			return t, true
		}
	}
	return o.start, !o.start.After(wall)
}

// in returns when the observance begins in a year.
func (o *observance) in(year int) time.Time {
	clock := o.start.Sub(o.start.Truncate(24 * time.Hour))
	if o.nth == 0 {
		return time.Date(year, o.month, o.start.Day(), 0, 0, 0, 0, time.UTC).Add(clock)
	}
	if o.nth > 0 {
		first := time.Date(year, o.month, 1, 0, 0, 0, 0, time.UTC)
		return first.AddDate(0, 0, (int(o.weekday)-int(first.Weekday())+7)%7+7*(o.nth-1)).Add(clock)
	}
	last := time.Date(year, o.month+1, 0, 0, 0, 0, 0, time.UTC)
	return last.AddDate(0, 0, -((int(last.Weekday())-int(o.weekday)+7)%7)+7*(o.nth+1)).Add(clock)
}

// offset returns how far the zone is ahead of UTC at a time on its wall.
func (d *definition) offset(wall time.Time) time.Duration {
	var last, first *observance
	var at time.Time
	for i := range d.observances {
		o := &d.observances[i]
		if first == nil || o.start.Before(first.start) {
			first = o
		}
		if t, ok := o.onset(wall); ok && (last == nil || t.After(at)) {
			last, at = o, t
		}
	}
	switch {
	case last != nil:
		return last.to
	case first != nil:
		return first.from
	}
	return 0
}

// take reads one line of an observance.
func (o *observance) take(l *contentline.Line) {
	switch l.Name {
	case "DTSTART":
		if t, _, ok := clock(l.Value); ok {
			o.start = t
		}
	case "TZOFFSETTO":
		o.to = offset(l.Value)
	case "TZOFFSETFROM":
		o.from = offset(l.Value)
	case "RRULE":
		r := readRule(l.Value)
		if r.freq != "YEARLY" || len(r.months) == 0 {
			return
		}
		o.yearly, o.month, o.nth = true, time.Month(r.months[0]), 0
		if len(r.days) > 0 {
			o.nth, o.weekday = r.days[0].nth, r.days[0].day
			if o.nth == 0 { // the Sunday among the days 8 to 14
				o.nth = 1
				if len(r.monthDays) > 0 && r.monthDays[0] > 0 {
					o.nth = (r.monthDays[0]-1)/7 + 1
				}
			}
		}
		if !r.until.IsZero() {
			o.until = r.until.Year()
		}
	}
}

// offset reads "+0530".
func offset(s string) time.Duration {
	s = strings.TrimSpace(s)
	sign := time.Duration(1)
	if strings.HasPrefix(s, "-") {
		sign = -1
	}
	s = strings.ReplaceAll(strings.TrimLeft(s, "+-"), ":", "")
	if len(s) < 4 {
		return 0
	}
	h, err1 := strconv.Atoi(s[:2])
	m, err2 := strconv.Atoi(s[2:4])
	if err1 != nil || err2 != nil || h > 14 || m > 59 || h < 0 || m < 0 {
		return 0
	}
	return sign * (time.Duration(h)*time.Hour + time.Duration(m)*time.Minute)
}

// zones resolves the names of zones in one file.
type zones struct {
	known   map[string]zone
	defined map[string]*definition
	usual   zone // of times that name none
}

func (z *zones) define(d *definition) {
	if d.id == "" || len(d.observances) == 0 || len(z.defined) >= maxZones {
		return
	}
	if z.defined == nil {
		z.defined = map[string]*definition{}
	}
	z.defined[d.id] = d
	delete(z.known, d.id)
}

// named returns the zone of that name, as IANA, Windows or the file itself know it.
func (z *zones) named(id string) zone {
	if id == "" {
		return z.usual
	}
	if r, ok := z.known[id]; ok {
		return r
	}
	r := z.find(id)
	if z.known == nil {
		z.known = map[string]zone{}
	}
	if len(z.known) < maxZones {
		z.known[id] = r
	}
	return r
}

func (z *zones) find(id string) zone {
	if r, ok := iana(id); ok {
		return r
	}
	def := z.defined[id]
	if def != nil && def.olson != "" {
		if r, ok := iana(def.olson); ok {
			return r
		}
	}
	if def != nil {
		return zone{name: entries.Clip(entries.OneLine(id), 100), def: def}
	}
	if loc, ok := stated(id); ok {
		return zone{name: loc.String(), loc: loc}
	}
	return z.usual
}

// iana finds a zone by its name, one of Windows, or one behind a path of the program that wrote it.
func iana(id string) (zone, bool) {
	id = strings.Trim(strings.TrimSpace(id), `"`)
	if w := windowsZones[id]; w != "" {
		id = w
	}
	switch strings.ToUpper(id) {
	case "", "LOCAL":
		return zone{}, false
	case "UTC", "Z", "GMT", "TZONE://MICROSOFT/UTC":
		return zone{name: "UTC", loc: time.UTC}, true
	}
	for parts := strings.Split(id, "/"); len(parts) > 0; parts = parts[1:] {
		name := strings.Join(parts, "/")
		if len(parts) == 1 && name != id { // "Eastern" behind something else is no zone
			break
		}
		if loc, err := time.LoadLocation(name); err == nil && name != "" {
			return zone{name: name, loc: loc}, true
		}
	}
	return zone{}, false
}

// stated reads a zone whose name says how far it is from UTC: "GMT+0200", "(UTC+05:30) Chennai".
func stated(id string) (*time.Location, bool) {
	s := strings.ToUpper(strings.TrimLeft(id, "( "))
	if !strings.HasPrefix(s, "GMT") && !strings.HasPrefix(s, "UTC") {
		return nil, false
	}
	s = strings.ReplaceAll(strings.TrimLeft(s[3:], " "), "−", "-")
	end := 0
	for end < len(s) && (s[end] >= '0' && s[end] <= '9' || end == 0 && (s[end] == '+' || s[end] == '-') || s[end] == ':' || s[end] == '.') {
		end++
	}
	n := strings.ReplaceAll(strings.ReplaceAll(s[:end], ":", ""), ".", "")
	if len(n) < 2 || n[0] != '+' && n[0] != '-' {
		return nil, false
	}
	switch len(n) {
	case 2:
		n = n[:1] + "0" + n[1:] + "00"
	case 3:
		n += "00"
	case 4:
		n = n[:1] + "0" + n[1:]
	}
	d := offset(n)
	return time.FixedZone("UTC"+n[:3]+":"+n[3:5], int(d/time.Second)), true
}
