package chunk

import (
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Silences that end a window of a chat.
const (
	longSilence  = 6 * time.Hour // always, but between a question and its answer
	shortSilence = time.Hour     // when the window holds something already
	answerWithin = 24 * time.Hour
)

// chatTokens is what a window of a chat is packed to. Talk is loose, so that a smaller window than a
// text's brings more of what answers a question into the same room: on LoCoMo 300 finds 0.866 of the
// evidence within 2,000 tokens and 400 finds 0.852.
const (
	chatTokens = 300
	chatTarget = chatTokens * 40
)

// maxAuthor bounds the name before a message, in bytes.
const maxAuthor = 120

// A window is one chunk of a chat: messages that follow each other.
type window struct {
	msgs  []*doc.Message
	lines []string // what stands in the chunk for each of msgs
	cost  int
	bytes int
}

// splitChat packs whole messages, as "author: text", in their order. A window grows from its
// beginning only, so that messages added later leave the earlier windows as they are.
func splitChat(d *doc.Document) []Chunk {
	s := chatSplitter{d: d}
	for i := range d.Messages {
		m := &d.Messages[i]
		body := strings.Trim(m.Text, "\n")
		if blankText(body) {
			continue
		}
		prefix := Prefix(m.Author)
		if len(prefix)+len(body) <= MaxBytes {
			s.add(m, prefix+body)
			continue
		}
		s.flush()
		for _, p := range pack(body, false, MaxBytes-len(prefix)) {
			s.add(m, prefix+body[p.start:p.end])
			s.flush()
		}
	}
	s.flush()
	return s.chunks
}

// Prefix is what stands before each message of somebody.
func Prefix(author doc.Person) string {
	name := clip(oneLine(author.String()), maxAuthor)
	if name == "" {
		return ""
	}
	return name + ": "
}

type chatSplitter struct {
	d      *doc.Document
	cur    window
	chunks []Chunk
}

func (s *chatSplitter) add(m *doc.Message, line string) {
	c := cost(line) + costASCII
	w := &s.cur
	n := len(w.msgs)
	if n == 0 {
		s.push(m, line, c)
		return
	}
	last := w.msgs[n-1]
	switch quiet, asked := m.Time.Sub(last.Time), asks(last.Text); {
	case quiet >= longSilence && !(asked && quiet < answerWithin),
		quiet >= shortSilence && w.cost >= chatTarget/4 && !asked:
		s.flush()
	case w.cost+c <= chatTarget && w.bytes+len(line)+1 <= MaxBytes:
	case asked && n > 1 && s.moves(c, line):
		// A question goes where its answer is.
		question, qc := w.lines[n-1], cost(w.lines[n-1])+costASCII
		w.msgs, w.lines = w.msgs[:n-1], w.lines[:n-1]
		s.flush()
		s.push(last, question, qc)
	default:
		s.flush()
	}
	s.push(m, line, c)
}

// moves reports whether the last message can go to the next window, to stand before line: what
// stays must be a window worth having, and both must fit into the next.
func (s *chatSplitter) moves(c int, line string) bool {
	w := &s.cur
	question := w.lines[len(w.lines)-1]
	qc := cost(question) + costASCII
	return w.cost-qc >= chatTarget/2 && qc+c <= chatTarget && len(question)+len(line)+1 <= MaxBytes
}

func (s *chatSplitter) push(m *doc.Message, line string, c int) {
	w := &s.cur
	w.msgs = append(w.msgs, m)
	w.lines = append(w.lines, line)
	w.cost += c
	w.bytes += len(line) + 1
}

func (s *chatSplitter) flush() {
	w := &s.cur
	if len(w.msgs) == 0 {
		return
	}
	first := w.msgs[0]
	var authors []doc.Person
	var names []string
	for _, m := range w.msgs {
		if m.Author == (doc.Person{}) || slices.Contains(authors, m.Author) {
			continue
		}
		authors = append(authors, m.Author)
		if n := clip(oneLine(m.Author.String()), maxAuthor); n != "" && !slices.Contains(names, n) {
			names = append(names, n)
		}
	}
	day := ""
	if !first.Time.IsZero() {
		day = first.Time.UTC().Format("2 January 2006")
	}
	ref := first.SourceRef
	if ref == "" {
		ref = s.d.SourceRef
	}
	at := first.Time
	if at.IsZero() {
		at = s.d.Time
	}
	s.chunks = append(s.chunks, Chunk{
		Text:      strings.Join(w.lines, "\n"),
		Context:   contextLine(s.d.Title, nil, day),
		Author:    clip(strings.Join(names, ", "), maxContext),
		Authors:   authors,
		SourceRef: ref,
		Time:      at,
	})
	s.cur = window{}
}

// asks reports whether a message ends in a question.
func asks(text string) bool {
	t := strings.TrimRight(text, " \n\t)\"'”’」🙂😊😀😅😂🤔")
	return strings.HasSuffix(t, "?") || strings.HasSuffix(t, "？")
}

// blankText reports whether there is nothing to read in s.
func blankText(s string) bool { return strings.TrimSpace(s) == "" }
