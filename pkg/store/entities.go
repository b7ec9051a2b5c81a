package store

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/internal/near"
)

// CrowdingKinds are kinds of which any text holds so many that they would crowd out the people and
// things that a memory is about. They are listed only when they are asked for.
var CrowdingKinds = []string{"datetime", "quantity", "url"}

// TopEntities returns the entities that most chunks mention, of one kind, or with kind "" of every
// kind but the CrowdingKinds. A person who is written in several ways is one entity.
func (s *Store) TopEntities(ctx context.Context, kind string, limit int, scope Scope) ([]EntityCount, error) {
	var out []EntityCount
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		v, err := viewOf(ctx, q, scope)
		if err != nil {
			return err
		}
		kinds := []string{kind}
		if kind == "" {
			if kinds, err = presentKinds(ctx, q); err != nil {
				return err
			}
		}
		var top []entityTotal
		for _, k := range kinds {
			if k == "person" && v.people != nil {
				for _, t := range v.people.totals[:min(len(v.people.totals), limit)] {
					top = insertTotal(top, t, limit)
				}
			} else if top, err = topOfKind(ctx, q, k, limit, v, top); err != nil {
				return err
			}
		}
		for _, t := range top {
			c := EntityCount{EntityRef: t.ref, Count: t.chunks}
			if c.Surface, err = surface(ctx, q, t.id, v); err != nil {
				return err
			}
			out = append(out, c)
		}
		return nil
	})
	return out, err
}

type entityTotal struct {
	id     int64
	ref    EntityRef
	chunks int
}

