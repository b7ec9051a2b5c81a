package main

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"html"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A pair is a text and what it is in English.
type pair struct{ text, english string }

// How long the English side of a pair is, in bytes, and how many pairs of a source are kept.
const (
	shortest, longest = 4, 400
	mostInterface     = 7000
	mostHelp          = 7000
)

// heldOutHelp is which share of the help's pages is kept for looking at the outcome.
const heldOutHelp = 12

// gatherPairs writes training pairs of a language, one a line: those written for this project first,
// then LibreOffice's interface and help and the descriptions of programs.
func gatherPairs(args []string) error {
	l, err := languageOf(args[0])
	if err != nil {
		return err
	}
	own, sources, out := args[1], args[2], args[3]
	var all []pair
	seen := map[string]bool{}
	add := func(list []pair) int {
		n := 0
		for _, p := range list {
			if key := p.text + "\t" + p.english; !seen[key] && l.fits(p) {
				seen[key] = true
				all = append(all, p)
				n++
			}
		}
		return n
	}
	written, err := readPairs(own)
	if err != nil {
		return err
	}
	fmt.Println("own", add(written))
	var ui []pair
	for _, locale := range l.locales {
		more, err := interfacePairs(filepath.Join(sources, locale.interfaceFolder))
		if err != nil {
			return err
		}
		ui = append(ui, more...)
	}
	fmt.Println("interface", add(some(ui, mostInterface)))
	help, rest, err := helpPairs(filepath.Join(sources, "help"), l.help)
	if err != nil {
		return err
	}
	fmt.Println("help", add(some(help, mostHelp)))
	described, err := describedPairs(filepath.Join(sources, "dep11.yml.gz"), l.locales)
	if err != nil {
		return err
	}
	fmt.Println("descriptions", add(described))
	return errors.Join(writePairs(out, all), writePairs(out+".held-out", rest))
}

// some picks n pairs of a list, the same ones each time: long texts before short ones.
func some(list []pair, n int) []pair {
	slices.SortStableFunc(list, func(a, b pair) int {
		x, y := len(a.english) < 30, len(b.english) < 30
		switch {
		case x != y && y:
			return -1
		case x != y:
			return 1
		}
		return int(int64(hash(a.english))>>1 - int64(hash(b.english))>>1)
	})
	return list[:min(n, len(list))]
}

func hash(s string) uint32 {
	h := fnv.New32a()
	io.WriteString(h, s)
	return h.Sum32()
}

// fits reports whether a pair teaches something: text of the language's script, words in English.
func (l *language) fits(p pair) bool {
	if len(p.english) < shortest || len(p.english) > longest || p.text == p.english {
		return false
	}
	n, letters := 0, 0
	for _, r := range p.text {
		if l.writes(r) {
			n++
		}
	}
	for _, r := range p.english {
		if r < utf8.RuneSelf && unicode.IsLetter(r) {
			letters++
		}
	}
	return n >= 2 && letters >= 3
}

func readPairs(path string) ([]pair, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var out []pair
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		text, english, ok := strings.Cut(s.Text(), "\t")
		if !ok || text == "" || english == "" {
			return nil, fmt.Errorf("%s:%d: no pair", path, n)
		}
		out = append(out, pair{text, english})
	}
	return out, s.Err()
}

