package store

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"
)

// A view is what a scope leaves of the entities.
type view struct {
	sight
	people *grouping // nil when nothing is hidden: then entities.canonical tells
}

// A grouping says which persons are one for a caller from whom sources are hidden. It is made from
// what that caller may see alone: who stands for a person in the whole store may be a name, and two
// persons may be joined by an address, that only a hidden source tells.
type grouping struct {
	reps    map[int64]int64   // person to the one that stands for it, where that is another
	members map[int64][]int64 // who stands for others to all of them, itself included
	names   map[int64]string  // entity_id of who stands for others
	totals  []entityTotal     // the persons that can be seen, those of most chunks first

	// What is in hidden sources and served under others: chunks by the entity that stands for those
	// that they mention in the whole store, mentions by form.
	chunks   map[int64]int
	mentions map[int64]int
}

// maxGroupings is how many sets of hidden sources a cache remembers the grouping of.
const maxGroupings = 8

// groupings remembers groupings as of one state of the mentions, links and holders, and how many
// documents hidden sources share with others.
type groupings struct {
	mu      sync.Mutex
	version string
	byScope map[string]*grouping
	shared  map[string]int

	measures map[string]measured // with a state of their own
}

// renew forgets what is of another state, and what has become too much.
func (g *groupings) renew(version string) {
	if g.byScope == nil || g.version != version || len(g.byScope) >= maxGroupings || len(g.shared) >= maxGroupings {
		g.version, g.byScope, g.shared = version, map[string]*grouping{}, map[string]int{}
	}
}

// cacheOf returns what is remembered for all reads of a store, and of which state they are.
func cacheOf(ctx context.Context, q querier) (cache *groupings, version string, err error) {
	switch q := q.(type) {
	case memoryTx:
		cache = q.groupings
	case readTx:
		cache = &q.p.groupings
	default:
		cache = &groupings{}
	}
	if err := q.QueryRowContext(ctx, "SELECT coalesce((SELECT value FROM meta WHERE key = ?), '')", metaPeopleVersion).Scan(&version); err != nil {
		return nil, "", fmt.Errorf("read the version of persons: %w", err)
	}
	return cache, version, nil
}

// memoryTx is what reads of a store in memory run on.
type memoryTx struct {
	*sql.Conn
	groupings *groupings
}

// viewOf resolves a scope.
func viewOf(ctx context.Context, q querier, scope Scope) (view, error) {
	v, err := sightOf(ctx, q, scope)
	if err != nil || v.hidden == "" {
		return view{}, err
	}
	cache, version, err := cacheOf(ctx, q)
	if err != nil {
		return view{}, err
	}
	cache.mu.Lock() // also while one is made, so that it is made once
	defer cache.mu.Unlock()
	cache.renew(version)
	key := fmt.Sprint(v.hidden, v.docs)
	g := cache.byScope[key]
	if g == nil {
		if g, err = groupVisible(ctx, q, v); err != nil {
			return view{}, err
		}
		cache.byScope[key] = g
	}
	return view{v, g}, nil
}

// members returns the entity with all that it stands for.
func (v view) members(entity int64) []int64 {
	if m := v.people.members[entity]; m != nil {
		return m
	}
	return []int64{entity}
}

// rep returns who stands for an entity.
func (v view) rep(entity int64) int64 {
	if r, ok := v.people.reps[entity]; ok {
		return r
	}
	return entity
}

