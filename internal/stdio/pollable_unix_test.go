//go:build unix

package stdio

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// inherited is a file as a program finds it on its input: the runtime does not wait for it.
func inherited(t *testing.T, fd int) *os.File {
	t.Helper()
	f := os.NewFile(uintptr(fd), "input")
	t.Cleanup(func() { f.Close() })
	return f
}

func nonblocking(t *testing.T, fd int) bool {
	t.Helper()
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		t.Fatal(err)
	}
	return flags&unix.O_NONBLOCK != 0
}

// check reads through what pollable makes of in, in turns with writing to peer, up to the end.
func check(t *testing.T, in *os.File, peer *os.File) (undo func()) {
	t.Helper()
	r, done := pollable(in, io.Discard)
	f, ok := r.(*os.File)
	if !ok || f.SetReadDeadline(time.Time{}) != nil {
		t.Fatalf("the runtime cannot wait for %v", r)
	}
	buf := make([]byte, 16)
	for _, text := range []string{"one\n", "two\n"} {
		late := time.AfterFunc(20*time.Millisecond, func() { peer.WriteString(text) })
		n, err := r.Read(buf)
		late.Stop()
		if err != nil || string(buf[:n]) != text {
			t.Fatalf("read %q, %v", buf[:n], err)
		}
	}
	if err := peer.Close(); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Read(buf); n != 0 || err != io.EOF {
		t.Errorf("the end of input is %d, %v", n, err)
	}
	return done
}

func TestPipeIsPollable(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux opens a pipe once more")
	}
	var fds [2]int
	if err := syscall.Pipe(fds[:]); err != nil {
		t.Fatal(err)
	}
	in, peer := inherited(t, fds[0]), inherited(t, fds[1])
	done := check(t, in, peer)
	if nonblocking(t, fds[0]) {
		t.Error("others that read from the pipe are not kept waiting any more")
	}
	done()
	if _, err := in.Read(make([]byte, 1)); err != io.EOF {
		t.Errorf("the input itself was closed: %v", err)
	}
}

func TestSocketIsPollable(t *testing.T) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	in, peer := inherited(t, fds[0]), inherited(t, fds[1])
	done := check(t, in, peer)
	done()
	if nonblocking(t, fds[0]) {
		t.Error("the socket stays as it was made for the session")
	}
}

// Output to a socket that input comes from too, as under inetd, must not fail when it is full.
func TestSocketForBothWaysIsLeftAlone(t *testing.T) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	in := inherited(t, fds[0])
	inherited(t, fds[1])
	dup, err := syscall.Dup(fds[0])
	if err != nil {
		t.Fatal(err)
	}
	r, done := pollable(in, inherited(t, dup))
	defer done()
	if r != io.Reader(in) || nonblocking(t, fds[0]) {
		t.Error("the socket was changed")
	}
}

func TestOtherInputIsLeftAlone(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, in := range []io.Reader{file, &bytes.Buffer{}} {
		r, done := pollable(in, io.Discard)
		if r != in {
			t.Errorf("%T was replaced", in)
		}
		done()
	}
}

// The end of a session ends a read from an input that says nothing.
func TestEndOfSessionEndsRead(t *testing.T) {
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	in := inherited(t, fds[0])
	inherited(t, fds[1])
	r, done := pollable(in, io.Discard)
	ended := make(chan error, 1)
	go func() {
		_, err := r.Read(make([]byte, 1))
		ended <- err
	}()
	done()
	if err := <-ended; err == nil {
		t.Error("the read has returned something")
	}
}
