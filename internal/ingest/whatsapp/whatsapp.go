// Package whatsapp reads the chats that WhatsApp exports as text, on iOS ("_chat.txt") and Android
// ("WhatsApp Chat with …"), in any language: stamps are read by their shape, with digits of any script
// and words for the halves of the day of many languages, and the order of day and month is found out from
// all dates of the file. Lines that the program wrote are nobody's and left out.
//
// An export has no time zone; its times are taken as UTC. Each day of a chat is a document of the source
// whatsapp:<chat>. Memory is bounded by a day's messages, a megabyte of one message, and a few thousand
// names.
package whatsapp

import (
	"context"
	"path"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/talk"
)

const (
	maxMessage = 1 << 20 // a longer one is cut off
	maxNames   = 4096
)

// Reader reads exported chats. It implements doc.Reader.
type Reader struct{}

var _ doc.Reader = Reader{}

// New returns a Reader.
func New() Reader { return Reader{} }

// Name implements doc.Reader.
func (Reader) Name() string { return "whatsapp" }

// Version implements doc.Reader.
func (Reader) Version() int { return 2 }

// Detect implements doc.Reader: the first line with text bears a stamp, and so do others, of which some
// are somebody's.
func (Reader) Detect(in *doc.Input) int {
	lines := talk.Head(in.Head, 40)
	stamped, spoken, first := 0, 0, false
	for i, l := range lines {
		if i == 0 && len(l) > 4096 {
			return 0
		}
		_, rest, ok := parse(l)
		if !ok {
			continue
		}
		first = first || stamped == 0 && i == 0
		stamped++
		if _, _, ok := split(rest); ok {
			spoken++
		}
	}
	switch base := strings.ToLower(path.Base(in.Rel)); {
	case !first || spoken == 0:
		return 0
	case base == "_chat.txt" || strings.Contains(base, "whatsapp"):
		return 96
	case stamped >= 2 && stamped*4 >= len(lines):
		return 85
	}
	return 0
}

// A survey is what has to be known of a whole file before its messages are read.
type survey struct {
	judge judge
	names map[string]int
	first string // who seems to have written the first line: on iOS the chat itself
}

// look goes over the file once.
func look(ctx context.Context, in *doc.Input) (*survey, error) {
	s := &survey{names: map[string]int{}}
	f, err := in.Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := talk.NewLines(f, in.Head)
	for {
		l, err := lines.Next()
		if err != nil || lines.Number()%1024 == 0 && ctx.Err() != nil {
			return s, nil // the second reading says why
		}
		st, rest, ok := parse(l)
		if !ok {
			continue
		}
		s.judge.see(st)
		author, text, ok := split(rest)
		if !ok {
			continue
		}
		if s.judge.n == 1 && st.bracket && strings.HasPrefix(text, "\u200e") {
			s.first = author
		}
		if n := s.names[author]; n > 0 || len(s.names) < maxNames {
			s.names[author] = n + 1
		}
	}
}

// Read implements doc.Reader.
func (Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	s, err := look(ctx, in)
	if err != nil {
		return talk.NotOpened(err), nil
	}
	f, err := in.Open()
	if err != nil {
		return talk.NotOpened(err), nil
	}
	defer f.Close()
	x := &chat{
		survey: s, order: s.judge.order(in.ModTime), rel: in.Rel,
		w: talk.New(ctx, emit, talk.Room{SourceID: "whatsapp:" + chatName(in, s), Title: chatName(in, s)}),
	}
	lines := talk.NewLines(f, in.Head)
	for {
		l, err := lines.Next()
		if err != nil {
			x.troubles.EndedAt(err, lines.Number())
			break
		}
		if err := x.line(l, lines.Number()); err != nil {
			return doc.Report{}, err
		}
	}
	if err := x.flush(); err != nil {
		return doc.Report{}, err
	}
	if err := x.w.Close(); err != nil {
		return doc.Report{}, err
	}
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	if x.undated > 0 {
		x.troubles.Note("%d messages have a date that does not exist", x.undated)
	}
	return x.troubles.Report(x.w.Emitted()), nil
}

// A chat is the state of reading one file.
type chat struct {
	*survey
	order    order
	rel      string
	w        *talk.Writer
	troubles talk.Troubles
	cur      *talk.Message
	text     strings.Builder
	undated  int
}

