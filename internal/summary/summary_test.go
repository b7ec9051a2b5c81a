package summary_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/summary"
	"github.com/openhuman/openhuman-core/internal/text"
)

// shown returns the units of one text as they are shown.
func shown(p summary.Passage) []string {
	var out []string
	for _, u := range summary.Units([]summary.Passage{p}) {
		out = append(out, u.Text)
	}
	return out
}

func TestSentences(t *testing.T) {
	for _, c := range []struct {
		name, text string
		authors    string
		want       []string
	}{
		{"English", "The venue is booked. Dr. Lee pays 3.50 EUR, e.g. for tea. Is it far? \"Yes!\" he said.", "",
			[]string{"The venue is booked.", "Dr. Lee pays 3.50 EUR, e.g. for tea.", "Is it far?", "\"Yes!\" he said."}},
		{"Chinese", "会议改到周五。预算是三万元！谁去上海？（小李说的。）好。", "", []string{"会议改到周五。", "预算是三万元！", "谁去上海？", "（小李说的。）", "好。"}},
		{"Chinese quotations", "他说：“我不去。你去吧。”然后他走了。“真的？”她问。读过《你好吗？》这本书吗？读过！", "",
			[]string{"他说：“我不去。你去吧。”", "然后他走了。", "“真的？”", "她问。", "读过《你好吗？》这本书吗？", "读过！"}},
		{"Chinese ellipses", "我想……还是算了吧。等等……！好吧…… 明天再说。", "", []string{"我想……还是算了吧。", "等等……！", "好吧……", "明天再说。"}},
		{"Chinese with half-width marks", "真的吗?我也去!版本3.5可以用.", "", []string{"真的吗?", "我也去!", "版本3.5可以用."}},
		{"Chinese with half-width full stops", "鸡蛋3.5元一斤,比上周贵.老板说下周会降.", "", []string{"鸡蛋3.5元一斤,比上周贵.", "老板说下周会降."}},
		{"a quotation inside a sentence", "她问“真的吗？”，我点点头。“那好吧！”：她笑了。他问「何時？」、私は黙った。", "",
			[]string{"她问“真的吗？”，我点点头。", "“那好吧！”：她笑了。", "他问「何時？」、私は黙った。"}},
		{"a quotation that nobody closes", "他说：“我不去。你去吧。然后他走了。", "", []string{"他说：“我不去。", "你去吧。", "然后他走了。"}},
		{"a long quotation", "「" + strings.Repeat("雨が降る。", 20) + "」", "",
			append(append([]string{"「雨が降る。"}, slices.Repeat([]string{"雨が降る。"}, 18)...), "雨が降る。」")},
		{"Japanese", "会議は金曜日です。「行きます。待っていて！」と彼は言った。「はい。」彼女は笑った。本当？！ええ。", "",
			[]string{"会議は金曜日です。", "「行きます。待っていて！」と彼は言った。", "「はい。」", "彼女は笑った。", "本当？！", "ええ。"}},
		{"Japanese in technical style", "誤差は３．５％だった．次に示す．（図１を見よ．）終わり｡", "",
			[]string{"誤差は３．５％だった．", "次に示す．", "（図１を見よ．）", "終わり｡"}},
		{"nested quotations", "「彼は『はい。すぐ。』と答えた。」と母が話した。「『はい。』だけ？」", "", []string{"「彼は『はい。すぐ。』と答えた。」と母が話した。", "「『はい。』だけ？」"}},
		{"English in curly quotation marks", "“I stay. You go.” He left.", "", []string{"“I stay.", "You go.”", "He left."}},
		{"wrapped lines", "The contractor will send the revised offer for the roof\nbefore the end of the week. We then decide.", "",
			[]string{"The contractor will send the revised offer for the roof before the end of the week.", "We then decide."}},
		{"short lines stand alone", "Milk\nBread and butter\n\nCall the plumber", "", []string{"Milk", "Bread and butter", "Call the plumber"}},
		{"lists", "# Plan\n- [x] Book the hall\n- Order chairs\n1. Pay the deposit\n> quoted words", "",
			[]string{"Plan", "Book the hall", "Order chairs", "Pay the deposit", "quoted words"}},
		{"code is left out", "Before it.\n```\nx := 1\n```\nAfter it.", "", []string{"Before it.", "After it."}},
		{"chat", "Ann: The hall is booked. We pay on Monday.\nBob Lee: fine\nand more from me\nCC: not a person", "Ann, Bob Lee",
			[]string{"Ann: The hall is booked.", "Ann: We pay on Monday.", "Bob Lee: fine", "Bob Lee: and more from me", "Bob Lee: CC: not a person"}},
		{"nothing but signs", "----\n***\n\n", "", []string{"---- ***"}},
		{"nothing", " \n\u00a0", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := shown(summary.Passage{ChunkID: "c", Text: c.text, Chat: c.authors != "", Authors: c.authors})
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}

// extract summarises with the usual budget.
func extract(t interface {
	Fatal(...any)
	Helper()
}, passages []summary.Passage, enc summary.Encoder) summary.Summary {
	t.Helper()
	tokens := 0
	for _, p := range passages {
		tokens += text.EstimateTokens(p.Text)
	}
	s, err := summary.Extract(context.Background(), summary.Units(passages), summary.Budget(tokens), enc)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestEverySentenceStandsInItsChunk(t *testing.T) {
	pieces := []string{"The roof leaks again.", "会议改到周五。", "We pay 300 EUR on Monday!", "\n", "\n\n", " ", "Hi all,", "- item one", "```", "Ann: ", "Bob: ", "…", "e.g. this",
		"\u00a0", "?", "見積書は来週届きます。", "x", "https://example.org/a/b", strings.Repeat("word ", 150), "🙂"}
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 16).Draw(t, "passages")
		passages := make([]summary.Passage, n)
		whole, bytes := 0, 0
		for i := range passages {
			s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 20).Draw(t, "pieces"), "")
			passages[i] = summary.Passage{ChunkID: fmt.Sprint(i), Text: s, Chat: rapid.Bool().Draw(t, "chat"), Authors: "Ann, Bob"}
			whole += text.EstimateTokens(s)
			bytes += len(s)
		}
		s := extract(t, passages, nil)
		if s.Tokens > summary.MaxTokens || s.Tokens > whole || len(s.Text()) > bytes {
			t.Fatalf("%d tokens, %d bytes, of %d and %d", s.Tokens, len(s.Text()), whole, bytes)
		}
		last := -1
		for _, l := range s.Lines {
			if len(l.Cites) != 1 {
				t.Fatalf("%q has %d citations", l.Text, len(l.Cites))
			}
			c := l.Cites[0]
			var i int
			fmt.Sscan(c.ChunkID, &i)
			p := passages[i]
			stands := strings.Join(strings.Fields(p.Text[c.Start:c.Start+c.Length]), " ")
			said := l.Text
			if p.Chat && !strings.HasPrefix(stands, said) {
				_, said, _ = strings.Cut(said, ": ")
			}
			if said != stands && !(len(s.Lines) == 1 && strings.HasPrefix(stands, said)) {
				t.Fatalf("%q is not what stands there: %q", l.Text, stands)
			}
			if i < last {
				t.Fatal("the lines are not in the order of the text")
			}
			last = i
		}
		if d := cmp.Diff(s, extract(t, passages, nil)); d != "" {
			t.Fatal("not repeatable", d)
		}
	})
}

