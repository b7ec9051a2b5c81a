// Package capability judges the list of external capability providers that the owner has written
// down: which of them may be used at all. It is bookkeeping for governance. Nothing is fetched,
// installed or run here or because of what is decided here.
package capability

import (
	"fmt"
	"slices"
	"strings"
)

// MaxID bounds a normalised id.
const MaxID = 96

// A Provider is one entry of the list.
type Provider struct {
	ID      string // normalised in what Review returns
	Trusted bool
	Enabled bool
	// Broken says that the entry could not be read as what it should be.
	Broken bool
}

// Usable reports whether later checks may consider the provider at all.
func (p Provider) Usable() bool { return p.Enabled && p.Trusted }

// A List is what a review has left of the entries.
type List struct {
	Total     int        // entries that were written
	Providers []Provider // none of them when one is bad
	Errors    []string   // why the list is void, without anything that an entry holds
}

// Review normalises the ids and checks the list as a whole. One bad entry voids it: a list that is not
// understood in part is not understood.
func Review(entries []Provider) List {
	l := List{Total: len(entries)}
	first := map[string]int{}
	for i, p := range entries {
		id, err := Normalize(p.ID)
		switch n := first[id]; {
		case p.Broken:
			l.Errors = append(l.Errors, fmt.Sprintf("entry %d is malformed", i+1))
		case err != nil:
			l.Errors = append(l.Errors, fmt.Sprintf("entry %d: %v", i+1, err))
		case n > 0:
			l.Errors = append(l.Errors, fmt.Sprintf("entries %d and %d have the same id", n, i+1))
		default:
			first[id] = i + 1
		}
		p.ID = id
		l.Providers = append(l.Providers, p)
	}
	if l.Errors != nil {
		l.Providers = nil
	}
	return l
}

// Usable returns the providers that are both enabled and trusted.
func (l List) Usable() []Provider {
	return slices.DeleteFunc(slices.Clone(l.Providers), func(p Provider) bool { return !p.Usable() })
}

// Count returns how many providers the condition holds for.
func (l List) Count(is func(Provider) bool) int {
	n := 0
	for _, p := range l.Providers {
		if is(p) {
			n++
		}
	}
	return n
}

// Normalize returns the form of an id that everything looks at: trimmed, ASCII letters in lower case,
// "-", "_" and "." kept, every other character a "-", runs of separators collapsed to their first,
// none at the ends. An id of which nothing is left, or too much, is an error and never cut.
func Normalize(id string) (string, error) {
	var b strings.Builder
	pending := byte(0) // a separator that is written once something follows
	for _, r := range strings.TrimSpace(id) {
		c := byte('-')
		switch {
		case r >= 'A' && r <= 'Z':
			c = byte(r) + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			c = byte(r)
		}
		if separator(c) {
			if pending == 0 && b.Len() > 0 {
				pending = c
			}
			continue
		}
		if pending != 0 {
			b.WriteByte(pending)
			pending = 0
		}
		b.WriteByte(c)
		if b.Len() > MaxID {
			return "", fmt.Errorf("the id is longer than %d characters", MaxID)
		}
	}
	if b.Len() == 0 {
		return "", fmt.Errorf("the id is empty")
	}
	return b.String(), nil
}

func separator(c byte) bool { return c == '-' || c == '_' || c == '.' }
