package store

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strings"

	sqlite3 "modernc.org/sqlite/lib"
)

// schema names what the migrations make, a line each: "table t", "column t.c", "index i". TestSchema
// keeps it so.
//
//go:embed schema.txt
var schema string

// schemaError tells of a file that is ours by its header, with a schema that no version of this program
// has written: another program, or a fault of the disk, has changed it.
type schemaError struct{ what string }

func (e schemaError) Error() string { return e.what }

// readSchema returns the lines of schema that q's database has.
func readSchema(ctx context.Context, q querier) ([]string, error) {
	// One string for all: crossing into Go for each row costs more than finding it.
	var list string
	err := q.QueryRowContext(ctx, `SELECT coalesce(group_concat(line, char(10)), '') FROM (
		SELECT type || ' ' || name AS line FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'
		UNION ALL SELECT 'column ' || m.name || '.' || c.name FROM sqlite_schema m, pragma_table_info(m.name) c
			WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite!_%' ESCAPE '!')`).Scan(&list)
	if err != nil {
		return nil, fmt.Errorf("read the schema: %w", err)
	}
	lines := strings.Split(list, "\n")
	slices.Sort(lines)
	return lines, nil
}

// missing returns what q's database, which has the version of this program, lacks of the schema; what is
// gone with a table is not named beside it.
func missing(ctx context.Context, q querier) ([]string, error) {
	have, err := readSchema(ctx, q)
	if err != nil {
		return nil, err
	}
	var out []string
	for line := range strings.Lines(schema) {
		line = strings.TrimSpace(line)
		if _, found := slices.BinarySearch(have, line); found {
			continue
		}
		if name, ok := strings.CutPrefix(line, "column "); ok {
			table, _, _ := strings.Cut(name, ".")
			if _, found := slices.BinarySearch(have, "table "+table); !found {
				continue
			}
		}
		out = append(out, line)
	}
	return out, nil
}

// Missing returns what the file lacks of the schema: nothing when all is well. A file without one of its
// tables is not served at all; an index that is missing is told here only.
func (s *Store) Missing(ctx context.Context) (what []string, err error) {
	err = s.view(ctx, func(ctx context.Context, q querier) error {
		what, err = missing(ctx, q)
		return err
	})
	return what, err
}

// checkSchema returns an error when a table or a column is missing, without which no answer is to be
// trusted. Indexes only make answers faster.
func checkSchema(ctx context.Context, q querier) error {
	gone, err := missing(ctx, q)
	if err != nil {
		return err
	}
	gone = slices.DeleteFunc(gone, func(line string) bool { return strings.HasPrefix(line, "index ") })
	if len(gone) > 0 {
		return schemaError{"it has no " + gone[0]}
	}
	return nil
}

// blame returns the error about the schema that is behind err, or err: SQLite says of a table that is not
// there what it says of a mistake in a statement.
func blame(ctx context.Context, q querier, err error) error {
	if resultCode(err) != sqlite3.SQLITE_ERROR {
		return err
	}
	var s schemaError
	if bad := checkSchema(ctx, q); errors.As(bad, &s) {
		return errors.Join(s, err)
	}
	return err
}