func mail(id, body string) summary.Passage {
	return summary.Passage{ChunkID: id, Text: body, Begins: true}
}

// renovation is a thread in which one thing matters.
var renovation = []summary.Passage{
	mail("1", "Hi Ann,\n\nThe roof of the cabin leaks again above the kitchen. Could you ask the roofer for an offer?\n\nBest regards\nBob\n\nSent from my phone"),
	mail("2", "Hello Bob,\n\nThe roofer offers to replace the whole roof of the cabin for 12,400 EUR in June. He says the beams above the kitchen are rotten.\n\nBest regards\nAnn\n\nSent from my phone"),
	mail("3", "Hi Ann,\n\nThat is a lot. Let us take the offer for the roof, but only if the beams are part of the price.\n\nBest regards\nBob\n\nSent from my phone"),
	mail("4", "Hello Bob,\n\nGood news: the roofer includes the beams in the price of 12,400 EUR and begins on 3 June.\n\nBest regards\nAnn\n\nSent from my phone"),
	mail("5", "Hi,\n\nThanks!\n\nBest regards\nBob\n\nSent from my phone"),
}

func TestWhatMattersWins(t *testing.T) {
	got := extract(t, renovation, nil)
	for _, want := range []string{"12,400 EUR", "leaks"} {
		if !strings.Contains(got.Text(), want) {
			t.Errorf("%q is missing in\n%s", want, got.Text())
		}
	}
	for _, not := range []string{"Best regards", "Sent from my phone", "Hi Ann", "Thanks!", "Hello Bob"} {
		if strings.Contains(got.Text(), not) {
			t.Errorf("%q is in\n%s", not, got.Text())
		}
	}
}

