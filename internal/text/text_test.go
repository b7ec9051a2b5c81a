package text_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/text"
)

func TestFold(t *testing.T) {
	for in, want := range map[string]string{
		"":                   "",
		"plain":              "plain",
		"Crème BRÛLÉE":       "creme brulee",
		"Cre\u0300me":        "creme",
		"Straße ẞ":           "strasse ss",
		"Ærøskøbing Łódź Đà": "aeroskobing lodz da",
		"İstanbul ısı":       "istanbul isi",
		"ΆΛΦΑ Οδυσσεύς":      "αλφα οδυσσευσ",
		"Ёлка Йод":           "елка иод",
		"שָׁלוֹם":            "שלום",
		"مُحَمَّد أحمد مـــرحبا": "محمد احمد مرحبا",
		"हिन्दी":                 "हिन्दी",
		"ภาษาไทยที่":             "ภาษาไทยที่",
		"ＡＢＣ１２３":                 "abc123",
		"ﾊﾟﾝ ガ":                  "パン ガ",
		"か\u3099":                "が",
		"ﬁne":                    "fine",
		"한국어":                    "한국어",
		"\u1112\u1161\u11ab":     "한",
		"co\u00adop a\u200db":    "coop ab",
		"it’s “POL‑358” – ok":    `it's "pol-358" - ok`,
		"葛\U000E0100":            "葛",
		"bad\xff\xfeutf":         "bad\ufffdutf",
		"⼈ 豈":                    "人 豈",
		"𝐇𝐞𝐥𝐥𝐨":                  "hello",
		"Việt Nam":               "viet nam",
	} {
		if got := text.Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestAppendIndex(t *testing.T) {
	for in, want := range map[string]string{
		"":                                        "",
		"  ...  ":                                 "",
		"Running late, meetings!":                 "run late meet",
		"POL-358 snake_case v1.0.21":              "pol 358 snake case v1 0 21",
		"a@b.org 38.101 C:\\Users\\x":             "a b org 38 101 c user x",
		"数据库":                                     "数据 据库 库",
		"重跑gen-itgc后":                             "重跑 跑 gen itgc 后",
		"第3章":                                     "第 3 章",
		"我们，在":                                    "我们 们 在",
		"検索を改善":                                   "検索 索を を改 改善 善",
		"한국어 글":                                   "한국 국어 어 글",
		"ภาษาไทย":                                 "ภา าษ ษา าไ ไท ทย ย",
		"ที่นี่":                                  "ที่นี่ นี่",
		"ไทย漢字":                                   "ไท ทย ย 漢字 字",
		"Привет мир":                              "привет мир",
		"हिन्दी में":                              "हिन्दी में",
		"می\u200cخواهم":                           "میخواهم",
		"⅓ cup":                                   "1 3 cup",
		"x² naïve":                                "x2 naiv",
		"\u0301 alone":                            "alon",
		"ﷺ":                                       "صلى الله عليه وسلم",
		strings.Repeat("ab", 40):                  strings.Repeat("ab", 32),
		strings.Repeat("é", 70) + " x":            strings.Repeat("e", 64) + " x",
		strings.Repeat("д", 40):                   strings.Repeat("д", 32),
		"co\u00adoperate\u200bsplit":              "cooper split",
		"bad\xffutf":                              "bad utf",
		"ok👍🏽 ✅ ♥️♥️":                             "ok 👍 ✅ ♥ ♥",
		"🎉🎂好👍🏽👍":                                  "🎉 🎂 好 👍 👍",
		"👩\u200d🚀│──│ → ©":                        "👩\u200d🚀",
		"👩🏽\u200d❤️\u200d👩🏿👩":                     "👩\u200d❤\u200d👩 👩",
		"🇩🇪🇫🇷🇩 1️⃣⏰⌚":                             "🇩🇪 🇫🇷 🇩 1 ⏰ ⌚",
		"\u200d🚀 👩\u200dx \u2e9a":                 "🚀 👩 x",
		"ﬁne ＡＢ１ it’s ＩＴ＇Ｓ":                       "fine ab1 it s it s",
		"ısı ISI İSİ":                             "isi isi isi",
		"\u1112\u1161\u11ab\u1100\u116e\u11a8 한국": "한국 국 한국 국",
		"مُحَمَّد محمد שָׁלוֹם שלום": "محمد محمد שלום שלום",
	} {
		if got := string(text.AppendIndex(nil, in)); got != want {
			t.Errorf("AppendIndex(%q) = %q, want %q", in, got, want)
		}
	}
	if got := string(text.AppendIndex([]byte("one"), "two 三")); got != "one two 三" {
		t.Errorf("appended: %q", got)
	}
}

func TestAppendExtra(t *testing.T) {
	for in, want := range map[string]string{
		"plain Words HERE 123":   "",
		"getUserName":            "get user name",
		"HTTPServer worker3":     "http server worker 3",
		"parseURLs PDFs":         "pars url",
		"v1.0.21":                "v 1",
		"OAuth2Token":            "o auth 2 token",
		"iPhone15":               "i phone 15",
		"3rd":                    "3 rd",
		"naïveCase caféBar":      "",
		"数据A1":                   "a 1",
		strings.Repeat("aB", 40): "",
	} {
		if got := string(text.AppendExtra(nil, in)); got != want {
			t.Errorf("AppendExtra(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	// Pairs as the description of the algorithm gives them.
	for in, want := range map[string]string{
		"consign": "consign", "consigned": "consign", "consigning": "consign", "consignment": "consign",
		"consist": "consist", "consistency": "consist", "consistently": "consist", "consolation": "consol",
		"knack": "knack", "knightly": "knight", "knots": "knot", "knives": "knive", "generate": "generat", "general": "general",
		"generic": "generic", "communism": "communism", "arsenal": "arsenal", "happy": "happi", "happiness": "happi", "say": "say",
		"cry": "cri", "by": "by", "ties": "tie", "cries": "cri", "gas": "gas", "this": "this", "gaps": "gap", "kiwis": "kiwi",
		"hopping": "hop", "hoping": "hope", "hoped": "hope", "luxuriated": "luxuri", "sized": "size", "bed": "bed", "agreed": "agre",
		"feed": "feed", "relational": "relat", "conditional": "condit", "rationalization": "ration", "sky": "sky", "skies": "sky",
		"dying": "die", "news": "news", "inning": "inning", "innings": "inning", "succeeded": "succeed", "proceeds": "proceed",
		"youth": "youth", "boy": "boy", "playing": "play", "yes": "yes", "hopefulness": "hope", "analogous": "analog",
		"psychology": "psycholog", "controlling": "control", "rolled": "roll", "decisions": "decis", "meetings": "meet",
		"berlin": "berlin", "databases": "databas", "adoption": "adopt", "migrations": "migrat", "possibly": "possibl",
	} {
		if got := text.Stem(in); got != want {
			t.Errorf("Stem(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestStemsAgreeWithTheIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := rapid.StringMatching(`[a-z]{1,8}(ing|ed|s|ly|ness|ational|ization|y|ies|ment|ful|ive)?`).Draw(t, "word")
		once := text.Stem(w)
		if len(once) > len(w) || once == "" {
			t.Fatalf("Stem(%q) = %q", w, once)
		}
		// The second time comes from the cache.
		if got, want := string(text.AppendIndex(nil, w+" "+w)), once+" "+once; got != want {
			t.Fatalf("AppendIndex(%q) = %q, want %q", w, got, want)
		}
	})
}

func TestEstimateTokens(t *testing.T) {
	for in, want := range map[string]int{"": 0, "a": 1, "abcd": 1, "abcde": 2, "数据库表达": 4, "привет": 3} {
		if got := text.EstimateTokens(in); got != want {
			t.Errorf("EstimateTokens(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestStopWords(t *testing.T) {
	for w, want := range map[string]bool{"the": true, "什么": true, "的": true, "berlin": false, "": false, "上海": false} {
		if got := text.IsStopWord(w); got != want {
			t.Errorf("IsStopWord(%q) = %v", w, got)
		}
	}
	got := text.ContentParts("我们什么时候去里斯本的会议")
	if diff := cmp.Diff([]string{"去里斯本", "会议"}, got); diff != "" {
		t.Error(diff)
	}
}

// pieces makes strings that cross the borders between scripts and hold what breaks normalisers.
func pieces() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		n := rapid.IntRange(0, 8).Draw(t, "n")
		var b strings.Builder
		for range n {
			b.WriteString(rapid.OneOf(
				rapid.SampledFrom([]string{" ", "-", ".", "_", "的", "数据", "カ", "ﾊﾞ", "ไทย", "ที่", "é", "e\u0301", "ß", "İ", "а́", "й",
					"👍", "🏽", "👩\u200d🚀", "🇩🇪", "🇫", "❤\ufe0f", "שָׁ", "مُ", "हि", "한", "\u1112\u1161", "\u200d", "\u200b", "\ufe0f", "ﷺ", "⅓", "①", "℃", "\xff", "\xe4\xb8", "ＡB", "𝐇", "\u0345", "ʼn"}),
				rapid.String(),
				rapid.StringMatching(`[A-Za-z0-9]{1,6}`),
			).Draw(t, "piece"))
		}
		return b.String()
	})
}

func checkText(t interface{ Fatalf(string, ...any) }, s string) {
	f := text.Fold(s)
	if !utf8.ValidString(f) {
		t.Fatalf("Fold(%q) = %q is no UTF-8", s, f)
	}
	if again := text.Fold(f); again != f {
		t.Fatalf("Fold(%q) = %q, folded again %q", s, f, again)
	}
	for _, out := range [][]byte{text.AppendIndex(nil, s), text.AppendExtra(nil, s)} {
		if len(out) == 0 {
			continue
		}
		for _, tok := range strings.Split(string(out), " ") {
			if tok == "" || len(tok) > text.MaxToken || !utf8.ValidString(tok) {
				t.Fatalf("token %q of %q", tok, s)
			}
			for _, r := range tok {
				if !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.So) && r != '\u200d' || r >= 'A' && r <= 'Z' {
					t.Fatalf("token %q of %q holds %q", tok, s, r)
				}
			}
		}
	}
	// The index holds the terms of the tokens, in order.
	var want []string
	end := 0
	for tok := range text.Tokens(s) {
		if tok.Start < 0 || tok.End > len(s) || tok.Start >= tok.End || tok.End < end {
			t.Fatalf("token %+v of %q", tok, s)
		}
		end = tok.End
		if tok.Run {
			want = append(want, tok.Grams(true)...)
		} else {
			want = append(want, tok.Term())
		}
	}
	got := strings.Fields(string(text.AppendIndex(nil, s)))
	if !slices.Equal(got, want) {
		t.Fatalf("of %q: index %q, tokens %q", s, got, want)
	}
	_, places := text.AppendPlaces(nil, nil, s, nil)
	if len(places) != len(got) || !slices.IsSorted(places) || len(got) > 0 && places[len(got)-1] >= len(s) {
		t.Fatalf("of %q: %d tokens at %v", s, len(got), places)
	}
}

// Whatever the tables of scripts hold, each character alone keeps the rules.
func TestTextOfEveryCharacter(t *testing.T) {
	for r := range unicode.MaxRune + 1 {
		checkText(t, string(r))
	}
}

func TestTextProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { checkText(t, pieces().Draw(t, "s")) })
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"", "POL-358 数据库abc", "ที่ \u0301\xff", "getHTTPServer2 ﷺ ⅓ ①", "\x8d\xe6\x8d\u2e9a9\x84\xae", "👩🏽\u200d🚀👍 🇩🇪🇫", strings.Repeat("y", 70) + "\xc3", "ＡＢ ﾊﾟ é\u0301 İ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkText(t, s) })
}

// A run is found by any part of it of two characters or more, wherever it stands.
func TestGramsFindEveryPart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		run := []rune(rapid.StringMatching(`[一-龥ぁ-んァ-ヴ가-힣]{2,12}`).Draw(t, "run"))
		i := rapid.IntRange(0, len(run)-2).Draw(t, "from")
		j := rapid.IntRange(i+2, len(run)).Draw(t, "to")
		index := " " + string(text.AppendIndex(nil, "x "+string(run)+" y")) + " "
		for tok := range text.Tokens(string(run[i:j])) {
			if part := " " + strings.Join(tok.Grams(false), " ") + " "; !strings.Contains(index, part) {
				t.Fatalf("%q not in %q", part, index)
			}
		}
	})
}

