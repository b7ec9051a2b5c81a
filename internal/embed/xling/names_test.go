package xling_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/embed/xling"
)

func namesOf(list string) (own []xling.Own) {
	for n := range strings.FieldsSeq(list) {
		own = append(own, xling.Own{Word: n})
	}
	return own
}

// A name that is a word too is a name where what stands around it tells so, and a word in running text.
func TestNamesByStructure(t *testing.T) {
	s := load(t).With(append(namesOf("白云 高山 小雨 美丽 森 王学文 李海明"), xling.Own{Word: "森 林海"}, xling.Own{Word: "小草", Gloss: "our tortoise"}, xling.Own{Word: "小草"}))
	for _, c := range [][]string{ // texts that belong together, their translations
		{"hi — 白云", "ok", "hi — 白云", "ok"},
		{"你好 › 白云 — 高山", "白云", "hello › white cloud — 高山", "white cloud"},
		{"白云", "天上有白云", "white cloud", "the sky have white cloud"},
		{"白云 — 1 May 2024", "白云: 白云\n高山: ok", "白云 — 1 May 2024", "白云 : white cloud 高山 : ok"},
		{"白云 — 1 May 2024", "高山: ok", "white cloud — 1 May 2024", "高山 : ok"},
		{"", "白云\n白云: ok", "", "white cloud 白云 : ok"},
		{"", "白云：天上的水", "", "white cloud : the sky water"}, // as encyclopedias have it
		{"", "天上的白云: ok", "", "the sky white cloud : ok"},
		{"", "小雨 <a@b.c>, 高山 <g>", "", "小雨 <a@b.c>, high mountain <g>"},
		{"", "@小雨 ok, a@小雨", "", "@ 小雨 ok, a@ light rain"},
		{"", "森 林海: ok", "", "森 林海 : ok"},
		{"", "白云老师来了，高山先生", "", "白云 teacher come , 高山 teacher"},
		{"", "森さんが来た。", "", "森 next ."},
		{"", "小草: ok", "", "our tortoise : ok"}, // whoever has explained it has the last word
		{"", "大学文学院招聘教师。上海明珠塔很高。", "", load(t).Translate("大学文学院招聘教师。上海明珠塔很高。")},
		{"", "和学文一起，海明病了", "", "学文 together , 海明 illness"},
	} {
		n := len(c) / 2
		if d := cmp.Diff(c[n:], s.TranslateAll(c[:n]...)); d != "" {
			t.Errorf("%q (-want +got):\n%s", c[:n], d)
		}
		if got := s.Translate(strings.Join(c[:n], "\n")); got != strings.TrimSpace(strings.Join(c[n:], " ")) {
			t.Errorf("%q at once: %q", c[:n], got)
		}
	}
}

// sentences are the Chinese and Japanese ones of a set for measuring recall.
func sentences(t *testing.T) (list []string) {
	t.Helper()
	for _, name := range []string{"triples", "distractors"} {
		b, err := os.ReadFile("../../../testdata/rank/xling/" + name + ".jsonl")
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(b)) {
			var m map[string]string
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			for _, k := range []string{"zh", "ja", "q_zh", "q_ja", "text"} {
				if m[k] != "" && load(t).Foreign(m[k]) {
					list = append(list, m[k])
				}
			}
		}
	}
	if len(list) < 1500 {
		t.Fatalf("%d sentences", len(list))
	}
	return list
}

// Names that are in the memory change nothing about sentences that speak of nobody who has them.
func TestNamesLeaveOtherTextsAlone(t *testing.T) {
	var names []xling.Own
	for given := range strings.FieldsSeq("学文 海明 建国 志强 文静 小丽 晓明 国华 丽华 海燕 春梅 玉兰 永明 建华 志明 文华 家明 天明 大明 子轩 雨涵 一诺 思远 " +
		"明哲 佳怡 心怡 可心 家来 来福 国庆 上明 天一 一天 日新 新月 学明 明学 文学 生明 中华 中明 有才 有为 有明 在明 在天 来天 小明 小红 小雨 白云 高山 美丽") {
		for family := range strings.FieldsSeq("王 李 张 高 白 陈") {
			names = append(names, xling.Own{Word: family + given})
		}
	}
	names = append(names, namesOf("杉山太郎 高橋花子 小林明子 中村大輔 伊藤和子 上田直人 大野日向 森明 林海 高飞 王来 李家 白天明 安明 方正 时光 金明 水明 日高明")...)
	if len(names) < 300 {
		t.Fatalf("%d names", len(names))
	}
	s := load(t)
	known := s.With(names)
	for _, text := range sentences(t) {
		if want, got := s.Translate(text), known.Translate(text); got != want {
			t.Errorf("%q: %q, without the names %q", text, got, want)
		}
	}
}

// A given name that the end of a word and the beginning of the next spell is none.
func TestNamesAcrossWords(t *testing.T) {
	s, list := load(t), sentences(t)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.SampledFrom(list).Draw(t, "text")
		words := s.Words(text)
		i := rapid.IntRange(0, len(words)-1).Draw(t, "word")
		if i+1 == len(words) || utf8.RuneCountInString(words[i]) < 2 || words[i+1] == "" {
			return
		}
		last, _ := utf8.DecodeLastRuneInString(words[i])
		first, _ := utf8.DecodeRuneInString(words[i+1])
		given := string(last) + string(first)
		if strings.Count(strings.Join(words, "|"), given) > 0 { // elsewhere it may be one
			return
		}
		for _, name := range []string{"欧" + given, given} {
			if want, got := s.Translate(text), s.With(namesOf(name)).Translate(text); got != want {
				t.Errorf("%q with %s: %q, want %q", text, name, got, want)
			}
		}
	})
}

// Given names that are no words themselves are found in what is said of people.
func TestGivenNamesAreFound(t *testing.T) {
	s := load(t)
	var lost []string
	for _, c := range []struct{ names, said string }{
		{
			"王学文 李海明 王志强 赵小丽 王晓明 陈国华 王丽华 李海燕 王春梅 王永明 王志明 王文华 李家明 王大明 王子轩 陈雨涵 王一诺 李思远 王明哲 王佳怡 王心怡 王可心 王上明 王小红 李桂英 王梓涵 王欣怡",
			"%明天来我家。 昨天和%一起吃饭。 请把书还给%。 我告诉%这件事了 听说%病了",
		},
		{"今村太郎 高橋花子 小川明美 山本健太 井上美咲 渡辺陽菜 佐藤大翔 清水結衣", "%は明日来ます。 昨日%と食べた。 %に本を返す。 %が病気だ"},
	} {
		for n := range strings.FieldsSeq(c.names) {
			known := s.With(namesOf(n))
			runes := []rune(n)
			for _, name := range []string{string(runes[len(runes)-2:]), n} {
				for said := range strings.FieldsSeq(c.said) {
					text := strings.ReplaceAll(said, "%", name)
					if !strings.Contains(" "+known.Translate(text)+" ", " "+name+" ") {
						lost = append(lost, text)
					}
				}
			}
		}
	}
	want := []string{ // 文明, 说明 are words, and 可 and 心 are often met
		"学文明天来我家。", "听说明哲病了",
		"可心明天来我家。", "昨天和可心一起吃饭。", "请把书还给可心。", "我告诉可心这件事了", "听说可心病了",
	}
	if d := cmp.Diff(want, lost); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}
