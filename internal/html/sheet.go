package html

import (
	"bytes"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxSheet is how much of a document's own styles is read.
	maxSheet = 512 << 10
	// maxPerKey is how many rules are kept for one class, identifier or tag.
	maxPerKey = 32
	// maxClasses is how many classes of one element are looked up.
	maxClasses = 16
)

// A sheet holds what the style elements of a document say of which elements can be seen. Selectors of one
// element are understood, as .a, #b, p and p.a; of all others, and of what holds for some screens only, it is
// kept where they may show something, since text that may be seen is not left out.
type sheet struct {
	rules map[string][]rule // by identifier (#a), first class (.a) or tag
	n     int
}

// A rule is one selector with what it says.
type rule struct {
	tag, id string
	classes []string
	decls   []declaration
	weight  int // how specific the selector is
	order   int
	unsure  bool // it may hold or not
}

type declaration struct {
	name, value string
	important   bool
}

// decides reports whether a property says if an element can be seen.
func decides(name string) bool {
	switch name {
	case "display", "visibility", "mso-hide", "opacity", "max-height", "overflow", "position", "left", "text-indent", "font-size":
		return true
	}
	return false
}

// readSheet reads the style elements of src, nil when they hide nothing.
func readSheet(src []byte) *sheet {
	if !hasStyle(src) {
		return nil
	}
	s := &sheet{rules: map[string][]rule{}}
	left := maxSheet
	for z := html.NewTokenizer(bytes.NewReader(src)); left > 0; {
		t := z.Next()
		if t == html.ErrorToken {
			break
		}
		if t != html.StartTagToken {
			continue
		}
		name, more := z.TagName()
		if atom.Lookup(name) != atom.Style {
			continue
		}
		screen := true
		for more {
			var k, v []byte
			k, v, more = z.TagAttr()
			if string(k) == "media" {
				m := strings.ToLower(strings.TrimSpace(string(v)))
				screen = m == "" || m == "all" || m == "screen"
			}
		}
		if z.Next() == html.TextToken {
			text := z.Text()
			text = text[:min(len(text), left)]
			left -= len(text)
			s.read(stripComments(string(text)), !screen)
		}
	}
	for _, list := range s.rules {
		for _, r := range list {
			if !r.unsure && slices.ContainsFunc(r.decls, func(d declaration) bool { return !d.shows() }) {
				return s
			}
		}
	}
	return nil
}

// hasStyle reports whether there may be a style element.
func hasStyle(src []byte) bool {
	for {
		i := bytes.IndexByte(src, '<')
		if i < 0 || len(src)-i < len("<style") {
			return false
		}
		if src = src[i+1:]; bytes.EqualFold(src[:len("style")], []byte("style")) {
			return true
		}
	}
}

// stripComments takes the comments out of a style sheet, and the marks of those of HTML.
func stripComments(css string) string {
	css = strings.NewReplacer("<!--", " ", "-->", " ").Replace(css)
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(css, "/*")
		out.WriteString(before)
		if !ok {
			return out.String()
		}
		out.WriteByte(' ')
		if _, css, ok = strings.Cut(rest, "*/"); !ok {
			return out.String()
		}
	}
}

// read takes in the rules of css. With unsure set they hold only for some screens.
func (s *sheet) read(css string, unsure bool) {
	nested := 0 // open at-rules
	for css != "" {
		i := strings.IndexAny(css, "{};")
		if i < 0 {
			return
		}
		prelude := strings.TrimSpace(css[:i])
		mark := css[i]
		css = css[i+1:]
		switch {
		case mark == '}':
			nested = max(0, nested-1)
		case mark == ';': // @import, @charset
		case strings.HasPrefix(prelude, "@") && holdsRules(prelude):
			nested++
		default:
			body, rest, _ := strings.Cut(css, "}")
			css = rest
			if !strings.HasPrefix(prelude, "@") {
				s.add(prelude, body, unsure || nested > 0)
			}
		}
	}
}

// holdsRules reports whether a rule that begins with @ has other rules in it.
func holdsRules(prelude string) bool {
	p := strings.ToLower(prelude)
	for _, name := range []string{"@font-face", "@page", "@viewport", "@-ms-viewport", "@counter-style"} {
		if strings.HasPrefix(p, name) {
			return false
		}
	}
	return true
}

