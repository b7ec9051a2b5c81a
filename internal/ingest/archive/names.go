package archive

import (
	"path"
	"strings"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/internal/charset"
)

// maxName bounds the name of an entry.
const maxName = 4096

// clean returns the name of an entry below the archive, "" for the archive itself; refused says why it
// is none.
func clean(name string) (cleaned, refused string) {
	for strings.HasPrefix(name, "./") {
		name = strings.TrimLeft(name[2:], "/")
	}
	switch {
	case len(name) > maxName:
		return "", "its name is too long"
	case strings.ContainsRune(name, 0):
		return "", "its name is damaged"
	case strings.HasPrefix(name, "/"), len(name) > 1 && name[1] == ':' && (name[0]|32) >= 'a' && (name[0]|32) <= 'z' && (len(name) == 2 || name[2] == '/' || name[2] == '\\'):
		return "", "its path is absolute, and leads out of the archive"
	}
	for part := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '/' || r == '\\' }) {
		if part == ".." {
			return "", "its path leads out of the archive"
		}
	}
	if name = path.Clean("/" + name)[1:]; name == "" {
		return "", ""
	}
	return name, ""
}

// shown is the name of a refused entry, which may be anything.
func shown(name string) string {
	if len(name) > maxName {
		name = name[:maxName]
	}
	return strings.ReplaceAll(strings.ToValidUTF8(name, "\uFFFD"), "\x00", "\uFFFD")
}

// decode turns names that are not in UTF-8 into it, in place. The charset is guessed over all of them,
// since one name says little.
func decode(names []string) {
	var raw []string
	var at []int
	for i, n := range names {
		if !utf8.ValidString(n) {
			raw, at = append(raw, n), append(at, i)
		}
	}
	if len(raw) == 0 {
		return
	}
	text, _ := charset.Decode([]byte(strings.Join(raw, "\n")), "")
	if lines := strings.Split(text, "\n"); len(lines) == len(raw) {
		for i, l := range lines {
			names[at[i]] = l
		}
	}
}
