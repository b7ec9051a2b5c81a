package slack

import (
	"archive/zip"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

var (
	errTooLarge = errors.New("larger than the limit")
	errTotal    = errors.New("the archive unpacks to more than the limit")
)

// An archive is the files of an export, without the top folder that some archives have.
type archive struct {
	lists   map[string]*zip.File // users.json and so on
	days    map[string][]day     // by folder
	refused []string             // why some entries were left out
	left    int64                // what may still be unpacked
}

// A day is the file of one day of one channel.
type day struct {
	folder, date string
	entry        *zip.File
}

func (d day) name() string { return d.folder + "/" + d.date + ".json" }

// openArchive reads the list of files. It never reads more of it than the limits say, whatever the
// archive claims about itself.
func openArchive(r io.ReaderAt, size int64, l Limits) (*archive, error) {
	at := &boundedAt{r: r, left: l.DirectoryBytes}
	z, err := zip.NewReader(at, size)
	if err != nil {
		if errors.Is(err, errTooLarge) {
			return nil, fmt.Errorf("its list of files is larger than %d MB", l.DirectoryBytes>>20)
		}
		return nil, errors.New("it is damaged or no zip archive")
	}
	at.free = true // the files have bounds of their own
	if len(z.File) > l.Entries {
		return nil, fmt.Errorf("it holds %d files, more than %d", len(z.File), l.Entries)
	}
	a := &archive{lists: map[string]*zip.File{}, days: map[string][]day{}, left: l.TotalBytes}
	top := topFolder(z.File)
	unsafe := 0
	seen := make(map[string]bool, len(z.File))
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") {
			continue
		}
		name := f.Name
		if !safeName(name) {
			unsafe++
			continue
		}
		name = strings.TrimPrefix(name, top)
		if seen[name] {
			continue // the first of two counts
		}
		seen[name] = true
		folder, base := path.Split(name)
		folder = strings.TrimSuffix(folder, "/")
		switch {
		case folder == "" && isList(base):
			a.lists[base] = f
		case folder != "" && !strings.Contains(folder, "/"):
			if date, ok := strings.CutSuffix(base, ".json"); ok {
				if _, err := time.Parse(time.DateOnly, date); err == nil {
					a.days[folder] = append(a.days[folder], day{folder, date, f})
				}
			}
		}
	}
	for _, ds := range a.days {
		slices.SortFunc(ds, func(a, b day) int { return strings.Compare(a.date, b.date) })
	}
	if unsafe > 0 {
		a.refused = append(a.refused, fmt.Sprintf("%d files with names that lead out of the archive were left out", unsafe))
	}
	return a, nil
}

func isList(base string) bool {
	switch base {
	case "users.json", "org_users.json", "channels.json", "groups.json", "dms.json", "mpims.json":
		return true
	}
	return false
}

// isExport reports whether the archive has the shape of an export.
func (a *archive) isExport() bool {
	_, users := a.lists["users.json"]
	if !users {
		_, users = a.lists["org_users.json"]
	}
	rooms := false
	for _, n := range []string{"channels.json", "groups.json", "dms.json", "mpims.json"} {
		if _, ok := a.lists[n]; ok {
			rooms = true
		}
	}
	return rooms && (users || len(a.days) > 0) || users && len(a.days) > 0
}

// topFolder returns the folder, with its slash, that holds everything, or "".
func topFolder(files []*zip.File) string {
	for _, f := range files {
		dir, base := path.Split(f.Name)
		if isList(base) && strings.Count(dir, "/") == 1 && !strings.HasPrefix(dir, "__MACOSX") {
			return dir
		}
		if isList(base) && dir == "" {
			return ""
		}
	}
	return ""
}

// safeName reports whether an entry's name stays inside the archive.
func safeName(name string) bool {
	if name == "" || len(name) > 1000 || !utf8.ValidString(name) || strings.ContainsAny(name, "\\\x00") || path.IsAbs(name) || len(name) > 1 && name[1] == ':' {
		return false
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." {
			return false
		}
	}
	return true
}

// open opens a file of the archive, of which at most limit bytes can be read.
func (a *archive) open(f *zip.File, limit int64) (io.ReadCloser, error) {
	rc, err := f.Open()
	if err != nil {
		return nil, err
	}
	return &bounded{rc: rc, left: limit, total: &a.left}, nil
}

// bounded gives an error instead of what is beyond a limit.
type bounded struct {
	rc    io.ReadCloser
	left  int64
	total *int64
	err   error // once it ended, it stays so
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.err != nil {
		return 0, b.err
	}
	if b.left <= 0 || *b.total <= 0 {
		// The file may end exactly at the limit.
		var one [1]byte
		n, err := io.ReadFull(b.rc, one[:])
		switch {
		case n == 0:
			b.err = err
		case *b.total <= 0:
			b.err = errTotal
		default:
			b.err = errTooLarge
		}
		return 0, b.err
	}
	n, err := b.rc.Read(p[:min(int64(len(p)), b.left, *b.total)])
	b.left -= int64(n)
	*b.total -= int64(n)
	b.err = err
	return n, err
}

func (b *bounded) Close() error { return b.rc.Close() }

// boundedAt bounds how much is read while the list of files is read; afterwards it is open.
type boundedAt struct {
	r    io.ReaderAt
	left int64
	free bool
}

func (b *boundedAt) ReadAt(p []byte, off int64) (int, error) {
	if !b.free {
		if b.left -= int64(len(p)); b.left < 0 {
			return 0, errTooLarge
		}
	}
	return b.r.ReadAt(p, off)
}
