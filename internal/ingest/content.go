package ingest

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/openhuman/openhuman-core/internal/charset"
)

// lookVersion is raised whenever another choice is made of what is taken in, so that every file is
// looked at again.
const lookVersion = 2

// notYet is the end of the reason for a kind that a later version takes in.
const notYet = " is not taken in yet"

// notTaken names the kind of a file that reads as text and is none that people wrote as it stands:
// markup, and the formats of programs. It is "" for everything else, source code too. Markdown may
// begin with markup, so that there only what begins a whole page counts.
func notTaken(name string, head []byte) string {
	text := string(head)
	if bytes.HasPrefix(head, []byte("\xff\xfe")) || bytes.HasPrefix(head, []byte("\xfe\xff")) {
		text, _ = charset.Decode(head[:min(len(head), 8<<10)&^1], "")
	}
	text = strings.TrimLeft(strings.TrimPrefix(text, "\ufeff"), " \t\r\n")
	start := strings.ToLower(text[:min(len(text), 64)])
	ext := strings.ToLower(path.Ext(name))
	begins := func(marks ...string) bool {
		for _, m := range marks {
			if strings.HasPrefix(start, m) {
				return true
			}
		}
		return false
	}
	switch {
	case begins("%!ps"):
		return "a PostScript file"
	}
	switch ext {
	case ".md", ".markdown", ".mdown", ".mkd", ".mkdn", ".mdx", ".mdwn", ".qmd", ".rmd":
		return ""
	}
	switch {
	case begins("<?xml"), begins("<svg", "<!doctype"):
		return "an XML file"
	case begins("<") && (ext == ".xml" || ext == ".opml" || ext == ".rss" || ext == ".plist" || ext == ".svg" || ext == ".enex"):
		return "an XML file"
	case begins("{", "[") && isJSON(ext, text):
		return "a JSON file"
	}
	return ""
}

// isJSON reports whether text, which begins with a bracket, is JSON: where the name says so, and
// where an object with quoted names is valid as far as it is at hand.
func isJSON(ext, text string) bool {
	switch ext {
	case ".json", ".jsonl", ".ndjson", ".geojson", ".ipynb", ".webmanifest", ".map", ".har":
		return true
	}
	object := strings.TrimLeft(strings.TrimPrefix(text, "["), " \t\r\n")
	if !strings.HasPrefix(object, "{") || !strings.HasPrefix(strings.TrimLeft(object[1:], " \t\r\n"), `"`) {
		return false
	}
	dec := json.NewDecoder(strings.NewReader(text))
	for {
		if _, err := dec.Token(); err != nil {
			return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
		}
	}
}
