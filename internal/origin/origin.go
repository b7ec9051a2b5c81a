// Package origin keeps what a document was before it was cut into chunks, as far as no other column of
// the store tells: who wrote which message and when, who else is named, what stood between two chunks.
// With the chunks it gives the document back that a reader once handed over. It holds neither the
// format of export nor anything about storage.
package origin

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/chunk"
	"github.com/openhuman/openhuman-core/internal/doc"
)

// record is what is kept, short of everything that is mostly empty. Names are short since every document
// has one.
type record struct {
	Author    *person   `json:"a,omitempty"` // where it is not just a name
	To        []person  `json:"t,omitempty"`
	Mentioned []person  `json:"m,omitempty"`
	Aliases   []string  `json:"n,omitempty"`
	Markdown  bool      `json:"d,omitempty"`
	Line      int       `json:"l,omitempty"`
	Places    []place   `json:"p,omitempty"`
	Title     *string   `json:"h,omitempty"` // where it is not the stored one
	Empty     bool      `json:"e,omitempty"` // there is no body: the chunks are the title
	Gaps      []string  `json:"g,omitempty"` // between the chunks, where one is not usualGap
	Tail      string    `json:"x,omitempty"` // behind the last
	Speakers  []speaker `json:"s,omitempty"`
	Talk      *talk     `json:"c,omitempty"`
	// Whole is the text where it could not be found in the chunks.
	Whole *whole `json:"w,omitempty"`
}

// usualGap stands between two chunks most often.
const usualGap = "\n\n"

type person struct {
	Name   string `json:"n,omitempty"`
	Email  string `json:"e,omitempty"`
	Handle string `json:"h,omitempty"`
	Phone  string `json:"p,omitempty"`
	Org    string `json:"o,omitempty"`
}

type place struct {
	Offset int    `json:"o"`
	Ref    string `json:"r"`
}

// A speaker is somebody who wrote messages; Prefix is how many bytes stand before each of them.
type speaker struct {
	person
	Prefix int `json:"x"`
}

// talk is the messages of a chat, by columns.
type talk struct {
	Who []int `json:"w"`
	// Times are milliseconds after the message before, of the first after the document's time; zero times
	// are noTime.
	Times []int64 `json:"t"`
	// Lengths are bytes of text; of a message that fills chunks of its own, the number of those, negative.
	Lengths []int            `json:"n"`
	Refs    []string         `json:"r,omitempty"`
	Gaps    map[int][]string `json:"g,omitempty"` // before, between and behind those chunks, by message
}

const noTime = -1 << 62

type whole struct {
	Body     string   `json:"b,omitempty"`
	Messages []string `json:"m,omitempty"`
}

// Encode returns what has to be kept of a document of which these are the chunks.
func Encode(d *doc.Document, chunks []string) ([]byte, error) {
	r := record{To: people(d.To), Mentioned: people(d.Mentioned), Aliases: d.Aliases, Markdown: d.Markdown}
	if d.Author != (doc.Person{Name: d.Author.String()}) {
		p := person(d.Author)
		r.Author = &p
	}
	if t := strings.TrimSpace(d.Title); t != d.Title {
		r.Title = &d.Title
	}
	ok := false
	if d.Kind == doc.KindChat {
		ok = r.talk(d, chunks)
	} else {
		ok = r.body(d, chunks)
	}
	if !ok {
		r.Gaps, r.Tail, r.Whole = nil, "", &whole{Body: d.Body}
		r.places(d, 0)
		if r.Talk != nil {
			r.Talk.Lengths, r.Talk.Gaps = nil, nil
			for i := range d.Messages {
				r.Whole.Messages = append(r.Whole.Messages, d.Messages[i].Text)
			}
		}
	}
	b, err := json.Marshal(&r)
	if err != nil {
		return nil, fmt.Errorf("keep what a document was: %w", err)
	}
	return b, nil
}

