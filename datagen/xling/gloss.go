package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode"
)

// What definitions say about a word instead of what it means.
var aboutWord = regexp.MustCompile(`(?i)^(see |see also |variant of|old variant|erhua variant|japanese variant|archaic variant|surname |used in |abbr\. (for|of) \p{Han}|CL:|also written|also pr\.|Taiwan pr\.|equivalent to |same as |\(?(bound form|onom\.)\)?$)`)

var (
	foreignLetters = regexp.MustCompile(`[\p{Han}\p{Hiragana}\p{Katakana}·・|]+`)
	reading        = regexp.MustCompile(`\[[A-Za-zü:1-5 ,·]+\]`)
	parentheses    = regexp.MustCompile(`\([^()]*\)`)
	openEnd        = regexp.MustCompile(`\([^)]*$|^[^(]*\)`)
	shortFor       = regexp.MustCompile(`\b(abbr\. (for|of)|lit\.|fig\.|esp\.|e\.g\.|i\.e\.|etc\.?)`)
	somebody       = strings.NewReplacer("sb's", "somebody's", " sb", " somebody", " sth", " something")
)

// gloss brings one definition into plain words; "" when there are none.
func gloss(s string) string {
	if aboutWord.MatchString(s) {
		return ""
	}
	s = foreignLetters.ReplaceAllString(reading.ReplaceAllString(s, " "), " ")
	for range 2 { // parentheses within parentheses
		s = parentheses.ReplaceAllString(s, " ")
	}
	s = shortFor.ReplaceAllString(openEnd.ReplaceAllString(s, " "), " ")
	s = strings.Trim(flat(strings.TrimSpace(somebody.Replace(" "+s))), " ,;:.-~!?\"'/")
	letters := 0
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < 2 && s != "I" || len(s) > 80 {
		return ""
	}
	return s
}

// An entry is a word with what it means, the commonest meaning first.
type entry struct {
	word    string
	count   float64 // how often it occurs, on the scale of its language
	glosses []string
	name    bool // so far it has meanings as a name only
	own     bool // the first meaning is ours
}

const mostGlosses = 8

// A dictionary collects entries by word.
type dictionary struct {
	at   map[string]*entry
	list []*entry
}

func newDictionary() *dictionary { return &dictionary{at: map[string]*entry{}} }

// add adds meanings of a word. Those of a name stand behind those of a word.
func (d *dictionary) add(word string, glosses []string, name bool) *entry {
	e := d.at[word]
	if e == nil {
		e = &entry{word: word, name: true}
		d.at[word] = e
		d.list = append(d.list, e)
	}
	var fresh []string
	for _, g := range glosses {
		if !contains(e.glosses, g) && !contains(fresh, g) {
			fresh = append(fresh, g)
		}
	}
	switch {
	case e.name && !name:
		e.glosses, e.name = append(fresh, e.glosses...), false
	default:
		e.glosses = append(e.glosses, fresh...)
	}
	e.glosses = e.glosses[:min(len(e.glosses), mostGlosses)]
	return e
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if strings.EqualFold(x, s) {
			return true
		}
	}
	return false
}

// ownCount is how often a word of our own list is taken to occur at least.
const ownCount = 300

// addOwn adds the words of our own list, whose meanings stand before those of the dictionary.
func (d *dictionary) addOwn(path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for l := range strings.Lines(string(data)) {
		word, meaning, ok := strings.Cut(strings.TrimSuffix(l, "\n"), "\t")
		if !ok || word == "" {
			return fmt.Errorf("%s: line %q", path, l)
		}
		e := d.add(word, nil, false)
		e.count, e.own = max(e.count, ownCount), true
		if meaning == "" {
			e.glosses = nil
		} else {
			e.glosses = append([]string{meaning}, e.glosses...)
		}
	}
	return nil
}

// sameAs finds the word that a definition sends its reader to.
var sameAs = regexp.MustCompile(`(?:abbr\. (?:for|of)|variant of|see(?: also)?|equivalent to|same as) (?:\p{Han}+\|)?(\p{Han}+)`)
