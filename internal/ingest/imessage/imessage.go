// Package imessage reads the conversations that imessage-exporter writes, as text and as HTML. What
// somebody said is kept; reactions, effects, and what the program tells of a conversation are left out.
// Answers stand in an export below what they answer and again in their place, of which the place counts.
//
// A conversation is the source imessage:<conversation>, every day of it a document. Its times have no zone
// and are taken as UTC. Memory is bounded by a day of a conversation and a megabyte of one message.
package imessage

import (
	"context"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
)

const maxMessage = 1 << 20

// Reader reads conversations as text. It implements doc.Reader.
type Reader struct{}

var _ doc.Reader = Reader{}

// New returns a Reader.
func New() Reader { return Reader{} }

// Name implements doc.Reader.
func (Reader) Name() string { return "imessage" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// Jan 02, 2006  3:04:05 PM, and what the program adds.
var stampLine = talk.Pattern(`^( *)([A-Z][a-z]{2} \d{2}, \d{4} {1,2}\d{1,2}:\d{2}:\d{2} [AP]M)(?: (.*))?$`)

// parseStamp reads the line that begins a message; note is what stands behind the time.
func parseStamp(l string) (at time.Time, indent int, note string, ok bool) {
	m := stampLine().FindStringSubmatch(l)
	if m == nil {
		return at, 0, "", false
	}
	at = readTime(m[2])
	return at, len(m[1]), m[3], !at.IsZero()
}

func readTime(s string) time.Time {
	at, err := time.Parse("Jan 02, 2006 3:04:05 PM", strings.Join(strings.Fields(s), " "))
	if err != nil || !talk.Sane(at) {
		return time.Time{}
	}
	return at
}

// Detect implements doc.Reader: the first line with text is a time as the program writes it, and somebody
// follows.
func (Reader) Detect(in *doc.Input) int {
	lines := talk.Head(in.Head, 20)
	for i, l := range lines {
		if strings.TrimSpace(l) == "" {
			continue
		}
		if _, _, _, ok := parseStamp(l); ok && len(lines) > i+1 {
			return 90
		}
		return 0
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
	x := &conversation{w: talk.New(ctx, emit, room(in))}
	var troubles talk.Troubles
	lines := talk.NewLines(f, in.Head)
	for {
		l, err := lines.Next()
		if err != nil {
			troubles.EndedAt(err, lines.Number())
			break
		}
		if lines.Number()%1024 == 0 && ctx.Err() != nil {
			return doc.Report{}, ctx.Err()
		}
		if err := x.line(l, in.Rel+"#L"+strconv.Itoa(lines.Number())); err != nil {
			return doc.Report{}, err
		}
	}
	if err := x.flush(); err != nil {
		return doc.Report{}, err
	}
	if err := x.w.Close(); err != nil {
		return doc.Report{}, err
	}
	return troubles.Report(x.w.Emitted()), nil
}

// A conversation is the state of reading one.
type conversation struct {
	w      *talk.Writer
	cur    *talk.Message
	named  bool // who wrote it was read
	nested bool // an answer below what it answers
	body   strings.Builder
}

func (x *conversation) line(l, ref string) error {
	if at, indent, note, ok := parseStamp(l); ok {
		if x.nested = indent > 0; x.nested {
			return nil
		}
		if err := x.flush(); err != nil {
			return err
		}
		if note == "" || strings.HasPrefix(note, "(") {
			x.cur, x.named = &talk.Message{Time: at, Ref: ref}, false
		}
		return nil
	}
	switch {
	case x.cur == nil, x.nested && (l == "" || strings.HasPrefix(l, "    ")):
	case !x.named:
		x.cur.Author, x.named = author(l), true
	case x.body.Len() < maxMessage:
		x.nested = false
		x.body.WriteString(l)
		x.body.WriteByte('\n')
	}
	return nil
}

func author(name string) doc.Person {
	switch name = talk.Name(name); name {
	case "Me", "You":
		return talk.Me()
	}
	return doc.Person{Name: name}
}

func (x *conversation) flush() error {
	if x.cur == nil {
		return nil
	}
	m := *x.cur
	x.cur = nil
	m.Text = spoken(x.body.String())
	x.body.Reset()
	return x.w.Add(m)
}

var effects = talk.Pattern(`^(?:Sent with [A-Z][\pL ]{2,30}|This message responded to an earlier message\.|This message unsent by .*|(?:You|.{1,60}) unsent (?:a|this) message.*)$`)

// spoken returns what somebody wrote of a message.
func spoken(body string) string {
	var kept []string
	for l := range strings.SplitSeq(body, "\n") {
		bare := strings.TrimSpace(l)
		if bare == "Tapbacks:" || bare == "Reactions:" {
			break
		}
		if effects().MatchString(bare) {
			continue
		}
		if name, ok := attached(bare); ok {
			if name != "" {
				kept = append(kept, "[file: "+name+"]")
			}
			continue
		}
		kept = append(kept, l)
	}
	return talk.Tidy(strings.TrimSpace(strings.ReplaceAll(strings.Join(kept, "\n"), "\ufffc", "")))
}

// attached reports whether a line is the path of a file that was sent, and its name where it says
// something.
func attached(l string) (name string, ok bool) {
	if !strings.HasPrefix(l, "/") && !strings.HasPrefix(l, "attachments/") && !strings.HasPrefix(l, "~/") || !strings.Contains(strings.ToLower(l), "attachments/") {
		return "", false
	}
	ext := strings.ToLower(path.Ext(l))
	if ext == "" || len(ext) > 15 || strings.Contains(ext, " ") {
		return "", false
	}
	return document(path.Base(l)), true
}

// document returns a file's name where it says something: those of pictures and films do not.
func document(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case "", ".jpg", ".jpeg", ".png", ".gif", ".webp", ".heic", ".heics", ".mp4", ".mov", ".m4a", ".caf", ".amr", ".mp3", ".pluginpayloadattachment":
		return ""
	}
	return talk.Name(name)
}

// room names the conversation by its file.
func room(in *doc.Input) talk.Room {
	name := talk.Name(strings.TrimSuffix(path.Base(in.Rel), path.Ext(in.Rel)))
	r := talk.Room{SourceID: "imessage:" + talk.Source(name), Title: name}
	if name != "" && !strings.ContainsAny(name, ",+0123456789") {
		r.Members = []doc.Person{{Name: name}}
	}
	return r
}
