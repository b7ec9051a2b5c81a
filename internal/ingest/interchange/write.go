package interchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// The lines as they are written: members in a fixed order, and none that says nothing.
type outLine struct {
	SourceKind doc.Kind `json:"source_kind"`
	SourceID   string   `json:"source_id"`
	Owner      string   `json:"owner,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	DocumentID string   `json:"document_id,omitempty"`
	Payload    any      `json:"payload"`
}

type outMore struct {
	Author    any        `json:"author,omitempty"`
	People    []any      `json:"people,omitempty"`
	Mentioned []any      `json:"mentioned,omitempty"`
	Aliases   []string   `json:"aliases,omitempty"`
	Markdown  *bool      `json:"markdown,omitempty"`
	Line      int        `json:"line,omitempty"`
	Places    []outPlace `json:"places,omitempty"`
	DatedAt   *int64     `json:"dated_at,omitempty"`
}

type outPlace struct {
	At        int    `json:"at"`
	SourceRef string `json:"source_ref"`
}

type outChat struct {
	Platform     string `json:"platform"`
	ChannelLabel string `json:"channel_label"`
	SourceRef    string `json:"source_ref,omitempty"`
	outMore
	Messages []outMessage `json:"messages"`
}

type outMessage struct {
	Author    any    `json:"author"`
	Timestamp *int64 `json:"timestamp,omitempty"`
	Text      string `json:"text"`
	SourceRef string `json:"source_ref,omitempty"`
}

type outEmails struct {
	Provider      string `json:"provider"`
	ThreadSubject string `json:"thread_subject"`
	outMore
	Messages []outEmail `json:"messages"`
}

type outEmail struct {
	From      any    `json:"from"`
	To        []any  `json:"to"`
	Subject   string `json:"subject"`
	SentAt    int64  `json:"sent_at"`
	Body      string `json:"body"`
	SourceRef string `json:"source_ref,omitempty"`
}

type outDocument struct {
	Provider string `json:"provider"`
	Title    string `json:"title"`
	outMore
	Body       string `json:"body"`
	ModifiedAt int64  `json:"modified_at"`
	SourceRef  string `json:"source_ref,omitempty"`
}

// Line returns the line of a document, with its end. A document with an Identity is read again as it is;
// of another a reader may have to make sense first.
func Line(d *doc.Document) ([]byte, error) {
	platform, _, _ := strings.Cut(d.SourceID, ":")
	out := outLine{SourceKind: d.Kind, SourceID: d.SourceID, Owner: d.Owner, Tags: d.Tags, DocumentID: d.Identity}
	m := outMore{Mentioned: persona(d.Mentioned, listed), Aliases: d.Aliases, Line: d.Line}
	if usual := d.Kind == doc.KindDocument; d.Markdown != usual {
		m.Markdown = &d.Markdown
	}
	for _, p := range d.Places {
		m.Places = append(m.Places, outPlace{p.Offset, p.Ref})
	}
	if d.Kind != doc.KindEmail {
		m.People = persona(d.To, listed)
		if d.Author != (doc.Person{}) {
			m.Author = named(d.Author, single)
		}
	}
	at := d.Time.UnixMilli()
	switch d.Kind {
	case doc.KindChat:
		c := outChat{Platform: platform, ChannelLabel: d.Title, SourceRef: d.SourceRef, outMore: m, Messages: make([]outMessage, len(d.Messages))}
		for i := range d.Messages {
			msg := &d.Messages[i]
			c.Messages[i] = outMessage{Author: named(msg.Author, single), Text: msg.Text, SourceRef: msg.SourceRef}
			if !msg.Time.IsZero() {
				ms := msg.Time.UnixMilli()
				c.Messages[i].Timestamp = &ms
			}
		}
		if len(d.Messages) == 0 || !d.Messages[0].Time.Equal(d.Time) {
			c.DatedAt = &at
		}
		out.Payload = &c
	case doc.KindEmail:
		mail := outEmail{From: named(d.Author, listed), To: persona(d.To, listed), Subject: d.Title, SentAt: at, Body: d.Body, SourceRef: d.SourceRef}
		if mail.To == nil {
			mail.To = []any{}
		}
		out.Payload = &outEmails{Provider: platform, ThreadSubject: d.Title, outMore: m, Messages: []outEmail{mail}}
	default:
		out.Payload = &outDocument{Provider: platform, Title: d.Title, outMore: m, Body: d.Body, ModifiedAt: at, SourceRef: d.SourceRef}
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&out); err != nil {
		return nil, fmt.Errorf("write a line: %w", err)
	}
	return b.Bytes(), nil
}

func persona(in []doc.Person, read func(string) []doc.Person) []any {
	var out []any
	for _, p := range in {
		out = append(out, named(p, read))
	}
	return out
}
