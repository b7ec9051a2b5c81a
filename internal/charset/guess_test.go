package charset_test

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/unicode/norm"

	"github.com/openhuman/openhuman-core/internal/charset"
)

// unlabelled are sets that text without a label comes in, with sentences of about twenty characters
// or words that a person may note down.
var unlabelled = map[string]struct {
	encs  []encoding.Encoding
	texts []string
}{
	"simplified Chinese": {[]encoding.Encoding{simplifiedchinese.GBK, simplifiedchinese.GB18030}, []string{
		chinese, "今天下午三点和王经理开会，讨论下个季度的预算。", "牛奶、鸡蛋、面包、苹果，还要买一袋大米和洗衣粉。",
		"Meeting笔记：服务器迁移推迟到周五，小李负责备份数据库。", "这是一份记录家庭开支的笔记，每个月底更新一次。",
		"妈妈的生日是六月十二号，记得提前订蛋糕和鲜花。",
	}},
	"traditional Chinese": {[]encoding.Encoding{traditionalchinese.Big5}, []string{
		tradit, "今天下午三點和王經理開會，討論下個季度的預算。", "牛奶、雞蛋、麵包、蘋果，還要買一袋大米和洗衣粉。",
		"媽媽的生日是六月十二號，記得提前訂蛋糕和鮮花。", "這是一份記錄家庭開支的筆記，每個月底更新一次。",
	}},
	"Japanese": {[]encoding.Encoding{japanese.EUCJP, japanese.ShiftJIS, japanese.ISO2022JP}, []string{
		nihongo, "明日の午後三時に田中さんと打ち合わせ。資料を忘れないこと。", "牛乳、卵、パン、りんごとお米を買って帰る予定です。",
		"サーバーの移行は金曜日に延期、バックアップは鈴木が担当。", "東京駅で待ち合わせ、新幹線の切符は予約済みである。",
	}},
	"half-width Japanese": {[]encoding.Encoding{japanese.ShiftJIS}, []string{
		"ｱｲｳｴｵ ﾃｽﾄ", "氏名: ﾔﾏﾀﾞ ﾀﾛｳ様", "ﾄｳｷｮｳﾄ ﾐﾅﾄｸ 1-2-3", "ﾃｽﾄﾃﾞｽ。ｱｼﾀﾉｶｲｷﾞﾊ10ｼﾞｶﾗ｡", "ﾔﾏﾀﾞ ﾀﾛｳ", "ﾌﾘｶﾞﾅ:ｽｽﾞｷ ﾊﾅｺ", "ﾊﾞｯｸｱｯﾌﾟ",
	}},
	"Korean": {[]encoding.Encoding{korean.EUCKR}, []string{
		koreanS, "내일 오후 세 시에 김 과장님과 회의가 있습니다.", "우유, 계란, 빵, 사과와 쌀을 사서 집에 가야 한다.",
		"서버 이전은 금요일로 연기되었고 백업은 민수가 담당.", "어머니 생신은 유월 십이일이니 케이크를 예약하자.",
	}},
	"Russian": {[]encoding.Encoding{charmap.Windows1251, charmap.KOI8R, charmap.ISO8859_5, charmap.CodePage866}, []string{
		russian, "Купить молоко, яйца, хлеб и яблоки", "Встреча с Иваном Петровичем в пятницу", "ПЕРЕЕЗД СЕРВЕРА отложен до пятницы",
		"Код Wi-Fi на даче: спросить у Олега",
	}},
	"Ukrainian": {[]encoding.Encoding{charmap.Windows1251, charmap.KOI8U}, []string{
		"Зустріч із колегами завтра о дев'ятій ранку", "Купити молоко, яйця, хліб і яблука для їжі",
	}},
	"Greek": {[]encoding.Encoding{charmap.ISO8859_7, charmap.Windows1253}, []string{greek, "Να αγοράσω γάλα, αυγά, ψωμί και μήλα"}},
	"Hebrew": {[]encoding.Encoding{charmap.ISO8859_8, charmap.Windows1255}, []string{
		hebrew, "לקנות חלב, ביצים, לחם ותפוחים", "פגישה עם דני ביום שישי בצהריים",
	}},
	"Arabic": {[]encoding.Encoding{charmap.Windows1256, charmap.ISO8859_6}, []string{arabic, "شراء الحليب والبيض والخبز والتفاح", "اجتماع مع المدير يوم الجمعة"}},
	"Thai": {[]encoding.Encoding{charmap.Windows874}, []string{
		thai, "ซื้อนม ไข่ ขนมปัง และแอปเปิ้ล", "ประชุมกับผู้จัดการวันศุกร์ตอนบ่ายสามโมง",
	}},
	"Western": {[]encoding.Encoding{charmap.Windows1252, charmap.ISO8859_1, charmap.Macintosh, charmap.CodePage850}, []string{
		french, "Die Größe der Straße ist für Übergänge nicht wichtig", "Señor Núñez llegará mañana por la tarde",
		"Não esqueça de comprar pão e maçãs amanhã", "Köp mjölk, ägg, bröd och äpplen på vägen hem",
	}},
	"Western punctuation": {[]encoding.Encoding{charmap.Windows1252}, []string{"It’s a “quoted” word – and costs 10 €", "Smith’s notes… don’t lose them"}},
	"Polish":              {[]encoding.Encoding{charmap.Windows1250, charmap.ISO8859_2}, []string{polish, "Kupić mleko, jajka i świeże bułki na śniadanie"}},
	"Czech":               {[]encoding.Encoding{charmap.Windows1250, charmap.ISO8859_2}, []string{"Příští schůzka je v úterý, přineste prosím knížku"}},
	"Turkish":             {[]encoding.Encoding{charmap.Windows1254}, []string{turkish, "Süt, yumurta, ekmek ve şeker alınacak, akşam yemeği için çağır"}},
}