// topOfKind adds the best of a kind to the best so far. Rows come by their count over all sources,
// which bounds what is left when hidden ones are taken off, so it can stop early.
func topOfKind(ctx context.Context, q querier, kind string, limit int, v view, top []entityTotal) ([]entityTotal, error) {
	visible := "e.chunks"
	if v.people != nil {
		visible += " - coalesce((SELECT sum(n.chunks) FROM entity_counts n WHERE n.entity = e.id AND n.source IN " + v.hidden + "), 0)"
	}
	rows, err := q.QueryContext(ctx, "SELECT e.id, e.entity_id, e.chunks, "+visible+
		" FROM entities e WHERE e.kind = ? AND e.chunks > 0 ORDER BY e.chunks DESC, e.entity_id", kind)
	if err != nil {
		return nil, fmt.Errorf("list entities: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		t := entityTotal{ref: EntityRef{Kind: kind}}
		var bound int
		if err := rows.Scan(&t.id, &t.ref.EntityID, &bound, &t.chunks); err != nil {
			return nil, fmt.Errorf("list entities: %w", err)
		}
		if v.people != nil {
			t.chunks += v.people.chunks[t.id]
		}
		if len(top) == limit && (limit == 0 || bound < top[limit-1].chunks ||
			(bound == top[limit-1].chunks && t.ref.EntityID > top[limit-1].ref.EntityID)) {
			break
		}
		if t.chunks == 0 {
			continue
		}
		top = insertTotal(top, t, limit)
	}
	return top, rows.Err()
}

// compareTotals orders entities by chunks, most first.
func compareTotals(a, b entityTotal) int {
	return cmp.Or(cmp.Compare(b.chunks, a.chunks), cmp.Compare(a.ref.EntityID, b.ref.EntityID))
}

// insertTotal adds t to the best, of which there are at most limit.
func insertTotal(top []entityTotal, t entityTotal, limit int) []entityTotal {
	at, _ := slices.BinarySearchFunc(top, t, compareTotals)
	top = slices.Insert(top, at, t)
	return top[:min(len(top), limit)]
}

// presentKinds returns the kinds that are listed together.
func presentKinds(ctx context.Context, q querier) ([]string, error) {
	var kinds []string
	for last := ""; ; {
		var next *string
		if err := q.QueryRowContext(ctx, "SELECT min(kind) FROM entities WHERE kind > ? AND kind <> 'address' AND chunks > 0", last).Scan(&next); err != nil {
			return nil, fmt.Errorf("list kinds: %w", err)
		}
		if next == nil {
			return kinds, nil
		}
		last = *next
		if !slices.Contains(CrowdingKinds, last) {
			kinds = append(kinds, last)
		}
	}
}

// hiddenSources returns the rows of the sources that do not exist for the caller.
func hiddenSources(ctx context.Context, q querier, scope Scope) ([]int64, error) {
	if scope == nil || scope.All() {
		return nil, nil
	}
	return resolve(ctx, q, "SELECT id, source_id FROM sources", scope.Hides)
}

// surface returns the form in which an entity, or one that it stands for, is most often written.
func surface(ctx context.Context, q querier, entity int64, v view) (string, error) {
	if v.people != nil {
		return visibleSurface(ctx, q, v.members(entity), v)
	}
	var form string
	err := q.QueryRowContext(ctx, `SELECT f.surface FROM forms f JOIN form_counts n ON n.form = f.id
		WHERE f.entity IN (SELECT ?1 UNION ALL SELECT id FROM entities WHERE canonical = ?1 AND kind <> 'address')
		GROUP BY f.surface ORDER BY sum(n.mentions) DESC, f.surface LIMIT 1`, entity).Scan(&form)
	if err != nil {
		return "", fmt.Errorf("read the forms of an entity: %w", err)
	}
	return form, nil
}

// visibleSurface is surface for a caller from whom sources are hidden.
func visibleSurface(ctx context.Context, q querier, members []int64, v view) (form string, err error) {
	mentions := map[string]int{}
	err = scanAll(ctx, q, `SELECT f.id, f.surface, coalesce((SELECT sum(n.mentions) FROM form_counts n WHERE n.form = f.id AND n.source NOT IN `+v.hidden+`), 0)
		FROM forms f JOIN entities e ON e.id = f.entity WHERE e.kind <> 'address' AND f.entity IN `+idList(members), func(r *sql.Rows) error {
		var id int64
		var surface string
		var n int
		err := r.Scan(&id, &surface, &n)
		mentions[surface] += n + v.people.mentions[id]
		return err
	})
	if err != nil {
		return "", fmt.Errorf("read the forms of an entity: %w", err)
	}
	most := 0
	for _, surface := range slices.Sorted(maps.Keys(mentions)) {
		if n := mentions[surface]; n > most {
			form, most = surface, n
		}
	}
	return form, nil
}

// chunkEntities returns the entities that a chunk mentions, most mentioned first.
func chunkEntities(ctx context.Context, q querier, chunk int64, scope Scope) ([]EntityRef, error) {
	v, err := viewOf(ctx, q, scope)
	if err != nil {
		return nil, err
	}
	rep := "coalesce(e.canonical, e.id)"
	if v.people != nil {
		rep = "e.id"
	}
	rows, err := q.QueryContext(ctx, `SELECT r.id, r.entity_id, r.kind, sum(m.count)
		FROM mentions m CROSS JOIN forms f ON f.id = m.form CROSS JOIN entities e ON e.id = f.entity
			CROSS JOIN entities r ON r.id = `+rep+`
		WHERE m.chunk = ? GROUP BY r.id`, chunk)
	if err != nil {
		return nil, fmt.Errorf("read the entities of a chunk: %w", err)
	}
	defer rows.Close()
	found := map[int64]entityTotal{} // their chunks are the mentions in this one
	for rows.Next() {
		var t entityTotal
		if err := rows.Scan(&t.id, &t.ref.EntityID, &t.ref.Kind, &t.chunks); err != nil {
			return nil, fmt.Errorf("read the entities of a chunk: %w", err)
		}
		if v.people != nil {
			if t.id = v.rep(t.id); v.people.names[t.id] != "" {
				t.ref.EntityID, t.ref.Kind = v.people.names[t.id], "person"
			}
		}
		if t.ref.Kind == kindAddress {
			continue
		}
		t.chunks += found[t.id].chunks
		found[t.id] = t
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the entities of a chunk: %w", err)
	}
	var refs []EntityRef
	for _, t := range slices.SortedFunc(maps.Values(found), compareTotals) {
		if t.ref.Surface, err = surface(ctx, q, t.id, v); err != nil {
			return nil, err
		}
		refs = append(refs, t.ref)
	}
	return refs, nil
}

// nearPool bounds how many entities NearestEntities compares.
const nearPool = 20_000

// NearestEntities returns ids of existing entities that resemble id, best first: those of its kind
// before others.
func (s *Store) NearestEntities(ctx context.Context, id string, limit int, scope Scope) ([]string, error) {
	kind, value, ok := strings.Cut(id, ":")
	if !ok {
		kind, value = "", id
	}
	value = strings.ToLower(value)
	var have []entityTotal
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		v, err := viewOf(ctx, q, scope)
		if err != nil {
			return err
		}
		chunks, and, none := "e.chunks", "", "seen > 0"
		if v.people != nil {
			chunks = "coalesce((SELECT sum(n.chunks) FROM entity_counts n WHERE n.entity = e.id AND n.source NOT IN " + v.hidden + "), 0)"
			and = " AND e.kind <> 'person'"
			if v.shared {
				none = "(seen > 0 OR e.id IN " + idList(slices.Sorted(maps.Keys(v.people.chunks))) + ")"
			}
			for _, t := range v.people.totals {
				if kind == "person" || strings.Contains(t.ref.EntityID, value) {
					have = append(have, t)
				}
			}
		}
		// Those of the kind that is meant, and whatever holds the value as it stands.
		rows, err := q.QueryContext(ctx, "SELECT e.id, e.entity_id, "+chunks+" AS seen FROM entities e WHERE e.chunks > 0 AND e.kind <> 'address' AND (e.kind = ?1 OR instr(e.entity_id, ?2) > 0)"+and+
			" AND "+none+" ORDER BY seen DESC, e.entity_id LIMIT ?3", kind, value, nearPool)
		if err != nil {
			return fmt.Errorf("list entities: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var t entityTotal
			if err := rows.Scan(&t.id, &t.ref.EntityID, &t.chunks); err != nil {
				return fmt.Errorf("list entities: %w", err)
			}
			if v.people != nil {
				t.chunks += v.people.chunks[t.id]
			}
			have = append(have, t)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(have, compareTotals)
	names := make([]string, min(len(have), nearPool))
	for i := range names {
		names[i] = have[i].ref.EntityID
	}
	return near.Best(id, names, limit), nil
}

// formsOf returns the written forms of the entities and of everyone who is the same person.
func formsOf(ctx context.Context, q querier, entityIDs []string, scope Scope) ([]int64, error) {
	v, err := viewOf(ctx, q, scope)
	if err != nil {
		return nil, err
	}
	ids, err := json.Marshal(entityIDs)
	if err != nil {
		return nil, fmt.Errorf("resolve entities: %w", err)
	}
	query, args := `
		WITH named AS (SELECT coalesce(canonical, id) AS rep FROM entities WHERE entity_id IN (SELECT value FROM json_each(?)))
		SELECT f.id FROM forms f WHERE f.entity IN (
			SELECT rep FROM named UNION SELECT e.id FROM entities e WHERE e.canonical IN (SELECT rep FROM named))`, []any{string(ids)}
	if v.people != nil {
		named, err := queryIDs(ctx, q, "SELECT id FROM entities WHERE entity_id IN (SELECT value FROM json_each(?))", string(ids))
		if err != nil {
			return nil, fmt.Errorf("resolve entities: %w", err)
		}
		var all []int64
		for _, id := range named {
			all = append(all, v.members(v.rep(id))...)
		}
		query, args = "SELECT f.id FROM forms f WHERE f.entity IN "+idList(all), nil
	}
	forms, err := queryIDs(ctx, q, query, args...)
	if err != nil {
		return nil, fmt.Errorf("resolve entities: %w", err)
	}
	return forms, nil
}
