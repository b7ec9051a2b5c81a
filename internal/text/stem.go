package text

import (
	"bytes"
	"slices"
	"strings"
)

// The stemmer is the English one of the Snowball family ("Porter2"), written from its description.
// It works on lower-case ASCII letters; a y that acts as a consonant is marked as Y meanwhile.

// stemCache remembers stems of recent words: running text repeats itself, and stemming costs ten
// times a look-up. One slot for each hash; a newer word takes the place of an older one.
type stemCache struct {
	slots [4096]struct {
		wordLen, stemLen uint8
		word, stem       [cachedWord]byte
	}
}

const cachedWord = 20

func (c *stemCache) appendStem(dst, w []byte, hash uint32) []byte {
	if len(w) > cachedWord {
		return append(dst, stem(w)...)
	}
	s := &c.slots[(hash^hash>>12)%uint32(len(c.slots))]
	if int(s.wordLen) == len(w) && string(s.word[:len(w)]) == string(w) {
		return append(dst, s.stem[:s.stemLen]...)
	}
	s.wordLen = uint8(copy(s.word[:], w))
	s.stemLen = uint8(copy(s.stem[:], stem(w)))
	return append(dst, s.stem[:s.stemLen]...)
}

// stem stems w in place and returns the part of it that is the stem (an ending may be put back, but
// a stem is never longer than its word).
func stem(w []byte) []byte {
	if len(w) < 3 {
		return w
	}
	if s, ok := irregular[string(w)]; ok {
		return append(w[:0], s...)
	}
	marked := false
	for i, c := range w {
		if c == 'y' && (i == 0 || isVowel(w[i-1])) {
			w[i] = 'Y'
			marked = true
		}
	}
	st := stemmer{w: w}
	st.regions()
	st.plural()
	if !finalAfterPlural(st.w) {
		st.pastAndGerund()
		st.finalY()
		st.replaceLongest(derivations2, st.r1)
		st.replaceLongest(derivations3, st.r1)
		st.dropSuffix()
		st.finalEL()
	}
	if marked {
		for i, c := range st.w {
			if c == 'Y' {
				st.w[i] = 'y'
			}
		}
	}
	return st.w
}

var irregular = map[string]string{
	"skis": "ski", "skies": "sky", "dying": "die", "lying": "lie", "tying": "tie",
	"idly": "idl", "gently": "gentl", "ugly": "ugli", "early": "earli", "only": "onli", "singly": "singl",
	"sky": "sky", "news": "news", "howe": "howe", "atlas": "atlas", "cosmos": "cosmos", "bias": "bias", "andes": "andes",
}

func finalAfterPlural(w []byte) bool {
	switch string(w) {
	case "inning", "outing", "canning", "herring", "earring", "proceed", "exceed", "succeed":
		return true
	}
	return false
}

type stemmer struct {
	w      []byte
	r1, r2 int // where the regions begin that endings must lie in
}