func TestDecodeGuessesShortAndLongText(t *testing.T) {
	for name, c := range unlabelled {
		for i, enc := range c.encs {
			for _, text := range c.texts {
				b, err := enc.NewEncoder().Bytes([]byte(text))
				if err != nil {
					t.Fatalf("%s %v: %v", name, enc, err)
				}
				if got, _ := charset.Decode(b, ""); got != text {
					t.Errorf("%s %d (%v): got %q, want %q", name, i, enc, got, text)
				}
			}
			text := strings.Repeat(strings.Join(c.texts, "\n")+"\nPlain words between.\n", 40)
			b, _ := enc.NewEncoder().Bytes([]byte(text))
			if got, _ := charset.Decode(b, ""); got != text {
				t.Errorf("%s (%v): the long text is wrong: %.200q", name, enc, got)
			}
		}
	}
}

// The set of Vietnamese writes tones as characters of their own; the text has them on their vowels.
func TestDecodeVietnamese(t *testing.T) {
	for _, want := range []string{"Tôi sẽ gặp bạn ở thư viện vào ngày mai", "Mua sữa, trứng, bánh mì và táo", "Nguyễn Văn Đức", "Đừng quên mang theo quyển sách nhé"} {
		// The vowel's own mark comes first and joins it; the tone then stays apart.
		var b []byte
		for _, r := range want {
			vowel, tone := []rune{}, ""
			for _, m := range norm.NFD.String(string(r)) {
				if strings.ContainsRune("\u0300\u0301\u0303\u0309\u0323", m) {
					tone = string(m)
				} else {
					vowel = append(vowel, m)
				}
			}
			for _, part := range []string{norm.NFC.String(string(vowel)), tone} {
				c, err := charmap.Windows1258.NewEncoder().Bytes([]byte(part))
				if err != nil {
					t.Fatalf("%q of %q: %v", part, want, err)
				}
				b = append(b, c...)
			}
		}
		for _, label := range []string{"", "windows-1258", "cp1258"} {
			if got, _ := charset.Decode(b, label); got != want {
				t.Errorf("as %q: got %q, want %q", label, got, want)
			}
		}
	}
}

func TestDecodeUnmarkedUTF16(t *testing.T) {
	for _, want := range []string{chinese, chinese + "\nplain words\n", "明天开会", "明天上午开会\n讨论预算\n", tradit, nihongo, koreanS, russian, greek, hebrew, arabic, thai,
		"Notes\nabc", strings.Repeat(chinese+"\n", 2000)} {
		for order, name := range map[unicode.Endianness]string{unicode.LittleEndian: "utf-16le", unicode.BigEndian: "utf-16be"} {
			b := encode(t, unicode.UTF16(order, unicode.IgnoreBOM), want)
			if got, _ := charset.Decode(b, ""); got != want {
				t.Errorf("got %.200q, want %.200q", got, want)
			}
			if got := charset.Guess(b); got != name {
				t.Errorf("Guess(%.40q) is %q", want, got)
			}
			if got, _ := charset.Decode(b, "utf-16"); got != want {
				t.Errorf("labelled: got %.200q, want %.200q", got, want)
			}
		}
	}
	// Other text with a few control characters is none.
	for _, in := range []string{"bell \a rings \x00 now", chinese + "\x01\x02", "\x01\x02\x03 caf\xe9 au lait", "a\x1bb\x1bc"} {
		if got := charset.Guess([]byte(in)); strings.HasPrefix(got, "utf-16") {
			t.Errorf("Guess(%q) is %q", in, got)
		}
	}
}

func TestDecodeGuessesSevenBitSets(t *testing.T) {
	shift := func(enc encoding.Encoding, s, on, off string) string {
		b, _ := enc.NewEncoder().Bytes([]byte(s))
		for i := range b {
			b[i] &= 0x7f
		}
		return on + string(b) + off
	}
	for want, in := range map[string]string{
		"회의는 내일":                        "\x1b$)C" + shift(korean.EUCKR, "회의는", "\x0e", "\x0f") + " " + shift(korean.EUCKR, "내일", "\x0e", "\x0f"),
		"go 明天开会":                       "go " + shift(simplifiedchinese.GBK, "明天开会", "~{", "~}"),
		"a ~{b} in a script, and ~{c~}": "a ~{b} in a script, and ~{c~}",
		"~{ab~} once":                   "~{ab~} once",
	} {
		if got, _ := charset.Decode([]byte(in), ""); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func BenchmarkGuess(b *testing.B) {
	for name, enc := range map[string]encoding.Encoding{"1251": charmap.Windows1251, "gbk": simplifiedchinese.GBK} {
		text := russian
		if name == "gbk" {
			text = chinese
		}
		in, _ := enc.NewEncoder().Bytes([]byte(strings.Repeat(text+"\n", 400)))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				charset.Guess(in)
			}
		})
	}
}
