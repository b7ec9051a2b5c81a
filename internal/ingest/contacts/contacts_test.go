package contacts_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/contacts"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
)

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name + ".vcf")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

var samples = []string{"phone21", "apple", "google", "four"}

func TestContract(t *testing.T) {
	for _, name := range samples {
		t.Run(name, func(t *testing.T) { doctest.Contract(t, contacts.Reader{}, name+".vcf", sample(t, name)) })
	}
}

func TestGoldens(t *testing.T) {
	for _, name := range samples {
		t.Run(name, func(t *testing.T) {
			docs, report := doctest.Read(t, contacts.Reader{}, "cards/"+name+".vcf", sample(t, name))
			doctest.Golden(t, "testdata/"+name+".golden.json", docs, report)
			for _, d := range docs {
				if d.Author != (doc.Person{}) {
					t.Errorf("%s is written by %+v", d.Title, d.Author)
				}
			}
		})
	}
}

// What a card is found by.
func TestEverythingIsThere(t *testing.T) {
	docs, _ := doctest.Read(t, contacts.Reader{}, "a.vcf", sample(t, "apple"))
	for _, want := range []string{
		"Ann Lee", "Annie", "Acme GmbH", "Research", "Head of Mortar", "ann.lee@acme.example (work)", "ann@home.example (other)", "+1 (555) 010-4477 (mobile)",
		"+1 555 010 9999 (Lake house)", "12 Quarry Road", "97477 Springfield", "https://annlee.example", "Birthday: 3 May\n", "2009-08-14 (14 August 2009) (anniversary)",
		"Tom Lee (spouse)", "http://twitter.com/annlee", "granite.\nAllergic to walnuts; careful!",
	} {
		if !strings.Contains(docs[0].Body, want) {
			t.Errorf("%q is not in\n%s", want, docs[0].Body)
		}
	}
	if strings.Contains(docs[0].Body, "9j/4AAQ") || strings.Contains(docs[0].Body, "1604") {
		t.Errorf("not only text:\n%s", docs[0].Body)
	}
	if d := cmp.Diff([]string{"Climbers"}, docs[0].Tags); d != "" {
		t.Error(d)
	}
}

// TestDamage: a file that ends in the midst of a card gives what it has, and says so.
func TestDamage(t *testing.T) {
	const one, two = "BEGIN:VCARD\nFN:Ann Lee\nTEL:12345\nEND:VCARD\n", "BEGIN:VCARD\nFN:Bob Ray\nTEL:6789"
	for name, c := range map[string]struct {
		in    string
		docs  int
		out   doc.Outcome
		whole bool
	}{
		"cut":              {one + two, 2, doc.Partial, false},
		"never ended":      {two + "\n" + one, 2, doc.OK, false},
		"nobody":           {"BEGIN:VCARD\nVERSION:3.0\nEND:VCARD\n", 0, doc.NoText, false},
		"the same twice":   {one + one + "\n" + one, 1, doc.OK, false},
		"a name, two ways": {one + strings.Replace(one, "12345", "54321", 1), 2, doc.OK, false},
		"too long":         {strings.Replace(one, "TEL", "NOTE:"+strings.Repeat("word ", 60_000)+"\nTEL", 1), 1, doc.Partial, true},
		"a name alone":     {"BEGIN:VCARD\nFN:Ann Lee\nEND:VCARD", 1, doc.OK, false},
	} {
		docs, report := doctest.Read(t, contacts.Reader{}, "a.vcf", []byte(c.in))
		if len(docs) != c.docs || report.Outcome != c.out || report.Whole != c.whole {
			t.Errorf("%s: %d documents, %+v", name, len(docs), report)
		}
	}
}

func TestDetect(t *testing.T) {
	for in, want := range map[string]int{"BEGIN:VCARD\nVERSION:3.0\n": 97, "\xef\xbb\xbf\r\nbegin:vcard\r\n": 97, "# BEGIN:VCARD\n": 0, "BEGIN:VCALENDAR\n": 0} {
		if got := (contacts.Reader{}).Detect(doctest.Input("notes.md", []byte(in))); got != want {
			t.Errorf("%q: %d", in, got)
		}
	}
}

// TestMany: an address book of any size takes no more memory than a small one.
func TestMany(t *testing.T) {
	var b strings.Builder
	const n = 5000
	photo := strings.Repeat(" "+strings.Repeat("QUJD", 18)+"\r\n", 80)
	for i := range n {
		fmt.Fprintf(&b, "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Person Number%d\r\nEMAIL:p%d@example.org\r\nPHOTO;ENCODING=b:AA\r\n%sEND:VCARD\r\n", i, i, photo)
	}
	data := []byte(b.String())
	refs := map[string]bool{}
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	peak := uint64(0)
	report, err := contacts.Reader{}.Read(t.Context(), doctest.Input("a.vcf", data), func(d *doc.Document) error {
		refs[d.SourceRef] = true
		if len(refs)%500 == 0 {
			runtime.GC()
			runtime.ReadMemStats(&now)
			peak = max(peak, now.HeapAlloc)
		}
		return nil
	})
	if err != nil || report.Outcome != doc.OK || len(refs) != n {
		t.Errorf("%d cards, %+v, %v", len(refs), report, err)
	}
	if grown := int64(peak) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("%d MB more in use", grown>>20)
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range samples {
		f.Add(sample(f, name))
	}
	f.Add([]byte("BEGIN:VCARD\nAGENT:\nBEGIN:VCARD\nEND:VCARD\nN:\\;;;;\nADR:;\nBDAY:--99\nREV:9\nitem1.TEL:1;ext=2\nitem1.X-ABLABEL:_$!<"))
	f.Fuzz(func(t *testing.T, in []byte) {
		contacts.Reader{}.Detect(doctest.Input("a.vcf", in))
		doctest.Read(t, contacts.Reader{}, "a.vcf", in)
	})
}
