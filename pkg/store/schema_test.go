package store

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/golden"
)

// TestSchema: the list that files are held to is what the migrations make.
func TestSchema(t *testing.T) {
	conn := testConn(t, filepath.Join(t.TempDir(), "memory.db"))
	steps, err := scripts()
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), conn, steps); err != nil {
		t.Fatal(err)
	}
	lines, err := readSchema(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, "schema.txt", []byte(strings.Join(lines, "\n")+"\n"))
}