func TestRepeatedFooterLoses(t *testing.T) {
	var passages []summary.Passage
	for i := range 10 {
		passages = append(passages, mail(fmt.Sprint(i), fmt.Sprintf("Ticket %d concerns the payment gateway in region %d.\n\nAcme Widgets Limited is registered in England under number 123456.", i, i)))
	}
	if s := extract(t, passages, nil).Text(); strings.Contains(s, "registered in England") {
		t.Errorf("the footer is in\n%s", s)
	}
}

func TestCJK(t *testing.T) {
	got := extract(t, []summary.Passage{
		mail("1", "大家好！项目的上线时间改到六月三日，因为支付接口还没有通过测试。谢谢大家！"),
		mail("2", "您好。支付接口的测试预计五月底完成，费用是三万元。祝好"),
		mail("3", "お世話になっております。決済の見積書は来週の月曜日に届きます。よろしくお願いいたします。"),
	}, nil).Text()
	for _, not := range []string{"大家好", "谢谢大家", "お世話になって", "よろしく", "祝好"} {
		if strings.Contains(got, not) {
			t.Errorf("%q is in %q", not, got)
		}
	}
	if !strings.Contains(got, "支付接口") {
		t.Errorf("what it is about is missing in %q", got)
	}
}

// topics is an encoder that knows two subjects.
type topics struct{ fail bool }

func (e topics) Embed(_ context.Context, texts []string) ([][]float32, error) {
	if e.fail {
		return nil, context.DeadlineExceeded
	}
	out := make([][]float32, len(texts))
	for i, s := range texts {
		out[i] = []float32{0, 1}
		if strings.Contains(s, "boat") || strings.Contains(s, "ship") || strings.Contains(s, "vessel") {
			out[i] = []float32{1, 0}
		}
	}
	return out, nil
}

func TestMeaningDecides(t *testing.T) {
	units := []summary.Unit{
		{Text: "The boat needs another engine soon.", Passage: 0, Weight: 1, Cites: []summary.Citation{{ChunkID: "0"}}},
		{Text: "That old ship cannot leave harbour.", Passage: 0, Weight: 1, Cites: []summary.Citation{{ChunkID: "0"}}},
		{Text: "My vessel stays ashore this winter.", Passage: 0, Weight: 1, Cites: []summary.Citation{{ChunkID: "0"}}},
		{Text: "Cake recipes want plenty of butter.", Passage: 0, Weight: 1, Cites: []summary.Citation{{ChunkID: "0"}}},
	}
	s, err := summary.Extract(t.Context(), units, 22, topics{})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Lines) != 2 || !strings.Contains(s.Text(), "Cake") {
		t.Errorf("two sentences say the same:\n%s", s.Text())
	}
	if _, err := summary.Extract(t.Context(), units, 22, topics{fail: true}); err == nil {
		t.Error("the encoder's failure is lost")
	}
}

func TestOnlyALongSentence(t *testing.T) {
	long := strings.TrimSpace(strings.Repeat("incessant ", 800))
	s := extract(t, []summary.Passage{mail("1", long)}, nil)
	if len(s.Lines) != 1 || s.Tokens > summary.MaxTokens || !strings.HasPrefix(long, s.Text()) || !strings.HasSuffix(s.Text(), "incessant") {
		t.Errorf("%d lines, %d tokens: %q", len(s.Lines), s.Tokens, s.Text())
	}
	if s, err := summary.Extract(t.Context(), nil, 100, nil); err != nil || len(s.Lines) != 0 {
		t.Error(s, err)
	}
}

