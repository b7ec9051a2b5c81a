package main

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/openhuman/openhuman-core/datagen/algebra"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/embed/xling"
)

// How a table is fitted.
const (
	dims      = xling.Dims
	epochs    = 8
	firstRate = 0.15
	decay     = 0.8
	dropWord  = 0.2  // how often a word of several characters is passed over, so that its parts learn
	rareFrom  = 1e-3 // how rare a word is to count half
	glosses   = 4    // how many meanings make the first vector of a word
	byPlace   = 0.6  // what each counts of the one before
	composed  = 0.3  // what a word that is to be made up of others counts beside a pair
	ownTimes  = 3    // how often pairs written for this project come
	heldOut   = 25   // one pair in so many is only looked at
)

// loadWords reads a list of words and keeps the n commonest, and all single characters.
func loadWords(path string, n int) ([]*entry, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []*entry
	for l := range strings.Lines(string(data)) {
		f := strings.Split(strings.TrimSuffix(l, "\n"), "\t")
		if len(f) != 3 {
			return nil, fmt.Errorf("%s: line %q", path, l)
		}
		count, err := strconv.ParseFloat(f[1], 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		e := &entry{word: f[0], count: count}
		if f[2] != "" {
			e.glosses = strings.Split(f[2], "; ") // "=" before the first: ours
		}
		list = append(list, e)
	}
	slices.SortStableFunc(list, func(a, b *entry) int { return cmp.Compare(b.count, a.count) })
	single := 0
	for _, e := range list[min(n, len(list)):] {
		if utf8.RuneCountInString(e.word) == 1 {
			single++
		}
	}
	kept := list[:min(n, len(list))-single]
	for _, e := range list[len(kept):] {
		if utf8.RuneCountInString(e.word) == 1 && len(kept) < n {
			kept = append(kept, e)
		}
	}
	return kept, nil
}

// loadSimpler reads the map from traditional to simplified characters.
func loadSimpler(path string) (map[rune]rune, error) {
	m := map[rune]rune{}
	if path == "-" {
		return m, nil
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	for l := range strings.Lines(string(data)) {
		r := []rune(strings.TrimSpace(l))
		if len(r) != 3 {
			return nil, fmt.Errorf("%s: line %q", path, l)
		}
		m[r[0]] = r[2]
	}
	return m, nil
}

// pack makes the files of a language in memory.
func pack(name string, list []*entry, rows, basis []float32, simpler map[rune]rune) (xling.File, error) {
	script, s := xling.Han, xling.Source{Rows: rows, Basis: basis, Simpler: simpler}
	if name == "ja" {
		script = xling.Kana
	}
	for _, e := range list {
		w := xling.Word{Text: e.word, Count: e.count}
		if len(e.glosses) > 0 {
			w.Gloss = e.glosses[0]
		}
		s.Words = append(s.Words, w)
	}
	words, gloss, err := xling.Pack(s)
	return xling.File{Name: name, Script: script, Words: words, Gloss: gloss}, err
}

// An item teaches one sum of rows.
type item struct {
	text   string
	ids    []int32
	other  []float32 // what stands between the words, or nil
	target []float32 // of unit length
	ban    int32     // a word that may not be used, or -1
	weight float32
}

type training struct {
	name  string
	list  []*entry
	lang  *xling.Language
	model *static.Model
	rows  []float32 // a row of dims for each word
	first []float32 // as they began, of unit length
	items []*item
	held  []*item
	r     *rand.Rand
}

// prepare makes the first rows and the items.
func prepare(name, words, simplerPath, pairsPath, own, cachePath string, n int) (*training, map[rune]rune, error) {
	list, err := loadWords(words, n)
	if err != nil {
		return nil, nil, err
	}
	simpler, err := loadSimpler(simplerPath)
	if err != nil {
		return nil, nil, err
	}
	f, err := pack(name, list, nil, nil, simpler)
	if err != nil {
		return nil, nil, err
	}
	t := &training{name: name, list: list, r: rand.New(rand.NewPCG(20, 26))}
	if t.lang, err = xling.Open(f); err != nil {
		return nil, nil, err
	}
	if t.model, err = static.Load(); err != nil {
		return nil, nil, err
	}
	t.begin()
	pairs, err := readPairs(pairsPath)
	if err != nil {
		return nil, nil, err
	}
	written, err := readPairs(own)
	if err != nil {
		return nil, nil, err
	}
	c, err := openCache(cachePath)
	if err != nil {
		return nil, nil, err
	}
	ours := map[string]bool{}
	for _, p := range written {
		ours[flat(p.text)] = true
	}
	for _, p := range pairs {
		v := c.vector(p.english)
		if v == nil {
			return nil, nil, fmt.Errorf("no vector of %q: teach first", p.english)
		}
		it := &item{text: p.text, target: slices.Clone(v), ban: -1, weight: 1}
		t.model.Center(it.target)
		switch {
		case hash(p.text)%heldOut == 0:
			t.held = append(t.held, it)
		case ours[flat(p.text)]:
			for range ownTimes {
				t.items = append(t.items, it)
			}
		default:
			t.items = append(t.items, it)
		}
	}
	fmt.Println("pairs", len(t.items), "held out", len(t.held))
	for i, e := range list {
		if utf8.RuneCountInString(e.word) < 2 || len(e.glosses) == 0 || !strings.ContainsFunc(e.word, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
			continue
		}
		if y := t.first[i*dims:][:dims]; algebra.Dot(y, y) > 0.5 {
			t.items = append(t.items, &item{text: e.word, target: y, ban: int32(i), weight: composed})
		}
	}
	return t, simpler, nil
}

// begin gives every word the vector that its meanings have together; the commoner it is, the shorter.
func (t *training) begin() {
	all := 0.0
	for _, e := range t.list {
		all += e.count
	}
	t.first = make([]float32, len(t.list)*dims)
	t.rows = make([]float32, len(t.list)*dims)
	for i, e := range t.list {
		row, w := t.first[i*dims:][:dims], float32(1)
		for _, g := range e.glosses[:min(glosses, len(e.glosses))] {
			v := make([]float32, dims)
			t.model.Sum(v, strings.TrimPrefix(strings.TrimPrefix(g, "="), "to "))
			algebra.ScaleTo(v, 1)
			for k, x := range v {
				row[k] += w * x
			}
			w *= byPlace
		}
		algebra.ScaleTo(row, 1)
		f := float32(rareFrom / (rareFrom + e.count/all))
		for k, x := range row {
			t.rows[i*dims+k] = f * x
		}
	}
}

// read cuts an item's text into words, passing over some of them by chance.
func (t *training) read(it *item, drop float64) {
	it.ids = it.ids[:0]
	first := it.other == nil
	var other []float32
	t.lang.Each(it.text, func(id int32, characters int) bool {
		return id != it.ban && (characters == 1 || drop == 0 || t.r.Float64() >= drop)
	}, func(id int32) { it.ids = append(it.ids, id) }, func(s string) {
		if first {
			if other == nil {
				other = make([]float32, dims)
			}
			t.model.Sum(other, s)
		}
	})
	if first && other != nil {
		it.other = other
	}
}

func (t *training) sum(dst []float32, rows []float32, it *item) {
	clear(dst)
	copy(dst, it.other)
	algebra.AddRows(dst, rows, it.ids)
}

// score is the mean cosine over the pairs held out.
func (t *training) score(rows []float32) float64 {
	sum, s := 0.0, make([]float32, dims)
	for _, it := range t.held {
		t.read(it, 0)
		t.sum(s, rows, it)
		if n := math.Sqrt(algebra.Dot(s, s)); n > 0 {
			sum += algebra.Dot(s, it.target) / n
		}
	}
	return sum / float64(len(t.held))
}

// found is which share of the pairs held out is nearest to its own target.
func (t *training) found(rows []float32) float64 {
	hits, s := 0, make([]float32, dims)
	for _, it := range t.held {
		t.read(it, 0)
		t.sum(s, rows, it)
		own, better := algebra.Dot(s, it.target), 0
		for _, other := range t.held {
			if algebra.Dot(s, other.target) > own {
				better++
			}
		}
		if better == 0 {
			hits++
		}
	}
	return float64(hits) / float64(len(t.held))
}

// descend moves rows so that the sums of items point along their targets. limit is how many rounds.
func (t *training) descend(limit int) {
	descent, s := algebra.NewDescent(t.rows, dims), make([]float32, dims)
	rate := float32(firstRate)
	for round := range limit {
		t.r.Shuffle(len(t.items), func(a, b int) { t.items[a], t.items[b] = t.items[b], t.items[a] })
		for _, it := range t.items {
			t.read(it, dropWord)
			t.sum(s, t.rows, it)
			descent.Step(it.ids, s, it.target, it.weight, rate)
		}
		rate *= decay
		fmt.Printf("round %d: held-out cosine %.4f\n", round+1, t.score(t.rows))
	}
}

// train fits the table of a language and writes its two files.
func train(args []string) error {
	n, err := strconv.Atoi(args[6])
	if err != nil {
		return err
	}
	rank, err := strconv.Atoi(args[7])
	if err != nil {
		return err
	}
	t, simpler, err := prepare(args[0], args[1], args[2], args[3], args[4], args[5], n)
	if err != nil {
		return err
	}
	fmt.Printf("%d words, start: held-out cosine %.4f, found %.3f\n", len(t.list), t.score(t.rows), t.found(t.rows))
	t.descend(epochs)
	fmt.Printf("found %.3f\n", t.found(t.rows))
	t.chooseGlosses()
	basis := algebra.Directions(t.rows, func(id int) float64 { return math.Sqrt(math.Max(t.list[id].count, 0.5)) }, rank)
	f, err := pack(t.name, t.list, algebra.Project(t.rows, basis), basis, simpler)
	if err != nil {
		return err
	}
	fmt.Println("bytes", len(f.Words), len(f.Gloss))
	if err := os.WriteFile(args[8]+".words.bin", f.Words, 0o644); err != nil {
		return err
	}
	return os.WriteFile(args[8]+".gloss.bin", f.Gloss, 0o644)
}

// chooseGlosses puts that meaning of each word first which is nearest to the vector it has learnt,
// short ones and those that the dictionary puts first before others.
func (t *training) chooseGlosses() {
	v := make([]float32, dims)
	for i, e := range t.list {
		best, least := "", math.Inf(-1)
		if len(e.glosses) > 0 && strings.HasPrefix(e.glosses[0], "=") { // ours
			e.glosses[0] = e.glosses[0][1:]
			continue
		}
		row := t.rows[i*dims:][:dims]
		size := math.Sqrt(algebra.Dot(row, row))
		for k, g := range e.glosses[:min(len(e.glosses), 6)] {
			g = strings.TrimPrefix(g, "to ")
			clear(v)
			t.model.Sum(v, g)
			score := -0.08*float64(k) - 0.02*float64(strings.Count(g, " "))
			if n := math.Sqrt(algebra.Dot(v, v)) * size; n > 0 {
				score += algebra.Dot(v, row) / n
			}
			if score > least {
				best, least = g, score
			}
		}
		if best != "" {
			e.glosses[0] = best
		}
	}
}
