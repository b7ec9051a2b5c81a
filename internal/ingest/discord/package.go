package discord

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
	"github.com/openhuman/openhuman-core/internal/jsonstream"
)

// Package reads messages.json and messages.csv of a channel's folder in a package of one's own data. What
// the channel is called stands in index.json above the folder. It implements doc.Reader.
type Package struct{}

var _ doc.Reader = Package{}

// NewPackage returns a Package.
func NewPackage() Package { return Package{} }

// Name implements doc.Reader.
func (Package) Name() string { return "discord-package" }

// Version implements doc.Reader.
func (Package) Version() int { return 1 }

const (
	maxIndex = 16 << 20
	csvHead  = "ID,Timestamp,Contents,Attachments"
)

// Detect implements doc.Reader: the messages by their columns; the files around them, which name things
// and are no text, by their place and members.
func (Package) Detect(in *doc.Input) int {
	base := strings.ToLower(path.Base(in.Rel))
	switch {
	case bytes.HasPrefix(bytes.TrimPrefix(in.Head, []byte("\xef\xbb\xbf")), []byte(csvHead)):
		return 95
	case strings.HasSuffix(base, ".json"):
		shape := jsonstream.Shape(in.Head)
		switch {
		case shape["[].ID"] && shape["[].Timestamp"] && shape["[].Contents"]:
			return 95
		case base == "channel.json" && shape[".id"] && shape[".type"] && inChannel(in.Rel):
			return 90
		case base == "messages.json" && inChannel(in.Rel) && string(bytes.TrimSpace(in.Head)) == "[]":
			return 80 // a channel in which nothing was said
		case base == "index.json" && strings.EqualFold(path.Base(path.Dir(in.Rel)), "messages") && isIndex(shape):
			return 90
		}
	}
	return 0
}

// inChannel reports whether a file stands in the folder of a channel: c and a number.
func inChannel(rel string) bool {
	n := strings.TrimPrefix(path.Base(path.Dir(rel)), "c")
	return len(n) >= 15 && strings.Trim(n, "0123456789") == ""
}

// isIndex reports whether all members of an object are numbers of channels.
func isIndex(shape map[string]bool) bool {
	for k := range shape {
		if n := strings.TrimPrefix(k, "."); len(n) < 15 || strings.Trim(n, "0123456789") != "" {
			return false
		}
	}
	return len(shape) > 0
}

// Read implements doc.Reader.
func (Package) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	base := strings.ToLower(path.Base(in.Rel))
	if base == "channel.json" || base == "index.json" {
		return doc.Report{Outcome: doc.Skipped, Reason: "A list of a Discord package; it gives names to the messages beside it and is no text itself."}, nil
	}
	f, err := in.Open()
	if err != nil {
		return talk.NotOpened(err), nil
	}
	defer f.Close()
	p := own{ctx: ctx, w: talk.New(ctx, emit, ownRoom(in)), id: channelID(in.Rel)}
	if head := bytes.TrimLeft(bytes.TrimPrefix(in.Head, []byte("\xef\xbb\xbf")), " \t\r\n"); len(head) > 0 && head[0] == '[' {
		err = p.json(f)
	} else {
		err = p.csv(f)
	}
	if p.stop == nil {
		p.stop = p.w.Close()
	}
	if p.stop != nil {
		return doc.Report{}, p.stop
	}
	p.troubles.Ended(err, p.w.Emitted(), "days")
	if p.bad > 0 {
		p.troubles.Note("%d messages are damaged or without a time", p.bad)
	}
	return p.troubles.Report(p.w.Emitted()), nil
}

// own is the state of reading one's own messages of a channel.
type own struct {
	ctx      context.Context
	w        *talk.Writer
	troubles talk.Troubles
	id       string
	bad      int
	stop     error
}

