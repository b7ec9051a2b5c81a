package interchange

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/mail"
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
	Payload    json.RawMessage `json:"payload"`
}

type chatPayload struct {
	Platform     string `json:"platform"`
	ChannelLabel string `json:"channel_label"`
	SourceRef    string `json:"source_ref"`
	Messages     []struct {
		Author    string          `json:"author"`
		Timestamp json.RawMessage `json:"timestamp"`
		Text      string          `json:"text"`
		SourceRef string          `json:"source_ref"`
	} `json:"messages"`
}

type emailPayload struct {
	Provider      string `json:"provider"`
	ThreadSubject string `json:"thread_subject"`
	Messages      []struct {
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

// parse turns one line into documents: a chat or a document into one, a thread of mails into one for
// each mail. Everything that would be lost or stand in the wrong place is an error: of a single
// message, and the others of the line are taken in, or of the whole line.
func parse(line []byte, in *doc.Input, keys keyring) ([]item, error) {
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
	proto := doc.Document{SourceID: clean(strings.TrimSpace(e.SourceID)), Kind: kind, Time: in.ModTime}
	if e.Owner != nil {
		proto.Owner = clean(*e.Owner)
	}
	for _, t := range e.Tags {
		if t = strings.TrimSpace(clean(t)); t != "" {
			proto.Tags = append(proto.Tags, t)
		}
	}
	switch kind {
	case doc.KindChat:
		return chat(proto, e.Payload, keys)
	case doc.KindEmail:
		return emails(proto, e.Payload, keys)
	}
	return document(proto, e.Payload, keys)
}

func chat(d doc.Document, payload []byte, keys keyring) ([]item, error) {
	var p chatPayload
	if err := decode(payload, &p); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	d.Title = clean(p.ChannelLabel)
	d.SourceRef = clean(p.SourceRef)
	var lost losses
	for i, m := range p.Messages {
		if strings.TrimSpace(m.Text) == "" {
			continue
		}
		at, err := instant(m.Timestamp)
		if err != nil {
			lost.add("messages[%d].timestamp: %w", i, err)
			continue
		}
		d.Messages = append(d.Messages, doc.Message{Author: person(clean(m.Author)), Time: at, Text: clean(m.Text), SourceRef: clean(m.SourceRef)})
	}
	if len(d.Messages) == 0 {
		return nil, lost.err()
	}
	slices.SortStableFunc(d.Messages, func(a, b doc.Message) int { return a.Time.Compare(b.Time) })
	first := d.Messages[0]
	d.Time = first.Time
	d.Key = cmp.Or(d.SourceRef, first.SourceRef)
	named := d.Key != ""
	if !named {
		// A later line with the same beginning is a newer state of the same conversation, unless it
		// stands in the same file.
		var all []string
		for _, m := range d.Messages {
			all = append(all, m.Author.String(), m.Text)
		}
		d.Key = keys.unique(d.SourceID, fmt.Sprintf("%s@%d", d.Title, first.Time.UnixMilli()), digest(all...))
	}
	if d.SourceRef == "" {
		d.SourceRef = first.SourceRef
	}
	return []item{{&d, named}}, lost.err()
}

func emails(proto doc.Document, payload []byte, keys keyring) ([]item, error) {
	var p emailPayload
	if err := decode(payload, &p); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	items := make([]item, 0, len(p.Messages))
	var lost losses
	for i, m := range p.Messages {
		at, err := instant(m.SentAt)
		if err != nil {
			lost.add("messages[%d].sent_at: %w", i, err)
			continue
		}
		d := proto
		d.Title = clean(cmp.Or(m.Subject, p.ThreadSubject))
		d.Body, d.Time, d.SourceRef = clean(m.Body), at, clean(m.SourceRef)
		if strings.TrimSpace(d.Body) == "" && strings.TrimSpace(d.Title) == "" {
			continue
		}
		if len(m.From) > 0 {
			d.Author = m.From[0]
		}
		d.To = append(append(d.To, m.To...), m.Cc...)
		from := cmp.Or(d.Author.Email, d.Author.Name)
		if d.Key = d.SourceRef; d.Key == "" {
			key := fmt.Sprintf("%s@%d/%s/%s", clean(p.ThreadSubject), at.UnixMilli(), from, digest(d.Title, d.Body))
			d.Key = keys.unique(d.SourceID, key, digest(d.Title, d.Body))
		}
		items = append(items, item{&d, d.SourceRef != ""})
	}
	return items, lost.err()
}

func document(d doc.Document, payload []byte, keys keyring) ([]item, error) {
	var p documentPayload
	if err := decode(payload, &p); err != nil {
		return nil, fmt.Errorf("payload: %w", err)
	}
	at, err := instant(p.ModifiedAt)
	if err != nil && len(p.ModifiedAt) > 0 && string(p.ModifiedAt) != "null" {
		return nil, fmt.Errorf("modified_at: %w", err)
	}
	if err == nil {
		d.Time = at
	}
	d.Title, d.Body, d.SourceRef = clean(p.Title), clean(p.Body), clean(p.SourceRef)
	d.Markdown = true
	if strings.TrimSpace(d.Body) == "" {
		return nil, nil
	}
	if d.Key = d.SourceRef; d.Key == "" {
		d.Key = keys.unique(d.SourceID, fmt.Sprintf("%s/%s", d.Title, digest(d.Body)), digest(d.Title, d.Body))
	}
	return []item{{&d, d.SourceRef != ""}}, nil
}

// Bounds on a timestamp: what lies outside is no date of somebody's memory but a wrong unit.
var (
	earliest = time.Date(1970, 1, 2, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)
	// What counts seconds as milliseconds falls into January 1970.
	wrongUnit = time.Date(1970, 2, 15, 0, 0, 0, 0, time.UTC)
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

// people reads one address, a list of them in one string, or an array.
type people []doc.Person

func (p *people) UnmarshalJSON(b []byte) error {
	var list []string
	if b[0] == '[' {
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
	} else {
		var one *string
		if err := json.Unmarshal(b, &one); err != nil {
			return err
		}
		if one != nil {
			list = []string{*one}
		}
	}
	for _, s := range list {
		*p = append(*p, persons(clean(s))...)
	}
	return nil
}

// persons reads an address list, and takes what is none as a name.
func persons(s string) []doc.Person {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	if as, err := mail.ParseAddressList(s); err == nil {
		out := make([]doc.Person, len(as))
		for i, a := range as {
			out[i] = doc.Person{Name: a.Name, Email: a.Address}
		}
		return out
	}
	return []doc.Person{person(s)}
}

// person reads "Name <address>", a bare address, or a name.
func person(s string) doc.Person {
	s = strings.TrimSpace(s)
	if i := strings.LastIndexByte(s, '<'); i >= 0 && strings.HasSuffix(s, ">") && strings.Contains(s[i:], "@") {
		return doc.Person{Name: strings.Trim(s[:i], ` "`), Email: strings.TrimSpace(s[i+1 : len(s)-1])}
	}
	if !strings.ContainsAny(s, " \t") && strings.Count(s, "@") == 1 && s[0] != '@' && s[len(s)-1] != '@' {
		return doc.Person{Email: s}
	}
	if h, ok := strings.CutPrefix(s, "@"); ok && !strings.ContainsAny(h, " \t") {
		return doc.Person{Handle: h}
	}
	return doc.Person{Name: s}
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
