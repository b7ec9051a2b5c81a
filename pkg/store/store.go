// Package store is the memory tree on disk: one SQLite file with sources, documents, chunks, the
// full-text index, entities and the files that were taken in. It is the only package that knows SQL.
// It holds no ranking beyond BM25, no wording for callers but that of broken stores, no policy (it
// is handed a Scope), and no reading of input formats.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// Memory as Options.Path makes a store that lives in the process only.
const Memory = ":memory:"

// Options say which store to open and how.
type Options struct {
	Path     string           // the database file, or Memory
	ReadOnly bool             // never create, migrate or change anything
	Now      func() time.Time // nil: time.Now
	// BusyWait is how long a write waits for another process that writes; 0 means 30 seconds.
	BusyWait time.Duration
}

const (
	defaultBusyWait = 30 * time.Second
	readBusy        = 2 * time.Second // how long a read waits for a lock; WAL readers hardly ever do
	readers         = 4
)

// Store is an open (or, from Lazy, a not yet opened) memory. It is safe for concurrent use; writes
// queue up behind each other.
type Store struct {
	opts Options

	writeMu sync.Mutex // held for the length of an Update
	w       *writer    // nil when read-only

	readMu sync.Mutex
	pool   *pool // nil until the first read, and after a failure
	closed bool
	old    sync.WaitGroup // pools that close once their last read has ended
}

// Open opens the store. For a writer it makes the folder, the file and the schema when they are
// missing. For a reader every state of the file that cannot be served is a fault that names the
// mend.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := Lazy(o)
	if s.opts.ReadOnly {
		if err := s.view(ctx, func(context.Context, querier) error { return nil }); err != nil {
			return nil, errors.Join(err, s.Close())
		}
		return s, nil
	}
	w, err := openWriter(ctx, s.opts)
	if err != nil {
		return nil, s.explain(ctx, err)
	}
	s.w = w
	return s, nil
}

// Lazy returns a read-only store that touches the disk at the first read, and again whenever the
// last read found the file missing, replaced or broken. It suits a server that lives longer than
// the file it serves.
func Lazy(o Options) *Store {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.BusyWait <= 0 {
		o.BusyWait = defaultBusyWait
	}
	if o.Path != Memory {
		if abs, err := filepath.Abs(o.Path); err == nil {
			o.Path = abs
		}
	}
	return &Store{opts: o}
}

// Path returns the absolute path of the database file.
func (s *Store) Path() string { return s.opts.Path }

// Close releases the files. Reads that are under way end first.
func (s *Store) Close() error {
	s.readMu.Lock()
	p := s.pool
	s.pool, s.closed = nil, true
	s.readMu.Unlock()
	var errs []error
	if p != nil {
		p.reads.Wait()
		errs = append(errs, p.db.Close())
	}
	s.old.Wait()
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if s.w != nil {
		errs = append(errs, s.w.close())
		s.w = nil
	}
	return errors.Join(errs...)
}

// querier is what a read runs on: one transaction, so that all its queries see the same state.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// A pool is a set of read connections to one file, as it was found.
type pool struct {
	db        *sql.DB
	file      fs.FileInfo
	immutable bool // opened without locks, because nothing could be locked there
	stmts     statements
	groupings groupings
	whole     atomic.Bool    // the schema was looked at
	turns     chan struct{}  // held by every read, so that compiling always finds a connection
	reads     sync.WaitGroup // from acquire to the end of the read; none begins on a pool that was dropped
}

// view runs fn in a read transaction. Errors come back as faults where a caller can act on them.
func (s *Store) view(ctx context.Context, fn func(context.Context, querier) error) error {
	if s.opts.Path == Memory {
		return s.explain(ctx, s.viewMemory(ctx, fn))
	}
	p, err := s.acquire(ctx)
	if err != nil {
		return s.explain(ctx, err)
	}
	defer p.reads.Done()
	err = p.run(ctx, fn)
	if reopenable(err) {
		s.discard(p)
	}
	return s.explain(ctx, err)
}

