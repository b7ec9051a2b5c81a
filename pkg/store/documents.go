package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// PutDocument stores a document under its identity. An equal hash is Unchanged and costs one
// look-up, whatever else the record says. Otherwise the document's chunks, index rows, mentions and
// links become those of the record; a chunk whose chunk_id the document had before keeps its row,
// and its vectors as long as its index row is the same.
func (tx *Tx) PutDocument(rec DocumentRecord) (docID int64, res PutResult, err error) {
	var hash []byte
	found, err := tx.w.get("SELECT id, hash FROM documents WHERE identity = ?", []any{rec.Identity}, &docID, &hash)
	if err != nil {
		return 0, Unchanged, fmt.Errorf("look up a document: %w", err)
	}
	if found && string(hash) == string(rec.Hash[:]) {
		return docID, Unchanged, nil
	}
	source, err := tx.source(rec.Source)
	if err != nil {
		return 0, Unchanged, err
	}
	tags, err := encodeTags(rec.Tags)
	if err != nil {
		return 0, Unchanged, err
	}
	args := []any{source, rec.SourceRef, rec.Title, rec.Author, rec.TimestampMS, tags, rec.Hash[:], append([]byte{}, rec.Origin...)}
	var old map[string]oldChunk
	had := map[int64]bool{} // tags
	res = Added
	if found {
		res = Replaced
		if old, err = tx.clearDocument(docID); err != nil {
			return 0, Unchanged, err
		}
		for _, c := range old {
			had[c.tags] = true
		}
		err = tx.w.exec("UPDATE documents SET source = ?, source_ref = ?, title = ?, author = ?, timestamp_ms = ?, tags = ?, hash = ?, origin = ? WHERE id = ?",
			append(args, docID)...)
	} else {
		docID, err = tx.w.insert("INSERT INTO documents (source, source_ref, title, author, timestamp_ms, tags, hash, origin, identity) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
			append(args, rec.Identity)...)
	}
	if err != nil {
		return 0, Unchanged, fmt.Errorf("write a document: %w", err)
	}
	for i := range rec.Chunks {
		if err := tx.putChunk(&rec, i, docID, source, old); err != nil {
			return 0, Unchanged, err
		}
	}
	for _, c := range old { // what the new text no longer has
		if err := tx.deleteChunk(c.id); err != nil {
			return 0, Unchanged, err
		}
	}
	for _, l := range rec.Links {
		if err := tx.w.exec("INSERT OR IGNORE INTO person_links (document, kind, value, person) VALUES (?, ?, ?, ?)",
			docID, l.Kind, l.Value, l.Person); err != nil {
			return 0, Unchanged, fmt.Errorf("write a link: %w", err)
		}
	}
	if found {
		if err := tx.tagsLeft(docID, had); err != nil {
			return 0, Unchanged, err
		}
	}
	tx.stale[metaPeople] = true
	return docID, res, nil
}

