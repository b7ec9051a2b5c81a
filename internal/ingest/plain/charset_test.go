package plain_test

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
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/plain"
)

// Files that state no charset, in every one that is common, as one short sentence and as pages of it.
func TestFilesWithoutAStatedCharset(t *testing.T) {
	const (
		russian = "Встреча с врачом перенесена на пятницу."
		hebrew  = "הפגישה עם הרופא נדחתה ליום שישי בבוקר."
		chinese = "和医生的预约改到星期五上午十点，记得带病历。"
		tradit  = "和醫生的預約改到星期五上午十點，記得帶病歷。"
		nihongo = "歯医者の予約は金曜日の午前十時に変更になりました。"
		koreanS = "병원 예약이 금요일 오전 열 시로 변경되었습니다."
		thai    = "นัดหมอเลื่อนไปเป็นวันศุกร์ตอนเช้า"
		french  = "Le rendez-vous chez le médecin est reporté à vendredi, à l'hôpital."
		german  = "Der Termin beim Zahnarzt wurde auf nächsten Freitag für elf Uhr verschoben."
	)
	for name, c := range map[string]struct {
		enc  encoding.Encoding
		text string
	}{
		"gbk": {simplifiedchinese.GBK, chinese}, "gb18030": {simplifiedchinese.GB18030, chinese + "𠀀"},
		"big5": {traditionalchinese.Big5, tradit}, "euc-jp": {japanese.EUCJP, nihongo}, "shift_jis": {japanese.ShiftJIS, nihongo},
		"iso-2022-jp": {japanese.ISO2022JP, nihongo}, "euc-kr": {korean.EUCKR, koreanS}, "tis-620": {charmap.Windows874, thai},
		"koi8-r": {charmap.KOI8R, russian}, "windows-1251": {charmap.Windows1251, russian}, "iso-8859-5": {charmap.ISO8859_5, russian},
		"cp866": {charmap.CodePage866, russian}, "iso-8859-8": {charmap.ISO8859_8, hebrew}, "windows-1255": {charmap.Windows1255, hebrew},
		"iso-8859-1": {charmap.ISO8859_1, french}, "iso-8859-15": {charmap.ISO8859_15, french}, "windows-1252": {charmap.Windows1252, german},
		"macintosh": {charmap.Macintosh, french}, "cp850": {charmap.CodePage850, german},
		"iso-8859-7":   {charmap.ISO8859_7, "Το ραντεβού με τον γιατρό άλλαξε για την Παρασκευή."},
		"windows-1253": {charmap.Windows1253, "Το ραντεβού με τον γιατρό άλλαξε για την Παρασκευή."},
		"windows-1256": {charmap.Windows1256, "تم تأجيل موعد الطبيب إلى يوم الجمعة صباحا"},
		"iso-8859-2":   {charmap.ISO8859_2, "Wizyta u lekarza została przełożona na piątek, proszę pamiętać."},
		"windows-1250": {charmap.Windows1250, "Wizyta u lekarza została przełożona na piątek, proszę pamiętać."},
		"windows-1254": {charmap.Windows1254, "Doktor randevusu cuma gününe ertelendi, şimdi başka iş yok, çağrı kaldı."},
		"koi8-u":       {charmap.KOI8U, "Зустріч із лікарем перенесено на п'ятницю, її підтвердили."},
		"utf-16le":     {unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), german},
		"utf-16be":     {unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), german},
		"utf-32":       {utf32.UTF32(utf32.BigEndian, utf32.UseBOM), chinese},
	} {
		for length, text := range map[string]string{"short": c.text, "long": strings.Repeat(c.text+" 2024-05-01\n", 2000)} {
			b, err := c.enc.NewEncoder().Bytes([]byte(text))
			if err != nil {
				t.Fatal(err)
			}
			in := input("n.txt", string(b))
			if plain.New().Detect(in) == 0 {
				t.Errorf("%s, %s: not taken for text", name, length)
				continue
			}
			ds, report := read(t, plain.New(), in)
			if report.Outcome != doc.OK || len(ds) != 1 {
				t.Errorf("%s, %s: %+v, %d documents", name, length, report, len(ds))
				continue
			}
			if ds[0].Body != text {
				t.Errorf("%s, %s: got %.100q, want %.100q", name, length, ds[0].Body, text)
			}
		}
	}
}

// A file in parts is in one charset, and no border goes through a character.
func TestPartsInOneCharset(t *testing.T) {
	for name, c := range map[string]struct {
		enc  encoding.Encoding
		text string
	}{
		"shift_jis": {japanese.ShiftJIS, strings.Repeat("歯医者の予約は金曜日に変更。", 500)},
		"gb18030":   {simplifiedchinese.GB18030, strings.Repeat("预约改到星期五𠀀上午。", 700)},
		"koi8-r":    {charmap.KOI8R, strings.Repeat("Встреча перенесена", 700)},
		"utf-32":    {utf32.UTF32(utf32.LittleEndian, utf32.UseBOM), strings.Repeat("预约改到星期五。", 700)},
	} {
		b, err := c.enc.NewEncoder().Bytes([]byte(c.text))
		if err != nil {
			t.Fatal(err)
		}
		ds, _ := read(t, plain.WithLimits(1001, 1<<30), input("n.txt", string(b)))
		var all strings.Builder
		for _, d := range ds {
			all.WriteString(d.Body)
		}
		if len(ds) < 3 || all.String() != c.text {
			t.Errorf("%s: %d parts, %.300q", name, len(ds), all.String())
		}
	}
}
