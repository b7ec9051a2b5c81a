package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"

	sqlite3 "modernc.org/sqlite/lib"
)

//go:embed migrations/*.sql
var migrations embed.FS

// applicationID marks the file as ours in its header ("OHmt").
const applicationID = 0x4f486d74

// writerHash lets the index collect 32 MB of new entries in memory before it writes a segment; the
// index remembers it.
const writerHash = "INSERT INTO chunk_index (chunk_index, rank) VALUES ('hashsize', 33554432)"

// SchemaVersion is the schema that this program writes: the number of the last migration.
const SchemaVersion = 6

// scripts returns the migrations in order.
func scripts() ([]string, error) {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		return nil, err
	}
	out := make([]string, len(names))
	for i, name := range names {
		b, err := migrations.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out[i] = string(b)
	}
	return out, nil
}

// checkVersion returns an error unless q's database is ours and has exactly this program's schema.
func checkVersion(ctx context.Context, q querier) error {
	version, err := readVersion(ctx, q)
	if err != nil {
		return err
	}
	switch version {
	case SchemaVersion:
		return nil
	case 0:
		return errEmpty
	}
	return versionError{version, SchemaVersion}
}

// readVersion returns the schema version: 0 for a database with nothing in it. A version that is none,
// below 1 with something in it, is an error.
func readVersion(ctx context.Context, q querier) (int, error) {
	// One statement, so that it is one state of a file that another process may be setting up.
	var version, app, tables int
	if err := q.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM sqlite_schema), user_version, application_id FROM pragma_user_version, pragma_application_id").
		Scan(&tables, &version, &app); err != nil {
		return 0, fmt.Errorf("read the schema version: %w", err)
	}
	if app == applicationID {
		if version < 0 || version == 0 && tables > 0 {
			return 0, schemaError{fmt.Sprintf("it says that its format is version %d, which there never was", version)}
		}
		return version, nil
	}
	if app != 0 || version != 0 || tables != 0 {
		return 0, errForeign
	}
	return 0, nil
}

// migrate brings the schema to the version of the last script, one transaction a step. Several processes
// may do so at once: each step is taken under the write lock by whoever finds it still to be done.
func migrate(ctx context.Context, conn *sql.Conn, scripts []string) error {
	for {
		version, err := readVersion(ctx, conn)
		if err != nil {
			return err
		}
		if version > len(scripts) {
			return versionError{version, len(scripts)}
		}
		if version == len(scripts) {
			return nil
		}
		if err := migrateStep(ctx, conn, version, scripts[version]); err != nil {
			if resultCode(err) == sqlite3.SQLITE_ERROR { // the scripts are sound
				err = errors.Join(schemaError{fmt.Sprintf("it is not what version %d has written", version)}, err)
			}
			return fmt.Errorf("migrate to version %d: %w", version+1, err)
		}
	}
}

func migrateStep(ctx context.Context, conn *sql.Conn, from int, script string) (err error) {
	if _, err := conn.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			conn.ExecContext(context.WithoutCancel(ctx), "ROLLBACK") //nolint:errcheck // err is what matters
		}
	}()
	version, err := readVersion(ctx, conn)
	if err != nil {
		return err
	}
	if version != from { // another process was faster
		_, err = conn.ExecContext(ctx, "ROLLBACK")
		return err
	}
	if _, err := conn.ExecContext(ctx, script); err != nil {
		return err
	}
	if from == 0 {
		if _, err := conn.ExecContext(ctx, writerHash); err != nil {
			return err
		}
	}
	if _, err := conn.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d; PRAGMA user_version = %d", applicationID, from+1)); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, "COMMIT")
	return err
}