const english = `The migration of the billing database was finished on Tuesday, two days earlier than we had planned.
Alice suggested that the remaining workers (worker3 and worker4) should be restarted one after another, because the
connections they hold are expensive to re-establish; see POL-358 for the reasoning behind the decision. Meetings next
week: the quarterly review with Moreau & Sons, and a long-delayed conversation about hiring. `

func BenchmarkAppendIndex(b *testing.B) {
	for name, s := range map[string]string{
		"english": strings.Repeat(english, 10),
		"chinese": strings.Repeat("我们在里斯本开会，讨论个人记忆库的检索质量，并决定下周发布。", 40),
		"russian": strings.Repeat("Мы решили перенести базу данных в пятницу, потому что всё уже готово. ", 40),
		"french":  strings.Repeat("Le déménagement à été décidé après la réunion générale d'hier, malgré les réserves. ", 40),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(s)))
			var dst []byte
			for b.Loop() {
				dst = text.AppendIndex(dst[:0], s)
			}
		})
	}
}

func BenchmarkAppendExtra(b *testing.B) {
	s := strings.Repeat(english, 10)
	b.SetBytes(int64(len(s)))
	var dst []byte
	for b.Loop() {
		dst = text.AppendExtra(dst[:0], s)
	}
}

func BenchmarkFold(b *testing.B) {
	s := strings.Repeat(english, 10)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		text.Fold(s)
	}
}

