package slack

import (
	"bytes"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Mrkdwn converts a text with two users and a channel known.
func Mrkdwn(s string) string {
	w := writer{
		people: &people{byID: map[string]doc.Person{"U1": {Name: "Alice Moreau"}, "U2": {Handle: "bob"}}},
		rooms:  []room{{ID: "C1", Name: "general"}},
	}
	return tidy(w.mrkdwn(s))
}

// SettleDay returns the texts of the messages of a day's file in their order, with the replies that found
// no thread at the end, and how many messages the file holds that are somebody's.
func SettleDay(b []byte) (texts []string, held int) {
	msgs, _, _ := decodeDay(bytes.NewReader(b))
	w := writer{people: &people{}}
	h := newHeld(1 << 20)
	ids := map[string]bool{}
	for i := range msgs {
		if m := &msgs[i]; m.changes == "" && !m.system() {
			ids[m.TS] = true
		}
	}
	for _, m := range h.settle(msgs) {
		texts = append(texts, w.message(&m))
	}
	for _, t := range h.orphans() {
		for i := range t.msgs {
			texts = append(texts, w.message(&t.msgs[i]))
		}
	}
	return texts, len(ids)
}