// add takes in one rule, for each of its selectors.
func (s *sheet) add(selectors, body string, unsure bool) {
	var decls []declaration
	for d := range strings.SplitSeq(squeeze([]byte(body)), ";") {
		name, value, ok := strings.Cut(d, ":")
		if !ok || !decides(name) {
			continue
		}
		value, important := strings.CutSuffix(value, "!important")
		decls = append(decls, declaration{name, value, important})
	}
	if len(decls) == 0 {
		return
	}
	hides := func(d declaration) bool { return !d.shows() }
	for sel := range strings.SplitSeq(selectors, ",") {
		r, exact := selector(strings.TrimSpace(sel))
		r.unsure = unsure || !exact
		r.decls = decls
		if r.unsure {
			if r.decls = slices.DeleteFunc(slices.Clone(decls), hides); len(r.decls) == 0 {
				continue
			}
		}
		if !exact {
			r.weight += unknown
		}
		key := r.tag
		switch {
		case r.id != "":
			key = "#" + r.id
		case len(r.classes) > 0:
			key = "." + r.classes[0]
		}
		if key == "" || key == "html" || key == "body" || len(s.rules[key]) >= maxPerKey {
			continue
		}
		s.n++
		r.order = s.n
		s.rules[key] = append(s.rules[key], r)
	}
}

// unknown is the weight of a selector that is not understood, which may be more than that of any other.
const unknown = 1_000_000

// shows reports whether the declaration is none of those that hide.
func (d declaration) shows() bool {
	switch d.name {
	case "display":
		return d.value != "none"
	case "visibility":
		return d.value != "hidden" && d.value != "collapse"
	case "mso-hide":
		return d.value != "all"
	case "opacity", "max-height", "font-size":
		return !zero(d.value)
	case "overflow":
		return d.value == "visible"
	case "position":
		return d.value == "static" || d.value == "relative"
	case "left", "text-indent":
		return !farLeft(d.value)
	}
	return false
}

// selector reads the last part of a selector, which names the element itself. exact is false when there is
// more to it.
func selector(sel string) (r rule, exact bool) {
	exact = true
	if i := strings.LastIndexAny(sel, " \t\r\n>+~"); i >= 0 {
		sel, exact = sel[i+1:], false
	}
	if i := strings.IndexAny(sel, ":[*\\"); i >= 0 {
		sel, exact = sel[:i], false
	}
	for sel != "" {
		kind := sel[0]
		rest := strings.TrimLeft(sel, ".#")
		end := strings.IndexAny(rest, ".#")
		if end < 0 {
			end = len(rest)
		}
		name := rest[:end]
		sel = rest[end:]
		switch {
		case name == "":
			exact = false
		case kind == '.':
			r.classes = append(r.classes, name)
			r.weight += 100
		case kind == '#':
			r.id = name
			r.weight += 10_000
		default:
			r.tag = strings.ToLower(name)
			r.weight++
		}
	}
	return r, exact
}

// style returns the element's own style with what the sheet says before it, where that is stronger.
func (s *sheet) style(tag atom.Atom, a *attrs) string {
	if tag == atom.Html || tag == atom.Body {
		return a.style
	}
	classes := strings.Fields(a.class[:min(len(a.class), 1000)])
	classes = classes[:min(len(classes), maxClasses)]
	name := tag.String()
	var hits []rule
	look := func(key string) {
		for _, r := range s.rules[key] {
			if (r.tag == "" || r.tag == name) && (r.id == "" || r.id == a.id) &&
				!slices.ContainsFunc(r.classes, func(c string) bool { return !slices.Contains(classes, c) }) {
				hits = append(hits, r)
			}
		}
	}
	if name != "" {
		look(name)
	}
	if a.id != "" {
		look("#" + a.id)
	}
	for i, c := range classes {
		if !slices.Contains(classes[:i], c) {
			look("." + c)
		}
	}
	if len(hits) == 0 {
		return a.style
	}
	slices.SortFunc(hits, func(a, b rule) int {
		if a.weight != b.weight {
			return a.weight - b.weight
		}
		return a.order - b.order
	})
	said := map[string]declaration{}
	for _, r := range hits {
		for _, d := range r.decls {
			if d.important || !said[d.name].important {
				said[d.name] = d
			}
		}
	}
	var out strings.Builder
	for _, d := range said {
		if _, ok := property(a.style, d.name); !ok || d.important {
			out.WriteString(d.name + ":" + d.value + ";")
		}
	}
	return out.String() + a.style
}