func (p *own) json(r io.Reader) error {
	dec := jsonstream.New(r, maxMessage)
	return dec.Array(func() error {
		if p.stop = p.ctx.Err(); p.stop != nil {
			return p.stop
		}
		var m struct {
			ID          json.RawMessage
			Timestamp   string
			Contents    string
			Attachments string
		}
		if err := dec.Value(&m); err != nil {
			if err = jsonstream.Passed(err); err == nil {
				p.bad++
			}
			return err
		}
		return p.add(strings.Trim(string(m.ID), `"`), m.Timestamp, m.Contents, m.Attachments)
	})
}

func (p *own) csv(r io.Reader) error {
	bound := &rowBound{r: r}
	rows := csv.NewReader(bound)
	rows.FieldsPerRecord, rows.LazyQuotes, rows.ReuseRecord = -1, true, true
	for first := true; ; first = false {
		bound.left = maxMessage
		row, err := rows.Read()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("read a row: %w", err)
		case p.ctx.Err() != nil:
			p.stop = p.ctx.Err()
			return p.stop
		case first:
			continue
		case len(row) < 3:
			p.bad++
			continue
		}
		files := ""
		if len(row) > 3 {
			files = row[3]
		}
		if err := p.add(row[0], row[1], row[2], files); err != nil {
			return err
		}
	}
}

// rowBound ends the reading of a row that is larger than any message.
type rowBound struct {
	r    io.Reader
	left int
}

func (b *rowBound) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, jsonstream.ErrTooLarge
	}
	n, err := b.r.Read(p[:min(len(p), b.left)])
	b.left -= n
	return n, err
}

func (p *own) add(id, timestamp, text, files string) error {
	at := talk.Stamp(timestamp)
	if at.IsZero() {
		p.bad++
		return nil
	}
	parts := []string{talk.Tidy(text)}
	for i, f := range strings.Fields(files) {
		f, _, _ = strings.Cut(f, "?")
		if n := fileName(path.Base(f)); n != "" && i < 50 {
			parts = append(parts, "[file: "+n+"]")
		}
	}
	id = talk.Name(id)
	err := p.w.Add(talk.Message{
		ID: id, Author: talk.Me(), Time: at, Text: strings.TrimSpace(strings.Join(parts, "\n")),
		Ref: "https://discord.com/channels/@me/" + p.id + "/" + id,
	})
	p.stop = err
	return err
}

// channelID returns the number of a channel, which its folder is called by.
func channelID(rel string) string {
	return strings.TrimPrefix(talk.Name(path.Base(path.Dir(rel))), "c")
}

// ownRoom says which channel the messages beside in are of.
func ownRoom(in *doc.Input) talk.Room {
	id := channelID(in.Rel)
	name := indexName(in, id)
	r := talk.Room{Key: "own/" + id}
	direct, isDirect := strings.CutPrefix(name, "Direct Message with ")
	switch i := strings.LastIndex(name, " in "); {
	case isDirect:
		who := talk.Name(strings.TrimSuffix(direct, "#0"))
		r.SourceID, r.Title, r.Members = "discord:@"+talk.Source(who), who, []doc.Person{{Handle: who}}
	case name == "" || name == "None" || strings.HasPrefix(name, "Unknown channel"):
		r.SourceID, r.Title = "discord:channel "+id, "channel "+id
	case i > 0:
		server := talk.Source(strings.ReplaceAll(name[i+4:], "#", ""))
		channel := talk.Name(name[:i])
		r.SourceID, r.Title = "discord:"+server+"#"+talk.Source(channel), server+" #"+channel
	default: // a group
		r.SourceID, r.Title = "discord:@"+talk.Source(name), talk.Name(name)
	}
	return r
}

// indexName returns what index.json calls a channel.
func indexName(in *doc.Input, id string) string {
	if in.Above == nil || id == "" {
		return ""
	}
	f, err := in.Above("index.json")
	if err != nil {
		return ""
	}
	defer f.Close()
	dec := jsonstream.New(io.LimitReader(f, maxIndex), 4<<10)
	name := ""
	_ = dec.Object(func(key string) error { // what is damaged names nothing
		if key != id {
			return nil
		}
		return dec.Value(&name)
	})
	return strings.TrimSpace(strings.ToValidUTF8(name, "\uFFFD"))
}
