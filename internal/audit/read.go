package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// maxLine bounds a line that is read: those that are written are far shorter.
const maxLine = 64 << 10

// Read hands every record of a folder to each, the oldest first, until each returns false. damaged is
// how many lines are no records.
func Read(dir string, each func(Record) bool) (damaged int, err error) {
	numbers, err := list(dir)
	if err != nil {
		return 0, err
	}
	for _, n := range numbers {
		bad, more, err := readFile(filepath.Join(dir, name(n)), each)
		damaged += bad
		if err != nil || !more {
			return damaged, err
		}
	}
	return damaged, nil
}

func readFile(path string, each func(Record) bool) (damaged int, more bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) { // removed since it was listed
		return 0, true, nil
	}
	if err != nil {
		return 0, false, fmt.Errorf("open an audit record: %w", err)
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, maxLine)
	long := false // inside a line that is too long
	for {
		line, err := r.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if !long {
				damaged++
			}
			long = true
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return damaged, false, fmt.Errorf("read an audit record: %w", err)
		}
		if text := bytes.TrimSpace(line); len(text) > 0 && !long {
			var rec Record
			switch {
			case json.Unmarshal(text, &rec) == nil && !rec.Time.IsZero():
				if !each(rec) {
					return damaged, false, nil
				}
			case err == nil: // and not the line that is being written
				damaged++
			}
		}
		long = false
		if err != nil {
			return damaged, true, nil
		}
	}
}
