package slack

import (
	"encoding/json"
	"strings"
)

// An attachment is a card below a message: an app's report, a shared message, the preview of a link.
type attachment struct {
	Fallback    string          `json:"fallback"`
	Pretext     string          `json:"pretext"`
	AuthorName  string          `json:"author_name"`
	Title       string          `json:"title"`
	TitleLink   string          `json:"title_link"`
	Text        string          `json:"text"`
	FromURL     string          `json:"from_url"`
	OriginalURL string          `json:"original_url"`
	IsShare     bool            `json:"is_share"`
	IsUnfurl    bool            `json:"is_msg_unfurl"`
	Fields      []field         `json:"fields"`
	Blocks      json.RawMessage `json:"blocks"`
}

type field struct {
	Title string `json:"title"`
	Value string `json:"value"`
}

// A file is something uploaded; the export has its name and for snippets the beginning of the text.
type file struct {
	Name           string   `json:"name"`
	Title          string   `json:"title"`
	Mode           string   `json:"mode"`
	Preview        string   `json:"preview"`
	PlainText      string   `json:"plain_text"`
	InitialComment *comment `json:"initial_comment"`
	Transcription  *struct {
		Preview struct {
			Content string `json:"content"`
		} `json:"preview"`
	} `json:"transcription"`
}

// message returns all the text that m has for people. The text leads; the blocks say the same in
// another form and count only without it. A person's message keeps the cards that quote somebody,
// not the previews of links, which are the linked page's text; an app says what it has to say in
// cards.
func (w *writer) message(m *message) string {
	var parts []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" {
			parts = append(parts, s)
		}
	}
	add(w.mrkdwn(m.Text))
	if len(parts) == 0 {
		add(w.blocks(m.Blocks))
	}
	fromApp := m.Subtype == "bot_message" || m.BotID != ""
	silent := len(parts) == 0
	for i := range m.Attachments {
		switch a := &m.Attachments[i]; {
		case a.IsShare || a.IsUnfurl:
			add(quote(w.attachment(a)))
		case silent, fromApp && a.FromURL == "" && a.OriginalURL == "":
			if t := w.attachment(a); !repeats(parts, t) {
				add(t)
			}
		}
	}
	for i := range m.Files {
		add(w.file(&m.Files[i], silent))
	}
	if m.File != nil && len(m.Files) == 0 && m.Comment == nil {
		// Older exports tell of the upload in the text, which holds the title and the comment.
		if silent {
			add(w.file(m.File, true))
		} else if m.File.Mode == "snippet" {
			add(strings.ToValidUTF8(m.File.Preview, "\uFFFD"))
		}
	}
	if silent && m.Comment != nil {
		add(w.mrkdwn(m.Comment.Text))
	}
	return tidy(strings.Join(parts, "\n"))
}

// tidy turns line ends into \n and drops control characters.
func tidy(s string) string {
	if strings.IndexFunc(s, odd) < 0 {
		return s
	}
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	return strings.Map(func(r rune) rune {
		if odd(r) {
			return -1
		}
		return r
	}, s)
}

func odd(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x7f }

// repeats reports whether s stands in parts already.
func repeats(parts []string, s string) bool {
	s = strings.TrimSpace(s)
	for _, p := range parts {
		if strings.Contains(p, s) {
			return true
		}
	}
	return false
}

func (w *writer) attachment(a *attachment) string {
	var parts []string
	add := func(s string) {
		if s = strings.TrimSpace(s); s != "" && !repeats(parts, s) {
			parts = append(parts, s)
		}
	}
	add(w.mrkdwn(a.Pretext))
	add(w.mrkdwn(a.AuthorName))
	title := strings.TrimSpace(w.mrkdwn(a.Title))
	if title != "" && a.TitleLink != "" && !strings.Contains(title, a.TitleLink) {
		title += " (" + clean(unescape(a.TitleLink)) + ")"
	}
	add(title)
	add(w.mrkdwn(a.Text))
	for _, f := range a.Fields {
		t, v := strings.TrimSpace(w.mrkdwn(f.Title)), strings.TrimSpace(w.mrkdwn(f.Value))
		switch {
		case t != "" && v != "":
			add(t + ": " + v)
		default:
			add(t + v)
		}
	}
	if len(parts) == 0 {
		add(w.blocks(a.Blocks))
	}
	if len(parts) == 0 {
		add(w.mrkdwn(a.Fallback))
	}
	return strings.Join(parts, "\n")
}

