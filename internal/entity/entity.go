// Package entity finds the things that a chunk mentions: addresses, links, handles, tags, dates,
// and the people and organisations that a document's structure names. It is deterministic and holds
// no storage; it guesses no people, places or organisations from prose.
package entity

import (
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Limits of one chunk.
const (
	// MaxMentions bounds the mentions of one chunk. What the structure states and the tags come
	// first, then the text in its order; mentions beyond the bound are left out, those already
	// found go on being counted. What stands for people without a name does not count.
	MaxMentions = 64
	// maxValue bounds a canonical value in bytes; anything longer is machine-made.
	maxValue = 1024
	// maxSurface bounds a written form in bytes; a longer one is stored as its canonical value.
	maxSurface = 512
)

// The kinds that are found by rules. The other kinds of the vocabulary need a model.
const (
	kindEmail    = "email"
	kindURL      = "url"
	kindHandle   = "handle"
	kindHashtag  = "hashtag"
	kindPerson   = "person"
	kindOrg      = "organization"
	kindDatetime = "datetime"
	kindTopic    = "topic"
	// kindAddress is no kind that anybody sees: somebody whom the structure names by an address, a handle
	// or a number alone. The store makes it the person that is known to have it.
	kindAddress = "address"
)

// Input is one chunk as the extractor sees it.
type Input struct {
	Content  string       // the chunk's own text
	Markdown bool         // Content may hold Markdown
	Authors  []doc.Person // who wrote this chunk
	People   []doc.Person // who else the document's structure names: recipients, participants
	Known    []doc.Person // whom Content may call by "@" and their name; they count only where it does
	Tags     []string     // tags of the document and the chunk
}

// A Mention is one entity in the chunk, in one written form.
type Mention struct {
	Kind    string // one of the fifteen kinds
	Value   string // canonical; entity_id is Kind + ":" + Value
	Surface string // as written
	Count   int
}

// Extract returns the mentions of one chunk, each (Kind, Value, Surface) once, in a fixed order:
// authors, other people, tags, then the text from its start. There are at most [MaxMentions].
func Extract(in Input) []Mention {
	c := collector{max: MaxMentions}
	for _, p := range in.Authors {
		c.person(p)
	}
	for _, p := range in.People {
		c.person(p)
	}
	tagged := make(map[string]bool, len(in.Tags))
	for _, t := range in.Tags {
		if v := TopicValue(t); v != "" {
			tagged[v] = true
			c.add(kindTopic, v, strings.TrimSpace(t))
		}
	}
	s := scanner{s: in.Content, c: &c, markdown: in.Markdown, tagged: tagged}
	if strings.IndexByte(in.Content, '@') >= 0 {
		s.names = spokenNames(in.Authors, in.People, in.Known)
	}
	s.run()
	return c.mentions
}

// Hashtags returns the tags written inside s, without their '#', each in the form in which it stands
// there first, at most limit of them.
func Hashtags(s string, limit int) []string {
	if strings.IndexByte(s, '#') < 0 && !strings.Contains(s, wideHash) {
		return nil
	}
	c := collector{max: limit, only: kindHashtag}
	x := scanner{s: s, c: &c, markdown: true}
	x.run()
	var tags []string
	met := make(map[string]bool, len(c.mentions))
	for _, m := range c.mentions {
		if !met[m.Value] {
			met[m.Value] = true
			tags = append(tags, m.Surface[hashLen(m.Surface):])
		}
	}
	return tags
}

// Date returns the first date written in s as YYYY-MM-DD, or YYYY-MM where no day is given, or "".
func Date(s string) string {
	c := collector{max: 1, only: kindDatetime}
	x := scanner{s: s, c: &c}
	x.run()
	if len(c.mentions) == 0 {
		return ""
	}
	return c.mentions[0].Value
}

// A collector gathers mentions, each once.
type collector struct {
	mentions []Mention
	max      int    // mentions beyond it are left out
	only     string // the one kind that is wanted; empty means all
}

// seen counts surface once more when it was met before as kind, which spares working out its value.
func (c *collector) seen(kind, surface string) bool {
	for i := range c.mentions {
		m := &c.mentions[i]
		if len(m.Surface) == len(surface) && m.Kind == kind && m.Surface == surface {
			m.Count++
			return true
		}
	}
	return false
}

func (c *collector) add(kind, value, surface string) {
	if value == "" || len(value) > maxValue || len(c.mentions) >= c.max || c.only != "" && kind != c.only {
		return
	}
	if !utf8.ValidString(value) {
		return
	}
	if len(surface) > maxSurface || surface == "" {
		surface = value
	}
	surface = strings.ToValidUTF8(surface, "\uFFFD")
	for i := range c.mentions {
		m := &c.mentions[i]
		if m.Kind == kind && m.Value == value && m.Surface == surface {
			m.Count++
			return
		}
	}
	c.mentions = append(c.mentions, Mention{Kind: kind, Value: value, Surface: surface, Count: 1})
}

// once adds what the structure states: naming somebody twice there is no second mention.
func (c *collector) once(kind, value, surface string) {
	for i := range c.mentions {
		if c.mentions[i].Kind == kind && c.mentions[i].Value == value {
			return
		}
	}
	c.add(kind, value, surface)
}

func (c *collector) person(p doc.Person) {
	if v := PersonValue(p.Name); v != "" {
		if !machine(p) {
			c.once(kindPerson, v, oneLine(p.Name))
		}
	} else if v := addressValue(p); v != "" {
		before := len(c.mentions)
		c.once(kindAddress, v, v)
		if len(c.mentions) > before && c.max < 2*MaxMentions { // it takes no room from what is seen
			c.max++
		}
	}
	if v := EmailValue(p.Email); v != "" {
		c.once(kindEmail, v, strings.TrimSpace(p.Email))
	}
	if v := HandleValue(p.Handle); v != "" {
		c.once(kindHandle, v, "@"+strings.TrimLeft(strings.TrimSpace(p.Handle), "@"))
	}
	org := p.Org
	if org == "" {
		org = bracketed(p.Name)
	}
	if v := OrganizationValue(org); v != "" {
		c.once(kindOrg, v, oneLine(org))
	}
}

// oneLine joins the words of s by single blanks.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
