package mail

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// A message is one mail, its header read and its body not yet.
type message struct {
	h    header
	body []byte
	cut  bool // the end is missing because it was longer than MaxMessage

	files []file   // attachments, once document has walked the mail
	filed []string // see labels
}

// An origin is where a mail was found.
type origin struct {
	rel, place   string // the file, and the place in it
	key          string // identity in the source; empty for a mail of a mailbox
	sender, date string // of the separator line
	modTime      time.Time
	in           folder // what the path says
	flags        flags  // what the file says of the mail outside it
}

func parse(data []byte, cut bool) *message {
	h, body := parseHeader(data)
	return &message{h: h, body: body, cut: cut}
}

// body joins the texts of a walked mail, the sender's words first trimmed of what is not theirs.
func (x *extractor) body(r role) (text string, isHTML bool) {
	var out []string
	for i := 0; i < len(x.segments); i++ {
		s := x.segments[i]
		t := strings.TrimSpace(s.text)
		switch s.kind {
		case technical:
			continue
		case own:
			// Footers of lists come as parts of their own: neighbours are trimmed together.
			parts := []string{strings.Trim(s.text, "\n")}
			isHTML = isHTML || s.html
			for i+1 < len(x.segments) && x.segments[i+1].kind == own {
				i++
				parts = append(parts, strings.Trim(x.segments[i].text, "\n"))
				isHTML = isHTML || x.segments[i].html
			}
			t = ownWords(strings.Join(parts, "\n\n"), r)
		}
		if strings.TrimSpace(t) != "" {
			out = append(out, t)
		}
	}
	if len(out) == 0 {
		for _, s := range x.segments {
			if s.kind == technical {
				out = append(out, strings.TrimSpace(s.text))
			}
		}
	}
	return strings.Join(out, "\n\n"), isHTML
}

// document turns the mail into a document, nil when there is nothing to read in it.
func (m *message) document(o origin) (*doc.Document, defect) {
	if len(m.h.fields) == 0 && len(bytes.TrimSpace(m.body)) == 0 {
		return nil, defect{}
	}
	var x extractor
	x.part(&m.h, m.body, 0, false)
	m.h.fallback, m.files = x.charset, x.files
	if m.cut && (x.textLast || len(x.segments) == 0) {
		x.fault("a mail is longer than 32 MiB and was read only up to there")
	}

	d := &doc.Document{Kind: doc.KindEmail, Title: m.h.text("subject"), Tags: m.tags(o)}
	d.Author, d.To = m.correspondents(o.sender)
	d.To = append(d.To, x.people[:min(len(x.people), maxPeople)]...)
	sent, hasDate := m.date("date")
	d.Time = m.time(o)

	d.Body, d.Markdown = x.body(m.h.role())
	content := contentKey(d.Title, d.Body)
	if names := attachmentLine(x.names); names != "" && (d.Body != "" || d.Title != "") {
		if d.Body == "" {
			d.Body = d.Title
		}
		d.Body += "\n\n" + names
	} else if d.Body == "" {
		d.Body = d.Title + names // what people write when the subject says it all
	}
	if d.Body == "" {
		return nil, x.defect
	}

	sender := strings.ToLower(d.Author.Email)
	if p := people(m.h.raw("from")); sender == "" && len(p) == 0 {
		sender = strings.ToLower(d.Author.Name)
	}
	id := m.id()
	switch {
	case id != "":
		key := id + " " + m.senderKey(sender)
		if hasDate {
			key += " " + strconv.FormatInt(sent.Unix(), 10)
		}
		// Some programs give one Message-ID to several mails: what is written is part of the identity.
		key += " " + content
		d.GlobalKey = "mid:" + key
		if len(key) > 400 {
			d.GlobalKey = "mid#" + hash(key)
		}
		d.SourceRef = "mid:" + id
	default:
		d.GlobalKey = "mail#" + hash(m.senderKey(sender), m.h.raw("date"), d.Title, d.Body)
		d.SourceRef = o.rel + o.place
	}
	d.Key = o.key
	if d.Key == "" {
		d.Key = o.rel + "#" + hash(d.GlobalKey)[:16]
	}
	if strings.HasPrefix(m.h.raw("from"), "<Saved by ") {
		d.Kind, d.Author, d.To, d.Tags = doc.KindDocument, doc.Person{}, nil, nil // a web page saved as MIME
	}
	return d, x.defect
}

