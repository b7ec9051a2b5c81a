// Package audit keeps a record of who called what: one line of JSON a call, in numbered files that
// several processes append to at once. It holds what a call was like, never what was asked for or
// found, and it never makes a call fail.
package audit

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"
)

// The decisions.
const (
	Allowed = "allowed"
	Denied  = "denied"
	Limited = "limited" // denied for now, because there were too many calls
)

// A Record is one call.
type Record struct {
	Time   time.Time `json:"time"`
	Client string    `json:"client"`           // the label: mcp:claude-desktop, http, cli
	Pinned string    `json:"pinned,omitempty"` // the name that its owner has given the client
	Tool   string    `json:"tool"`             // the tool's name, or the method's where there is no tool
	// Args has, for each argument that was given, its length in bytes. Those that the tool does not
	// have are counted under "?": their names are the caller's words.
	Args map[string]int `json:"args"`
	// Of is the entry of the registry that was asked for, where there is such a one: the program's own
	// word for it, and nobody else's.
	Of       string `json:"of,omitempty"`
	Rows     int    `json:"rows"`
	MS       int64  `json:"ms"`
	Decision string `json:"decision"`
	Code     string `json:"code,omitempty"` // of the error, if there was one
}

// Options say where the record is kept, and how much of it.
type Options struct {
	Dir      string // is made when it is not there, if the folder around it is
	MaxBytes int64  // the size at which a file is closed and the next begun
	MaxFiles int    // how many files are kept
	// Trouble is told why a record cannot be written, once until one can again. It may be nil.
	Trouble func(error)
}

const (
	lookEvery = time.Second
	lookShare = 64 // of the bytes of one file
)

// maxLabel bounds the text of a client in a record, in bytes.
const maxLabel = 120

// A Log writes records. A nil *Log writes none. It is safe for concurrent use, also by several
// processes over one folder.
type Log struct {
	o  Options
	mu sync.Mutex

	file   *os.File
	path   string
	number int
	looked time.Time // when the file was looked at last
	since  int64     // how much has been written since
	torn   bool      // the last line was not written whole
	silent bool      // trouble has been told
	closed bool
}

// New returns a log. It touches nothing before the first record.
func New(o Options) *Log {
	o.MaxBytes, o.MaxFiles = max(o.MaxBytes, 1), max(o.MaxFiles, 1)
	return &Log{o: o}
}

// Write adds a record. What goes wrong is told to Options.Trouble. Where there is no folder to hold
// the one for records there is no memory either, and nothing is written.
func (l *Log) Write(r Record) {
	if l == nil {
		return
	}
	r.Client, r.Pinned = cut(r.Client), cut(r.Pinned)
	if r.Args == nil {
		r.Args = map[string]int{}
	}
	line, err := json.Marshal(r)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	if err == nil {
		err = l.append(append(line, '\n'))
	}
	switch {
	case err == nil:
		l.silent = false
	case !l.silent && l.o.Trouble != nil:
		l.silent = true
		l.o.Trouble(err)
	}
}

// Close closes the file. Later records are dropped.
func (l *Log) Close() error {
	if l == nil {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	return l.leave()
}

func (l *Log) leave() error {
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	return err
}

// append writes a line with one call, so that lines of several processes do not mix.
func (l *Log) append(line []byte) error {
	if l.file != nil && l.due() {
		// The name and not the file: somebody may have removed it.
		if info, err := os.Stat(l.path); err != nil || info.Size() >= l.o.MaxBytes {
			_ = l.leave()
		}
		l.looked, l.since = time.Now(), 0
	}
	if l.file == nil {
		if err := l.open(); err != nil || l.file == nil {
			return err
		}
	}
	if l.torn {
		line = append([]byte{'\n'}, line...)
	}
	n, err := l.file.Write(line)
	if err != nil {
		l.torn = l.torn || n > 0
		_ = l.leave()
		return fmt.Errorf("write the audit record: %w", err)
	}
	l.torn = false
	l.since += int64(n)
	return nil
}

// due reports whether it is time to look at the file again, which costs as much as writing a line.
// What others may have written meanwhile is little.
func (l *Log) due() bool {
	return l.since >= l.o.MaxBytes/lookShare || time.Since(l.looked) >= lookEvery
}

// open opens the newest file, or the one after it when that is full, and removes the oldest. No file
// is ever renamed: others may have it open, which some systems do not forgive.
func (l *Log) open() error {
	if err := os.Mkdir(l.o.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return fmt.Errorf("make the audit folder: %w", err)
	}
	numbers, err := list(l.o.Dir)
	if err != nil {
		return err
	}
	number := max(l.number, 1)
	if len(numbers) > 0 {
		number = max(number, numbers[len(numbers)-1])
	}
	for {
		path := filepath.Join(l.o.Dir, name(number))
		info, err := os.Stat(path)
		if err == nil && info.Size() >= l.o.MaxBytes {
			number++
			continue
		}
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("open the audit record: %w", err)
		}
		l.file, l.path, l.number = f, path, number
		l.looked, l.since = time.Now(), 0
		l.torn = l.torn || !wholeLines(f)
		break
	}
	for _, n := range numbers {
		if n <= number-l.o.MaxFiles {
			// One that is still open elsewhere goes the next time.
			_ = os.Remove(filepath.Join(l.o.Dir, name(n)))
		}
	}
	return nil
}

// wholeLines reports whether the file ends with a line end.
func wholeLines(f *os.File) bool {
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return err == nil
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] == '\n'
}

const (
	prefix = "audit-"
	suffix = ".jsonl"
)

func name(number int) string { return fmt.Sprintf("%s%06d%s", prefix, number, suffix) }

// list returns the numbers of the files, ascending.
func list(dir string) ([]int, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("list the audit records: %w", err)
	}
	var numbers []int
	for _, e := range entries {
		digits, ok := strings.CutPrefix(strings.TrimSuffix(e.Name(), suffix), prefix)
		n, err := strconv.Atoi(digits)
		if ok && err == nil && n > 0 && e.Name() == name(n) {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	return numbers, nil
}

func cut(s string) string {
	if len(s) <= maxLabel {
		return s
	}
	n := maxLabel
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
