package doc

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
)

// InMemory returns a file whose bytes are at hand.
func InMemory(b []byte) File { return memory{bytes.NewReader(b)} }

type memory struct{ *bytes.Reader }

func (memory) Close() error { return nil }

// NotOpened is the report for an input that does not open, without the path that err may name.
func NotOpened(err error) Report {
	reason := "it cannot be opened"
	switch {
	case errors.Is(err, fs.ErrPermission):
		reason = "there is no permission to open it"
	case errors.Is(err, fs.ErrNotExist):
		reason = "it is no longer there"
	}
	return Report{Outcome: Failed, Reason: reason}
}

// FileTitle is the name of a file without its ending, for a document that has no title of its own.
func FileTitle(rel string) string {
	name := path.Base(rel)
	if ext := path.Ext(name); ext != "" && len(ext) < len(name) && len(ext) <= 5 {
		name = strings.TrimSuffix(name, ext)
	}
	return name
}

// Part makes d, a document of a whole file, the one with that number of those that the file is split
// into; ref is where it begins. The first stands for the file.
func (d *Document) Part(number int, ref string) {
	if number < 2 {
		return
	}
	d.Key = fmt.Sprintf("%s#part%d", d.Key, number)
	d.SourceRef = ref
	d.Title = fmt.Sprintf("%s (part %d)", d.Title, number)
}
