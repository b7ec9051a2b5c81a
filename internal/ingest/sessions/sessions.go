// Package sessions reads the sessions that coding assistants keep as JSON lines: those of Claude Code
// (~/.claude/projects) and of Codex (~/.codex/sessions). What the person and the assistant said to each
// other is kept; calls of tools and their results, thoughts, instructions, and what the programs put into
// the person's mouth are left out. Secrets are nothing special here: what was said was said.
//
// A session is a document of the source claude-code:<project> or codex:<project>, where the project is the
// folder that the assistant worked in. Memory is bounded by one session, of which at most 32 MB of text
// are kept, and one line of 16 MB.
package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
	"github.com/openhuman/openhuman-core/internal/jsonstream"
)

const (
	maxLine     = 16 << 20
	maxText     = 32 << 20
	maxMessages = 100_000
	maxTitle    = 80
)

// Reader reads sessions. It implements doc.Reader.
type Reader struct{}

var _ doc.Reader = Reader{}

// New returns a Reader.
func New() Reader { return Reader{} }

// Name implements doc.Reader.
func (Reader) Name() string { return "sessions" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// Detect implements doc.Reader: one of the first lines is of a session.
func (Reader) Detect(in *doc.Input) int {
	n := 0
	for line := range bytes.Lines(in.Head) {
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if line[0] != '{' {
			return 0
		}
		// The line may be longer than what is at hand, so it is looked at and not decoded.
		shape := jsonstream.Shape(line)
		switch {
		case shape[".sessionId"] && (shape[".type"] || shape[".message"]),
			shape[".type"] && shape[".leafUuid"] && shape[".summary"],
			shape[".type"] && shape[".messageId"] && shape[".snapshot"],
			shape[".type"] && shape[".timestamp"] && shape[".payload"] && known(line),
			shape[".record_type"] && len(shape) == 1,
			shape[".id"] && shape[".timestamp"] && shape[".instructions"],
			shape[".type"] && shape[".role"] && shape[".content[].text"] && n > 0:
			return 92
		}
		if n++; n == 5 {
			break
		}
	}
	return 0
}

// known reports whether a line is of a kind that Codex writes.
func known(line []byte) bool {
	for _, t := range []string{"session_meta", "response_item", "event_msg", "turn_context", "compacted"} {
		if bytes.Contains(line, []byte(`"`+t+`"`)) {
			return true
		}
	}
	return false
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
	s := session{rel: in.Rel, seen: map[string]bool{}}
	var troubles talk.Troubles
	bad := 0
	lines := jsonstream.NewLines(f, maxLine)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, jsonstream.ErrTooLarge):
			continue // nobody says 16 MB; a tool does
		case err != nil:
			troubles.EndedAt(err, lines.Number())
		default:
			if lines.Number()%256 == 0 && ctx.Err() != nil {
				return doc.Report{}, ctx.Err()
			}
			if line = bytes.TrimSpace(line); len(line) > 0 && !s.line(line, lines.Number()) {
				bad++
			}
			continue
		}
		break
	}
	if bad > 0 {
		troubles.Note("%d lines are damaged", bad)
		if len(s.msgs) == 0 {
			troubles.Unseen("no line is whole")
		}
	}
	if s.lost > 0 {
		troubles.Note("%d messages are beyond what is read of a session", s.lost)
	}
	n, err := talk.Thread(emit, s.document(in))
	if err != nil {
		return doc.Report{}, err
	}
	return troubles.Report(n), nil
}

// A session is what is gathered of one.
type session struct {
	rel                     string
	codex                   bool
	id, cwd, title, summary string
	msgs                    []doc.Message
	begun                   time.Time
	seen                    map[string]bool
	text, lost              int
}

// A record is a line, of either program.
type record struct {
	Type       string          `json:"type"`
	Timestamp  string          `json:"timestamp"`
	SessionID  string          `json:"sessionId"`
	UUID       string          `json:"uuid"`
	CWD        string          `json:"cwd"`
	Sidechain  bool            `json:"isSidechain"`
	Meta       bool            `json:"isMeta"`
	Compact    bool            `json:"isCompactSummary"`
	APIError   bool            `json:"isApiErrorMessage"`
	Summary    string          `json:"summary"`
	Title      string          `json:"aiTitle"`
	Custom     string          `json:"customTitle"`
	Message    *said           `json:"message"`
	Payload    json.RawMessage `json:"payload"`
	ID         string          `json:"id"`
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	RecordType string          `json:"record_type"`
}

type said struct {
	Type    string          `json:"type"`
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	ID      string          `json:"id"`
	CWD     string          `json:"cwd"`
}