func (p *pool) run(ctx context.Context, fn func(context.Context, querier) error) error {
	select {
	case p.turns <- struct{}{}:
		defer func() { <-p.turns }()
	case <-ctx.Done():
		return fmt.Errorf("begin read: %w", ctx.Err())
	}
	tx, err := p.db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin read: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	rtx := readTx{tx, p}
	if err := checkVersion(ctx, repeated(rtx)); err != nil {
		return err
	}
	if !p.whole.Load() {
		if err := checkSchema(ctx, tx); err != nil {
			return err
		}
		p.whole.Store(true)
	}
	return blame(ctx, tx, fn(ctx, rtx))
}

// viewMemory reads over the only connection that a store in memory has.
func (s *Store) viewMemory(ctx context.Context, fn func(context.Context, querier) error) error {
	s.writeMu.Lock()
	defer s.writeMu.Unlock()
	if s.w == nil {
		return errClosed()
	}
	return fn(ctx, memoryTx{s.w.conn, &s.w.groupings})
}

// acquire returns the pool, opening or re-opening it when the file is not the one it was. The caller
// ends its read with reads.Done.
func (s *Store) acquire(ctx context.Context) (*pool, error) {
	s.readMu.Lock()
	defer s.readMu.Unlock()
	if s.closed {
		return nil, errClosed()
	}
	if s.pool != nil {
		if s.pool.current(s.opts.Path) {
			s.pool.reads.Add(1)
			return s.pool, nil
		}
		s.closePool()
	}
	p, err := openPool(ctx, s.opts.Path)
	if err != nil {
		return nil, err
	}
	s.pool = p
	p.reads.Add(1)
	return p, nil
}

// current reports whether path still is the file that p reads. A file that is read without locks
// must not have changed at all.
func (p *pool) current(path string) bool {
	fi, err := os.Stat(path)
	if err != nil || !os.SameFile(fi, p.file) {
		return false
	}
	return !p.immutable || (fi.Size() == p.file.Size() && fi.ModTime().Equal(p.file.ModTime()) && walSize(path) <= 0)
}

func (s *Store) discard(p *pool) {
	s.readMu.Lock()
	defer s.readMu.Unlock()
	if s.pool == p {
		s.closePool()
	}
}

// closePool drops the pool without waiting for the reads that still run on it or are about to: they
// must meet the fault of the file, not a closed pool.
func (s *Store) closePool() {
	p := s.pool
	s.pool = nil
	s.old.Go(func() {
		p.reads.Wait()
		p.db.Close() //nolint:errcheck // read-only; nothing can be lost
	})
}

// openPool opens the file read-only. Where the folder cannot be written, SQLite cannot share the
// file with a writer; then it is opened without locks, but only while no writer has left anything
// in the write-ahead log, because that part would be missing.
func openPool(ctx context.Context, path string) (*pool, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, errNotAFile
	}
	if fi.Size() == 0 && walSize(path) <= 0 {
		return nil, errEmpty
	}
	p := &pool{file: fi, turns: make(chan struct{}, readers)}
	p.db, err = openReadDB(ctx, path, false)
	if code := resultCode(err); code == codeReadOnlyDir || code&0xff == codeCantOpen {
		if walSize(path) > 0 {
			return nil, errors.Join(errUnrecovered, err)
		}
		p.immutable = true
		p.db, err = openReadDB(ctx, path, true)
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

func openReadDB(ctx context.Context, path string, immutable bool) (*sql.DB, error) {
	params := "mode=ro&_query_only=1&_pragma=temp_store(2)&_busy_timeout=" + millis(readBusy)
	if immutable {
		params += "&immutable=1"
	}
	db, err := sql.Open("sqlite", dsn(path, params))
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	// One more than there are reads at once: a read that compiles a statement for the pool needs a
	// second connection, and would wait for ever when all are held by reads that want the same.
	db.SetMaxOpenConns(readers + 1)
	db.SetMaxIdleConns(readers)
	var n int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n); err != nil {
		return nil, errors.Join(fmt.Errorf("open store: %w", err), db.Close())
	}
	return db, nil
}

// walSize returns the size of the write-ahead log beside path, or -1.
func walSize(path string) int64 {
	fi, err := os.Stat(path + "-wal")
	if err != nil {
		return -1
	}
	return fi.Size()
}

func errClosed() error { return fault.New(fault.Unavailable, "The memory is closed.") }
