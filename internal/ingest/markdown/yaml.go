package markdown

import (
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What front matter is written in is a small part of YAML: keys with plain, quoted or block text,
// lists in both forms, and maps. Anchors, tags and documents in a stream are not read; what does not
// parse stays part of the text, so nothing is lost by being strict.

var errYAML = errors.New("not the part of YAML that front matter is written in")

// maxDepth bounds lists and maps inside each other.
const maxDepth = 8

// A value is a text, a list or a map.
type value struct {
	text   string
	items  []value
	fields []entry
	isList bool
}

// An entry is one key of a map with the lines it was written on.
type entry struct {
	key   string
	value value
	raw   string
}

// texts returns the texts of a list, or the one text; lists inside lists count as one.
func (v value) texts() []string {
	var out []string
	if v.isList {
		for _, it := range v.items {
			out = append(out, it.texts()...)
		}
		return out
	}
	if v.text != "" {
		out = append(out, v.text)
	}
	return out
}

// parseYAML reads the lines of a map.
func parseYAML(lines []string, depth int) ([]entry, error) {
	if depth > maxDepth {
		return nil, errYAML
	}
	var out []entry
	for i := 0; i < len(lines); {
		line := lines[i]
		if blank(line) || line[0] == '#' {
			i++
			continue
		}
		key, rest, ok := cutKey(line)
		if !ok {
			return nil, errYAML
		}
		// The value goes on over indented lines, over list items right below the key, and to the end
		// of an open bracket or quotation.
		j := i + 1
		for j < len(lines) {
			l := lines[j]
			if blank(l) || l[0] == ' ' || l[0] == '\t' || isItem(l) && noValue(rest) || open(rest, lines[i+1:j]) {
				j++
				continue
			}
			break
		}
		for j > i+1 && blank(lines[j-1]) {
			j--
		}
		v, err := parseValue(rest, lines[i+1:j], depth)
		if err != nil {
			return nil, err
		}
		out = append(out, entry{key: key, value: v, raw: strings.Join(lines[i:j], "\n")})
		i = j
	}
	return out, nil
}

func blank(s string) bool { return strings.TrimSpace(s) == "" }

func isItem(s string) bool { return s == "-" || strings.HasPrefix(s, "- ") }

// noValue reports whether nothing but a comment stands behind a key.
func noValue(rest string) bool {
	rest = strings.TrimSpace(rest)
	return rest == "" || rest[0] == '#'
}

// open reports whether a bracket or quotation that begins rest is still open after more lines.
func open(rest string, more []string) bool {
	rest = strings.TrimSpace(rest)
	if rest == "" || len(more) > 200 {
		return false
	}
	switch rest[0] {
	case '[', '{', '"', '\'':
		_, _, ok := cutFlow(strings.Join(append([]string{rest}, more...), "\n"))
		return !ok
	}
	return false
}

// cutKey splits "key: value"; the key may be quoted.
func cutKey(line string) (key, rest string, ok bool) {
	if line == "" || line[0] == ' ' || line[0] == '\t' || isItem(line) {
		return "", "", false
	}
	if line[0] == '"' || line[0] == '\'' {
		q, after, ok := cutFlow(line)
		if !ok || !strings.HasPrefix(after, ":") {
			return "", "", false
		}
		return unquote(q), after[1:], true
	}
	for i := 0; i < len(line); i++ {
		if line[i] == ':' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
			key = strings.TrimSpace(line[:i])
			// A sentence with a colon in it is no key, and no key begins like a value.
			if key == "" || len(key) > 100 || strings.ContainsAny(key[:1], "[]{}>|*&!%@`#") {
				return "", "", false
			}
			return key, line[i+1:], true
		}
	}
	return "", "", false
}

