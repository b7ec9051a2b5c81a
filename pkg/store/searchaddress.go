package store

import (
	"strings"

	"github.com/openhuman/openhuman-core/internal/text"
)

// A personLink says that an address, a handle or a number is a person's.
type personLink struct{ kind, value, person string }

// byAddress returns the authors who are named by an address, a handle or a number alone that is of a
// person with such a name: contacts and other documents say whose it is.
func byAddress(authors map[int64]string, links []personLink, name string) []int64 {
	name = spaced(name)
	if name == "" {
		return nil
	}
	people := map[string]map[string]bool{} // by address
	for _, l := range links {
		key := l.kind + ":" + text.Fold(l.value)
		if people[key] == nil {
			people[key] = map[string]bool{}
		}
		people[key][l.person] = true
	}
	means := func(one string) bool {
		of := people[authorKey(one)]
		if len(of) == 0 || len(of) > maxNames {
			return false
		}
		for person := range of {
			if strings.Contains(spaced(person), name) {
				return true
			}
		}
		return false
	}
	var ids []int64
	for id, author := range authors {
		if anyOf(author, means) {
			ids = append(ids, id)
		}
	}
	return ids
}

// byNumber returns the authors who are named by a telephone number, however it is written.
func byNumber(authors map[int64]string, number string) []int64 {
	var ids []int64
	for id, author := range authors {
		if anyOf(author, func(one string) bool { return numberKey(one) == number }) {
			ids = append(ids, id)
		}
	}
	return ids
}

// anyOf reports whether one of those whom a chunk names as its authors is meant.
func anyOf(author string, means func(string) bool) bool {
	for one := range strings.SplitSeq(author, ", ") {
		if means(one) {
			return true
		}
	}
	return false
}

// spaced writes a name, or what entities call it, with blanks between its parts.
func spaced(name string) string {
	return strings.Join(strings.FieldsFunc(text.Fold(name), func(r rune) bool { return r == '-' || r == ' ' }), " ")
}

// authorKey returns what links call the address that an author has instead of a name, "" for a name.
func authorKey(author string) string {
	author = text.Fold(strings.Trim(author, "<> "))
	if number := numberKey(author); number != "" {
		return "handle:" + number
	}
	if handle, ok := strings.CutPrefix(author, "@"); ok {
		return "handle:" + handle
	}
	if strings.Contains(author, "@") {
		return "email:" + author
	}
	return ""
}

// numberKey returns what links call a telephone number, "" for anything else: its last nine digits, since
// its beginning differs between its own country and abroad.
func numberKey(s string) string {
	digits := make([]byte, 0, 20)
	for i, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits = append(digits, byte(r))
		case r == '+' && len(digits) == 0:
		case strings.ContainsRune(" -./()\u00a0\u202f\u2010\u2011\u2012\u2013", r):
		case i == 0 && (r == '\u202a' || r == '\u200e'), r == '\u202a', r == '\u202c': // marks of direction around it
		default:
			return ""
		}
		if len(digits) > 17 {
			return ""
		}
	}
	national := strings.TrimLeft(string(digits), "0")
	if len(national) < 7 {
		return ""
	}
	return "tel:" + national[max(0, len(national)-9):]
}
