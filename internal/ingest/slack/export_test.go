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
	x := export{}
	posts, _, _ := x.decodeDay(bytes.NewReader(b))
	h := newHeld(1 << 20)
	ids := map[string]bool{}
	for _, p := range posts {
		if p.changes == "" && !p.system {
			ids[p.ts] = true
		}
	}
	for _, p := range h.settle(posts) {
		texts = append(texts, p.text)
	}
	for _, t := range h.orphans() {
		for _, p := range t.msgs {
			texts = append(texts, p.text)
		}
	}
	return texts, len(ids)
}
