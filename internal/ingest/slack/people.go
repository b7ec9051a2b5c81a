package slack

import (
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// A user is one entry of users.json.
type user struct {
	ID       string  `json:"id"`
	Team     string  `json:"team_id"`
	Name     string  `json:"name"`
	RealName string  `json:"real_name"`
	IsBot    bool    `json:"is_bot"`
	Profile  profile `json:"profile"`
}

// A profile stands in a user and, in newer exports, in every message.
type profile struct {
	Name        string `json:"name"`
	RealName    string `json:"real_name"`
	DisplayName string `json:"display_name"`
	Email       string `json:"email"`
	BotID       string `json:"bot_id"`
}

// people resolves ids.
type people struct {
	byID map[string]doc.Person
	bots map[string]doc.Person // by bot id
	team string
}

// addUsers reads a list of users.
func (p *people) addUsers(r io.Reader) error {
	return eachOf(r, func(dec *json.Decoder) error {
		var u user
		if err := soft(dec.Decode(&u)); err != nil {
			return err
		}
		if u.ID == "" {
			return nil
		}
		if p.team == "" && u.ID != "USLACKBOT" {
			p.team = u.Team
		}
		who := personOf(u.Name, u.RealName, u.Profile)
		if u.IsBot || u.ID == "USLACKBOT" {
			who = bot(who.String())
			if u.Profile.BotID != "" {
				p.bots[u.Profile.BotID] = who
			}
		}
		if _, ok := p.byID[u.ID]; !ok {
			p.byID[u.ID] = who
		}
		return nil
	})
}

// personOf makes a person of what a user or a profile says, preferring the full name.
func personOf(name, realName string, pr profile) doc.Person {
	who := doc.Person{Handle: clean(name), Email: clean(pr.Email)}
	if who.Handle == "" {
		who.Handle = clean(pr.Name)
	}
	for _, n := range []string{realName, pr.RealName, pr.DisplayName, name, pr.Name} {
		if who.Name = clean(n); who.Name != "" {
			break
		}
	}
	return who
}

// bot returns an author that is no person.
func bot(name string) doc.Person { return doc.Person{Handle: clean(name)} }

// author returns who wrote m.
func (p *people) author(m *message) doc.Person {
	id := m.User
	if id == "" && m.Comment != nil {
		id = m.Comment.User
	}
	who, known := p.byID[id]
	if known && who.Name != "" && m.Subtype != "bot_message" {
		return who // also when an app wrote it on their behalf
	}
	if m.Subtype == "bot_message" || m.BotID != "" {
		switch {
		case clean(m.Username) != "":
			return bot(m.Username)
		case m.BotProfile != nil && clean(m.BotProfile.Name) != "":
			return bot(m.BotProfile.Name)
		}
		if b, ok := p.bots[m.BotID]; ok {
			return b
		}
		if !known {
			return doc.Person{} // a bare id of an app says nothing
		}
	}
	if known {
		return who
	}
	if m.UserProfile != nil {
		if who := personOf("", "", *m.UserProfile); who != (doc.Person{}) {
			return who
		}
	}
	if n := clean(m.Username); n != "" {
		return bot(n)
	}
	return doc.Person{Handle: clean(id)}
}

// find returns whom an id in a text means.
func (p *people) find(id string) (doc.Person, bool) {
	who, ok := p.byID[id]
	return who, ok
}

// A room is a channel, a private channel, or a conversation of few, as its list describes it.
type room struct {
	ID      string   `json:"id"`
	Name    string   `json:"name"`
	Members []string `json:"members"`
	direct  bool
}

// lists is who and what an export is about.
type lists struct {
	people people
	rooms  []room
}

// listNames are the files that say it, in the order in which they count.
var listNames = [...]string{"users.json", "org_users.json", "channels.json", "groups.json", "mpims.json", "dms.json"}

// readLists reads the lists that open finds; one that is damaged is named and left.
func readLists(open func(name string) (io.ReadCloser, bool)) (l lists, damaged []string) {
	l.people = people{byID: map[string]doc.Person{}, bots: map[string]doc.Person{}}
	for _, name := range listNames {
		rc, ok := open(name)
		if !ok {
			continue
		}
		var err error
		switch name {
		case "users.json", "org_users.json":
			err = l.people.addUsers(rc)
		default:
			err = l.addRooms(rc, name == "mpims.json" || name == "dms.json")
		}
		rc.Close()
		if err != nil {
			damaged = append(damaged, name)
		}
	}
	return l, damaged
}

// addRooms reads a list of channels or of direct messages.
func (l *lists) addRooms(r io.Reader, direct bool) error {
	return eachOf(r, func(dec *json.Decoder) error {
		rm := room{}
		if err := soft(dec.Decode(&rm)); err != nil {
			return err
		}
		rm.direct = direct
		if rm.ID != "" {
			l.rooms = append(l.rooms, rm)
		}
		return nil
	})
}

// A channel is a folder of days with what the lists say about it.
type channel struct {
	id       string // Slack's id, or the folder's name where no list has it
	known    bool
	sourceID string
	title    string
	members  []doc.Person // of direct messages
	days     []day
}

// byFolder returns the rooms by the names that their folders can have.
func (l *lists) byFolder() map[string]room {
	m := make(map[string]room, 2*len(l.rooms))
	for _, r := range slices.Backward(l.rooms) {
		m[r.ID] = r
		if r.Name != "" {
			m[r.Name] = r
		}
	}
	return m
}

// channel returns what is known about the channel of a folder; r is its room where there is one.
func (l *lists) channel(folder string, r room, known bool) channel {
	c := channel{id: folder, title: "#" + clean(folder)}
	if known {
		c.id, c.known = r.ID, true
		if r.Name != "" {
			c.title = "#" + clean(r.Name)
		}
	}
	c.sourceID = "slack:" + c.title
	if known && r.direct && len(r.Members) > 0 {
		c.sourceID, c.title, c.members = l.parties(r.Members)
	}
	return c
}

// parties names a conversation by who takes part in it.
func (l *lists) parties(ids []string) (sourceID, title string, members []doc.Person) {
	var parts, names []string
	for _, id := range ids {
		who, ok := l.people.find(id)
		if !ok {
			who = doc.Person{Handle: clean(id)}
		}
		part := strings.ToLower(who.Email)
		if part == "" {
			part = "@" + who.Handle
		}
		if part = strings.ReplaceAll(part, "|", ""); slices.Contains(parts, part) {
			continue
		}
		parts = append(parts, part)
		names = append(names, who.String())
		members = append(members, who)
	}
	slices.Sort(parts)
	slices.Sort(names)
	return "slack:" + strings.Join(parts, "|"), strings.Join(names, " ↔ "), members
}

// clean returns s as one line of valid UTF-8.
func clean(s string) string {
	return strings.Join(strings.Fields(strings.ToValidUTF8(s, "\uFFFD")), " ")
}
