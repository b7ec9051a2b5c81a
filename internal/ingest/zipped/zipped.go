// Package zipped opens zip containers that hold one document: office files and books. It reads their
// members within bounds, whatever the container claims about itself, and writes nothing to disk. What
// the members mean is not its business.
package zipped

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Limits bound what is read of one container.
type Limits struct {
	Directory int64 // bytes of the list of members
	Members   int
	Total     int64 // bytes that all members may unpack to
}

// DefaultLimits returns the limits of the product.
func DefaultLimits() Limits {
	return Limits{Directory: 8 << 20, Members: 20_000, Total: 256 << 20}
}

// ErrBound says that a container unpacks to more than the limit.
var ErrBound = errors.New("it unpacks to more than the limit")

// A Container is an open zip file.
type Container struct {
	members map[string]*zip.File
	names   []string
	left    int64
}

// Open reads the list of members. The error is a sentence's worth for people.
func Open(r io.ReaderAt, size int64, l Limits) (*Container, error) {
	z, err := Directory(r, size, l.Directory)
	switch {
	case errors.Is(err, ErrBound):
		return nil, fmt.Errorf("its list of members is larger than %d MB", l.Directory>>20)
	case err != nil:
		return nil, errors.New("it is damaged, or its end is missing")
	case len(z.File) > l.Members:
		return nil, fmt.Errorf("it has more than %d members", l.Members)
	}
	c := &Container{members: make(map[string]*zip.File, len(z.File)), left: l.Total}
	for _, f := range z.File {
		name := strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
		if _, ok := c.members[key(name)]; !ok && !strings.HasSuffix(name, "/") {
			c.members[key(name)] = f
			c.names = append(c.names, name)
		}
	}
	return c, nil
}

// Directory reads the list of members, of which it reads at most so many bytes: else the error is
// ErrBound.
func Directory(r io.ReaderAt, size, most int64) (*zip.Reader, error) {
	at := &bounded{r: r, left: most}
	z, err := zip.NewReader(at, size)
	if at.over {
		return nil, ErrBound
	}
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, err
	}
	at.free = true // what members unpack to is bounded by itself
	return z, nil
}

// key makes names equal that differ in case only, as programs that read such files do.
func key(name string) string { return strings.ToLower(name) }

// Names lists the members in the order of the container.
func (c *Container) Names() []string { return c.names }

// Has reports whether there is a member of that name.
func (c *Container) Has(name string) bool {
	_, ok := c.members[key(name)]
	return ok
}

// Encrypted reports whether a member is locked with a password of the zip format.
func (c *Container) Encrypted(name string) bool {
	f, ok := c.members[key(name)]
	return ok && f.Flags&1 != 0
}

// Open returns the bytes of a member; nil when there is none of that name or it cannot be unpacked.
// Reading ends with ErrBound once the container's members unpack to more than the limit.
func (c *Container) Open(name string) io.ReadCloser {
	f, ok := c.members[key(name)]
	if !ok {
		return nil
	}
	r, err := f.Open()
	if err != nil {
		return nil
	}
	return &member{ReadCloser: r, c: c}
}

// Read returns at most most bytes of a small member; nil when there is none.
func (c *Container) Read(name string, most int64) []byte {
	r := c.Open(name)
	if r == nil {
		return nil
	}
	defer r.Close()
	b, _ := io.ReadAll(io.LimitReader(r, most)) // what is readable is of use
	return b
}

type member struct {
	io.ReadCloser
	c *Container
}

func (m *member) Read(b []byte) (int, error) {
	if m.c.left <= 0 {
		return 0, ErrBound
	}
	if int64(len(b)) > m.c.left {
		b = b[:m.c.left]
	}
	n, err := m.ReadCloser.Read(b)
	m.c.left -= int64(n)
	return n, err
}

// bounded is a file of which only so much may be read.
type bounded struct {
	r    io.ReaderAt
	left int64
	free bool
	over bool
}

func (b *bounded) ReadAt(p []byte, off int64) (int, error) {
	if !b.free {
		if b.left -= int64(len(p)); b.left < 0 {
			b.over = true
			return 0, ErrBound
		}
	}
	return b.r.ReadAt(p, off)
}
