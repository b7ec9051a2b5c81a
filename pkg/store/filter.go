package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/openhuman/openhuman-core/internal/glob"
	"github.com/openhuman/openhuman-core/internal/text"
)

// scanChunk reads the columns of a sight, then the columns that extra points to.
func scanChunk(row interface{ Scan(...any) error }, c *Chunk, extra ...any) error {
	var tags string
	dst := append([]any{&c.RowID, &c.ChunkID, &c.SourceID, &c.SourceKind, &c.SourceRef, &c.Title, &c.Author,
		&c.Context, &c.Content, &c.TimestampMS, &c.TokenCount, &tags}, extra...)
	if err := row.Scan(dst...); err != nil {
		return fmt.Errorf("read a chunk: %w", err)
	}
	c.Tags = parseTags(tags)
	return nil
}

func parseTags(s string) []string {
	if s == "[]" {
		return nil
	}
	var tags []string
	if json.Unmarshal([]byte(s), &tags) != nil {
		return nil
	}
	return tags
}

// A condition is a filter as SQL over the table chunks, named c. It is ANDed to whatever else the
// query asks; none means that nothing can match, so that no query is needed.
type condition struct {
	sql   string // "1" when there is nothing to filter
	none  bool
	sight sight
}

// where resolves the filter and its scope against the store: every name becomes a set of row
// numbers here, with the rules for letters that SQLite does not know, so the result needs no
// arguments. It is the only place where a filter or a scope becomes SQL.
func (f Filter) where(ctx context.Context, q querier) (condition, error) {
	var and []string
	none := condition{sql: "0", none: true}
	all, ids, hidden, err := f.sources(ctx, q)
	if err != nil {
		return none, err
	}
	v, err := sightWithout(ctx, q, hidden)
	if err != nil {
		return none, err
	}
	if !all {
		if len(ids) == 0 {
			return none, nil
		}
		and = append(and, v.servedUnder(ids))
	}
	if want := matchTags(f.Tags); want != nil {
		tagged, err := v.tagged(ctx, q, want)
		if err != nil || tagged == "" {
			return none, err
		}
		and = append(and, tagged)
	}
	if not := matchTags(f.exclude().Tags); not != nil {
		tagged, err := v.tagged(ctx, q, not)
		if err != nil {
			return none, err
		}
		if tagged != "" {
			and = append(and, "NOT "+tagged)
		}
	}
	if len(f.Authors) > 0 {
		by, err := authored(ctx, q, f.Authors, v)
		if err != nil || by == "" {
			return none, err
		}
		and = append(and, by)
	}
	if not := f.exclude().Authors; len(not) > 0 {
		by, err := authored(ctx, q, not, v)
		if err != nil {
			return none, err
		}
		if by != "" {
			and = append(and, "NOT "+by)
		}
	}
	if len(f.EntityIDs) > 0 {
		forms, err := formsOf(ctx, q, f.EntityIDs, f.Scope)
		if err != nil {
			return none, err
		}
		if len(forms) == 0 {
			return none, nil
		}
		and = append(and, "c.id IN (SELECT m.chunk FROM mentions m WHERE m.form IN "+idList(forms)+")")
	}
	if f.SinceMS != nil {
		and = append(and, "c.timestamp_ms >= "+strconv.FormatInt(*f.SinceMS, 10))
	}
	if f.UntilMS != nil {
		and = append(and, "c.timestamp_ms <= "+strconv.FormatInt(*f.UntilMS, 10))
	}
	if x := f.exclude(); x.SinceMS != nil {
		and = append(and, "c.timestamp_ms < "+strconv.FormatInt(*x.SinceMS, 10))
	}
	if x := f.exclude(); x.UntilMS != nil {
		and = append(and, "c.timestamp_ms > "+strconv.FormatInt(*x.UntilMS, 10))
	}
	if len(and) == 0 {
		return condition{sql: "1", sight: v}, nil
	}
	return condition{strings.Join(and, " AND "), false, v}, nil
}

func (f Filter) exclude() Filter {
	if f.Exclude == nil {
		return Filter{}
	}
	return *f.Exclude
}

// namesSource reports whether any of the lists that name sources holds this one.
func (f Filter) namesSource(name, kind string) bool {
	return slices.Contains(f.SourceKinds, kind) || slices.Contains(f.SourceIDs, name) || matchesGlob(f.SourceGlobs, name)
}

func matchesGlob(globs []string, name string) bool {
	return slices.ContainsFunc(globs, func(g string) bool { return glob.Match(g, name) })
}