func TestSummaryOfSummaries(t *testing.T) {
	below := extract(t, renovation, nil)
	again, err := summary.Extract(t.Context(), summary.LineUnits([][]summary.Line{below.Lines, below.Lines}, false), summary.Budget(2*below.Tokens), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range again.Lines {
		if !slices.ContainsFunc(below.Lines, func(b summary.Line) bool { return cmp.Equal(b, l) }) {
			t.Errorf("%+v is not of a summary below", l)
		}
	}
}

func TestKeywords(t *testing.T) {
	got := summary.Keywords(summary.Units(renovation), 3)
	if d := cmp.Diff([]string{"roof", "above", "offers"}, got); len(got) != 3 || !slices.Contains(got, "roof") {
		t.Error(d)
	}
}

func TestPeriod(t *testing.T) {
	day := func(s string) time.Time {
		d, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	for _, c := range [][3]string{
		{"2024-05-03", "2024-05-03", "3 May 2024"},
		{"2024-05-03", "2024-05-14", "3–14 May 2024"},
		{"2024-04-28", "2024-05-03", "28 April – 3 May 2024"},
		{"2023-12-28", "2024-01-03", "28 December 2023 – 3 January 2024"},
	} {
		if got := summary.Period(day(c[0]), day(c[1])); got != c[2] {
			t.Errorf("%q, want %q", got, c[2])
		}
	}
}

func FuzzUnits(f *testing.F) {
	f.Add("Ann: hi. There!\n- x\n> y", "Ann", true)
	f.Add("```\ncode", "", false)
	f.Add("a: b: c\r\n#\n# \n1. \n", "a, a: b", true)
	f.Fuzz(func(t *testing.T, s, authors string, chat bool) {
		if !utf8.ValidString(s) {
			return // only UTF-8 is stored
		}
		last := 0
		for _, u := range summary.Units([]summary.Passage{{ChunkID: "c", Text: s, Chat: chat, Authors: authors}}) {
			c := u.Cites[0]
			if c.Start < last || c.Length <= 0 || !utf8.ValidString(u.Text) || strings.ContainsAny(u.Text, "\n\r") {
				t.Fatalf("%+v after %d", u, last)
			}
			if one := strings.Join(strings.Fields(s[c.Start:c.Start+c.Length]), " "); !strings.HasSuffix(u.Text, one) {
				t.Fatalf("%q is not %q", u.Text, one)
			}
			last = c.Start + c.Length
		}
	})
}

func BenchmarkExtract(b *testing.B) {
	var passages []summary.Passage
	for i := range 12 {
		var s strings.Builder
		for k := range 20 {
			fmt.Fprintf(&s, "Sentence %d of note %d tells about the roof, the beams and the %d EUR they cost in week %d. ", k, i, k*i*7, (k*31+i)%52)
		}
		passages = append(passages, mail(fmt.Sprint(i), s.String()))
	}
	for b.Loop() {
		extract(b, passages, nil)
	}
}

// moving is a note in Chinese, offer a mail in Japanese, in which some things matter and others do not.
const (
	moving = "各位好！\n\n这周末我们终于要搬到新办公室了……大家都很期待！搬家公司周六早上八点到旧办公室，请在周五下班前把自己的东西装箱并贴上标签。" +
		"老王说：“服务器最后搬。周六中午之前不要关机。”新办公室在滨江路88号三楼，门禁卡由行政部的小丽统一发放。搬家费用一共一万两千元，由行政部支付。\n\n谢谢大家！\n收到请回复。"
	offer = "お世話になっております。\n\n新しい事務所への引っ越しの見積もりを送ります。費用は税込で十二万円、作業は土曜日の朝八時に始まります。" +
		"担当の田中は「サーバーは最後に運びます。正午まで電源を切らないでください。」と言っています。引っ越しの前日までに荷物を箱に詰めて、名前のラベルを貼ってください。" +
		"ご不明な点は……いつでもご連絡ください。\n\nよろしくお願いいたします。"
)

// A summary of a Chinese or a Japanese text is made of its sentences, whole, and of those that say something.
func TestCJKSentencesAreWhole(t *testing.T) {
	for _, c := range []struct {
		text      string
		want, not []string
	}{
		{moving, []string{"搬家"}, []string{"各位好", "谢谢大家", "收到"}},
		{offer, []string{"引っ越しの"}, []string{"お世話になって", "よろしく"}},
	} {
		all := shown(mail("1", c.text))
		got := extract(t, []summary.Passage{mail("1", c.text)}, nil)
		if len(got.Lines) == 0 || len(got.Lines) >= len(all) {
			t.Fatalf("%d lines of %d", len(got.Lines), len(all))
		}
		for _, l := range got.Lines {
			if !slices.Contains(all, l.Text) || !strings.HasSuffix(l.Text, "。") && !strings.HasSuffix(l.Text, "。”") {
				t.Errorf("%q is no sentence of the text", l.Text)
			}
			for _, pair := range []string{"「」", "“”", "（）"} {
				r := []rune(pair)
				if strings.Count(l.Text, string(r[0])) != strings.Count(l.Text, string(r[1])) {
					t.Errorf("%q holds half of a quotation", l.Text)
				}
			}
		}
		for _, want := range c.want {
			if !strings.Contains(got.Text(), want) {
				t.Errorf("%q is missing in\n%s", want, got.Text())
			}
		}
		for _, not := range c.not {
			if strings.Contains(got.Text(), not) {
				t.Errorf("%q is in\n%s", not, got.Text())
			}
		}
	}
}
