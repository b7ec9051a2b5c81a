package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/openhuman/openhuman-core/pkg/fault"
)

// Result codes that decide something here; the others are looked at by their low byte.
const (
	codeReadOnlyDir = sqlite3.SQLITE_READONLY_DIRECTORY
	codeCantOpen    = sqlite3.SQLITE_CANTOPEN
)

var (
	errNotAFile    = errors.New("not a regular file")
	errEmpty       = errors.New("empty store")
	errForeign     = errors.New("a database of another program")
	errUnrecovered = errors.New("a write-ahead log that cannot be recovered here")
)

// mendDamaged is what to do about a file that can no longer be trusted.
const mendDamaged = "See what is damaged with: openhuman-core doctor. Put a backup back with: openhuman-core restore FILE. Without one, move it away and run: openhuman-core ingest PATH"

// versionError tells a schema version that this program cannot work with.
type versionError struct{ have, want int }

func (e versionError) Error() string {
	return fmt.Sprintf("schema version %d, this program has %d", e.have, e.want)
}

// resultCode returns the extended SQLite result code in err, or 0.
func resultCode(err error) int {
	var e *sqlite.Error
	if errors.As(err, &e) {
		return e.Code()
	}
	return 0
}

func busy(err error) bool { return resultCode(err)&0xff == sqlite3.SQLITE_BUSY }

// reopenable reports whether err may go away when the file is opened afresh.
func reopenable(err error) bool {
	switch resultCode(err) & 0xff {
	case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR,
		sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PROTOCOL, sqlite3.SQLITE_PERM:
		return true
	}
	var v versionError
	var d schemaError
	return errors.As(err, &v) || errors.As(err, &d) || errors.Is(err, errForeign) || errors.Is(err, errEmpty)
}

// explain turns an error about the state of the store into a fault that says what is wrong and
// what mends it. Faults and everything else pass through.
func (s *Store) explain(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var f *fault.Error
	if errors.As(err, &f) {
		return err
	}
	if ctx.Err() != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return fault.Wrap(fault.Unavailable, ctx.Err(), "The memory did not answer in time.").
				WithHint("Ask for less: rarer words, a filter, a smaller k.")
		}
		return ctx.Err()
	}
	path := s.opts.Path
	var v versionError
	var d schemaError
	if link, to := dangling(err, path); link != "" {
		return fault.New(fault.Unavailable, "The memory at %s cannot be reached: %s is a link to %s, which is not there.", path, link, to).
			WithHint("Connect the disk that it leads to and try again. If that is gone for good, remove the link, then put a backup back with: openhuman-core restore FILE, or run: openhuman-core ingest PATH")
	}
	switch {
	case errors.As(err, &d):
		return fault.Wrap(fault.Unavailable, err, "The memory at %s is damaged: %s.", path, d.what).WithHint(mendDamaged)
	case errors.As(err, &v) && v.have > v.want:
		return fault.Wrap(fault.Conflict, err, "The memory at %s was written by a newer version of openhuman-core.", path).
			WithHint("Update openhuman-core, or restore a backup from before.")
	case errors.As(err, &v):
		return fault.Wrap(fault.Conflict, err, "The memory at %s has an older format.", path).
			WithHint("Bring it up to date with: openhuman-core ingest PATH")
	case errors.Is(err, errForeign):
		return fault.Wrap(fault.Conflict, err, "%s is a database of another program.", path).
			WithHint("Choose another workspace, move the file away and fill a new memory with: openhuman-core ingest PATH")
	case errors.Is(err, errEmpty):
		return fault.Wrap(fault.Unavailable, err, "The memory at %s is empty.", path).
			WithHint("Fill it with: openhuman-core ingest PATH")
	case errors.Is(err, errNotAFile):
		return fault.Wrap(fault.Unavailable, err, "%s is not a file.", path).
			WithHint("Move it away and fill a new memory with: openhuman-core ingest PATH")
	case errors.Is(err, errUnrecovered):
		return fault.Wrap(fault.Unavailable, err, "The last write to %s was cut short, and the folder cannot be written to finish it.", path).
			WithHint("Give this user write permission to the folder and try again.")
	case errors.Is(err, fs.ErrNotExist):
		return fault.Wrap(fault.Unavailable, err, "There is no memory at %s yet.", path).
			WithHint("Fill it with: openhuman-core ingest PATH")
	case errors.Is(err, fs.ErrPermission):
		return fault.Wrap(fault.Unavailable, err, "The memory at %s may not be read or written by this user.", path).
			WithHint("Correct the permissions of the file and its folder; openhuman-core doctor says which.")
	}
	return explainCode(err, path)
}

// explainCode is explain for SQLite's own result codes.
func explainCode(err error, path string) error {
	switch resultCode(err) & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return fault.Wrap(fault.Conflict, err, "The memory at %s is locked by another program.", path).
			WithHint("Try again in a moment, or end the program that has it open.")
	case sqlite3.SQLITE_NOTADB:
		return fault.Wrap(fault.Unavailable, err, "%s is not a memory: it is no SQLite database.", path).
			WithHint("Put a backup back with: openhuman-core restore FILE. Without one, move it away and run: openhuman-core ingest PATH")
	case sqlite3.SQLITE_CORRUPT:
		return fault.Wrap(fault.Unavailable, err, "The memory at %s is damaged.", path).
			WithHint(mendDamaged)
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_READONLY:
		return fault.Wrap(fault.Unavailable, err, "The memory at %s may not be read or written by this user.", path).
			WithHint("Correct the permissions of the file and its folder; openhuman-core doctor says which.")
	case sqlite3.SQLITE_FULL:
		return fault.Wrap(fault.Unavailable, err, "The disk that holds %s is full.", path).
			WithHint("Free some space and run the same command again; nothing that was finished is lost.")
	case sqlite3.SQLITE_IOERR:
		return fault.Wrap(fault.Unavailable, err, "The disk that holds %s failed to read or write.", path).
			WithHint("Check the disk, then run: openhuman-core doctor")
	}
	return err
}

// dangling returns the link on the way to path that leads nowhere and is behind err, and where it would
// lead; "" for none. To who opens it nothing is there, to who makes it something is.
func dangling(err error, path string) (link, to string) {
	if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrExist) {
		return "", ""
	}
	for at := path; ; at = filepath.Dir(at) {
		if to, err := os.Readlink(at); err == nil {
			if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
				return at, to
			}
			return "", ""
		}
		if filepath.Dir(at) == at {
			return "", ""
		}
	}
}

// Locked reports whether err is that others had the memory locked for too long.
func Locked(err error) bool {
	switch resultCode(err) & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return true
	}
	return false
}
