package archive

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/bzip2"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

const (
	block     = 512
	streaming = 256 << 10 // how much is read of a file at once
	// keptSize is the size up to which files that say what to leave out are kept while an archive is listed.
	keptSize = 1 << 20
)

// unpacked opens the archive and takes the compression off it. name is what gzip calls the file in it.
func (a *Archive) unpacked() (f doc.File, r *bufio.Reader, name string, at time.Time, err error) {
	f, err = a.in.Open()
	if err != nil {
		return nil, nil, "", time.Time{}, err
	}
	packed := bufio.NewReaderSize(f, streaming)
	switch a.kind {
	case Gzip:
		z, err := gzip.NewReader(packed)
		if err != nil {
			_ = f.Close()
			return nil, nil, "", time.Time{}, ErrDamaged
		}
		return f, bufio.NewReaderSize(z, streaming), z.Name, z.ModTime, nil
	case Bzip2:
		return f, bufio.NewReaderSize(bzip2.NewReader(packed), streaming), "", time.Time{}, nil
	}
	return f, packed, "", time.Time{}, nil
}

// scan goes through an archive that has no directory, from its start to its end.
func (a *Archive) scan(ctx context.Context) error {
	f, r, name, at, err := a.unpacked()
	if err != nil {
		return err
	}
	defer f.Close()
	head, err := r.Peek(block)
	if a.kind != Tar && !tarHeader(head) {
		if len(head) == 0 && err != nil && !errors.Is(err, io.EOF) {
			return ErrDamaged
		}
		return a.single(ctx, r, name, at)
	}
	a.tar = true
	// A file of blocks that ends between two entries looks whole but for the empty block at its end.
	s := &stream{ctx: ctx, r: r, budget: a.budget}
	t := tar.NewReader(s)
	names := int64(0)
	buf := make([]byte, 64<<10)
	for pos := 0; ; pos++ {
		s.empty = false
		h, err := t.Next()
		if errors.Is(err, tar.ErrInsecurePath) {
			err = nil
		}
		if errors.Is(err, io.EOF) {
			if !s.empty {
				a.Damage = "its end is missing"
			}
			break
		}
		if err == nil {
			names += int64(len(h.Name))
			if err = a.budget.take(1, 0); err == nil && names > a.limits.Directory {
				err = fmt.Errorf("its names are longer than %d MB", a.limits.Directory>>20)
			}
		}
		if err != nil {
			a.Damage = s.damage(err)
			break
		}
		if err := a.list(t, h, s, pos, buf); err != nil {
			a.Damage = s.damage(err)
			break
		}
	}
	if a.Damage == "" {
		// What follows is nothing, but for the checksum over everything.
		if _, err := io.CopyBuffer(io.Discard, struct{ io.Reader }{s}, buf); err != nil && !errors.Is(err, gzip.ErrHeader) {
			a.Damage = s.damage(err)
		}
	}
	a.bytes = s.n
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if a.Damage != "" && len(a.entries) == 0 {
		return errors.New(a.Damage)
	}
	return nil
}

