// Package slack reads the export that a Slack workspace gives: a zip file with a folder for each
// channel and a file for each day. Every channel becomes a source, every day of it a document. It
// opens no network connection and follows no link.
//
// Sources are named slack:#channel for channels public and private, and slack:party|party for direct
// messages, where a party is an address if the export knows it and @name if not. A document's
// messages stand in time order, each thread directly behind the message that began it, also when its
// replies were written on later days.
package slack

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Limits of what is read from one export.
type Limits struct {
	DirectoryBytes int64 // the list of the files in the archive
	Entries        int   // files in the archive
	ListBytes      int64 // users.json, channels.json and their like, each
	DayBytes       int64 // one day of one channel, unpacked
	TotalBytes     int64 // everything, unpacked
	HeldBytes      int   // replies that wait for the day of their thread
}

// DefaultLimits returns the limits of the product. Real exports stay far below them.
func DefaultLimits() Limits {
	return Limits{
		DirectoryBytes: 64 << 20,
		Entries:        500_000,
		ListBytes:      64 << 20,
		DayBytes:       24 << 20,
		TotalBytes:     32 << 30,
		HeldBytes:      16 << 20,
	}
}

// Reader reads export archives. It implements doc.Reader.
type Reader struct{ limits Limits }

var _ doc.Reader = Reader{}

// New returns a Reader with the product's limits.
func New() Reader { return WithLimits(DefaultLimits()) }

// WithLimits returns a Reader with the given limits.
func WithLimits(l Limits) Reader { return Reader{l} }

// Name returns the reader's name.
func (Reader) Name() string { return "slack" }

// Version returns the reader's version.
func (Reader) Version() int { return 1 }

// Detect looks into zip files: an export has lists of its users and channels, and days.
func (r Reader) Detect(in *doc.Input) int {
	if !bytes.HasPrefix(in.Head, []byte("PK\x03\x04")) {
		return 0
	}
	f, err := in.Open()
	if err != nil {
		return 0
	}
	defer f.Close()
	a, err := openArchive(f, in.Size, r.limits)
	if err != nil || !a.isExport() {
		return 0
	}
	return 95
}

// Read emits one document for each channel and day.
func (r Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	f, err := in.Open()
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: fmt.Sprintf("The archive cannot be opened: %v.", err)}, nil
	}
	defer f.Close()
	a, err := openArchive(f, in.Size, r.limits)
	if err != nil {
		return doc.Report{Outcome: doc.Failed, Reason: fmt.Sprintf("The archive cannot be read: %v.", err)}, nil
	}
	x := export{limits: r.limits, emit: emit}
	x.troubles.note(a.refused...)
	var damaged []string
	x.lists, damaged = readLists(func(name string) (io.ReadCloser, bool) {
		entry, ok := a.lists[name]
		if !ok {
			return nil, false
		}
		rc, err := a.open(entry, r.limits.ListBytes)
		if err != nil {
			x.troubles.add(name + " does not open")
		}
		return rc, err == nil
	})
	for _, name := range damaged {
		x.troubles.add(name + " is damaged")
	}
	rooms := x.byFolder()
	for _, folder := range slices.Sorted(maps.Keys(a.days)) {
		room, known := rooms[folder]
		c := x.lists.channel(folder, room, known)
		c.days = a.days[folder]
		if err := x.channel(ctx, a, c); err != nil {
			if errors.Is(err, errTotal) {
				x.troubles.add(fmt.Sprintf("the archive unpacks to more than %d MB, the rest was left out", r.limits.TotalBytes>>20))
				break
			}
			return doc.Report{}, err
		}
	}
	return x.report(), nil
}

// An export is the state of reading one input.
type export struct {
	lists
	limits   Limits
	emit     doc.Emit
	troubles troubles
	emitted  int
}

