package store

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// Tx is one write transaction; see Store.Update.
type Tx struct {
	w   *writer
	now time.Time

	// Counts are gathered here and written once, at the end of the transaction.
	entityChunks map[pair]int  // entity, source
	formMentions map[pair]int  // form, source
	sourceChunks map[int64]int // source
	stale        map[string]bool

	reread map[string]bool // see Reread

	// Index rows that are to be replaced, or with nil removed. FTS5 gathers rows in memory and
	// writes all of them out whenever a smaller row number comes, so these wait for the end.
	reindex map[int64]*IndexText
	// Glosses that are to be replaced, or with "" removed; they wait for the same reason.
	regloss map[int64]string
}

// A pair is an entity or a form with a source.
type pair struct{ what, source int64 }

// Names in the table meta.
const (
	metaPeople  = "stale.people"  // mentions, links or holders have changed since people were resolved
	metaGarbage = "stale.garbage" // rows may exist that nothing refers to
	metaTags    = "stale.tags"    // tags may exist that no chunk has
	metaScrub   = "stale.scrub"   // forgotten text may still stand in unused parts of the file
	metaTermsAt = "terms.chunks"  // number of chunks when common_terms was counted
	// metaPeopleVersion changes whenever mentions, links or holders may have; see groupings.
	metaPeopleVersion = "people.version"
)

// known is what a writer remembers between transactions, to save look-ups.
type known struct {
	sources map[string]knownSource
	authors map[string]int64
	tagsets map[string]int64
	forms   map[formKey]knownForm
	reps    map[int64]int64 // entity to the entity that stands for it, itself included
	models  map[VectorModel]int64
}

type knownSource struct {
	id                int64
	kind, owner, tags string
}

type formKey struct{ kind, value, surface string }

type knownForm struct{ form, entity int64 }

// maxKnown bounds each of the maps; a full one starts afresh.
const maxKnown = 200_000

func newKnown() known {
	return known{
		sources: map[string]knownSource{}, authors: map[string]int64{}, tagsets: map[string]int64{},
		forms: map[formKey]knownForm{}, reps: map[int64]int64{}, models: map[VectorModel]int64{},
	}
}

func remember[K comparable, V any](m map[K]V, k K, v V) {
	if len(m) >= maxKnown {
		clear(m)
	}
	m[k] = v
}

func newTx(w *writer, now time.Time) *Tx {
	return &Tx{
		w: w, now: now,
		entityChunks: map[pair]int{}, formMentions: map[pair]int{}, sourceChunks: map[int64]int{}, stale: map[string]bool{},
		reindex: map[int64]*IndexText{}, regloss: map[int64]string{}, reread: map[string]bool{},
	}
}

// Now returns the time of the transaction, the same throughout.
func (tx *Tx) Now() time.Time { return tx.now }

// Meta returns the value stored under key, or "".
func (tx *Tx) Meta(key string) (string, error) {
	var v string
	_, err := tx.w.get("SELECT value FROM meta WHERE key = ?", []any{key}, &v)
	if err != nil {
		return "", fmt.Errorf("read meta: %w", err)
	}
	return v, nil
}

// SetMeta stores value under key; "" removes the key.
func (tx *Tx) SetMeta(key, value string) error {
	query, args := "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", []any{key, value}
	if value == "" {
		query, args = "DELETE FROM meta WHERE key = ?", []any{key}
	}
	if err := tx.w.exec(query, args...); err != nil {
		return fmt.Errorf("write meta: %w", err)
	}
	return nil
}

// indexNew puts a new row into the index.
func (tx *Tx) indexNew(id int64, x *IndexText) error {
	if _, ok := tx.reindex[id]; ok { // the number of a row that was removed in this transaction
		delete(tx.reindex, id)
		if err := tx.unindex(id); err != nil {
			return err
		}
	}
	if err := tx.w.exec("INSERT INTO chunk_index (rowid, head, body, extra) VALUES (?, ?, ?, ?)", id, x.Head, x.Body, x.Extra); err != nil {
		return fmt.Errorf("index a chunk: %w", err)
	}
	return nil
}

