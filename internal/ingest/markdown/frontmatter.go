package markdown

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/entity"
)

// maxFrontMatter bounds front matter in bytes; what is longer is text.
const maxFrontMatter = 64 << 10

// meta is what front matter says about a note.
type meta struct {
	title                  string
	tags, aliases          []string
	authors, people        []doc.Person
	date, created, updated time.Time
	drawing                bool   // an Excalidraw note, whose text is followed by data
	kept                   string // the lines whose keys mean something to the person only
}

// A frontMatter is the block at the start of a note, without its fences.
type frontMatter struct {
	fence string // "---" or "+++"
	text  string
}

// cutFrontMatter splits text into its front matter and the rest; ok is false when there is none. A
// line --- without a second one is a ruler.
func cutFrontMatter(text string) (fm frontMatter, rest string, ok bool) {
	first, after, found := strings.Cut(text, "\n")
	fm.fence = strings.TrimRight(first, " \t")
	if !found || fm.fence != "---" && fm.fence != "+++" {
		return frontMatter{}, text, false
	}
	window := after[:min(len(after), maxFrontMatter)]
	for at := 0; at < len(window); {
		line, _, more := strings.Cut(window[at:], "\n")
		if !more && len(window) < len(after) {
			break // the line may go on beyond the window
		}
		if l := strings.TrimRight(line, " \t"); l == fm.fence || l == "..." && fm.fence == "---" {
			fm.text = after[:at]
			return fm, after[min(len(after), at+len(line)+1):], true
		}
		at += len(line) + 1
	}
	return frontMatter{}, text, false
}

// readMeta reads front matter; ok is false when it does not parse.
func readMeta(fm frontMatter) (m meta, ok bool) {
	var fields []entry
	var err error
	if fm.fence == "+++" {
		fields, err = parseTOML(fm.text)
	} else {
		fields, err = parseYAML(strings.Split(fm.text, "\n"), 0)
	}
	if err != nil {
		return meta{}, false
	}
	var kept strings.Builder
	for _, f := range fields {
		if !m.take(f) {
			kept.WriteString(strings.TrimRight(f.raw, "\n"))
			kept.WriteByte('\n')
		}
	}
	m.kept = kept.String()
	return m, true
}

// take reads one field and reports whether nothing of it has to stay in the text.
func (m *meta) take(f entry) bool {
	texts := f.value.texts()
	switch k := plainKey(f.key); k {
	case "title":
		if m.title == "" && len(texts) > 0 {
			m.title = plainTitle(texts[0])
		}
		return m.title != "" || len(texts) == 0
	case "tags", "tag", "keywords", "keyword", "categories", "category", "topics", "topic":
		m.tags = append(m.tags, splitTags(f, texts)...)
		return true
	case "aliases", "alias":
		if !f.value.isList && len(texts) == 1 {
			texts = strings.Split(texts[0], ",")
		}
		for _, t := range texts {
			if t = oneLine(t); t != "" {
				m.aliases = append(m.aliases, t)
			}
		}
		return true
	case "author", "authors", "by", "creator":
		m.authors = append(m.authors, readPeople(f.value)...)
		return len(m.authors) > 0 || len(texts) == 0
	case "attendees", "participants", "people", "invitees":
		// The people become entities; the line stays, since nothing else of a note shows them.
		m.people = append(m.people, readPeople(f.value)...)
		return false
	case "organization", "organisation", "organizations", "organisations", "company", "employer":
		for _, t := range texts {
			m.people = append(m.people, doc.Person{Org: oneLine(plainTitle(t))})
		}
		return false
	case "date", "day", "datetime", "published", "publishdate", "pubdate":
		return takeTime(&m.date, texts)
	case "created", "createdat", "createdon", "createdtime", "datecreated", "creationdate", "ctime":
		return takeTime(&m.created, texts)
	case "updated", "updatedat", "modified", "modifiedat", "lastmod", "lastmodified", "lastupdated", "datemodified", "dateupdated", "mtime":
		return takeTime(&m.updated, texts)
	case "excalidrawplugin":
		m.drawing = true
		return true
	default:
		return forMachines(k) || len(texts) == 0 && len(f.value.fields) == 0 || len(texts) == 1 && isSwitch(texts[0])
	}
}

// plainKey returns a key in lower case without what joins its words.
func plainKey(k string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || r == ' ' {
			return -1
		}
		return r
	}, strings.ToLower(k))
}

// forMachines reports whether a key steers a program and says nothing about the note.
func forMachines(k string) bool {
	switch k {
	case "layout", "permalink", "slug", "draft", "publish", "cssclass", "cssclasses", "id", "uid", "uuid", "guid", "weight",
		"toc", "math", "comments", "template", "banner", "bannery", "cover", "image", "thumbnail", "icon", "sticker",
		"kanbanplugin", "excalidrawopenmd", "excalidrawexporttransparent", "obsidianuimode", "obsidianeditingmode",
		"sidebar", "sidebarposition", "sidebarlabel", "navorder", "parentid", "notionid", "hidetitle", "pagination",
		"outputs", "lang", "language", "locale", "dgpublish", "dghome", "linter", "position", "color":
		return true
	}
	return false
}

func isSwitch(t string) bool {
	switch strings.ToLower(t) {
	case "true", "false", "yes", "no", "on", "off":
		return true
	}
	return false
}

