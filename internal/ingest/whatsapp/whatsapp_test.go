package whatsapp_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/chattest"
	"github.com/openhuman/openhuman-core/internal/ingest/whatsapp"
)

const android = `01/05/2024, 09:12 - Messages and calls are end-to-end encrypted. No one outside of this chat can read them. Tap to learn more.
01/05/2024, 09:12 - Ada Byron created group "Trip: Lisbon"
01/05/2024, 09:13 - Ada Byron: Who books the train?
01/05/2024, 09:15 - Bob Tanaka: I do.
Two lines, even:
10:30 from platform 4
01/05/2024, 09:16 - Ada Byron: <Media omitted>
01/05/2024, 09:17 - Bob Tanaka: IMG-20240501-WA0001.jpg (file attached)
the caption of the picture
01/05/2024, 09:18 - Bob Tanaka: Tickets May.pdf (file attached)
13/05/2024, 21:40 - Ada Byron changed the subject from “Trip: Lisbon” to “Trip: Porto”
13/05/2024, 21:41 - +49 151 2345678: see https://example.com/a: it works <This message was edited>
13/05/2024, 21:42 - Ada Byron: This message was deleted
`

func TestAndroid(t *testing.T) {
	golden.Check(t, "testdata/android.golden.txt", []byte(chattest.Write(chattest.Read(t, whatsapp.New(), chattest.Input("WhatsApp Chat with Trip.txt", []byte(android), nil)))))
}

const ios = "\u200e[5/1/24, 9:12:01\u202fAM] Trip: \u200eMessages and calls are end-to-end encrypted.\r\n" +
	"[5/1/24, 9:12:03\u202fAM] Ada Byron: \u200eAda Byron created this group\r\n" +
	"[5/1/24, 9:13:00\u202fAM] Ada Byron: Who books, @\u2068Bob Tanaka\u2069?\r\n" +
	"[5/1/24, 12:15:00\u202fPM] ~\u00a0Bob Tanaka: I do.\r\nsecond line\r\n" +
	"\u200e[5/1/24, 12:16:00\u202fPM] Ada Byron: \u200eimage omitted\r\n" +
	"\u200e[5/1/24, 12:17:00\u202fPM] Ada Byron: \u200e<attached: 00000005-PHOTO-2024-05-01.jpg>\r\n" +
	"\u200e[5/1/24, 12:18:00\u202fPM] Ada Byron: Plan.pdf \u2022 \u200e2 pages \u200e<attached: 00000006-Plan.pdf>\r\n" +
	"\u200e[5/1/24, 12:18:30\u202fPM] Ada Byron: look at this \u200e<attached: 00000007-PHOTO.jpg>\r\n" +
	"\u200e[5/1/24, 12:18:40\u202fPM] Ada Byron: Notes.docx \u2022 \u200e3 pages \u200edocument omitted\r\n" +
	"[5/13/24, 12:00:09\u202fAM] Ada Byron: midnight\u200e <This message was edited>\r\n" +
	"\u200e[5/13/24, 12:01:00\u202fAM] Ada Byron: \u200eYou deleted this message.\r\n"

func TestIOS(t *testing.T) {
	in := chattest.Input("_chat.txt", []byte(ios), nil)
	in.Root = "WhatsApp Chat - Trip.zip"
	golden.Check(t, "testdata/ios.golden.txt", []byte(chattest.Write(chattest.Read(t, whatsapp.New(), in))))
	in.Root = "Downloads"
	if docs, _ := chattest.Read(t, whatsapp.New(), in); docs[0].SourceID != "whatsapp:Trip" {
		t.Errorf("without a name of file or folder: %s", docs[0].SourceID)
	}
}

func TestContract(t *testing.T) {
	chattest.Run(t, whatsapp.New(), "WhatsApp Chat with Trip.txt", []byte(android), nil)
	chattest.Run(t, whatsapp.New(), "WhatsApp Chat - Trip/_chat.txt", []byte(ios), nil)
}

// A locale is a way to write stamps: the layout is one of Go's, digits and words are replaced after it.
type locale struct {
	name, layout string
	ios          bool
	digits       string // ten, "" for 0 to 9
	am, pm       string
	year         int // added to the year
}

