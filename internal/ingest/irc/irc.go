// Package irc reads the logs that IRC clients keep: irssi, WeeChat, HexChat, ZNC and others that write a
// time, a nick in angle brackets and a text. Who joined and left is nobody's word and left out; what
// somebody says of themselves ("* ada waves") is kept.
//
// A channel is the source irc:<network>#<channel>, a talk with one person irc:<network>@<nick>, both named
// by the folders and names that the clients give their logs; every day is a document. Logs have no time
// zone; their times are taken as UTC. Memory is bounded by a day of one log.
package irc

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

// Reader reads logs. It implements doc.Reader.
type Reader struct{}

var _ doc.Reader = Reader{}

// New returns a Reader.
func New() Reader { return Reader{} }

// Name implements doc.Reader.
func (Reader) Name() string { return "irc" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// Detect implements doc.Reader: lines that are a client's, and a day for them.
func (Reader) Detect(in *doc.Input) int {
	lines := talk.Head(in.Head, 60)
	said, mine, dated := 0, 0, !dateInName(in.Rel).IsZero()
	for _, l := range lines {
		l = strings.TrimSpace(withoutColours(l))
		if l == "" {
			mine++
			continue
		}
		if _, ok := border(l); ok {
			mine++
			dated = true
			continue
		}
		e, ok := parse(l)
		if !ok {
			continue
		}
		mine++
		if e.text != "" {
			said++
		}
		dated = dated || e.date || e.month > 0
	}
	switch {
	case mine == 0 || mine*10 < len(lines)*8 || said == 0 && !logName(in.Rel):
		return 0
	case dated:
		return 85
	case said >= 3 && logName(in.Rel):
		return 60 // no day anywhere: that of the file
	}
	return 0
}

// An entry is a line of a log.
type entry struct {
	at         time.Time // a time of day, with its date where date says so
	date       bool
	month, day int // where the line has those but no year
	nick, text string
}

var (
	// 2024-05-01 12:34:56<tab>nick<tab>text, as WeeChat writes.
	weechat = talk.Pattern(`^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2})\t([^\t]*)\t(.*)$`)
	// May 01 12:34:56 <nick><tab>text, as HexChat writes, in any language's short names of months.
	hexchat = talk.Pattern(`^(\pL{3,5})\.? (\d{1,2}) (\d{2}:\d{2}:\d{2}) (<[^>]+>|\*|\*\t?)[ \t]+(.*)$`)
	// [12:34:56] <nick> text, 12:34 <@nick> text, 2024-05-01T12:34:56 <nick> text: ZNC, irssi and others.
	common = talk.Pattern(`^\[?(?:(\d{4}-\d{2}-\d{2})[T ])?(\d{1,2}:\d{2}(?::\d{2})?)(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?\]?\s+(.*)$`)
	spoken = talk.Pattern(`^<([ @+%&~!]*[^<>\s]{1,64})>(?: (.*))?$`)
	action = talk.Pattern(`^\* ([^\s*]{1,64}) (.*)$`)
	status = talk.Pattern(`^(?:-[^\s-]{1,64}-|\* [^\s*]{1,64}:|-!-|-{2,3}|\*{3}|-->|<--|={2,3}|==)(?: |$)`)
)

// parse reads a line; of what the client tells, text is empty.
func parse(l string) (e entry, ok bool) {
	if m := weechat().FindStringSubmatch(l); m != nil {
		at, err := time.Parse("2006-01-02 15:04:05", m[1]+" "+m[2])
		if err != nil {
			return e, false
		}
		e = entry{at: at, date: true}
		switch nick := strings.TrimSpace(m[3]); nick {
		case "", "-->", "<--", "--", "=!=", "*":
			if nick == "*" || nick == " *" {
				e.nick, e.text, _ = strings.Cut(m[4], " ")
			}
		default:
			e.nick, e.text = nick, m[4]
		}
		e.nick = cleanNick(e.nick)
		return e, true
	}
	if m := hexchat().FindStringSubmatch(l); m != nil {
		e.month, ok = months[strings.ToLower(m[1])]
		day, err := strconv.Atoi(m[2])
		at, err2 := time.Parse("15:04:05", m[3])
		if !ok || err != nil || err2 != nil || day < 1 || day > 31 {
			return e, false
		}
		e.day, e.at = day, at
		if n := strings.Trim(m[4], "<>"); n != "*" && n != "*\t" {
			e.nick, e.text = cleanNick(n), m[5]
		} else if nick, rest, found := strings.Cut(m[5], " "); found && !told(rest) {
			e.nick, e.text = cleanNick(nick), rest
		}
		return e, true
	}
	m := common().FindStringSubmatch(l)
	if m == nil {
		return e, false
	}
	layout := "15:04"
	if strings.Count(m[2], ":") == 2 {
		layout += ":05"
	}
	at, err := time.Parse(layout, m[2])
	if err != nil {
		return e, false
	}
	e.at = at
	if m[1] != "" {
		if at, err = time.Parse("2006-01-02 "+layout, m[1]+" "+m[2]); err != nil {
			return e, false
		}
		e.at, e.date = at, true
	}
	rest := m[3]
	switch {
	case status().MatchString(rest):
		return e, true
	}
	if m := spoken().FindStringSubmatch(rest); m != nil {
		e.nick, e.text = cleanNick(m[1]), m[2]
		return e, true
	}
	if m := action().FindStringSubmatch(rest); m != nil {
		if told(m[2]) {
			return e, true
		}
		e.nick, e.text = cleanNick(m[1]), m[2]
		return e, true
	}
	return e, false
}

// told reports whether what stands behind a name tells that they came or went, and so on.
func told(s string) bool {
	for _, p := range []string{"has joined", "has quit", "has left", "is now known as", "sets mode", "has changed", "gives ", "removes ", "has kicked", "(", "sets ban", "has set", "talking on", "for #"} {
		if strings.HasPrefix(s, p) {
			return true
		}
	}
	return false
}

// cleanNick drops the signs of rank before a nick.
func cleanNick(s string) string {
	return talk.Name(strings.TrimLeft(strings.TrimSpace(s), "@+%&~! "))
}

// The short names of months that clients write, in the languages that have their own.
var months = map[string]int{
	"jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6, "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
	"mär": 3, "mai": 5, "okt": 10, "dez": 12, "janv": 1, "févr": 2, "mars": 3, "avr": 4, "juin": 6, "juil": 7, "août": 8, "sept": 9, "déc": 12,
	"ene": 1, "abr": 4, "ago": 8, "dic": 12, "gen": 1, "mag": 5, "giu": 6, "lug": 7, "set": 9, "ott": 10, "fev": 2, "out": 10, "maj": 5, "mei": 5, "mrt": 3,
	"янв": 1, "фев": 2, "мар": 3, "апр": 4, "мая": 5, "май": 5, "июн": 6, "июл": 7, "авг": 8, "сен": 9, "окт": 10, "ноя": 11, "дек": 12,
}

var borders = []func() *regexp.Regexp{
	// irssi: --- Log opened Wed May 01 12:00:00 2024, --- Day changed Thu May 02 2024
	talk.Pattern(`^--- (?:Log opened|Log closed|Day changed) .*?(\pL{3,5})\.? (\d{1,2})(?: \d{2}:\d{2}:\d{2})? (\d{4})$`),
	// HexChat and XChat: **** BEGIN LOGGING AT Wed May  1 12:00:00 2024
	talk.Pattern(`^\*\*\*\* (?:BEGIN|ENDING) LOGGING AT .*?(\pL{3,5})\.? +(\d{1,2}) \d{2}:\d{2}:\d{2} (\d{4})$`),
	// mIRC: Session Start: Wed May 01 12:00:00 2024
	talk.Pattern(`^Session (?:Start|Close|Time): .*?(\pL{3,5})\.? +(\d{1,2}) \d{2}:\d{2}:\d{2} (\d{4})$`),
}

// border reads a line that says which day begins or ends.
func border(l string) (day time.Time, ok bool) {
	if !strings.HasPrefix(l, "---") && !strings.HasPrefix(l, "****") && !strings.HasPrefix(l, "Session ") {
		return day, false
	}
	for _, re := range borders {
		m := re().FindStringSubmatch(l)
		if m == nil {
			continue
		}
		month, known := months[strings.ToLower(m[1])]
		d, err := strconv.Atoi(m[2])
		y, err2 := strconv.Atoi(m[3])
		if !known || err != nil || err2 != nil || d < 1 || d > 31 || y < 1988 || y > 2100 {
			return day, false
		}
		return time.Date(y, time.Month(month), d, 0, 0, 0, 0, time.UTC), true
	}
	return day, strings.HasPrefix(l, "Session Ident")
}

// Colours and other marks that clients put into texts.
var colours = talk.Pattern("\x03(?:\\d{1,2}(?:,\\d{1,2})?)?|\x04[0-9a-fA-F]{0,6}|[\x02\x0f\x11\x16\x1d\x1e\x1f]")

func withoutColours(s string) string {
	if strings.IndexFunc(s, func(r rune) bool { return r < ' ' && r != '\t' }) < 0 {
		return s
	}
	return colours().ReplaceAllString(s, "")
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
	day := dateInName(in.Rel)
	if day.IsZero() {
		day = in.ModTime.UTC().Truncate(24 * time.Hour)
	}
	w := talk.New(ctx, emit, room(in))
	var troubles talk.Troubles
	lines := talk.NewLines(f, in.Head)
	odd := 0
	for {
		l, err := lines.Next()
		if err != nil {
			troubles.EndedAt(err, lines.Number())
			break
		}
		if lines.Number()%1024 == 0 && ctx.Err() != nil {
			return doc.Report{}, ctx.Err()
		}
		l = strings.TrimRight(withoutColours(l), " \t\r")
		if d, ok := border(l); ok {
			if !d.IsZero() {
				day = d
			}
			continue
		}
		e, ok := parse(l)
		switch {
		case !ok:
			if strings.TrimSpace(l) != "" {
				odd++
			}
			continue
		case e.date:
			day = e.at.Truncate(24 * time.Hour)
		case e.month > 0:
			day = time.Date(yearOf(day, e.month), time.Month(e.month), e.day, 0, 0, 0, 0, time.UTC)
		}
		if e.text == "" {
			continue
		}
		at := day.Add(time.Duration(e.at.Hour())*time.Hour + time.Duration(e.at.Minute())*time.Minute + time.Duration(e.at.Second())*time.Second)
		err = w.Add(talk.Message{
			Author: doc.Person{Handle: e.nick}, Time: at, Text: talk.Tidy(e.text), Ref: in.Rel + "#L" + strconv.Itoa(lines.Number()),
		})
		if err != nil {
			return doc.Report{}, err
		}
	}
	if err := w.Close(); err != nil {
		return doc.Report{}, err
	}
	if odd*2 > lines.Number() { // a few are what this client tells in its own way
		troubles.Note("%d lines are none that a client writes", odd)
	}
	return troubles.Report(w.Emitted()), nil
}

// yearOf returns the year of a month that follows a day: at the turn of the year it is the next one.
func yearOf(day time.Time, month int) int {
	if int(day.Month()) >= 11 && month <= 2 {
		return day.Year() + 1
	}
	return day.Year()
}

var (
	isoDate   = talk.Pattern(`(\d{4})[-_.]?(\d{2})[-_.]?(\d{2})`)
	dateParts = talk.Pattern(`[-_.]?\d{4}[-_.]?\d{2}[-_.]?\d{2}`)
)

// dateInName returns the day that a log is named by, as ZNC and others do.
func dateInName(rel string) time.Time {
	for _, m := range isoDate().FindAllStringSubmatch(path.Base(rel), 3) {
		if t, err := time.Parse("20060102", m[1]+m[2]+m[3]); err == nil && talk.Sane(t) {
			return t
		}
	}
	return time.Time{}
}

// logName reports whether a file is called as logs are.
func logName(rel string) bool {
	switch strings.ToLower(path.Ext(rel)) {
	case ".log", ".weechatlog":
		return true
	}
	return strings.HasPrefix(path.Base(rel), "#")
}

// room names the channel by the file and its folders.
func room(in *doc.Input) talk.Room {
	network, name := "", strings.TrimSuffix(path.Base(in.Rel), path.Ext(in.Rel))
	folders := strings.Split(path.Dir(in.Rel), "/")
	if folders[0] == "." {
		folders = nil
	}
	up := func() string {
		for len(folders) > 0 {
			f := folders[len(folders)-1]
			folders = folders[:len(folders)-1]
			switch strings.ToLower(f) {
			case "log", "logs", "irclogs", "moddata", "users", "irc", "scrollback", "":
				continue
			}
			if strings.Trim(f, "0123456789-") == "" { // years and months
				continue
			}
			return f
		}
		return ""
	}
	switch base := strings.TrimSpace(dateParts().ReplaceAllString(name, "")); {
	case strings.HasPrefix(name, "irc."): // WeeChat: irc.libera.#go
		parts := strings.SplitN(name, ".", 3)
		network, name = parts[1], base
		if len(parts) == 3 {
			name = parts[2]
		}
	case base == "": // ZNC: libera/#go/2024-05-01.log
		name, network = up(), up()
	default:
		name, network = base, up()
		if i := strings.LastIndexByte(name, '.'); i > 1 && name[0] == '#' && network == "" { // mIRC: #go.libera
			name, network = name[:i], name[i+1:]
		}
		// ZNC of old: user_libera_#go_20240501, HexChat: libera-#go
		if before, channel, ok := strings.Cut(name, "#"); ok && before != "" {
			network, name = strings.Trim(before, "-_ "), "#"+channel
			if i := strings.LastIndexByte(network, '_'); i >= 0 {
				network = network[i+1:]
			}
		}
	}
	name = strings.Trim(talk.Source(name), "_")
	if name == "" {
		name = talk.Source(strings.TrimSuffix(in.Root, path.Ext(in.Root)))
	}
	network = talk.Source(strings.ReplaceAll(network, "#", ""))
	r := talk.Room{Title: name}
	if !strings.HasPrefix(name, "#") && !strings.HasPrefix(name, "&") {
		r.Members = []doc.Person{{Handle: name}}
		name = "@" + name
	}
	r.SourceID = "irc:" + network + name
	if network != "" {
		r.Title = network + " " + r.Title
	}
	return r
}
