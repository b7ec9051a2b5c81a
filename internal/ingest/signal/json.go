package signal

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
	"github.com/openhuman/openhuman-core/internal/jsonstream"
)

// records reads data.json of signal-export, which has an object on every line.
func (x *chat) records(f io.Reader) error {
	read := jsonstream.NewLines(f, maxMessage)
	for {
		line, err := read.Next()
		switch {
		case errors.Is(err, jsonstream.ErrTooLarge):
			x.bad++
			continue
		case err != nil:
			x.troubles.EndedAt(err, read.Number())
			return nil
		case x.ctx.Err() != nil:
			return x.ctx.Err()
		}
		if line = bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))); len(line) == 0 {
			continue
		}
		var m struct {
			Date        string `json:"date"`
			Sender      string `json:"sender"`
			Body        string `json:"body"`
			Deleted     bool   `json:"deleted"`
			Call        bool   `json:"call"`
			Attachments []struct {
				Name string `json:"name"`
			} `json:"attachments"`
		}
		if jsonstream.Soft(json.Unmarshal(line, &m)) != nil {
			x.bad++
			continue
		}
		if m.Deleted || m.Call {
			continue
		}
		at := talk.Stamp(m.Date)
		if at.IsZero() {
			x.bad++
			continue
		}
		text := m.Body
		for i, a := range m.Attachments {
			if document(a.Name) && i < 50 {
				text += "\n[file: " + talk.Name(a.Name) + "]"
			}
		}
		err = x.add(talk.Message{Author: author(m.Sender), Time: at, Text: text, Ref: x.rel + "#L" + strconv.Itoa(read.Number())})
		if err != nil {
			return err
		}
	}
}

// rows reads the messages as Signal keeps them, which sigtop writes out.
func (x *chat) rows(f io.Reader) error {
	dec := jsonstream.New(f, 4*maxMessage)
	var stop error
	err := dec.Array(func() error {
		if stop = x.ctx.Err(); stop != nil {
			return stop
		}
		var m struct {
			ID        string      `json:"id"`
			Type      string      `json:"type"`
			Body      string      `json:"body"`
			SentAt    json.Number `json:"sent_at"`
			Timestamp json.Number `json:"timestamp"`
			Source    string      `json:"source"`
			Erased    bool        `json:"isErased"`
			Deleted   bool        `json:"deletedForEveryone"`
			Files     []struct {
				Name string `json:"fileName"`
			} `json:"attachments"`
		}
		if err := dec.Value(&m); err != nil {
			if err = jsonstream.Passed(err); err == nil {
				x.bad++
			}
			return err
		}
		if m.Type != "incoming" && m.Type != "outgoing" || m.Erased || m.Deleted {
			return nil
		}
		ms, err := m.SentAt.Int64()
		if err != nil || ms == 0 {
			ms, _ = m.Timestamp.Int64()
		}
		at := time.UnixMilli(ms).UTC()
		if ms <= 0 || !talk.Sane(at) {
			x.bad++
			return nil
		}
		who := doc.Person{Name: talk.Name(m.Source)}
		switch {
		case m.Type == "outgoing":
			who = talk.Me()
		case who.Name == "" || strings.HasPrefix(who.Name, "+"):
			who = doc.Person{Name: x.name} // of a chat of two
		}
		text := m.Body
		for i, a := range m.Files {
			if document(a.Name) && i < 50 {
				text += "\n[file: " + talk.Name(a.Name) + "]"
			}
		}
		stop = x.add(talk.Message{ID: talk.Name(m.ID), Author: who, Time: at, Text: text, Ref: x.rel + "#" + talk.Name(m.ID)})
		return stop
	})
	switch {
	case stop != nil:
		return stop
	case errors.Is(err, io.EOF):
	case err != nil:
		x.troubles.Unseen("it is damaged or cut off")
	}
	return nil
}
