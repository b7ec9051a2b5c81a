package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/pkg/store"
)

// a session is a workspace with the program over it.
type session struct {
	t       *testing.T
	dir     string
	environ []string
}

func newSession(t *testing.T, environ ...string) *session {
	t.Helper()
	dir := t.TempDir()
	return &session{t, dir, append([]string{"HOME=" + dir, "USERPROFILE=" + dir, "OPENHUMAN_WORKSPACE=" + filepath.Join(dir, "memory")}, environ...)}
}

// run returns what the program prints, and fails the test when it does not exit with status.
func (s *session) run(status int, args ...string) (stdout, stderr string) {
	s.t.Helper()
	var out, errs bytes.Buffer
	if got := run(context.Background(), args, strings.NewReader(""), &out, &errs, s.environ); got != status {
		s.t.Fatalf("%q exits with %d, not %d\n%s\n%s", args, got, status, &out, &errs)
	}
	return out.String(), errs.String()
}

// notes writes notes and returns their folder.
func (s *session) notes(n int) string {
	s.t.Helper()
	dir := filepath.Join(s.dir, "notes")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		s.t.Fatal(err)
	}
	for i := range n {
		body := fmt.Sprintf("---\ndate: 2024-%02d-%02d\n---\n\nMason number %d repairs the harbour wall with mortar. Nobody else knows how many stones it takes, and the weather decides about the rest of the week.\n", 1+i/28, 1+i%28, i)
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("n%03d.md", i)), []byte(body), 0o600); err != nil {
			s.t.Fatal(err)
		}
	}
	return dir
}

// models returns who made the vectors and who wrote the summaries of the memory.
func (s *session) models() (vectors, makers []string) {
	s.t.Helper()
	m, err := store.Open(s.t.Context(), store.Options{Path: filepath.Join(s.dir, "memory", "memory.db"), ReadOnly: true})
	if err != nil {
		s.t.Fatal(err)
	}
	defer m.Close()
	_, err = m.Vectors(s.t.Context(), store.VectorState{}, store.VectorChanges{
		Models: func(list map[int64]store.ModelVectors) error {
			for _, x := range list {
				if x.Count > 0 {
					vectors = append(vectors, x.Fingerprint)
				}
			}
			return nil
		},
		Vector: func(*store.StoredVector) error { return nil }, Dead: func(int64) error { return nil },
	})
	if err != nil {
		s.t.Fatal(err)
	}
	list, err := m.PendingSummaries(s.t.Context(), []string{"-"}, 0, 1000)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, x := range list {
		makers = append(makers, x.Maker)
	}
	slices.Sort(vectors)
	slices.Sort(makers)
	return vectors, slices.Compact(makers)
}
