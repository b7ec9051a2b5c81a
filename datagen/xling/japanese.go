package main

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"

	"github.com/openhuman/openhuman-core/internal/embed/xling"
)

// japaneseWords makes the list of Japanese words from EDICT and COMPDIC. How often they occur is
// counted in the texts of the pairs, by the longest match, and from the dictionary's mark of common
// words.
func japaneseWords(args []string) error {
	d := newDictionary()
	common := map[string]bool{}
	var inflected []japaneseEntry
	for _, path := range args[:2] {
		entries, err := readEDICT(path)
		if err != nil {
			return err
		}
		for _, e := range entries {
			for _, w := range e.writings() {
				d.add(w, e.glosses, false)
				common[w] = common[w] || e.common
			}
			if e.class != "" {
				inflected = append(inflected, e)
			}
		}
	}
	addStems(d, common, inflected)
	for _, w := range slices.Sorted(maps.Keys(functionWords)) {
		g := functionWords[w]
		e := d.add(w, nil, false)
		e.glosses = nil
		if g != "" {
			e.glosses = []string{g}
		}
		common[w] = true
	}
	if err := d.addOwn(args[2]); err != nil {
		return err
	}
	pairs, err := readPairs(args[3])
	if err != nil {
		return err
	}
	counted := map[string]float64{}
	for _, p := range pairs {
		countLongest(d, p.text, counted)
	}
	prior := func(e *entry) float64 {
		switch {
		case e.own:
			return 6
		case common[e.word]:
			return 2
		case hasHan(e.word) && utf8.RuneCountInString(e.word) <= 4:
			return 0.4
		}
		return 0.3
	}
	for _, e := range d.list {
		e.count = min(counted[e.word], mostGreedy) + prior(e)
	}
	for range countRounds {
		if counted, err = countLikeliest(d.list, pairs); err != nil {
			return err
		}
		for _, e := range d.list {
			e.count = counted[e.word] + prior(e)
		}
	}
	fmt.Println("words", len(d.list))
	return writeWords(args[4], d.list)
}

const (
	// mostGreedy bounds what the longest match counts: it finds short words where there are none.
	mostGreedy  = 40
	countRounds = 4
	countWords  = 60_000
)

// countLikeliest counts words in the likeliest cuts of the texts, by what they count so far.
func countLikeliest(list []*entry, pairs []pair) (map[string]float64, error) {
	sorted := slices.Clone(list)
	slices.SortStableFunc(sorted, func(a, b *entry) int { return cmp.Compare(b.count, a.count) })
	sorted = sorted[:min(len(sorted), countWords)]
	f, err := pack("ja", sorted, nil, nil, nil)
	if err != nil {
		return nil, err
	}
	l, err := xling.Open(f)
	if err != nil {
		return nil, err
	}
	counts := map[string]float64{}
	for _, p := range pairs {
		l.Each(p.text, nil, func(id int32) { counts[sorted[id].word]++ }, func(string) {})
	}
	return counts, nil
}

func hasHan(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
}

type japaneseEntry struct {
	word, reading string
	glosses       []string
	common, kana  bool   // usually written in kana
	class         string // of a verb or adjective: how it is inflected
}

// writings are the ways in which the word is written.
func (e *japaneseEntry) writings() []string {
	out := []string{e.word}
	if n := utf8.RuneCountInString(e.reading); e.reading != e.word && (e.common || e.kana) && n >= 3 && n <= 6 {
		out = append(out, e.reading)
	}
	return out
}

var (
	edictLine  = regexp.MustCompile(`^(\S+) (?:\[([^\]]+)\] )?/(.*)/$`)
	edictClass = regexp.MustCompile(`\((?:[a-z0-9-]+,)*(v1|v5[a-z]|vs-i|vk|adj-i)(?:[,)-])`)
)

