package backup_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/openhuman/openhuman-core/internal/backup"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// The test binary runs itself as other processes: the role says what a copy is to do.
const (
	roleVar   = "TEST_BACKUP_ROLE"
	memoryVar = "TEST_BACKUP_MEMORY"
	fileVar   = "TEST_BACKUP_FILE"
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleVar)
	if role == "" {
		os.Exit(m.Run())
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var err error
	switch memory, file := os.Getenv(memoryVar), os.Getenv(fileVar); role {
	case "write":
		err = writeOn(ctx, memory)
	case "restore":
		_, err = backup.Restore(ctx, backup.Options{Memory: memory, File: file})
	case "backup":
		limitFiles()
		_, err = backup.Make(ctx, backup.Options{Memory: memory, File: file})
	default:
		err = fmt.Errorf("unknown role %q", role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// writeOn stores pairs of documents, both in one transaction, until it is killed. It says when it has
// begun.
func writeOn(ctx context.Context, path string) error {
	s, err := store.Open(ctx, store.Options{Path: path})
	if err != nil {
		return err
	}
	for i := 0; ctx.Err() == nil; i++ {
		err := s.Update(ctx, func(tx *store.Tx) error {
			return errors.Join(put(tx, fmt.Sprint("left ", i)), put(tx, fmt.Sprint("right ", i)))
		})
		if err != nil {
			return err
		}
		if i == 10 {
			fmt.Println("writing")
		}
	}
	return nil
}

// put stores a document of one chunk that says so.
func put(tx *store.Tx, text string) error {
	id := fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:32]
	content := text + strings.Repeat(" and some more words of it", 60)
	_, _, err := tx.PutDocument(store.DocumentRecord{
		Source: store.SourceMeta{SourceID: "notes:x", Kind: "document"}, Identity: id, Title: text, TimestampMS: 1714554000000, Hash: sha256.Sum256([]byte(content)),
		Chunks: []store.ChunkRecord{{ChunkID: id, Title: text, Content: content, TimestampMS: 1714554000000, TokenCount: 300, Index: store.IndexText{Body: content}}},
	})
	return err
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// memory makes one with n documents whose titles begin with name.
func memory(t *testing.T, path, name string, n int) {
	t.Helper()
	s, err := store.Open(t.Context(), store.Options{Path: path})
	must(t, err)
	must(t, s.Update(t.Context(), func(tx *store.Tx) error {
		for i := range n {
			if err := put(tx, fmt.Sprintf("%s %d", name, i)); err != nil {
				return err
			}
		}
		return nil
	}))
	must(t, s.Finish(t.Context()))
	must(t, s.Close())
}

// titles counts the documents of a memory by the first word of their titles, and has the file checked.
func titles(t *testing.T, path string) map[string]int {
	t.Helper()
	problems, err := store.Check(t.Context(), path)
	must(t, err)
	if len(problems) > 0 {
		t.Fatalf("%s: %q", filepath.Base(path), problems)
	}
	s, err := store.Open(t.Context(), store.Options{Path: path, ReadOnly: true})
	must(t, err)
	defer s.Close()
	out := map[string]int{}
	for offset := 0; ; {
		page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 1000, Offset: offset})
		must(t, err)
		for _, c := range page {
			first, _, _ := strings.Cut(c.Title, " ")
			out[first]++
		}
		if offset += len(page); len(page) == 0 {
			return out
		}
	}
}

// names lists a folder.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	var out []string
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}
