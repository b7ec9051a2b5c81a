package whatsapp

import (
	"time"
)

// An order says which of a date's numbers is what.
type order int

const (
	dmy order = iota
	mdy
	ymd
	orders
)

// date returns the day that the numbers mean in an order; ok is false when there is no such day.
func (st stamp) date(o order) (t time.Time, ok bool) {
	var y, m, d, at int
	switch o {
	case dmy:
		d, m, y, at = st.nums[0], st.nums[1], st.nums[2], 2
	case mdy:
		m, d, y, at = st.nums[0], st.nums[1], st.nums[2], 2
	default:
		y, m, d, at = st.nums[0], st.nums[1], st.nums[2], 0
	}
	for i, wide := range st.wide {
		if wide && i != at {
			return t, false
		}
	}
	switch {
	case m < 1 || m > 12 || d < 1:
		return t, false
	case !st.wide[at]:
		y += 2000
	case y >= 1380 && y <= 1480:
		return persian(y, m, d)
	case y >= 2540 && y <= 2640: // the Buddhist era
		y -= 543
	}
	t = time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	return t, t.Day() == d && y >= 2000 && y <= 2100
}

// persian returns the day of a date in the Persian calendar, whose year begins at the March equinox. In
// the years that matter every fourth year is long but for a fifth one each 29 or 33 years.
func persian(y, m, d int) (t time.Time, ok bool) {
	days := 31
	switch {
	case m == 12 && !persianLong(y):
		days = 29
	case m > 6:
		days = 30
	}
	if d > days {
		return t, false
	}
	// Day one of 1380 was 21 March 2001.
	n := 0
	for year := 1380; year < y; year++ {
		n += 365
		if persianLong(year) {
			n++
		}
	}
	n += 31*min(m-1, 6) + 30*max(m-7, 0) + d - 1
	return time.Date(2001, 3, 21, 0, 0, 0, 0, time.UTC).AddDate(0, 0, n), true
}

// persianLong reports whether a year has 366 days: the cycle of 33 years holds from 1343 to 1472.
func persianLong(y int) bool {
	switch (y%33 + 33) % 33 {
	case 1, 5, 9, 13, 17, 22, 26, 30:
		return true
	}
	return false
}

// firstYear is when WhatsApp came out.
const firstYear = 2009

// What speaks against an order beside the dates themselves, in days that its dates could jump as well.
const (
	tooYoung   = 30 // the last message is younger than its file, whose time a copy may have set to anything
	shortFirst = 60 // years come first, and have two digits: few places write so
)

// A judge watches all dates of a file and finds out in which order their numbers stand: one in which no
// date is impossible or from before there was WhatsApp, time does not run backwards, and does not jump by
// months.
type judge struct {
	n      int
	bad    [orders]int
	back   [orders]int
	jumped [orders]float64 // days
	last   [orders]time.Time
	dots   int
	wide   int
	halves int
}

func (j *judge) see(st stamp) {
	j.n++
	if st.dot {
		j.dots++
	}
	if st.half != whole {
		j.halves++
	}
	if st.wide != [3]bool{} {
		j.wide++
	}
	for o := range orders {
		t, ok := st.date(o)
		if !ok || t.Year() < firstYear {
			j.bad[o]++
			continue
		}
		if last := j.last[o]; !last.IsZero() {
			days := t.Sub(last).Hours() / 24
			if days < 0 {
				j.back[o]++
				days = -days
			}
			j.jumped[o] += days
		}
		j.last[o] = t
	}
}

// order returns the order that fits best. Of two that fit alike the usual one counts: days first, but
// months first where the day has two halves and the date slashes, as in the United States.
func (j *judge) order(newest time.Time) order {
	cost := func(o order) float64 {
		c := float64(j.bad[o])*1e6 + float64(j.back[o])*1e3 + j.jumped[o]
		if !newest.IsZero() && j.last[o].After(newest.AddDate(0, 0, 2)) {
			c += tooYoung
		}
		if o == ymd && j.wide == 0 {
			c += shortFirst
		}
		return c
	}
	best := dmy
	if j.halves*2 > j.n && j.dots == 0 {
		best = mdy
	}
	for _, o := range []order{dmy, mdy, ymd} {
		if c := cost(o); c < cost(best) {
			best = o
		}
	}
	return best
}
