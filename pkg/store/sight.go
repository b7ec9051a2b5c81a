package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// A sight is what a scope leaves of the sources and documents. A document that files of several
// sources hold, as a mail in two mailboxes, is in the source of the first of them. A caller from
// whom that one is hidden is served it under the first of the others that is not.
type sight struct {
	hidden string // an SQL list of sources.id; "" when nothing is hidden
	shared bool   // documents of hidden sources are held by files of others as well
	docs   int    // how many
}

// sightOf resolves a scope.
func sightOf(ctx context.Context, q querier, scope Scope) (sight, error) {
	hidden, err := hiddenSources(ctx, q, scope)
	if err != nil {
		return sight{}, err
	}
	return sightWithout(ctx, q, hidden)
}

// sightWithout is the sight of a caller from whom these sources are hidden.
func sightWithout(ctx context.Context, q querier, hidden []int64) (sight, error) {
	if len(hidden) == 0 {
		return sight{}, nil
	}
	var v sight
	slices.Sort(hidden)
	v.hidden = idList(hidden)
	cache, version, err := cacheOf(ctx, q)
	if err != nil {
		return sight{}, err
	}
	cache.mu.Lock() // also while it is counted, so that it is counted once
	defer cache.mu.Unlock()
	cache.renew(version)
	if docs, ok := cache.shared[v.hidden]; ok {
		v.docs, v.shared = docs, docs > 0
		return v, nil
	}
	if err := q.QueryRowContext(ctx, `SELECT count(DISTINCT h.document) FROM documents d CROSS JOIN holders h ON h.document = d.id
		WHERE d.source IN `+v.hidden+` AND h.source NOT IN `+v.hidden).Scan(&v.docs); err != nil {
		return sight{}, fmt.Errorf("read holders: %w", err)
	}
	v.shared = v.docs > 0
	cache.shared[v.hidden] = v.docs
	return v, nil
}

// other is the source under which a chunk of a hidden source is served, NULL for none.
func (v sight) other() string { return v.asHeld("h.source") }

// asHeld is what the holder under which a chunk of a hidden source is served says, NULL when there is none.
func (v sight) asHeld(what string) string {
	return "(SELECT " + what + " FROM holders h WHERE h.document = c.document AND h.source NOT IN " + v.hidden + " ORDER BY h.file LIMIT 1)"
}

// tags are the tags of a chunk of a hidden source as JSON.
func (v sight) tags() string { return v.asHeld("h.tags") }

// ref is the reference of a chunk of a hidden source: where in the document it stands, after how the
// holder calls that.
func (v sight) ref() string {
	return v.asHeld(`(SELECT h.source_ref || iif(h.source_ref <> '' AND substr(c.source_ref, 1, length(d.source_ref)) = d.source_ref,
		substr(c.source_ref, length(d.source_ref) + 1), '') FROM documents d WHERE d.id = c.document)`)
}

// isHidden is the condition that a chunk is in a hidden source, whatever it is served under.
func (v sight) isHidden() string { return "c.source IN " + v.hidden }

// visible is the condition that a chunk exists for the caller.
func (v sight) visible() string {
	switch {
	case v.hidden == "":
		return "1"
	case !v.shared:
		return "c.source NOT IN " + v.hidden
	}
	return "(c.source NOT IN " + v.hidden + " OR " + v.other() + " IS NOT NULL)"
}

// servedUnder is the condition that a chunk is served under one of the sources, none of which is
// hidden.
func (v sight) servedUnder(sources []int64) string {
	list := idList(sources)
	if !v.shared {
		return "c.source IN " + list
	}
	return "(c.source IN " + list + " OR " + v.isHidden() + " AND " + v.other() + " IN " + list + ")"
}

// visibleDocument is the condition that a document, named d, exists for the caller.
func (v sight) visibleDocument() string {
	switch {
	case v.hidden == "":
		return "1"
	case !v.shared:
		return "d.source NOT IN " + v.hidden
	}
	return "(d.source NOT IN " + v.hidden + " OR EXISTS (SELECT 1 FROM holders h WHERE h.document = d.id AND h.source NOT IN " + v.hidden + "))"
}

// columns are what scanChunk reads, from [sight.from]. What a hidden source says of a document, its
// reference and tags there, gives way to what the other says.
func (v sight) columns() string {
	ref, tags := "c.source_ref", "t.tags"
	if v.shared {
		ref, tags = "iif("+v.isHidden()+", "+v.ref()+", c.source_ref)", "iif("+v.isHidden()+", "+v.tags()+", t.tags)"
	}
	return strings.NewReplacer("REF", ref, "TAGS", tags).Replace(
		"c.id, c.chunk_id, s.source_id, s.kind, REF, c.title, a.name, c.context, c.content, c.timestamp_ms, c.token_count, TAGS")
}

// from joins the tables that columns reads. The joins are CROSS so that the planner starts with the
// chunks that were chosen and not with a source.
func (v sight) from() string {
	source := "c.source"
	if v.shared {
		source = "iif(" + v.isHidden() + ", " + v.other() + ", c.source)"
	}
	return "chunks c CROSS JOIN sources s ON s.id = " + source + " CROSS JOIN authors a ON a.id = c.author CROSS JOIN tagsets t ON t.id = c.tags"
}
