// Package chatgpt reads the conversations that ChatGPT exports: conversations.json, the numbered files
// into which large exports are split, and single conversations. A conversation is a tree of nodes, of
// which the branch counts that the person saw last. What was hidden, what tools said to the model, and
// what the model thought are left out.
//
// Each conversation is a document of the source chatgpt:chats. Memory is bounded by one conversation, of
// which at most 32 MB of text and 200,000 nodes are kept.
package chatgpt

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
	"github.com/openhuman/openhuman-core/internal/jsonstream"
)

// Limits of one conversation.
const (
	maxNode  = 8 << 20
	maxText  = 32 << 20
	maxNodes = 200_000
)

// Reader reads exported conversations. It implements doc.Reader.
type Reader struct{}

var _ doc.Reader = Reader{}

// New returns a Reader.
func New() Reader { return Reader{} }

// Name implements doc.Reader.
func (Reader) Name() string { return "chatgpt" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// Detect implements doc.Reader: conversations have a title and a mapping of nodes.
func (Reader) Detect(in *doc.Input) int {
	shape := jsonstream.Shape(in.Head)
	for _, top := range []string{"[]", ""} {
		if shape[top+".mapping"] && (shape[top+".title"] || shape[top+".create_time"] || shape[top+".current_node"]) {
			return 95
		}
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
	x := &export{dec: jsonstream.New(f, maxNode), emit: emit, fallback: in.ModTime, rel: in.Rel, seen: map[string]int{}}
	err = x.dec.Each(func() error {
		if err := ctx.Err(); err != nil {
			x.stop = err
			return err
		}
		return x.conversation()
	})
	if x.stop != nil {
		return doc.Report{}, x.stop
	}
	x.troubles.Ended(err, x.emitted, "conversations")
	return x.troubles.Report(x.emitted), nil
}

type export struct {
	dec      *jsonstream.Decoder
	emit     doc.Emit
	fallback time.Time
	rel      string
	troubles talk.Troubles
	emitted  int
	seen     map[string]int // conversations without an id of their own, by what they have instead
	stop     error          // of emit or of the context
}

// A node is what is kept of one of a conversation's nodes.
type node struct {
	parent string
	at     time.Time
	role   string // "" where nothing is to be read
	text   string
	id     string
}

// conversation reads the conversation that is next and emits it.
func (x *export) conversation() error {
	var c struct {
		title, id, id2, current string
		created, updated        float64
	}
	nodes := map[string]node{}
	var last string // the youngest node, where the export does not say which counts
	text, tooLarge, tooMany := 0, 0, 0
	err := x.dec.Object(func(key string) error {
		switch key {
		case "title":
			return jsonstream.Passed(x.dec.Value(&c.title))
		case "conversation_id":
			return jsonstream.Passed(x.dec.Value(&c.id))
		case "id":
			return jsonstream.Passed(x.dec.Value(&c.id2))
		case "current_node":
			return jsonstream.Passed(x.dec.Value(&c.current))
		case "create_time":
			return jsonstream.Passed(x.dec.Value(&c.created))
		case "update_time":
			return jsonstream.Passed(x.dec.Value(&c.updated))
		case "mapping":
			return x.dec.Object(func(id string) error {
				var raw rawNode
				if err := x.dec.Value(&raw); err != nil {
					if err = jsonstream.Passed(err); err == nil {
						tooLarge++
					}
					return err
				}
				if len(nodes) >= maxNodes {
					tooMany++
					return nil
				}
				n := raw.node()
				if text += len(n.text); text > maxText {
					n.text = ""
					tooLarge++
				}
				nodes[id] = n
				if l, ok := nodes[last]; !ok || !n.at.Before(l.at) {
					last = id
				}
				return nil
			})
		}
		return nil
	})
	if err != nil && x.stop != nil {
		return err
	}
	title := talk.Name(c.title)
	if tooLarge+tooMany > 0 {
		x.troubles.Note("%d messages of one conversation are larger than what is read", tooLarge+tooMany)
	}
	id := talk.Name(c.id)
	if id == "" {
		id = talk.Name(c.id2)
	}
	if _, ok := nodes[c.current]; !ok {
		c.current = last
	}
	d := doc.Document{SourceID: "chatgpt:chats", Key: id, Title: title, Time: talk.Seconds(c.created)}
	if d.Time.IsZero() {
		d.Time = talk.Seconds(c.updated)
	}
	if d.Time.IsZero() {
		d.Time = x.fallback
	}
	ref := x.rel
	if id != "" {
		ref = "https://chatgpt.com/c/" + id
	}
	d.Messages = branch(nodes, c.current, ref)
	if len(d.Messages) == 0 {
		return err
	}
	if d.Key == "" {
		d.Key = title + " " + d.Time.UTC().Format(time.RFC3339)
	}
	if x.seen[d.Key]++; x.seen[d.Key] > 1 {
		return err // an export that holds a conversation twice
	}
	d.SourceRef = ref
	n, stop := talk.Thread(x.emit, d)
	x.emitted += n
	if stop != nil {
		x.stop = stop
		return stop
	}
	return err
}

// branch returns the messages from the root to the node at, oldest first.
func branch(nodes map[string]node, at, ref string) []doc.Message {
	var out []doc.Message
	for range len(nodes) { // a circle ends as well
		n, ok := nodes[at]
		if !ok {
			break
		}
		if n.role != "" && n.text != "" {
			m := doc.Message{Author: author(n.role), Time: n.at, Text: n.text, SourceRef: ref}
			if n.id != "" {
				m.SourceRef += "#" + n.id
			}
			out = append(out, m)
		}
		at = n.parent
	}
	slices.Reverse(out)
	return out
}

func author(role string) doc.Person {
	if role == "user" {
		return talk.Me()
	}
	return doc.Person{Handle: "ChatGPT"}
}

// A rawNode is a node as the export has it.
type rawNode struct {
	Parent  string `json:"parent"`
	Message *struct {
		ID     string `json:"id"`
		Author struct {
			Role string `json:"role"`
		} `json:"author"`
		Created   float64 `json:"create_time"`
		Recipient string  `json:"recipient"`
		Content   struct {
			Type  string            `json:"content_type"`
			Parts []json.RawMessage `json:"parts"`
			Text  string            `json:"text"`
		} `json:"content"`
		Metadata struct {
			Hidden bool `json:"is_visually_hidden_from_conversation"`
			User   bool `json:"is_user_system_message"`
			Files  []struct {
				Name string `json:"name"`
			} `json:"attachments"`
		} `json:"metadata"`
	} `json:"message"`
}

// node reduces a node to what people said.
func (r *rawNode) node() node {
	n := node{parent: r.Parent}
	m := r.Message
	if m == nil {
		return n
	}
	n.at, n.id = talk.Seconds(m.Created), talk.Name(m.ID)
	if m.Metadata.Hidden || m.Metadata.User || m.Author.Role != "user" && m.Author.Role != "assistant" {
		return n
	}
	var parts []string
	add := func(s string) {
		if s = talk.Tidy(withoutMarks(s)); strings.TrimSpace(s) != "" {
			parts = append(parts, s)
		}
	}
	switch {
	case m.Recipient != "" && m.Recipient != "all":
		// What the model writes to a tool is nobody's, but for a document that it writes for the person.
		if strings.HasPrefix(m.Recipient, "canmore.") {
			add(canvas(m.Content.Text, m.Content.Parts))
		}
	case m.Content.Type == "text" || m.Content.Type == "multimodal_text" || m.Content.Type == "":
		for _, p := range m.Content.Parts {
			add(part(p))
		}
		if len(m.Content.Parts) == 0 {
			add(m.Content.Text)
		}
	case m.Content.Type == "code" && m.Author.Role == "assistant":
		add(m.Content.Text)
	}
	if m.Author.Role == "user" {
		for i, f := range m.Metadata.Files {
			if name := talk.Name(f.Name); name != "" && i < 50 {
				parts = append(parts, "[file: "+name+"]")
			}
		}
	}
	n.role, n.text = m.Author.Role, strings.Join(parts, "\n")
	return n
}

// part returns the text of a part, which is a string or an object for something heard or shown.
func part(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct {
		Type string `json:"content_type"`
		Text string `json:"text"`
	}
	if jsonstream.Soft(json.Unmarshal(raw, &o)) != nil {
		return ""
	}
	switch o.Type {
	case "audio_transcription", "text", "":
		return o.Text
	}
	return ""
}

// canvas returns the document that is written to the person's side of a conversation.
func canvas(text string, parts []json.RawMessage) string {
	if text == "" && len(parts) > 0 {
		text = part(parts[0])
	}
	var c struct {
		Name    string `json:"name"`
		Content string `json:"content"`
	}
	if json.Unmarshal([]byte(text), &c) != nil || c.Content == "" {
		return ""
	}
	return strings.TrimSpace(c.Name + "\n" + c.Content)
}

// Marks of citations, which the program shows as small links.
var marks = talk.Pattern("\ue200[^\ue200\ue201]*\ue201|【[0-9]+(?::[0-9]+)?†[^】\n]*】")

func withoutMarks(s string) string {
	if strings.Contains(s, "\ue200") || strings.Contains(s, "【") {
		s = marks().ReplaceAllString(s, "")
	}
	return s
}
