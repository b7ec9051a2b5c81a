package charset_test

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/openhuman/openhuman-core/internal/charset"
)

const (
	russian = "Привет, завтра встречаемся в библиотеке в десять часов утра, не забудь взять книгу."
	hebrew  = "שלום, הפגישה מחר בבוקר בעשר בספרייה העירונית"
	greek   = "Καλημέρα, η συνάντηση είναι αύριο το πρωί στις δέκα"
	thai    = "สวัสดี พรุ่งนี้เราจะพบกันที่ห้องสมุด"
	arabic  = "مرحبا، الاجتماع غدا صباحا في المكتبة"
	nihongo = "こんにちは、明日の会議は十時からです。よろしくお願いします。"
	chinese = "你好，明天上午十点在图书馆见面，请不要忘记带书。"
	tradit  = "你好，明天上午十點在圖書館見面，請不要忘記帶書。"
	koreanS = "안녕하세요, 내일 오전 열 시에 도서관에서 만나요."
	french  = "Bonjour, la réunion de demain est déplacée à dix heures, à côté de la bibliothèque."
	polish  = "Dzień dobry, jutrzejsze spotkanie odbędzie się o dziesiątej, proszę wziąć książkę."
	turkish = "Günaydın, yarınki toplantı saat onda kütüphanede, kitabı getirmeyi unutmayın şimdi."
)

func encode(t *testing.T, enc encoding.Encoding, s string) []byte {
	t.Helper()
	b, err := enc.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDecodeFollowsRightLabels(t *testing.T) {
	for _, c := range []struct {
		label string
		enc   encoding.Encoding
		text  string
	}{
		{"utf-8", unicode.UTF8, russian},
		{"UTF8", unicode.UTF8, chinese},
		{`"utf-8"`, unicode.UTF8, french},
		{"us-ascii", unicode.UTF8, "plain words"},
		{"iso-8859-1", charmap.ISO8859_1, french},
		{"iso-8859-2", charmap.ISO8859_2, polish},
		{"iso-8859-5", charmap.ISO8859_5, russian},
		{"iso-8859-7", charmap.ISO8859_7, greek},
		{"iso-8859-8-i", charmap.ISO8859_8, hebrew},
		{"iso-8859-9", charmap.ISO8859_9, turkish},
		{"ISO-8859-15", charmap.ISO8859_15, "prix: 10 €, œuvre"},
		{"windows-1250", charmap.Windows1250, polish},
		{"windows-1251", charmap.Windows1251, russian},
		{"cp1251", charmap.Windows1251, russian},
		{"windows-1252", charmap.Windows1252, "“quoted” – 10 €"},
		{"windows-1255", charmap.Windows1255, hebrew},
		{"windows-1256", charmap.Windows1256, arabic},
		{"koi8-r", charmap.KOI8R, russian},
		{"koi8-u", charmap.KOI8U, "Привіт, зустріч завтра"},
		{"tis-620", charmap.Windows874, thai},
		{"iso-2022-jp", japanese.ISO2022JP, nihongo},
		{"shift_jis", japanese.ShiftJIS, nihongo},
		{"cp932", japanese.ShiftJIS, nihongo},
		{"euc-jp", japanese.EUCJP, nihongo},
		{"gb2312", simplifiedchinese.GBK, chinese},
		{"GBK", simplifiedchinese.GBK, chinese},
		{"gb18030", simplifiedchinese.GB18030, chinese + "𠀀"},
		{"big5", traditionalchinese.Big5, tradit},
		{"euc-kr", korean.EUCKR, koreanS},
		{"ks_c_5601-1987", korean.EUCKR, koreanS},
		{"mac_roman", charmap.Macintosh, french},
		{"x-mac-cyrillic", charmap.MacintoshCyrillic, russian},
		{"cp850", charmap.CodePage850, french},
		{"ibm437", charmap.CodePage437, "naïve café"},
		{"cp866", charmap.CodePage866, russian},
		{"utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), chinese},
		{"utf-16be", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), russian},
		{"utf-16", unicode.UTF16(unicode.BigEndian, unicode.UseBOM), greek},
		{"utf-16", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), greek},
		{"utf-16", unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), french},
		{"utf-16", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), french},
		{"", unicode.UTF16(unicode.LittleEndian, unicode.UseBOM), "a line\nand " + chinese},
		{"", unicode.UTF8BOM, nihongo},
	} {
		got, certain := charset.Decode(encode(t, c.enc, c.text), c.label)
		if got != c.text || !certain {
			t.Errorf("%q: got %q, certain %v; want %q", c.label, got, certain, c.text)
		}
	}
}