// line takes one record and reports whether it was one.
func (s *session) line(line []byte, number int) bool {
	var r record
	if err := jsonstream.Soft(json.Unmarshal(line, &r)); err != nil {
		return false
	}
	ref := s.rel + "#L" + strconv.Itoa(number)
	switch {
	case len(r.Payload) > 0:
		s.codex = true
		var p said
		if jsonstream.Soft(json.Unmarshal(r.Payload, &p)) != nil {
			return true
		}
		switch r.Type {
		case "session_meta":
			s.set(p.ID, p.CWD)
		case "response_item":
			if p.Type == "message" {
				s.say(p.Role, p.Content, r.Timestamp, ref)
			}
		}
	case r.SessionID != "" || r.Type == "summary" || r.UUID != "":
		s.set(r.SessionID, r.CWD)
		for _, t := range []string{r.Summary, r.Title, r.Custom} {
			if r.Type != "user" && r.Type != "assistant" && t != "" {
				s.summary = t
			}
		}
		if r.Message == nil || r.Sidechain || r.Meta || r.Compact || r.APIError || r.Type != "user" && r.Type != "assistant" {
			return true
		}
		if r.UUID != "" {
			if s.seen[r.UUID] {
				return true
			}
			s.seen[r.UUID] = true
		}
		s.say(r.Message.Role, r.Message.Content, r.Timestamp, ref)
	case r.Type == "message" && r.Role != "": // of older versions of Codex
		s.codex = true
		s.say(r.Role, r.Content, r.Timestamp, ref)
	case r.RecordType != "" || r.ID != "" && r.Timestamp != "" && r.Type == "":
		s.codex = true
		s.set(r.ID, "")
		if s.begun.IsZero() {
			s.begun = talk.Stamp(r.Timestamp) // the messages have no times
		}
	}
	return true
}

func (s *session) set(id, cwd string) {
	if s.id == "" {
		s.id = talk.Name(id)
	}
	if s.cwd == "" {
		s.cwd = cwd
	}
}

// say adds what somebody said.
func (s *session) say(role string, content json.RawMessage, at, ref string) {
	if role != "user" && role != "assistant" {
		return
	}
	m := doc.Message{Author: talk.Me(), Time: talk.Stamp(at), SourceRef: ref}
	text := textOf(content)
	if role == "user" {
		text = person(text)
	} else {
		m.Author = doc.Person{Handle: "Claude Code"}
		if s.codex {
			m.Author = doc.Person{Handle: "Codex"}
		}
	}
	if m.Text = talk.Tidy(text); strings.TrimSpace(m.Text) == "" {
		return
	}
	if s.text += len(m.Text); s.text > maxText || len(s.msgs) >= maxMessages {
		s.lost++
		return
	}
	if role == "user" && s.title == "" {
		s.title = firstLine(m.Text)
	}
	s.msgs = append(s.msgs, m)
}

// textOf returns what is text of a content, which is a string or a list of parts.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if len(raw) == 0 || jsonstream.Soft(json.Unmarshal(raw, &parts)) != nil {
		return ""
	}
	var out []string
	for _, p := range parts {
		switch p.Type {
		case "text", "input_text", "output_text":
			if strings.TrimSpace(p.Text) != "" && !injected(p.Text) {
				out = append(out, p.Text)
			}
		}
	}
	return strings.Join(out, "\n")
}

// Tags in which the programs put words of their own into what the person says.
var tags = talk.Pattern(`(?s)<(system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|command-message|bash-stdout|bash-stderr|task-notification|ide_opened_file|ide_selection|user-memory-input)>.*?</(?:system-reminder|local-command-stdout|local-command-stderr|local-command-caveat|command-message|bash-stdout|bash-stderr|task-notification|ide_opened_file|ide_selection|user-memory-input)>`)

var (
	kept       = talk.Pattern(`</?(?:command-name|command-args|command-contents|bash-input)>`)
	onlyOrder  = talk.Pattern(`^/[A-Za-z0-9:_-]+$`)
	interrupts = []string{"[Request interrupted by user]", "[Request interrupted by user for tool use]", "(no content)"}
)

// injected reports whether a text is the program's, which sends it as if the person had.
func injected(s string) bool {
	s = strings.TrimSpace(s)
	for _, p := range []string{
		"<environment_context>", "<user_instructions>", "<permissions instructions>", "<turn_aborted>", "<collaboration_mode>",
		"<skills_instructions>", "<INSTRUCTIONS>", "# AGENTS.md instructions", "Caveat: The messages below were generated by the user while running local commands",
	} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// person returns what of a text the person typed.
func person(s string) string {
	if injected(s) {
		return ""
	}
	if strings.Contains(s, "<") {
		s = tags().ReplaceAllString(s, "")
		if kept().MatchString(s) {
			s = strings.Join(strings.Fields(kept().ReplaceAllString(s, " ")), " ")
		}
	}
	s = strings.TrimSpace(s)
	for _, i := range interrupts {
		if s == i {
			return ""
		}
	}
	if onlyOrder().MatchString(s) {
		return "" // an order to the program, such as /clear
	}
	return s
}

// firstLine makes a title of what was said first.
func firstLine(s string) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	s = talk.Name(s)
	if len(s) <= maxTitle {
		return s
	}
	n := maxTitle
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimSpace(s[:n]) + "…"
}

func (s *session) document(in *doc.Input) doc.Document {
	program := "claude-code:"
	if s.codex {
		program = "codex:"
	}
	project := talk.Source(path.Base(strings.ReplaceAll(strings.TrimRight(s.cwd, `/\`), `\`, "/")))
	if project == "" || project == "." || project == "/" {
		project = "sessions"
	}
	key := s.id
	if key == "" {
		key = talk.Name(strings.TrimSuffix(path.Base(in.Rel), path.Ext(in.Rel)))
	}
	title := firstLine(s.summary)
	if title == "" {
		title = s.title
	}
	if s.begun.IsZero() {
		s.begun = in.ModTime
	}
	return doc.Document{
		SourceID: program + project, Key: key, Title: title, Time: s.begun.UTC(), Messages: s.msgs,
	}
}
