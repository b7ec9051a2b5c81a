// Package talk holds what the readers of chats share: messages are gathered into a document for each day
// of a conversation in bounded memory, text and names are cleaned, lines are read whatever their charset,
// and what went wrong is put into a sentence. How a format writes messages is its reader's business.
//
// A time without a zone is taken as UTC, so that a chat has the same times on every machine; a day is the
// day that the export shows.
package talk

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Limits of one document; a longer day goes on in another.
const (
	maxMessages  = 20_000
	maxBytes     = 4 << 20
	maxMentioned = 200
	// far is how many messages above its answer a question may stand before the answer is put behind it.
	far = 8
	// maxDays bounds how many documents are told apart by a number.
	maxDays = 100_000
)

// A Message is one message of a conversation.
type Message struct {
	ID      string // the platform's, "" when it has none; the second of two with one id is left out
	ReplyTo string // the id of the message that it answers
	Author  doc.Person
	Time    time.Time // in the zone of the export, which decides the day
	Text    string
	Ref     string
	// Mentioned are those whom the text calls by name.
	Mentioned []doc.Person
}

// A Room is what is known about a conversation.
type Room struct {
	SourceID string
	// Key tells the room from others that go to the same source, "" where none do.
	Key     string
	Title   string
	Members []doc.Person
	Tags    []string
	Owner   string
}

// A Writer makes documents of a room's messages.
type Writer struct {
	ctx     context.Context // of the Read that it serves
	emit    doc.Emit
	room    Room
	day     string
	bytes   int
	msgs    []Message
	parts   map[string]int
	emitted int
}

// New returns a Writer for one room, which serves within one Read.
func New(ctx context.Context, emit doc.Emit, room Room) *Writer {
	return &Writer{ctx: ctx, emit: emit, room: room, parts: map[string]int{}}
}

// Emitted returns how many documents came of it.
func (w *Writer) Emitted() int { return w.emitted }

// Add takes the next message. Messages of a day may come in any order.
func (w *Writer) Add(m Message) error {
	if strings.TrimSpace(m.Text) == "" {
		return nil
	}
	if err := w.ctx.Err(); err != nil {
		return err
	}
	m.ID, m.ReplyTo, m.Ref = Name(m.ID), Name(m.ReplyTo), reference(m.Ref)
	day := m.Time.Format(time.DateOnly)
	if day != w.day || len(w.msgs) >= maxMessages || w.bytes+len(m.Text) > maxBytes {
		if err := w.Close(); err != nil {
			return err
		}
		w.day = day
	}
	w.bytes += len(m.Text)
	w.msgs = append(w.msgs, m)
	return nil
}

// Close emits what is left.
func (w *Writer) Close() error {
	if len(w.msgs) == 0 {
		return nil
	}
	msgs := arrange(w.msgs)
	// The first message is part of the key, so that two files with two parts of a day are both kept.
	key := w.day + "/" + mark(msgs[0])
	if w.room.Key != "" {
		key = w.room.Key + "/" + key
	}
	n := w.parts[key]
	if len(w.parts) < maxDays || n > 0 {
		w.parts[key]++
	}
	if n > 0 {
		key += "/" + strconv.Itoa(n+1)
	}
	d := &doc.Document{
		SourceID: w.room.SourceID, Kind: doc.KindChat, Owner: w.room.Owner, Tags: w.room.Tags,
		Key: key, Longest: true, Title: strings.TrimSpace(w.room.Title + " " + w.day), To: w.room.Members,
		Messages: make([]doc.Message, 0, len(msgs)),
	}
	for _, m := range msgs {
		d.Messages = append(d.Messages, doc.Message{Author: m.Author, Time: m.Time.UTC(), Text: m.Text, SourceRef: m.Ref})
		for _, who := range m.Mentioned {
			if len(d.Mentioned) < maxMentioned && !slices.Contains(d.Mentioned, who) {
				d.Mentioned = append(d.Mentioned, who)
			}
		}
	}
	d.Time = d.Messages[0].Time
	d.SourceRef = d.Messages[0].SourceRef
	w.msgs, w.bytes = w.msgs[:0], 0
	w.emitted++
	return w.emit(d)
}

