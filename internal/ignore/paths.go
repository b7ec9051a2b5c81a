package ignore

import (
	"strings"
)

// A Glob is a path with wild cards, split into the folder that holds whatever it means and the pattern
// below that: * and ? stay within one name, [a-z] is one character of a set, ** is any number of folders.
// As in a shell, a name that begins with a dot has to be meant by a dot. A folder that is meant stands for
// everything in it.
type Glob struct {
	Base    string
	pattern string
	parts   []globPart
}

type globPart struct {
	deep bool // **
	glob glob
	dot  bool
}

// HasWildcard reports whether a path with slashes holds wild cards.
func HasWildcard(path string) bool { return strings.ContainsAny(path, "*?[") }

// ParseGlob splits a path with slashes that has wild cards. It is false when a part of the path cannot
// match anything.
func ParseGlob(path string) (Glob, bool) {
	elements := strings.Split(path, "/")
	n := 0
	for n < len(elements) && !HasWildcard(elements[n]) {
		n++
	}
	if n == 0 || n == len(elements) {
		return Glob{}, false
	}
	g := Glob{Base: strings.Join(elements[:n], "/"), pattern: strings.Join(elements[n:], "/")}
	if g.Base == "" {
		g.Base = "/"
	}
	for _, e := range elements[n:] {
		switch e {
		case "", ".":
			continue
		case "**":
			g.parts = append(g.parts, globPart{deep: true})
			continue
		}
		// A backslash is a separator on Windows, so that it quotes nothing here.
		c, never := compileGlob(strings.ReplaceAll(e, `\`, `\\`))
		if never {
			return Glob{}, false
		}
		g.parts = append(g.parts, globPart{glob: c, dot: strings.HasPrefix(e, ".")})
	}
	return g, true
}

// Pattern is what stands below the base.
func (g Glob) Pattern() string { return g.pattern }

// Match reports whether a path below the base is meant, or stands in a folder that is.
func (g Glob) Match(rel string) bool {
	in, _ := g.follow(rel)
	return in
}

// Leads reports whether something below the folder at rel may be meant.
func (g Glob) Leads(rel string) bool {
	in, on := g.follow(rel)
	return in || on
}

// follow walks down the names of rel: in says that it is meant, on that more names may make it so.
func (g Glob) follow(rel string) (in, on bool) {
	at := map[int]bool{0: true}
	open := func(at map[int]bool) { // ** may stand for no folder
		for i := 0; i < len(g.parts); i++ {
			if at[i] && g.parts[i].deep {
				at[i+1] = true
			}
		}
	}
	open(at)
	for name := range strings.SplitSeq(rel, "/") {
		if at[len(g.parts)] && !g.deepEnd() {
			return true, true
		}
		next := map[int]bool{}
		for i := range at {
			if i == len(g.parts) {
				continue
			}
			p := g.parts[i]
			hidden := strings.HasPrefix(name, ".")
			switch {
			case p.deep && !hidden:
				next[i] = true
			case !p.deep && (p.dot || !hidden) && p.glob.match(name):
				next[i+1] = true
			}
		}
		open(next)
		at = next
	}
	return at[len(g.parts)], len(at) > 0
}

// deepEnd reports whether the last part is **, which means all that is below but the base itself.
func (g Glob) deepEnd() bool { return len(g.parts) > 0 && g.parts[len(g.parts)-1].deep }