// sources returns the row numbers of the sources that the filter and its scope leave, or all, and of
// those that the scope hides.
func (f Filter) sources(ctx context.Context, q querier) (all bool, ids, hidden []int64, err error) {
	scoped := f.Scope != nil && !f.Scope.All()
	x := f.exclude()
	if !scoped && len(f.SourceKinds)+len(f.SourceIDs)+len(f.SourceGlobs)+len(x.SourceKinds)+len(x.SourceIDs)+len(x.SourceGlobs) == 0 {
		return true, nil, nil, nil
	}
	rows, err := q.QueryContext(ctx, "SELECT id, source_id, kind FROM sources")
	if err != nil {
		return false, nil, nil, fmt.Errorf("resolve sources: %w", err)
	}
	defer rows.Close()
	all = true
	for rows.Next() {
		var id int64
		var name, kind string
		if err := rows.Scan(&id, &name, &kind); err != nil {
			return false, nil, nil, fmt.Errorf("resolve sources: %w", err)
		}
		switch {
		case scoped && f.Scope.Hides(name):
			hidden, all = append(hidden, id), false
		case len(f.SourceKinds) > 0 && !slices.Contains(f.SourceKinds, kind),
			len(f.SourceIDs) > 0 && !slices.Contains(f.SourceIDs, name),
			len(f.SourceGlobs) > 0 && !matchesGlob(f.SourceGlobs, name),
			x.namesSource(name, kind):
			all = false
		default:
			ids = append(ids, id)
		}
	}
	return all && len(ids) > 0, ids, hidden, rows.Err()
}

// resolve returns the ids of the rows (id, text) that match.
func resolve(ctx context.Context, q querier, query string, match func(string) bool) ([]int64, error) {
	rows, err := q.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("resolve names: %w", err)
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		var s string
		if err := rows.Scan(&id, &s); err != nil {
			return nil, fmt.Errorf("resolve names: %w", err)
		}
		if match(s) {
			ids = append(ids, id)
		}
	}
	return ids, rows.Err()
}

// matchAuthors returns nil when there is nothing to match; so does matchTags.
func matchAuthors(want []string) func(string) bool {
	if len(want) == 0 {
		return nil
	}
	folded := foldAll(want)
	return func(name string) bool {
		name = text.Fold(name)
		return slices.ContainsFunc(folded, func(w string) bool { return strings.Contains(name, w) })
	}
}

// tagged is the condition that a chunk has tags that match, "" when none has.
func (v sight) tagged(ctx context.Context, q querier, match func(string) bool) (string, error) {
	ids, err := resolve(ctx, q, "SELECT id, tags FROM tagsets WHERE tags <> '[]'", match)
	if err != nil {
		return "", err
	}
	own := "c.tags IN " + idList(ids)
	if !v.shared {
		if len(ids) == 0 {
			return "", nil
		}
		return own, nil
	}
	var lists []string
	err = scanAll(ctx, q, "SELECT DISTINCT tags FROM holders WHERE tags <> '[]'", func(r *sql.Rows) error {
		var tags string
		if err := r.Scan(&tags); err != nil {
			return err
		}
		if match(tags) {
			lists = append(lists, "'"+strings.ReplaceAll(tags, "'", "''")+"'")
		}
		return nil
	})
	if err != nil {
		return "", fmt.Errorf("resolve names: %w", err)
	}
	return "iif(" + v.isHidden() + ", " + v.tags() + " IN (" + strings.Join(lists, ",") + "), " + own + ")", nil
}

func matchTags(want []string) func(string) bool {
	if len(want) == 0 {
		return nil
	}
	folded := foldAll(want)
	return func(tags string) bool {
		return slices.ContainsFunc(parseTags(tags), func(t string) bool { return slices.Contains(folded, text.Fold(t)) })
	}
}

func foldAll(ss []string) []string {
	out := make([]string, len(ss))
	for i, s := range ss {
		out[i] = text.Fold(s)
	}
	return out
}

func queryIDs(ctx context.Context, q querier, query string, args ...any) ([]int64, error) {
	rows, err := q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var ids []int64
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id); err != nil {
			return nil, err
		}
		ids = append(ids, id)
	}
	return ids, rows.Err()
}

// idList writes row numbers as an SQL list.
func idList(ids []int64) string {
	b := make([]byte, 0, 2+8*len(ids))
	b = append(b, '(')
	for i, id := range ids {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, id, 10)
	}
	return string(append(b, ')'))
}
