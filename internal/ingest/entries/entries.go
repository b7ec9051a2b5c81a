// Package entries holds what the readers of address books, calendars and bookmarks share: a file is a list
// of small things, each of which becomes a document of its own, once, with a reference that leads back to
// it. What such a thing says is its reader's business.
package entries

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
)

const (
	// maxTold bounds how many entries of a file are compared with each other. Beyond it an entry that
	// stands twice is taken for one by the store.
	maxTold = 200_000
	// maxTitle and maxKey bound a title, and the part of a key that the entry gives, in bytes.
	maxTitle = 300
	maxKey   = 200
	maxNotes = 5
)

// An Entry is one thing of the list.
type Entry struct {
	Name  string // what the file knows it by, "" when that is its title
	Place string // leads to it within the file: "L12"
	Doc   doc.Document
}

// A Writer makes documents of entries.
type Writer struct {
	ctx  context.Context // of the Read that it serves
	in   *doc.Input
	emit doc.Emit
	what string // "contacts"

	seed   maphash.Seed
	texts  map[uint64]bool
	keys   map[uint64]int
	n      int
	notes  []string
	more   int
	unseen bool
}

// New returns a Writer for one file; what names its entries for people, in the plural.
func New(ctx context.Context, in *doc.Input, what string, emit doc.Emit) *Writer {
	return &Writer{ctx: ctx, in: in, emit: emit, what: what, seed: maphash.MakeSeed(), texts: map[uint64]bool{}, keys: map[uint64]int{}}
}

// Emitted returns how many documents came of it.
func (w *Writer) Emitted() int { return w.n }

// Add emits the document of an entry, unless the same was emitted before.
func (w *Writer) Add(e Entry) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	d := e.Doc
	d.Body = strings.TrimSpace(d.Body)
	if d.Body == "" {
		return nil
	}
	d.Title = Clip(OneLine(d.Title), maxTitle)
	if d.Title == "" {
		d.Title = doc.FileTitle(w.in.Rel)
	}
	if d.Time.IsZero() {
		d.Time = w.in.ModTime
	}
	// Two files that hold the same entry, such as an export and the one of last year, hold one document.
	sum := digest(append([]string{w.what, d.Title, d.Body}, d.Tags...))
	text := binary.LittleEndian.Uint64(sum[:])
	if w.texts[text] {
		return nil
	}
	if len(w.texts) < maxTold {
		w.texts[text] = true
	}
	d.Kind = doc.KindDocument
	d.GlobalKey = w.what + "#" + hex.EncodeToString(sum[:16])
	name := Clip(OneLine(e.Name), maxKey)
	if name == "" {
		name = Clip(d.Title, maxKey)
	}
	d.Key = w.in.Rel + "#" + name
	k := maphash.String(w.seed, d.Key)
	switch n := w.keys[k]; {
	case n > 0:
		w.keys[k]++
		d.Key += "/" + hex.EncodeToString(sum[:8])
	case len(w.keys) < maxTold:
		w.keys[k] = 1
	default:
		d.Key += "/" + strconv.Itoa(w.n)
	}
	d.SourceRef = w.in.Rel + "#" + e.Place
	d.Places = []doc.Place{{Ref: d.SourceRef}}
	w.n++
	return w.emit(&d)
}

func digest(parts []string) [sha256.Size]byte {
	h := sha256.New()
	for _, p := range parts {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(p)))
		h.Write(n[:])
		h.Write([]byte(p))
	}
	var sum [sha256.Size]byte
	h.Sum(sum[:0])
	return sum
}

// Note notes what was seen and not taken in.
func (w *Writer) Note(format string, args ...any) {
	if len(w.notes) == maxNotes {
		w.more++
		return
	}
	w.notes = append(w.notes, fmt.Sprintf(format, args...))
}

// Unseen notes what could not be read, so that nobody knows what it held.
func (w *Writer) Unseen(format string, args ...any) {
	w.unseen = true
	w.Note(format, args...)
}

// Report says what became of the file.
func (w *Writer) Report() doc.Report {
	reason := strings.Join(w.notes, "; ")
	if w.more > 0 {
		reason += fmt.Sprintf("; and %d more", w.more)
	}
	switch {
	case w.n > 0 && reason == "":
		return doc.Report{Outcome: doc.OK}
	case w.n > 0:
		return doc.Report{Outcome: doc.Partial, Reason: reason, Whole: !w.unseen}
	case w.unseen:
		return doc.Report{Outcome: doc.Failed, Reason: reason}
	case reason == "":
		reason = "there are no " + w.what + " in it"
	}
	return doc.Report{Outcome: doc.NoText, Reason: reason}
}

// OneLine joins the words of s by single blanks.
func OneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// Clip shortens s to at most max bytes, between characters.
func Clip(s string, max int) string {
	if len(s) <= max {
		return s
	}
	for max > 0 && !utf8.RuneStart(s[max]) {
		max--
	}
	return strings.TrimSpace(s[:max])
}
