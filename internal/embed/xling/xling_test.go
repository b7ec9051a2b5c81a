package xling_test

import (
	"context"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/embed/format"
	"github.com/openhuman/openhuman-core/internal/embed/minilm"
	"github.com/openhuman/openhuman-core/internal/embed/static"
	"github.com/openhuman/openhuman-core/internal/embed/xling"
)

func load(t testing.TB) *xling.Set {
	t.Helper()
	s, err := xling.Load()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func instant(t testing.TB, s *xling.Set) *xling.Instant {
	t.Helper()
	m, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	return xling.NewInstant(m, s)
}

func encoder(t testing.TB, s *xling.Set) *xling.Encoder {
	t.Helper()
	m, err := minilm.Load()
	if err != nil {
		t.Fatal(err)
	}
	return xling.NewEncoder(m, instant(t, s))
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// small is a language of a few words.
func small(t testing.TB, name string, script xling.Script, stop string, words ...xling.Word) *xling.Language {
	t.Helper()
	basis := make([]float32, 32*xling.Dims)
	rows := make([]float32, 32*len(words))
	for i := range words {
		rows[32*i+i%32] = 1
	}
	for i := range 32 {
		basis[i*xling.Dims+i] = 1
	}
	s := xling.Source{Words: words, Rows: rows, Basis: basis}
	if script == xling.Han {
		s.Simpler = map[rune]rune{'會': '会', '議': '议'}
	}
	w, g, err := xling.Pack(s)
	if err != nil {
		t.Fatal(err)
	}
	l, err := xling.Open(xling.File{Name: name, Script: script, Words: w, Gloss: g, Stop: stop})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func chinese(t testing.TB) *xling.Language {
	return small(t, "zh", xling.Han, "的",
		xling.Word{Text: "会", Count: 50, Gloss: "can"}, xling.Word{Text: "议", Count: 5, Gloss: "discuss"},
		xling.Word{Text: "会议", Count: 40, Gloss: "meeting"}, xling.Word{Text: "的", Count: 300, Gloss: "of"},
		xling.Word{Text: "小", Count: 30, Gloss: "small"}, xling.Word{Text: "丽", Count: 5, Gloss: "beautiful"},
		xling.Word{Text: "我", Count: 90, Gloss: "I"}, xling.Word{Text: "们", Count: 90},
		xling.Word{Text: "了", Count: 60_000}) // all others are as rare as in a dictionary of a whole language
}

func japanese(t testing.TB) *xling.Language {
	return small(t, "ja", xling.Kana, "は の",
		xling.Word{Text: "会議", Count: 40, Gloss: "meeting"}, xling.Word{Text: "駅", Count: 20, Gloss: "station"},
		xling.Word{Text: "は", Count: 300}, xling.Word{Text: "小", Count: 1, Gloss: "little"})
}

func german(t testing.TB) *xling.Language {
	return small(t, "de", xling.Spaced, "der die das und ist nicht ich wo wir auf fur den",
		xling.Word{Text: "schlussel", Count: 9, Gloss: "key"}, xling.Word{Text: "liegt", Count: 9, Gloss: "lies"},
		xling.Word{Text: "kuche", Count: 9, Gloss: "kitchen"}, xling.Word{Text: "kuchen", Count: 9, Gloss: "cake"},
		xling.Word{Text: "tisch", Count: 9, Gloss: "table"}, xling.Word{Text: "auf", Count: 99})
}

func TestTranslate(t *testing.T) {
	s := xling.NewSet(chinese(t), japanese(t), german(t))
	for text, want := range map[string]string{
		"":                        "",
		"The meeting is at ten.":  "The meeting is at ten.",
		"会议":                      "meeting",
		"會議":                      "meeting", // traditional
		"我的会议，2026":               "I meeting , 2026",
		"会議は10時":                  "meeting 10 時",
		"Notes: 会议.":              "Notes: meeting .",
		"犬":                       "犬",
		"Wo ist der Schlüssel":    "Wo ist der key", // letters are read as they are, words it does not know too
		"Die Küche und der Tisch": "Die kitchen und der table",
		"Küchentisch ist nicht auf den Küchentisch": "cake table ist nicht  den cake table",
	} {
		if got := s.Translate(text); strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Kana tell Japanese, characters that only one language has tell that one, and the rest of the text
// tells for what says nothing itself.
func TestLanguages(t *testing.T) {
	s := xling.NewSet(chinese(t), japanese(t))
	for text, want := range map[string]string{
		"小":            "small",           // nothing says that it is Japanese
		"小\n駅は":        "little\nstation", // here something does
		"小。我们":         "small . I",
		"駅小":           "station little",
		"小我":           "small I",
		"駅は。\n我们小。小駅":  "station . I small . little station",
		"We met at 駅は": "We met at station",
	} {
		if got := s.Translate(text); got != strings.Join(strings.Fields(want), " ") {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestForeign(t *testing.T) {
	s := xling.NewSet(chinese(t), japanese(t), german(t))
	for text, want := range map[string]bool{
		"": false, "plain English, with ümlauts and — dashes 🎉": false, "a 会 in it": true, "はい": true, "ﾊﾝｶｸ": true,
		"ｶﾞｯｺｳ": true, "⽇本": true, "ＦＵＬＬ ｗｉｄｔｈ": false, "한국어": false, "Der Schlüssel ist auf der Bank": true, "The key is on the table and the rest is not": false,
		"die": false, "One word of nicht in a long English sentence which is about the rest of all those things": false,
	} {
		if got := s.Foreign(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func TestPackRefuses(t *testing.T) {
	for name, s := range map[string]xling.Source{
		"nothing":       {},
		"a word twice":  {Words: []xling.Word{{Text: "a"}, {Text: "a"}}},
		"an empty word": {Words: []xling.Word{{Text: ""}}},
		"rows that do not fit": {
			Words: []xling.Word{{Text: "a"}}, Rows: make([]float32, 31), Basis: make([]float32, 32*xling.Dims),
		},
	} {
		if _, _, err := xling.Pack(s); err == nil {
			t.Errorf("%s was packed", name)
		}
	}
	w, g, err := xling.Pack(xling.Source{Words: []xling.Word{{Text: "a"}}})
	if err != nil {
		t.Fatal(err)
	}
	for name, f := range map[string]xling.File{
		"nothing": {}, "no words": {Gloss: g}, "no glosses": {Words: w}, "cut short": {Words: w[:len(w)-1], Gloss: g},
		"the wrong way round": {Words: g, Gloss: w}, "cut glosses": {Words: w, Gloss: g[:len(g)-1]},
	} {
		if _, err := xling.Open(f); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
}

// pairs are texts and questions that the tables were not fitted to; no two share a word.
var pairs = [][2]string{
	{"我奶奶教我怎么做饺子。", "My grandmother taught me how to make dumplings."},
	{"房东答应下周修好漏水的屋顶。", "The landlord promised to fix the leaking roof next week."},
	{"因为下大雪，我们的航班取消了。", "Our flight was cancelled because of heavy snow."},
	{"數據庫要在發布之前遷移到新伺服器。", "The database has to be migrated to the new server before the release."},
	{"他打篮球的时候扭伤了脚踝。", "He sprained his ankle playing basketball."},
	{"医生让我少喝咖啡，多喝水。", "The doctor told me to drink less coffee and more water."},
	{"祖母がパンの焼き方を教えてくれた。", "My grandma showed me how to bake bread."},
	{"大雪で飛行機が欠航になりました。", "The plane was cancelled because of the snow storm."},
	{"データベースを新しいサーバーに移行する。", "Move the database to a new machine."},
	{"歯医者の予約を来週の火曜日に変更した。", "I moved the dentist appointment to next Tuesday."},
	{"子どもたちは夏休みに庭で小屋を作った。", "The children built a hut in the garden in the summer holidays."},
	{"家賃は毎月二十七日に引き落とされる。", "The rent is debited on the 27th of each month."},
}

// Each text is nearest to the English text that says the same, by both models and both ways.
func TestAcrossLanguages(t *testing.T) {
	s := load(t)
	var texts, english []string
	for _, p := range pairs {
		texts, english = append(texts, p[0]), append(english, p[1])
	}
	for name, m := range map[string]model{"instant": instant(t, s), "encoder": encoder(t, s)} {
		a, err := m.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		b, err := m.Embed(t.Context(), english)
		if err != nil {
			t.Fatal(err)
		}
		sum, wrong := 0.0, 0
		for i := range a {
			if n := dot(a[i], a[i]); math.Abs(n-1) > 1e-4 {
				t.Errorf("%s: %q has squared length %v", name, texts[i], n)
			}
			sum += dot(a[i], b[i])
			for j := range b {
				if dot(a[i], b[j]) > dot(a[i], b[i]) || dot(a[j], b[i]) > dot(a[i], b[i]) {
					wrong++
					t.Logf("%s: %q and %q", name, texts[i], english[j])
				}
			}
		}
		// The bread of 1 and 7 and the snow of 3 and 8 are meant to be near each other.
		if mean := sum / float64(len(a)); mean < 0.5 || wrong > 4 {
			t.Errorf("%s: %d wrong, mean cosine %.3f", name, wrong, mean)
		}
	}
}

type model interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// English costs nothing and keeps its vectors and their name.
func TestEnglishStaysAsItIs(t *testing.T) {
	e := encoder(t, load(t))
	plain, err := minilm.Load()
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"The harbour froze over in the night.", "", "naïve café, 10 €"}
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	want, err := plain.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if e.FingerprintOf(texts...) != plain.Fingerprint() || e.Fingerprint() != plain.Fingerprint() {
		t.Errorf("fingerprint %s", e.FingerprintOf(texts...))
	}
	if f := e.FingerprintOf("Title", "会议"); !strings.HasPrefix(f, plain.Fingerprint()+"+zh3.") || f != e.Fingerprints()[1] {
		t.Errorf("fingerprint %s", f)
	}
	if d := cmp.Diff(plain.Parts("Diary", texts[0]), e.Parts("Diary", texts[0])); d != "" {
		t.Error(d)
	}
}

// Windows cover all of a long text, each of them short enough to be read at once.
func TestParts(t *testing.T) {
	e := encoder(t, load(t))
	m, err := minilm.Load()
	if err != nil {
		t.Fatal(err)
	}
	s := load(t)
	for name, text := range map[string]string{
		"sentences":   strings.Repeat("房东答应下周修好漏水的屋顶，请把钥匙放在门口。", 40),
		"no sentence": strings.Repeat("房东答应下周修好漏水的屋顶", 60),
		"mixed":       strings.Repeat("会议纪要 meeting notes about the budget.\n", 60),
	} {
		parts := e.Parts("日记", text)
		whole := ""
		for _, p := range parts {
			rest, ok := strings.CutPrefix(p, "日记\n")
			if !ok {
				t.Errorf("%s: a part without its context: %q", name, p[:20])
			}
			whole += rest
			if n := m.Count(s.Translate(p)); n > minilm.MaxTokens*5/4 {
				t.Errorf("%s: a part has %d tokens", name, n)
			}
		}
		if whole != text || len(parts) < 2 {
			t.Errorf("%s: %d parts lack something", name, len(parts))
		}
	}
	if got := e.Parts("", "ꙮꙮꙮ"); len(got) != 0 {
		t.Errorf("parts of what nobody can read: %q", got)
	}
}

func TestGloss(t *testing.T) {
	m := instant(t, load(t))
	if g := m.Gloss("Notes", "plain English"); g != "" {
		t.Errorf("gloss of English: %q", g)
	}
	if g := m.Gloss("", "房东修屋顶"); !strings.Contains(g, "landlord") || !strings.Contains(g, "roof") {
		t.Errorf("gloss %q", g)
	}
}

func TestDataIsWhole(t *testing.T) {
	for name, data := range xling.Data() {
		if err := format.Verify(data); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if len(data) > 12<<20 {
			t.Errorf("%s has %d bytes", name, len(data))
		}
	}
}

// Opening reads next to nothing, and no sum of words may take longer than a fraction of the encoder.
func TestSpeed(t *testing.T) {
	start := time.Now()
	for range 10 {
		if err := xling.Reopen(); err != nil {
			t.Fatal(err)
		}
	}
	if d := time.Since(start) / 10; d > 10*time.Millisecond {
		t.Errorf("opening takes %v", d)
	}
}

const hundred = "部署脚本必须从堡垒机执行，因为生产环境在后面。商品价格变动后缓存就会失效。我们决定计费服务采用新的数据库，不用旧的。由于路径分隔符的问题，测试在这里不稳定。刷新令牌十四天后过期，登录状态也会丢失。"

func BenchmarkInstant(b *testing.B) {
	m := instant(b, load(b))
	for b.Loop() {
		if _, err := m.Embed(b.Context(), []string{hundred}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTranslate(b *testing.B) {
	s := load(b)
	for b.Loop() {
		s.Translate(hundred)
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		if err := xling.Reopen(); err != nil {
			b.Fatal(err)
		}
	}
}

func FuzzTranslate(f *testing.F) {
	for _, p := range pairs {
		f.Add(p[0])
	}
	f.Add("小丽\xff会\u3099ｶﾞ")
	s, err := xling.Load()
	if err != nil {
		f.Fatal(err)
	}
	s = s.With([]xling.Own{{Word: "小丽"}, {Word: "会", Gloss: "the Club"}})
	quick, err := static.Load()
	if err != nil {
		f.Fatal(err)
	}
	m := xling.NewInstant(quick, s)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		s.Translate(text)
		v, err := m.Embed(t.Context(), []string{text})
		if err != nil {
			t.Fatal(err)
		}
		if n := dot(v[0], v[0]); n != 0 && math.Abs(n-1) > 1e-3 {
			t.Errorf("squared length %v", n)
		}
	})
}

// A word is looked up as it is written before it is simplified: characters that are simplified ones themselves, or
// are so in some words only, are not taken for traditional ones.
func TestAsWritten(t *testing.T) {
	s := load(t)
	for text, want := range map[string]string{
		"什么": "what", "什麼": "what", "为什么": "why", "著名": "famous", "著作權": "copyright", "乾隆": "the Qianlong era", "乾淨": "clean", "乾杯": "drink a toast",
	} {
		if got := s.Translate(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := s.Translate("去宁波"); !strings.Contains(got, "Ningbo") {
		t.Error(got)
	}
}
