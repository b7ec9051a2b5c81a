package store

import (
	"database/sql"
	"errors"
	"path/filepath"
	"testing"
)

func testConn(t *testing.T, path string) *sql.Conn {
	t.Helper()
	db, err := sql.Open("sqlite", dsn(path, ""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func version(t *testing.T, conn *sql.Conn) int {
	t.Helper()
	v, err := readVersion(t.Context(), conn)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestSchemaVersion(t *testing.T) {
	s, err := scripts()
	if err != nil {
		t.Fatal(err)
	}
	if len(s) != SchemaVersion {
		t.Errorf("%d migrations, SchemaVersion is %d", len(s), SchemaVersion)
	}
}

func TestMigrate(t *testing.T) {
	conn := testConn(t, filepath.Join(t.TempDir(), "memory.db"))
	first, err := scripts()
	if err != nil {
		t.Fatal(err)
	}
	if err := migrate(t.Context(), conn, first[:1]); err != nil {
		t.Fatal(err)
	}
	if v := version(t, conn); v != 1 {
		t.Fatalf("version %d, want 1", v)
	}
	if _, err := conn.ExecContext(t.Context(), "INSERT INTO meta VALUES ('k', 'v')"); err != nil {
		t.Fatal(err)
	}

	// A step that fails half-way leaves nothing of itself.
	bad := []string{first[0], "CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1)"}
	if err := migrate(t.Context(), conn, bad); err == nil {
		t.Fatal("a bad step was taken")
	}
	if v := version(t, conn); v != 1 {
		t.Errorf("version %d after a failed step, want 1", v)
	}

	// The next try takes it, and the content stays.
	good := []string{first[0], "CREATE TABLE extra (x)", "ALTER TABLE extra ADD COLUMN y"}
	if err := migrate(t.Context(), conn, good); err != nil {
		t.Fatal(err)
	}
	if v := version(t, conn); v != 3 {
		t.Errorf("version %d, want 3", v)
	}
	var value string
	if err := conn.QueryRowContext(t.Context(), "SELECT value FROM meta WHERE key = 'k'").Scan(&value); err != nil || value != "v" {
		t.Errorf("content: %q, %v", value, err)
	}

	// An older program leaves it alone.
	var v versionError
	if err := migrate(t.Context(), conn, good[:2]); !errors.As(err, &v) || v.have != 3 || v.want != 2 {
		t.Errorf("an older program: %v", err)
	}
}

// TestOlderFormat: a reader does not guess at a schema that a writer has not migrated yet.
func TestOlderFormat(t *testing.T) {
	err := (&Store{opts: Options{Path: "/m/memory.db"}}).explain(t.Context(), versionError{1, 2})
	if err == nil || err.Error() != "The memory at /m/memory.db has an older format.: schema version 1, this program has 2" {
		t.Errorf("%v", err)
	}
}
