package store_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// TestForgottenTextIsGone looks for it in the bytes of the file.
func TestForgottenTextIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s := open(t, store.Options{Path: path})
	storetest.Put(t, s,
		storetest.Doc("notes:gone", "document", "g.md", storetest.Text{
			Content: "the quixotic zanzibar", Author: "Xerxes", Tags: []string{"yttrium"},
			Mentions: []store.Mention{{Kind: "person", Value: "wolverine", Surface: "Wolverine", Count: 1}},
		}),
		storetest.Doc("notes:kept", "document", "k.md", storetest.Text{Content: "the kestrel"}))
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.ForgetSource("notes:gone")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(file, []byte("kestrel")) {
		t.Error("the rest is gone too")
	}
	for _, word := range []string{"zanzibar", "quixot", "Xerxes", "yttrium", "olverine", "notes:gone", "g.md"} {
		if bytes.Contains(file, []byte(word)) {
			t.Errorf("%q is still in the file", word)
		}
	}
}

// TestForgottenTextIsGoneFromPages has two sources share pages, so that rows have moved before one
// of the sources goes.
func TestForgottenTextIsGoneFromPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s := open(t, store.Options{Path: path})
	for i := range 120 {
		name := fmt.Sprintf("%03d.md", i)
		storetest.Put(t, s,
			storetest.Doc("notes:gone", "document", "gone"+name, storetest.Text{Content: strings.Repeat("the quixotic zanzibar ", 1+i%40)}),
			storetest.Doc("notes:kept", "document", "kept"+name, storetest.Text{Content: strings.Repeat("the kestrel ", 1+i%30)}))
	}
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.ForgetSource("notes:gone")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if problems, err := s.Integrity(t.Context()); err != nil || len(problems) > 0 {
		t.Errorf("the rewritten file: %v, %v", problems, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, path + "-wal"} {
		file, err := os.ReadFile(p)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		for _, word := range []string{"zanzibar", "quixot", "notes:gone", "gone0"} {
			if n := bytes.Count(file, []byte(word)); n > 0 {
				t.Errorf("%q is still in %s, %d times", word, filepath.Base(p), n)
			}
		}
	}
}
