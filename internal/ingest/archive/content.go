package archive

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// content is an entry that is unpacked.
type content struct {
	data []byte
	file *os.File // instead of data
	gone func()   // removes file
}

func (c *content) reader(size int64) *io.SectionReader {
	if c.file != nil {
		return io.NewSectionReader(c.file, 0, size)
	}
	return io.NewSectionReader(bytes.NewReader(c.data), 0, size)
}

// Room waits until what is unpacked and has not been freed is little enough for more.
func (a *Archive) Room(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() {
		a.mu.Lock() // so that nobody begins to wait in between
		defer a.mu.Unlock()
		a.freed.Broadcast()
	})
	defer stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	for ctx.Err() == nil && (a.used.memory >= 64*a.limits.Memory || a.used.disk >= a.limits.Spool) {
		a.freed.Wait()
	}
	return ctx.Err()
}

// Load unpacks the entry at a path, in an archive that is read in order, and keeps it until Free: one that
// stands before another has to be loaded before it. What is too large for that is unpacked again each time
// that it is opened.
func (a *Archive) Load(path string) error {
	i := a.Position(path)
	if i < 0 || !a.InOrder() {
		return nil
	}
	e := &a.entries[i]
	if e.kind != regular {
		return nil
	}
	if a.cur != nil && a.cur.next > e.pos {
		a.cur.close()
		a.cur = nil
	}
	var r io.Reader
	if a.tar {
		if a.cur == nil {
			c, err := a.start()
			if err != nil {
				return err
			}
			a.cur = c
		}
		if err := a.cur.seek(e); err != nil {
			a.cur.close()
			a.cur = nil
			return err
		}
		r = a.cur.t
	} else {
		f, err := a.afresh(i)
		if err != nil {
			return err
		}
		defer f.Close()
		r = f
	}
	if e.Size > a.limits.Spool || a.ragged() {
		head := make([]byte, doc.HeadSize)
		n, err := io.ReadFull(r, head)
		if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		a.mu.Lock()
		a.begun[i] = head[:n]
		a.mu.Unlock()
		return nil
	}
	return a.hold(i, r)
}

// Free frees what was unpacked of the entry at a path.
func (a *Archive) Free(path string) {
	i := a.Position(path)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drop(i)
	delete(a.begun, i)
	a.freed.Broadcast()
}

func (a *Archive) drop(i int) {
	c := a.held[i]
	if c == nil {
		return
	}
	delete(a.held, i)
	a.used.memory -= int64(len(c.data))
	if c.file != nil {
		a.used.disk -= a.entries[i].Size
		_ = c.file.Close() // nothing in it is of use
		c.gone()
	}
}

// hold unpacks an entry from r, into memory or onto disk.
func (a *Archive) hold(i int, r io.Reader) error {
	e := &a.entries[i]
	c, err := a.keep(e, r)
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.held[i] != nil { // somebody else was faster
		if c.file != nil {
			_ = c.file.Close()
			c.gone()
		}
		return nil
	}
	a.held[i] = c
	a.used.memory += int64(len(c.data))
	if c.file != nil {
		a.used.disk += e.Size
	}
	return nil
}

func (a *Archive) keep(e *Entry, r io.Reader) (*content, error) {
	if e.Size <= a.limits.Memory {
		data := make([]byte, e.Size)
		if _, err := io.ReadFull(r, data); err != nil {
			return nil, a.cutBy(err)
		}
		return &content{data: data}, a.end(r)
	}
	f, gone, err := spool(a.temp)
	if err != nil {
		a.troubled()
		return nil, err
	}
	disk := &checked{w: f}
	n, err := io.CopyBuffer(disk, io.LimitReader(r, e.Size), make([]byte, 64<<10))
	switch {
	case disk.failed:
		a.troubled()
	case err != nil:
		err = a.cutBy(err)
	case n < e.Size:
		err = errCut
	default:
		err = a.end(r)
	}
	if err != nil {
		_ = f.Close()
		gone()
		return nil, err
	}
	return &content{file: f, gone: gone}, nil
}

func (a *Archive) troubled() {
	a.mu.Lock()
	a.trouble = true
	a.mu.Unlock()
}

// checked remembers that writing failed, and not what is read.
type checked struct {
	w      io.Writer
	failed bool
}

