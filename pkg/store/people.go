package store

import (
	"cmp"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maxNames is how many different people one address may name and still tell that they are one: an
// address that more share is a list or a service that writes in the name of others.
const maxNames = 8

// An entity of the kind "address" is somebody whom a document names by an address, a handle or a number
// alone. It is never shown: it counts to the person whom links give that address, wherever and whenever
// they say so, and else to nobody.
const kindAddress = "address"

// nameless reports whether the value of a member is an address and no name.
func nameless(value string) bool { return strings.ContainsAny(value, "@:") }

// addressKey returns what links call the address of a nameless member.
func addressKey(value string) string {
	if handle, ok := strings.CutPrefix(value, "@"); ok {
		return "handle:" + handle
	}
	if strings.HasPrefix(value, "tel:") {
		return "handle:" + value
	}
	return "email:" + value
}

// A member is a person entity, or an address, as resolvePeople, or a grouping for a scope, sees it.
type member struct {
	id        int64
	value     string
	canonical int64 // 0: stands for itself
	mentions  int
}

// resolvePeople decides which persons are one, from the addresses and handles that documents give
// them, and lets the one that is mentioned most stand for all of them.
func (tx *Tx) resolvePeople() error {
	return tx.ifStale(metaPeople, func() error {
		links, err := tx.personLinks()
		if err != nil {
			return err
		}
		people, err := tx.people()
		if err != nil {
			return err
		}
		now := map[int64]int64{} // member to the one that stands for it
		for _, group := range groups(links, people) {
			rep := representative(group)
			for _, m := range group {
				if m != rep {
					now[m.id] = rep.id
				}
			}
		}
		return tx.applyCanonical(people, now)
	})
}

// representative returns the member that stands for all of a group.
func representative(group []*member) *member {
	return slices.MinFunc(group, func(a, b *member) int {
		if n := nameless(a.value); n != nameless(b.value) {
			if n {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(b.mentions, a.mentions), cmp.Compare(len(b.value), len(a.value)), cmp.Compare(a.value, b.value))
	})
}

// applyCanonical writes the difference between how persons were joined and how they are now.
func (tx *Tx) applyCanonical(people map[string]*member, now map[int64]int64) error {
	recount := map[int64]bool{} // entities that stand for others, or stood, or no longer do
	for _, m := range people {
		rep := now[m.id]
		if rep == m.canonical {
			continue
		}
		for _, id := range []int64{m.id, m.canonical, rep} {
			if id != 0 {
				recount[id] = true
			}
		}
		var canonical any
		if rep != 0 {
			canonical = rep
		}
		if err := tx.w.exec("UPDATE entities SET canonical = ? WHERE id = ?", canonical, m.id); err != nil {
			return fmt.Errorf("join persons: %w", err)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(recount)) {
		for _, query := range []string{
			"DELETE FROM entity_counts WHERE entity = ?1",
			`INSERT INTO entity_counts (entity, source, chunks)
				SELECT ?1, c.source, count(DISTINCT m.chunk)
				FROM entities e CROSS JOIN forms f ON f.entity = e.id CROSS JOIN mentions m ON m.form = f.id CROSS JOIN chunks c ON c.id = m.chunk
				WHERE (e.id = ?1 AND e.canonical IS NULL) OR e.canonical = ?1 GROUP BY c.source`,
			"UPDATE entities SET chunks = coalesce((SELECT sum(chunks) FROM entity_counts WHERE entity = ?1), 0) WHERE id = ?1",
		} {
			if err := tx.w.exec(query, id); err != nil {
				return fmt.Errorf("count a person: %w", err)
			}
		}
	}
	clear(tx.w.known.reps)
	return nil
}

// personLinks returns, for each address and handle, the persons that it is said to be.
func (tx *Tx) personLinks() (map[string][]string, error) {
	links := map[string][]string{}
	err := tx.w.each("SELECT DISTINCT kind || ':' || value, person FROM person_links", nil, func(r *sql.Rows) error {
		var address, person string
		if err := r.Scan(&address, &person); err != nil {
			return err
		}
		links[address] = append(links[address], person)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read links: %w", err)
	}
	return links, nil
}

// people returns the persons that are mentioned, or are joined to others, by value.
func (tx *Tx) people() (map[string]*member, error) {
	people := map[string]*member{}
	err := tx.w.each(`SELECT e.id, substr(e.entity_id, length(e.kind) + 2), coalesce(e.canonical, 0),
			(SELECT coalesce(sum(n.mentions), 0) FROM forms f JOIN form_counts n ON n.form = f.id WHERE f.entity = e.id)
		FROM entities e WHERE e.kind IN ('person', 'address')`, nil, func(r *sql.Rows) error {
		var m member
		if err := r.Scan(&m.id, &m.value, &m.canonical, &m.mentions); err != nil {
			return err
		}
		people[m.value] = &m
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read persons: %w", err)
	}
	return people, nil
}

// groups returns the sets of two and more mentioned persons that links join, directly or through
// others.
func groups(links map[string][]string, people map[string]*member) [][]*member {
	parent := map[string]string{}
	var find func(string) string
	find = func(p string) string {
		q, ok := parent[p]
		if !ok || q == p {
			return p
		}
		root := find(q)
		parent[p] = root
		return root
	}
	for _, names := range links {
		if len(names) > maxNames {
			continue
		}
		for _, n := range names[1:] {
			if a, b := find(names[0]), find(n); a != b {
				parent[a] = b
			}
		}
	}
	for value := range people {
		if !nameless(value) {
			continue
		}
		if names := links[addressKey(value)]; len(names) > 0 && len(names) <= maxNames {
			if a, b := find(names[0]), find(value); a != b {
				parent[a] = b
			}
		}
	}
	byRoot := map[string][]*member{}
	for _, m := range people {
		if m.mentions > 0 {
			root := find(m.value)
			byRoot[root] = append(byRoot[root], m)
		}
	}
	var out [][]*member
	for _, root := range slices.Sorted(maps.Keys(byRoot)) {
		if g := byRoot[root]; len(g) > 1 && slices.ContainsFunc(g, func(m *member) bool { return !nameless(m.value) }) {
			out = append(out, g)
		}
	}
	return out
}
