package store

import (
	"cmp"
	"context"
	"fmt"
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
		hidden, err := hiddenSources(ctx, q, scope)
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
			if top, err = topOfKind(ctx, q, k, limit, hidden, top); err != nil {
				return err
			}
		}
		for _, t := range top {
			c := EntityCount{EntityRef: t.ref, Count: t.chunks}
			if c.Surface, err = surface(ctx, q, t.id, hidden); err != nil {
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
func topOfKind(ctx context.Context, q querier, kind string, limit int, hidden []int64, top []entityTotal) ([]entityTotal, error) {
	visible := "e.chunks"
	if len(hidden) > 0 {
		visible += " - coalesce((SELECT sum(n.chunks) FROM entity_counts n WHERE n.entity = e.id AND n.source IN " + idList(hidden) + "), 0)"
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
		if len(top) == limit && (limit == 0 || bound < top[limit-1].chunks ||
			(bound == top[limit-1].chunks && t.ref.EntityID > top[limit-1].ref.EntityID)) {
			break
		}
		if t.chunks == 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, t, func(a, b entityTotal) int {
			return cmp.Or(cmp.Compare(b.chunks, a.chunks), cmp.Compare(a.ref.EntityID, b.ref.EntityID))
		})
		top = slices.Insert(top, at, t)
		top = top[:min(len(top), limit)]
	}
	return top, rows.Err()
}

// presentKinds returns the kinds that are listed together.
func presentKinds(ctx context.Context, q querier) ([]string, error) {
	var kinds []string
	for last := ""; ; {
		var next *string
		if err := q.QueryRowContext(ctx, "SELECT min(kind) FROM entities WHERE kind > ? AND chunks > 0", last).Scan(&next); err != nil {
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
func surface(ctx context.Context, q querier, entity int64, hidden []int64) (string, error) {
	visible := ""
	if len(hidden) > 0 {
		visible = " AND n.source NOT IN " + idList(hidden)
	}
	var form string
	err := q.QueryRowContext(ctx, `SELECT f.surface FROM forms f JOIN form_counts n ON n.form = f.id
		WHERE f.entity IN (SELECT ?1 UNION ALL SELECT id FROM entities WHERE canonical = ?1)`+visible+`
		GROUP BY f.surface ORDER BY sum(n.mentions) DESC, f.surface LIMIT 1`, entity).Scan(&form)
	if err != nil {
		return "", fmt.Errorf("read the forms of an entity: %w", err)
	}
	return form, nil
}

// chunkEntities returns the entities that a chunk mentions, most mentioned first.
func chunkEntities(ctx context.Context, q querier, chunk int64, scope Scope) ([]EntityRef, error) {
	hidden, err := hiddenSources(ctx, q, scope)
	if err != nil {
		return nil, err
	}
	rows, err := q.QueryContext(ctx, `SELECT r.id, r.entity_id, r.kind
		FROM mentions m CROSS JOIN forms f ON f.id = m.form CROSS JOIN entities e ON e.id = f.entity
			CROSS JOIN entities r ON r.id = coalesce(e.canonical, e.id)
		WHERE m.chunk = ? GROUP BY r.id ORDER BY sum(m.count) DESC, r.entity_id`, chunk)
	if err != nil {
		return nil, fmt.Errorf("read the entities of a chunk: %w", err)
	}
	defer rows.Close()
	var refs []EntityRef
	var ids []int64
	for rows.Next() {
		var r EntityRef
		var id int64
		if err := rows.Scan(&id, &r.EntityID, &r.Kind); err != nil {
			return nil, fmt.Errorf("read the entities of a chunk: %w", err)
		}
		refs, ids = append(refs, r), append(ids, id)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("read the entities of a chunk: %w", err)
	}
	for i := range refs {
		if refs[i].Surface, err = surface(ctx, q, ids[i], hidden); err != nil {
			return nil, err
		}
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
	var have []string
	err := s.view(ctx, func(ctx context.Context, q querier) error {
		hidden, err := hiddenSources(ctx, q, scope)
		if err != nil {
			return err
		}
		visible := ""
		if len(hidden) > 0 {
			visible = " AND EXISTS (SELECT 1 FROM entity_counts n WHERE n.entity = e.id AND n.source NOT IN " + idList(hidden) + ")"
		}
		// Those of the kind that is meant, and whatever holds the value as it stands.
		rows, err := q.QueryContext(ctx, "SELECT e.entity_id FROM entities e WHERE e.chunks > 0 AND (e.kind = ?1 OR instr(e.entity_id, ?2) > 0)"+visible+
			" ORDER BY e.chunks DESC, e.entity_id LIMIT ?3", kind, strings.ToLower(value), nearPool)
		if err != nil {
			return fmt.Errorf("list entities: %w", err)
		}
		defer rows.Close()
		for rows.Next() {
			var have1 string
			if err := rows.Scan(&have1); err != nil {
				return fmt.Errorf("list entities: %w", err)
			}
			have = append(have, have1)
		}
		return rows.Err()
	})
	if err != nil {
		return nil, err
	}
	return near.Best(id, have, limit), nil
}