func TestDecodeSeesThroughWrongLabels(t *testing.T) {
	for _, c := range []struct {
		name, label, bytes, want string
	}{
		{"latin-1 that is 1252", "iso-8859-1", "10 \x80 \x93hi\x94", "10 € “hi”"},
		{"utf-8 that is 1252", "utf-8", "10 \x80 \x93hi\x94 caf\xe9", "10 € “hi” café"},
		{"us-ascii that is utf-8", "us-ascii", "café €", "café €"},
		{"us-ascii that is 1252", "us-ascii", "na\xefve caf\xe9", "naïve café"},
		{"latin-1 that is utf-8", "iso-8859-1", "café – 10 €", "café – 10 €"},
		{"1251 that is utf-8", "windows-1251", russian, russian},
		{"big5 that is utf-8", "big5", russian, russian},
		{"unknown label, utf-8", "x-made-up", "café", "café"},
		{"unknown label, 1252", "x-unknown", "caf\xe9 cr\xe8me", "café crème"},
		{"utf-16 that was converted", "utf-16", "plain text after all", "plain text after all"},
		{"utf-8 with one bad byte", "utf-8", chinese + "\xff" + chinese, chinese + "\ufffd" + chinese},
		{"utf-8 cut inside a character", "utf-8", (chinese + "书")[:len(chinese)+2], chinese},
	} {
		got, _ := charset.Decode([]byte(c.bytes), c.label)
		if got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestDecodeGuessesWithoutLabel(t *testing.T) {
	for name, c := range map[string]struct {
		enc  encoding.Encoding
		text string
	}{
		"windows-1251": {charmap.Windows1251, russian},
		"koi8-r":       {charmap.KOI8R, russian},
		"windows-1252": {charmap.Windows1252, french},
		"polish":       {charmap.Windows1250, polish},
		"polish latin": {charmap.ISO8859_2, polish},
		"turkish":      {charmap.Windows1254, turkish},
		"german":       {charmap.Windows1252, "Die Größe der Straße ist für Übergänge nicht wichtig"},
		"spanish":      {charmap.Windows1252, "señor Núñez, mañana"},
		"few letters":  {charmap.Windows1252, "naïve café"},
		"greek":        {charmap.ISO8859_7, greek},
		"shift_jis":    {japanese.ShiftJIS, nihongo},
		"euc-jp":       {japanese.EUCJP, nihongo},
		"gbk":          {simplifiedchinese.GBK, chinese},
		"big5":         {traditionalchinese.Big5, tradit},
		"euc-kr":       {korean.EUCKR, koreanS},
		"short latin":  {charmap.Windows1252, "café"},
	} {
		for _, label := range []string{"", "x-unknown", "utf-8"} {
			got, certain := charset.Decode(encode(t, c.enc, c.text), label)
			if got != c.text || certain {
				t.Errorf("%s as %q: got %q, certain %v; want %q", name, label, got, certain, c.text)
			}
		}
	}
	got, _ := charset.Decode(encode(t, japanese.ISO2022JP, nihongo), "")
	if got != nihongo {
		t.Errorf("iso-2022-jp: got %q", got)
	}
	got, _ = charset.Decode(encode(t, unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "Notes of May\r\nsecond line"), "")
	if got != "Notes of May\nsecond line" {
		t.Errorf("utf-16 without mark: got %q", got)
	}
}

func TestDecodeGuessLooksBeyondALongASCIIStart(t *testing.T) {
	b := append([]byte(strings.Repeat("plain words here\n", 20_000)), encode(t, charmap.Windows1251, strings.Repeat(russian+"\n", 20))...)
	got, _ := charset.Decode(b, "")
	if !strings.HasSuffix(got, russian+"\n") {
		t.Errorf("got end %q", got[len(got)-200:])
	}
}

// The same bytes give the same text, however close the guesses are.
func TestDecodeGuessesTheSameEachTime(t *testing.T) {
	for _, in := range []string{"\xf0\xd2\xc9\xd7\xc5", "caf\xe9", "\xcf\xf0\xe8", "\xc4\xe3", "na\xefve \xe0 c\xf4t\xe9"} {
		first, _ := charset.Decode([]byte(in), "")
		for range 200 {
			if got, _ := charset.Decode([]byte(in), ""); got != first {
				t.Fatalf("%q is %q and %q", in, first, got)
			}
		}
	}
	if got, _ := charset.Decode([]byte("\xf0\xd2\xc9\xd7\xc5"), ""); got != "Приве" {
		t.Errorf("got %q", got)
	}
}

func TestDecodeSevenBitSets(t *testing.T) {
	for _, c := range []struct{ label, bytes, want string }{
		{"utf-7", "Hi Mom +Jjo-!", "Hi Mom ☺!"},
		{"utf-7", "A+ImIDkQ.", "A≢Α."},
		{"UTF-7", "1 +- 1 = 2, +2D3eCg-", "1 + 1 = 2, \U0001f60a"},
		{"utf-7", "C++ and + alone", "C++ and + alone"},
		{"hz-gb-2312", "one ~{VPND~} two ~~", "one 中文 two ~"},
	} {
		if got, _ := charset.Decode([]byte(c.bytes), c.label); got != c.want {
			t.Errorf("%s: got %q, want %q", c.label, got, c.want)
		}
	}
	euc := encode(t, korean.EUCKR, "회의")
	kr := "\x1b$)C\x0e"
	for _, c := range euc {
		kr += string(rune(c & 0x7f))
	}
	kr += "\x0f ok"
	if got, _ := charset.Decode([]byte(kr), "iso-2022-kr"); got != "회의 ok" {
		t.Errorf("iso-2022-kr: got %q", got)
	}
}

func TestDecodeCleans(t *testing.T) {
	for in, want := range map[string]string{
		"a\r\nb\rc\nd":      "a\nb\nc\nd",
		"a\r\r\nb":          "a\nb",
		"a\r\rb":            "a\n\nb",
		"nul\x00 bel\x07":   "nul bel",
		"tab\tkept\x7f":     "tab\tkept",
		"page\fnext\vline":  "page\nnext\nline",
		"10 \u0080 \u0081x": "10 € x",
		"\u00a0 ÂÃ":         "\u00a0 ÂÃ",
		"\ufeffmark":        "mark",
		"end\r":             "end\n",
	} {
		if got, _ := charset.Decode([]byte(in), ""); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func TestReader(t *testing.T) {
	got, err := io.ReadAll(charset.Reader("koi8-r", strings.NewReader(string(encode(t, charmap.KOI8R, russian)))))
	if err != nil || string(got) != russian {
		t.Errorf("got %q, %v", got, err)
	}
	broken := errors.New("broken")
	got, err = io.ReadAll(charset.Reader("utf-8", io.MultiReader(strings.NewReader("start"), iotest.ErrReader(broken))))
	if string(got) != "start" || !errors.Is(err, broken) {
		t.Errorf("got %q, %v; want the text and then the error", got, err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, label := range []string{"", "utf-8", "iso-8859-1", "iso-2022-jp", "utf-7", "utf-16", "hz-gb-2312",
		"iso-2022-kr", "big5", "gb18030", "euc-jp", "koi8-r", "cp850", "utf-32", "x-unknown"} {
		f.Add([]byte("caf\xe9 \x1b$B$3\x1b(B +Jjo- ~{VP~} \x0eab\x0f \x00a\xff\r\n"), label)
	}
	f.Fuzz(func(t *testing.T, b []byte, label string) {
		got, _ := charset.Decode(b, label)
		if !utf8.ValidString(got) {
			t.Fatalf("invalid UTF-8: %q", got)
		}
		for _, c := range []byte(got) {
			if c < 0x20 && c != '\t' && c != '\n' || c == 0x7f {
				t.Fatalf("control character %#x in %q", c, got)
			}
		}
		if len(got) > 4*len(b)+16 {
			t.Fatalf("%d bytes became %d", len(b), len(got))
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for name, text := range map[string]string{
		"ascii":   strings.Repeat("A mail of plain words.\n", 400),
		"crlf":    strings.Repeat("A mail of plain words.\r\n", 400),
		"chinese": strings.Repeat(chinese+"\n", 100),
	} {
		in := []byte(text)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(in)))
			for b.Loop() {
				charset.Decode(in, "utf-8")
			}
		})
	}
}

// TestLongRunsOfReturns: a mark that stands again and again takes time in proportion, not its square,
// with which this test would not end.
func TestLongRunsOfReturns(t *testing.T) {
	const n = 4 << 20
	run := strings.Repeat("\r", n)
	if got, _ := charset.Decode([]byte(run+"a"), ""); got != strings.Repeat("\n", n)+"a" {
		t.Errorf("%d bytes", len(got))
	}
	if got, _ := charset.Decode([]byte("a"+run+"\nb"), ""); got != "a\nb" {
		t.Errorf("%d bytes", len(got))
	}
}

func TestKnown(t *testing.T) {
	for label, want := range map[string]bool{
		"": true, "unknown-8bit": true, "UTF-8": true, "utf8": true, "us-ascii": true, "UTF-7": true, "utf-16le": true, "ucs-4": true, "hz-gb-2312": true,
		"iso-2022-kr": true, "\"windows-1252\"": true, "koi8-r": true, "big5": true, "gb18030": true, "iso_8859-15": true,
		"johab": false, "ks_c_5601-1992": false, "x-nothing": false, "utf-8x": false,
	} {
		if got := charset.Known(label); got != want {
			t.Errorf("%s: %v", label, got)
		}
	}
}