// groupVisible makes the grouping of what v leaves.
func groupVisible(ctx context.Context, q querier, v sight) (*grouping, error) {
	hidden := v.hidden
	g := &grouping{reps: map[int64]int64{}, members: map[int64][]int64{}, names: map[int64]string{}}
	people, err := g.moved(ctx, q, v)
	if err != nil {
		return nil, fmt.Errorf("read what sources share: %w", err)
	}
	err = scanAll(ctx, q, `SELECT e.id, substr(e.entity_id, length(e.kind) + 2), coalesce(e.canonical, e.id), sum(n.mentions)
		FROM entities e CROSS JOIN forms f ON f.entity = e.id CROSS JOIN form_counts n ON n.form = f.id
		WHERE e.kind IN ('person', 'address') AND n.source NOT IN `+hidden+` GROUP BY e.id HAVING sum(n.mentions) > 0`, func(r *sql.Rows) error {
		var m member
		if err := r.Scan(&m.id, &m.value, &m.canonical, &m.mentions); err != nil {
			return err
		}
		if more := people[m.value]; more != nil {
			m.mentions += more.mentions
		}
		people[m.value] = &m
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read persons: %w", err)
	}
	seen := map[int64]int{} // of how many members that can be seen somebody stands for in the whole store
	for _, m := range people {
		seen[m.canonical]++
	}
	links := map[string][]string{}
	err = scanAll(ctx, q, `SELECT DISTINCT l.kind || ':' || l.value, l.person
		FROM person_links l JOIN documents d ON d.id = l.document WHERE `+v.visibleDocument(), func(r *sql.Rows) error {
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
	counts := map[int64]int{} // chunks by who stands for them in the whole store
	err = scanAll(ctx, q, `SELECT n.entity, sum(n.chunks) FROM entity_counts n JOIN entities e ON e.id = n.entity
		WHERE e.kind = 'person' AND n.source NOT IN `+hidden+` GROUP BY n.entity`, func(r *sql.Rows) error {
		var id int64
		var n int
		err := r.Scan(&id, &n)
		counts[id] = n
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("count persons: %w", err)
	}
	mixed := map[int64]bool{} // who stands for some whom the whole store does not join
	for _, group := range groups(links, people) {
		rep := representative(group)
		g.names[rep.id] = "person:" + rep.value
		for _, m := range group {
			g.members[rep.id] = append(g.members[rep.id], m.id)
			if m != rep {
				g.reps[m.id] = rep.id
			}
			mixed[rep.id] = mixed[rep.id] || m.canonical != rep.canonical
		}
	}
	for _, m := range people {
		if _, other := g.reps[m.id]; other || nameless(m.value) {
			continue
		}
		ids := view{people: g}.members(m.id)
		t := entityTotal{id: m.id, ref: EntityRef{EntityID: "person:" + m.value, Kind: "person"}}
		// What is counted for the whole store holds where it joins the same persons.
		if seen[m.canonical] == len(ids) && !mixed[m.id] {
			t.chunks = counts[m.canonical] + g.chunks[m.canonical]
		} else if err := q.QueryRowContext(ctx, `SELECT count(DISTINCT m.chunk)
			FROM forms f CROSS JOIN mentions m ON m.form = f.id CROSS JOIN chunks c ON c.id = m.chunk
			WHERE f.entity IN `+idList(ids)+` AND `+v.visible()).Scan(&t.chunks); err != nil {
			return nil, fmt.Errorf("count a person: %w", err)
		}
		g.totals = append(g.totals, t)
	}
	slices.SortFunc(g.totals, compareTotals)
	return g, nil
}

// moved counts what is in hidden sources and served under others, and returns the persons in it.
func (g *grouping) moved(ctx context.Context, q querier, v sight) (map[string]*member, error) {
	people := map[string]*member{}
	if !v.shared {
		return people, nil
	}
	g.chunks, g.mentions = map[int64]int{}, map[int64]int{}
	last := map[int64]int64{} // the last chunk that was counted for an entity
	return people, scanAll(ctx, q, `SELECT c.id, f.id, m.count, e.id, e.kind, substr(e.entity_id, length(e.kind) + 2), coalesce(e.canonical, e.id)
		FROM chunks c CROSS JOIN mentions m ON m.chunk = c.id CROSS JOIN forms f ON f.id = m.form CROSS JOIN entities e ON e.id = f.entity
		WHERE `+v.isHidden()+` AND `+v.other()+` IS NOT NULL ORDER BY c.id`, func(r *sql.Rows) error {
		var chunk, form int64
		var kind string
		var m member
		if err := r.Scan(&chunk, &form, &m.mentions, &m.id, &kind, &m.value, &m.canonical); err != nil {
			return err
		}
		g.mentions[form] += m.mentions
		if last[m.canonical] != chunk {
			last[m.canonical] = chunk
			g.chunks[m.canonical]++
		}
		if kind != "person" && kind != kindAddress {
			return nil
		}
		if old := people[m.value]; old != nil {
			old.mentions += m.mentions
		} else {
			people[m.value] = &m
		}
		return nil
	})
}

// scanAll calls fn for every row of query.
func scanAll(ctx context.Context, q querier, query string, fn func(*sql.Rows) error, args ...any) error {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}
