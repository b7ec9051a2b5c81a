package searxng

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/pkg/controller"
)

// What of a row is served at most.
const (
	maxTitle   = 300 // runes
	maxSnippet = controller.MaxPreviewRunes
	maxSource  = 60
	maxURL     = 2000 // bytes; a longer address cannot be shortened
	// maxSilent is how many engines that did not answer are named.
	maxSilent = 5
)

// isPage reports whether an answer is a web page.
func isPage(contentType string, body []byte) bool {
	if kind, _, err := mime.ParseMediaType(contentType); err == nil && strings.HasSuffix(kind, "json") {
		return false
	}
	return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<"))
}

// parse reads an answer. Engines disagree about the types of nearly everything, so that each member
// is taken for what it is, and rows without an address are passed over.
func parse(body []byte, most int) (controller.WebAnswer, error) {
	var a controller.WebAnswer
	if len(bytes.TrimSpace(body)) == 0 {
		return a, errors.New("it is empty")
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(body, &members); err != nil {
		return a, errors.New("it is not a JSON object")
	}
	raw, ok := members["results"]
	if !ok {
		return a, errors.New("it holds no results")
	}
	var rows []json.RawMessage
	if err := json.Unmarshal(raw, &rows); err != nil {
		return a, errors.New("its results are not a list")
	}
	seen, unusable := map[string]bool{}, 0
	for _, raw := range rows {
		r, ok := row(raw)
		if !ok {
			unusable++
		}
		if !ok || seen[r.URL] {
			continue
		}
		seen[r.URL] = true
		if a.Results = append(a.Results, r); len(a.Results) == most {
			break
		}
	}
	if len(a.Results) == 0 {
		if names := silent(members["unresponsive_engines"]); len(names) > 0 {
			a.Note = fmt.Sprintf("Nothing was found, and these engines of the instance did not answer: %s. Try again later.", strings.Join(names, ", "))
		} else if unusable > 0 {
			a.Note = fmt.Sprintf("The engines found %d pages, none of them with an address of http or https that can be shown.", unusable)
		}
	}
	return a, nil
}

func row(raw json.RawMessage) (controller.WebResult, bool) {
	var m map[string]any
	if json.Unmarshal(raw, &m) != nil {
		return controller.WebResult{}, false
	}
	address, _ := m["url"].(string)
	address = strings.TrimSpace(address)
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" || len(address) > maxURL || !utf8.ValidString(address) {
		return controller.WebResult{}, false
	}
	r := controller.WebResult{URL: address, Title: line(m["title"], maxTitle), Snippet: line(m["content"], maxSnippet), Source: line(m["engine"], maxSource)}
	if r.Source == "" {
		r.Source = line(m["engines"], maxSource)
	}
	if r.Title == "" {
		r.Title = u.Host
	}
	return r, true
}

// silent names the engines that did not answer: pairs of a name and a reason, or names alone.
func silent(raw json.RawMessage) (names []string) {
	var list []any
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	for _, e := range list {
		if len(names) == maxSilent {
			break
		}
		name := line(e, maxSource)
		if pair, ok := e.([]any); ok && len(pair) > 1 {
			if name = line(pair[0], maxSource); name != "" {
				if why := line(pair[1], maxSource); why != "" {
					name += " (" + why + ")"
				}
			}
		}
		if name != "" {
			names = append(names, name)
		}
	}
	return names
}

// line returns what a member says as one line of at most n runes: a text, a number, or the first of a
// list of these.
func line(v any, n int) string {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case float64:
		s = strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		if len(v) > 0 {
			if _, nested := v[0].([]any); !nested {
				return line(v[0], n)
			}
		}
	}
	s = strings.Join(strings.FieldsFunc(s, unicode.IsSpace), " ")
	if runes := []rune(s); len(runes) > n {
		s = strings.TrimRight(string(runes[:n-1]), " ") + "…"
	}
	return s
}
