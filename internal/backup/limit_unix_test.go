//go:build unix

package backup_test

import (
	"os/signal"
	"syscall"
)

// fileLimit is the size that no file of a process with limitFiles exceeds.
const fileLimit = 256 << 10

// limitFiles makes every write past a size fail, as on a disk without room.
func limitFiles() {
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: fileLimit, Max: fileLimit}); err != nil {
		panic(err)
	}
}
