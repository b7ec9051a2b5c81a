package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// chineseWords makes the list of Chinese words from CC-CEDICT, with the frequencies of jieba, and the
// map from traditional to simplified characters.
func chineseWords(args []string) error {
	entries, err := readCEDICT(args[0])
	if err != nil {
		return err
	}
	counts, err := readCounts(args[1])
	if err != nil {
		return err
	}
	d := newDictionary()
	simpler := map[rune]map[rune]int{} // how many words write one character for another
	for _, e := range entries {
		for i, t := range []rune(e.traditional) {
			s := []rune(e.simplified)
			if len(s) != utf8.RuneCountInString(e.traditional) || !unicode.Is(unicode.Han, t) {
				break
			}
			if simpler[t] == nil {
				simpler[t] = map[rune]int{}
			}
			simpler[t][s[i]]++
		}
		var glosses []string
		for _, definition := range e.definitions {
			for _, part := range strings.FieldsFunc(definition, func(r rune) bool { return r == '/' || r == ';' }) {
				if g := gloss(strings.TrimSpace(part)); g != "" {
					glosses = append(glosses, g)
				}
			}
		}
		if len(glosses) > 0 && isHan(e.simplified) {
			d.add(e.simplified, glosses, e.reading != "" && unicode.IsUpper(rune(e.reading[0])))
		}
	}
	for _, e := range d.list {
		e.count = counts[e.word]
	}
	fmt.Println("entries", len(entries), "words", len(d.list))
	return errors.Join(writeWords(args[2], d.list), writeSimpler(args[3], simpler, d))
}

type cedictEntry struct {
	traditional, simplified, reading string
	definitions                      []string
}

// readCEDICT reads the list that the package cc-cedict exports.
func readCEDICT(path string) ([]cedictEntry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct{ All [][]json.RawMessage }
	if err := json.Unmarshal(bytes.TrimSuffix(bytes.TrimSpace(bytes.TrimPrefix(data, []byte("export default"))), []byte(";")), &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out []cedictEntry
	for _, raw := range file.All {
		var e cedictEntry
		if len(raw) < 4 {
			return nil, fmt.Errorf("%s: entry %d is short", path, len(out))
		}
		for i, to := range []*string{&e.traditional, &e.simplified, &e.reading} {
			if err := json.Unmarshal(raw[i], to); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		if json.Unmarshal(raw[3], &e.definitions) != nil {
			e.definitions = make([]string, 1)
			if err := json.Unmarshal(raw[3], &e.definitions[0]); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		out = append(out, e)
	}
	return out, nil
}

// readCounts reads how often words occur: a word, a number and more a line.
func readCounts(path string) (map[string]float64, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	out := map[string]float64{}
	for l := range strings.Lines(string(data)) {
		f := strings.Fields(l)
		if len(f) < 2 {
			continue
		}
		n, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		out[f[0]] = n
	}
	return out, nil
}

func isHan(s string) bool {
	for _, r := range s {
		if !unicode.Is(unicode.Han, r) {
			return false
		}
	}
	return s != ""
}

// writeWords writes words by how often they occur: word, count, meanings.
func writeWords(path string, list []*entry) error {
	slices.SortStableFunc(list, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(b.count, a.count), cmp.Compare(len(a.word), len(b.word)), cmp.Compare(a.word, b.word))
	})
	var b strings.Builder
	for _, e := range list {
		fmt.Fprintf(&b, "%s\t%g\t%s\n", e.word, e.count, strings.Join(e.glosses, "; "))
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}

// writeSimpler writes for each traditional character the simplified one, where that is clear: most
// words agree, and the character is no word of its own.
func writeSimpler(path string, simpler map[rune]map[rune]int, d *dictionary) error {
	var lines []string
	for t, to := range simpler {
		best, n, all := rune(0), 0, 0
		for s, k := range to {
			all += k
			if k > n || k == n && s < best {
				best, n = s, k
			}
		}
		if best != t && 2*n > all && d.at[string(best)] != nil {
			lines = append(lines, string(t)+"\t"+string(best))
		}
	}
	slices.Sort(lines)
	fmt.Println("traditional characters", len(lines))
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}
