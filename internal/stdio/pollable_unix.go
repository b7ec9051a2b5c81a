//go:build unix

package stdio

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"
)

// pollable returns in, if it is a pipe or a socket, in a form that the runtime waits for beside
// everything else. A read of a plain os.Stdin holds a thread, and every message then costs several
// hand-offs between threads, which is more than a search for a rare word. done ends a read that is
// under way and undoes what was changed.
func pollable(in io.Reader, out io.Writer) (r io.Reader, done func()) {
	as := func(f *os.File, undo func()) (io.Reader, func()) {
		return f, func() {
			undo()
			f.Close() //nolint:errcheck // nothing was written
		}
	}
	asItIs := func() {}
	f, ok := in.(*os.File)
	if !ok {
		return in, asItIs
	}
	fi, err := f.Stat()
	if err != nil {
		return in, asItIs
	}
	fd, ok := descriptor(f)
	if !ok {
		return in, asItIs
	}
	switch fi.Mode().Type() {
	case fs.ModeNamedPipe:
		// Opened once more where that is possible, since others may read from the same open pipe and
		// expect to be kept waiting.
		again, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fd), os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			return in, asItIs
		}
		return as(again, asItIs)
	case fs.ModeSocket:
		// A socket cannot be opened again, but hardly anybody shares the end that a program reads from.
		// Where output goes into the same one, writes would fail.
		if o, ok := out.(*os.File); ok {
			if ofi, err := o.Stat(); err != nil || os.SameFile(fi, ofi) {
				return in, asItIs
			}
		}
		dup, err := syscall.Dup(fd)
		if err != nil {
			return in, asItIs
		}
		syscall.CloseOnExec(dup)
		if err := syscall.SetNonblock(dup, true); err != nil {
			syscall.Close(dup) //nolint:errcheck // nothing was written
			return in, asItIs
		}
		return as(os.NewFile(uintptr(dup), f.Name()), func() {
			syscall.SetNonblock(fd, false) //nolint:errcheck // the session is over
		})
	}
	return in, asItIs
}

// descriptor returns the descriptor of f. The method Fd would change how f is read.
func descriptor(f *os.File) (fd int, ok bool) {
	c, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	err = c.Control(func(p uintptr) { fd = int(p) })
	return fd, err == nil
}
