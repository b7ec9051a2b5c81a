package xling

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxGloss is how long a meaning is at most, and maxLine a line, in bytes.
	maxGloss, maxLine = 200, 4096
	// maxGlosses is how many words count.
	maxGlosses = 500_000
	// maxBad is how many lines are named that do not count.
	maxBad = 5
)

// ErrUTF16 is returned for a file of words that holds none that can be read.
var ErrUTF16 = errors.New("it is UTF-16; save it as UTF-8")

// ReadGlosses reads a person's own words: a word, a tab and what it means in English on each line.
// Blank lines and those that begin with # are passed over. Of the lines that are none of this, bad
// says of the first few and how many more what they are and what to do, without their text; the others count.
func (s *Set) ReadGlosses(r io.Reader) (list []Own, bad []string, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if mark, _ := in.Peek(2); string(mark) == "\xFF\xFE" || string(mark) == "\xFE\xFF" {
		return nil, nil, ErrUTF16
	}
	known := map[string]int{} // the simplified form of a word, to the place in list
	var lines []int           // where those in list stand
	var line []byte
	wrongs := 0
	defer func() {
		if more := wrongs - len(bad); more > 0 {
			bad = append(bad, fmt.Sprintf("and %d more", more))
		}
	}()
	for n := 1; ; n++ {
		var long bool
		line, long, err = readLine(in, line[:0])
		if err == io.EOF {
			return list, bad, nil
		}
		if err != nil {
			return list, bad, err
		}
		say := func(format string, args ...any) {
			if wrongs++; wrongs <= maxBad {
				bad = append(bad, fmt.Sprintf("line %d ", n)+fmt.Sprintf(format, args...))
			}
		}
		if n == 1 {
			line = bytes.TrimPrefix(line, []byte("\uFEFF"))
		}
		if text := bytes.TrimSpace(line); len(text) == 0 || text[0] == '#' {
			continue
		}
		if long {
			say("is longer than %d bytes: give each word a line of its own", maxLine)
			continue
		}
		o, form, wrong := parseGloss(string(line))
		if wrong != "" {
			say("%s", wrong)
			continue
		}
		form = s.simplified(form)
		if at, ok := known[form]; ok {
			if list[at] != o { // the same line twice does no harm
				say("explains the word of line %d again, which counts: remove one of them", lines[at])
			}
			continue
		}
		if len(list) == maxGlosses {
			say("and those behind it are too many: %d words count", maxGlosses)
			return list, bad, nil
		}
		known[form] = len(list)
		list, lines = append(list, o), append(lines, n)
	}
}

// parseGloss reads one line and returns how its word is written in texts, or says what is wrong with it.
func parseGloss(line string) (o Own, form, wrong string) {
	word, gloss, tab := strings.Cut(line, "\t")
	gloss, more, third := strings.Cut(gloss, "\t")
	o = Own{strings.TrimSpace(word), strings.Join(strings.Fields(gloss), " ")}
	switch {
	case !utf8.ValidString(line):
		return o, "", "is not UTF-8: save the file as UTF-8"
	case strings.ContainsFunc(line, func(r rune) bool { return r != '\t' && unicode.IsControl(r) }):
		return o, "", "has a control character: type the line anew"
	case !tab && strings.ContainsFunc(o.Word, unicode.IsSpace):
		return o, "", "has no tab between the word and its meaning: put one there in place of the blanks"
	case !tab:
		return o, "", "has no tab between the word and its meaning: put a tab and the meaning behind the word"
	case o.Word == "":
		return o, "", "has no word before the tab: put one there"
	case third && strings.TrimSpace(more) != "":
		return o, "", "has more than one tab: keep the one between the word and its meaning"
	case o.Gloss == "":
		return o, "", "has no meaning behind the tab: put there what the word means in English"
	case hasRun(o.Gloss):
		return o, "", "has a meaning in Chinese characters or kana: put it in English"
	case !strings.ContainsFunc(o.Gloss, isPlain):
		return o, "", "has a meaning without a word of English: put one there"
	case len(o.Gloss) > maxGloss:
		return o, "", fmt.Sprintf("has a meaning of more than %d bytes: a few words do", maxGloss)
	}
	forms := formsOf(o)
	switch {
	case forms != nil && strings.ContainsFunc(forms[0], func(r rune) bool { return isHan(r) || isKana(r) }):
		return o, forms[0], ""
	case strings.ContainsFunc(widen(o.Word), func(r rune) bool { return isHan(r) || isKana(r) }) && forms == nil && !all(o.Word, inRun):
		return o, "", "has a word with letters, digits or signs in it: explain its part in Chinese characters or kana"
	case utf8.RuneCountInString(o.Word) > maxOwn && all(o.Word, inRun):
		return o, "", fmt.Sprintf("has a word of more than %d characters: explain its parts", maxOwn)
	}
	return o, "", "does not begin with a word in Chinese characters or kana: explain such words only"
}

// isPlain reports whether r is a letter or digit as words of English have.
func isPlain(r rune) bool {
	return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// readLine appends a line without its end, which may be that of any system. Of one that is longer than
// maxLine it appends the beginning.
func readLine(in *bufio.Reader, line []byte) (_ []byte, long bool, err error) {
	for {
		b, err := in.ReadByte()
		if err != nil {
			if err == io.EOF && len(line) > 0 {
				return line, long, nil
			}
			return line, long, err
		}
		switch b {
		case '\r':
			if next, _ := in.Peek(1); len(next) == 1 && next[0] == '\n' {
				_, _ = in.Discard(1) // it is there
			}
			return line, long, nil
		case '\n':
			return line, long, nil
		}
		if len(line) == maxLine {
			long = true
			continue
		}
		line = append(line, b)
	}
}