// parseValue reads what stands behind a key or a dash and on the lines below it.
func parseValue(rest string, below []string, depth int) (value, error) {
	if depth > maxDepth {
		return value{}, errYAML
	}
	rest = strings.TrimSpace(rest)
	if noValue(rest) {
		return parseBelow(below, depth)
	}
	switch rest[0] {
	case '[':
		return parseFlowList(strings.Join(append([]string{rest}, below...), "\n"), depth)
	case '"', '\'':
		all := strings.Join(append([]string{rest}, below...), "\n")
		q, after, ok := cutFlow(all)
		if !ok {
			return value{}, errYAML
		}
		if !noValue(after) {
			return value{text: oneLine(all)}, nil // a text that only begins with a quotation
		}
		return value{text: unquote(q)}, nil
	case '{':
		all := strings.Join(append([]string{rest}, below...), "\n")
		if _, after, ok := cutFlow(all); !ok || !noValue(after) {
			return value{}, errYAML
		}
		return value{text: oneLine(all)}, nil
	case '|', '>':
		if header := strings.TrimSpace(withoutComment(rest[1:])); strings.Trim(header, "+-123456789") == "" {
			return value{text: blockText(below, rest[0] == '>')}, nil
		}
	}
	words := []string{withoutComment(rest)}
	for _, l := range below {
		words = append(words, withoutComment(strings.TrimSpace(l)))
	}
	t := oneLine(strings.Join(words, " "))
	switch t {
	case "~", "null", "Null", "NULL":
		t = ""
	}
	return value{text: t}, nil
}

// parseBelow reads a value that stands on lines of its own.
func parseBelow(lines []string, depth int) (value, error) {
	lines = dedent(lines)
	first := ""
	for _, l := range lines {
		if !blank(l) && l[0] != '#' {
			first = l
			break
		}
	}
	switch {
	case first == "":
		return value{}, nil
	case isItem(first):
		return parseItems(lines, depth)
	}
	if _, _, ok := cutKey(first); ok {
		fields, err := parseYAML(lines, depth+1)
		return value{fields: fields, text: oneLine(strings.Join(lines, " "))}, err
	}
	return parseValue(first, lines[1:], depth+1)
}

// parseItems reads "- a" lines.
func parseItems(lines []string, depth int) (value, error) {
	v := value{isList: true}
	for i := 0; i < len(lines); {
		if blank(lines[i]) || lines[i][0] == '#' {
			i++
			continue
		}
		if !isItem(lines[i]) {
			return value{}, errYAML
		}
		j := i + 1
		for j < len(lines) && (blank(lines[j]) || lines[j][0] == ' ' || lines[j][0] == '\t') {
			j++
		}
		head := strings.TrimPrefix(lines[i][1:], " ")
		below := lines[i+1 : j]
		var item value
		var err error
		if _, _, ok := cutKey(head); ok {
			fields := append([]string{head}, dedent(below)...)
			item.text = oneLine(strings.Join(fields, " "))
			item.fields, err = parseYAML(fields, depth+1)
		} else {
			item, err = parseValue(head, below, depth+1)
		}
		if err != nil {
			return value{}, err
		}
		v.items = append(v.items, item)
		i = j
	}
	return v, nil
}

