// Package claude reads what Claude exports: conversations.json with the conversations of an account, and
// projects.json with the documents of its projects. What the model thought and what tools said to it are
// left out; files whose text the export has are read with the message that brought them.
//
// Each conversation is a document of the source claude:chats, each document of a project one of
// claude:projects. Memory is bounded by one conversation, of which at most 32 MB of text are kept.
package claude

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
	"github.com/openhuman/openhuman-core/internal/jsonstream"
)

// Limits of one message and one conversation.
const (
	maxMessage  = 8 << 20
	maxText     = 32 << 20
	maxMessages = 200_000
)

// Reader reads exported conversations and projects. It implements doc.Reader.
type Reader struct{}

var _ doc.Reader = Reader{}

// New returns a Reader.
func New() Reader { return Reader{} }

// Name implements doc.Reader.
func (Reader) Name() string { return "claude" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// Detect implements doc.Reader: conversations have chat_messages, projects have docs and a template of
// their own. The list of users beside them is no text, and is told by its members.
func (Reader) Detect(in *doc.Input) int {
	shape := jsonstream.Shape(in.Head)
	for _, top := range []string{"[]", ""} {
		switch {
		case shape[top+".chat_messages"] && shape[top+".uuid"]:
			return 95
		case shape[top+".uuid"] && shape[top+".prompt_template"] && shape[top+".docs"]:
			return 95
		case shape[top+".uuid"] && shape[top+".full_name"] && shape[top+".email_address"]:
			return 90
		}
	}
	return 0
}

// Read implements doc.Reader.
func (Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	if shape := jsonstream.Shape(in.Head); shape["[].email_address"] && !shape["[].chat_messages"] && !shape["[].docs"] {
		return doc.Report{Outcome: doc.Skipped, Reason: "The list of users of a Claude export; it is no text."}, nil
	}
	f, err := in.Open()
	if err != nil {
		return talk.NotOpened(err), nil
	}
	defer f.Close()
	x := &export{dec: jsonstream.New(f, maxMessage), emit: emit, fallback: in.ModTime, rel: in.Rel, seen: map[string]bool{}}
	err = x.dec.Each(func() error {
		if err := ctx.Err(); err != nil {
			x.stop = err
			return err
		}
		return x.item()
	})
	if x.stop != nil {
		return doc.Report{}, x.stop
	}
	x.troubles.Ended(err, x.emitted, "items")
	return x.troubles.Report(x.emitted), nil
}

type export struct {
	dec      *jsonstream.Decoder
	emit     doc.Emit
	fallback time.Time
	rel      string
	troubles talk.Troubles
	emitted  int
	seen     map[string]bool
	stop     error // of emit or of the context
}

// An item is a conversation or a project.
type item struct {
	id, name, created, updated, leaf, description, template string
	starter                                                 bool
	msgs                                                    []message
	docs                                                    []projectDoc
	lost                                                    int
}

// item reads what is next and emits it.
func (x *export) item() error {
	var it item
	text := 0
	// A value that cannot be read is passed over where the stream goes on.
	soft := func(err error) error {
		if err != nil {
			if err = jsonstream.Passed(err); err == nil {
				it.lost++
			}
		}
		return err
	}
	err := x.dec.Object(func(key string) error {
		switch key {
		case "uuid":
			return soft(x.dec.Value(&it.id))
		case "name":
			return soft(x.dec.Value(&it.name))
		case "created_at":
			return soft(x.dec.Value(&it.created))
		case "updated_at":
			return soft(x.dec.Value(&it.updated))
		case "current_leaf_message_uuid":
			return soft(x.dec.Value(&it.leaf))
		case "description":
			return soft(x.dec.Value(&it.description))
		case "prompt_template":
			return soft(x.dec.Value(&it.template))
		case "is_starter_project":
			return soft(x.dec.Value(&it.starter))
		case "chat_messages":
			return x.dec.Array(func() error {
				var raw rawMessage
				if err := x.dec.Value(&raw); err != nil {
					return soft(err)
				}
				m := raw.message()
				if text += len(m.text); text > maxText || len(it.msgs) >= maxMessages {
					it.lost++
					return nil
				}
				it.msgs = append(it.msgs, m)
				return nil
			})
		case "docs":
			return x.dec.Array(func() error {
				var d projectDoc
				if err := x.dec.Value(&d); err != nil {
					return soft(err)
				}
				if text += len(d.Content); text > maxText {
					it.lost++
					return nil
				}
				it.docs = append(it.docs, d)
				return nil
			})
		}
		return nil
	})
	if err != nil && x.stop != nil {
		return err
	}
	if it.lost > 0 {
		x.troubles.Note("%d parts of one conversation are damaged or larger than what is read", it.lost)
	}
	if stop := x.emitItem(&it); stop != nil {
		x.stop = stop
		return stop
	}
	return err
}

func (x *export) emitItem(it *item) error {
	id := talk.Name(it.id)
	if id == "" || x.seen[id] || it.starter {
		return nil
	}
	x.seen[id] = true
	created := talk.Stamp(it.created)
	if created.IsZero() {
		created = x.fallback
	}
	if err := x.emitProject(it, id, created); err != nil {
		return err
	}
	ref := "https://claude.ai/chat/" + id
	d := doc.Document{SourceID: "claude:chats", Key: id, Title: talk.Name(it.name), Time: created, SourceRef: ref}
	for _, m := range branch(it.msgs, it.leaf) {
		out := doc.Message{Author: doc.Person{Handle: "Claude"}, Time: m.at, Text: m.text, SourceRef: ref}
		if m.human {
			out.Author = talk.Me()
		}
		if m.id != "" {
			out.SourceRef += "#" + m.id
		}
		d.Messages = append(d.Messages, out)
	}
	n, err := talk.Thread(x.emit, d)
	x.emitted += n
	return err
}

// emitProject emits what a project says about itself, and its documents.
func (x *export) emitProject(it *item, id string, created time.Time) error {
	if it.description == "" && it.template == "" && len(it.docs) == 0 {
		return nil
	}
	ref := "https://claude.ai/project/" + id
	name := talk.Name(it.name)
	put := func(key, title, body string, at time.Time) error {
		if body = talk.Tidy(body); strings.TrimSpace(body) == "" {
			return nil
		}
		if at.IsZero() {
			at = created
		}
		x.emitted++
		return x.emit(&doc.Document{
			SourceID: "claude:projects", Kind: doc.KindDocument, Key: key, Title: title, Time: at.UTC(),
			Markdown: true, Body: body, SourceRef: ref,
		})
	}
	if err := put(id, name, strings.TrimSpace(it.description+"\n\n"+it.template), talk.Stamp(it.updated)); err != nil {
		return err
	}
	for i, d := range it.docs {
		key := talk.Name(d.ID)
		if key == "" || x.seen[id+"/"+key] {
			key += "#" + strconv.Itoa(i)
		}
		if x.seen[id+"/"+key] {
			continue
		}
		x.seen[id+"/"+key] = true
		title := talk.Name(d.Name)
		if name != "" {
			title = name + " › " + title
		}
		if err := put(id+"/"+key, title, d.Content, talk.Stamp(d.Created)); err != nil {
			return err
		}
	}
	return nil
}

type projectDoc struct {
	ID      string `json:"uuid"`
	Name    string `json:"filename"`
	Content string `json:"content"`
	Created string `json:"created_at"`
}

// A message is what is kept of one.
type message struct {
	id, parent string
	human      bool
	at         time.Time
	text       string
}

// branch returns the messages that lead to the leaf that the person saw last, all of them where the
// export names no leaf.
func branch(msgs []message, leaf string) []message {
	at := make(map[string]int, len(msgs))
	for i, m := range msgs {
		if m.id != "" {
			at[m.id] = i
		}
	}
	i, ok := at[leaf]
	if !ok {
		return msgs
	}
	var out []message
	for range msgs {
		out = append(out, msgs[i])
		if i, ok = at[msgs[i].parent]; !ok {
			break
		}
	}
	slices.Reverse(out)
	return out
}

// A rawMessage is a message as the export has it.
type rawMessage struct {
	ID          string `json:"uuid"`
	Parent      string `json:"parent_message_uuid"`
	Text        string `json:"text"`
	Sender      string `json:"sender"`
	Created     string `json:"created_at"`
	Content     []part `json:"content"`
	Attachments []struct {
		Name string `json:"file_name"`
		Text string `json:"extracted_content"`
	} `json:"attachments"`
	Files []struct {
		Name string `json:"file_name"`
	} `json:"files"`
}

type part struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// message reduces a message to what people said.
func (r *rawMessage) message() message {
	m := message{id: talk.Name(r.ID), parent: talk.Name(r.Parent), human: r.Sender == "human", at: talk.Stamp(r.Created)}
	var parts []string
	add := func(s string) {
		if s = talk.Tidy(s); strings.TrimSpace(s) != "" {
			parts = append(parts, s)
		}
	}
	for _, p := range r.Content {
		switch p.Type {
		case "text":
			add(p.Text)
		case "tool_use":
			add(artifact(p))
		}
	}
	if len(parts) == 0 {
		add(r.Text)
	}
	named := map[string]bool{}
	for _, a := range r.Attachments {
		named[a.Name] = true
		name := talk.Name(a.Name)
		if name != "" {
			add("[file: " + name + "]")
		}
		add(a.Text)
	}
	for i, f := range r.Files {
		if name := talk.Name(f.Name); name != "" && !named[f.Name] && i < 50 {
			add("[file: " + name + "]")
		}
	}
	m.text = strings.Join(parts, "\n")
	return m
}

// artifact returns the document that the model wrote beside the conversation.
func artifact(p part) string {
	if p.Name != "artifacts" && p.Name != "create_file" {
		return ""
	}
	var in struct {
		Command string `json:"command"`
		Title   string `json:"title"`
		Content string `json:"content"`
		Text    string `json:"file_text"`
	}
	if len(p.Input) == 0 || jsonstream.Soft(json.Unmarshal(p.Input, &in)) != nil {
		return ""
	}
	if in.Content == "" {
		in.Content = in.Text
	}
	if in.Content == "" || in.Command != "" && in.Command != "create" && in.Command != "rewrite" {
		return ""
	}
	return strings.TrimSpace(in.Title + "\n" + in.Content)
}
