package interchange

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// envelope is one line.
type envelope struct {
	SourceKind string          `json:"source_kind"`
	SourceID   string          `json:"source_id"`
	Owner      *string         `json:"owner"`
	Tags       []string        `json:"tags"`
	DocumentID string          `json:"document_id"`
	Payload    json.RawMessage `json:"payload"`
}

// more is what a document may say beside what its kind needs; export writes it.
type more struct {
	Author    *someone        `json:"author"`
	People    people          `json:"people"`
	Mentioned people          `json:"mentioned"`
	Aliases   []string        `json:"aliases"`
	Markdown  *bool           `json:"markdown"`
	Line      int             `json:"line"`
	Places    []place         `json:"places"`
	DatedAt   json.RawMessage `json:"dated_at"`
}

type place struct {
	At        int    `json:"at"`
	SourceRef string `json:"source_ref"`
}

type chatPayload struct {
	Platform     string `json:"platform"`
	ChannelLabel string `json:"channel_label"`
	SourceRef    string `json:"source_ref"`
	more
	Messages []struct {
		Author    someone         `json:"author"`
		Timestamp json.RawMessage `json:"timestamp"`
		Text      string          `json:"text"`
		SourceRef string          `json:"source_ref"`
	} `json:"messages"`
}

type emailPayload struct {
	Provider      string `json:"provider"`
	ThreadSubject string `json:"thread_subject"`
	more
	Messages []struct {
		From      people          `json:"from"`
		To        people          `json:"to"`
		Cc        people          `json:"cc"`
		Subject   string          `json:"subject"`
		SentAt    json.RawMessage `json:"sent_at"`
		Body      string          `json:"body"`
		SourceRef string          `json:"source_ref"`
	} `json:"messages"`
}

type documentPayload struct {
	Provider   string          `json:"provider"`
	Title      string          `json:"title"`
	Body       string          `json:"body"`
	ModifiedAt json.RawMessage `json:"modified_at"`
	SourceRef  string          `json:"source_ref"`
	more
}

// keyring makes the keys of one file's documents differ where nothing in them does: it holds, for
// each key of a source, the digests of the texts that have used it.
type keyring map[string][]string

// unique returns key, numbered when another text of the source has it already. The same text again
// is the same document.
func (k keyring) unique(source, key, digest string) string {
	id := source + "\x00" + key
	n := slices.Index(k[id], digest)
	if n < 0 {
		n = len(k[id])
		k[id] = append(k[id], digest)
	}
	if n > 0 {
		return fmt.Sprintf("%s~%d", key, n+1)
	}
	return key
}

// A parser turns lines into documents.
type parser struct {
	in   *doc.Input
	keys keyring
	// ids says that lines may say what their document is called in the store.
	ids bool
	// named leaves out documents that a document_id names.
	named bool
}

// parse turns one line into documents: a chat or a document into one, a thread of mails into one for
// each mail. Everything that would be lost or stand in the wrong place is an error: of a single
// message, and the others of the line are taken in, or of the whole line.
func (ps parser) parse(line []byte) ([]item, error) {
	var e envelope
	if err := decode(line, &e); err != nil {
		return nil, err
	}
	kind := doc.Kind(strings.ToLower(strings.TrimSpace(e.SourceKind)))
	if !kind.Valid() {
		return nil, fmt.Errorf("source_kind %q is not one of chat, email, document", e.SourceKind)
	}
	switch p := bytes.TrimSpace(e.Payload); {
	case len(p) == 0:
		return nil, errors.New("payload is missing")
	case p[0] != '{':
		return nil, errors.New("payload is not an object")
	}
	l := lineParser{payload: e.Payload, keys: ps.keys, proto: doc.Document{SourceID: clean(strings.TrimSpace(e.SourceID)), Kind: kind, Time: ps.in.ModTime}}
	if ps.ids && e.DocumentID != "" {
		if !identity.MatchString(e.DocumentID) {
			return nil, errors.New("document_id is not one that export has written: 32 hexadecimal digits")
		}
		if ps.named {
			return nil, nil
		}
		l.exported = true
		l.proto.Identity, l.proto.Key = e.DocumentID, e.DocumentID
	}
	if e.Owner != nil {
		l.proto.Owner = l.clean(*e.Owner)
	}
	for _, t := range e.Tags {
		if t = strings.TrimSpace(clean(t)); t != "" {
			l.proto.Tags = append(l.proto.Tags, t)
		}
	}
	switch kind {
	case doc.KindChat:
		return l.chat()
	case doc.KindEmail:
		return l.emails()
	}
	return l.document()
}