// dedent takes away the indent that all lines share.
func dedent(lines []string) []string {
	n := -1
	for _, l := range lines {
		if !blank(l) {
			if in := len(l) - len(strings.TrimLeft(l, " \t")); n < 0 || in < n {
				n = in
			}
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		if !blank(l) {
			out[i] = l[n:]
		}
	}
	return out
}

// blockText joins the lines of a block; a folded one has blanks where lines end.
func blockText(lines []string, folded bool) string {
	t := strings.Join(dedent(lines), "\n")
	if !folded {
		return strings.TrimSpace(t)
	}
	paras := strings.Split(strings.TrimSpace(t), "\n\n")
	for i := range paras {
		paras[i] = oneLine(paras[i])
	}
	return strings.Join(paras, "\n")
}

// withoutComment cuts off " # …".
func withoutComment(s string) string {
	for i := 1; i < len(s); i++ {
		if s[i] == '#' && (s[i-1] == ' ' || s[i-1] == '\t') {
			return s[:i-1]
		}
	}
	return s
}

// cutFlow cuts the quotation or bracket at the start of s off; ok is false when it does not end.
func cutFlow(s string) (flow, rest string, ok bool) {
	depth := 0
	for i := 0; i < len(s); {
		switch c := s[i]; c {
		case '"', '\'':
			if depth > 0 && i > 0 && strings.IndexByte("[{,: \n\t", s[i-1]) < 0 {
				i++ // an apostrophe inside a plain word
				continue
			}
			j := i + 1
			for j < len(s) {
				if c == '"' && s[j] == '\\' || c == '\'' && s[j] == c && j+1 < len(s) && s[j+1] == c {
					j += 2 // an escaped character
					continue
				}
				if s[j] == c {
					break
				}
				j++
			}
			if j >= len(s) {
				return "", "", false
			}
			i = j + 1
			if depth == 0 {
				return s[:i], s[i:], true
			}
		case '[', '{':
			depth++
			i++
		case ']', '}':
			depth--
			i++
			if depth <= 0 {
				return s[:i], s[i:], depth == 0
			}
		default:
			if depth == 0 {
				return "", "", false
			}
			i++
		}
	}
	return "", "", false
}

// parseFlowList reads [a, "b, c", [d]].
func parseFlowList(s string, depth int) (value, error) {
	flow, rest, ok := cutFlow(s)
	if !ok || depth > maxDepth {
		return value{}, errYAML
	}
	if !noValue(rest) {
		return value{text: oneLine(s)}, nil // a text that only begins with a bracket: [[Note]] and more
	}
	v := value{isList: true}
	for _, part := range splitFlow(flow[1 : len(flow)-1]) {
		part = strings.TrimSpace(part)
		if part == "" {
			continue
		}
		if part[0] == '#' {
			v.items = append(v.items, value{text: part}) // strictly a comment, meant as a tag
			continue
		}
		item, err := parseValue(part, nil, depth+1)
		if err != nil {
			return value{}, err
		}
		v.items = append(v.items, item)
	}
	return v, nil
}

// splitFlow splits at the commas that stand in no bracket and no quotation.
func splitFlow(s string) []string {
	var parts []string
	start := 0
	for i := 0; i < len(s); {
		switch s[i] {
		case '[', '{', '"', '\'':
			if strings.IndexByte("\"'", s[i]) >= 0 && strings.TrimSpace(s[start:i]) != "" {
				i++
				continue
			}
			f, _, ok := cutFlow(s[i:])
			if !ok {
				return append(parts, s[start:]) // trying every later bracket as well would take for ever
			}
			i += len(f)
		case ',':
			parts = append(parts, s[start:i])
			i++
			start = i
		default:
			i++
		}
	}
	return append(parts, s[start:])
}

// unquote returns the text of a quotation.
func unquote(q string) string {
	if len(q) < 2 {
		return ""
	}
	body := q[1 : len(q)-1]
	if q[0] == '\'' {
		return oneLine(strings.ReplaceAll(body, "''", "'"))
	}
	if strings.IndexByte(body, '\\') < 0 {
		return oneLine(body)
	}
	var b strings.Builder
	for i := 0; i < len(body); i++ {
		if body[i] != '\\' || i+1 == len(body) {
			b.WriteByte(body[i])
			continue
		}
		i++
		switch c := body[i]; c {
		case 'n', 't', 'r', '\n', ' ':
			b.WriteByte(' ')
		case 'x', 'u', 'U':
			digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[c]
			if i+digits < len(body) {
				if n, err := strconv.ParseUint(body[i+1:i+1+digits], 16, 32); err == nil && utf8.ValidRune(rune(n)) && n >= ' ' {
					b.WriteRune(rune(n))
					i += digits
					continue
				}
			}
			b.WriteByte(c)
		default:
			b.WriteByte(c)
		}
	}
	return oneLine(b.String())
}
