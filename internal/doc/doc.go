// Package doc holds what a reader of any format hands to ingest: documents as people know them (a
// mail, a day of a channel, a file), before they are cut into chunks. It holds no parsing and no
// storage. The interchange lines, the exporters and every importer speak in these types.
package doc

import "time"

// Kind is the kind of a source: exactly chat, email or document.
type Kind string

// The kinds.
const (
	KindChat     Kind = "chat"
	KindEmail    Kind = "email"
	KindDocument Kind = "document"
)

// Kinds lists the kinds in the order of the documentation.
var Kinds = []Kind{KindChat, KindEmail, KindDocument}

// Valid reports whether k is one of the three.
func (k Kind) Valid() bool { return k == KindChat || k == KindEmail || k == KindDocument }

// A Person is somebody as a format's structure names them. Any field may be empty.
type Person struct {
	Name   string // as written, decoded: "Alice Moreau"
	Email  string // the bare address
	Handle string // without @
	Phone  string `json:",omitempty"` // as written
	Org    string // organisation, where a contact or a header says so
}

// String returns the name, else the address, else the handle.
func (p Person) String() string {
	switch {
	case p.Name != "":
		return p.Name
	case p.Email != "":
		return p.Email
	}
	return p.Handle
}

// A Document is one item of a source. Body (for chat: the texts of Messages) is the person's own
// text, valid UTF-8, line ends \n; everything else describes it.
type Document struct {
	// SourceID names the source, such as "slack:#eng". Empty means the source of the file or folder
	// that is being ingested.
	SourceID string
	Kind     Kind
	Owner    string
	Tags     []string

	// Key identifies the document inside its source and stays the same when its text changes: a
	// relative path, "channel/2024-05-01", an interchange source_ref. Never empty.
	Key string
	// GlobalKey, when set, identifies the document in the whole store, whatever source brings it:
	// a mail's Message-ID with its sender and date.
	GlobalKey string
	// Identity, when set, is what the document is called in the memory that it was exported from, in
	// place of what would be made of the keys. It belongs to the first file that brings it.
	Identity string

	// Longest says that, when several files hold the document, the one with the most text counts: a day
	// of a chat that was exported twice is whole in the later export only.
	Longest   bool
	SourceRef string // leads back to the very message, page or file
	Title     string
	Author    Person
	To        []Person // other people the structure names: recipients, participants
	// Mentioned are people whom the text calls by "@" and their name, where the structure says who
	// is meant. They count where they are called, not for the whole document.
	Mentioned []Person
	Time      time.Time
	Markdown  bool   // Body has Markdown structure (headings, lists, code)
	Body      string // empty for chat
	// Line is the number, from 1, of the line of the file on which Body begins; 0 means 1. A note
	// whose front matter was cut off begins later.
	Line    int
	Aliases []string
	// Places say where parts of Body stand in the original, in the order of Body: pages, slides,
	// sheets. A document with places has no lines that anybody could look up.
	Places []Place

	Messages []Message // chat only, in time order
}

// A Place is where the original holds what Body has from Offset on.
type Place struct {
	Offset int
	Ref    string // a source_ref such as "report.pdf#page=3"
}

// A Message is one message of a chat, or one mail inside an interchange thread.
type Message struct {
	Author    Person
	Time      time.Time
	Text      string
	SourceRef string
}

// An Outcome is what became of one file.
type Outcome string

// The outcomes.
const (
	OK      Outcome = "ok"      // everything in it was taken in
	Partial Outcome = "partial" // some of it could not be read; the reason says what
	NoText  Outcome = "no_text" // readable, but there is no text in it
	Skipped Outcome = "skipped" // not a kind of file that is taken in, or excluded by a rule
	Failed  Outcome = "failed"  // could not be read
)