var locales = []locale{
	{name: "en-US android", layout: "1/2/06, 3:04 PM"},
	{name: "en-US ios", layout: "1/2/06, 3:04:05\u202fPM", ios: true},
	{name: "en-GB", layout: "02/01/2006, 15:04"},
	{name: "en-IN", layout: "02/01/06, 3:04 PM", am: "am", pm: "pm"},
	{name: "en-AU ios", layout: "2/1/2006, 3:04:05 PM", am: "am", pm: "pm", ios: true},
	{name: "en-CA", layout: "2006-01-02, 3:04 PM", am: "a.m.", pm: "p.m."},
	{name: "en-ZA", layout: "2006/01/02, 15:04"},
	{name: "de", layout: "02.01.06, 15:04"},
	{name: "de ios", layout: "02.01.06, 15:04:05", ios: true},
	{name: "fr", layout: "02/01/2006 à 15:04"},
	{name: "fr ios", layout: "02/01/2006 15:04:05", ios: true},
	{name: "es", layout: "2/1/06 15:04"},
	{name: "es-MX", layout: "2/1/2006, 3:04 PM", am: "a. m.", pm: "p. m."},
	{name: "es-MX ios", layout: "02/01/06, 3:04:05 PM", am: "a.\u00a0m.", pm: "p.\u00a0m.", ios: true},
	{name: "pt-BR", layout: "02/01/2006 15:04"},
	{name: "it", layout: "02/01/06, 15:04"},
	{name: "nl", layout: "02-01-2006 15:04"},
	{name: "sv", layout: "2006-01-02 15:04"},
	{name: "da", layout: "02.01.2006 15.04"},
	{name: "fi", layout: "2.1.2006 klo 15.04"},
	{name: "nb ios", layout: "02.01.2006, 15:04:05", ios: true},
	{name: "pl", layout: "2.01.2006, 15:04"},
	{name: "cs", layout: "02.01.06 15:04"},
	{name: "sk", layout: "2. 1. 2006 15:04"},
	{name: "hr", layout: "02. 01. 2006. u 15:04"},
	{name: "hu", layout: "2006. 01. 02. 15:04"},
	{name: "bg", layout: "2.01.06 г., 15:04"},
	{name: "ru", layout: "02.01.2006, 15:04"},
	{name: "el", layout: "2/1/06, 3:04 PM", am: "π.μ.", pm: "μ.μ."},
	{name: "tr", layout: "2.01.2006 15:04"},
	{name: "he", layout: "2.1.2006, 15:04"},
	{name: "ar", layout: "2\u200f/1\u200f/2006، 3:04 PM", digits: "٠١٢٣٤٥٦٧٨٩", am: "ص", pm: "م"},
	{name: "ar ios", layout: "2\u200f/1\u200f/2006، 3:04:05 PM", digits: "٠١٢٣٤٥٦٧٨٩", am: "ص", pm: "م", ios: true},
	{name: "fa", layout: "2006/1/2،\u200f 15:04", digits: "۰۱۲۳۴۵۶۷۸۹"},
	{name: "hi", layout: "2/1/06, 3:04 PM", am: "am", pm: "pm"},
	{name: "mr", layout: "2/1/06, 3:04 PM", digits: "०१२३४५६७८९", am: "म.पू.", pm: "म.उ."},
	{name: "bn", layout: "2/1/06, 3:04 PM", digits: "০১২৩৪৫৬৭৮৯"},
	{name: "th ios", layout: "2/1/2006 15:04:05", ios: true, year: 543},
	{name: "id", layout: "02/01/06 15.04"},
	{name: "vi", layout: "02/01/2006, 15:04"},
	{name: "zh-CN", layout: "2006/1/2 PM3:04", am: "上午", pm: "下午"},
	{name: "zh-CN ios", layout: "2006/1/2 PM3:04:05", am: "上午", pm: "下午", ios: true},
	{name: "zh-TW", layout: "2006/1/2 PM3:04", am: "上午", pm: "下午"},
	{name: "ja", layout: "2006/01/02 15:04"},
	{name: "ja 12", layout: "2006/01/02 PM3:04", am: "午前", pm: "午後"},
	{name: "ja ios", layout: "2006/01/02 15:04:05", ios: true},
	{name: "ko", layout: "2006. 1. 2. PM 3:04", am: "오전", pm: "오후"},
	{name: "ko ios", layout: "2006. 1. 2. PM 3:04:05", am: "오전", pm: "오후", ios: true},
	{name: "ko words", layout: "2006년 1월 2일 PM 3:04", am: "오전", pm: "오후"},
}

