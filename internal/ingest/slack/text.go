package slack

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// writer turns what Slack stores into what people saw.
type writer struct {
	people    *people
	rooms     []room
	mentioned []doc.Person
}

const maxMentioned = 200

// mrkdwn returns the text of a message: references by name, links with their label, characters that
// were written as entities.
func (w *writer) mrkdwn(s string) string {
	if strings.IndexByte(s, '<') < 0 && strings.IndexByte(s, '&') < 0 {
		return strings.ToValidUTF8(s, "\uFFFD")
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		switch s[i] {
		case '<':
			end := strings.IndexAny(s[i+1:], "<>\n")
			if end > 0 && s[i+1+end] == '>' {
				if t, ok := w.reference(s[i+1 : i+1+end]); ok {
					b.WriteString(t)
					i += end + 2
					continue
				}
			}
		case '&':
			if c, n := entity(s[i:]); n > 0 {
				b.WriteByte(c)
				i += n
				continue
			}
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		b.WriteString(s[i : i+n])
		i += n
	}
	return strings.ToValidUTF8(b.String(), "\uFFFD")
}

// entity reads one of the three entities that Slack writes.
func entity(s string) (c byte, n int) {
	switch {
	case strings.HasPrefix(s, "&amp;"):
		return '&', 5
	case strings.HasPrefix(s, "&lt;"):
		return '<', 4
	case strings.HasPrefix(s, "&gt;"):
		return '>', 4
	}
	return 0, 0
}

// unescape replaces entities.
func unescape(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return strings.NewReplacer("&amp;", "&", "&lt;", "<", "&gt;", ">").Replace(s)
}

// reference returns the text of what stands between < and >.
func (w *writer) reference(s string) (string, bool) {
	target, label, _ := strings.Cut(s, "|")
	label = unescape(label)
	if target == "" {
		return "", false
	}
	switch target[0] {
	case '@':
		return w.user(target[1:], label), true
	case '#':
		return w.channel(target[1:], label), true
	case '!':
		return special(target[1:], label), true
	}
	scheme, rest, ok := strings.Cut(target, ":")
	if !ok || rest == "" || strings.ContainsAny(scheme, " \t") {
		return "", false
	}
	target = unescape(target)
	switch scheme {
	case "mailto", "tel":
		if label == "" {
			label = unescape(rest)
		}
		return label, true
	}
	if label == "" || sameLink(label, target) {
		return target, true
	}
	return label + " (" + target + ")", true
}

// sameLink reports whether a label only repeats its link, perhaps without scheme or shortened.
func sameLink(label, target string) bool {
	bare := func(s string) string {
		s = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(s), "https://"), "http://")
		return strings.TrimSuffix(strings.TrimPrefix(s, "www."), "/")
	}
	l, t := bare(label), bare(target)
	if l == t {
		return true
	}
	head, ok := strings.CutSuffix(l, "…")
	return ok && head != "" && strings.HasPrefix(t, head)
}

// user returns "@name" and notes who was mentioned.
func (w *writer) user(id, label string) string {
	if who, ok := w.people.find(id); ok {
		if who.Name != "" && len(w.mentioned) < maxMentioned && !slices.Contains(w.mentioned, who) {
			w.mentioned = append(w.mentioned, who)
		}
		return "@" + who.String()
	}
	if label = strings.TrimPrefix(clean(label), "@"); label != "" {
		return "@" + label
	}
	return "@" + clean(id)
}

func (w *writer) channel(id, label string) string {
	if label = clean(label); label != "" {
		return "#" + strings.TrimPrefix(label, "#")
	}
	for _, r := range w.rooms {
		if r.ID == id && r.Name != "" {
			return "#" + clean(r.Name)
		}
	}
	return "#" + clean(id)
}

// special returns the text of <!here>, <!subteam^S1|@team> and <!date^…|…>.
func special(s, label string) string {
	name, arg, _ := strings.Cut(s, "^")
	label = clean(label)
	switch {
	case label != "" && name == "subteam":
		return "@" + strings.TrimPrefix(label, "@")
	case label != "" && name == "date":
		return label
	case name == "subteam":
		id, _, _ := strings.Cut(arg, "^")
		return "@" + clean(id)
	case name == "date":
		secs, _, _ := strings.Cut(arg, "^")
		if t, ok := parseTS(secs); ok {
			return t.Format("2006-01-02 15:04 UTC")
		}
		return clean(secs)
	}
	return "@" + clean(name)
}