// splitTags returns the tags of a field: the items of a list, or one text split at commas, else at
// blanks as Obsidian does.
func splitTags(f entry, texts []string) []string {
	if len(texts) == 0 {
		// "tags: #a #b" is a comment to YAML and two tags to whoever wrote it.
		return entity.Hashtags(f.raw, maxTags)
	}
	if !f.value.isList {
		switch t := texts[0]; {
		case strings.Contains(t, ","):
			texts = strings.Split(t, ",")
		default:
			texts = strings.Fields(t)
		}
	}
	var tags []string
	for _, t := range texts {
		if t = strings.Trim(oneLine(plainTitle(t)), "#, "); t != "" {
			tags = append(tags, t)
		}
	}
	return tags
}

// readPeople reads names: a list or one text, "Alice <a@example.com>", "[[Alice]]" or a map.
func readPeople(v value) []doc.Person {
	if len(v.fields) > 0 {
		var p doc.Person
		for _, f := range v.fields {
			t := strings.Join(f.value.texts(), " ")
			switch plainKey(f.key) {
			case "name":
				p.Name = t
			case "email", "mail":
				p.Email = t
			case "handle", "github", "twitter":
				p.Handle = strings.TrimPrefix(t, "@")
			case "affiliation", "organization", "organisation", "org", "company":
				p.Org = t
			}
		}
		if p == (doc.Person{}) {
			return nil
		}
		return []doc.Person{p}
	}
	if v.isList {
		var out []doc.Person
		for _, it := range v.items {
			out = append(out, readPeople(it)...)
		}
		return out
	}
	var out []doc.Person
	for _, t := range splitNames(v.text) {
		if p, ok := person(t); ok {
			out = append(out, p)
		}
	}
	return out
}

// splitNames splits "A B, C D and E F"; one comma between single words is "Last, First".
func splitNames(s string) []string {
	s = strings.NewReplacer(";", "\n", " and ", "\n", " & ", "\n").Replace(s)
	var out []string
	for l := range strings.SplitSeq(s, "\n") {
		parts := strings.Split(l, ",")
		if len(parts) == 2 && !strings.Contains(strings.TrimSpace(parts[0]), " ") && !strings.Contains(l, "@") {
			out = append(out, l)
			continue
		}
		out = append(out, parts...)
	}
	return out
}

// person reads "Alice Moreau <alice@example.com>", an address, "@alice" or a name.
func person(s string) (doc.Person, bool) {
	s = oneLine(plainTitle(s))
	var p doc.Person
	if name, rest, ok := strings.Cut(s, "<"); ok {
		if addr, _, ok := strings.Cut(rest, ">"); ok && strings.Contains(addr, "@") {
			p.Email, s = strings.TrimSpace(addr), strings.TrimSpace(name)
		}
	}
	switch {
	case strings.HasPrefix(s, "@"):
		p.Handle = s[1:]
	case strings.Contains(s, "@") && p.Email == "":
		p.Email = s
	default:
		p.Name = s
	}
	return p, p != doc.Person{}
}

// takeTime sets t from the first text that is a time; a text that is none stays in the note.
func takeTime(t *time.Time, texts []string) bool {
	for _, s := range texts {
		if v := parseTime(s); !v.IsZero() {
			*t = v
			return true
		}
	}
	return !slices.ContainsFunc(texts, func(s string) bool { return !noSuchDay(s) })
}

// noSuchDay reports whether a text has the form of a date, which tells nobody anything when it is none.
func noSuchDay(s string) bool {
	y, rest, _ := strings.Cut(strings.TrimSpace(s), "-")
	m, d, ok := strings.Cut(rest, "-")
	number := func(s string, most int) bool {
		return s != "" && len(s) <= most && strings.Trim(s, "0123456789") == ""
	}
	return ok && len(y) == 4 && number(y, 4) && number(m, 2) && number(d, 2)
}

// parseTOML reads TOML front matter; its fields come in the order of their names.
func parseTOML(text string) ([]entry, error) {
	var m map[string]any
	if err := toml.Unmarshal([]byte(text), &m); err != nil {
		return nil, fmt.Errorf("read front matter: %w", err)
	}
	return tomlFields(m, 0), nil
}

func tomlFields(m map[string]any, depth int) []entry {
	var out []entry
	for k, v := range m {
		// Hugo keeps tags and categories in a table of their own.
		if sub, ok := v.(map[string]any); ok && (k == "taxonomies" || k == "extra") && depth == 0 {
			out = append(out, tomlFields(sub, 1)...)
			continue
		}
		e := entry{key: k, value: tomlValue(v, depth)}
		e.raw = k + ": " + strings.Join(e.value.texts(), ", ")
		out = append(out, e)
	}
	slices.SortFunc(out, func(a, b entry) int { return cmp.Or(strings.Compare(a.key, b.key), strings.Compare(a.raw, b.raw)) })
	return out
}

func tomlValue(v any, depth int) value {
	switch v := v.(type) {
	case string:
		return value{text: v}
	case []any:
		out := value{isList: true}
		for _, it := range v {
			if depth < maxDepth {
				out.items = append(out.items, tomlValue(it, depth+1))
			}
		}
		return out
	case map[string]any:
		if depth >= maxDepth {
			return value{}
		}
		out := value{fields: tomlFields(v, depth+1)}
		var words []string
		for _, f := range out.fields {
			words = append(words, f.raw)
		}
		out.text = strings.Join(words, "; ")
		return out
	case time.Time:
		return value{text: v.Format(time.RFC3339)}
	}
	return value{text: fmt.Sprint(v)}
}
