package contacts

import (
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/contentline"
	"github.com/openhuman/openhuman-core/internal/ingest/entries"
)

// Limits of one card.
const (
	maxBytes  = 256 << 10
	maxFields = 2000
	maxPeople = 200
)

// A field is one thing that a card tells.
type field struct {
	group string
	name  string // "Phone"
	value string
	types []string
}

// A card is one contact as it is read.
type card struct {
	line      int
	size      int
	cut       bool
	uid       string
	full      string   // FN
	parts     []string // N: family, given, additional, prefixes, suffixes
	nicknames []string
	org       []string // the organisation and its units
	company   bool
	group     bool
	members   int
	revised   time.Time
	tags      []string
	emails    []string
	phones    []string
	handles   []string
	fields    []field
	labels    map[string]string // by group, Apple's own names for what it holds
}

// take reads one line of the card.
func (c *card) take(l *contentline.Line) {
	c.cut = c.cut || l.Cut && l.Value != ""
	if c.size += len(l.Value); c.size > maxBytes || len(c.fields) >= maxFields {
		c.cut = true
		return
	}
	if strings.TrimSpace(l.Value) == "" {
		return
	}
	one := func() string { return entries.OneLine(contentline.Text(l.Value)) }
	switch l.Name {
	case "FN":
		if c.full == "" {
			c.full = one()
		}
	case "N":
		if c.parts == nil {
			c.parts = trimmed(contentline.Fields(l.Value, ';'))
		}
	case "NICKNAME":
		c.nickname(trimmed(contentline.Fields(l.Value, ','))...)
	case "ORG":
		if c.org == nil {
			c.org = filled(contentline.Fields(l.Value, ';'))
		} else {
			c.add(l, "Organization", strings.Join(filled(contentline.Fields(l.Value, ';')), ", "))
		}
	case "EMAIL":
		v := strings.TrimPrefix(one(), "mailto:")
		c.emails = append(c.emails, v)
		c.add(l, "Email", v)
	case "TEL":
		v := number(one())
		c.phones = append(c.phones, v)
		c.add(l, "Phone", v)
	case "ADR":
		c.add(l, "Address", address(l))
	case "BDAY":
		c.add(l, "Birthday", day(l, one()))
	case "ANNIVERSARY", "X-ANNIVERSARY", "X-EVOLUTION-ANNIVERSARY", "X-KADDRESSBOOK-X-ANNIVERSARY":
		c.add(l, "Anniversary", day(l, one()))
	case "DEATHDATE":
		c.add(l, "Died", day(l, one()))
	case "X-ABDATE":
		c.add(l, "Date", day(l, one()))
	case "CATEGORIES":
		c.tag(trimmed(contentline.Fields(l.Value, ',')))
	case "UID":
		c.uid = one()
	case "REV":
		c.revised = when(one())
	case "KIND", "X-ADDRESSBOOKSERVER-KIND":
		c.group = c.group || strings.EqualFold(one(), "group")
		c.company = c.company || strings.EqualFold(one(), "org")
	case "X-ABSHOWAS":
		c.company = strings.EqualFold(one(), "company")
	case "MEMBER", "X-ADDRESSBOOKSERVER-MEMBER":
		c.members++
	case "X-ABLABEL":
		if c.labels == nil {
			c.labels = map[string]string{}
		}
		label := one()
		if own, ok := strings.CutPrefix(label, "_$!<"); ok { // Apple's own
			label = strings.ToLower(strings.TrimSuffix(own, ">!$_"))
		}
		c.labels[l.Group] = label
	case "X-ANDROID-CUSTOM":
		c.android(contentline.Fields(l.Value, ';'))
	case "X-SOCIALPROFILE":
		c.profile(l, one())
	case "X-PHONETIC-FIRST-NAME", "X-PHONETIC-LAST-NAME", "X-PHONETIC-MIDDLE-NAME", "X-PHONETIC-ORG", "SORT-STRING", "SOUND", "X-MAIDENNAME":
		c.nickname(trimmed(contentline.Fields(l.Value, ';'))...)
	case "NOTE":
		c.add(l, "Note", strings.TrimSpace(contentline.Text(l.Value)))
	default:
		if name := told[l.Name]; name != "" {
			c.add(l, name, one())
		}
	}
}