// mark tells a message from others of its day.
func mark(m Message) string {
	if m.ID != "" {
		return m.ID
	}
	sum := sha256.Sum256([]byte(m.Time.Format(time.DateTime) + "\x00" + m.Author.String() + "\x00" + m.Text))
	return hex.EncodeToString(sum[:4])
}

// arrange puts messages in the order of time, each once, and an answer to something far above it behind
// that, as in a thread.
func arrange(in []Message) []Message {
	msgs := slices.Clone(in)
	slices.SortStableFunc(msgs, func(a, b Message) int {
		return cmp.Or(a.Time.Compare(b.Time), byNumber(a.ID, b.ID))
	})
	at := make(map[string]int, len(msgs))
	once := msgs[:0]
	for _, m := range msgs {
		if m.ID != "" {
			if _, ok := at[m.ID]; ok {
				continue
			}
			at[m.ID] = len(once)
		}
		once = append(once, m)
	}
	// behind lists for a message those that are put behind it.
	behind := map[int][]int{}
	moved := make([]int, len(once)) // where an answer went, plus one
	for i, m := range once {
		q, ok := at[m.ReplyTo]
		if m.ReplyTo == "" || !ok || q >= i {
			continue
		}
		if t := moved[q]; t > 0 {
			q = t - 1
		} else if i-q <= far {
			continue
		}
		behind[q] = append(behind[q], i)
		moved[i] = q + 1
	}
	if len(behind) == 0 {
		return once
	}
	out := make([]Message, 0, len(once))
	for i := range once {
		if moved[i] > 0 {
			continue
		}
		out = append(out, once[i])
		for _, a := range behind[i] {
			out = append(out, once[a])
		}
	}
	return out
}

// byNumber compares ids that are numbers and makes others equal, so that they keep their order.
func byNumber(a, b string) int {
	if !digits(a) || !digits(b) {
		return 0
	}
	return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
}

func digits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// Troubles collects what went wrong while an input was read, the first few in words.
type Troubles struct {
	said   []string
	more   int
	unseen bool
}

const maxTroubles = 5

// Unseen notes what could not be read, so that nobody knows what it held.
func (t *Troubles) Unseen(format string, args ...any) {
	t.unseen = true
	t.Note(format, args...)
}

// Note notes what was seen and not taken in.
func (t *Troubles) Note(format string, args ...any) {
	if len(t.said) < maxTroubles {
		t.said = append(t.said, fmt.Sprintf(format, args...))
	} else {
		t.more++
	}
}

// Ended notes that a stream of JSON ended with err after n of what it holds. One in which there is nothing
// at all is no trouble.
func (t *Troubles) Ended(err error, n int, what string) {
	if err == nil || errors.Is(err, io.EOF) && n == 0 {
		return
	}
	t.Unseen("it is damaged or cut off after %d %s", n, what)
}

// EndedAt notes that lines ended with err, which is no trouble at their end, after the one of that number.
func (t *Troubles) EndedAt(err error, line int) {
	if !errors.Is(err, io.EOF) {
		t.Unseen("line %d and what follows cannot be read", line+1)
	}
}

// Report says what became of an input of which emitted documents came.
func (t *Troubles) Report(emitted int) doc.Report {
	reason := strings.Join(t.said, "; ")
	if t.more > 0 {
		reason += fmt.Sprintf("; and %d more", t.more)
	}
	switch {
	case emitted == 0 && t.unseen:
		return doc.Report{Outcome: doc.Failed, Reason: "No message in it could be read: " + reason + "."}
	case emitted == 0:
		if reason != "" {
			reason = " (" + reason + ")"
		}
		return doc.Report{Outcome: doc.NoText, Reason: "There are no messages in it" + reason + "."}
	case reason != "":
		return doc.Report{Outcome: doc.Partial, Reason: "Some of it could not be read: " + reason + ".", Whole: !t.unseen}
	}
	return doc.Report{Outcome: doc.OK}
}

// NotOpened is the report for an input that does not open.
func NotOpened(err error) doc.Report {
	return doc.Report{Outcome: doc.Failed, Reason: fmt.Sprintf("It cannot be opened: %v.", err)}
}
