// Package archive lists what stands in zip, tar, gzip and bzip2 archives, and opens it as if it stood in a
// folder, within bounds that no archive can talk it out of. It writes nothing to disk but what readers
// have to seek in, and that to a file nobody else can see. What an entry means, and whether it is taken in,
// is not its business; containers that are one document, such as office files, are those of package zipped.
package archive

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Version is raised whenever the same archive would be listed in another way, so that it is read again.
const Version = 1

// Limits bound what is read of an archive.
type Limits struct {
	// Depth is how many archives may stand in each other.
	Depth int
	// Entries is how many an archive may have, with those of the archives in it.
	Entries int
	// Directory bounds the list of a zip archive, and the names in any other, in bytes.
	Directory int64
	// Total is how many bytes an archive may unpack to, with what archives in it unpack to.
	Total int64
	// Ratio is how many times its own size that may be, once it is more than Floor.
	Ratio, Floor int64
	// Memory is the size up to which an entry is kept in memory, Spool the one up to which it is put on
	// disk where a reader has to seek in it. They also bound all entries of an archive that wait for their
	// readers, the first 64 times over.
	Memory, Spool int64
}

// DefaultLimits returns the limits of the product.
func DefaultLimits() Limits {
	return Limits{
		Depth:     4,
		Entries:   500_000,
		Directory: 64 << 20,
		Total:     1 << 40,
		Ratio:     200,
		Floor:     64 << 20,
		Memory:    256 << 10,
		Spool:     512 << 20,
	}
}

// A Kind is a format of archives.
type Kind string

// The kinds.
const (
	None  Kind = ""
	Zip   Kind = "zip"
	Tar   Kind = "tar"
	Gzip  Kind = "gzip"
	Bzip2 Kind = "bzip2"
)

// Sniff tells from the first bytes of a file which kind of archive it is.
func Sniff(head []byte) Kind {
	switch {
	case bytes.HasPrefix(head, []byte("PK\x03\x04")), bytes.HasPrefix(head, []byte("PK\x05\x06")):
		return Zip
	case bytes.HasPrefix(head, []byte("\x1f\x8b\x08")):
		return Gzip
	case len(head) > 10 && bytes.HasPrefix(head, []byte("BZh")) && head[3] >= '1' && head[3] <= '9' &&
		(string(head[4:10]) == "1AY&SY" || string(head[4:10]) == "\x17rE8P\x90"):
		return Bzip2
	case tarHeader(head):
		return Tar
	}
	return None
}

// tarHeader reports whether b begins with the header of a tar entry, whose checksum says so.
func tarHeader(b []byte) bool {
	const size, at, until = 512, 148, 156
	if len(b) < size || b[0] == 0 {
		return false
	}
	want, err := strconv.ParseInt(strings.Trim(string(b[at:until]), " \x00"), 8, 32)
	if err != nil {
		return false
	}
	var sum, signed int64 // some old programs summed signed bytes
	for i, c := range b[:size] {
		if i >= at && i < until {
			c = ' '
		}
		sum += int64(c)
		signed += int64(int8(c))
	}
	return sum == want || signed == want
}

// Stem is the name of an archive without the endings that say so.
func Stem(name string) string {
	name = path.Base(name)
	for _, end := range []string{".zip", ".tgz", ".tbz", ".tbz2", ".gz", ".bz2", ".tar"} {
		if n := len(name) - len(end); n > 0 && strings.EqualFold(name[n:], end) {
			name = name[:n]
		}
	}
	return name
}

// What is wrong with an archive or an entry, in words for people.
var (
	ErrLocked        = errors.New("it is locked with a password")
	ErrPackage       = errors.New("it belongs to a program and is no archive of files")
	ErrDamaged       = errors.New("it is damaged, or its end is missing")
	errChanged       = errors.New("the archive changed while it was read")
	errCut     error = cut{}
	errSeek          = errors.New("it is too large to be looked around in inside an archive")
)

// cut is io.ErrUnexpectedEOF in words for people.
type cut struct{}

func (cut) Error() string        { return "the archive is damaged there, or ends in the middle of it" }
func (cut) Is(target error) bool { return target == io.ErrUnexpectedEOF }

// An Input is the archive itself.
type Input struct {
	// Path is where it stands, slashes or not; what is in it is below Path + "!".
	Path    string
	Size    int64
	ModTime time.Time
	Head    []byte
	// Open may be called more than once. Zip archives need ReadAt of what it returns.
	Open func() (doc.File, error)
	// Closed, when set, is told when nothing more is opened. It is not when Open of the package fails.
	Closed func()
}

// An Entry is a file in an archive.
type Entry struct {
	Name    string // slashes, without "./"
	Size    int64
	ModTime time.Time // that of the archive where the entry has none
	Sum     uint32    // of its bytes (CRC-32)

	link string // where a symbolic link leads
	kind entryKind
	pos  int
}

type entryKind int

const (
	regular entryKind = iota
	locked
	symlink
	special // refused says why
)

// A Refusal is an entry that is not even looked at, since its name is none of a file in a folder.
type Refusal struct{ Name, Reason string }

