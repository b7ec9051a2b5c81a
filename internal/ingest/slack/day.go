package slack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// A message is one entry of a day's file, as far as it is of use.
type message struct {
	Type        string          `json:"type"`
	Subtype     string          `json:"subtype"`
	Hidden      bool            `json:"hidden"`
	User        string          `json:"user"`
	Username    string          `json:"username"`
	BotID       string          `json:"bot_id"`
	BotProfile  *botProfile     `json:"bot_profile"`
	UserProfile *profile        `json:"user_profile"`
	Text        string          `json:"text"`
	TS          string          `json:"ts"`
	ThreadTS    string          `json:"thread_ts"`
	DeletedTS   string          `json:"deleted_ts"`
	Attachments []attachment    `json:"attachments"`
	Blocks      json.RawMessage `json:"blocks"`
	Files       []file          `json:"files"`
	File        *file           `json:"file"`
	Comment     *comment        `json:"comment"`
	Message     *message        `json:"message"` // of message_changed: the text as it is now
}

// A post is what is kept of a message: little, since a day may have many.
type post struct {
	ts, root  string // its id, and that of the message that began its thread
	at        time.Time
	author    doc.Person
	text      string
	mentioned []doc.Person
	system    bool
	// Of an edit or a deletion: the id of the message that it changes, and when.
	changes, changedAt string
	deleted            bool
}

type botProfile struct {
	Name string `json:"name"`
}

type comment struct {
	User string `json:"user"`
	Text string `json:"comment"`
}

// size is about how much memory p takes.
func (p *post) size() int { return 300 + len(p.text) + 64*len(p.mentioned) }

// system reports whether m is the program's word about itself and nobody's: who came and went, what
// was pinned. A topic or a purpose is somebody's text.
func (m *message) system() bool {
	switch m.Subtype {
	case "channel_join", "channel_leave", "channel_archive", "channel_unarchive", "channel_name",
		"channel_convert_to_private", "channel_convert_to_public", "channel_posting_permissions",
		"group_join", "group_leave", "group_archive", "group_unarchive", "group_name",
		"bot_add", "bot_remove", "bot_enable", "bot_disable", "pinned_item", "unpinned_item", "reminder_add",
		"reminder_delete", "sh_room_created", "sh_room_shared", "huddle_thread", "tombstone", "message_replied",
		"reply_broadcast", "ekm_access_denied", "joiner_notification", "joiner_notification_for_inviter",
		"app_conversation_join", "document_mention", "assistant_app_thread":
		return true
	}
	return m.Hidden
}

// decodeDay reads the messages of a day's file as far as it is whole, and counts those without a
// time, which cannot be placed.
func (x *export) decodeDay(r io.Reader) (posts []*post, undated int, err error) {
	err = eachOf(r, func(dec *json.Decoder) error {
		var m message
		if err := soft(dec.Decode(&m)); err != nil {
			return err
		}
		if p, ok := x.post(&m); ok {
			posts = append(posts, p)
		} else {
			undated++
		}
		return nil
	})
	return posts, undated, err
}

// post works out the time of m, what it says and what it changes; ok is false without a time.
func (x *export) post(m *message) (p *post, ok bool) {
	at, ok := parseTS(m.TS)
	if !ok {
		return nil, false
	}
	p = &post{ts: m.TS, at: at}
	switch m.Subtype {
	case "message_deleted":
		p.changes, p.changedAt, p.deleted = m.DeletedTS, m.TS, true
		p.system = p.changes == ""
		return p, true
	case "message_changed":
		if m.Message == nil || m.Message.TS == "" {
			p.system = true
			return p, true
		}
		p.changedAt = m.TS
		m = m.Message
		p.changes, p.ts, p.deleted = m.TS, m.TS, m.Subtype == "tombstone"
		p.at, _ = parseTS(m.TS)
	}
	if m.system() {
		p.system = true
		return p, true
	}
	if _, ok := parseTS(m.ThreadTS); ok {
		p.root = m.ThreadTS
	}
	w := writer{people: &x.people, rooms: x.rooms}
	p.text = strings.TrimSpace(w.message(m))
	p.mentioned = w.mentioned
	p.author = x.people.author(m)
	return p, true
}

// parseTS reads a time such as 1452846025.000011, which is also a message's id.
func parseTS(ts string) (time.Time, bool) {
	sec, frac, _ := strings.Cut(ts, ".")
	s, err := strconv.ParseInt(sec, 10, 64)
	if err != nil || s < 946684800 || s > 4102444800 || len(frac) > 9 { // 2000 to 2100
		return time.Time{}, false
	}
	micros := int64(0)
	if frac != "" {
		n, err := strconv.ParseUint(frac, 10, 64)
		if err != nil {
			return time.Time{}, false
		}
		micros = int64(n)
		for range 6 - len(frac) {
			micros *= 10
		}
		for range len(frac) - 6 {
			micros /= 10
		}
	}
	return time.Unix(s, micros*1000).UTC(), true
}

// eachOf calls f for each element of the JSON array in r. An element is decoded by f.
func eachOf(r io.Reader, f func(*json.Decoder) error) error {
	dec := json.NewDecoder(r)
	t, err := dec.Token()
	if err != nil {
		return err
	}
	if t != json.Delim('[') {
		return fmt.Errorf("a list was expected")
	}
	for dec.More() {
		if err := f(dec); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	return err
}

// soft forgives a field of another type than expected: everything else of the element was decoded.
func soft(err error) error {
	var t *json.UnmarshalTypeError
	if errors.As(err, &t) {
		return nil
	}
	return err
}
