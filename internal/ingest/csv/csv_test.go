package csv_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/csv"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
)

const expenses = `Date,Payee,Amount,Note
2024-05-01,"Rent, May",-900.00,"for ""the"" flat
on the hill"
2024-05-03,Café Zwölf,-4.20,
2024-05-04,Salary,2500,bonus inside
`

func TestContract(t *testing.T) {
	doctest.Contract(t, csv.New(), "expenses.csv", []byte(expenses))
}

func TestExpenses(t *testing.T) {
	docs, report := doctest.Read(t, csv.New(), "money/expenses.csv", []byte(expenses))
	doctest.Golden(t, "testdata/expenses.golden.json", docs, report)
}

func wide(s string) string {
	b := []byte("\xff\xfe")
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return string(b)
}

func TestDialects(t *testing.T) {
	const want = "- Name: Müller; Town: Köln; Count: 1,5\n- Name: Żak; Town: Łódź; Count: 2\n"
	semicolons := "Name;Town;Count\r\nMüller;Köln;1,5\r\nŻak;Łódź;2\r\n"
	latin, err := charmap.Windows1250.NewEncoder().String(semicolons)
	if err != nil {
		t.Fatal(err)
	}
	for name, body := range map[string]string{
		"semicolons":          semicolons,
		"tabs":                strings.ReplaceAll(semicolons, ";", "\t"),
		"bars":                strings.ReplaceAll(semicolons, ";", "|"),
		"a mark":              "\ufeff" + semicolons,
		"two bytes":           wide(strings.ReplaceAll(semicolons, ";", "\t")),
		"sep line":            "sep=;\r\n" + semicolons,
		"old lines":           strings.ReplaceAll(semicolons, "\r\n", "\r"),
		"quotes":              "Name,Town,Count\n\"Müller\",\"Köln\",\"1,5\"\n \"Żak\",Łódź,2",
		"another set of 1250": latin,
	} {
		if d := doctest.One(t, csv.New(), "a.csv", []byte(body)); d.Body != want {
			t.Errorf("%s: %q", name, d.Body)
		}
	}
}

func TestDetect(t *testing.T) {
	log := strings.Repeat("2024-05-01\tsome words\t12\n", 6)
	cases := map[string]struct {
		body string
		want int
	}{
		"a.csv":     {"a,b\n1,2\n", 70},
		"words.csv": {"Just words.\nAnd more.\n", 0},
		"log.txt":   {log, 40},
		"log.md":    {log, 0},
		"poem.txt":  {strings.Repeat("roses, red, violets, blue\nand so on, and on\n", 9), 0},
		"noise.csv": {"\x00\x01,\x02\x03\n\x00\x01,\x02\x05\n", 0},
	}
	for name, c := range cases {
		if got := csv.New().Detect(doctest.Input(name, []byte(c.body))); got != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// What browsers and password managers export is not memory.
func TestPasswords(t *testing.T) {
	for _, head := range []string{"name,url,username,password,note", "folder,favorite,type,name,login_uri,login_username,login_password", "Title,Url,Username,OTPAuth,x", "Account;Passwort;Hinweis"} {
		mark := ","
		if strings.Contains(head, ";") {
			mark = ";"
		}
		body := head + "\n" + strings.Repeat("a"+strings.Repeat(mark+"b", strings.Count(head, mark))+"\n", 50)
		if docs, report := doctest.Read(t, csv.New(), "export.csv", []byte(body)); len(docs) > 0 || report.Outcome != doc.Skipped {
			t.Errorf("%s: %+v", head, report)
		}
	}
	doctest.One(t, csv.New(), "rules.csv", []byte("Rule,Password policy\nlength,12\n"))
}

// A large table comes in parts, each row once, and leads back to its row.
func TestParts(t *testing.T) {
	var b strings.Builder
	b.WriteString("Number,Words\n")
	const n = 30_000
	for i := range n {
		fmt.Fprintf(&b, "%d,some words that go with it\n", i)
	}
	docs, report := doctest.Read(t, csv.New(), "a.csv", []byte(b.String()))
	if report.Outcome != doc.OK || len(docs) < 3 {
		t.Fatalf("%d documents, %+v", len(docs), report)
	}
	i := 0
	for _, d := range docs {
		for j, line := range strings.Split(strings.TrimSpace(d.Body), "\n") {
			if want := fmt.Sprintf("- Number: %d; Words: some words that go with it", i); line != want {
				t.Fatalf("line %q, want %q", line, want)
			}
			if want := fmt.Sprintf("a.csv#row=%d", i+2); d.Places[j].Ref != want {
				t.Fatalf("place %q, want %q", d.Places[j].Ref, want)
			}
			i++
		}
	}
	if i != n {
		t.Errorf("%d rows", i)
	}
	if _, report := doctest.Read(t, csv.WithLimit(100_000), "a.csv", []byte(b.String())); report.Outcome != doc.Partial {
		t.Errorf("beyond the limit: %+v", report)
	}
}

// A quote that is never closed swallows one value's worth of text and no more.
func TestOpenQuote(t *testing.T) {
	body := "a,b\n1,\"never closed\n" + strings.Repeat("2,some words\n", 20_000) + "3,needle\n"
	docs, _ := doctest.Read(t, csv.New(), "a.csv", []byte(body))
	if last := docs[len(docs)-1].Body; !strings.Contains(last, "needle") {
		t.Error("what comes after the quote is lost")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(expenses))
	f.Add([]byte("sep=;\n\"a\"\";\"b;\n;;;\n\"\xff"))
	f.Add([]byte(wide("a\tb\n1\t2\n")))
	f.Add([]byte("url,username,password\n"))
	f.Fuzz(func(t *testing.T, in []byte) {
		csv.New().Detect(doctest.Input("a.csv", in))
		csv.New().Detect(doctest.Input("a", in))
		doctest.Read(t, csv.New(), "a.csv", in)
	})
}
