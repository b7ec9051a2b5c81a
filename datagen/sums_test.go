package main

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSums compares the data files with the checksums they had when they were made.
func TestSums(t *testing.T) {
	f, err := os.Open("SHA256SUMS")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for s := bufio.NewScanner(f); s.Scan(); n++ {
		want, name, ok := strings.Cut(s.Text(), "  ")
		if !ok {
			t.Fatalf("line %q", s.Text())
		}
		data, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(name)))
		if err != nil {
			t.Error(err)
			continue
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			t.Errorf("%s has changed without its checksum", name)
		}
	}
	if n != 9 {
		t.Errorf("%d files", n)
	}
}
