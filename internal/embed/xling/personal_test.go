package xling_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/embed/xling"
)

// A person's own words win over the dictionary, and names stay names.
func TestOwn(t *testing.T) {
	s := xling.NewSet(chinese(t), japanese(t)).With([]xling.Own{
		{Word: "小丽"}, {Word: "会", Gloss: "the Club"}, {Word: "會我", Gloss: "our band"}, {Word: "Anna"}, {Word: ""},
	})
	for text, want := range map[string]string{
		"小丽的会议": "小丽 meeting", "小会": "small the Club", "會我小": "our band small", "会我": "our band",
	} {
		if got := s.Translate(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if s.Fingerprint() != xling.NewSet(chinese(t), japanese(t)).Fingerprint() {
		t.Error("own words change the fingerprint, and with it every vector")
	}
}

// A name that is known keeps its given name too; a word that is also somebody's name stays a word.
func TestNames(t *testing.T) {
	s := xling.NewSet(chinese(t), japanese(t)).With([]xling.Own{{Word: "王小丽"}, {Word: "会议"}, {Word: "張會議"}})
	for text, want := range map[string]string{
		"王小丽的会议": "王小丽 meeting", "小丽我": "小丽 I", "会议": "meeting", "張會議": "張会议", "小": "small",
	} {
		if got := s.Translate(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// Names that the memory knows stay names in a translation by the dictionaries of the program. What is a word
// in one language may be a name in another: 田中 is a township to the Chinese dictionary alone.
func TestNamesByTheDictionaries(t *testing.T) {
	s := load(t)
	var names []xling.Own
	for _, n := range []string{"小丽", "老王", "李娜", "张伟", "王芳", "田中 太郎", "小林", "佐藤　花子", "高明"} {
		names = append(names, xling.Own{Word: n})
	}
	known := s.With(names)
	for _, c := range [][3]string{ // text, without the names, with them
		{"小丽说", "small beautiful say", "小丽 say"},
		{"小麗的生日", "small beautiful birthday", "小丽 birthday"},
		{"老王明天来", "Lao Wang tomorrow come", "Lao Wang tomorrow come"}, // the dictionary knows him
		{"李娜和张伟来", "plum used in female names such as Anna or Diana big come", "李娜 张伟 come"},
		{"王芳", "king or monarch fragrant", "王芳"},
		{"田中さん", "rice field inside", "田中"},
		{"田中太郎が来週", "rice field medium thickness 郎 next week", "田中太郎 next week"},
		{"小林さん", "small woods", "小林"},
		{"花子が届けた", "flower child report", "花子 report"},
		{"高明", "brilliant", "brilliant"}, // a word that is also somebody's name stays a word
	} {
		if got := s.Translate(c[0]); got != c[1] {
			t.Errorf("%q: %q, want %q", c[0], got, c[1])
		}
		if got := known.Translate(c[0]); got != c[2] {
			t.Errorf("%q with names: %q, want %q", c[0], got, c[2])
		}
	}
	// Whoever learns a name knows which texts say it, in part too.
	differ := s.Differ(s.Learn(nil), s.Learn(names))
	for text, want := range map[string]bool{"田中さん": true, "田中太郎": true, "花子": true, "小麗的生日": true, "中田": false} {
		if got := differ(text); got != want {
			t.Errorf("%q differs: %v", text, got)
		}
	}
}

// People are called by a part of their name, however it is divided.
func TestPartsOfNames(t *testing.T) {
	s := load(t)
	for name, parts := range map[string][]string{
		"欧阳小丽": {"欧阳小丽", "小丽"}, "山田美羽": {"山田美羽", "美羽"}, "マイケル・ジャクソン": {"マイケル", "ジャクソン"},
		"霍格沃·邓布": {"霍格沃", "邓布"}, "ﾔﾏﾀﾞ ﾀﾛｳ": {"ヤマダ", "タロウ", "ヤマダタロウ"}, "王小麗": {"王小麗", "小丽", "小麗"},
	} {
		known := s.With([]xling.Own{{Word: name}})
		for _, part := range parts {
			want := strings.NewReplacer("麗", "丽").Replace(part) // a translation has simplified characters
			if got := known.Translate(part); got != want {
				t.Errorf("%s: %q is %q", name, part, got)
			}
			if d := s.Differ(s.Learn(nil), s.Learn([]xling.Own{{Word: name}})); d == nil || !d(part) {
				t.Errorf("%s: who learns it does not find %q", name, part)
			}
		}
	}
}

func TestDiffer(t *testing.T) {
	s := load(t)
	old := []xling.Own{{"小丽", "Xiao Li"}, {"阿福", "cat"}, {"王芳", ""}, {"數據", "figures"}}
	differ := func(a, b []xling.Own) func(...string) bool {
		return s.Differ(xling.ParseLearnt(s.Learn(a).String()), xling.ParseLearnt(s.Learn(b).String()))
	}
	if differ(old, old) != nil || differ(nil, nil) != nil || differ(old, []xling.Own{old[3], old[2], old[1], old[0]}) != nil {
		t.Error("a list differs from itself")
	}
	if s.Learn(nil).String() != "" || differ(nil, []xling.Own{{"Anna", ""}}) != nil {
		t.Error("something was learnt from nothing")
	}
	d := differ(old, []xling.Own{{"小丽", "my sister"}, {"王芳", ""}, {"李娜", ""}, {"ガス", "petrol"}})
	for text, want := range map[string]bool{
		"和小丽": true, "阿福": true, "我是李娜": true, "王芳": false, "": false, "小": false,
		// However it is written: in traditional characters, in kana of half width or with their marks apart.
		"和小麗說": true, "數據庫": true, "数据库": true, "ｶﾞｽ": true, "カ\u3099ス": true, "カ゛ス": true, "カス": false, "english": false,
	} {
		if got := d("Title", text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	for _, damaged := range []string{"!", "AAAA"} {
		if d := s.Differ(xling.ParseLearnt(damaged), s.Learn(old)); d == nil || !d("小丽") {
			t.Errorf("%q: what cannot be read hides what is to be learnt", damaged)
		}
	}
}

// Whatever two lists of words and a text hold: when the lists read the text in two ways, Differ says so.
func TestDifferMissesNothing(t *testing.T) {
	s := load(t)
	pieces := []string{"小", "麗", "丽", "王", "會", "会", "議", "议", "的", "ガ", "ｶﾞ", "か\u3099", "田", "中", "太郎", " ", "。", "は", "・", "Ｔ", "\n", ": ", " — ", "@", " <a@b.c>", "さん", "先生"}
	word := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 4).Draw(t, "pieces"), "")
	})
	list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) xling.Own {
		return xling.Own{Word: word.Draw(t, "word"), Gloss: rapid.SampledFrom([]string{"", "", "one", "two"}).Draw(t, "gloss")}
	}), 0, 4)
	rapid.Check(t, func(t *rapid.T) {
		a, b := list.Draw(t, "a"), list.Draw(t, "b")
		text := strings.Join(rapid.SliceOfN(word, 1, 4).Draw(t, "text"), "")
		x, y := s.With(a).Translate(text), s.With(b).Translate(text)
		if d := s.Differ(s.Learn(a), s.Learn(b)); x != y && (d == nil || !d(text)) {
			t.Errorf("%q is %q or %q", text, x, y)
		}
	})
}

