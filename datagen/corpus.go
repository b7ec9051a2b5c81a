package main

import (
	"bufio"
	_ "embed"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

//go:embed prose.txt
var prose string

// How many texts of each kind the corpus has.
const (
	corpusGlosses   = 60_000
	corpusNamed     = 30_000 // a word and what it means
	corpusExamples  = 48_000
	corpusProse     = 40_000
	corpusPassages  = 12_000 // several of the above, as long as a chunk
	passageSentence = 6
)

// corpus writes the training text of the static model, one text a line: definitions and examples
// from WordNet, and our own sentences with its words. Chance is seeded.
func corpus(args []string) error {
	r := rand.New(rand.NewPCG(20, 26))
	var glosses, named, examples []string
	for _, part := range []string{"noun", "verb", "adj", "adv"} {
		err := lines(filepath.Join(args[0], "data."+part), func(line string) {
			head, gloss, ok := strings.Cut(line, " | ")
			fields := strings.Fields(head)
			if !ok || len(fields) < 5 {
				return
			}
			definition, rest, _ := strings.Cut(gloss, `"`)
			definition = strings.Trim(definition, "; ")
			if definition != "" {
				glosses = append(glosses, definition)
				named = append(named, strings.ReplaceAll(fields[4], "_", " ")+": "+definition)
			}
			for i, s := range strings.Split(`"`+rest, `"`) {
				if s = strings.TrimSpace(s); i%2 == 1 && len(s) > 10 {
					examples = append(examples, s)
				}
			}
		})
		if err != nil {
			return err
		}
	}
	own, err := ownProse(args[0], r)
	if err != nil {
		return err
	}
	var out []string
	for _, k := range []struct {
		texts []string
		n     int
	}{{glosses, corpusGlosses}, {named, corpusNamed}, {examples, corpusExamples}, {own, corpusProse}} {
		r.Shuffle(len(k.texts), func(i, j int) { k.texts[i], k.texts[j] = k.texts[j], k.texts[i] })
		out = append(out, k.texts[:min(k.n, len(k.texts))]...)
	}
	for range corpusPassages {
		var p []string
		for range 2 + r.IntN(passageSentence-1) {
			from := [][]string{own, examples, glosses}[r.IntN(3)]
			p = append(p, from[r.IntN(len(from))])
		}
		out = append(out, strings.Join(p, ". "))
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return os.WriteFile(args[1], []byte(strings.Join(out, "\n")+"\n"), 0o644)
}

// ownProse fills the sentences of prose.txt.
func ownProse(wordnet string, r *rand.Rand) ([]string, error) {
	slots := map[string][]string{}
	for slot, part := range map[string]string{"noun": "noun", "verb": "verb", "adjective": "adj"} {
		err := lines(filepath.Join(wordnet, "index."+part), func(line string) {
			// lemma, part of speech, senses, pointers and their signs, senses, senses met in texts…
			f := strings.Fields(line)
			if strings.HasPrefix(line, " ") || strings.ContainsAny(f[0], "_-.'0123456789") {
				return
			}
			var pointers int
			if _, err := fmt.Sscan(f[3], &pointers); err == nil && f[5+pointers] != "0" {
				slots[slot] = append(slots[slot], f[0])
			}
		})
		if err != nil {
			return nil, err
		}
	}
	var templates []string
	for _, l := range strings.Split(strings.TrimSpace(prose), "\n") {
		switch l[0] {
		case '#', ' ':
		case '=':
			name, values, _ := strings.Cut(l[2:], ": ")
			slots[name] = strings.Split(values, "|")
		default:
			templates = append(templates, l)
		}
	}
	out := make([]string, corpusProse)
	for i := range out {
		rest := templates[i%len(templates)]
		var b strings.Builder
		for {
			before, after, ok := strings.Cut(rest, "{")
			b.WriteString(before)
			if !ok {
				break
			}
			slot, next, _ := strings.Cut(after, "}")
			values := slots[slot]
			if len(values) == 0 {
				return nil, fmt.Errorf("prose.txt: nothing to fill {%s} with", slot)
			}
			b.WriteString(values[r.IntN(len(values))])
			rest = next
		}
		out[i] = b.String()
	}
	return out, nil
}

func lines(path string, each func(line string)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		each(s.Text())
	}
	return s.Err()
}