func (tx *Tx) unindex(id int64) error {
	if err := tx.w.exec("DELETE FROM chunk_index WHERE rowid = ?", id); err != nil {
		return fmt.Errorf("remove a chunk from the index: %w", err)
	}
	return nil
}

// flushIndex does what waits in reindex: first all removals, then what takes their place.
func (tx *Tx) flushIndex() error {
	ids := sortedKeys(tx.reindex)
	for _, id := range ids {
		if err := tx.unindex(id); err != nil {
			return err
		}
	}
	waiting := tx.reindex
	tx.reindex = map[int64]*IndexText{}
	for _, id := range ids {
		if x := waiting[id]; x != nil {
			if err := tx.indexNew(id, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// flush writes what was gathered.
func (tx *Tx) flush() error {
	if err := tx.flushIndex(); err != nil {
		return err
	}
	if err := tx.flushGlosses(); err != nil {
		return err
	}
	totals := map[int64]int{}
	for p, n := range tx.entityChunks {
		totals[p.what] += n
	}
	if err := tx.flushPairs(tx.entityChunks, "entity_counts", "entity", "chunks"); err != nil {
		return err
	}
	if err := tx.flushPairs(tx.formMentions, "form_counts", "form", "mentions"); err != nil {
		return err
	}
	for _, id := range sortedKeys(totals) {
		if n := totals[id]; n != 0 {
			if err := tx.w.exec("UPDATE entities SET chunks = chunks + ? WHERE id = ?", n, id); err != nil {
				return fmt.Errorf("count entities: %w", err)
			}
		}
	}
	for _, id := range sortedKeys(tx.sourceChunks) {
		if n := tx.sourceChunks[id]; n != 0 {
			if err := tx.w.exec("UPDATE sources SET chunks = chunks + ? WHERE id = ?", n, id); err != nil {
				return fmt.Errorf("count chunks: %w", err)
			}
		}
	}
	for _, key := range []string{metaPeople, metaGarbage, metaTags, metaScrub} {
		if tx.stale[key] {
			if err := tx.SetMeta(key, "1"); err != nil {
				return err
			}
		}
	}
	if tx.stale[metaPeople] {
		if err := tx.w.exec(`INSERT INTO meta (key, value) VALUES (?, '1')
			ON CONFLICT (key) DO UPDATE SET value = CAST(CAST(value AS INTEGER) + 1 AS TEXT)`, metaPeopleVersion); err != nil {
			return fmt.Errorf("write meta: %w", err)
		}
	}
	if err := tx.touchTrees(sortedKeys(tx.sourceChunks)); err != nil {
		return err
	}
	clear(tx.entityChunks)
	clear(tx.formMentions)
	clear(tx.sourceChunks)
	clear(tx.stale)
	return nil
}

func (tx *Tx) flushPairs(m map[pair]int, table, what, count string) error {
	add := fmt.Sprintf("INSERT INTO %[1]s (%[2]s, source, %[3]s) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET %[3]s = %[3]s + excluded.%[3]s", table, what, count)
	drop := fmt.Sprintf("DELETE FROM %s WHERE %s = ? AND source = ? AND %s = 0", table, what, count)
	keys := make([]pair, 0, len(m))
	for p := range m {
		keys = append(keys, p)
	}
	slices.SortFunc(keys, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.what, b.what), cmp.Compare(a.source, b.source))
	})
	for _, p := range keys {
		n := m[p]
		if n == 0 {
			continue
		}
		if err := tx.w.exec(add, p.what, p.source, n); err != nil {
			return fmt.Errorf("count mentions: %w", err)
		}
		if n < 0 {
			if err := tx.w.exec(drop, p.what, p.source); err != nil {
				return fmt.Errorf("count mentions: %w", err)
			}
		}
	}
	return nil
}

func sortedKeys[V any](m map[int64]V) []int64 {
	keys := make([]int64, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
