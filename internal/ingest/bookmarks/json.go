package bookmarks

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/openhuman/openhuman-core/internal/charset"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/entries"
	"github.com/openhuman/openhuman-core/internal/jsonstream"
)

// A folder is one of a tree; its number is that of its beginning in the file.
type folder struct {
	name string
	tags bool // Firefox keeps tags as folders, in which bookmarks stand a second time
}

// A treeReader walks through a tree of bookmarks. Chrome writes a folder's name behind all that is in it,
// so that the tree is walked through twice.
type treeReader struct {
	ctx     context.Context
	dec     *jsonstream.Decoder
	w       *entries.Writer // nil while the names are gathered
	folders []folder
	next    int   // the number of the next folder
	path    []int // those that are open
	nodes   int
}

// errDeep ends the walk through a tree that nobody has made.
var errDeep = errors.New("too many folders inside each other")

// readJSON reads a tree as Chrome or Firefox keeps it.
func readJSON(ctx context.Context, in *doc.Input, f io.Reader, w *entries.Writer) error {
	names := treeReader{ctx: ctx, dec: jsonstream.New(f, maxValue)}
	_ = names.top() // what is wrong is told the second time
	if err := ctx.Err(); err != nil {
		return err
	}
	again, err := in.Open()
	if err != nil {
		w.Unseen("it cannot be read again")
		return nil
	}
	defer again.Close()
	all := treeReader{ctx: ctx, dec: jsonstream.New(again, maxValue), w: w, folders: names.folders}
	err = all.top()
	var own *emitError
	switch {
	case errors.As(err, &own):
		return own.error
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errDeep):
		w.Unseen("it has more than %d folders inside each other", maxDepth)
	case err != nil && !errors.Is(err, io.EOF):
		w.Unseen("it is damaged or cut off after %d bookmarks", w.Emitted())
	}
	return nil
}

// An emitError is an error of Emit on its way through the tree.
type emitError struct{ error }

func (e *emitError) Unwrap() error { return e.error }

// top reads the object of the file.
func (t *treeReader) top() error {
	return t.node(func(key string) (bool, error) {
		if key != "roots" { // Chrome
			return false, nil
		}
		return true, t.dec.Object(func(string) error {
			c, err := t.dec.Kind()
			if err != nil || c != '{' {
				return err
			}
			return t.node(nil)
		})
	})
}

// node reads a folder or a bookmark; special reads a member in another way.
func (t *treeReader) node(special func(key string) (bool, error)) error {
	if t.nodes++; t.nodes%256 == 0 {
		if err := t.ctx.Err(); err != nil {
			return err
		}
	}
	var b bookmark
	var f folder
	number := -1
	err := t.dec.Object(func(key string) error {
		if special != nil {
			if ok, err := special(key); ok {
				return err
			}
		}
		switch key {
		case "children":
			if len(t.path) >= maxDepth {
				return errDeep
			}
			number = t.next
			t.next++
			t.path = append(t.path, number)
			err := t.dec.Array(func() error {
				c, err := t.dec.Kind()
				if err != nil || c != '{' {
					return err
				}
				return t.node(nil)
			})
			t.path = t.path[:len(t.path)-1]
			return err
		case "name", "title":
			return t.string(&b.title)
		case "url", "uri":
			return t.string(&b.url)
		case "guid":
			return t.string(&b.id)
		case "keyword":
			return t.string(&b.keyword)
		case "root":
			var s string
			err := t.string(&s)
			f.tags = f.tags || s == "tagsFolder"
			return err
		case "tags":
			var s string
			err := t.string(&s)
			b.tags = tagged(s)
			return err
		case "date_added", "dateAdded":
			var raw json.RawMessage
			err := jsonstream.Passed(t.dec.Value(&raw))
			if n, bad := strconv.ParseInt(strings.Trim(string(raw), `"`), 10, 64); bad == nil {
				b.made = made(n)
			}
			return err
		case "annos":
			return t.dec.Array(func() error {
				var a struct{ Name, Value string }
				err := jsonstream.Passed(jsonstream.Soft(t.dec.Value(&a)))
				if a.Name == "bookmarkProperties/description" {
					b.text, _ = charset.Decode([]byte(a.Value), "utf-8")
				}
				return err
			})
		}
		return nil
	})
	switch {
	case number >= 0 && t.w == nil:
		f.name = shown(b.id, entries.Clip(entries.OneLine(b.title), maxName))
		f.tags = f.tags || b.id == "tags________"
		for len(t.folders) <= number && len(t.folders) < maxFolders {
			t.folders = append(t.folders, folder{})
		}
		if number < len(t.folders) {
			t.folders[number] = f
		}
	case number < 0 && t.w != nil && b.url != "" && (err == nil || !errors.Is(err, io.EOF)):
		if bad := t.bookmark(&b); bad != nil {
			return bad
		}
	}
	return err
}

// bookmark emits one.
func (t *treeReader) bookmark(b *bookmark) error {
	for _, n := range t.path {
		if n >= len(t.folders) {
			continue
		}
		if t.folders[n].tags {
			return nil
		}
		if name := t.folders[n].name; name != "" {
			b.folders = append(b.folders, name)
		}
	}
	place := b.id
	if place == "" {
		place = strconv.Itoa(t.nodes)
	}
	if err := t.w.Add(b.entry(entries.Clip(entries.OneLine(place), maxName))); err != nil {
		return &emitError{err}
	}
	return nil
}

// shown is what Firefox calls its own folders.
func shown(id, name string) string {
	switch id {
	case "root________":
		return ""
	case "menu________":
		return "Bookmarks Menu"
	case "toolbar_____":
		return "Bookmarks Toolbar"
	case "unfiled_____":
		return "Other Bookmarks"
	case "mobile______":
		return "Mobile Bookmarks"
	}
	return name
}

// string reads a text; a value of another kind is passed over.
func (t *treeReader) string(to *string) error {
	var s string
	err := jsonstream.Passed(jsonstream.Soft(t.dec.Value(&s)))
	*to, _ = charset.Decode([]byte(s), "utf-8")
	return err
}
