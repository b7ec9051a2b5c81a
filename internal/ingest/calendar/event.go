package calendar

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/html"
	"github.com/openhuman/openhuman-core/internal/ingest/contentline"
	"github.com/openhuman/openhuman-core/internal/ingest/entries"
)

// Limits of one event.
const (
	maxBytes  = 256 << 10
	maxPeople = 1000
	maxDates  = 100
	maxLines  = 200
)

// An attendee is somebody who is invited, or a room.
type attendee struct {
	doc.Person
	answer string
}

// An event is one event, task or journal entry as it is read.
type event struct {
	kind  string
	line  int
	size  int
	cut   bool
	uid   string
	title string
	text  string
	html  string // the same text as markup, where a program gives that

	start, end, due, done, made, of moment
	length                          time.Duration
	rules                           []string
	not, also                       []string

	status    string
	percent   string
	organizer doc.Person
	people    []attendee
	rooms     []string
	where     []string
	links     []string
	files     []string
	comments  []string
	tags      []string
}

// take reads one line of the event.
func (e *event) take(l *contentline.Line, z *zones) {
	if strings.TrimSpace(l.Value) == "" && l.Name != "ATTACH" {
		return
	}
	e.cut = e.cut || l.Cut && l.Value != ""
	if e.size += len(l.Value); e.size > maxBytes {
		e.cut = true
		return
	}
	text := func() string { return strings.TrimSpace(contentline.Text(l.Value)) }
	one := func() string { return entries.OneLine(contentline.Text(l.Value)) }
	switch l.Name {
	case "UID":
		e.uid = one()
	case "SUMMARY":
		e.title = one()
	case "DESCRIPTION":
		if e.text == "" || e.kind == "Journal" {
			e.text = strings.TrimSpace(e.text + "\n\n" + text())
		}
	case "X-ALT-DESC":
		e.html = text()
	case "LOCATION":
		add(&e.where, one(), maxLines)
	case "DTSTART":
		e.start = z.moment(l)
	case "DTEND":
		e.end = z.moment(l)
	case "DUE":
		e.due = z.moment(l)
	case "COMPLETED":
		e.done = z.moment(l)
	case "CREATED", "DTSTAMP", "DCREATED":
		if !e.made.valid || l.Name != "DTSTAMP" {
			e.made = z.moment(l)
		}
	case "DURATION":
		e.length, _ = length(l.Value)
	case "RECURRENCE-ID":
		e.of = z.moment(l)
	case "RRULE":
		add(&e.rules, readRule(l.Value).words(), maxLines)
	case "EXDATE":
		e.dates(&e.not, l, z)
	case "RDATE":
		e.dates(&e.also, l, z)
	case "STATUS":
		e.status = strings.ToLower(one())
	case "PERCENT-COMPLETE":
		if n, err := strconv.Atoi(one()); err == nil && n > 0 && n < 100 {
			e.percent = strconv.Itoa(n) + " %"
		}
	case "ORGANIZER":
		e.organizer = person(l)
	case "ATTENDEE":
		e.attendee(l)
	case "CATEGORIES":
		for _, t := range contentline.Fields(l.Value, ',') {
			add(&e.tags, entries.OneLine(t), maxLines)
		}
	case "URL", "CONFERENCE", "X-GOOGLE-CONFERENCE", "X-MICROSOFT-SKYPETEAMSMEETINGURL":
		add(&e.links, one(), maxLines)
	case "ATTACH":
		name := l.Param("FILENAME")
		if name == "" {
			name = l.Param("X-FILENAME")
		}
		if v := one(); strings.HasPrefix(strings.ToLower(v), "http") {
			name = strings.TrimSpace(name + " " + v)
		}
		add(&e.files, name, maxLines)
	case "COMMENT", "CONTACT":
		add(&e.comments, text(), maxLines)
	}
}

// add adds what is new and says something.
func add(to *[]string, s string, most int) {
	if s != "" && len(*to) < most && !slices.Contains(*to, s) {
		*to = append(*to, s)
	}
}

func (e *event) dates(to *[]string, l *contentline.Line, z *zones) {
	for v := range strings.SplitSeq(l.Value, ",") {
		v, _, _ = strings.Cut(v, "/") // a period
		if m := z.read(v, l.Param("TZID")); m.valid {
			add(to, m.t.Format(time.DateOnly), maxDates)
		}
	}
}

// person reads somebody's name and address.
func person(l *contentline.Line) doc.Person {
	p := doc.Person{Name: entries.OneLine(l.Param("CN"))}
	v := strings.TrimSpace(contentline.Text(l.Value))
	if len(v) > 7 && strings.EqualFold(v[:7], "mailto:") {
		v = v[7:]
	}
	if strings.Contains(v, "@") && !strings.ContainsAny(v, " /<>") {
		p.Email = v
	} else if e := l.Param("EMAIL"); strings.Contains(e, "@") { // Apple knows people by a number
		p.Email = strings.TrimPrefix(e, "mailto:")
	} else if p.Name == "" && !strings.Contains(v, ":") {
		p.Name = entries.OneLine(v)
	}
	if strings.Contains(p.Name, "@") {
		if p.Email == "" {
			p.Email = p.Name
		}
		p.Name = ""
	}
	if calendarAddress(p.Email) {
		// The address is the calendar's, and so is the name.
		return doc.Person{}
	}
	return p
}

// calendarAddress reports whether an address is one of a calendar, a room, or nobody.
func calendarAddress(a string) bool {
	a = strings.ToLower(a)
	return strings.HasSuffix(a, "calendar.google.com") || strings.HasSuffix(a, "@imip.me.com") || strings.HasPrefix(a, "invalid:") || strings.HasPrefix(a, "noreply@")
}

