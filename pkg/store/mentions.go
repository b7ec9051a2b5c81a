package store

import (
	"cmp"
	"database/sql"
	"fmt"
	"slices"
	"strings"
)

// A mention is a row of the table mentions with what its counts need.
type mention struct {
	form, entity, rep int64
	count             int
}

// mentionBatch is how many rows one statement writes.
const mentionBatch = 16

// putMentions writes the mentions of a chunk that has none, and counts them.
func (tx *Tx) putMentions(chunk, source int64, ms []Mention) error {
	if len(ms) == 0 {
		return nil
	}
	rows := make([]mention, 0, len(ms))
	for i := range ms {
		f, err := tx.form(&ms[i])
		if err != nil {
			return err
		}
		rep, err := tx.rep(f.entity)
		if err != nil {
			return err
		}
		rows = append(rows, mention{f.form, f.entity, rep, max(ms[i].Count, 1)})
	}
	slices.SortFunc(rows, func(a, b mention) int { return cmp.Compare(a.form, b.form) })
	rows = slices.CompactFunc(rows, func(a, b mention) bool { return a.form == b.form })

	for part := range slices.Chunk(rows, mentionBatch) {
		args := make([]any, 0, 3*mentionBatch)
		for _, m := range part {
			args = append(args, m.form, chunk, m.count)
		}
		if err := tx.w.exec("INSERT OR FAIL INTO mentions (form, chunk, count) VALUES "+placeholders(len(part), 3), args...); err != nil {
			return fmt.Errorf("write mentions: %w", err)
		}
	}
	tx.count(rows, source, 1)
	return nil
}

// clearMentions removes the mentions of a chunk and takes back their counts.
func (tx *Tx) clearMentions(chunk, source int64) error {
	rows, err := tx.mentionsOf(chunk)
	if err != nil {
		return err
	}
	if err := tx.w.exec("DELETE FROM mentions WHERE chunk = ?", chunk); err != nil {
		return fmt.Errorf("remove mentions: %w", err)
	}
	tx.count(rows, source, -1)
	return nil
}

// mentionsOf returns the mentions of a chunk.
func (tx *Tx) mentionsOf(chunk int64) ([]mention, error) {
	var rows []mention
	err := tx.w.each(`SELECT m.form, m.count, e.id, coalesce(e.canonical, e.id)
		FROM mentions m JOIN forms f ON f.id = m.form JOIN entities e ON e.id = f.entity WHERE m.chunk = ?`, []any{chunk},
		func(r *sql.Rows) error {
			var m mention
			if err := r.Scan(&m.form, &m.count, &m.entity, &m.rep); err != nil {
				return err
			}
			rows = append(rows, m)
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("read mentions: %w", err)
	}
	return rows, nil
}

// count adds (or, with sign -1, takes back) the mentions of one chunk.
func (tx *Tx) count(rows []mention, source int64, sign int) {
	for i, m := range rows {
		tx.formMentions[pair{m.form, source}] += sign * m.count
		// An entity counts once a chunk, in however many forms it is written.
		if !slices.ContainsFunc(rows[:i], func(o mention) bool { return o.rep == m.rep }) {
			tx.entityChunks[pair{m.rep, source}] += sign
		}
	}
}

// form returns the row of a mention's written form, made with its entity when it is new.
func (tx *Tx) form(m *Mention) (knownForm, error) {
	surface := m.Surface
	if surface == "" {
		surface = m.Value
	}
	key := formKey{m.Kind, m.Value, surface}
	if f, ok := tx.w.known.forms[key]; ok {
		return f, nil
	}
	var f knownForm
	id := m.Kind + ":" + m.Value
	found, err := tx.w.get("SELECT id FROM entities WHERE entity_id = ?", []any{id}, &f.entity)
	if err == nil && !found {
		f.entity, err = tx.w.insert("INSERT INTO entities (entity_id, kind) VALUES (?, ?)", id, m.Kind)
	}
	if err != nil {
		return f, fmt.Errorf("write an entity: %w", err)
	}
	known := found
	if known {
		known, err = tx.w.get("SELECT id FROM forms WHERE entity = ? AND surface = ?", []any{f.entity, surface}, &f.form)
	}
	if err == nil && !known {
		f.form, err = tx.w.insert("INSERT INTO forms (entity, surface) VALUES (?, ?)", f.entity, surface)
	}
	if err != nil {
		return f, fmt.Errorf("write a form: %w", err)
	}
	// The strings may be parts of a whole document: keep copies of what is small only.
	remember(tx.w.known.forms, formKey{m.Kind, strings.Clone(m.Value), strings.Clone(surface)}, f)
	return f, nil
}

// rep returns the entity that stands for an entity.
func (tx *Tx) rep(entity int64) (int64, error) {
	if r, ok := tx.w.known.reps[entity]; ok {
		return r, nil
	}
	var r int64
	if _, err := tx.w.get("SELECT coalesce(canonical, id) FROM entities WHERE id = ?", []any{entity}, &r); err != nil {
		return 0, fmt.Errorf("look up an entity: %w", err)
	}
	remember(tx.w.known.reps, entity, r)
	return r, nil
}
