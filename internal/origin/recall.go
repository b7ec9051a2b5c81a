package origin

import (
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// A Chunk is what the store has of one.
type Chunk struct {
	Text      string
	Author    string // of a chat, everybody who wrote in it
	SourceRef string
	Time      time.Time
}

// Decode completes a document, of which only what the columns of the store tell is set, by what Encode
// has kept of it. Documents of which nothing fitting was kept, as by an earlier version, are put
// together from their chunks as well as may be, and exact is false.
func Decode(kept []byte, d *doc.Document, chunks []Chunk) (exact bool) {
	bare := *d
	if len(kept) > 0 {
		var r record
		if err := json.Unmarshal(kept, &r); err == nil && r.restore(d, chunks) == nil {
			return true
		}
	}
	*d = bare
	guess(d, chunks)
	return false
}

// guess puts a document together of which nothing was kept.
func guess(d *doc.Document, chunks []Chunk) {
	d.Markdown = d.Kind == doc.KindDocument
	if n := d.Author.Name; strings.Count(n, "@") == 1 && !strings.ContainsAny(n, " \t") && n[0] != '@' {
		d.Author = doc.Person{Email: n}
	}
	if d.Kind == doc.KindChat {
		for _, c := range chunks {
			d.Messages = append(d.Messages, said(c)...)
		}
		return
	}
	if d.Kind == doc.KindEmail && len(chunks) == 1 && chunks[0].Text == d.Title {
		return
	}
	texts := make([]string, len(chunks))
	for i, c := range chunks {
		texts[i] = c.Text
	}
	d.Body = strings.Join(texts, usualGap)
}

// said takes the text of a chat apart into the messages of those who are known to have written it.
func said(c Chunk) []doc.Message {
	names := strings.Split(c.Author, ", ")
	var out []doc.Message
	for line := range strings.SplitSeq(c.Text, "\n") {
		name, text, ok := strings.Cut(line, ": ")
		if ok = ok && slices.Contains(names, name); ok || len(out) == 0 {
			m := doc.Message{Time: c.Time, Text: line}
			if ok {
				m.Author, m.Text = doc.Person{Name: name}, text
			}
			if len(out) == 0 {
				m.SourceRef = c.SourceRef
			}
			out = append(out, m)
			continue
		}
		out[len(out)-1].Text += "\n" + line
	}
	return out
}