func (c *checked) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.failed = c.failed || err != nil
	return n, err
}

// end sees that an entry ends where it says, which is when its checksum is compared.
func (a *Archive) end(r io.Reader) error {
	var one [1]byte
	if n, err := io.ReadFull(r, one[:]); n > 0 || !errors.Is(err, io.EOF) {
		return a.cutBy(err)
	}
	return nil
}

func (a *Archive) cutBy(err error) error {
	if over := a.budget.Err(); over != nil {
		return over
	}
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return err
	}
	return errCut
}

// Open opens the file at a path.
func (a *Archive) Open(path string) (doc.File, error) {
	n := a.at(path)
	if n == nil || n.entry < 0 {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	i := n.entry
	switch e := &a.entries[i]; {
	case e.kind == locked:
		return nil, ErrLocked
	case e.kind != regular:
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrInvalid}
	case a.kind == Zip && e.Size <= a.limits.Memory:
		if err := a.unpack(i); err != nil {
			return nil, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.held[i]; c != nil {
		return &whole{c.reader(a.entries[i].Size)}, nil
	}
	if b, ok := a.above[a.entries[i].Name]; ok {
		return doc.InMemory(b), nil
	}
	return &member{a: a, entry: i, head: bytes.NewReader(a.begun[i])}, nil
}

// Beside opens a file that another one needs. Unlike Open it keeps what it unpacked, within a bound, since
// the same is asked for again and again.
func (a *Archive) Beside(path string) (doc.File, error) {
	n := a.at(path)
	if n == nil || n.entry < 0 || a.entries[n.entry].kind != regular {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	e := &a.entries[n.entry]
	a.mu.Lock()
	b, ok := a.above[e.Name]
	if !ok && e.Size > a.room {
		a.mu.Unlock()
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	a.mu.Unlock()
	if ok {
		return doc.InMemory(b), nil
	}
	r, err := a.again(n.entry)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	b, err = io.ReadAll(io.LimitReader(r, e.Size))
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.above[e.Name]; !ok {
		a.above[e.Name] = b
		a.room -= int64(len(b))
	}
	return doc.InMemory(b), nil
}

// again opens an entry from its start.
func (a *Archive) again(i int) (io.ReadCloser, error) {
	if a.kind == Zip {
		return a.openMember(i)
	}
	return a.afresh(i)
}

// unpack has an entry unpacked unless it is.
func (a *Archive) unpack(i int) error {
	a.mu.Lock()
	have := a.held[i] != nil
	a.mu.Unlock()
	if have {
		return nil
	}
	r, err := a.again(i)
	if err != nil {
		return err
	}
	defer r.Close()
	return a.hold(i, r)
}

// whole is an entry that is unpacked.
type whole struct{ *io.SectionReader }

func (whole) Close() error { return nil }

// member is an entry that is unpacked as it is read.
type member struct {
	a     *Archive
	entry int
	head  *bytes.Reader // what is known of it, read first
	r     io.ReadCloser
	err   error
}

func (m *member) Read(b []byte) (int, error) {
	if m.head.Len() > 0 {
		return m.head.Read(b)
	}
	if m.r == nil && m.err == nil {
		if m.r, m.err = m.a.again(m.entry); m.err == nil {
			_, m.err = io.CopyN(io.Discard, m.r, m.head.Size())
		}
	}
	if m.err != nil {
		return 0, m.err
	}
	n, err := m.r.Read(b)
	if err != nil {
		m.err = err
	}
	return n, err
}

// ReadAt unpacks the entry to where it can be read at any place.
func (m *member) ReadAt(b []byte, off int64) (int, error) {
	size := m.a.entries[m.entry].Size
	if size > m.a.limits.Spool {
		return 0, errSeek
	}
	if err := m.a.unpack(m.entry); err != nil {
		return 0, err
	}
	m.a.mu.Lock()
	c := m.a.held[m.entry]
	m.a.mu.Unlock()
	if c == nil {
		return 0, fs.ErrClosed
	}
	return c.reader(size).ReadAt(b, off)
}

func (m *member) Close() error {
	if m.r != nil {
		_ = m.r.Close() // what is wrong with the entry, reading has told
	}
	return nil
}
