// Package ignore decides by names what is left out, as git does with .gitignore files, and which
// paths a glob means. It knows names only: reading folders, and what is left out for other reasons,
// belong to whoever walks.
//
// As in git, names and patterns are bytes, upper case is not lower case, and what stands in a folder
// that is left out cannot be taken back in.
package ignore

import (
	"bytes"
	"fmt"
	"strings"
)

// MaxSize bounds a file of patterns.
const MaxSize = 1 << 20

// A List is the patterns of one file, or of one setting.
type List struct {
	origin string
	rules  []rule
}

// A rule is one pattern.
type rule struct {
	line    int    // from 1, 0 for a setting
	text    string // as it was written
	keep    bool   // it began with "!"
	dirOnly bool
	base    bool // without a slash: it is about the last element
	literal string
	glob    glob
	never   bool // it matches nothing: unclosed brackets, a backslash at the end
}

// A Match is the pattern that decided about a name.
type Match struct {
	Keep bool // the name is taken in, whatever came before
	// Rule says which pattern it was: ".gitignore line 3: *.log".
	Rule string
}

// Parse reads the patterns of a file, one a line. origin is what the file is called to people.
func Parse(text []byte, origin string) *List {
	l := &List{origin: origin}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	for n, line := range bytes.Split(text, []byte("\n")) {
		s := strings.TrimSuffix(string(line), "\r")
		if strings.HasPrefix(s, "#") {
			continue
		}
		l.add(s, n+1)
	}
	return l
}

// Patterns makes a list of patterns that do not stand in a file.
func Patterns(patterns []string, origin string) *List {
	l := &List{origin: origin}
	for _, p := range patterns {
		l.add(p, 0)
	}
	return l
}

// Check says what is wrong with a pattern, nil when it can match something.
func Check(pattern string) error {
	r, ok := compile(pattern)
	switch {
	case !ok:
		return fmt.Errorf("%q matches nothing", pattern)
	case r.never:
		return fmt.Errorf("%q has a bracket that is not closed, or ends with a backslash", pattern)
	}
	return nil
}

// Empty reports whether the list has no pattern.
func (l *List) Empty() bool { return l == nil || len(l.rules) == 0 }

// String returns the patterns as they were written, one a line.
func (l *List) String() string {
	if l == nil {
		return ""
	}
	var b strings.Builder
	for i := range l.rules {
		b.WriteString(l.rules[i].text)
		b.WriteByte('\n')
	}
	return b.String()
}

func (l *List) add(pattern string, line int) {
	if r, ok := compile(pattern); ok {
		r.line = line
		l.rules = append(l.rules, r)
	}
}

// compile reads one pattern; one with nothing in it is none.
func compile(pattern string) (rule, bool) {
	r := rule{text: pattern}
	p := trimBlanks(pattern)
	r.text = p
	if rest, ok := strings.CutPrefix(p, "!"); ok {
		r.keep, p = true, rest
	}
	if rest, ok := strings.CutSuffix(p, "/"); ok {
		r.dirOnly, p = true, rest
	}
	if p == "" {
		return rule{}, false
	}
	r.base = !strings.Contains(p, "/")
	p = strings.TrimPrefix(p, "/")
	if p == "" {
		return rule{}, false
	}
	plain := strings.IndexAny(p, `*?[\`)
	if plain < 0 {
		r.literal = p
		return r, true
	}
	if r.base {
		plain = 0
	}
	r.literal = p[:plain]
	r.glob, r.never = compileGlob(p[plain:])
	return r, true
}

// trimBlanks takes away the blanks at the end, but for one after a backslash.
func trimBlanks(s string) string {
	end := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case ' ':
			continue
		case '\\':
			i++
		}
		end = min(i+1, len(s))
	}
	return s[:end]
}

// Match returns the last pattern that is about a name. rel is its path below the folder of the list,
// with slashes.
func (l *List) Match(rel string, dir bool) (Match, bool) {
	if l == nil {
		return Match{}, false
	}
	name := rel[strings.LastIndexByte(rel, '/')+1:]
	for i := len(l.rules) - 1; i >= 0; i-- {
		r := &l.rules[i]
		if r.dirOnly && !dir {
			continue
		}
		s := rel
		if r.base {
			s = name
		}
		if r.matches(s) {
			return Match{Keep: r.keep, Rule: l.where(r)}, true
		}
	}
	return Match{}, false
}

func (l *List) where(r *rule) string {
	if r.line == 0 {
		return fmt.Sprintf("%s: %s", l.origin, r.text)
	}
	return fmt.Sprintf("%s line %d: %s", l.origin, r.line, r.text)
}

func (r *rule) matches(s string) bool {
	if r.never {
		return false
	}
	if r.glob == nil {
		return s == r.literal
	}
	// What stands before the first wild card is compared by itself, so that "**" after it counts as if
	// it stood at the beginning. So it is in git.
	rest, ok := strings.CutPrefix(s, r.literal)
	return ok && r.glob.match(rest)
}
