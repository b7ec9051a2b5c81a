// Package signal reads chats that programs export from Signal Desktop: signal-export (chat.md and
// data.json in a folder for each chat) and sigtop (text, short text and JSON).
//
// A chat is the source signal:<chat>, every day of it a document. Times without a zone are taken as UTC.
// Memory is bounded by a day of a chat and a megabyte of one message.
package signal

import (
	"bytes"
	"context"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
	"github.com/openhuman/openhuman-core/internal/jsonstream"
)

const maxMessage = 1 << 20

// Reader reads exported chats. It implements doc.Reader.
type Reader struct{}

var _ doc.Reader = Reader{}

// New returns a Reader.
func New() Reader { return Reader{} }

// Name implements doc.Reader.
func (Reader) Name() string { return "signal" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// A form is what wrote the file.
type form int

const (
	none     form = iota
	markdown      // signal-export: [2024-05-01 12:00:00] Ada: text
	lines         // signal-export: a JSON object a line
	long          // sigtop: fields, then the text
	short         // sigtop: 2024-05-01 12:00 Ada: text
	raw           // sigtop: the rows of the database
)

var (
	markdownLine = talk.Pattern(`^\[(\d{4}-\d{2}-\d{2}),? (\d{2}:\d{2}(?::\d{2})?)\] ([^:\n]{1,200}): ?(.*)$`)
	shortLine    = talk.Pattern(`^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}) ([^:\n]{1,200}):(?: (.*))?$`)
	longField    = talk.Pattern(`^(From|Type|Sent|Received|Attachment|Reaction|Edited): (.*)$`)
)

// formOf finds out what wrote a file that begins with head.
func formOf(in *doc.Input) form {
	head := bytes.TrimLeft(bytes.TrimPrefix(in.Head, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(head) == 0 {
		return none
	}
	switch head[0] {
	case '{':
		line, _, _ := bytes.Cut(head, []byte("\n"))
		shape := jsonstream.Shape(line)
		if shape[".date"] && shape[".sender"] && shape[".body"] && (shape[".reactions"] || shape[".attachments"] || shape[".quote"]) {
			return lines
		}
		return none
	case '[':
		shape := jsonstream.Shape(head)
		if shape["[].conversationId"] && (shape["[].sent_at"] || shape["[].body"]) {
			return raw
		}
	}
	found := none
	n, of := 0, 0
	for _, l := range talk.Head(in.Head, 40) {
		if strings.TrimSpace(l) == "" {
			continue
		}
		of++
		switch {
		case of == 1 && strings.HasPrefix(l, "Conversation: "):
			found = long
		case of == 1 && markdownLine().MatchString(l):
			found = markdown
		case of == 1 && shortLine().MatchString(l):
			found = short
		case of == 1:
			return none
		}
		switch found {
		case long:
			if longField().MatchString(l) {
				n++
			}
		case markdown:
			if markdownLine().MatchString(l) {
				n++
			}
		case short:
			if shortLine().MatchString(l) {
				n++
			}
		}
	}
	if found == long && n < 2 || n*4 < of {
		return none
	}
	return found
}

// Detect implements doc.Reader. Short text is like that of other programs, so that its place has to tell.
func (Reader) Detect(in *doc.Input) int {
	base := strings.ToLower(path.Base(in.Rel))
	switch formOf(in) {
	case lines, raw, long:
		return 95
	case markdown:
		switch {
		case base == "chat.md" || base == "index.md":
			return 96
		case strings.HasSuffix(base, ".md"):
			return 91 // before notes in Markdown
		}
		return 80 // WhatsApp writes so in some languages
	case short:
		if path.Ext(base) == ".txt" && (strings.Contains(base, "(+") || strings.Contains(strings.ToLower(in.Rel+in.Root), "signal")) {
			return 92
		}
		return 40
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
	name := chatName(in)
	x := &chat{ctx: ctx, emit: emit, rel: in.Rel, name: name}
	switch fm := formOf(in); fm {
	case lines:
		err = x.records(f)
	case raw:
		err = x.rows(f)
	default:
		err = x.text(f, in.Head, fm)
	}
	if err != nil {
		return doc.Report{}, err
	}
	n := 0
	if x.w != nil {
		if err := x.w.Close(); err != nil {
			return doc.Report{}, err
		}
		n = x.w.Emitted()
	}
	if x.bad > 0 {
		x.troubles.Note("%d messages are damaged, too large or without a time", x.bad)
	}
	return x.troubles.Report(n), nil
}

// chat is the state of reading one file.
type chat struct {
	ctx      context.Context
	emit     doc.Emit
	rel      string
	name     string
	w        *talk.Writer
	troubles talk.Troubles
	bad      int

	cur  *talk.Message // of the forms in lines of text
	body strings.Builder
}

func (x *chat) add(m talk.Message) error {
	if x.w == nil {
		r := talk.Room{SourceID: "signal:" + talk.Source(x.name), Title: talk.Name(x.name)}
		x.w = talk.New(x.ctx, x.emit, r)
	}
	m.Text = talk.Tidy(m.Text)
	return x.w.Add(m)
}

func author(name string) doc.Person {
	name = talk.Name(name)
	if strings.EqualFold(name, "You") {
		return talk.Me()
	}
	return doc.Person{Name: name}
}

// text reads the forms that are lines of text.
func (x *chat) text(f io.Reader, head []byte, fm form) error {
	read := talk.NewLines(f, head)
	l := longState{x: x}
	for {
		line, err := read.Next()
		if err != nil {
			x.troubles.EndedAt(err, read.Number())
			break
		}
		if read.Number()%1024 == 0 && x.ctx.Err() != nil {
			return x.ctx.Err()
		}
		ref := x.rel + "#L" + strconv.Itoa(read.Number())
		var m []string
		switch fm {
		case long:
			if err := l.line(line, ref); err != nil {
				return err
			}
			continue
		case short:
			m = shortLine().FindStringSubmatch(line)
		default:
			m = markdownLine().FindStringSubmatch(line)
		}
		if m == nil {
			x.goOn(line)
			continue
		}
		if err := x.flush(fm); err != nil {
			return err
		}
		at := talk.Stamp(m[1] + " " + m[2])
		if at.IsZero() {
			x.bad++
			continue
		}
		x.cur = &talk.Message{Author: author(m[3]), Time: at, Ref: ref}
		x.body.WriteString(m[4])
	}
	return x.flush(fm)
}

// goOn adds a line to the message that is being read.
func (x *chat) goOn(line string) {
	if x.cur != nil && x.body.Len() < maxMessage {
		x.body.WriteByte('\n')
		x.body.WriteString(line)
	}
}

func (x *chat) flush(fm form) error {
	if x.cur == nil {
		return nil
	}
	m := *x.cur
	x.cur = nil
	m.Text = x.body.String()
	x.body.Reset()
	switch fm {
	case short:
		m.Text = withoutDetails(m.Text)
	case markdown:
		m.Text = withoutMarks(m.Text)
	}
	return x.add(m)
}

var (
	details   = talk.Pattern(`^\[(?:reply to [^\]\n]*|edited|\d+ attachments?|[a-z-]+ message)(?:, (?:edited|\d+ attachments?))*\] ?`)
	reactions = talk.Pattern(`\n\(- [^\n]* -\)`)
	sticker   = talk.Pattern(`\n?\(\( [^\n]* \)\)`)
	media     = talk.Pattern(`!?\[([^\]\n]*)\]\(\.{1,2}/[^)\n]*\) {0,2}`)
)

func withoutDetails(s string) string { return details().ReplaceAllString(s, "") }

// withoutMarks drops what signal-export adds to a text: reactions, stickers, pictures. Other files are
// named.
func withoutMarks(s string) string {
	s = reactions().ReplaceAllString(s, "")
	s = sticker().ReplaceAllString(s, "")
	s = media().ReplaceAllStringFunc(s, func(link string) string {
		name := media().FindStringSubmatch(link)[1]
		if strings.HasPrefix(link, "!") || !document(name) {
			return ""
		}
		return "[file: " + talk.Name(name) + "]"
	})
	s = strings.TrimSpace(s)
	for strings.HasPrefix(s, ">") { // what is answered
		_, s, _ = strings.Cut(s, "\n")
		s = strings.TrimLeft(s, "\n")
	}
	if s == "(This message was deleted)" {
		return ""
	}
	return s
}

// document reports whether a file's name says something.
func document(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case "", ".jpg", ".jpeg", ".png", ".gif", ".webp", ".mp4", ".mov", ".m4a", ".aac", ".ogg", ".opus", ".mp3", ".heic":
		return false
	}
	return true
}

// longState reads the form in which every message has fields before its text.
type longState struct {
	x      *chat
	fields bool // the fields of a message are being read
	who    string
	at     time.Time
	said   bool // by somebody, not told by the program
	quiet  int  // blank lines in front of a line that goes on
	text   bool // of the message, a line was read
	// versions counts those of a message that was edited, of which the first is the newest.
	versions int
	ref      string
}

func (l *longState) line(line, ref string) error {
	x := l.x
	if name, ok := strings.CutPrefix(line, "Conversation: "); ok && x.cur == nil && x.w == nil && !l.fields {
		x.name = bareName(name)
		return nil
	}
	m := longField().FindStringSubmatch(line)
	switch {
	case m != nil && (m[1] == "From" || m[1] == "Type" && !l.fields) && (x.cur == nil || l.quiet > 0):
		if err := x.flush(long); err != nil {
			return err
		}
		*l = longState{x: x, fields: true, ref: ref}
		fallthrough
	case m != nil && l.fields:
		switch m[1] {
		case "From":
			l.who = bareName(m[2])
		case "Type":
			l.said = m[2] == "incoming" || m[2] == "outgoing"
		case "Sent":
			l.at = sent(m[2])
		case "Attachment":
			name, _, _ := strings.Cut(m[2], " (")
			if document(name) && x.cur == nil {
				l.begin()
				x.body.WriteString("[file: " + talk.Name(name) + "]")
			}
		}
		return nil
	case strings.TrimSpace(line) == "":
		l.fields = false
		l.quiet++
		return nil
	case strings.HasPrefix(line, "| Version: "):
		l.versions++
		return nil
	case l.versions > 1, l.versions == 1 && strings.HasPrefix(line, "| Sent: "), !l.text && strings.HasPrefix(line, ">"), strings.HasPrefix(line, "| >"):
		return nil // what it was before, and what it answers
	}
	if l.versions > 0 {
		if line = strings.TrimPrefix(strings.TrimPrefix(line, "|"), " "); line == "" && !l.text {
			return nil
		}
	}
	if x.cur == nil {
		l.begin()
	} else if l.text && l.quiet > 0 {
		x.goOn(strings.Repeat("\n", l.quiet-1))
	}
	l.quiet, l.text = 0, true
	if x.cur != nil {
		x.goOn(line)
	}
	return nil
}

// begin begins the text of a message.
func (l *longState) begin() {
	switch {
	case !l.said:
	case l.at.IsZero():
		l.x.bad++
		l.said = false
	default:
		l.x.cur = &talk.Message{Author: author(l.who), Time: l.at, Ref: l.ref}
	}
}

func sent(s string) time.Time {
	t, err := time.Parse("Mon, 2 Jan 2006 15:04:05 -0700", s)
	if err != nil || !talk.Sane(t) {
		return time.Time{}
	}
	return t
}

// bareName drops the number behind a name: Ada Byron (+49…).
func bareName(s string) string {
	if i := strings.LastIndex(s, " ("); i > 0 && strings.HasSuffix(s, ")") {
		s = s[:i]
	}
	return s
}

// chatName names the chat by the folder of signal-export or the file of sigtop.
func chatName(in *doc.Input) string {
	name := strings.TrimSuffix(path.Base(in.Rel), path.Ext(in.Rel))
	switch strings.ToLower(name) {
	case "chat", "index", "data":
		name = path.Base(path.Dir(in.Rel))
		if name == "." || name == "/" {
			name = in.Root
		}
	}
	if name = talk.Name(bareName(name)); name == "" {
		name = "chat"
	}
	return name
}
