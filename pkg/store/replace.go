package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// ErrDamaged is that the memory which is to be replaced is none that could be copied. Nothing was changed.
var ErrDamaged = errors.New("the memory cannot be copied")

// Replace makes the memory at path hold what the one at from holds, in one transaction: whatever
// interrupts it, path is either as it was or as from is. A rename would not do: who has opened the former
// file meanwhile would leave its log beside the new one. What was there is first copied to aside, which
// must be missing or empty; kept is called when that copy is whole and on the disk. It is a Conflict fault
// when another program has the memory open. A file at path that cannot be copied, as a damaged one, is
// ErrDamaged, and for the caller to move away. from is a whole memory that Copy made.
func Replace(ctx context.Context, path, from, aside string, kept func() error) error {
	s := Lazy(Options{Path: path})
	db, err := sql.Open("sqlite", dsn(s.opts.Path, "mode=rw&"+writerPragmas+"&_busy_timeout="+millis(writeBusy)))
	if err != nil {
		return fmt.Errorf("open store: %w", err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	conn, err := db.Conn(ctx)
	if err != nil {
		return s.damaged(ctx, err)
	}
	defer conn.Close()
	// In this mode the connection is alone with the file from here to its end, and with what is in the
	// log, too.
	for _, query := range []string{"PRAGMA synchronous = FULL", "PRAGMA locking_mode = EXCLUSIVE", "BEGIN EXCLUSIVE", "COMMIT"} {
		_, err := conn.ExecContext(ctx, query)
		if busy(err) {
			return fault.Wrap(fault.Conflict, err, "Another program has the memory at %s open.", s.opts.Path).
				WithHint("End it and try again: openhuman-core serve, a running ingest or sync, and the clients that have started openhuman-core mcp, such as Claude Desktop.")
		}
		if err != nil {
			return s.damaged(ctx, err)
		}
	}
	if _, err = conn.ExecContext(ctx, "VACUUM INTO ?", dsn(aside, "")); err != nil {
		if isDamage(err) {
			return s.damaged(ctx, err)
		}
		return explainCopy(ctx, fmt.Errorf("copy the memory: %w", err), s.opts.Path, aside)
	}
	if err := syncFile(aside); err != nil {
		return err
	}
	if err := kept(); err != nil {
		return err
	}
	if err := conn.Raw(func(c any) error { return fillFrom(ctx, c, from) }); err != nil {
		return explainCopy(ctx, err, from, s.opts.Path)
	}
	// The new content is in the log now, and counts. What follows only tidies up.
	conn.ExecContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)") //nolint:errcheck // the next writer does it
	return nil
}

// restorer is what the driver's connection can do beside database/sql.
type restorer interface {
	NewRestore(from string) (*sqlite.Backup, error)
}

// fillFrom replaces the content of the connection's file.
func fillFrom(ctx context.Context, conn any, from string) error {
	r, ok := conn.(restorer)
	if !ok {
		return errors.New("replace the memory: the driver cannot")
	}
	b, err := r.NewRestore(dsn(from, "mode=ro"))
	if err != nil {
		return fmt.Errorf("replace the memory: %w", err)
	}
	const pages = 2000 // between two looks at ctx
	for more := true; more && err == nil; {
		if err = ctx.Err(); err == nil {
			more, err = b.Step(pages)
		}
	}
	if e := b.Finish(); err == nil {
		err = e
	}
	if err != nil {
		return fmt.Errorf("replace the memory: %w", err)
	}
	return nil
}

// damaged tells a file that holds no memory any more from one that cannot be reached.
func (s *Store) damaged(ctx context.Context, err error) error {
	if ctx.Err() == nil && isDamage(err) {
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return s.explain(ctx, err)
}

func isDamage(err error) bool {
	switch resultCode(err) & 0xff {
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		return true
	}
	return false
}