// told are properties that are shown as they stand.
var told = map[string]string{
	"TITLE": "Job title", "ROLE": "Role", "LABEL": "Address", "URL": "Web", "IMPP": "Chat", "RELATED": "Related",
	"X-ABRELATEDNAMES": "Related", "X-SPOUSE": "Spouse", "X-EVOLUTION-SPOUSE": "Spouse", "X-KADDRESSBOOK-X-SPOUSESNAME": "Spouse",
	"X-MANAGER": "Manager", "X-EVOLUTION-MANAGER": "Manager", "X-ASSISTANT": "Assistant", "X-EVOLUTION-ASSISTANT": "Assistant", "AGENT": "Agent",
	"X-CHILDREN": "Children", "X-PARTNER": "Partner", "X-PROFESSION": "Profession", "X-DEPARTMENT": "Department",
	"X-JABBER": "Jabber", "X-SKYPE": "Skype", "X-SKYPE-USERNAME": "Skype", "X-AIM": "AIM", "X-ICQ": "ICQ", "X-MSN": "MSN", "X-YAHOO": "Yahoo",
	"X-QQ": "QQ", "X-GTALK": "Google Talk", "X-GOOGLE-TALK": "Google Talk", "X-GADUGADU": "Gadu-Gadu", "X-MATRIX": "Matrix", "X-TWITTER": "Twitter", "X-TELEGRAM": "Telegram",
	"X-WECHAT": "WeChat", "X-SIP": "SIP", "X-PHONETIC-NAME": "Pronounced", "BIRTHPLACE": "Born in", "DEATHPLACE": "Died in",
	"EXPERTISE": "Expertise", "HOBBY": "Hobby", "INTEREST": "Interest", "ORG-DIRECTORY": "Directory", "CONTACT-URI": "Web",
}

func (c *card) add(l *contentline.Line, name, value string) {
	if value == "" {
		return
	}
	if f := (field{l.Group, name, value, l.Types()}); !slices.ContainsFunc(c.fields, func(o field) bool { return o.name == name && o.value == value }) {
		c.fields = append(c.fields, f)
	}
}

func (c *card) nickname(names ...string) {
	for _, n := range names {
		if n != "" && !slices.Contains(c.nicknames, n) && len(c.nicknames) < maxPeople {
			c.nicknames = append(c.nicknames, n)
		}
	}
}

// tag takes groups as tags, but for those in which a program has everybody.
func (c *card) tag(tags []string) {
	for _, t := range tags {
		switch strings.ToLower(t) {
		case "", "mycontacts", "* mycontacts", "starred", "* starred", "my contacts", "imported", "contacts":
			continue
		}
		if !slices.Contains(c.tags, t) && len(c.tags) < maxPeople {
			c.tags = append(c.tags, t)
		}
	}
}

// android reads what Android has no property for: its type and then values.
func (c *card) android(parts []string) {
	if len(parts) < 2 || strings.TrimSpace(parts[1]) == "" {
		return
	}
	v := entries.OneLine(parts[1])
	kind := strings.TrimPrefix(parts[0], "vnd.android.cursor.item/")
	l := &contentline.Line{}
	switch kind {
	case "nickname":
		c.nickname(v)
	case "contact_event":
		c.add(l, "Date", readDay(v))
	case "relation":
		c.add(l, "Related", v)
	}
}

