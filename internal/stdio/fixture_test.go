package stdio_test

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// document is one line of a `store` section: one document with fixed chunk ids (c1, c2, …).
type document struct {
	SourceID string   `json:"source_id"`
	Kind     string   `json:"kind"`
	Ref      string   `json:"ref"`
	Title    string   `json:"title"`
	Author   string   `json:"author"`
	At       string   `json:"at"`
	Tags     []string `json:"tags"`
	Text     []string `json:"text"`
	Mentions []string `json:"mentions"` // kind:value=surface, of every chunk
}

// makeStore writes a store with the documents of lines and returns its path.
func makeStore(t *testing.T, lines []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	s, err := store.Open(t.Context(), store.Options{Path: path, Now: func() time.Time { return time.Unix(1_770_000_000, 0) }})
	if err != nil {
		t.Fatal(err)
	}
	chunk := 0
	err = s.Update(t.Context(), func(tx *store.Tx) error {
		for line := range strings.Lines(string(lines)) {
			var d document
			if err := json.Unmarshal([]byte(line), &d); err != nil {
				return fmt.Errorf("%s: %w", line, err)
			}
			rec, err := d.record(&chunk)
			if err != nil {
				return err
			}
			if _, _, err := tx.PutDocument(rec); err != nil {
				return err
			}
		}
		return nil
	})
	if err = errors.Join(err, s.Finish(context.Background()), s.Close()); err != nil {
		t.Fatal(err)
	}
	return path
}

func (d document) record(chunk *int) (store.DocumentRecord, error) {
	at, err := time.Parse(time.RFC3339, d.At)
	if err != nil {
		return store.DocumentRecord{}, err
	}
	rec := store.DocumentRecord{
		Source:      store.SourceMeta{SourceID: d.SourceID, Kind: d.Kind},
		Identity:    d.SourceID + " " + d.Ref,
		SourceRef:   d.Ref,
		Title:       d.Title,
		Author:      d.Author,
		TimestampMS: at.UnixMilli(),
		Tags:        d.Tags,
		Hash:        sha256.Sum256([]byte(fmt.Sprint(d))),
	}
	for _, content := range d.Text {
		*chunk++
		c := store.ChunkRecord{
			ChunkID:     fmt.Sprintf("c%d", *chunk),
			SourceRef:   d.Ref,
			Title:       d.Title,
			Author:      d.Author,
			Context:     strings.TrimSpace(d.Title + "\n" + d.Author),
			Content:     content,
			TimestampMS: at.UnixMilli(),
			TokenCount:  text.EstimateTokens(content),
			Tags:        d.Tags,
			Index: store.IndexText{
				Head:  string(text.AppendIndex(nil, d.Title+" "+d.Author)),
				Body:  string(text.AppendIndex(nil, content)),
				Extra: string(text.AppendExtra(nil, content)),
			},
		}
		for _, m := range d.Mentions {
			id, surface, _ := strings.Cut(m, "=")
			kind, value, _ := strings.Cut(id, ":")
			c.Mentions = append(c.Mentions, store.Mention{Kind: kind, Value: value, Surface: surface, Count: 1})
		}
		rec.Chunks = append(rec.Chunks, c)
	}
	return rec, nil
}

// spoilt returns the path of a store in one of the states that a server must survive.
func spoilt(t *testing.T, state string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	var data []byte
	switch state {
	case "missing":
		return path
	case "empty file":
	case "corrupt":
		data = []byte(strings.Repeat("this is no database\n", 1000))
	case "newer":
		return newerStore(t)
	default:
		t.Fatalf("unknown state of the store %q", state)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// newerStore is a store whose header names a schema from the future.
func newerStore(t *testing.T) string {
	t.Helper()
	path := makeStore(t, nil)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	copy(data[60:64], []byte{0, 0, 0x03, 0xe7}) // PRAGMA user_version, big endian
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
