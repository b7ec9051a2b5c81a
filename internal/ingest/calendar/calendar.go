// Package calendar reads calendars: iCalendar files (.ics) and the older vCalendar (.vcs), as Google, Apple,
// Microsoft and others write them, and the invitations inside mails. Each event, task and journal entry
// becomes a document that is dated at its start and says in words when it is and how it repeats.
// Repetitions are told, not unrolled; one that was changed is a document of its own. Alarms and free-busy
// times are left out.
//
// A time without a zone is taken as UTC, so that a calendar has the same times on every machine.
//
// Limits: 256 KiB of text in one event.
package calendar

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/contentline"
	"github.com/openhuman/openhuman-core/internal/ingest/entries"
)

// Reader reads calendars. It implements doc.Reader; the zero value is ready for use.
type Reader struct{}

var _ doc.Reader = Reader{}

// Name implements doc.Reader.
func (Reader) Name() string { return "calendar" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// Detect implements doc.Reader: it begins as a calendar does.
func (Reader) Detect(in *doc.Input) int {
	if contentline.Begins(in.Head, "VCALENDAR") {
		return 97
	}
	return 0
}

// Read implements doc.Reader.
func (Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	f, err := in.Open()
	if err != nil {
		return doc.NotOpened(err), nil
	}
	defer f.Close()
	p := parser{w: entries.New(ctx, in, "events", emit)}
	lines := contentline.NewReader(f, in.Head)
	for n := 0; ; n++ {
		if n%1024 == 0 {
			if err := ctx.Err(); err != nil {
				return doc.Report{}, err
			}
		}
		l, err := lines.Next()
		if err == nil {
			if err := p.line(&l); err != nil {
				return doc.Report{}, err
			}
			continue
		}
		if !errors.Is(err, io.EOF) {
			p.w.Unseen("reading stopped before its end")
		} else if p.event != nil {
			p.w.Unseen("it ends in the midst of an event")
		}
		if err := p.finish(); err != nil {
			return doc.Report{}, err
		}
		return p.w.Report(), nil
	}
}

// A parser follows the objects of a calendar.
type parser struct {
	w      *entries.Writer
	name   string // of the calendar
	cancel bool   // the file says that its events do not take place
	zones  zones
	event  *event
	zone   *definition
	clock  *observance
	skip   string // an object that is left out, with all that is in it
	depth  int    // how many of that name are open
}

// line takes one content line.
func (p *parser) line(l *contentline.Line) error {
	object := strings.ToUpper(strings.TrimSpace(l.Value))
	if p.skip != "" {
		switch {
		case l.Name == "BEGIN" && object == p.skip:
			p.depth++
		case l.Name == "END" && object == p.skip:
			if p.depth--; p.depth == 0 {
				p.skip = ""
			}
		case l.Name == "BEGIN" && kinds[object] != "", l.Name == "END" && object == "VCALENDAR":
			p.skip, p.depth = "", 0 // it was never ended
			return p.line(l)
		}
		return nil
	}
	switch l.Name {
	case "BEGIN":
		return p.begin(object, l.Number)
	case "END":
		return p.end(object)
	}
	switch {
	case p.clock != nil:
		p.clock.take(l)
	case p.zone != nil:
		switch l.Name {
		case "TZID":
			p.zone.id = strings.TrimSpace(l.Value)
		case "X-LIC-LOCATION":
			p.zone.olson = strings.TrimSpace(l.Value)
		}
	case p.event != nil:
		p.event.take(l, &p.zones)
	default:
		switch l.Name {
		case "X-WR-CALNAME", "NAME":
			p.name = entries.Clip(entries.OneLine(contentline.Text(l.Value)), 200)
		case "X-WR-TIMEZONE":
			if z := p.zones.named(strings.TrimSpace(contentline.Text(l.Value))); z.loc != nil {
				p.zones.usual = z
			}
		case "METHOD":
			p.cancel = strings.EqualFold(object, "CANCEL")
		}
	}
	return nil
}

// kinds are the objects that become documents, with what they are called.
var kinds = map[string]string{"VEVENT": "Event", "VTODO": "To do", "VJOURNAL": "Journal"}

func (p *parser) begin(object string, line int) error {
	switch object {
	case "VCALENDAR":
		err := p.finish()
		p.zone, p.clock = nil, nil
		p.name, p.cancel, p.zones.usual = "", false, zone{}
		return err
	case "VTIMEZONE":
		err := p.finish()
		p.zone, p.clock = &definition{}, nil
		return err
	case "STANDARD", "DAYLIGHT":
		if p.zone != nil {
			p.clock = &observance{}
			return nil
		}
	case "VEVENT", "VTODO", "VJOURNAL":
		err := p.finish()
		p.zone, p.clock = nil, nil
		p.event = &event{kind: kinds[object], line: line}
		return err
	}
	p.skip, p.depth = object, 1
	return nil
}

func (p *parser) end(object string) error {
	switch object {
	case "STANDARD", "DAYLIGHT":
		if p.zone != nil && p.clock != nil && len(p.zone.observances) < maxObservances {
			p.zone.observances = append(p.zone.observances, *p.clock)
		}
		p.clock = nil
	case "VTIMEZONE":
		if p.zone != nil {
			p.zones.define(p.zone)
		}
		p.zone, p.clock = nil, nil
	case "VEVENT", "VTODO", "VJOURNAL", "VCALENDAR":
		return p.finish()
	}
	return nil
}

// finish emits the event that is open.
func (p *parser) finish() error {
	if p.event == nil {
		return nil
	}
	e := p.event
	p.event = nil
	if e.cut {
		p.w.Note("the event in line %d is too long and was cut", e.line)
	}
	return p.w.Add(e.entry(p.name, p.cancel))
}
