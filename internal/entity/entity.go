// Package entity finds the things that a chunk mentions: addresses, links, handles, tags, dates,
// and the people and organisations that a document's structure names. It is deterministic and holds
// no storage.
package entity

import "github.com/openhuman/openhuman-core/internal/doc"

// Input is one chunk as the extractor sees it.
type Input struct {
	Content  string       // the chunk's own text
	Markdown bool         // Content may hold Markdown
	Authors  []doc.Person // who wrote this chunk
	People   []doc.Person // who else the document's structure names: recipients, participants
	Tags     []string     // tags of the document and the chunk
}

// A Mention is one entity in the chunk, in one written form.
type Mention struct {
	Kind    string // one of the fifteen kinds
	Value   string // canonical; entity_id is Kind + ":" + Value
	Surface string // as written
	Count   int
}

// A Link states that an address or a handle (Kind "email" or "handle") belongs to a person.
type Link struct {
	Kind, Value string // canonical
	Person      string // canonical value of the person
}

// Extract returns the mentions of one chunk, each (Kind, Value, Surface) once, in a fixed order.
func Extract(in Input) []Mention { panic("entity.Extract") }

// Links returns what the structure of a document says about who owns which address.
func Links(people []doc.Person) []Link { panic("entity.Links") }

// PersonValue returns the canonical value of a person's name ("Moreau, Alice" and "alice moreau"
// both give "alice-moreau"), or "" when the name names nobody.
func PersonValue(name string) string { panic("entity.PersonValue") }