// identity is the form of a document_id.
var identity = regexp.MustCompile(`^[0-9a-f]{32}$`)

// lineParser parses the payload of a line. An exported one is taken word for word: what is in a store
// has been cleaned, its times are what they are, and its messages stand in their order.
type lineParser struct {
	payload  []byte
	keys     keyring
	proto    doc.Document
	exported bool
}

func (l lineParser) clean(s string) string {
	if l.exported {
		return s
	}
	return clean(s)
}

func (l lineParser) instant(raw json.RawMessage) (time.Time, error) {
	if !l.exported {
		return instant(raw)
	}
	if len(raw) == 0 {
		return time.Time{}, nil
	}
	ms, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil || ms < firstDay.UnixMilli() || ms > lastDay.UnixMilli() {
		return time.Time{}, fmt.Errorf("%.40q is not a number of milliseconds since 1970", raw)
	}
	return time.UnixMilli(ms).UTC(), nil
}

// describe puts into d what a payload says beside the rest.
func (l lineParser) describe(d *doc.Document, m *more) error {
	if m.Author != nil {
		d.Author = doc.Person(*m.Author)
	}
	d.To, d.Mentioned = append(d.To, m.People...), m.Mentioned
	for _, a := range m.Aliases {
		d.Aliases = append(d.Aliases, l.clean(a))
	}
	if m.Markdown != nil {
		d.Markdown = *m.Markdown
	}
	d.Line = max(m.Line, 0)
	for i, p := range m.Places {
		if p.At < 0 || p.At > len(d.Body) && !l.exported || i > 0 && p.At < m.Places[i-1].At {
			return fmt.Errorf("places[%d].at: %d is not in the body, or before the one above it", i, p.At)
		}
		d.Places = append(d.Places, doc.Place{Offset: p.At, Ref: l.clean(p.SourceRef)})
	}
	if len(m.DatedAt) > 0 {
		at, err := l.instant(m.DatedAt)
		if err != nil {
			return fmt.Errorf("dated_at: %w", err)
		}
		d.Time = at
	}
	return nil
}

func (l lineParser) chat() ([]item, error) {
	d := l.proto
	var p chatPayload
	if err := decode(l.payload, &p); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	d.Title = l.clean(p.ChannelLabel)
	d.SourceRef = l.clean(p.SourceRef)
	var lost losses
	for i, m := range p.Messages {
		if strings.TrimSpace(m.Text) == "" && !l.exported {
			continue
		}
		at, err := l.instant(m.Timestamp)
		if err != nil {
			lost.add("messages[%d].timestamp: %w", i, err)
			continue
		}
		d.Messages = append(d.Messages, doc.Message{Author: doc.Person(m.Author), Time: at, Text: l.clean(m.Text), SourceRef: l.clean(m.SourceRef)})
	}
	if len(d.Messages) == 0 {
		return nil, lost.err()
	}
	if !l.exported {
		slices.SortStableFunc(d.Messages, func(a, b doc.Message) int { return a.Time.Compare(b.Time) })
	}
	first := d.Messages[0]
	d.Time = first.Time
	if err := l.describe(&d, &p.more); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	if l.exported {
		return []item{{&d, false}}, lost.err()
	}
	d.Key = cmp.Or(d.SourceRef, first.SourceRef)
	named := d.Key != ""
	if !named {
		// A later line with the same beginning is a newer state of the same conversation, unless it
		// stands in the same file.
		var all []string
		for _, m := range d.Messages {
			all = append(all, m.Author.String(), m.Text)
		}
		d.Key = l.keys.unique(d.SourceID, fmt.Sprintf("%s@%d", d.Title, first.Time.UnixMilli()), digest(all...))
	}
	if d.SourceRef == "" {
		d.SourceRef = first.SourceRef
	}
	return []item{{&d, named}}, lost.err()
}

