package xling_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/embed/xling"
)

func TestReadGlosses(t *testing.T) {
	s := load(t)
	list := func(own ...xling.Own) []xling.Own { return own }
	xiaoli := xling.Own{Word: "小丽", Gloss: "Xiao Li"}
	each := func(lines int, what string) (bad []string) {
		for n := range lines {
			bad = append(bad, fmt.Sprintf("line %d %s", n+1, what))
		}
		return bad
	}
	for name, c := range map[string]struct {
		in   string
		want []xling.Own
		bad  []string
	}{
		"nothing":             {"", nil, nil},
		"all kinds of ends":   {"小丽\tXiao Li\r\n阿福\t  our   cat \r犬\tdog\n\n猫\tcat", list(xiaoli, xling.Own{"阿福", "our cat"}, xling.Own{"犬", "dog"}, xling.Own{"猫", "cat"}), nil},
		"a mark and comments": {"\uFEFF# ours\n  # 小福\tnot this\n小丽\tXiao Li\n#\n", list(xiaoli), nil},
		"a name with a blank": {"田中 太郎\tthe boss\n", list(xling.Own{"田中 太郎", "the boss"}), nil},
		"a tab behind":        {"小丽\tXiao Li\t\n", list(xiaoli), nil},
		"no tab":              {"阿福\n小丽\tXiao Li\n", list(xiaoli), []string{"line 1 has no tab between the word and its meaning: put a tab and the meaning behind the word"}},
		"blanks for a tab":    {"小丽\tXiao Li\n阿福    our cat\n", list(xiaoli), []string{"line 2 has no tab between the word and its meaning: put one there in place of the blanks"}},
		"no meaning":          {"字\t \n小丽\tXiao Li\n", list(xiaoli), []string{"line 1 has no meaning behind the tab: put there what the word means in English"}},
		"no word":             {"\tdog\n小丽\tXiao Li\n", list(xiaoli), []string{"line 1 has no word before the tab: put one there"}},
		"two tabs":            {"字\tzì\tcharacter\n小丽\tXiao Li\n", list(xiaoli), []string{"line 1 has more than one tab: keep the one between the word and its meaning"}},
		"English":             {"word\tmeaning\n小丽\tXiao Li\n", list(xiaoli), []string{"line 1 does not begin with a word in Chinese characters or kana: explain such words only"}},
		"letters too":         {"狗Pro\tx\niPhone手机\tphone\n5号\tfive\n狗！\tdog\n小丽\tXiao Li\n", list(xiaoli), each(4, "has a word with letters, digits or signs in it: explain its part in Chinese characters or kana")},
		"a mark alone":        {"ー\tbar\nーー\tbar\n小丽\tXiao Li\n", list(xiaoli), each(2, "does not begin with a word in Chinese characters or kana: explain such words only")},
		"no words":            {"狗\t😀\n猫\t...\n犬\tсобака\n小丽\tXiao Li\n", list(xiaoli), each(3, "has a meaning without a word of English: put one there")},
		"some accents":        {"犬\téa\n猫\t9\n", list(xling.Own{"犬", "éa"}, xling.Own{"猫", "9"}), nil},
		"no English":          {"阿福\t我们的猫\n小丽\tXiao Li\n", list(xiaoli), []string{"line 1 has a meaning in Chinese characters or kana: put it in English"}},
		"another encoding":    {"\xD0\xA1\xC0\xF6\tXiao Li\n小丽\tXiao Li\n", list(xiaoli), []string{"line 1 is not UTF-8: save the file as UTF-8"}},
		"a NUL":               {"阿\x00福\tcat\n猫\tc\x00at\n小丽\tXiao Li\n", list(xiaoli), []string{"line 1 has a control character: type the line anew", "line 2 has a control character: type the line anew"}},
		"a long line":         {"阿福\t" + strings.Repeat("x", 1<<20) + "\n小丽\tXiao Li\n", list(xiaoli), []string{"line 1 is longer than 4096 bytes: give each word a line of its own"}},
		"a long comment":      {"#" + strings.Repeat("x", 1<<20) + "\n小丽\tXiao Li\n", list(xiaoli), nil},
		"a long meaning":      {"阿福\t" + strings.Repeat("x", 300) + "\n小丽\tXiao Li\n", list(xiaoli), []string{"line 1 has a meaning of more than 200 bytes: a few words do"}},
		"a long word":         {strings.Repeat("福", 33) + "\tcat\n小丽\tXiao Li\n", list(xiaoli), []string{"line 1 has a word of more than 32 characters: explain its parts"}},
		"twice":               {"小丽\tXiao Li\n小丽\tXiao Li\n", list(xiaoli), nil},
		"twice in two ways":   {"小丽\tXiao Li\n\n小丽\tmy sister\n", list(xiaoli), []string{"line 3 explains the word of line 1 again, which counts: remove one of them"}},
		"in both scripts":     {"小丽\tXiao Li\n小麗\tmy sister\n", list(xiaoli), []string{"line 2 explains the word of line 1 again, which counts: remove one of them"}},
		"much that is wrong": {strings.Repeat("x\n", 1000) + "小丽\tXiao Li\n", list(xiaoli), []string{
			"line 1 has no tab between the word and its meaning: put a tab and the meaning behind the word",
			"line 2 has no tab between the word and its meaning: put a tab and the meaning behind the word",
			"line 3 has no tab between the word and its meaning: put a tab and the meaning behind the word",
			"line 4 has no tab between the word and its meaning: put a tab and the meaning behind the word",
			"line 5 has no tab between the word and its meaning: put a tab and the meaning behind the word",
			"and 995 more",
		}},
		"in two widths": {"ガス\tgas\nｶﾞｽ\tpetrol\n", list(xling.Own{"ガス", "gas"}), []string{"line 2 explains the word of line 1 again, which counts: remove one of them"}},
	} {
		got, bad, err := s.ReadGlosses(strings.NewReader(c.in))
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
		if d := cmp.Diff(c.bad, bad); d != "" {
			t.Errorf("%s (-want +got):\n%s", name, d)
		}
	}
	for _, mark := range []string{"\xFF\xFE", "\xFE\xFF"} {
		if _, _, err := s.ReadGlosses(strings.NewReader(mark + "\x0F\x5C")); !errors.Is(err, xling.ErrUTF16) {
			t.Errorf("UTF-16: %v", err)
		}
	}
}