// readEDICT reads a dictionary in EDICT's format, EUC-JP: "word [reading] /(class) meaning/…/".
func readEDICT(path string) ([]japaneseEntry, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	text, err := japanese.EUCJP.NewDecoder().Bytes(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var out []japaneseEntry
	for l := range strings.Lines(string(text)) {
		m := edictLine.FindStringSubmatch(strings.TrimSpace(l))
		if m == nil || strings.Contains(m[1], "？") {
			continue
		}
		e := japaneseEntry{word: m[1], reading: m[2], common: strings.Contains(m[3], "(P)"), kana: strings.Contains(m[3], "(uk)")}
		if c := edictClass.FindStringSubmatch(m[3]); c != nil {
			e.class = c[1]
		}
		archaic := strings.Contains(m[3], "(arch)") || strings.Contains(m[3], "(obs)")
		for _, part := range strings.Split(m[3], "/") {
			for _, one := range strings.Split(part, ";") {
				if g := gloss(strings.TrimSpace(one)); g != "" && g != "P" && !strings.HasPrefix(g, "EntL") && !contains(e.glosses, g) {
					e.glosses = append(e.glosses, g)
				}
			}
		}
		if len(e.glosses) > 0 && !(archaic && !e.common) && strings.ContainsFunc(e.word, isJapanese) {
			e.glosses = e.glosses[:min(len(e.glosses), 6)]
			out = append(out, e)
		}
	}
	return out, nil
}

func isJapanese(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー'
}

// rows of the kana that the stems of verbs end in: five forms and the one before た and て.
var rows = map[string][]string{
	"う": {"わ", "い", "え", "お", "っ"}, "く": {"か", "き", "け", "こ", "い"}, "ぐ": {"が", "ぎ", "げ", "ご", "い"},
	"す": {"さ", "し", "せ", "そ"}, "つ": {"た", "ち", "て", "と", "っ"}, "ぬ": {"な", "に", "ね", "の", "ん"},
	"ぶ": {"ば", "び", "べ", "ぼ", "ん"}, "む": {"ま", "み", "め", "も", "ん"}, "る": {"ら", "り", "れ", "ろ", "っ"},
}

// addStems adds the forms that verbs and adjectives take before their endings.
func addStems(d *dictionary, common map[string]bool, list []japaneseEntry) {
	for _, e := range list {
		for _, w := range e.writings() {
			last, n := utf8.DecodeLastRuneInString(w)
			stem := w[:len(w)-n]
			var forms []string
			switch {
			case e.class == "v1" && last == 'る' || e.class == "adj-i" && last == 'い':
				forms = []string{stem}
				if e.class == "adj-i" {
					forms = []string{stem + "く", stem + "かっ", stem + "けれ", stem + "さ"}
				}
			case strings.HasPrefix(e.class, "v5"):
				for _, k := range rows[string(last)] {
					forms = append(forms, stem+k)
				}
			}
			for _, f := range forms {
				if utf8.RuneCountInString(f) < 2 || !hasHan(f) && utf8.RuneCountInString(f) < 3 || d.at[f] != nil {
					continue
				}
				d.add(f, e.glosses, false)
				common[f] = e.common
			}
		}
	}
}

// countLongest counts the words of a text, taking the longest that fits each time.
func countLongest(d *dictionary, text string, counts map[string]float64) {
	const longest = 10
	r := []rune(text)
	for i := 0; i < len(r); {
		n := 1
		if isJapanese(r[i]) {
			for k := min(longest, len(r)-i); k > 1; k-- {
				if d.at[string(r[i:i+k])] != nil {
					n = k
					break
				}
			}
		}
		counts[string(r[i:i+n])]++
		i += n
	}
}

// functionWords are what sentences are held together by, with what little they mean.
var functionWords = func() map[string]string {
	m := map[string]string{"ない": "not", "なかっ": "not", "なく": "not", "ません": "not", "たい": "want", "たく": "want", "から": "from", "まで": "until", "より": "than", "だけ": "only", "いつ": "when", "どこ": "where", "だれ": "who", "なに": "what", "なぜ": "why", "どう": "how", "いくら": "how much", "いくつ": "how many", "くらい": "about", "ぐらい": "about", "ので": "because", "ため": "for", "ほど": "about", "もう": "already", "まだ": "still", "また": "again", "とき": "when", "あと": "after", "まえ": "before", "ほう": "direction", "しか": "only", "ずつ": "each", "など": "and so on", "もし": "if", "でも": "but"}
	for _, w := range strings.Fields(`の は が を に へ と も で や か ね よ な さ ぞ わ て た だ う い る れ し す
		です ます でした ました しま します しました しません しましょ まし ませ せん ん でしょ でしょう ましょう だろう だっ だった である であり では には とは へは との への での からの までの
		こと もの よう そう する して した しな され させ せる さん ちゃん くん さま って っけ だっけ じゃ ちゃっ ちゃう てる てた でる でた とか なら たら れば けど けれど
		いる いた いて いま います いました ある あり あっ あった なる なっ なり なった れる られ られる この その あの どの これ それ あれ どれ ここ そこ あそこ
		ください くれ もらっ あげ おき おく しまっ み みる くる き いく いっ てい ている について として という といった により による ながら たり`) {
		m[w] = ""
	}
	return m
}()
