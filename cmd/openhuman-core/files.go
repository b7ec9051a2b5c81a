package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/term"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// outcomes are all that can become of a file, in the order of the documentation.
func outcomes() []string {
	return []string{string(doc.OK), string(doc.Partial), string(doc.NoText), string(doc.Skipped), string(doc.Failed)}
}

func knownOutcomes(asked []string, files bool) error {
	if len(asked) > 0 && !files {
		return fault.New(fault.Invalid, "--outcome is for --files.").WithHint("Add --files.")
	}
	for _, o := range asked {
		if !slices.Contains(outcomes(), o) {
			return fault.New(fault.Invalid, "There is no outcome %q.", o).WithHint("It is one of %s.", strings.Join(outcomes(), ", "))
		}
	}
	return nil
}

// A listedFile is one file, or one folder of which nothing was looked at.
type listedFile struct {
	Path       string `json:"path"`
	Outcome    string `json:"outcome"`
	Reason     string `json:"reason,omitempty"`
	Documents  int    `json:"documents"`
	Bytes      int64  `json:"bytes"`
	IngestedAt string `json:"ingested_at"`
	Complete   bool   `json:"complete"`
	Folder     bool   `json:"folder,omitempty"`
	Inside     int    `json:"files_inside,omitempty"` // of a folder, now
	Archived   bool   `json:"in_archive,omitempty"`
	Away       bool   `json:"not_there,omitempty"` // now
}

// sums are the counts below a list. Files are those on the disk: Listed, and those in Folders.
type sums struct {
	Files    int            `json:"files"`
	Listed   int            `json:"listed"`
	InFolder int            `json:"in_folders_left_out"`
	Archived int            `json:"in_archives"`
	Away     int            `json:"not_there"`
	Outcomes map[string]int `json:"outcomes"` // of Listed, Archived and Away
	Reasons  map[string]int `json:"reasons"`  // of what is not ok, with the files in folders
}

// account looks at the disk for what stands behind the records.
func account(files []store.FileRecord) ([]listedFile, sums) {
	slices.SortFunc(files, func(x, y store.FileRecord) int { return strings.Compare(x.Path, y.Path) })
	known := make(map[string]bool, len(files))
	for _, f := range files {
		known[f.Path] = true
	}
	list := make([]listedFile, 0, len(files))
	s := sums{Outcomes: map[string]int{}, Reasons: map[string]int{}}
	for _, f := range files {
		l := listedFile{
			Path: f.Path, Outcome: f.Outcome, Reason: f.Reason, Documents: f.Documents, Bytes: f.Size,
			IngestedAt: f.IngestedAt.UTC().Format(time.RFC3339), Complete: f.Complete,
		}
		stands := 1
		path := filepath.FromSlash(f.Path)
		info, err := os.Lstat(path)
		if raw := ingest.RawPath(f.Path); err != nil && raw != "" {
			path = raw
			info, err = os.Lstat(path)
		}
		switch {
		case err == nil && info.IsDir():
			l.Folder, l.Inside = true, filesIn(path, known)
			s.InFolder += l.Inside
			stands = l.Inside
		case err == nil:
			s.Listed++
		case archived(f.Path, known):
			l.Archived = true
			s.Archived++
		default:
			l.Away = true
			s.Away++
		}
		if !l.Folder {
			s.Outcomes[f.Outcome]++
		}
		if f.Outcome != string(doc.OK) && (stands > 0 || closed(path)) {
			s.Reasons[f.Reason] += stands
		}
		list = append(list, l)
	}
	s.Files = s.Listed + s.InFolder
	return list, s
}

// closed reports whether a folder cannot be listed, so that nobody knows what is in it.
func closed(dir string) bool {
	f, err := os.Open(dir)
	if err != nil {
		return true
	}
	defer f.Close()
	_, err = f.ReadDir(1)
	return err != nil && !errors.Is(err, io.EOF)
}

// archived reports whether a path is that of something in a known file.
func archived(path string, known map[string]bool) bool {
	for i := 0; ; i++ {
		at := strings.Index(path[i:], "!/")
		if at < 0 {
			return false
		}
		if i += at; known[path[:i]] {
			return true
		}
	}
}

// filesIn counts what stands in a folder and is no folder, but for what has a record of its own. What
// cannot be read is not counted.
func filesIn(dir string, known map[string]bool) int {
	n := 0
	_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir
		case err != nil:
			return nil
		case path != dir && known[ingest.StoredPath(path)]:
			if d.IsDir() {
				return fs.SkipDir
			}
		case !d.IsDir():
			n++
		}
		return nil
	})
	return n
}

func (a *app) printFiles(ctx context.Context, s *store.Store, only []string) error {
	files, err := s.Files(ctx, "")
	if err != nil {
		return err
	}
	list, sum := account(files)
	if len(only) > 0 {
		list = slices.DeleteFunc(list, func(f listedFile) bool { return !slices.Contains(only, f.Outcome) })
	}
	if a.json {
		return a.printJSON(struct {
			Files []listedFile `json:"files"`
			Sums  sums         `json:"sums"`
		}{list, sum})
	}
	table := term.Table{Head: []string{"OUTCOME", "DOCUMENTS", "FILE", "WHY"}, Right: []int{1}, Wide: 3}
	for _, f := range list {
		outcome := f.Outcome
		if !f.Complete {
			outcome += " (unfinished)"
		}
		why := f.Reason
		switch {
		case f.Folder:
			why += fmt.Sprintf(" (%s in it)", number(f.Inside))
		case f.Away:
			why = strings.TrimPrefix(why+"; not there now", "; ")
		}
		table.Row(outcome, number(f.Documents), f.Path, why)
	}
	if err := table.Write(a.stdout, term.Columns(a.stdout)); err != nil {
		return err
	}
	return a.printSums(sum)
}

// printSums prints how many files there are, what became of them, and why some are not in.
func (a *app) printSums(s sums) error {
	fmt.Fprintf(a.stdout, "\n%s files on the disk: %s listed (%s), %s in folders that were left out.\n",
		number(s.Files), number(s.Listed), cmp.Or(inWords(s.Outcomes), "none"), number(s.InFolder))
	if s.Archived > 0 {
		fmt.Fprintf(a.stdout, "%s of them and %s in archives are counted by outcome.\n", number(s.Listed), number(s.Archived))
	}
	if s.Away > 0 {
		fmt.Fprintf(a.stdout, "%s more are not there now; the next ingest or sync of their folder tells what became of them.\n", number(s.Away))
	}
	if len(s.Reasons) == 0 {
		return nil
	}
	fmt.Fprintln(a.stdout)
	table := term.Table{Head: []string{"FILES", "WHY"}, Right: []int{0}, Wide: 1}
	reasons := slices.SortedFunc(maps.Keys(s.Reasons), func(x, y string) int {
		return cmp.Or(cmp.Compare(s.Reasons[y], s.Reasons[x]), strings.Compare(x, y))
	})
	for _, r := range reasons {
		table.Row(number(s.Reasons[r]), r)
	}
	return table.Write(a.stdout, term.Columns(a.stdout))
}
