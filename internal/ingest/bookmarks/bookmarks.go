// Package bookmarks reads the bookmarks of browsers: the HTML file that all of them export, the file
// Bookmarks of Chrome and its kin, and the JSON backup of Firefox. Each bookmark becomes a document with
// its folders, tags and description, dated when it was made. Bookmarks that run a script or ask the browser
// something are left out. Nothing is fetched.
//
// Limits: 64 folders inside each other, 4 MiB of one element of HTML, 256 KiB of one value of JSON.
package bookmarks

import (
	"bytes"
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/entries"
)

// Limits of the product.
const (
	maxDepth   = 64
	maxElement = 4 << 20
	maxValue   = 256 << 10
	maxText    = 64 << 10
	maxURL     = 4 << 10
	maxName    = 200
	maxFolders = 100_000
)

// Reader reads bookmarks. It implements doc.Reader; the zero value is ready for use.
type Reader struct{}

var _ doc.Reader = Reader{}

// Name implements doc.Reader.
func (Reader) Name() string { return "bookmarks" }

// Version implements doc.Reader.
func (Reader) Version() int { return 1 }

// Detect implements doc.Reader: the first lines are those of such a file.
func (Reader) Detect(in *doc.Input) int {
	if kind(in.Head) != none {
		return 97
	}
	return 0
}

type format int

const (
	none format = iota
	page
	object
)

// kind tells the format by the beginning of a file.
func kind(head []byte) format {
	b := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	b = b[:min(len(b), 2048)]
	const mark = "<!doctype netscape-bookmark"
	switch {
	case len(b) > len(mark) && strings.EqualFold(string(b[:len(mark)]), mark):
		return page
	case !bytes.HasPrefix(b, []byte("{")):
	case bytes.Contains(b, []byte(`"roots"`)) && bytes.Contains(b, []byte(`"bookmark_bar"`)):
		return object
	case bytes.Contains(b, []byte(`"placesRoot"`)), bytes.Contains(b, []byte(`"root________"`)):
		return object
	}
	return none
}

// Read implements doc.Reader.
func (Reader) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	if err := ctx.Err(); err != nil {
		return doc.Report{}, err
	}
	f, err := in.Open()
	if err != nil {
		return doc.NotOpened(err), nil
	}
	defer f.Close()
	w := entries.New(ctx, in, "bookmarks", emit)
	if kind(in.Head) == object {
		err = readJSON(ctx, in, f, w)
	} else {
		err = readPage(ctx, in, f, w)
	}
	if err != nil {
		return doc.Report{}, err
	}
	return w.Report(), nil
}

// A bookmark is one as it is read.
type bookmark struct {
	id, title, url, text, keyword string
	tags                          []string
	folders                       []string
	made                          time.Time
}

// entry returns the document, one without a body when the bookmark leads nowhere.
func (b *bookmark) entry(place string) entries.Entry {
	u := entries.OneLine(b.url)
	parsed, err := url.Parse(u)
	if err != nil || !leads(strings.ToLower(parsed.Scheme)) {
		return entries.Entry{}
	}
	d := doc.Document{Title: entries.OneLine(b.title), Time: b.made, Tags: b.tags}
	if d.Title == "" {
		d.Title = strings.TrimPrefix(parsed.Hostname(), "www.")
	}
	if d.Title == "" {
		d.Title = u
	}
	var out strings.Builder
	line := func(label, v string) {
		if v != "" {
			out.WriteString(label + v + "\n")
		}
	}
	line("Bookmark: ", d.Title)
	line("", entries.Clip(u, maxURL))
	line("Folder: ", strings.Join(b.folders, " › "))
	line("Tags: ", strings.Join(b.tags, ", "))
	line("Keyword: ", entries.OneLine(b.keyword))
	if t := strings.TrimSpace(entries.Clip(b.text, maxText)); t != "" {
		out.WriteString("\n" + t + "\n")
	}
	d.Body = out.String()
	name := b.id
	if name == "" {
		name = u
	}
	return entries.Entry{Name: name, Place: place, Doc: d}
}

// leads reports whether addresses of that scheme lead somewhere.
func leads(scheme string) bool {
	switch scheme {
	case "", "javascript", "place", "data", "about", "chrome", "edge", "brave", "vivaldi", "opera", "moz-extension", "chrome-extension", "blob", "view-source":
		return false
	}
	return true
}

// tagged splits tags at commas.
func tagged(s string) []string {
	var out []string
	for t := range strings.SplitSeq(s, ",") {
		if t = entries.Clip(entries.OneLine(t), maxName); t != "" && !slices.Contains(out, t) && len(out) < maxDepth {
			out = append(out, t)
		}
	}
	return out
}

// made reads a number of seconds, milliseconds or microseconds since 1970, or of microseconds since 1601
// as Chrome has it: the sizes do not overlap for centuries. It is zero when it is none of these.
func made(n int64) time.Time {
	var t time.Time
	switch {
	case n > 1e16:
		t = time.UnixMicro(n - 11_644_473_600_000_000)
	case n > 1e14:
		t = time.UnixMicro(n)
	case n > 1e11:
		t = time.UnixMilli(n)
	case n > 0:
		t = time.Unix(n, 0)
	}
	// Browsers are younger than this.
	if t.Year() < 1990 || t.Year() > 2200 {
		return time.Time{}
	}
	return t.UTC()
}
