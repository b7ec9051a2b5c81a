package talk

import (
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Me returns the author of what the person whose memory it is wrote, where an export names nobody.
func Me() doc.Person { return doc.Person{Name: "Me"} }

// Thread emits a conversation that is one document, such as one with an assistant. d holds everything but
// its time and its place, which are those of its first message; what is larger than one document may be
// goes on in others. It returns how many came of it.
func Thread(emit doc.Emit, d doc.Document) (int, error) {
	var kept []doc.Message
	last := d.Time
	for _, m := range d.Messages {
		if strings.TrimSpace(m.Text) == "" {
			continue
		}
		// A message without a time was written with the one before it.
		if m.Time.IsZero() || !Sane(m.Time) {
			m.Time = last
		}
		last = m.Time
		m.Time = m.Time.UTC()
		kept = append(kept, m)
	}
	key, parts := d.Key, 0
	for len(kept) > 0 {
		n, size := 0, 0
		for n < len(kept) && n < maxMessages && (n == 0 || size+len(kept[n].Text) <= maxBytes) {
			size += len(kept[n].Text)
			n++
		}
		part := d
		part.Kind, part.Longest, part.Messages = doc.KindChat, true, kept[:n:n]
		part.Time = firstTime(part.Messages, d.Time)
		if part.SourceRef == "" || parts > 0 {
			part.SourceRef = part.Messages[0].SourceRef
		}
		if parts++; parts > 1 {
			part.Key = key + "/" + strconv.Itoa(parts)
		}
		if err := emit(&part); err != nil {
			return parts, err
		}
		kept = kept[n:]
	}
	return parts, nil
}

func firstTime(msgs []doc.Message, otherwise time.Time) time.Time {
	for _, m := range msgs {
		if !m.Time.IsZero() {
			return m.Time
		}
	}
	return otherwise.UTC()
}

// Seconds returns the time of a number of seconds since 1970, the zero time when it cannot be one.
func Seconds(s float64) time.Time {
	if !(s > 0 && s < 4.2e9) {
		return time.Time{}
	}
	whole := int64(s)
	return time.Unix(whole, int64((s-float64(whole))*1e6)*1000).UTC()
}

// Stamp reads a time such as 2024-05-01T12:00:00.123Z, the zero time when it is none. Without a zone it is
// taken as UTC.
func Stamp(s string) time.Time {
	s = strings.TrimSpace(s)
	if len(s) > 60 {
		return time.Time{}
	}
	for _, layout := range []string{
		time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02 15:04:05.999999999",
		"2006-01-02 15:04", "2006-01-02",
	} {
		if t, err := time.Parse(layout, s); err == nil && Sane(t) {
			return t
		}
	}
	return time.Time{}
}