func (l lineParser) emails() ([]item, error) {
	var p emailPayload
	if err := decode(l.payload, &p); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	if l.exported && len(p.Messages) != 1 {
		return nil, errors.New("payload: a line with a document_id has one message")
	}
	items := make([]item, 0, len(p.Messages))
	var lost losses
	for i, m := range p.Messages {
		at, err := l.instant(m.SentAt)
		if err != nil {
			lost.add("messages[%d].sent_at: %w", i, err)
			continue
		}
		d := l.proto
		d.Title = l.clean(cmp.Or(m.Subject, p.ThreadSubject))
		d.Body, d.Time, d.SourceRef = l.clean(m.Body), at, l.clean(m.SourceRef)
		if strings.TrimSpace(d.Body) == "" && strings.TrimSpace(d.Title) == "" {
			continue
		}
		if err := l.describe(&d, &p.more); err != nil {
			lost.add("%w", err)
			continue
		}
		if len(m.From) > 0 {
			d.Author = m.From[0]
		}
		d.To = append(append(d.To, m.To...), m.Cc...)
		from := cmp.Or(d.Author.Email, d.Author.Name)
		if d.Key = cmp.Or(d.Identity, d.SourceRef); d.Key == "" {
			key := fmt.Sprintf("%s@%d/%s/%s", clean(p.ThreadSubject), at.UnixMilli(), from, digest(d.Title, d.Body))
			d.Key = l.keys.unique(d.SourceID, key, digest(d.Title, d.Body))
		}
		items = append(items, item{&d, !l.exported && d.SourceRef != ""})
	}
	return items, lost.err()
}

func (l lineParser) document() ([]item, error) {
	d := l.proto
	var p documentPayload
	if err := decode(l.payload, &p); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	at, err := l.instant(p.ModifiedAt)
	if err != nil && len(p.ModifiedAt) > 0 && string(p.ModifiedAt) != "null" {
		return nil, fmt.Errorf("modified_at: %w", err)
	}
	if err == nil && !at.IsZero() {
		d.Time = at
	}
	d.Title, d.Body, d.SourceRef = l.clean(p.Title), l.clean(p.Body), l.clean(p.SourceRef)
	d.Markdown = true
	if strings.TrimSpace(d.Body) == "" {
		return nil, nil
	}
	if err := l.describe(&d, &p.more); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	if d.Key = cmp.Or(d.Identity, d.SourceRef); d.Key == "" {
		d.Key = l.keys.unique(d.SourceID, fmt.Sprintf("%s/%s", d.Title, digest(d.Body)), digest(d.Title, d.Body))
	}
	return []item{{&d, !l.exported && d.SourceRef != ""}}, nil
}

// Bounds on a timestamp: what lies outside is no date of somebody's memory but a wrong unit.
var (
	earliest = time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	// What counts seconds as milliseconds falls into January 1970.
	wrongUnit = time.Date(1970, 2, 15, 0, 0, 0, 0, time.UTC)
	// What a store holds may be of any year that has four digits.
	firstDay = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)
	lastDay  = time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC)
)

// instant reads milliseconds since 1970, as a number or as one in a string.
func instant(raw json.RawMessage) (time.Time, error) {
	s := strings.Trim(string(raw), `" `)
	if s == "" || s == "null" {
		return time.Time{}, errors.New("missing")
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != f || f > 1e18 || f < -1e18 {
		return time.Time{}, fmt.Errorf("%.40q is not a number of milliseconds since 1970", s)
	}
	t := time.UnixMilli(int64(f)).UTC()
	switch {
	case t.After(earliest) && t.Before(wrongUnit):
		return time.Time{}, fmt.Errorf("%s is in early 1970; milliseconds are wanted, not seconds", s)
	case t.Before(earliest) || t.After(latest):
		return time.Time{}, fmt.Errorf("%s milliseconds are in the year %d", s, t.Year())
	}
	return t, nil
}

// clean makes line ends \n and drops what no text holds. encoding/json has made the UTF-8 valid.
func clean(s string) string {
	if strings.ContainsRune(s, '\r') {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	if strings.ContainsRune(s, 0) {
		s = strings.ReplaceAll(s, "\x00", "")
	}
	return s
}

func digest(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:", len(p))
		h.Write([]byte(p))
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// losses are the messages of a line that are left out.
type losses []error

func (l *losses) add(format string, args ...any) { *l = append(*l, fmt.Errorf(format, args...)) }

func (l losses) err() error {
	const named = 5
	if len(l) > named {
		l = append(l[:named:named], fmt.Errorf("and %d more messages", len(l)-named))
	}
	switch len(l) {
	case 0:
		return nil
	case 1:
		return l[0]
	}
	parts := make([]string, len(l))
	for i := range l {
		parts[i] = l[i].Error()
	}
	return errors.New(strings.Join(parts, ", "))
}
