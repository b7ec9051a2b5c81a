package store

import (
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/text"
)

// authored returns the condition on chunks that one of the authors wrote: "" when nobody is meant.
// What is part of no name is looked for in the addresses and handles that documents give their
// authors; a chunk holds the name alone. An author without a name is also known by the one that
// documents give his address.
// Whom the caller cannot see decides nothing.
func authored(ctx context.Context, q querier, want []string, v sight) (string, error) {
	authors, err := authorNames(ctx, q, v)
	if err != nil {
		return "", err
	}
	links, err := visibleLinks(ctx, q, v)
	if err != nil {
		return "", err
	}
	var ids []int64
	var or []string
	for _, w := range want {
		match := matchAuthors([]string{w})
		found := false
		for id, name := range authors {
			if match(name) {
				ids, found = append(ids, id), true
			}
		}
		number := numberKey(w)
		switch {
		case number != "":
			ids = append(ids, byNumber(authors, number)...)
		case !strings.Contains(w, "@"):
			ids = append(ids, byAddress(authors, links, w)...)
		}
		if found && number == "" && !strings.Contains(w, "@") {
			continue
		}
		or = append(or, linkedAuthors(authors, links, text.Fold(strings.Trim(w, "<> ")), number)...)
	}
	if len(ids) > 0 {
		slices.Sort(ids)
		or = append(or, "c.author IN "+idList(slices.Compact(ids)))
	}
	if len(or) == 0 {
		return "", nil
	}
	return "(" + strings.Join(or, " OR ") + ")", nil
}

func authorNames(ctx context.Context, q querier, v sight) (map[int64]string, error) {
	query := "SELECT id, name FROM authors"
	if v.hidden != "" {
		query += " a WHERE EXISTS (SELECT 1 FROM chunks c WHERE c.author = a.id AND " + v.visible() + ")"
	}
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("resolve names: %w", err)
	}
	defer rows.Close()
	names := map[int64]string{}
	for rows.Next() {
		var id int64
		var name string
		if err := rows.Scan(&id, &name); err != nil {
			return nil, fmt.Errorf("resolve names: %w", err)
		}
		names[id] = name
	}
	return names, rows.Err()
}

// maxLinked bounds how many people one address, or a part of many, may mean.
const maxLinked = 200

// visibleLinks returns what the documents that the caller can see say of whose an address is.
func visibleLinks(ctx context.Context, q querier, v sight) ([]personLink, error) {
	query := "SELECT DISTINCT kind, value, person FROM person_links"
	if v.hidden != "" {
		query += " l JOIN documents d ON d.id = l.document WHERE " + v.visibleDocument()
	}
	var links []personLink
	err := scanAll(ctx, q, query, func(r *sql.Rows) error {
		var l personLink
		if err := r.Scan(&l.kind, &l.value, &l.person); err != nil {
			return err
		}
		links = append(links, l)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("resolve addresses: %w", err)
	}
	return links, nil
}

// linkedAuthors returns a condition for each person whom documents give an address or a handle with
// this part, or this number.
func linkedAuthors(authors map[int64]string, links []personLink, part, number string) []string {
	handle := strings.TrimPrefix(part, "@")
	if handle == "" {
		return nil
	}
	values := map[string][]string{} // by person
	for _, l := range links {
		folded := text.Fold(l.value)
		if l.kind == "handle" && (folded == handle || l.value == number) || l.kind == "email" && strings.Contains(folded, part) {
			values[l.person] = append(values[l.person], l.value)
		}
	}
	var or []string
	for _, person := range slices.Sorted(maps.Keys(values)) {
		var ids []int64
		for id, name := range authors {
			if isNamed(name, person) {
				ids = append(ids, id)
			}
		}
		if len(ids) == 0 || len(or) == maxLinked {
			continue
		}
		slices.Sort(ids)
		or = append(or, "c.author IN "+idList(ids)+" AND c.document IN (SELECT l.document FROM person_links l WHERE l.person = "+
			literal(person)+" AND l.value IN ("+literals(values[person])+"))")
	}
	return or
}

// isNamed reports whether an author's name holds all the parts of a person's, in any order.
func isNamed(name, person string) bool {
	have := map[string]bool{}
	for t := range text.Tokens(name) {
		have[t.Form] = true
	}
	for t := range text.Tokens(person) {
		if !have[t.Form] {
			return false
		}
	}
	return len(have) > 0
}

func literals(ss []string) string {
	out := make([]string, len(ss))
	for i, s := range ss {
		out[i] = literal(s)
	}
	return strings.Join(out, ", ")
}

// literal writes a string as SQL, whatever it holds.
func literal(s string) string { return "CAST(x'" + hex.EncodeToString([]byte(s)) + "' AS TEXT)" }