// file returns a line that names f, and what the export has of its text.
func (w *writer) file(f *file, silent bool) string {
	var parts []string
	name := clean(f.Title)
	if n := clean(f.Name); name == "" || n != "" && !strings.Contains(n, name) && !strings.Contains(name, n) {
		name = strings.TrimSpace(name + " " + n)
	} else if len(n) > len(name) {
		name = n
	}
	if name != "" {
		parts = append(parts, "[file: "+name+"]")
	}
	if f.InitialComment != nil {
		parts = append(parts, w.mrkdwn(f.InitialComment.Text))
	}
	switch f.Mode {
	case "tombstone", "hidden_by_limit":
		return strings.Join(parts, "\n")
	case "snippet", "post", "space", "email":
		silent = true
	}
	if silent {
		text := f.PlainText
		if text == "" {
			text = f.Preview
		}
		if text == "" && f.Transcription != nil {
			text = f.Transcription.Preview.Content
		}
		if text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD")); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

// quote marks every line of s as somebody else's.
func quote(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	return "> " + strings.ReplaceAll(s, "\n", "\n> ")
}

// A block is a piece of a message's layout; the kinds share one shape here.
type block struct {
	Type     string          `json:"type"`
	Text     json.RawMessage `json:"text"` // a string, or an object that holds one
	Fields   []block         `json:"fields"`
	Elements []block         `json:"elements"`
	UserID   string          `json:"user_id"`
	Channel  string          `json:"channel_id"`
	Group    string          `json:"usergroup_id"`
	Range    string          `json:"range"`
	URL      string          `json:"url"`
	Name     string          `json:"name"`
	Fallback string          `json:"fallback"`
	Alt      string          `json:"alt_text"`
}

// maxBlockDepth bounds how deep blocks may lie in each other.
const maxBlockDepth = 20

// blocks returns the text of a message's layout.
func (w *writer) blocks(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var bs []block
	if err := soft(json.Unmarshal(raw, &bs)); err != nil {
		return ""
	}
	var lines []string
	for i := range bs {
		if t := strings.TrimSpace(w.block(&bs[i], 0)); t != "" {
			lines = append(lines, t)
		}
	}
	return strings.Join(lines, "\n")
}

func (w *writer) block(b *block, depth int) string {
	if depth > maxBlockDepth {
		return ""
	}
	inside := func(sep string) string {
		var parts []string
		for i := range b.Elements {
			t := w.block(&b.Elements[i], depth+1)
			if sep != "" {
				t = strings.TrimSpace(t)
			}
			if t != "" {
				parts = append(parts, t)
			}
		}
		return strings.Join(parts, sep)
	}
	switch b.Type {
	case "rich_text":
		return inside("\n")
	case "rich_text_section":
		return inside("")
	case "rich_text_list":
		var lines []string
		for i := range b.Elements {
			if t := strings.TrimSpace(w.block(&b.Elements[i], depth+1)); t != "" {
				lines = append(lines, "- "+t)
			}
		}
		return strings.Join(lines, "\n")
	case "rich_text_quote":
		return quote(inside(""))
	case "rich_text_preformatted":
		if t := inside(""); t != "" {
			return "```\n" + strings.Trim(t, "\n") + "\n```"
		}
		return ""
	case "context":
		return inside(" ")
	case "text":
		return unescape(strings.ToValidUTF8(w.blockText(b.Text), "\uFFFD"))
	case "link":
		label := clean(w.blockText(b.Text))
		if label == "" || sameLink(label, b.URL) {
			return clean(b.URL)
		}
		return label + " (" + clean(b.URL) + ")"
	case "user":
		return w.user(b.UserID, "")
	case "usergroup":
		return "@" + clean(b.Group)
	case "channel":
		return w.channel(b.Channel, "")
	case "broadcast":
		return "@" + clean(b.Range)
	case "emoji":
		return ":" + clean(b.Name) + ":"
	case "date":
		return clean(b.Fallback)
	case "plain_text":
		return strings.ToValidUTF8(w.blockText(b.Text), "\uFFFD")
	case "image":
		return clean(b.Alt)
	case "actions", "input", "divider", "button":
		return "" // something to press, nothing that was said
	}
	// section, header, mrkdwn and what may come: a text, then fields.
	parts := []string{strings.TrimSpace(w.mrkdwn(w.blockText(b.Text)))}
	for i := range b.Fields {
		parts = append(parts, strings.TrimSpace(w.block(&b.Fields[i], depth+1)))
	}
	parts = append(parts, inside(" "))
	var lines []string
	for _, p := range parts {
		if p != "" {
			lines = append(lines, p)
		}
	}
	return strings.Join(lines, "\n")
}

// blockText returns a text that is given as a string or as an object that holds one.
func (w *writer) blockText(raw json.RawMessage) string {
	if len(raw) == 0 {
		return ""
	}
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	var o struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &o) == nil {
		return o.Text
	}
	return ""
}