// contentKey tells mails with one Message-ID apart by what they say. Copies of one mail agree in it: the
// marks of a list, "Re:", and everything but letters and digits make no difference.
func contentKey(subject, body string) string {
	for {
		s := strings.TrimSpace(subject)
		if strings.HasPrefix(s, "[") {
			if i := strings.IndexByte(s, ']'); i > 0 && i < len(s)-1 {
				s = s[i+1:]
			}
		}
		if i := strings.IndexByte(s, ':'); i > 0 && i <= 4 {
			switch strings.ToLower(strings.TrimSpace(s[:i])) {
			case "re", "aw", "sv", "fw", "fwd", "wg", "tr", "rv":
				s = s[i+1:]
			}
		}
		if s == subject {
			break
		}
		subject = s
	}
	h := sha256.New()
	buf := make([]byte, 0, 512)
	add := func(s string) {
		for _, r := range s {
			if r < utf8.RuneSelf {
				c := byte(r)
				if c >= 'A' && c <= 'Z' {
					c |= 0x20
				} else if (c < 'a' || c > 'z') && (c < '0' || c > '9') {
					continue
				}
				buf = append(buf, c)
			} else if unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) {
				buf = utf8.AppendRune(buf, unicode.ToLower(r))
			}
			if len(buf) > cap(buf)-utf8.UTFMax {
				h.Write(buf)
				buf = buf[:0]
			}
		}
		buf = append(buf, '\n')
	}
	add(subject)
	add(body)
	h.Write(buf)
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// senderKey is the sender for the identity of a mail: the address as the header has it, since the
// author's may have been left out on purpose.
func (m *message) senderKey(fallback string) string {
	if v := m.h.raw("from"); v != "" {
		for _, item := range splitAddresses(v) {
			if i := strings.LastIndexByte(item, '<'); i >= 0 {
				item, _, _ = strings.Cut(item[i+1:], ">")
			}
			if a := address(item); a != "" {
				return strings.ToLower(a)
			}
		}
	}
	return fallback
}

func hash(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		h.Write([]byte(p))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))[:32]
}

// id returns the Message-ID without its brackets.
func (m *message) id() string {
	v := m.h.raw("message-id")
	if i := strings.IndexByte(v, '<'); i >= 0 {
		v, _, _ = strings.Cut(v[i+1:], ">")
	}
	v = strings.Join(strings.Fields(strings.Trim(v, " <>\t")), "")
	if len(v) > 990 {
		return "" // longer than a line can be: not an identifier
	}
	return v
}

// correspondents returns who wrote the mail and whom it names.
func (m *message) correspondents(postmark string) (author doc.Person, others []doc.Person) {
	for _, name := range []string{"x-original-from", "from", "sender", "resent-from", "reply-to", "return-path"} {
		for _, v := range m.h.all(name) {
			list := people(v)
			if len(list) == 0 {
				continue
			}
			if author == (doc.Person{}) {
				author, list = list[0], list[1:]
			}
			if name == "from" {
				others = append(others, list...)
			}
		}
		if author != (doc.Person{}) {
			break
		}
	}
	if author == (doc.Person{}) && strings.ContainsRune(postmark, '@') {
		if p, ok := person(postmark); ok {
			author = p
		}
	}
	if author.Name != "" {
		author.Org = squeezeShort(m.h.text("organization"))
	}
	for _, name := range []string{"to", "cc", "bcc"} {
		for _, v := range m.h.all(name) {
			others = append(others, people(v)...)
		}
	}
	seen := map[doc.Person]bool{author: true}
	kept := others[:0]
	for _, p := range others {
		if !seen[p] && len(kept) < maxPeople {
			seen[p] = true
			kept = append(kept, p)
		}
	}
	return author, kept
}

func squeezeShort(s string) string {
	if len(s) > 200 {
		return ""
	}
	return s
}

// date returns the first readable field called name.
func (m *message) date(name string) (time.Time, bool) {
	for _, v := range m.h.all(name) {
		if t, ok := parseDate(v); ok {
			return t, true
		}
	}
	return time.Time{}, false
}

// tooLate is how much later than its arrival a mail may say that it was sent: clocks are wrong by zones.
const tooLate = 48 * time.Hour

// time returns when the mail was sent: as its header says, else when it first arrived somewhere, else
// as the mailbox or the file says. A date from before there were such mails, or from after it arrived,
// is that of a wrong clock.
func (m *message) time(o origin) time.Time {
	sent, ok := m.date("date")
	arrived, has := m.arrived(o)
	if ok && (!has || sent.Sub(arrived) <= tooLate && sent.Unix() > firstDay) {
		return sent
	}
	if has {
		return arrived
	}
	return o.modTime
}

// firstDay ends the first day that computers count from, which clocks that were never set show.
const firstDay = 24 * 60 * 60

// arrived returns when the mail was first seen on its way.
func (m *message) arrived(o origin) (time.Time, bool) {
	received := m.h.all("received")
	for i := len(received) - 1; i >= 0; i-- {
		v := received[i]
		if j := strings.LastIndexByte(v, ';'); j >= 0 {
			if t, ok := parseDate(v[j+1:]); ok && t.Unix() > firstDay {
				return t, true
			}
		}
	}
	for _, name := range []string{"resent-date", "delivery-date", "x-delivery-date", "x-date", "posted-date"} {
		if t, ok := m.date(name); ok {
			return t, true
		}
	}
	if t, ok := parseDate(o.date); ok {
		return t, true
	}
	return o.flags.received, !o.flags.received.IsZero()
}

// attachmentLine names the attachments that are not read, so that they can be found.
func attachmentLine(names []string) string {
	if len(names) == 0 {
		return ""
	}
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = "[attachment: " + n + "]"
	}
	return strings.Join(out, " ")
}