// line takes the next line: a message begins, or goes on.
func (x *chat) line(l string, number int) error {
	st, rest, ok := parse(l)
	if !ok {
		if x.cur != nil && x.text.Len() < maxMessage {
			x.text.WriteByte('\n')
			x.text.WriteString(l[:min(len(l), maxMessage)])
		}
		return nil
	}
	if err := x.flush(); err != nil {
		return err
	}
	author, text, ok := split(rest)
	if !ok || x.names[author] == 1 && saysNothing(author) {
		return nil
	}
	day, ok := st.date(x.order)
	if !ok {
		x.undated++
		return nil
	}
	x.cur = &talk.Message{
		Author: doc.Person{Name: author},
		Time:   day.Add(time.Duration(st.clock())*time.Hour + time.Duration(st.min)*time.Minute + time.Duration(st.s)*time.Second),
		Ref:    x.rel + "#L" + strconv.Itoa(number),
	}
	x.text.WriteString(text)
	return nil
}

// saysNothing reports whether what stands before a colon is no name but a sentence of the program's, such
// as: Alice changed the subject to “Trip: Lisbon”.
func saysNothing(author string) bool {
	return strings.ContainsAny(author, "\"“”„«»「『") || strings.Count(author, " ") > 7
}

func (x *chat) flush() error {
	if x.cur == nil {
		return nil
	}
	m := *x.cur
	raw := x.text.String()
	x.cur = nil
	x.text.Reset()
	m.Text = spoken(raw)
	m.Mentioned = x.called(raw)
	return x.w.Add(m)
}

var call = talk.Pattern("@\u2068([^\u2069\n]{1,100})\u2069")

// called returns whom a text calls by name.
func (x *chat) called(raw string) []doc.Person {
	if !strings.Contains(raw, "@\u2068") {
		return nil
	}
	var out []doc.Person
	for _, m := range call().FindAllStringSubmatch(raw, 20) {
		if n := cleanAuthor(m[1]); n != "" && !strings.HasPrefix(n, "+") {
			out = append(out, doc.Person{Name: n})
		}
	}
	return out
}

// What the names of exported files hold around the name of the chat, by language.
var named = []func() *regexp.Regexp{
	talk.Pattern(`(?i)^.*?whatsapp.*?\s+(?:-|–|with|mit|con|avec|com|met|med|kanssa|z|с контактом|s kontaktem|s kontaktom|s|со?|из|în|cu|dengan|với|με|עם|مع|com)\s+(.+)$`),
	talk.Pattern(`(?i)^与\s*(.+?)\s*的\s*whatsapp`),
	talk.Pattern(`(?i)^與\s*(.+?)\s*的\s*whatsapp`),
	talk.Pattern(`(?i)^(.+?)(?:님과의|との|와의|과의|\s+ile)\s*whatsapp`),
}

var copied = talk.Pattern(`\s*\(\d{1,3}\)$`)

// chatName returns what the chat is called: as the file, its folder or its archive says, else as the
// chat's own first line does.
func chatName(in *doc.Input, s *survey) string {
	base := strings.TrimSuffix(path.Base(in.Rel), path.Ext(in.Rel))
	if n := fromFile(base); n != "" {
		return n
	}
	folder := path.Base(path.Dir(in.Rel))
	for _, f := range []string{folder, in.Root} {
		if n := fromFile(strings.TrimSuffix(f, ".zip")); n != "" {
			return n
		}
	}
	if s.first != "" {
		return talk.Source(s.first)
	}
	for _, n := range []string{base, folder, strings.TrimSuffix(in.Root, ".zip")} {
		if n = talk.Source(copied().ReplaceAllString(n, "")); n != "" && n != "_chat" && n != "." && n != "/" {
			return n
		}
	}
	return "chat"
}

// fromFile returns the chat's name out of a file's, "" when the file's says nothing of WhatsApp.
func fromFile(name string) string {
	name = copied().ReplaceAllString(talk.Name(name), "")
	for _, re := range named {
		if m := re().FindStringSubmatch(name); m != nil {
			return talk.Source(m[1])
		}
	}
	return ""
}