func (l locale) stamp(t time.Time) string {
	s := t.Format(l.layout)
	if l.year > 0 {
		s = strings.Replace(s, t.Format("2006"), fmt.Sprint(t.Year()+l.year), 1)
	}
	if l.pm != "" {
		s = strings.NewReplacer("AM", l.am, "PM", l.pm).Replace(s)
	}
	if l.digits != "" {
		d := []rune(l.digits)
		s = strings.Map(func(r rune) rune {
			if r >= '0' && r <= '9' {
				return d[r-'0']
			}
			return r
		}, s)
	}
	if l.ios {
		return "[" + s + "] "
	}
	return s + " - "
}

// TestLocales writes chats as WhatsApp does in many languages, and reads them.
func TestLocales(t *testing.T) {
	for _, l := range locales {
		t.Run(l.name, func(t *testing.T) {
			for seed := range uint64(8) {
				random := rand.New(rand.NewPCG(seed, 1))
				at := time.Date(2024, time.Month(1+random.IntN(12)), 1+random.IntN(28), random.IntN(24), 0, 0, 0, time.UTC)
				var text strings.Builder
				var want []string
				for i := range 25 {
					at = at.Add(time.Duration(1+random.IntN(30*60)) * time.Minute)
					author := []string{"Ada Byron", "Боб", "田中 花子", "+49 151 123"}[random.IntN(4)]
					fmt.Fprintf(&text, "%s%s: text %d: a - b\n", l.stamp(at), author, i)
					want = append(want, fmt.Sprintf("%s %s text %d: a - b", at.Format("2006-01-02 15:04"), author, i))
				}
				in := chattest.Input("chat.txt", []byte(text.String()), nil)
				// A copy may have any time, which the dates do not need.
				in.ModTime = []time.Time{at, {}, at.AddDate(-4, 0, 0), at.AddDate(5, 0, 0), time.Unix(0, 0)}[seed%5]
				if n := whatsapp.New().Detect(in); n < 50 {
					t.Fatalf("Detect = %d: %s", n, text.String())
				}
				var got []string
				if _, err := whatsapp.New().Read(t.Context(), in, func(d *doc.Document) error {
					for _, m := range d.Messages {
						got = append(got, fmt.Sprintf("%s %s %s", m.Time.Format("2006-01-02 15:04"), m.Author.Name, m.Text))
					}
					return nil
				}); err != nil {
					t.Fatal(err)
				}
				if d := cmp.Diff(want, got); d != "" {
					t.Fatalf("%s\n%s", d, text.String())
				}
			}
		})
	}
}

// TestFewDates: with nothing but ambiguous dates the order that makes sense counts.
func TestFewDates(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"1/5/24, 15:00 - Ada: a\n2/5/24, 15:00 - Ada: b\n3/5/24, 15:00 - Ada: c\n", "2024-05-01"},
		{"5/1/24, 3:00 PM - Ada: a\n5/2/24, 3:00 PM - Ada: b\n5/3/24, 3:00 PM - Ada: c\n", "2024-05-01"},
		{"5/1/24, 15:00 - Ada: a\n5/2/24, 15:00 - Ada: b\n5/3/24, 15:00 - Ada: c\n", "2024-05-01"},
		{"1.5.24, 15:00 - Ada: a\n", "2024-05-01"},
		{"5/1/24, 3:00 PM - Ada: a\n", "2024-05-01"},
		{"24/5/1, 15:00 - Ada: a\n24/5/30, 15:00 - Ada: b\n", "2024-05-01"},
		{"1403/2/12, 15:00 - Ada: a\n", "2024-05-01"},
		{"12/6/25, 15:00 - Ada: older than the file\n", "2024-12-06"},
	} {
		in := chattest.Input("chat.txt", []byte(strings.ReplaceAll(c.text, "12/6/25", "12/6/24")), nil)
		docs, report := chattest.Read(t, whatsapp.New(), in)
		if c.want == "2024-12-06" {
			in.ModTime = time.Date(2024, 6, 13, 0, 0, 0, 0, time.UTC)
			docs, report = chattest.Read(t, whatsapp.New(), in)
			c.want = "2024-06-12"
		}
		if len(docs) == 0 || docs[0].Time.Format(time.DateOnly) != c.want {
			t.Errorf("%q: %s %+v", c.text, chattest.Write(docs, report), report)
		}
	}
}

