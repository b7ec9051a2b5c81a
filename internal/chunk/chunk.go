// Package chunk cuts a document into the pieces that are searched, ranked and read: about
// TargetTokens each, cut at natural borders, never inside a character. It changes no text, and it
// knows neither formats nor storage.
package chunk

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/text"
)

// Version is raised whenever the same document would give other chunks.
const Version = 1

// Bounds on a chunk.
const (
	// TargetTokens is the size that chunks are packed to. Whole paragraphs may make a chunk a
	// quarter larger, a table or a block of code twice as large. Chats are packed a little tighter,
	// and one message may be as large as MaxBytes.
	TargetTokens = 400
	// MaxBytes is what no chunk exceeds.
	MaxBytes = 8 << 10
	// maxContext bounds the line that describes a chunk, in bytes.
	maxContext = 400
)

// A Chunk is one piece of a document.
type Chunk struct {
	ID        string // 32 hexadecimal digits
	Text      string // the person's own text
	Context   string // title, heading path or date, author: one line
	Author    string // of a chat, everybody who wrote in it
	Authors   []doc.Person
	SourceRef string // leads to the chunk's first message or line
	Time      time.Time
	Tokens    int // text.EstimateTokens of Text
}

// Split cuts d into chunks. identity is what names the document in the whole store; together with
// the text it gives the chunk's id, so that a chunk keeps its id while others of its document change.
func Split(identity string, d *doc.Document) []Chunk {
	var cs []Chunk
	if d.Kind == doc.KindChat {
		cs = splitChat(d)
	} else {
		cs = splitBody(d)
	}
	seen := make(map[string]uint64, len(cs))
	for i := range cs {
		c := &cs[i]
		c.ID = id(identity, c.Text, seen[c.Text])
		seen[c.Text]++
		c.Tokens = text.EstimateTokens(c.Text)
	}
	return cs
}

// id names the n-th chunk with this text in a document.
func id(identity, text string, n uint64) string {
	h := sha256.New()
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(len(identity)))
	h.Write(b[:])
	h.Write([]byte(identity))
	binary.LittleEndian.PutUint64(b[:], n)
	h.Write(b[:])
	h.Write([]byte(text))
	var sum [sha256.Size]byte
	return hex.EncodeToString(h.Sum(sum[:0])[:16])
}

// splitBody cuts the body of a mail or a document.
func splitBody(d *doc.Document) []Chunk {
	body := d.Body
	spans := pack(body, d.Markdown, MaxBytes)
	if len(spans) == 0 && d.Kind == doc.KindEmail && strings.TrimSpace(d.Title) != "" {
		// A mail may say everything in its subject.
		body = d.Title
		spans = pack(body, false, MaxBytes)
	}
	if len(spans) == 0 {
		return nil
	}
	cs := make([]Chunk, len(spans))
	author := oneLine(d.Author.String())
	var authors []doc.Person
	if d.Author != (doc.Person{}) {
		authors = []doc.Person{d.Author}
	}
	line, at := max(d.Line, 1), 0
	file, lines := lineRef(d)
	places := d.Places
	for i, s := range spans {
		c := &cs[i]
		c.Text = body[s.start:s.end]
		c.Context = contextLine(d.Title, s.path, author)
		c.Author, c.Authors, c.Time = author, authors, d.Time
		c.SourceRef = d.SourceRef
		for len(places) > 1 && places[1].Offset <= s.start {
			places = places[1:]
		}
		if len(places) > 0 && places[0].Offset <= s.start {
			c.SourceRef = places[0].Ref
		}
		if lines && i > 0 {
			line += strings.Count(body[at:s.start], "\n")
			at = s.start
			c.SourceRef = file + "#L" + strconv.Itoa(line)
		}
	}
	return cs
}

// lineRef returns the file whose lines a document's chunks can be told by, if there is one.
func lineRef(d *doc.Document) (file string, ok bool) {
	if len(d.Places) > 0 {
		return "", false
	}
	file, line, cut := strings.Cut(d.SourceRef, "#L")
	if cut && strings.Trim(line, "0123456789") != "" {
		return "", false
	}
	return file, d.Kind == doc.KindDocument && file != "" && !strings.ContainsAny(file, "#?") && !strings.Contains(file, "://")
}

// contextLine joins what a reader needs to know beside the text into one line.
func contextLine(title string, path *heading, author string) string {
	title = oneLine(title)
	var b strings.Builder
	b.WriteString(title)
	for i, h := range path.texts() {
		if i == 0 && strings.EqualFold(h, title) {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(" › ")
		}
		b.WriteString(h)
	}
	if author != "" {
		if b.Len() > 0 {
			b.WriteString(" — ")
		}
		b.WriteString(author)
	}
	return clip(b.String(), maxContext)
}

// oneLine makes every run of white space one blank.
func oneLine(s string) string {
	if s == "" {
		return s
	}
	clean := true
	for i := 0; i < len(s) && clean; i++ {
		c := s[i]
		clean = c > ' ' && c < 0x80 || c == ' ' && i > 0 && s[i-1] != ' '
	}
	if clean && s[len(s)-1] != ' ' {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// clip cuts s to at most n bytes, between characters.
func clip(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n -= len("…")
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return strings.TrimRight(s[:n], " ") + "…"
}