// An Archive is open until Close. Its methods may be used by several goroutines, but for Load.
type Archive struct {
	in     Input
	kind   Kind
	limits Limits
	budget *Budget
	temp   string

	entries []Entry
	dirs    []string
	tree    map[string]*node
	Refused []Refusal
	// Damage, when set, says why the archive was not listed to its end. What was listed can be opened.
	Damage string

	file  doc.File // of a zip archive
	zip   *directory
	tar   bool  // not one compressed file
	bytes int64 // a stream unpacked to so many

	mu    sync.Mutex
	freed *sync.Cond
	held  map[int]*content
	used  struct{ memory, disk int64 }
	begun map[int][]byte // first bytes of what is too large to hold
	seen  map[int]int64  // how much of an entry was counted
	above map[string][]byte
	room  int64 // for above
	cur   *cursor
	users int
	// trouble says that what had to be put on disk could not be.
	trouble bool
}

// Open lists an archive. Archives of one file have one entry. An error means that nothing in it can be
// read; temp is where what must be put on disk goes, "" where such files usually do.
func Open(ctx context.Context, in Input, l Limits, b *Budget, temp string) (*Archive, error) {
	a := &Archive{
		in: in, kind: Sniff(in.Head), limits: l, budget: b, temp: temp, held: map[int]*content{}, begun: map[int][]byte{}, seen: map[int]int64{},
		above: map[string][]byte{}, room: 64 << 20, users: 1,
	}
	a.freed = sync.NewCond(&a.mu)
	var err error
	switch a.kind {
	case Zip:
		err = a.openZip()
	case None:
		err = ErrDamaged
	default:
		err = a.scan(ctx)
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		a.in.Closed = nil
		a.Close()
		return nil, err
	}
	a.grow()
	return a, nil
}

// Retain has the archive stay open until Close was called once more.
func (a *Archive) Retain() {
	a.mu.Lock()
	a.users++
	a.mu.Unlock()
}

// Close ends the use of the archive; the last one frees what it has open.
func (a *Archive) Close() {
	a.mu.Lock()
	a.users--
	last := a.users == 0
	if last {
		a.shut()
	}
	a.mu.Unlock()
	if last && a.in.Closed != nil {
		a.in.Closed()
	}
}

func (a *Archive) shut() {
	for i := range a.held {
		a.drop(i)
	}
	if a.cur != nil {
		a.cur.close()
		a.cur = nil
	}
	if a.file != nil {
		_ = a.file.Close()
	}
}

// Trouble reports whether the machine, and not the archive, is why something in it could not be read.
func (a *Archive) Trouble() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.trouble
}

// InOrder reports whether entries are best opened in the order in which they stand: see Position.
func (a *Archive) InOrder() bool { return a.kind != Zip }

// Names are those of all entries, in the order of the archive.
func (a *Archive) Names() []string {
	out := make([]string, len(a.entries))
	for i := range a.entries {
		out[i] = a.entries[i].Name
	}
	return out
}

// Position is the place of the entry at a path in the archive.
func (a *Archive) Position(path string) int {
	if n := a.at(path); n != nil {
		return n.entry
	}
	return -1
}

// Sum is the checksum of the entry at a path.
func (a *Archive) Sum(path string) uint32 {
	if i := a.Position(path); i >= 0 {
		return a.entries[i].Sum
	}
	return 0
}

// Unpacked is how many bytes all entries are together.
func (a *Archive) Unpacked() int64 {
	var n int64
	for i := range a.entries {
		n += a.entries[i].Size
	}
	return n
}

// A Budget is what an archive may still use, with everything in it.
type Budget struct {
	limits  Limits
	within  *Budget
	size    int64
	mu      sync.Mutex
	entries int
	bytes   int64
	err     error
}

// NewBudget returns the budget of an archive of that size; within is the one of the archive that it
// stands in, nil if none.
func NewBudget(l Limits, size int64, within *Budget) *Budget {
	return &Budget{limits: l, within: within, size: size}
}

// Err says which bound the archive has passed, nil if none.
func (b *Budget) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// take counts what was unpacked. After the first error every call fails.
func (b *Budget) take(entries int, n int64) error {
	b.mu.Lock()
	b.entries += entries
	b.bytes += n
	switch l := b.limits; {
	case b.err != nil:
	case b.entries > l.Entries:
		b.err = fmt.Errorf("it has more than %d entries", l.Entries)
	case b.bytes > l.Total:
		b.err = fmt.Errorf("it unpacks to more than %d MB", l.Total>>20)
	case b.bytes > l.Floor && b.bytes/l.Ratio >= b.size && b.bytes > b.size*l.Ratio:
		b.err = fmt.Errorf("it unpacks to more than %d times its size, as archives do that are made to do harm", l.Ratio)
	}
	err := b.err
	b.mu.Unlock()
	if err == nil && b.within != nil {
		if err = b.within.take(entries, n); err != nil {
			err = fmt.Errorf("the archive around it: %w", err)
			b.mu.Lock()
			b.err = err
			b.mu.Unlock()
		}
	}
	return err
}