// A dictionary of a person's own is read, looked up and compared in time that grows with its size alone.
func BenchmarkOwn(b *testing.B) {
	var in strings.Builder
	const first = "天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏"
	chars := []rune(first)
	for i := range 200_000 {
		n := len(chars)
		fmt.Fprintf(&in, "%c%c%c%c\tmeaning %d\n", chars[i%n], chars[i/n%n], chars[i/n/n%n], rune(0x4E00+i/n/n/n%5000), i)
	}
	s := load(b)
	own, bad, err := s.ReadGlosses(strings.NewReader(in.String()))
	if err != nil || len(own) < 199_000 {
		b.Fatalf("%d words, %d bad lines, %v", len(own), len(bad), err)
	}
	b.Run("read", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := s.ReadGlosses(strings.NewReader(in.String())); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("look up", func(b *testing.B) {
		for b.Loop() {
			s.With(own).Translate("天")
		}
	})
	b.Run("learn", func(b *testing.B) {
		for b.Loop() {
			s.Differ(xling.ParseLearnt(s.Learn(own).String()), s.Learn(own[1:]))
		}
	})
	known := s.With(own)
	b.Run("translate", func(b *testing.B) {
		for b.Loop() {
			known.Translate(hundred)
		}
	})
}

func FuzzReadGlosses(f *testing.F) {
	f.Add("\uFEFF小丽\tXiao Li\r\n#\n\t\n字 x\n小麗\tx\ty\x00")
	f.Add("ｶﾞｽ\tgas\rガス\tpetrol\xff")
	s, err := xling.Load()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, in string) {
		own, _, err := s.ReadGlosses(strings.NewReader(in))
		if err != nil {
			return
		}
		// What counts is looked up, and is told from nothing.
		known, d := s.With(own), s.Differ(s.Learn(nil), s.Learn(own))
		for _, o := range own {
			word := strings.Join(strings.Fields(o.Word), "")
			if o.Gloss == "" || d == nil || !d(word) || known.Translate(word) == "" {
				t.Errorf("%q does not count", o)
			}
		}
	})
}
