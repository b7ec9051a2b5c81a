package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	sqlite3 "modernc.org/sqlite/lib"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// CopyInfo says what a file that holds a memory is.
type CopyInfo struct {
	SchemaVersion int
	Sources       int
	Documents     int
	Chunks        int
	Bytes         int64
	// Notes are what the maker of a copy has put into it, by name.
	Notes map[string]string
}

// notePrefix begins the keys of notes in meta.
const notePrefix = "backup."

// Inspect looks at the file at path, which may be of an older version, and changes nothing. What is no
// memory, or one of a newer version, is a fault.
func Inspect(ctx context.Context, path string) (CopyInfo, error) {
	s := Lazy(Options{Path: path, ReadOnly: true})
	info, err := inspect(ctx, s.opts.Path)
	return info, s.explain(ctx, err)
}

func inspect(ctx context.Context, path string) (info CopyInfo, err error) {
	p, err := openPool(ctx, path)
	if err != nil {
		return info, err
	}
	defer p.db.Close()
	info.Bytes = p.file.Size()
	if info.SchemaVersion, err = readVersion(ctx, p.db); err != nil {
		return info, err
	}
	switch v := info.SchemaVersion; {
	case v == 0:
		return info, errEmpty
	case v > SchemaVersion:
		return info, versionError{v, SchemaVersion}
	}
	if info.SchemaVersion == SchemaVersion {
		if err := checkSchema(ctx, p.db); err != nil {
			return info, err
		}
	}
	err = p.db.QueryRowContext(ctx, "SELECT (SELECT count(*) FROM sources WHERE chunks > 0), (SELECT count(*) FROM documents), (SELECT count(*) FROM chunks)").
		Scan(&info.Sources, &info.Documents, &info.Chunks)
	if err != nil {
		return info, fmt.Errorf("count what the file holds: %w", err)
	}
	info.Notes, err = notes(ctx, p.db)
	return info, err
}

func notes(ctx context.Context, q querier) (map[string]string, error) {
	rows, err := q.QueryContext(ctx, "SELECT substr(key, ?), value FROM meta WHERE key GLOB ? || '*'", len(notePrefix)+1, notePrefix)
	if err != nil {
		return nil, fmt.Errorf("read the notes of a copy: %w", err)
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return nil, fmt.Errorf("read the notes of a copy: %w", err)
		}
		out[key] = value
	}
	return out, rows.Err()
}

// Check has SQLite look at the whole file at path, which may be of an older version, and returns what it
// finds: nothing when all is well.
func Check(ctx context.Context, path string) (problems []string, err error) {
	s := Lazy(Options{Path: path, ReadOnly: true})
	p, err := openPool(ctx, s.opts.Path)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	defer p.db.Close()
	for _, query := range []string{
		"PRAGMA integrity_check(20)",
		`SELECT 'a row of ' || "table" || ' refers to none of ' || parent FROM pragma_foreign_key_check LIMIT 20`,
	} {
		rows, err := p.db.QueryContext(ctx, query)
		if err != nil {
			return nil, s.explain(ctx, fmt.Errorf("check the file: %w", err))
		}
		for rows.Next() {
			var p string
			if err := rows.Scan(&p); err != nil {
				return nil, errors.Join(s.explain(ctx, fmt.Errorf("check the file: %w", err)), rows.Close())
			}
			if p != "ok" {
				problems = append(problems, p)
			}
		}
		if err := errors.Join(rows.Err(), rows.Close()); err != nil {
			return nil, s.explain(ctx, fmt.Errorf("check the file: %w", err))
		}
	}
	return problems, nil
}

// Copy writes what the memory at from holds at one instant into the file to, while others may go on
// writing. The new file is compact, needs no file beside it and is on the disk when Copy returns. It has
// these notes, and none that from had. to must be missing or empty; after an error it may hold a part.
// from may be of an older version.
func Copy(ctx context.Context, from, to string, notes map[string]string) error {
	s := Lazy(Options{Path: from, ReadOnly: true})
	if _, err := inspect(ctx, s.opts.Path); err != nil {
		return s.explain(ctx, err)
	}
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = copyInto(ctx, s.opts.Path, to)
	}
	if err == nil {
		err = annotate(ctx, to, notes)
	}
	if err == nil {
		err = syncFile(to)
	}
	return explainCopy(ctx, err, s.opts.Path, to)
}

func copyInto(ctx context.Context, from, to string) (err error) {
	p, err := openPool(ctx, from)
	if err != nil {
		return err
	}
	defer p.db.Close()
	// The pool's connections may write nothing, and this one writes another file only.
	conn, err := p.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("copy the memory: %w", err)
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "PRAGMA query_only = 0"); err != nil {
		return fmt.Errorf("copy the memory: %w", err)
	}
	if _, err := conn.ExecContext(ctx, "VACUUM INTO ?", dsn(to, "")); err != nil {
		return fmt.Errorf("copy the memory: %w", err)
	}
	return nil
}

// annotate gives a copy that nobody else knows of its notes.
func annotate(ctx context.Context, path string, notes map[string]string) (err error) {
	db, err := sql.Open("sqlite", dsn(path, "mode=rw"))
	if err != nil {
		return fmt.Errorf("open the copy: %w", err)
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.ExecContext(ctx, "DELETE FROM meta WHERE key GLOB ? || '*'", notePrefix); err != nil {
		return fmt.Errorf("complete the copy: %w", err)
	}
	for key, value := range notes {
		if _, err := db.ExecContext(ctx, "INSERT INTO meta (key, value) VALUES (?, ?)", notePrefix+key, value); err != nil {
			return fmt.Errorf("complete the copy: %w", err)
		}
	}
	return nil
}

// syncFile makes sure that a file, and its name, are on the disk.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("write the file out: %w", err)
	}
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		return err
	}
	dir.Sync() //nolint:errcheck // not every system can
	return dir.Close()
}

// explainCopy tells which of the two files an error is about.
func explainCopy(ctx context.Context, err error, from, to string) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	switch resultCode(err) & 0xff {
	case sqlite3.SQLITE_FULL:
		return fault.Wrap(fault.Unavailable, err, "The disk that holds %s is full.", to).
			WithHint("Free some space there or choose another place; the memory itself is as it was.")
	case sqlite3.SQLITE_IOERR:
		return fault.Wrap(fault.Unavailable, err, "%s cannot be written, or %s not be read: the disk failed or has no room left.", to, from).
			WithHint("Look at the free space and at both disks; the memory itself is as it was.")
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_READONLY:
		return fault.Wrap(fault.Unavailable, err, "%s cannot be written by this user.", to).
			WithHint("Choose a folder that this user may write to.")
	}
	if errors.Is(err, fs.ErrPermission) {
		return fault.Wrap(fault.Unavailable, err, "%s cannot be written by this user.", to).
			WithHint("Choose a folder that this user may write to.")
	}
	return Lazy(Options{Path: from, ReadOnly: true}).explain(ctx, err)
}

// Foreign reports whether err is that a file is the database of another program.
func Foreign(err error) bool { return errors.Is(err, errForeign) }
