package archive

import (
	"archive/zip"
	"compress/bzip2"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"strings"

	"github.com/openhuman/openhuman-core/internal/ingest/zipped"
)

// directory is what a zip archive lists.
type directory struct{ files []*zip.File }

// openZip reads the list of a zip archive.
func (a *Archive) openZip() error {
	f, err := a.in.Open()
	if err != nil {
		return err
	}
	a.file = f
	z, err := zipped.Directory(f, a.in.Size, a.limits.Directory)
	switch {
	case errors.Is(err, zipped.ErrBound):
		return fmt.Errorf("its list of entries is larger than %d MB", a.limits.Directory>>20)
	case err != nil:
		return ErrDamaged
	}
	z.RegisterDecompressor(methodBzip2, func(r io.Reader) io.ReadCloser { return io.NopCloser(bzip2.NewReader(r)) })
	if program(z) {
		return ErrPackage
	}
	if err := a.budget.take(len(z.File), 0); err != nil {
		return err
	}
	names := make([]string, len(z.File))
	for i, f := range z.File {
		names[i] = f.Name
	}
	decode(names)
	for i, f := range z.File {
		// Some programs of Windows write backslashes, and nobody else writes one.
		name, refused := clean(strings.ReplaceAll(names[i], `\`, "/"))
		switch {
		case refused != "":
			a.Refused = append(a.Refused, Refusal{shown(names[i]), refused})
			continue
		case name == "":
			continue
		case strings.HasSuffix(names[i], "/"), f.Mode().IsDir():
			a.dirs = append(a.dirs, name)
			continue
		}
		e := Entry{Name: name, Size: int64(min(f.UncompressedSize64, 1<<62)), ModTime: a.timeOr(f.Modified), Sum: f.CRC32, pos: i}
		switch mode := f.Mode(); {
		case f.Flags&1 != 0:
			e.kind = locked
		case mode&fs.ModeSymlink != 0:
			e.kind = symlink
			e.link = a.linkOf(f)
		case !mode.IsRegular():
			e.kind, e.link = special, reasonDevice
		}
		a.entries = append(a.entries, e)
	}
	a.zip = &directory{z.File}
	return nil
}

const (
	methodBzip2  = 12
	reasonDevice = "a device or a pipe, which no archive of files needs"
)

// linkOf returns where a symbolic link leads.
func (a *Archive) linkOf(f *zip.File) string {
	r, err := f.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	b, _ := io.ReadAll(io.LimitReader(r, maxName)) // without it the link leads nowhere
	if a.budget.take(0, int64(len(b))) != nil {
		return ""
	}
	return string(b)
}

// program reports whether a zip archive is what a program or a document is made of.
func program(z *zip.Reader) bool {
	for i, f := range z.File {
		switch f.Name {
		case "META-INF/MANIFEST.MF", "AndroidManifest.xml", "[Content_Types].xml", "Index/Document.iwa", "Index.zip", "extension.vsixmanifest":
			return true
		case "mimetype":
			if i == 0 {
				return true
			}
		}
		if dir, _, ok := strings.Cut(f.Name, ".app/"); ok && strings.HasPrefix(dir, "Payload/") {
			return true
		}
	}
	return false
}

// openMember opens an entry of a zip archive from its start.
func (a *Archive) openMember(i int) (io.ReadCloser, error) {
	f := a.zip.files[a.entries[i].pos]
	r, err := f.Open()
	switch {
	case errors.Is(err, zip.ErrAlgorithm):
		return nil, fmt.Errorf("it is packed in a way (number %d) that is not supported", f.Method)
	case err != nil:
		return nil, errCut
	}
	return &metered{r: r, a: a, entry: i}, nil
}

// metered counts what is unpacked of an entry, each byte once however often it is read.
type metered struct {
	r     io.ReadCloser
	a     *Archive
	entry int
	at    int64
}

func (m *metered) Read(b []byte) (int, error) {
	n, err := m.r.Read(b)
	m.at += int64(n)
	m.a.mu.Lock()
	more := m.at - m.a.seen[m.entry]
	if more > 0 {
		m.a.seen[m.entry] = m.at
	}
	m.a.mu.Unlock()
	if more > 0 {
		if over := m.a.budget.take(0, more); over != nil {
			return 0, over
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = errCut
	}
	return n, err
}

func (m *metered) Close() error { return m.r.Close() }

// sum is the checksum that zip archives have of their entries.
func sum() *crcWriter { return &crcWriter{} }

type crcWriter struct{ of uint32 }

func (w *crcWriter) Write(b []byte) (int, error) {
	w.of = crc32.Update(w.of, crc32.IEEETable, b)
	return len(b), nil
}