// Every word with a prefix has an index token that the prefix leads to.
func TestPrefixTerms(t *testing.T) {
	roots := strings.Fields("relat happ hop run studi adopt migrat connect general communi commun nation depend hope sing fall tri boy organ psycholog control decis agre form act creat nerv electr sens base use")
	ends := strings.Fields("s es ed ing ly y ies ied ier ion ions ional ionally al ally ality ation ations ational ative ator ate ates ated ating able ability ence ent ently ful fully fulness ness nesses less lessly ment ments ize izes ized izing ization izer ive ively iveness ivity ous ously ousness ic ical ically icity icate ism er ers e ped ping t ting")
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.SampledFrom(roots).Draw(t, "root") + rapid.SampledFrom(append(ends, "")).Draw(t, "ending")
		prefix := word[:rapid.IntRange(1, len(word)).Draw(t, "length")]
		term := text.Stem(word)
		if !strings.HasPrefix(term, prefix) && !slices.Contains(text.PrefixTerms(prefix), term) {
			t.Fatalf("%s* does not lead to %s, the index token of %s", prefix, term, word)
		}
	})
}

// A sieve stops no word whose token it was made for, and moves no other.
func TestSieve(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := pieces().Draw(t, "s") + rapid.SampledFrom([]string{"", " dying", " ties", " skies aed", " early"}).Draw(t, "end")
		plain, places := text.AppendPlaces([]byte(" "), nil, s, nil)
		all := strings.Split(string(plain[1:]), " ")[1:]
		if len(all) == 0 {
			return
		}
		wanted := rapid.SampledFrom(all).Draw(t, "token")
		var v text.Sieve
		v.Add(wanted)
		some, places2 := text.AppendPlaces([]byte(" "), nil, s, &v)
		left := strings.Split(string(some[1:]), " ")[1:]
		if !slices.Equal(places, places2) || len(left) != len(all) {
			t.Fatalf("of %q: %q at %v, %q at %v", s, all, places, left, places2)
		}
		for i := range all {
			if left[i] != all[i] && (left[i] != "" || all[i] == wanted) {
				t.Fatalf("of %q: %q became %q", s, all, left)
			}
		}
	})
}