func isVowel(c byte) bool {
	switch c {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

func (s *stemmer) regions() {
	s.r1 = -1
	for _, p := range [...]string{"gener", "commun", "arsen"} {
		if bytes.HasPrefix(s.w, []byte(p)) {
			s.r1 = len(p)
		}
	}
	if s.r1 < 0 {
		s.r1 = s.regionAfter(0)
	}
	s.r2 = s.regionAfter(s.r1)
}

// regionAfter returns what follows the first consonant after a vowel at or after i.
func (s *stemmer) regionAfter(i int) int {
	for i++; i < len(s.w); i++ {
		if !isVowel(s.w[i]) && isVowel(s.w[i-1]) {
			return i + 1
		}
	}
	return len(s.w)
}

func (s *stemmer) has(suffix string) bool {
	return len(s.w) >= len(suffix) && string(s.w[len(s.w)-len(suffix):]) == suffix
}

func (s *stemmer) cut(n int) { s.w = s.w[:len(s.w)-n] }

func (s *stemmer) vowelBefore(end int) bool {
	for _, c := range s.w[:end] {
		if isVowel(c) {
			return true
		}
	}
	return false
}

// shortSyllable reports whether s.w[:end] ends in a short syllable.
func (s *stemmer) shortSyllable(end int) bool {
	w := s.w[:end]
	n := len(w)
	switch {
	case n == 2:
		return isVowel(w[0]) && !isVowel(w[1])
	case n > 2:
		last := w[n-1]
		return !isVowel(w[n-3]) && isVowel(w[n-2]) && !isVowel(last) && last != 'w' && last != 'x' && last != 'Y'
	}
	return false
}

func (s *stemmer) plural() {
	n := len(s.w)
	switch {
	case s.has("sses"):
		s.cut(2)
	case s.has("ied"), s.has("ies"):
		if n > 4 {
			s.cut(2)
		} else {
			s.cut(1)
		}
	case s.has("us"), s.has("ss"):
	case s.has("s"):
		if n > 2 && s.vowelBefore(n-2) {
			s.cut(1)
		}
	}
}

func (s *stemmer) pastAndGerund() {
	for _, e := range [...]string{"eedly", "eed"} {
		if s.has(e) {
			if len(s.w)-len(e) >= s.r1 {
				s.cut(len(e) - 2)
			}
			return
		}
	}
	for _, e := range [...]string{"ingly", "edly", "ing", "ed"} {
		if !s.has(e) {
			continue
		}
		if !s.vowelBefore(len(s.w) - len(e)) {
			return
		}
		s.cut(len(e))
		n := len(s.w)
		switch {
		case s.has("at"), s.has("bl"), s.has("iz"):
			s.w = append(s.w, 'e')
		case n > 1 && s.w[n-1] == s.w[n-2] && bytes.IndexByte([]byte("bdfgmnprt"), s.w[n-1]) >= 0:
			s.cut(1)
		case s.r1 >= n && s.shortSyllable(n):
			s.w = append(s.w, 'e')
		}
		return
	}
}

func (s *stemmer) finalY() {
	n := len(s.w)
	if n > 2 && (s.w[n-1] == 'y' || s.w[n-1] == 'Y') && !isVowel(s.w[n-2]) {
		s.w[n-1] = 'i'
	}
}

// A derivation replaces one ending by another; the lists have longer endings first.
type derivation struct{ from, to string }

var derivations2 = []derivation{
	{"ational", "ate"}, {"ization", "ize"}, {"fulness", "ful"}, {"ousness", "ous"}, {"iveness", "ive"},
	{"tional", "tion"}, {"biliti", "ble"}, {"lessli", "less"},
	{"entli", "ent"}, {"ation", "ate"}, {"alism", "al"}, {"aliti", "al"}, {"ousli", "ous"}, {"iviti", "ive"}, {"fulli", "ful"},
	{"enci", "ence"}, {"anci", "ance"}, {"abli", "able"}, {"izer", "ize"}, {"ator", "ate"}, {"alli", "al"},
	{"bli", "ble"}, {"ogi", "og"}, {"li", ""},
}

var derivations3 = []derivation{
	{"ational", "ate"}, {"tional", "tion"}, {"alize", "al"}, {"icate", "ic"}, {"iciti", "ic"}, {"ative", ""},
	{"ical", "ic"}, {"ness", ""}, {"ful", ""},
}

// replaceLongest replaces the longest ending of the list that s.w has, when it lies in the region.
func (s *stemmer) replaceLongest(list []derivation, region int) {
	for _, d := range list {
		if !s.has(d.from) {
			continue
		}
		at := len(s.w) - len(d.from)
		switch {
		case at < region:
		case d.from == "ogi" && (at == 0 || s.w[at-1] != 'l'):
		case d.from == "li" && (at == 0 || bytes.IndexByte([]byte("cdeghkmnrt"), s.w[at-1]) < 0):
		case d.from == "ative" && at < s.r2:
		default:
			s.w = append(s.w[:at], d.to...)
		}
		return
	}
}

func (s *stemmer) dropSuffix() {
	for _, e := range [...]string{"ement", "ance", "ence", "able", "ible", "ment", "ant", "ent", "ism", "ate", "iti", "ous", "ive", "ize", "ion", "al", "er", "ic"} {
		if !s.has(e) {
			continue
		}
		at := len(s.w) - len(e)
		if at >= s.r2 && (e != "ion" || at > 0 && (s.w[at-1] == 's' || s.w[at-1] == 't')) {
			s.cut(len(e))
		}
		return
	}
}

func (s *stemmer) finalEL() {
	n := len(s.w)
	if n == 0 {
		return
	}
	switch s.w[n-1] {
	case 'e':
		if n-1 >= s.r2 || n-1 >= s.r1 && !s.shortSyllable(n-1) {
			s.cut(1)
		}
	case 'l':
		if n-1 >= s.r2 && n > 1 && s.w[n-2] == 'l' {
			s.cut(1)
		}
	}
}

// endings are what English words end in, as far as stemming changes it.
var endings = strings.Fields(`
s es ed ing ingly edly ly y ies ied ier iest e ee eed eedly er ers or ors est
al als ally ality alities alism alize alized alizes alizing ance ances ancy anced ancing ant ants ation ations ational
ationally ative atively ator ators ate ates ated ating able ably ability abilities ence ences enced encing ency ent ents
ently ful fully fulness fulnesses ible ibly ibility ibilities ic ics ical ically icate icates icated icating icity ism isms
ist ists ition itions ition itional ity ities ive ives ively iveness ivity ization izations ize izes ized izing izer izers
less lessly lessness ion ions ional ionally ment ments mental ement ements ness nesses ogy ogies ogical ogically logy
ous ously ousness tion tions tional tionally bility bilities`)

// PrefixTerms returns those index tokens that do not begin with the folded prefix although words do
// that have them: relation is indexed as relat, so relati* has to look there as well. What is found
// has to be checked on the written text.
func PrefixTerms(prefix string) []string {
	if len(prefix) > MaxToken || !isLetters([]byte(prefix)) {
		return nil
	}
	var out []string
	add := func(word string) {
		if t := Stem(word); !strings.HasPrefix(t, prefix) && !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	add(prefix)
	for _, e := range endings {
		add(prefix + e)
		for i := 1; i < len(e); i++ {
			if strings.HasSuffix(prefix, e[:i]) {
				add(prefix + e[i:])
			}
		}
	}
	return out
}