// places keeps the places and the first line of a body that begins at start.
func (r *record) places(d *doc.Document, start int) {
	r.Line = max(d.Line, 1) + strings.Count(d.Body[:start], "\n")
	if r.Line == 1 {
		r.Line = 0
	}
	r.Places = nil
	for _, p := range d.Places {
		r.Places = append(r.Places, place{max(p.Offset-start, 0), p.Ref})
	}
}

// body keeps what no chunk of a body holds, and reports whether that is all of it.
func (r *record) body(d *doc.Document, chunks []string) bool {
	r.places(d, 0)
	if strings.Trim(d.Body, blanks) == "" {
		r.Empty = len(chunks) > 0
		return true
	}
	gaps, ok := between(d.Body, chunks)
	if !ok || len(chunks) == 0 {
		return false
	}
	r.places(d, len(gaps[0]))
	last := len(gaps) - 1
	// What follows on later lines is blank.
	r.Tail, _, _ = strings.Cut(gaps[last], "\n")
	if gaps = gaps[1:last]; slices.ContainsFunc(gaps, func(g string) bool { return g != usualGap }) {
		r.Gaps = gaps
	}
	return true
}

const blanks = " \t\r\n"

// between returns what stands in a text before, between and behind its pieces. Nothing but blanks does.
func between(text string, pieces []string) (gaps []string, ok bool) {
	for _, p := range pieces {
		i := strings.Index(text, p)
		if i < 0 || strings.Trim(text[:i], blanks) != "" {
			return nil, false
		}
		gaps = append(gaps, text[:i])
		text = text[i+len(p):]
	}
	return append(gaps, text), strings.Trim(text, blanks) == ""
}

// talk keeps who said what part of the chunks, and reports whether all of the messages are in them.
func (r *record) talk(d *doc.Document, chunks []string) bool {
	t := &talk{}
	r.Talk = t
	before := d.Time.UnixMilli()
	known := map[doc.Person]int{}
	refs := false
	for i := range d.Messages {
		m := &d.Messages[i]
		who, ok := known[m.Author]
		if !ok {
			who = len(r.Speakers)
			known[m.Author] = who
			r.Speakers = append(r.Speakers, speaker{person(m.Author), len(chunk.Prefix(m.Author))})
		}
		t.Who = append(t.Who, who)
		if m.Time.IsZero() {
			t.Times = append(t.Times, noTime)
		} else {
			t.Times = append(t.Times, m.Time.UnixMilli()-before)
			before = m.Time.UnixMilli()
		}
		t.Refs = append(t.Refs, m.SourceRef)
		refs = refs || m.SourceRef != ""
	}
	if !refs {
		t.Refs = nil
	}
	at, pos := 0, 0
	for i := range d.Messages {
		m := &d.Messages[i]
		text := strings.Trim(m.Text, "\n")
		if strings.TrimSpace(text) == "" {
			t.Lengths = append(t.Lengths, 0)
			continue
		}
		if at >= len(chunks) {
			return false
		}
		prefix := chunk.Prefix(m.Author)
		rest, ok := strings.CutPrefix(chunks[at][pos:], prefix)
		if !ok {
			return false
		}
		if after, ok := strings.CutPrefix(rest, text); ok && (after == "" || after[0] == '\n') {
			t.Lengths = append(t.Lengths, len(text))
			if pos = len(chunks[at]) - len(after) + 1; after == "" {
				at, pos = at+1, 0
			}
			continue
		}
		if pos > 0 {
			return false
		}
		var pieces []string
		for left := text; at < len(chunks) && strings.Trim(left, blanks) != ""; at++ {
			piece, ok := strings.CutPrefix(chunks[at], prefix)
			_, after, found := strings.Cut(left, piece)
			if !ok || !found {
				return false
			}
			pieces, left = append(pieces, piece), after
		}
		gaps, ok := between(text, pieces)
		if !ok {
			return false
		}
		t.Lengths = append(t.Lengths, -len(pieces))
		if t.Gaps == nil {
			t.Gaps = map[int][]string{}
		}
		t.Gaps[i] = gaps
	}
	return at == len(chunks)
}

