package slack

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
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

	at        time.Time
	changes   string // the ts of the message that this entry changes or deletes
	changedAt string
	deleted   bool
}

type botProfile struct {
	Name string `json:"name"`
}

type comment struct {
	User string `json:"user"`
	Text string `json:"comment"`
}

// size is about how much memory m takes.
func (m *message) size() int {
	n := 600 + len(m.Text) + len(m.Blocks)
	for i := range m.Attachments {
		n += 300 + len(m.Attachments[i].Text) + len(m.Attachments[i].Fallback) + len(m.Attachments[i].Pretext)
	}
	for i := range m.Files {
		n += 200 + len(m.Files[i].Preview) + len(m.Files[i].PlainText)
	}
	return n
}

// takeText gives m what an edit says.
func (m *message) takeText(edit *message) {
	m.Text, m.Blocks, m.Attachments, m.Files = edit.Text, edit.Blocks, edit.Attachments, edit.Files
}

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
	return m.Hidden && m.changes == ""
}

// decodeDay reads the messages of a day's file as far as it is whole, and counts those without a
// time, which cannot be placed.
func decodeDay(r io.Reader) (msgs []message, undated int, err error) {
	err = eachOf(r, func(dec *json.Decoder) error {
		var m message
		if err := soft(dec.Decode(&m)); err != nil {
			return err
		}
		if !m.resolve() {
			undated++
			return nil
		}
		msgs = append(msgs, m)
		return nil
	})
	return msgs, undated, err
}

// resolve works out the time of m and what it changes.
func (m *message) resolve() bool {
	at, ok := parseTS(m.TS)
	if !ok {
		return false
	}
	m.at = at
	if _, ok := parseTS(m.ThreadTS); !ok {
		m.ThreadTS = ""
	}
	switch m.Subtype {
	case "message_deleted":
		m.changes, m.changedAt, m.deleted = m.DeletedTS, m.TS, true
	case "message_changed":
		inner := m.Message
		if inner == nil {
			m.Hidden = true
			return true
		}
		ts := m.TS
		inner.at, _ = parseTS(inner.TS)
		*m = *inner
		m.changes, m.changedAt, m.Message = m.TS, ts, nil
		m.deleted = m.Subtype == "tombstone"
		if m.changes == "" {
			m.Hidden = true
		}
	}
	return true
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
