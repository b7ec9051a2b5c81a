// Package discord reads the channels that DiscordChatExporter writes as JSON, and the packages of their
// own data that Discord sends to people who ask for it, which hold what they wrote themselves and nothing
// else. Messages about who joined, called or pinned are nobody's and left out.
//
// A channel is the source discord:<server>#<channel>, a direct conversation discord:@<who>; every day of it
// is a document. Memory is bounded by a day of a channel.
package discord

import (
	"context"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
	"github.com/openhuman/openhuman-core/internal/jsonstream"
)

const maxMessage = 4 << 20

// Reader reads channels as DiscordChatExporter writes them. It implements doc.Reader.
type Reader struct{}

var _ doc.Reader = Reader{}

// New returns a Reader.
func New() Reader { return Reader{} }

// Name implements doc.Reader.
func (Reader) Name() string { return "discord" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// Detect implements doc.Reader: a guild, a channel and messages.
func (Reader) Detect(in *doc.Input) int {
	shape := jsonstream.Shape(in.Head)
	if shape[".guild"] && shape[".channel"] && shape[".channel.id"] && (shape[".messages"] || shape[".dateRange"]) {
		return 95
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
	x := export{ctx: ctx, dec: jsonstream.New(f, maxMessage), emit: emit}
	err = x.dec.Object(x.member)
	if x.w != nil && x.stop == nil {
		x.stop = x.w.Close()
	}
	n := 0
	if x.w != nil {
		n = x.w.Emitted()
	}
	if x.stop != nil {
		return doc.Report{}, x.stop
	}
	x.troubles.Ended(err, n, "days")
	if x.bad > 0 {
		x.troubles.Note("%d messages are damaged, too large or without a time", x.bad)
	}
	return x.troubles.Report(n), nil
}

type export struct {
	ctx      context.Context
	dec      *jsonstream.Decoder
	emit     doc.Emit
	troubles talk.Troubles
	guild    struct{ ID, Name string }
	channel  struct{ ID, Type, Category, Name, Topic string }
	w        *talk.Writer
	bad      int
	stop     error
}

func (x *export) member(key string) error {
	switch key {
	case "guild":
		return jsonstream.Passed(x.dec.Value(&x.guild))
	case "channel":
		return jsonstream.Passed(x.dec.Value(&x.channel))
	case "messages":
		return x.dec.Array(func() error {
			if x.stop = x.ctx.Err(); x.stop != nil {
				return x.stop
			}
			var m rawMessage
			if err := x.dec.Value(&m); err != nil {
				if err = jsonstream.Passed(err); err == nil {
					x.bad++
				}
				return err
			}
			return x.add(&m)
		})
	}
	return nil
}

// direct reports whether the channel is a conversation of few and belongs to no server.
func (x *export) direct() bool {
	return strings.HasPrefix(x.channel.Type, "Direct") || x.guild.ID == "0"
}

func (x *export) room() talk.Room {
	name := talk.Name(x.channel.Name)
	id := talk.Name(x.channel.ID)
	if name == "" {
		name = "channel " + id
	}
	r := talk.Room{Key: id}
	switch {
	case x.direct():
		r.SourceID, r.Title = "discord:@"+talk.Source(name), name
		if !strings.Contains(name, ",") {
			r.Members = []doc.Person{{Name: name}}
		}
	default:
		server := talk.Source(strings.ReplaceAll(x.guild.Name, "#", ""))
		r.SourceID = "discord:" + server + "#" + talk.Source(name)
		r.Title = server + " #" + name
	}
	return r
}

func (x *export) add(m *rawMessage) error {
	if !m.spoken() {
		return nil
	}
	at := talk.Stamp(m.Timestamp)
	if at.IsZero() {
		x.bad++
		return nil
	}
	if x.w == nil {
		x.w = talk.New(x.ctx, x.emit, x.room())
	}
	guild := talk.Name(x.guild.ID)
	if x.direct() || guild == "" {
		guild = "@me"
	}
	out := talk.Message{
		ID: talk.Name(m.ID), ReplyTo: talk.Name(m.Reference.MessageID), Author: m.Author.person(), Time: at, Text: m.said(),
		Ref: "https://discord.com/channels/" + guild + "/" + talk.Name(x.channel.ID) + "/" + talk.Name(m.ID),
	}
	for i, u := range m.Mentions {
		if who := u.person(); who.Name != "" && i < 50 {
			out.Mentioned = append(out.Mentioned, who)
		}
	}
	if err := x.w.Add(out); err != nil {
		x.stop = err
		return err
	}
	return nil
}

// A user is somebody as the export names them.
type user struct {
	ID       string `json:"id"`
	Name     string `json:"name"`
	Nickname string `json:"nickname"`
	Bot      bool   `json:"isBot"`
}

func (u user) person() doc.Person {
	handle, nick := talk.Name(u.Name), talk.Name(u.Nickname)
	switch {
	case u.Bot:
		return doc.Person{Handle: handle} // no person
	case nick == "":
		nick = handle
	}
	return doc.Person{Name: nick, Handle: handle}
}

// A rawMessage is a message as the export has it.
type rawMessage struct {
	ID          string `json:"id"`
	Type        string `json:"type"`
	Timestamp   string `json:"timestamp"`
	Content     string `json:"content"`
	Author      user   `json:"author"`
	Attachments []struct {
		Name string `json:"fileName"`
	} `json:"attachments"`
	Embeds    []embed `json:"embeds"`
	Mentions  []user  `json:"mentions"`
	Reference struct {
		MessageID string `json:"messageId"`
	} `json:"reference"`
	Forwarded *struct {
		Content string `json:"content"`
	} `json:"forwardedMessage"`
	Poll *struct {
		Question struct {
			Text string `json:"text"`
		} `json:"question"`
		Answers []struct {
			Media struct {
				Text string `json:"text"`
			} `json:"poll_media"`
			Text string `json:"text"`
		} `json:"answers"`
	} `json:"poll"`
}

// An embed is a card below a message.
type embed struct {
	Title       string `json:"title"`
	URL         string `json:"url"`
	Description string `json:"description"`
	Fields      []struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	} `json:"fields"`
}

// spoken reports whether a message is somebody's. Kinds that the exporter has no name for are numbers.
func (m *rawMessage) spoken() bool {
	switch m.Type {
	case "", "Default", "Reply", "ChatInputCommand", "ContextMenuCommand", "ThreadStarterMessage", "0", "19", "20", "23":
		return true
	}
	return false
}

// said returns what a message says to people. The cards of a person's message are previews of links, which
// are the linked pages' words; a bot says what it has to say in cards.
func (m *rawMessage) said() string {
	var parts []string
	add := func(s string) {
		if s = talk.Tidy(s); strings.TrimSpace(s) != "" {
			parts = append(parts, s)
		}
	}
	add(m.Content)
	if m.Forwarded != nil && strings.TrimSpace(m.Forwarded.Content) != "" {
		add("> " + strings.ReplaceAll(talk.Tidy(m.Forwarded.Content), "\n", "\n> "))
	}
	if m.Author.Bot {
		for _, e := range m.Embeds {
			title := talk.Name(e.Title)
			if title != "" && e.URL != "" {
				title += " (" + talk.Name(e.URL) + ")"
			}
			add(title)
			add(e.Description)
			for _, f := range e.Fields {
				add(talk.Name(f.Name) + ": " + f.Value)
			}
		}
	}
	if m.Poll != nil {
		add(m.Poll.Question.Text)
		for _, a := range m.Poll.Answers {
			if t := talk.Name(a.Media.Text + a.Text); t != "" {
				add("- " + t)
			}
		}
	}
	for i, a := range m.Attachments {
		if n := fileName(a.Name); n != "" && i < 50 {
			add("[file: " + n + "]")
		}
	}
	return strings.Join(parts, "\n")
}

// fileName returns a file's name where it says something: those of pictures and films seldom do.
func fileName(s string) string {
	name := talk.Name(s)
	lower := strings.ToLower(name)
	for _, ext := range []string{".png", ".jpg", ".jpeg", ".gif", ".webp", ".mp4", ".mov", ".webm", ".ogg", ".mp3", ".heic"} {
		if strings.HasSuffix(lower, ext) {
			return ""
		}
	}
	return name
}