func people(in []doc.Person) []person {
	var out []person
	for _, p := range in {
		if p != (doc.Person{}) { // nobody
			out = append(out, person(p))
		}
	}
	return out
}

func persons(in []person) []doc.Person {
	if len(in) == 0 {
		return nil
	}
	out := make([]doc.Person, len(in))
	for i, p := range in {
		out[i] = doc.Person(p)
	}
	return out
}

// errForeign is that what was kept does not belong to the chunks.
var errForeign = errors.New("it does not fit its chunks")

// restore completes d by what was kept. d has what the store tells: title, author's name, time.
func (r *record) restore(d *doc.Document, chunks []Chunk) error {
	if r.Author != nil {
		d.Author = doc.Person(*r.Author)
	}
	if r.Title != nil {
		d.Title = *r.Title
	}
	d.To, d.Mentioned, d.Aliases, d.Markdown, d.Line = persons(r.To), persons(r.Mentioned), r.Aliases, r.Markdown, r.Line
	for _, p := range r.Places {
		d.Places = append(d.Places, doc.Place{Offset: p.Offset, Ref: p.Ref})
	}
	switch {
	case r.Talk != nil:
		return r.messages(d, chunks)
	case r.Empty:
		return nil
	case r.Whole != nil:
		d.Body = r.Whole.Body
		return nil
	case r.Gaps != nil && len(r.Gaps) != len(chunks)-1:
		return errForeign
	}
	var b strings.Builder
	for i := range chunks {
		switch {
		case i == 0:
		case r.Gaps == nil:
			b.WriteString(usualGap)
		default:
			b.WriteString(r.Gaps[i-1])
		}
		b.WriteString(chunks[i].Text)
	}
	b.WriteString(r.Tail)
	d.Body = b.String()
	return nil
}

func (r *record) messages(d *doc.Document, chunks []Chunk) error {
	t := r.Talk
	n := len(t.Who)
	if len(t.Times) != n || t.Refs != nil && len(t.Refs) != n ||
		r.Whole == nil && len(t.Lengths) != n || r.Whole != nil && len(r.Whole.Messages) != n {
		return errForeign
	}
	before := d.Time.UnixMilli()
	at, pos := 0, 0
	for i := range n {
		if t.Who[i] < 0 || t.Who[i] >= len(r.Speakers) {
			return errForeign
		}
		who := r.Speakers[t.Who[i]]
		m := doc.Message{Author: doc.Person(who.person)}
		if t.Times[i] != noTime {
			before += t.Times[i]
			m.Time = time.UnixMilli(before).UTC()
		}
		if t.Refs != nil {
			m.SourceRef = t.Refs[i]
		}
		switch {
		case r.Whole != nil:
			m.Text = r.Whole.Messages[i]
		case t.Lengths[i] > 0:
			begin := pos + who.Prefix
			end := begin + t.Lengths[i]
			if at >= len(chunks) || end > len(chunks[at].Text) {
				return errForeign
			}
			m.Text = chunks[at].Text[begin:end]
			if pos = end + 1; end == len(chunks[at].Text) {
				at, pos = at+1, 0
			}
		case t.Lengths[i] < 0:
			gaps := t.Gaps[i]
			pieces := -t.Lengths[i]
			if len(gaps) != pieces+1 || at+pieces > len(chunks) {
				return errForeign
			}
			for k := range pieces {
				piece := chunks[at].Text
				if who.Prefix > len(piece) {
					return errForeign
				}
				m.Text += gaps[k] + piece[who.Prefix:]
				at++
			}
			m.Text += gaps[pieces]
		}
		d.Messages = append(d.Messages, m)
	}
	return nil
}
