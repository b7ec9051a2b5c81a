package store

import (
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// dsn returns the name by which the driver opens path. Only the file: form makes SQLite heed
// mode=ro; a plain path with ?mode=ro would be opened for writing.
func dsn(path, params string) string {
	p := filepath.ToSlash(path)
	if !strings.HasPrefix(p, "/") {
		p = "/" + p // C:/x becomes file:///C:/x
	}
	return "file://" + (&url.URL{Path: p}).EscapedPath() + "?" + params
}

func millis(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
