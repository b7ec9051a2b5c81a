// Command xling makes the word tables of other languages for internal/embed/xling: from dictionaries
// into English, word frequencies and pairs of sentences. It is run by hand, once per change of a
// source; README.md beside it says how.
package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"unicode"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "xling:", err)
		os.Exit(1)
	}
}

// A locale is where texts of a language are found.
type locale struct{ code, interfaceFolder string }

// A language is what this command knows how to make.
type language struct {
	name    string
	locales []locale
	help    string
	writes  func(r rune) bool
}

func languageOf(name string) (*language, error) {
	switch name {
	case "zh":
		return &language{
			name: name, help: "zh-CN", writes: func(r rune) bool { return unicode.Is(unicode.Han, r) },
			locales: []locale{{"zh_CN", "zh_CN"}, {"zh_TW", "zh_TW"}},
		}, nil
	case "ja":
		return &language{
			name: name, help: "ja", locales: []locale{{"ja", "ja"}},
			writes: func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) },
		}, nil
	}
	return nil, errors.New("no language " + name)
}

func run(args []string) error {
	steps := map[string]struct {
		usage string
		args  int
		run   func(args []string) error
	}{
		"pairs":    {"LANGUAGE OWN.tsv SOURCES OUT.tsv", 4, gatherPairs},
		"words-zh": {"CEDICT.js JIEBA.utf8 OWN-WORDS.tsv PAIRS.tsv OUT.tsv SIMPLER.tsv", 6, chineseWords},
		"words-ja": {"EDICT COMPDIC OWN-WORDS.tsv PAIRS.tsv OUT.tsv", 5, japaneseWords},
		"train":    {"LANGUAGE WORDS.tsv SIMPLER.tsv|- PAIRS.tsv OWN.tsv CACHE COUNT RANK OUT", 9, train},
		"try":      {"LANGUAGE FILES PAIRS.tsv DATA-FOLDER/x", 4, try},
		"teach":    {"PAIRS.tsv CACHE", 2, teach},
	}
	if len(args) > 0 {
		if s, ok := steps[args[0]]; ok && len(args)-1 == s.args {
			return s.run(args[1:])
		}
	}
	var usage []string
	for name, s := range steps {
		usage = append(usage, "xling "+name+" "+s.usage)
	}
	return fmt.Errorf("usage:\n%s", strings.Join(usage, "\n"))
}