// tagsLeft notes that tags may be unused when a document no longer has what it had. To find out takes a
// look at every chunk there is.
func (tx *Tx) tagsLeft(docID int64, had map[int64]bool) error {
	err := tx.w.each("SELECT DISTINCT tags FROM chunks WHERE document = ?", []any{docID}, func(r *sql.Rows) error {
		var id int64
		err := r.Scan(&id)
		delete(had, id)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the tags of a document: %w", err)
	}
	if len(had) > 0 {
		tx.stale[metaTags] = true
	}
	return nil
}

// An oldChunk is a row that a document had before.
type oldChunk struct{ id, sum, source, timeMS, tags int64 }

// clearDocument takes back everything about a document but its row and its chunks' rows, which it
// returns by chunk_id.
func (tx *Tx) clearDocument(docID int64) (map[string]oldChunk, error) {
	old := map[string]oldChunk{}
	var source int64
	err := tx.w.each("SELECT id, chunk_id, source, index_sum, timestamp_ms, tags FROM chunks WHERE document = ?", []any{docID}, func(r *sql.Rows) error {
		var c oldChunk
		var name string
		if err := r.Scan(&c.id, &name, &source, &c.sum, &c.timeMS, &c.tags); err != nil {
			return err
		}
		c.source = source
		old[name] = c
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the chunks of a document: %w", err)
	}
	for _, c := range old {
		if err := tx.clearMentions(c.id, source); err != nil {
			return nil, err
		}
	}
	tx.sourceChunks[source] -= len(old)
	if err := tx.w.exec("DELETE FROM person_links WHERE document = ?", docID); err != nil {
		return nil, fmt.Errorf("remove links: %w", err)
	}
	tx.stale[metaGarbage] = true
	return old, nil
}

// putChunk writes chunk i of rec, into the row that it had before if there is one, which is then
// taken out of old.
func (tx *Tx) putChunk(rec *DocumentRecord, i int, docID, source int64, old map[string]oldChunk) error {
	c := &rec.Chunks[i]
	author, err := tx.intern(tx.w.known.authors, "authors", "name", c.Author)
	if err != nil {
		return err
	}
	list, err := encodeTags(mergeTags(rec.Tags, c.Tags))
	if err != nil {
		return err
	}
	tags, err := tx.intern(tx.w.known.tagsets, "tagsets", "tags", list)
	if err != nil {
		return err
	}
	sum := c.Index.sum()
	args := []any{docID, source, i, c.TimestampMS, author, tags, c.TokenCount, sum, c.SourceRef, c.Title, c.Context, c.Content, c.ChunkID}
	was, kept := old[c.ChunkID]
	id := was.id
	if kept {
		delete(old, c.ChunkID)
		if was.sum != sum || was.source != source || was.timeMS != c.TimestampMS {
			if err := tx.unseal(id); err != nil {
				return err
			}
		}
		err = tx.w.exec("UPDATE chunks SET document = ?, source = ?, ordinal = ?, timestamp_ms = ?, author = ?, tags = ?, token_count = ?, index_sum = ?, source_ref = ?, title = ?, context = ?, content = ? WHERE chunk_id = ?", args...)
	} else {
		id, err = tx.w.insert("INSERT INTO chunks (document, source, ordinal, timestamp_ms, author, tags, token_count, index_sum, source_ref, title, context, content, chunk_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", args...)
	}
	if err != nil {
		return fmt.Errorf("write a chunk: %w", err)
	}
	switch {
	case !kept:
		if err := tx.indexNew(id, &c.Index); err != nil {
			return err
		}
	case was.sum != sum:
		tx.reindex[id] = &c.Index
		if err := tx.dropVectors(id); err != nil {
			return err
		}
	}
	if (c.Index.Gloss != "" && !kept) || (kept && was.sum != sum) {
		tx.regloss[id] = c.Index.Gloss
	}
	if len(c.Vector) > 0 && (!kept || was.sum != sum) {
		if err := tx.addVector(rec.VectorModel.named(c.Model), id, 0, c.Vector); err != nil {
			return err
		}
	}
	tx.sourceChunks[source]++
	return tx.putMentions(id, source, c.Mentions)
}

// deleteChunk removes a chunk whose mentions and counts have been taken back already.
func (tx *Tx) deleteChunk(id int64) error {
	tx.reindex[id] = nil
	tx.regloss[id] = ""
	if err := tx.unseal(id); err != nil {
		return err
	}
	if err := tx.dropVectors(id); err != nil {
		return err
	}
	if err := tx.w.exec("DELETE FROM chunks WHERE id = ?", id); err != nil {
		return fmt.Errorf("remove a chunk: %w", err)
	}
	return nil
}

// deleteDocument removes a document with everything about it, and returns how many chunks it had.
func (tx *Tx) deleteDocument(docID int64) (chunks int, err error) {
	old, err := tx.clearDocument(docID)
	if err != nil {
		return 0, err
	}
	for _, c := range old {
		if err := tx.deleteChunk(c.id); err != nil {
			return 0, err
		}
	}
	if err := tx.w.exec("DELETE FROM documents WHERE id = ?", docID); err != nil {
		return 0, fmt.Errorf("remove a document: %w", err)
	}
	tx.stale[metaPeople], tx.stale[metaTags] = true, true
	return len(old), nil
}

// source returns the row of a source, made or brought up to date.
func (tx *Tx) source(m SourceMeta) (int64, error) {
	tags, err := encodeTags(m.Tags)
	if err != nil {
		return 0, err
	}
	k, ok := tx.w.known.sources[m.SourceID]
	if !ok {
		ok, err = tx.w.get("SELECT id, kind, owner, tags FROM sources WHERE source_id = ?", []any{m.SourceID}, &k.id, &k.kind, &k.owner, &k.tags)
		if err != nil {
			return 0, fmt.Errorf("look up a source: %w", err)
		}
	}
	switch {
	case !ok:
		k = knownSource{kind: m.Kind, owner: m.Owner, tags: tags}
		k.id, err = tx.w.insert("INSERT INTO sources (source_id, kind, owner, tags) VALUES (?, ?, ?, ?)", m.SourceID, m.Kind, m.Owner, tags)
	case k.kind != m.Kind:
		return 0, fault.New(fault.Invalid, "The source %s holds items of kind %s, not %s.", m.SourceID, k.kind, m.Kind).
			WithHint("Give these another source name.")
	case k.owner != m.Owner || k.tags != tags:
		k.owner, k.tags = m.Owner, tags
		err = tx.w.exec("UPDATE sources SET owner = ?, tags = ? WHERE id = ?", m.Owner, tags, k.id)
	}
	if err != nil {
		return 0, fmt.Errorf("write a source: %w", err)
	}
	remember(tx.w.known.sources, m.SourceID, k)
	return k.id, nil
}

// intern returns the row of s in a table of texts that are written once.
func (tx *Tx) intern(seen map[string]int64, table, column, s string) (int64, error) {
	id, ok := seen[s]
	if ok {
		return id, nil
	}
	ok, err := tx.w.get("SELECT id FROM "+table+" WHERE "+column+" = ?", []any{s}, &id)
	if err == nil && !ok {
		id, err = tx.w.insert("INSERT INTO "+table+" ("+column+") VALUES (?)", s)
	}
	if err != nil {
		return 0, fmt.Errorf("write %s: %w", table, err)
	}
	remember(seen, strings.Clone(s), id)
	return id, nil
}

// sum is a checksum of what the index was given.
func (x IndexText) sum() int64 {
	h := fnv.New64a()
	for _, s := range []string{x.Head, x.Body, x.Extra} {
		h.Write([]byte(s))    //nolint:errcheck // never fails
		h.Write([]byte{'\n'}) //nolint:errcheck // never fails
	}
	return int64(h.Sum64()) //nolint:gosec // any 64 bits will do
}

func encodeTags(tags []string) (string, error) {
	if len(tags) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal(tags)
	if err != nil {
		return "", fmt.Errorf("encode tags: %w", err)
	}
	return string(b), nil
}

// mergeTags returns the tags of both lists in order, each once.
func mergeTags(a, b []string) []string {
	if len(b) == 0 {
		return a
	}
	out := slices.Clone(a)
	for _, t := range b {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}