// list takes one entry of a tar archive into the list.
func (a *Archive) list(t *tar.Reader, h *tar.Header, s *stream, pos int, buf []byte) error {
	name, refused := clean(h.Name)
	e := Entry{Name: name, Size: h.Size, ModTime: a.timeOr(h.ModTime), pos: pos}
	switch h.Typeflag {
	case tar.TypeXGlobalHeader:
		return nil
	case tar.TypeReg, tar.TypeGNUSparse, tar.TypeCont:
	case tar.TypeDir:
		if refused == "" && name != "" {
			a.dirs = append(a.dirs, name)
			return nil
		}
	case tar.TypeSymlink:
		e.kind, e.link, e.Size = symlink, h.Linkname, 0
	case tar.TypeLink:
		e.kind, e.link, e.Size = special, "a second name of "+shown(h.Linkname)+", which is taken in where it stands", 0
	default:
		e.kind, e.link = special, reasonDevice
	}
	if refused != "" {
		a.Refused = append(a.Refused, Refusal{shown(h.Name), refused})
		return nil
	}
	if name == "" || e.kind != regular {
		if name != "" {
			a.entries = append(a.entries, e)
		}
		return nil
	}
	// Holes of sparse files unpack to bytes that are not in the stream.
	before, w := s.n, sum()
	var keep bytes.Buffer
	kept := keeps(path.Base(name)) && e.Size <= keptSize
	for read := int64(0); ; {
		n, err := t.Read(buf)
		_, _ = w.Write(buf[:n])
		if kept {
			keep.Write(buf[:n])
		}
		if read += int64(n); read-(s.n-before) > 0 {
			if err := s.budget.take(0, read-(s.n-before)); err != nil {
				return err
			}
			before = s.n - read
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
	}
	e.Sum = w.of
	if kept {
		a.above[name] = keep.Bytes()
		a.room -= int64(keep.Len())
	}
	a.entries = append(a.entries, e)
	return nil
}

// keeps reports whether a file is one that has to be known before what stands around it is read.
func keeps(base string) bool { return base == ".gitignore" || base == ".openhumanignore" }

// single lists an archive that is one compressed file.
func (a *Archive) single(ctx context.Context, r io.Reader, name string, at time.Time) error {
	if name, _ = clean(path.Base(name)); name == "" {
		name = Stem(slashed(a.in.Path))
	}
	s := &stream{ctx: ctx, r: r, budget: a.budget}
	w := sum()
	if err := a.budget.take(1, 0); err != nil {
		return err
	}
	n, err := io.CopyBuffer(w, struct{ io.Reader }{s}, make([]byte, 64<<10))
	if err != nil && !(errors.Is(err, gzip.ErrHeader) && n > 0) { // what follows the file is none
		a.Damage = s.damage(err)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if n == 0 && a.Damage != "" {
		return errors.New(a.Damage)
	}
	names := []string{name}
	decode(names)
	a.bytes = s.n
	if a.Damage != "" {
		n++ // what is missing is at least something, so that nobody takes the rest for all of it
	}
	a.entries = []Entry{{Name: names[0], Size: n, ModTime: a.timeOr(at), Sum: w.of}}
	return nil
}

// stream is what is unpacked of an archive on the way, within its budget.
type stream struct {
	ctx    context.Context
	r      io.Reader
	budget *Budget
	n      int64
	empty  bool // the last block of its own that was read held nothing
}

func (s *stream) Read(b []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := s.r.Read(b)
	s.n += int64(n)
	if n > 0 {
		if over := s.budget.take(0, int64(n)); over != nil {
			return 0, over
		}
	}
	if len(b) == block {
		s.empty = n == block && len(bytes.Trim(b, "\x00")) == 0
	}
	return n, err
}

// damage says what ended the listing.
func (s *stream) damage(err error) string {
	if over := s.budget.Err(); over != nil {
		return over.Error()
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "its end is missing"
	}
	return "it is damaged"
}

// A cursor goes through a tar archive a second time.
type cursor struct {
	f    doc.File
	t    *tar.Reader
	next int // position of the entry that Next returns
}

func (c *cursor) close() { _ = c.f.Close() }

// start makes one at the beginning of the archive.
func (a *Archive) start() (*cursor, error) {
	f, r, _, _, err := a.unpacked()
	if err != nil {
		return nil, err
	}
	return &cursor{f: f, t: tar.NewReader(io.LimitReader(r, a.bytes))}, nil
}

// seek goes to an entry, which must not lie behind.
func (c *cursor) seek(e *Entry) error {
	for c.next <= e.pos {
		h, err := c.t.Next()
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			return errCut
		}
		if c.next++; c.next > e.pos {
			if name, _ := clean(h.Name); name != e.Name || h.Size != e.Size {
				return errChanged
			}
		}
	}
	return nil
}

// ragged reports whether the archive is one file whose end is missing.
func (a *Archive) ragged() bool { return a.kind != Zip && !a.tar && a.Damage != "" }

type broken struct{}

func (broken) Read([]byte) (int, error) { return 0, errCut }

// afresh opens an entry with a new pass from the start of the archive.
func (a *Archive) afresh(i int) (io.ReadCloser, error) {
	if !a.tar {
		f, r, _, _, err := a.unpacked()
		if err != nil {
			return nil, err
		}
		var in io.Reader = io.LimitReader(r, a.bytes)
		if a.ragged() {
			in = io.MultiReader(in, broken{})
		}
		return &pass{in, f}, nil
	}
	c, err := a.start()
	if err != nil {
		return nil, err
	}
	if err := c.seek(&a.entries[i]); err != nil {
		c.close()
		return nil, err
	}
	return &pass{c.t, c.f}, nil
}

type pass struct {
	io.Reader
	f doc.File
}

func (p *pass) Read(b []byte) (int, error) {
	n, err := p.Reader.Read(b)
	if err != nil && !errors.Is(err, io.EOF) {
		err = errCut
	}
	return n, err
}

func (p *pass) Close() error { return p.f.Close() }
