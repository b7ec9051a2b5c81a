// Package telegram reads what Telegram Desktop exports: result.json of one chat or of a whole account, and
// the pages of the HTML form. Service messages (who joined, what was pinned) are nobody's and left out.
//
// Every chat is the source telegram:<chat>, every day of it a document; the day is the one that the export
// shows, in the zone in which it was made. Memory is bounded by a day of one chat.
package telegram

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
	"github.com/openhuman/openhuman-core/internal/jsonstream"
)

const maxMessage = 4 << 20

// Reader reads result.json. It implements doc.Reader.
type Reader struct{}

var _ doc.Reader = Reader{}

// New returns a Reader.
func New() Reader { return Reader{} }

// Name implements doc.Reader.
func (Reader) Name() string { return "telegram" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// Detect implements doc.Reader: a chat has a name, a type and messages with texts of theirs; an account
// begins with what it is about.
func (Reader) Detect(in *doc.Input) int {
	shape := jsonstream.Shape(in.Head)
	switch {
	case shape[".type"] && shape[".id"] && shape[".messages"] && (shape[".messages[].date_unixtime"] || shape[".messages[].from_id"] || shape[".messages[].text_entities"] || shape[".messages[].actor_id"] || shape[".messages[].text"] && shape[".messages[].date"]):
		return 95
	case shape[".chats"] && shape[".chats.list"], shape[".left_chats"] && shape[".left_chats.list"]:
		return 95
	case shape[".about"] && (shape[".personal_information"] || shape[".contacts"] || shape[".frequent_contacts"]):
		return 90
	}
	return 0
}

// Read implements doc.Reader.
func (Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	f, err := in.Open()
	if err != nil {
		return talk.NotOpened(err), nil
	}
	defer f.Close()
	x := &export{ctx: ctx, dec: jsonstream.New(f, maxMessage), emit: emit, names: map[string]string{}}
	err = x.top()
	switch {
	case x.stop != nil:
		return doc.Report{}, x.stop
	case ctx.Err() != nil:
		return doc.Report{}, ctx.Err()
	}
	x.troubles.Ended(err, x.emitted, "days")
	if x.bad > 0 {
		x.troubles.Note("%d messages are damaged, too large or without a time", x.bad)
	}
	return x.troubles.Report(x.emitted), nil
}

type export struct {
	ctx      context.Context
	dec      *jsonstream.Decoder
	emit     doc.Emit
	troubles talk.Troubles
	emitted  int
	bad      int
	names    map[string]string // of chats, by the source id that they took
	stop     error
}

// top reads the outermost object, which is a chat or holds lists of chats.
func (x *export) top() error {
	c := chat{x: x}
	err := x.dec.Object(func(key string) error {
		switch key {
		case "chats", "left_chats":
			return x.dec.Object(func(key string) error {
				if key != "list" {
					return nil
				}
				return x.dec.Array(func() error {
					one := chat{x: x}
					return one.close(x.dec.Object(one.member))
				})
			})
		}
		return c.member(key)
	})
	return c.close(err)
}

// A chat is the state of reading one chat.
type chat struct {
	x              *export
	name, kind, id string
	w              *talk.Writer
}

// member reads one member of a chat. The name stands before the messages.
func (c *chat) member(key string) error {
	switch key {
	case "name":
		return jsonstream.Passed(c.x.dec.Value(&c.name))
	case "type":
		return jsonstream.Passed(c.x.dec.Value(&c.kind))
	case "id":
		var n json.Number
		err := jsonstream.Passed(c.x.dec.Value(&n))
		c.id = talk.Name(n.String())
		return err
	case "messages":
		return c.x.dec.Array(func() error {
			if err := c.x.ctx.Err(); err != nil {
				return err
			}
			var m rawMessage
			if err := c.x.dec.Value(&m); err != nil {
				if err = jsonstream.Passed(err); err == nil {
					c.x.bad++
				}
				return err
			}
			return c.add(&m)
		})
	}
	return nil
}

// close emits what is left of the chat, also when the export is cut off in it.
func (c *chat) close(err error) error {
	if c.w == nil || c.x.stop != nil {
		return err
	}
	stop := c.w.Close()
	c.x.emitted += c.w.Emitted()
	if stop != nil {
		c.x.stop = stop
		return stop
	}
	return err
}

func (c *chat) room() talk.Room {
	name := talk.Name(c.name)
	switch {
	case c.kind == "saved_messages" && name == "":
		name = "Saved Messages"
	case name == "":
		name = "chat " + c.id
	}
	r := talk.Room{SourceID: "telegram:" + talk.Source(name), Key: c.id, Title: name}
	// Two chats of one name are two sources.
	if other, ok := c.x.names[r.SourceID]; ok && other != c.id && c.id != "" {
		r.SourceID += " " + c.id
	}
	c.x.names[r.SourceID] = c.id
	if c.kind == "personal_chat" && c.name != "" {
		r.Members = []doc.Person{{Name: name}}
	}
	return r
}

func (c *chat) add(m *rawMessage) error {
	if m.Type != "message" {
		return nil
	}
	at, ok := m.time()
	if !ok {
		c.x.bad++
		return nil
	}
	if c.w == nil {
		c.w = talk.New(c.x.ctx, c.x.emit, c.room())
	}
	out := talk.Message{ID: m.ID.String(), ReplyTo: m.ReplyTo.String(), Time: at, Text: m.said(), Ref: c.ref(m.ID.String())}
	switch {
	case strings.TrimSpace(m.From) != "":
		out.Author = doc.Person{Name: talk.Name(m.From)}
		if c.kind == "bot_chat" && m.From == c.name || strings.HasPrefix(m.FromID, "channel") {
			out.Author = doc.Person{Handle: talk.Name(m.From)} // no person
		}
	case m.FromID != "":
		out.Author = doc.Person{Name: "Deleted Account"}
	}
	out.Mentioned = m.called()
	if err := c.w.Add(out); err != nil {
		c.x.stop = err
		return err
	}
	return nil
}

// ref leads to a message: by a link where Telegram has one.
func (c *chat) ref(id string) string {
	if strings.HasSuffix(c.kind, "supergroup") || strings.HasSuffix(c.kind, "channel") {
		return "https://t.me/c/" + strings.TrimPrefix(c.id, "-100") + "/" + id
	}
	return "telegram:" + c.id + "/" + id
}

// A rawMessage is a message as the export has it.
type rawMessage struct {
	ID        json.Number     `json:"id"`
	Type      string          `json:"type"`
	Date      string          `json:"date"`
	Unix      json.RawMessage `json:"date_unixtime"`
	From      string          `json:"from"`
	FromID    string          `json:"from_id"`
	Forwarded string          `json:"forwarded_from"`
	ReplyTo   json.Number     `json:"reply_to_message_id"`
	Text      json.RawMessage `json:"text"`
	FileName  string          `json:"file_name"`
	File      string          `json:"file"`
	Mime      string          `json:"mime_type"`
	Media     string          `json:"media_type"`
	Title     string          `json:"title"`
	Performer string          `json:"performer"`
	Poll      *struct {
		Question string `json:"question"`
		Answers  []struct {
			Text string `json:"text"`
		} `json:"answers"`
	} `json:"poll"`
	Contact *struct {
		First string `json:"first_name"`
		Last  string `json:"last_name"`
		Phone string `json:"phone_number"`
	} `json:"contact_information"`
	Place   string `json:"place_name"`
	Address string `json:"address"`
}

// time returns when the message was written, in the zone of the export where both forms of it are there.
func (m *rawMessage) time() (time.Time, bool) {
	local := talk.Stamp(m.Date)
	secs, err := strconv.ParseInt(strings.Trim(string(m.Unix), `" `), 10, 64)
	if err != nil || secs <= 0 {
		return local, !local.IsZero()
	}
	at := time.Unix(secs, 0).UTC()
	if !talk.Sane(at) {
		return local, !local.IsZero()
	}
	if off := local.Sub(at); !local.IsZero() && off.Abs() <= 15*time.Hour && off%time.Minute == 0 {
		return at.In(time.FixedZone("", int(off.Seconds()))), true
	}
	return at, true
}

// An entity is a piece of a text, of which some have a meaning.
type entity struct {
	Type string `json:"type"`
	Text string `json:"text"`
	Href string `json:"href"`
}

// entities returns the text in pieces: it is a string, or a list of strings and pieces.
func (m *rawMessage) entities() []entity {
	var s string
	if json.Unmarshal(m.Text, &s) == nil {
		return []entity{{Text: s}}
	}
	var list []json.RawMessage
	if json.Unmarshal(m.Text, &list) != nil {
		return nil
	}
	out := make([]entity, 0, len(list))
	for _, raw := range list {
		var e entity
		if json.Unmarshal(raw, &e.Text) != nil && jsonstream.Soft(json.Unmarshal(raw, &e)) != nil {
			continue
		}
		out = append(out, e)
	}
	return out
}

// said returns what the message says to people.
func (m *rawMessage) said() string {
	var b strings.Builder
	for _, e := range m.entities() {
		switch {
		case e.Type == "text_link" && e.Href != "" && !strings.Contains(e.Text, e.Href):
			b.WriteString(e.Text + " (" + e.Href + ")")
		case e.Type == "pre":
			if b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
				b.WriteByte('\n')
			}
			b.WriteString("```\n" + strings.Trim(e.Text, "\n") + "\n```\n")
		default:
			b.WriteString(e.Text)
		}
	}
	parts := []string{}
	add := func(s string) {
		if s = talk.Tidy(s); strings.TrimSpace(s) != "" {
			parts = append(parts, s)
		}
	}
	text := b.String()
	if m.Forwarded != "" && strings.TrimSpace(text) != "" {
		// What somebody else wrote is quoted, as it is shown.
		text = "> " + talk.Name(m.Forwarded) + "\n> " + strings.ReplaceAll(talk.Tidy(text), "\n", "\n> ")
	}
	add(text)
	if p := m.Poll; p != nil {
		add(p.Question)
		for i, a := range p.Answers {
			if i < 100 {
				add("- " + talk.Name(a.Text))
			}
		}
	}
	if c := m.Contact; c != nil {
		add(talk.Name(c.First + " " + c.Last + " " + c.Phone))
	}
	add(talk.Name(m.Place + " " + m.Address))
	switch m.Media {
	case "":
		if name := m.file(); name != "" {
			add("[file: " + name + "]")
		}
	case "audio_file":
		if t := talk.Name(m.Performer + " " + m.Title); t != "" {
			add("[file: " + t + "]")
		}
	}
	return strings.Join(parts, "\n")
}

// file returns the name of a document that was sent; pictures and films have none of their own.
func (m *rawMessage) file() string {
	if strings.HasPrefix(m.Mime, "image/") || strings.HasPrefix(m.Mime, "video/") || strings.HasPrefix(m.Mime, "audio/") {
		return ""
	}
	if m.FileName != "" {
		return talk.Name(m.FileName)
	}
	if m.File == "" || strings.HasPrefix(m.File, "(") { // (File not included. Change data exporting settings to download.)
		return ""
	}
	return talk.Name(m.File[strings.LastIndexByte(m.File, '/')+1:])
}

// called returns whom the text calls by a name that is no user name.
func (m *rawMessage) called() []doc.Person {
	var out []doc.Person
	for _, e := range m.entities() {
		if e.Type == "mention_name" && len(out) < 20 {
			if n := talk.Name(strings.TrimPrefix(e.Text, "@")); n != "" {
				out = append(out, doc.Person{Name: n})
			}
		}
	}
	return out
}