// profile reads an account elsewhere.
func (c *card) profile(l *contentline.Line, v string) {
	user := strings.TrimPrefix(v, "x-apple:")
	if u := l.Param("X-USER"); u != "" {
		user = u
	}
	kind := ""
	for _, t := range l.Types() {
		switch t {
		case "pref", "home", "work", "internet":
		default:
			kind = t
		}
	}
	switch kind {
	case "twitter", "telegram", "github", "instagram", "mastodon", "linkedin":
		if !strings.ContainsAny(user, " /:") && len(c.handles) < maxPeople {
			c.handles = append(c.handles, strings.TrimPrefix(user, "@"))
		}
	}
	if v != user && !strings.HasPrefix(v, "x-apple:") {
		user += " " + v
	}
	c.add(l, "Profile", user)
}

// name returns what people call the contact, which is "" when that is not known.
func (c *card) name() string {
	if c.full != "" {
		return c.full
	}
	part := func(i int) string {
		if i < len(c.parts) {
			return c.parts[i]
		}
		return ""
	}
	// Names in Chinese characters have the family in front and no blank.
	family, given := part(0), part(1)
	if family != "" && given != "" && han(family) && han(given) {
		return family + given
	}
	return entries.OneLine(strings.Join([]string{part(3), given, part(2), family, part(4)}, " "))
}

// entry returns the document; whole is false when the card had more than it may.
func (c *card) entry() (e entries.Entry, whole bool) {
	name := c.name()
	org := strings.Join(c.org, ", ")
	person := doc.Person{Name: name}
	if len(c.org) > 0 {
		person.Org = c.org[0]
		if c.company || name == "" || strings.EqualFold(name, person.Org) {
			person.Name = ""
		}
	} else if c.company {
		person.Org, person.Name = name, ""
	}
	d := doc.Document{Title: name, Time: c.revised, Tags: c.tags, Aliases: c.nicknames}
	for _, s := range [][]string{c.org, c.nicknames, c.emails, c.phones} {
		if d.Title == "" && len(s) > 0 {
			d.Title = s[0]
		}
	}
	var b strings.Builder
	line := func(label, value string) {
		if value != "" {
			b.WriteString(label)
			b.WriteString(": ")
			b.WriteString(value)
			b.WriteByte('\n')
		}
	}
	switch {
	case c.group:
		person = doc.Person{}
		line("Group of contacts", d.Title)
	case person.Name == "" && person.Org != "":
		line("Contact (organization)", d.Title)
	default:
		line("Contact", d.Title)
	}
	if c.full != "" {
		// A name in parts may say more than the whole one does.
		for _, p := range c.parts[:min(len(c.parts), 3)] {
			if p != "" && !strings.Contains(c.full, p) {
				c.nickname(p)
			}
		}
	}
	line("Also known as", strings.Join(c.nicknames, ", "))
	d.Aliases = c.nicknames
	if org != d.Title {
		line("Organization", org)
	}
	for _, f := range c.fields {
		v := f.value
		if k := c.kind(f); k != "" {
			v += " (" + k + ")"
		}
		line(f.name, v)
	}
	d.Body = b.String()
	if !c.group {
		d.To = c.people(person)
	}
	if d.Title == "" || len(c.fields) == 0 && org == "" && len(c.nicknames) == 0 && name == "" {
		d.Body = ""
	}
	return entries.Entry{Name: c.uid, Place: place(c.line), Doc: d}, !c.cut
}

// people returns the contact under each of its addresses, numbers and accounts.
func (c *card) people(p doc.Person) []doc.Person {
	var out []doc.Person
	bare := doc.Person{Name: p.Name}
	add := func(q doc.Person) {
		if len(out) == 0 {
			q.Org = p.Org
		}
		if q != (doc.Person{}) && !slices.Contains(out, q) && len(out) < maxPeople {
			out = append(out, q)
		}
	}
	for _, e := range c.emails {
		q := bare
		q.Email = e
		add(q)
	}
	for _, n := range c.phones {
		q := bare
		q.Phone = n
		add(q)
	}
	for _, h := range c.handles {
		q := bare
		q.Handle = h
		add(q)
	}
	if len(out) == 0 {
		add(bare)
	}
	return out
}
