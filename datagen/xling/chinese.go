package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
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
	references, surnames := map[string]string{}, map[string]string{}
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
			if m := sameAs.FindStringSubmatch(definition); m != nil && isHan(e.simplified) {
				references[e.simplified] = m[1]
			}
			if m := surname.FindStringSubmatch(definition); m != nil && surnames[e.simplified] == "" {
				surnames[e.simplified] = m[1]
			}
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
	// Short forms of other words have their meanings.
	for word, as := range references {
		if d.at[word] == nil && d.at[as] != nil {
			d.add(word, d.at[as].glosses, false)
		}
	}
	addSurnames(d, surnames)
	for _, e := range d.list {
		e.count = max(e.count, counts[e.word])
	}
	if err := d.addOwn(args[2]); err != nil {
		return err
	}
	if err := d.countTexts(args[3]); err != nil {
		return err
	}
	fmt.Println("entries", len(entries), "words", len(d.list))
	return errors.Join(writeWords(args[4], d.list), writeSimpler(args[5], simpler, d))
}

var surname = regexp.MustCompile(`^surname ([A-Z][a-zü]+)$`)

// commonSurnames are those that most people have.
const commonSurnames = "王李张刘陈杨黄赵周吴徐孙马朱胡郭何高林罗郑梁谢宋唐许韩冯邓曹彭曾肖田董袁潘于蒋蔡余杜叶程苏魏吕丁任沈姚卢姜崔钟谭陆汪范金石廖贾夏韦付方白邹孟熊秦邱江尹薛闫段雷侯龙史陶黎贺顾毛郝龚邵万钱严覃武戴莫孔向汤"

// addSurnames adds what people are called by their surname, "old Wang", so that it is no old king.
func addSurnames(d *dictionary, readings map[string]string) {
	for _, r := range commonSurnames {
		name := readings[string(r)]
		if name == "" {
			continue
		}
		for _, x := range [][2]string{{"老" + string(r), "Lao " + name}, {"小" + string(r), "Xiao " + name}, {string(r) + "总", name + " boss"}, {string(r) + "老师", "teacher " + name}, {string(r) + "医生", "doctor " + name}, {string(r) + "师傅", "master " + name}, {string(r) + "阿姨", "auntie " + name}, {string(r) + "叔", "uncle " + name}} {
			if d.at[x[0]] == nil {
				d.add(x[0], []string{x[1]}, false).count = nameCount
			}
		}
	}
}

const (
	// nameCount is how often a person called by a surname is taken to occur.
	nameCount = 20
	// textCount is what a word in the pairs counts beside one in the list of frequencies, which knows
	// no new words.
	textCount = 30
)

// countTexts counts the words of pairs too, by the longest match.
func (d *dictionary) countTexts(path string) error {
	pairs, err := readPairs(path)
	if err != nil {
		return err
	}
	counts := map[string]float64{}
	for _, p := range pairs {
		countLongest(d, p.text, counts)
	}
	for _, e := range d.list {
		if utf8.RuneCountInString(e.word) > 1 {
			e.count += textCount * min(counts[e.word], 10)
		}
	}
	return nil
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
		mark := "" // a meaning of ours is not chosen again
		if e.own && len(e.glosses) > 0 {
			mark = "="
		}
		fmt.Fprintf(&b, "%s\t%g\t%s%s\n", e.word, e.count, mark, strings.Join(e.glosses, "; "))
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
	// What others become is a simplified character itself: 么 of 麼 is not the 幺 that it is another way to write.
	targets := map[string]bool{}
	for _, l := range lines {
		_, to, _ := strings.Cut(l, "\t")
		targets[to] = true
	}
	lines = slices.DeleteFunc(lines, func(l string) bool { from, _, _ := strings.Cut(l, "\t"); return targets[from] })
	slices.Sort(lines)
	fmt.Println("traditional characters", len(lines))
	return os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}