func (x *export) report() doc.Report {
	reason := x.troubles.String()
	switch {
	case x.emitted == 0 && reason != "":
		return doc.Report{Outcome: doc.Failed, Reason: "No message in it could be read: " + reason + "."}
	case x.emitted == 0:
		return doc.Report{Outcome: doc.NoText, Reason: "There are no messages in it."}
	case reason != "":
		return doc.Report{Outcome: doc.Partial, Reason: "Some of it could not be read: " + reason + ".", Whole: !x.troubles.unseen}
	}
	return doc.Report{Outcome: doc.OK}
}

// channel reads the days of c from the last to the first, so that replies are known when the day of
// the message they answer comes up.
func (x *export) channel(ctx context.Context, a *archive, c channel) error {
	held := newHeld(x.limits.HeldBytes)
	for _, d := range slices.Backward(c.days) {
		if err := ctx.Err(); err != nil {
			return err
		}
		msgs, err := x.readDay(d.name(), func() (io.ReadCloser, error) { return a.open(d.entry, x.limits.DayBytes) })
		if err != nil {
			return err
		}
		if err := x.emitMessages(c, d.date, d.date, held.settle(msgs)); err != nil {
			return err
		}
	}
	// What is left answers messages that the export does not hold.
	for _, t := range held.orphans() {
		date := t.msgs[0].at.Format(time.DateOnly)
		if t.msgs[0].at.IsZero() {
			continue // an edit of something that has no time
		}
		if err := x.emitMessages(c, "thread/"+t.root, date, t.msgs); err != nil {
			return err
		}
	}
	return nil
}

// readDay reads one day's file. Only running out of the whole archive's limit is an error; what else
// goes wrong becomes a trouble.
func (x *export) readDay(name string, open func() (io.ReadCloser, error)) ([]*post, error) {
	rc, err := open()
	if err != nil {
		x.troubles.add(name + " does not open")
		return nil, nil
	}
	defer rc.Close()
	msgs, undated, err := x.decodeDay(rc)
	switch {
	case errors.Is(err, errTotal):
		return nil, err
	case errors.Is(err, errTooLarge):
		x.troubles.add(fmt.Sprintf("%s is larger than %d MB unpacked, its end was left out", name, x.limits.DayBytes>>20))
	case err != nil:
		x.troubles.add(fmt.Sprintf("%s is damaged after %d messages", name, len(msgs)))
	}
	if undated > 0 {
		x.troubles.note(fmt.Sprintf("%s has %d messages without a time", name, undated))
	}
	return msgs, nil
}

// emitMessages emits one document of c; key tells it from the channel's others.
func (x *export) emitMessages(c channel, key, date string, msgs []*post) error {
	d := &doc.Document{
		SourceID: c.sourceID,
		Kind:     doc.KindChat,
		Key:      c.id + "/" + key,
		Longest:  true,
		Title:    c.title + " " + date,
		To:       c.members,
	}
	for _, p := range msgs {
		if p.text == "" {
			continue
		}
		d.Messages = append(d.Messages, doc.Message{Author: p.author, Time: p.at, Text: p.text, SourceRef: x.ref(c, p.ts)})
		for _, who := range p.mentioned {
			if len(d.Mentioned) < maxMentioned && !slices.Contains(d.Mentioned, who) {
				d.Mentioned = append(d.Mentioned, who)
			}
		}
	}
	if len(d.Messages) == 0 {
		return nil
	}
	d.Time = d.Messages[0].Time
	d.SourceRef = d.Messages[0].SourceRef
	x.emitted++
	return x.emit(d)
}

// ref returns a link that opens the message in Slack where the ids are known.
func (x *export) ref(c channel, ts string) string {
	if x.people.team != "" && c.known {
		return "slack://channel?team=" + x.people.team + "&id=" + c.id + "&message=" + ts
	}
	return "slack://" + c.id + "/" + ts
}

// troubles collects what went wrong, the first few in words.
type troubles struct {
	said   []string
	more   int
	unseen bool // messages that stood there once may stand there still
}