func (e *event) attendee(l *contentline.Line) {
	switch strings.ToUpper(l.Param("CUTYPE")) {
	case "ROOM", "RESOURCE":
		if n := entries.OneLine(l.Param("CN")); !strings.Contains(n, "@") {
			add(&e.rooms, n, maxLines)
		}
		return
	case "GROUP":
		if n := entries.OneLine(l.Param("CN")); n != "" && len(e.people) < maxPeople {
			e.people = append(e.people, attendee{doc.Person{Name: n}, "group"})
		}
		return
	}
	p := person(l)
	if p == (doc.Person{}) || len(e.people) >= maxPeople {
		return
	}
	answer := map[string]string{"ACCEPTED": "accepted", "DECLINED": "declined", "TENTATIVE": "tentative", "DELEGATED": "delegated"}[strings.ToUpper(l.Param("PARTSTAT"))]
	e.people = append(e.people, attendee{p, answer})
}

// entry returns the document of the event, one without a body when it says nothing.
func (e *event) entry(calendar string, cancel bool) entries.Entry {
	text := description(e.text, e.html)
	if e.title == "" && text == "" && len(e.where) == 0 {
		return entries.Entry{}
	}
	d := doc.Document{Title: e.title, Tags: e.tags, Time: e.time(), Author: e.organizer}
	if d.Title == "" {
		d.Title = e.kind
		if len(e.where) > 0 {
			d.Title += ", " + e.where[0]
		}
	}
	var b strings.Builder
	line := func(label, value string) {
		if value != "" {
			b.WriteString(label + ": " + value + "\n")
		}
	}
	line(e.kind, d.Title)
	line("When", e.when())
	if e.of.valid {
		line("Occurrence", "in place of that of "+e.of.single())
	}
	line("Due", e.due.single())
	line("Done", e.done.single())
	for _, r := range e.rules {
		line("Repeats", r)
	}
	line("Not on", strings.Join(e.not, ", "))
	line("Also on", strings.Join(e.also, ", "))
	switch {
	case cancel || e.status == "cancelled" || e.status == "canceled":
		line("Status", "cancelled")
	case e.status == "confirmed" || e.status == "final":
	case e.status == "needs-action", e.status == "needs action":
		line("Status", "open")
	default:
		line("Status", strings.TrimSpace(strings.ReplaceAll(e.status, "-", " ")+" "+e.percent))
	}
	line("Where", strings.Join(append(slices.Clone(e.where), missing(e.rooms, e.where)...), "; "))
	line("Organizer", shown(e.organizer))
	var with []string
	for _, a := range e.people {
		s := shown(a.Person)
		if a.answer != "" {
			s += " (" + a.answer + ")"
		}
		add(&with, s, maxPeople)
		if a.answer != "group" && a.Person != e.organizer && !slices.Contains(d.To, a.Person) {
			d.To = append(d.To, a.Person)
		}
	}
	line("With", strings.Join(with, ", "))
	line("Calendar", calendar)
	for _, u := range e.links {
		line("Web", u)
	}
	line("Attached", strings.Join(e.files, ", "))
	for _, c := range e.comments {
		line("Comment", c)
	}
	if text != "" && text != d.Title {
		b.WriteString("\n" + text + "\n")
	}
	d.Body = b.String()
	name := e.uid
	if e.of.valid && name != "" {
		name += "/" + e.of.t.UTC().Format("20060102T150405")
	}
	return entries.Entry{Name: name, Place: "L" + strconv.Itoa(e.line), Doc: d}
}

// missing returns those that no other name holds.
func missing(names, others []string) []string {
	var out []string
	for _, n := range names {
		if !slices.ContainsFunc(others, func(o string) bool { return strings.Contains(o, n) }) {
			out = append(out, n)
		}
	}
	return out
}

// time is when the event begins, else when a task is due, was done, or was noted down.
func (e *event) time() time.Time {
	for _, m := range []moment{e.start, e.due, e.done, e.of, e.made} {
		if m.valid {
			return m.t.UTC()
		}
	}
	return time.Time{}
}

// when says when the event is.
func (e *event) when() string {
	end := e.end
	if !end.valid && e.length > 0 && e.start.valid {
		end = moment{t: e.start.t.Add(e.length), date: e.start.date, zone: e.start.zone, valid: true}
	}
	if e.kind == "To do" {
		end = moment{}
	}
	return span(e.start, end)
}

// shown is how a person stands in the text.
func shown(p doc.Person) string {
	if p.Name != "" && p.Email != "" {
		return p.Name + " <" + p.Email + ">"
	}
	return p.String()
}

// description returns what people wrote: some programs put markup into it, and lines around what they
// add about calls.
func description(text, markup string) string {
	if text == "" && markup != "" {
		text = markup
	}
	if marked(text) {
		if low := strings.ToLower(text); !strings.Contains(low, "<html") && !strings.Contains(low, "<body") {
			text = strings.ReplaceAll(text, "\n", "<br>")
		}
		text = html.Text([]byte(text), html.Options{})
	}
	lines := strings.Split(text, "\n")
	kept := lines[:0]
	for _, l := range lines {
		t := strings.TrimSpace(l)
		if strings.HasPrefix(t, "-::~:~::~") || t == "Please do not edit this section." || len(t) > 20 && strings.Trim(t, "_") == "" {
			continue
		}
		kept = append(kept, strings.TrimRight(l, " \t"))
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// marked reports whether a text is HTML.
func marked(s string) bool {
	low := strings.ToLower(s)
	for _, tag := range []string{"<br", "<p>", "<p ", "<a href", "<html", "<div", "<span", "<ul>", "<ol>", "<b>", "<i>", "<u>", "<html-blob>", "<!doctype html"} {
		if strings.Contains(low, tag) {
			return true
		}
	}
	return false
}