func writePairs(path string, list []pair) error {
	var b strings.Builder
	for _, p := range list {
		b.WriteString(flat(p.text) + "\t" + flat(p.english) + "\n")
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

func flat(s string) string { return strings.Join(strings.Fields(s), " ") }

var (
	markup       = regexp.MustCompile(`<[^>]*>`)
	placeholders = regexp.MustCompile(`%[-0-9.$]*[a-zA-Z%]|%\d|\$\{?[A-Za-z_|.]+\}?|\{[^}]*\}|\$\(?[A-Z0-9]+\)?`)
	accelerator  = regexp.MustCompile(`\([_&~]?[A-Z]\)|[_&~]`)
)

// plain takes away what is not language in a message of a program.
func plain(s string) string {
	s = markup.ReplaceAllString(html.UnescapeString(s), " ")
	s = accelerator.ReplaceAllString(placeholders.ReplaceAllString(s, " "), "")
	return strings.Trim(flat(s), " .:…。：")
}

// interfacePairs reads the messages of a folder of .mo files.
func interfacePairs(dir string) ([]pair, error) {
	var out []pair
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".mo" {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		messages, err := readMO(data)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		for _, m := range messages {
			// The key is the context, a number in some files, and the message.
			id := m.english[strings.LastIndexByte(m.english, 4)+1:]
			if _, rest, ok := strings.Cut(id, "|"); ok {
				id = rest
			}
			out = append(out, pair{plain(m.text), plain(id)})
		}
		return nil
	})
	return out, err
}

// readMO reads a catalogue of messages as gettext compiles it.
func readMO(data []byte) ([]pair, error) {
	if len(data) < 28 || binary.LittleEndian.Uint32(data) != 0x950412de {
		return nil, errors.New("not a catalogue")
	}
	at := func(table, i int) (string, bool) {
		p := table + 8*i
		if p < 0 || p+8 > len(data) {
			return "", false
		}
		n, off := int(binary.LittleEndian.Uint32(data[p:])), int(binary.LittleEndian.Uint32(data[p+4:]))
		if n < 0 || off < 0 || off+n > len(data) {
			return "", false
		}
		s, _, _ := strings.Cut(string(data[off:off+n]), "\x00")
		return s, true
	}
	n, ids, texts := int(binary.LittleEndian.Uint32(data[8:])), int(binary.LittleEndian.Uint32(data[12:])), int(binary.LittleEndian.Uint32(data[16:]))
	var out []pair
	for i := range n {
		id, ok1 := at(ids, i)
		text, ok2 := at(texts, i)
		if !ok1 || !ok2 {
			return nil, errors.New("cut short")
		}
		if id != "" && text != "" {
			out = append(out, pair{text, id})
		}
	}
	return out, nil
}

var paragraph = regexp.MustCompile(`(?s)<(?:p|h1|h2|h3) id="((?:par|hd)_[^"]+)"[^>]*>(.*?)</(?:p|h1|h2|h3)>`)

// helpPairs reads the paragraphs that the pages of the help have in both languages. The pages of a
// share are returned apart.
func helpPairs(dir, locale string) (out, rest []pair, err error) {
	english := filepath.Join(dir, "en-US")
	err = filepath.WalkDir(english, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || filepath.Ext(path) != ".html" {
			return err
		}
		rel, err := filepath.Rel(english, path)
		if err != nil {
			return err
		}
		there, err := paragraphs(path)
		if err != nil {
			return err
		}
		here, err := paragraphs(filepath.Join(dir, locale, rel))
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if err != nil {
			return err
		}
		for id, text := range here {
			p := pair{text, there[id]}
			if p.english == "" || len(p.english) < 25 || p.text == p.english {
				continue
			}
			if hash(filepath.ToSlash(rel))%heldOutHelp == 0 {
				rest = append(rest, p)
			} else {
				out = append(out, p)
			}
		}
		return nil
	})
	for _, l := range [][]pair{out, rest} {
		slices.SortFunc(l, func(a, b pair) int { return strings.Compare(a.english+a.text, b.english+b.text) })
	}
	return slices.Compact(out), slices.Compact(rest), err
}

func paragraphs(path string) (map[string]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for _, m := range paragraph.FindAllSubmatch(data, -1) {
		out[string(m[1])] = flat(html.UnescapeString(markup.ReplaceAllString(string(m[2]), "")))
	}
	return out, nil
}

// describedPairs reads names, summaries and paragraphs of descriptions from AppStream's metadata.
func describedPairs(path string, locales []locale) ([]pair, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	var out []pair
	s := bufio.NewScanner(z)
	s.Buffer(nil, 1<<24)
	field, texts, key := "", map[string]string{}, ""
	flush := func() {
		for _, l := range locales {
			if field == "Summary" || field == "Description" {
				out = append(out, described(texts[l.code], texts["C"])...)
			}
		}
		field, key = "", ""
		clear(texts)
	}
	for s.Scan() {
		line := s.Text()
		switch {
		case line == "" || line[0] != ' ':
			flush()
			field, _, _ = strings.Cut(line, ":")
		case strings.HasPrefix(line, "    ") && key != "":
			texts[key] += " " + strings.TrimSpace(line) // a value that goes on
		case strings.HasPrefix(line, "  ") && line[2] != ' ' && line[2] != '-':
			var value string
			key, value, _ = strings.Cut(line[2:], ":")
			texts[key] = strings.TrimSpace(value)
		}
	}
	flush()
	return out, s.Err()
}

// described pairs the paragraphs of two descriptions when both have as many.
func described(text, english string) []pair {
	if text == "" || english == "" {
		return nil
	}
	a, b := blocks(text), blocks(english)
	if len(a) != len(b) {
		return nil
	}
	var out []pair
	for i := range a {
		out = append(out, pair{a[i], b[i]})
	}
	return out
}

func blocks(s string) []string {
	s = strings.Trim(s, `"'>-|`)
	s = strings.NewReplacer(`\n`, " ", `\"`, `"`, "''", "'").Replace(s)
	var out []string
	for _, part := range regexp.MustCompile(`</p>|</li>`).Split(s, -1) {
		if t := flat(html.UnescapeString(markup.ReplaceAllString(part, " "))); t != "" {
			out = append(out, t)
		}
	}
	return out
}