const maxTroubles = 5

// add notes what could not be read, so that nobody knows what it held.
func (t *troubles) add(ss ...string) {
	t.unseen = t.unseen || len(ss) > 0
	t.note(ss...)
}

// note notes what was seen and not taken in.
func (t *troubles) note(ss ...string) {
	for _, s := range ss {
		if len(t.said) < maxTroubles {
			t.said = append(t.said, s)
		} else {
			t.more++
		}
	}
}

func (t *troubles) String() string {
	s := strings.Join(t.said, "; ")
	if t.more > 0 {
		s += fmt.Sprintf("; and %d more", t.more)
	}
	return s
}

// held keeps, while a channel is read backwards, what belongs to earlier days.
type held struct {
	replies map[string][]*post // by the ts of the message that began the thread
	changes map[string]*post   // edits and deletions, by the ts of the message they change
	bytes   int
	max     int
	alone   bool // no other day will come, so replies stay in their own
}

func newHeld(limit int) *held {
	return &held{replies: map[string][]*post{}, changes: map[string]*post{}, max: limit}
}

// settle returns a day's messages in their order, with the edits, deletions and replies of later
// days, and keeps those for earlier days.
func (h *held) settle(msgs []*post) []*post {
	here := make(map[string]bool, len(msgs))
	for _, p := range msgs {
		switch {
		case p.changes != "":
			// The latest change counts.
			if old, ok := h.changes[p.changes]; (!ok || old.changedAt < p.changedAt) && h.room(p) {
				h.changes[p.changes] = p
			}
		case !p.system:
			here[p.ts] = true
		}
	}
	var top []*post
	replies := map[string][]*post{}
	seen := make(map[string]bool, len(msgs))
	place := func(p *post) {
		if seen[p.ts] {
			return
		}
		seen[p.ts] = true
		if c, ok := h.changes[p.ts]; ok {
			delete(h.changes, p.ts)
			if c.deleted {
				return
			}
			p.text, p.mentioned = c.text, c.mentioned
		}
		switch {
		case p.root == "" || p.root == p.ts:
			top = append(top, p)
		case here[p.root]:
			replies[p.root] = append(replies[p.root], p)
		case !h.alone && h.room(p):
			h.replies[p.root] = append(h.replies[p.root], p)
		default:
			top = append(top, p)
		}
	}
	for _, p := range msgs {
		if p.changes == "" && !p.system {
			place(p)
		}
	}
	slices.SortStableFunc(top, byTime)
	var out []*post
	for _, p := range top {
		out = append(out, p)
		thread := append(replies[p.ts], h.replies[p.ts]...)
		for _, r := range h.replies[p.ts] {
			h.bytes -= r.size()
		}
		slices.SortStableFunc(thread, byTime)
		out = append(out, thread...)
		delete(replies, p.ts)
		delete(h.replies, p.ts)
	}
	// A thread whose first message was deleted is a thread still.
	for root, thread := range replies {
		h.replies[root] = append(h.replies[root], thread...)
	}
	return out
}

// room reports whether p can be kept for an earlier day, and counts it.
func (h *held) room(p *post) bool {
	if h.bytes+p.size() > h.max {
		return false
	}
	h.bytes += p.size()
	return true
}

// A thread is replies whose first message the export does not have.
type thread struct {
	root string
	msgs []*post
}

func (h *held) orphans() []thread {
	var out []thread
	for root, msgs := range h.replies {
		slices.SortStableFunc(msgs, byTime)
		out = append(out, thread{root, msgs})
	}
	for ts, p := range h.changes {
		if !p.deleted && !p.system {
			out = append(out, thread{ts, []*post{p}}) // an edit is all that the export has of it
		}
	}
	slices.SortFunc(out, func(a, b thread) int { return cmp.Compare(a.root, b.root) })
	return out
}

func byTime(a, b *post) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.ts, b.ts)) }
