package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// A writer is the one connection that changes the store, with what it remembers of it.
type writer struct {
	db    *sql.DB
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
	seen  int64 // data_version as of which known holds; it changes when another process writes
	known known

	groupings groupings // of a store in memory, which is read over this connection
}

const (
	// Statements wait this long inside SQLite; longer waits are Update's, which heeds its context.
	writeBusy = 250 * time.Millisecond
	// writerPragmas: a page cache of 64 MB, temporary data never in a file outside the workspace,
	// a log that is cut back after a large import.
	writerPragmas = "_pragma=cache_size(-65536)&_pragma=temp_store(2)&_pragma=journal_size_limit(67108864)" +
		"&_foreign_keys=1&_synchronous=NORMAL"
)

// openWriter makes what is missing and returns the connection for writing.
func openWriter(ctx context.Context, o Options) (*writer, error) {
	steps, err := scripts()
	if err != nil {
		return nil, err
	}
	name := "file::memory:?"
	if o.Path != Memory {
		if err := makeFile(o.Path); err != nil {
			return nil, err
		}
		name = dsn(o.Path, "mode=rw&")
	}
	db, err := sql.Open("sqlite", name+writerPragmas+"&_busy_timeout="+millis(writeBusy))
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	db.SetMaxOpenConns(1)
	w := &writer{db: db, stmts: map[string]*sql.Stmt{}, known: newKnown()}
	err = retryBusy(ctx, o.BusyWait, func() error {
		if w.conn == nil {
			conn, err := db.Conn(ctx)
			if err != nil {
				return fmt.Errorf("open store: %w", err)
			}
			w.conn = conn
		}
		if o.Path != Memory {
			if _, err := readVersion(ctx, w.conn); err != nil { // before anything is changed
				return err
			}
			var mode string
			if err := w.conn.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
				return fmt.Errorf("switch to write-ahead logging: %w", err)
			}
			if mode != "wal" {
				return fault.New(fault.Unavailable, "The file system of %s does not support write-ahead logging.", o.Path).
					WithHint("Keep the workspace on a local disk.")
			}
		}
		if err := migrate(ctx, w.conn, steps); err != nil {
			return err
		}
		return checkSchema(ctx, w.conn)
	})
	if err != nil {
		return nil, errors.Join(err, w.close())
	}
	return w, nil
}

// makeFile makes sure of a file that only its owner can read, in a folder of the same kind.
func makeFile(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	switch {
	case err == nil:
		return f.Close()
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	fi, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !fi.Mode().IsRegular() {
		return errNotAFile
	}
	if fi.Mode().Perm()&0o077 != 0 {
		os.Chmod(path, 0o600) //nolint:errcheck // another owner's file stays as its owner wants it
	}
	return nil
}

func (w *writer) close() error {
	errs := make([]error, 0, len(w.stmts)+2)
	for _, st := range w.stmts {
		errs = append(errs, st.Close())
	}
	if w.conn != nil {
		errs = append(errs, w.conn.Close())
	}
	return errors.Join(append(errs, w.db.Close())...)
}

// prepared returns the statement for query, prepared once for the life of the writer. Statements
// run without the caller's context: a watcher a statement costs more than most statements do, and
// Update looks at the context between them.
func (w *writer) prepared(query string) (*sql.Stmt, error) {
	if st := w.stmts[query]; st != nil {
		return st, nil
	}
	st, err := w.conn.PrepareContext(context.Background(), query)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	w.stmts[query] = st
	return st, nil
}

func (w *writer) exec(query string, args ...any) error {
	st, err := w.prepared(query)
	if err != nil {
		return err
	}
	_, err = st.ExecContext(context.Background(), args...)
	return err
}

// pragma runs a PRAGMA, which must not be prepared: some take effect when they are compiled.
func (w *writer) pragma(p string) error {
	if _, err := w.conn.ExecContext(context.Background(), "PRAGMA "+p); err != nil {
		return fmt.Errorf("set %s: %w", p, err)
	}
	return nil
}

// wiping runs fn with what it removes overwritten by zeros in the file.
func (w *writer) wiping(fn func() error) error {
	if err := w.pragma("secure_delete = ON"); err != nil {
		return err
	}
	defer w.pragma("secure_delete = OFF") //nolint:errcheck // left on, it costs time only
	return fn()
}

// insert runs an INSERT and returns the new row's number.
func (w *writer) insert(query string, args ...any) (int64, error) {
	st, err := w.prepared(query)
	if err != nil {
		return 0, err
	}
	res, err := st.ExecContext(context.Background(), args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// get scans the only row of query into dst; found is false when there is none.
func (w *writer) get(query string, args []any, dst ...any) (found bool, err error) {
	st, err := w.prepared(query)
	if err != nil {
		return false, err
	}
	switch err := st.QueryRowContext(context.Background(), args...).Scan(dst...); {
	case errors.Is(err, sql.ErrNoRows):
		return false, nil
	case err != nil:
		return false, err
	}
	return true, nil
}

// each calls fn for every row of query.
func (w *writer) each(query string, args []any, fn func(*sql.Rows) error) error {
	st, err := w.prepared(query)
	if err != nil {
		return err
	}
	rows, err := st.QueryContext(context.Background(), args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// Update runs fn in a write transaction: all of it is stored, or nothing when fn returns an error
// or panics. It waits for other writers, in this process and in others. fn must not read through
// the Store, only through tx, and must not keep tx.
func (s *Store) Update(ctx context.Context, fn func(tx *Tx) error) error {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if s.w == nil {
		if s.opts.ReadOnly {
			return fault.New(fault.Denied, "The memory was opened for reading only.")
		}
		return errClosed()
	}
	return s.explain(ctx, s.w.update(ctx, s.opts, fn))
}

func (w *writer) update(ctx context.Context, o Options, fn func(tx *Tx) error) (err error) {
	err = retryBusy(ctx, o.BusyWait, func() error {
		_, err := w.conn.ExecContext(ctx, "BEGIN IMMEDIATE")
		return err
	})
	if err != nil {
		return fmt.Errorf("begin write: %w", err)
	}
	committed := false
	defer func() {
		if !committed { // also when fn panics
			w.known = newKnown() // it may name rows that are gone now
			if e := w.exec("ROLLBACK"); e != nil && err == nil {
				err = fmt.Errorf("roll back: %w", e)
			}
		}
	}()
	if err := w.refresh(); err != nil {
		return err
	}
	tx := newTx(w, o.Now())
	if err := fn(tx); err != nil {
		return err
	}
	if err := tx.flush(); err != nil {
		return err
	}
	if err := w.exec("COMMIT"); err != nil {
		return fmt.Errorf("commit: %w", err)
	}
	committed = true
	return nil
}

// refresh forgets what the writer knows when another process has written since.
func (w *writer) refresh() error {
	var version int64
	if _, err := w.get("PRAGMA data_version", nil, &version); err != nil {
		return fmt.Errorf("read the data version: %w", err)
	}
	if version != w.seen {
		w.seen, w.known = version, newKnown()
	}
	return nil
}

// retryBusy runs fn until it no longer fails because of somebody else's lock, for at most wait.
func retryBusy(ctx context.Context, wait time.Duration, fn func() error) error {
	deadline := time.Now().Add(wait)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		err := fn()
		if !busy(err) || time.Now().After(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// placeholders returns "(?,?),(?,?)" for rows of the given width.
func placeholders(rows, width int) string {
	row := "(" + strings.TrimSuffix(strings.Repeat("?,", width), ",") + ")"
	return strings.TrimSuffix(strings.Repeat(row+",", rows), ",")
}