// TestTimeOfTheFile: the time of a file that was copied says nothing against what its dates say.
func TestTimeOfTheFile(t *testing.T) {
	for _, c := range []struct {
		dates string
		want  []string
	}{
		{"31.12.23 01.02.24", []string{"2023-12-31", "2024-02-01"}},
		{"28.12.23 01.02.24 13.06.24", []string{"2023-12-28", "2024-02-01", "2024-06-13"}},
		{"28.12.23 15.01.24", []string{"2023-12-28", "2024-01-15"}},
		{"20.12.23 21.01.24", []string{"2023-12-20", "2024-01-21"}},
		{"12.06.23", []string{"2023-06-12"}},
		{"30.09.23 01.10.23 02.10.23", []string{"2023-09-30", "2023-10-01", "2023-10-02"}},
		{"12/31/23 1/2/24 1/3/24", []string{"2023-12-31", "2024-01-02", "2024-01-03"}},
		{"23-12-31 24-02-01", []string{"2023-12-31", "2024-02-01"}},
		{"2023/12/11 2023/12/12", []string{"2023-12-11", "2023-12-12"}},
	} {
		for _, year := range []int{1970, 2012, 2020, 2024, 2031} {
			var text strings.Builder
			for _, d := range strings.Fields(c.dates) {
				fmt.Fprintf(&text, "%s, 21:06 - Ada: text\n", d)
			}
			in := chattest.Input("WhatsApp Chat mit A.txt", []byte(text.String()), nil)
			in.ModTime = time.Date(year, 9, 13, 0, 0, 0, 0, time.UTC)
			docs, _ := chattest.Read(t, whatsapp.New(), in)
			var got []string
			for _, d := range docs {
				got = append(got, d.Time.Format(time.DateOnly))
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Errorf("%s in a file of %d: %s", c.dates, year, d)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"WhatsApp Chat with Ada Byron.txt":     "Ada Byron",
		"WhatsApp Chat with Ada Byron (1).txt": "Ada Byron",
		"WhatsApp Chat mit Ada.txt":            "Ada",
		"Chat de WhatsApp con Ada.txt":         "Ada",
		"Discussion WhatsApp avec Ada.txt":     "Ada",
		"Conversa do WhatsApp com Ada.txt":     "Ada",
		"Чат WhatsApp с контактом Ада.txt":     "Ада",
		"Чат WhatsApp с Ада.txt":               "Ада",
		"Ada ile WhatsApp Sohbeti.txt":         "Ada",
		"与Ada的 WhatsApp 聊天.txt":                "Ada",
		"WhatsApp Chat - Ada/_chat.txt":        "Ada",
		"family.txt":                           "family",
		"a|b.txt":                              "a-b",
	} {
		docs, _ := chattest.Read(t, whatsapp.New(), chattest.Input(name, []byte("1.5.24, 15:00 - Ada: a\n"), nil))
		if len(docs) != 1 || docs[0].SourceID != "whatsapp:"+want {
			t.Errorf("%s: %q", name, docs[0].SourceID)
		}
	}
}

func TestNotMine(t *testing.T) {
	for _, s := range []string{
		"", "Dear Ada: hello\n", "# Plan\n1.5.24, 15:00 - Ada: a\n", "2024-05-01 12:00:00 INFO start: now\n2024-05-01 12:00:01 INFO: go\n",
		"1. 5. 24\n", "12:30 - Ada: a\n", "[2024-05-01 12:00] Ada: signal\n[2024-05-01 12:01] Bob: x", "3.5.2 - released: notes\n", strings.Repeat("1", 5000),
		"01/05/2024, 09:12 - Messages are encrypted.\n",
	} {
		n := whatsapp.New().Detect(chattest.Input("notes.txt", []byte(s), nil))
		if n > 0 && !strings.HasPrefix(s, "[2024") {
			t.Errorf("%q: %d", s[:min(len(s), 40)], n)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(android))
	f.Add([]byte(ios))
	for _, l := range locales {
		f.Add([]byte(l.stamp(chattest.When) + "Ada: text\n" + l.stamp(chattest.When.AddDate(0, 0, 20)) + "Боб: \u200e<x: 00000001-a.pdf>\n"))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		in := chattest.Input("WhatsApp Chat with X.txt", b, nil)
		whatsapp.New().Detect(in)
		chattest.Read(t, whatsapp.New(), in)
	})
}

func BenchmarkRead(b *testing.B) {
	var text strings.Builder
	at := chattest.When.AddDate(-1, 0, 0)
	for i := range 20_000 {
		at = at.Add(13 * time.Minute)
		fmt.Fprintf(&text, "%s - Ada Byron: message %d with some words in it\n", at.Format("02/01/2006, 15:04"), i)
	}
	in := chattest.Input("WhatsApp Chat with Ada.txt", []byte(text.String()), nil)
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if _, err := whatsapp.New().Read(b.Context(), in, func(*doc.Document) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}
