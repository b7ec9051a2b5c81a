// Package storetest is the contract of the store as tests: whatever claims to be one runs them. It
// also makes documents for tests of other packages.
package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"testing"

	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// A Text is one chunk of Doc, in the few words that a test wants to write.
type Text struct {
	Content  string
	Author   string
	TimeMS   int64
	Title    string
	Tags     []string
	Mentions []store.Mention
}

// Doc makes the record of a document: hashes, ids, index text and token counts as ingest would.
func Doc(sourceID, kind, key string, texts ...Text) store.DocumentRecord {
	rec := store.DocumentRecord{
		Source:   store.SourceMeta{SourceID: sourceID, Kind: kind},
		Identity: sourceID + "\x00" + key, SourceRef: key, Title: key,
	}
	seen := map[string]int{}
	for _, t := range texts {
		seen[t.Content]++
		id := sha256.Sum256(fmt.Append(nil, rec.Identity, "\x00", t.Content, "\x00", seen[t.Content]))
		title := t.Title
		if title == "" {
			title = key
		}
		rec.TimestampMS = max(rec.TimestampMS, t.TimeMS)
		rec.Chunks = append(rec.Chunks, store.ChunkRecord{
			ChunkID: hex.EncodeToString(id[:16]), SourceRef: key, Title: title, Author: t.Author, Context: title,
			Content: t.Content, TimestampMS: t.TimeMS, TokenCount: text.EstimateTokens(t.Content), Tags: t.Tags,
			Index: store.IndexText{
				Head: string(text.AppendIndex(nil, title+" "+t.Author)), Body: string(text.AppendIndex(nil, t.Content)),
				Extra: string(text.AppendExtra(nil, t.Content)),
			},
			Mentions: t.Mentions,
		})
	}
	return Rehash(rec)
}

// Rehash sets the hash of a record that a test has changed.
func Rehash(rec store.DocumentRecord) store.DocumentRecord {
	rec.Hash = [32]byte{}
	rec.Hash = sha256.Sum256(fmt.Appendf(nil, "%+v", rec))
	return rec
}

// Put stores documents in one transaction and finishes.
func Put(t testing.TB, s *store.Store, recs ...store.DocumentRecord) {
	t.Helper()
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		for _, rec := range recs {
			if _, _, err := tx.PutDocument(rec); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = s.Finish(t.Context())
	}
	if err != nil {
		t.Fatalf("put documents: %v", err)
	}
}

// Without is a scope that hides these sources.
type Without []string

// Hides reports whether the source is one of them.
func (w Without) Hides(sourceID string) bool {
	for _, s := range w {
		if s == sourceID {
			return true
		}
	}
	return false
}

// All reports whether nothing is hidden.
func (w Without) All() bool { return len(w) == 0 }
