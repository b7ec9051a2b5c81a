package web

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// Bounds on what is gathered of one page.
const (
	maxTags    = 50
	maxAuthors = 20
	maxText    = 300     // bytes of a title or a name
	maxLinked  = 1 << 20 // bytes of one script of linked data
	maxDepth   = 20      // of linked data
)

// meta is what a page says about itself.
type meta struct {
	title, url          string
	authors             []doc.Person
	tags                []string
	published, modified time.Time
	shown               time.Time // the first time element
}

// time returns when the page was written.
func (m *meta) time() time.Time {
	for _, t := range []time.Time{m.published, m.shown, m.modified} {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}

// readMeta gathers what the elements meta, link and time and linked data (JSON-LD) say.
func readMeta(src []byte) *meta {
	m := &meta{}
	z := html.NewTokenizer(bytes.NewReader(src))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return m
		case html.CommentToken:
			// Browsers write where they saved a page from.
			if t := string(z.Text()); m.url == "" && strings.Contains(t[:min(len(t), 40)], "saved from url=(") {
				if _, at, ok := strings.Cut(t, ")"); ok {
					m.address(at)
				}
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			name, more := z.TagName()
			tag := atom.Lookup(name)
			switch tag {
			case atom.Meta, atom.Link, atom.Time, atom.Script:
			default:
				continue
			}
			attr := map[string]string{}
			for more {
				var k, v []byte
				k, v, more = z.TagAttr()
				if len(attr) < 20 {
					attr[string(k)] = string(v)
				}
			}
			switch tag {
			case atom.Meta:
				m.property(attr)
			case atom.Link:
				if strings.EqualFold(attr["rel"], "canonical") {
					m.address(attr["href"])
				}
			case atom.Time:
				if m.shown.IsZero() {
					m.shown = parseTime(attr["datetime"])
				}
			case atom.Script:
				if strings.EqualFold(attr["type"], "application/ld+json") && z.Next() == html.TextToken {
					m.linked(z.Text())
				}
			}
		}
	}
}

// property takes one meta element.
func (m *meta) property(attr map[string]string) {
	v := oneLine(attr["content"])
	if v == "" {
		return
	}
	for _, key := range []string{attr["name"], attr["property"], attr["itemprop"]} {
		switch strings.ToLower(key) {
		case "og:title", "dc.title", "citation_title":
			set(&m.title, clip(v))
		case "author", "article:author", "dc.creator", "dcterms.creator", "parsely-author", "sailthru.author", "citation_author":
			m.author(v)
		case "article:published_time", "date", "dc.date", "dc.date.issued", "dcterms.date", "dcterms.created", "dcterms.issued", "pubdate",
			"publishdate", "datepublished", "parsely-pub-date", "sailthru.date", "citation_publication_date", "created":
			setTime(&m.published, v)
		case "article:modified_time", "og:updated_time", "last-modified", "dcterms.modified", "datemodified", "revised", "changed":
			setTime(&m.modified, v)
		case "og:url":
			m.address(v)
		case "keywords", "news_keywords", "article:tag":
			for t := range strings.SplitSeq(v, ",") {
				m.tag(t)
			}
		}
	}
}

func (m *meta) address(s string) {
	s = strings.TrimSpace(s)
	if m.url == "" && len(s) <= 500 && (strings.HasPrefix(s, "https://") || strings.HasPrefix(s, "http://")) && !strings.ContainsAny(s, " \t\r\n<>\"") {
		m.url = s
	}
}

func (m *meta) author(s string) {
	s = clip(strings.TrimPrefix(oneLine(s), "By "))
	if s == "" || strings.Contains(s, "://") || strings.HasPrefix(s, "@") && len(m.authors) > 0 {
		return
	}
	p := doc.Person{Name: s}
	if name, rest, ok := strings.Cut(s, "<"); ok {
		if addr, _, ok := strings.Cut(rest, ">"); ok && strings.Contains(addr, "@") {
			p = doc.Person{Name: strings.TrimSpace(name), Email: addr}
		}
	}
	for _, have := range m.authors {
		if strings.EqualFold(have.Name, p.Name) {
			return
		}
	}
	if len(m.authors) < maxAuthors {
		m.authors = append(m.authors, p)
	}
}

func (m *meta) tag(s string) {
	s = oneLine(s)
	if s == "" || len(s) > 60 || len(m.tags) >= maxTags {
		return
	}
	for _, have := range m.tags {
		if strings.EqualFold(have, s) {
			return
		}
	}
	m.tags = append(m.tags, s)
}

// linked reads linked data in JSON, as pages carry it for search engines.
func (m *meta) linked(b []byte) {
	var v any
	if len(b) > maxLinked || json.Unmarshal(b, &v) != nil {
		return
	}
	m.walk(v, 0)
}

func (m *meta) walk(v any, depth int) {
	if depth > maxDepth {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, it := range v {
			m.walk(it, depth+1)
		}
	case map[string]any:
		if g, ok := v["@graph"]; ok {
			m.walk(g, depth+1)
		}
		if !written(v["@type"]) {
			return
		}
		if s, ok := v["headline"].(string); ok {
			set(&m.title, clip(oneLine(s)))
		}
		for key, t := range map[string]*time.Time{"datePublished": &m.published, "dateModified": &m.modified} {
			if s, ok := v[key].(string); ok {
				setTime(t, s)
			}
		}
		m.named(v["author"], depth)
	}
}

// written reports whether a type of linked data is one that somebody writes.
func written(t any) bool {
	switch t := t.(type) {
	case string:
		return strings.HasSuffix(t, "Article") || strings.HasSuffix(t, "Posting") || t == "WebPage" || t == "Report" || t == "Recipe" || t == "Review" || t == "CreativeWork"
	case []any:
		for _, it := range t {
			if s, ok := it.(string); ok && written(s) {
				return true
			}
		}
	}
	return false
}

// named takes the author of linked data: a name, somebody with a name, or a list of these.
func (m *meta) named(v any, depth int) {
	switch v := v.(type) {
	case string:
		m.author(v)
	case []any:
		for _, it := range v {
			if depth < maxDepth {
				m.named(it, depth+1)
			}
		}
	case map[string]any:
		if s, ok := v["name"].(string); ok {
			m.author(s)
		}
	}
}

func set(to *string, v string) {
	if *to == "" {
		*to = v
	}
}

func setTime(to *time.Time, v string) {
	if to.IsZero() {
		*to = parseTime(v)
	}
}

// parseTime reads a time as pages write it; the zero time when it is none. A time without a zone is
// taken as UTC, so that a page has the same time on every machine.
func parseTime(s string) time.Time {
	s = strings.TrimSpace(s)
	if len(s) > 60 {
		return time.Time{}
	}
	for _, l := range []string{
		time.RFC3339, "2006-01-02", "2006-01-02T15:04:05", "2006-01-02T15:04", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02T15:04:05-0700",
		"2006-01-02T15:04:05.000-0700", "2006-01-02T15:04Z07:00", "2006-01-02 15:04:05 -0700", "2006/01/02", "2006/1/2", "20060102", "2006-01", "2006-1-2",
		time.RFC1123, time.RFC1123Z, "January 2, 2006", "Jan 2, 2006", "2 January 2006", "2 Jan 2006", "02.01.2006",
	} {
		if t, err := time.Parse(l, s); err == nil {
			if y := t.Year(); y < 1900 || y > 2100 {
				return time.Time{}
			}
			return t.UTC()
		}
	}
	return time.Time{}
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func clip(s string) string {
	if len(s) > maxText {
		s = strings.ToValidUTF8(s[:maxText], "")
	}
	return s
}
