package lock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// beyond is a byte that is never written, since a locked one cannot be read by others.
const beyond = 1 << 20

func take(f *os.File) (bool, error) {
	at := &windows.Overlapped{Offset: beyond}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}
