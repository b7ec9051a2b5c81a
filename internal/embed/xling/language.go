// Package xling brings other languages than English into the vector space of the English encoder: a
// word has the vector that a translation of it has, and a text is also put to the encoder word by
// word in English. So a question in one language finds memories in another, and one ranking serves
// all of them. Which texts to embed, and where vectors go, is the caller's business.
//
// A language is two files (words with their vectors, and what the words mean in English) and a list
// of stop words. They are part of the program and used where they lie. They come from dictionaries:
// datagen/xling makes them and says from what.
package xling

import (
	_ "embed"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/openhuman/openhuman-core/internal/text"
)

// Dims is the length of a vector.
const Dims = 384

// version changes when texts are read in another way by the same data.
const version = 3

// A Language is one language besides English. It does not change.
type Language struct {
	name   string
	script Script
	words  *words
	stop   map[string]bool

	once  sync.Once
	basis []float32 // that of the words, when it has been needed
}

// A File is what a language is opened from.
type File struct {
	Name   string // as in ISO 639
	Script Script
	Words  []byte // as Pack makes them
	Gloss  []byte
	// Stop lists, between spaces, words that carry no meaning of their own: they are not translated,
	// and a language with spaces between words is known by them.
	Stop string
}

// Open uses the files of a language in place.
func Open(f File) (*Language, error) {
	w, err := openWords(f.Words, f.Gloss)
	if err != nil {
		return nil, fmt.Errorf("open the words of %s: %w", f.Name, err)
	}
	l := &Language{name: f.Name, script: f.Script, words: w, stop: map[string]bool{}}
	for _, s := range strings.Fields(f.Stop) {
		l.stop[s] = true
	}
	return l, nil
}

//go:embed data/zh.words.bin
var zhWords []byte

//go:embed data/zh.gloss.bin
var zhGloss []byte

//go:embed data/zh.stop.txt
var zhStop string

//go:embed data/ja.words.bin
var jaWords []byte

//go:embed data/ja.gloss.bin
var jaGloss []byte

//go:embed data/ja.stop.txt
var jaStop string

// files are the languages that are part of the program.
func files() []File {
	return []File{
		{Name: "zh", Script: Han, Words: zhWords, Gloss: zhGloss, Stop: zhStop},
		{Name: "ja", Script: Kana, Words: jaWords, Gloss: jaGloss, Stop: jaStop},
	}
}

// A Set is all languages that a program knows, with what a person has added to them. It does not
// change and is safe for concurrent use.
type Set struct {
	languages []*Language
	hasSpaced bool
	own       func() *personal                    // nil: none
	use       func(id int32, characters int) bool // which words there are; nil: all
}

var builtin = sync.OnceValues(func() (*Set, error) {
	var list []*Language
	for _, f := range files() {
		l, err := Open(f)
		if err != nil {
			return nil, err
		}
		list = append(list, l)
	}
	return NewSet(list...), nil
})

// Load returns the languages that are part of the program. They are opened by the first call.
func Load() (*Set, error) { return builtin() }

// NewSet returns a set of languages. Of two that are told by the same script the first counts.
func NewSet(list ...*Language) *Set {
	s := &Set{languages: list}
	s.hasSpaced = slices.ContainsFunc(list, func(l *Language) bool { return l.script == Spaced })
	return s
}

// With returns the set with a person's own words and names in place of those of s.
func (s *Set) With(own []Own) *Set { return s.WithLater(func() []Own { return own }) }

// WithLater is With for words that own returns when they are first needed, which English texts alone
// do not need. It is called once.
func (s *Set) WithLater(own func() []Own) *Set {
	out := *s
	out.own = sync.OnceValue(func() *personal { return newPersonal(own(), s) })
	return &out
}

// personal is what a person has added, or nil.
func (s *Set) personal() *personal {
	if s.own == nil {
		return nil
	}
	return s.own()
}

func (s *Set) of(script Script) *Language {
	for _, l := range s.languages {
		if l.script == script {
			return l
		}
	}
	return nil
}

// Fingerprint names the languages and their data, as what follows the fingerprint of an encoder
// whose vectors they extend.
func (s *Set) Fingerprint() string {
	var b strings.Builder
	for _, l := range s.languages {
		fmt.Fprintf(&b, "+%s%d.%s", l.name, version, l.words.sum)
	}
	return b.String()
}

// Foreign reports whether any of the texts has a part in one of the languages.
func (s *Set) Foreign(texts ...string) bool {
	for _, t := range texts {
		if hasRun(t) && (s.of(Han) != nil || s.of(Kana) != nil) || s.spaced(t) != nil {
			return true
		}
	}
	return false
}

// foldedWords are the words of a text in the form in which dictionaries hold them.
func foldedWords(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for t := range text.Tokens(s) {
			if !t.Run && !yield(t.Form) {
				return
			}
		}
	}
}

func isEnglish(w string) bool { return text.IsStopWord(w) }