// Texts are read alike in whatever way their characters are encoded.
func TestWidths(t *testing.T) {
	s := load(t).With([]xling.Own{{"ガス欠", "out of petrol"}})
	for _, c := range [][]string{
		{"ガスの契約をデータベースに移す", "ｶﾞｽの契約をﾃﾞｰﾀﾍﾞｰｽに移す", "カ\u3099スの契約をテ\u3099ータヘ\u3099ースに移す", "カ゛スの契約をテ゛ータヘ゛ースに移す"},
		{"ガス欠です", "ｶﾞｽ欠です", "カ\u3099ス欠て\u3099す"},
		{"用USB线连接3台电脑", "用ＵＳＢ线连接３台电脑"},
		{"日本の金曜日", "\u2F47本の\uF90A曜日", "日\uFE00本の金\U000E0100曜日", "日\u200B本の金曜\uFEFF日"},
		{"パパ", "ﾊﾟﾊﾟ", "ハ\u309Aハ゜"},
	} {
		want := s.Translate(c[0])
		for _, other := range c[1:] {
			if got := s.Translate(other); got != want {
				t.Errorf("%q: %q, want %q", other, got, want)
			}
		}
		vectors, err := instant(t, s).Embed(t.Context(), c)
		if err != nil {
			t.Fatal(err)
		}
		for i := range vectors {
			if d := cmp.Diff(vectors[0], vectors[i]); d != "" {
				t.Errorf("%q has another vector", c[i])
			}
		}
	}
}

// A simplified character is its own simplified form, so that it does not matter how often that is taken.
func TestSimplifiedOnce(t *testing.T) {
	s := load(t)
	for r := rune(0x3400); r < 0xA000; r++ {
		if once := s.Simplified(string(r)); s.Simplified(once) != once {
			t.Errorf("%c becomes %s and then %s", r, once, s.Simplified(once))
		}
	}
}
