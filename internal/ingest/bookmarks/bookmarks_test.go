package bookmarks_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/text/encoding/charmap"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/bookmarks"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
)

var samples = []string{"firefox.html", "safari.html", "chrome.json", "firefox.json"}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestContract(t *testing.T) {
	for _, name := range samples {
		t.Run(name, func(t *testing.T) { doctest.Contract(t, bookmarks.Reader{}, name, sample(t, name)) })
	}
}

func TestGoldens(t *testing.T) {
	for _, name := range samples {
		t.Run(name, func(t *testing.T) {
			docs, report := doctest.Read(t, bookmarks.Reader{}, "web/"+name, sample(t, name))
			doctest.Golden(t, "testdata/"+name+".golden.json", docs, report)
		})
	}
}

func TestDetect(t *testing.T) {
	for in, want := range map[string]int{
		"\xef\xbb\xbf\n<!doctype netscape-bookmark-file-1>": 97, "<!DOCTYPE html><title>Bookmarks": 0, `{"roots": {"bookmark_bar": {}}}`: 97, `{"roots": ["carrot"]}`: 0,
		`{"guid":"root________"}`: 97, `["placesRoot"]`: 0, "About \"placesRoot\".": 0,
	} {
		if got := (bookmarks.Reader{}).Detect(doctest.Input("Bookmarks", []byte(in))); got != want {
			t.Errorf("%q: %d", in, got)
		}
	}
}

// TestOneByte: an export in an old charset reads as the same in UTF-8.
func TestOneByte(t *testing.T) {
	in := strings.Replace(string(sample(t, "firefox.html")), "charset=UTF-8", "charset=windows-1252", 1)
	latin, err := charmap.Windows1252.NewEncoder().String(in)
	if err != nil {
		t.Fatal(err)
	}
	docs, _ := doctest.Read(t, bookmarks.Reader{}, "a.html", []byte(latin))
	if len(docs) != 4 || docs[1].Title != "Käsekuchen ohne Boden" || !strings.Contains(docs[1].Body, "https://kuchen.example/käse") {
		t.Errorf("%d documents: %q", len(docs), docs[1].Body)
	}
}

func TestDamage(t *testing.T) {
	const head = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n"
	link := func(s string) string { return `<DT><A HREF="https://` + s + `.example/">` + s + "</A>\n" }
	for name, c := range map[string]struct {
		in   string
		docs int
		out  doc.Outcome
	}{
		"cut":            {head + link("one") + `<DT><A HREF="https://two.exa`, 1, doc.Partial},
		"empty":          {head + "</DL>", 0, doc.NoText},
		"scripts only":   {head + `<DT><A HREF="javascript:1">x</A></DL>`, 0, doc.NoText},
		"twice the same": {head + link("one") + link("one") + "</DL>", 1, doc.OK},
		"too deep":       {head + strings.Repeat("<DT><H3>f</H3><DL><p>\n", 100) + link("one") + strings.Repeat("</DL>", 100) + link("two") + "</DL>", 2, doc.Partial},
		"too long":       {head + link("one") + "<DT><A ICON=\"" + strings.Repeat("x", 5<<20) + "\">", 1, doc.Partial},
		"no lists":       {"<!DOCTYPE NETSCAPE-Bookmark-file-1>\n" + link("one") + "</DL></DL>", 1, doc.OK},
		"cut tree":       {`{"roots":{"bookmark_bar":{"children":[{"name":"a","url":"https://a.example"},{"name":"b","ur`, 1, doc.Partial},
		"a deep tree":    {`{"roots":{"bookmark_bar":` + strings.Repeat(`{"children":[{"name":"a","url":"https://a.example"},`, 100), 1, doc.Partial},
		"odd values":     {`{"roots":{"bookmark_bar":{"children":[1,null,{"name":{},"url":"https://a.example","date_added":[],"children":3}, {"name":5,"url":"https://b.example","date_added":"x","guid":7}]},"x":"y"}}`, 1, doc.OK},
		"nothing":        {`{"roots":{"bookmark_bar":{}}}`, 0, doc.NoText},
	} {
		docs, report := doctest.Read(t, bookmarks.Reader{}, "a", []byte(c.in))
		if len(docs) != c.docs || report.Outcome != c.out {
			t.Errorf("%s: %d documents, %+v", name, len(docs), report)
		}
	}
}

// TestMany: any number of bookmarks takes no more memory than few.
func TestMany(t *testing.T) {
	const n = 10_000
	icon := strings.Repeat("QUJD", 250)
	var page, tree strings.Builder
	page.WriteString("<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<DL><p>\n")
	tree.WriteString(`{"roots":{"bookmark_bar":{"children":[{}`)
	for i := range n {
		fmt.Fprintf(&page, "<DT><A HREF=\"https://example.org/%d\" ICON=\"%s\">Number%d</A>\n", i, icon, i)
		fmt.Fprintf(&tree, `,{"icon":"%s","name":"Number%d","url":"https://example.org/%d"}`, icon, i, i)
	}
	page.WriteString("</DL>")
	tree.WriteString(`],"name":"Bar"}}}`)
	for name, data := range map[string][]byte{"page": []byte(page.String()), "tree": []byte(tree.String())} {
		got := 0
		var before, now runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		peak := uint64(0)
		report, err := bookmarks.Reader{}.Read(t.Context(), doctest.Input("a", data), func(*doc.Document) error {
			if got++; got%1000 == 0 {
				runtime.GC()
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapAlloc)
			}
			return nil
		})
		if err != nil || got != n || report.Outcome != doc.OK {
			t.Errorf("%s: %d bookmarks, %+v, %v", name, got, report, err)
		}
		if grown := int64(peak) - int64(before.HeapAlloc); grown > 8<<20 {
			t.Errorf("%s: %d MB more in use", name, grown>>20)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, name := range samples {
		f.Add(sample(f, name))
	}
	f.Add([]byte("<!DOCTYPE NETSCAPE-Bookmark-file-1><DD>x<H3><DL><A TAGS=,a,,a HREF='x:y' ADD_DATE=99999999999999999>\xff</DL></DL>"))
	f.Fuzz(func(t *testing.T, in []byte) {
		bookmarks.Reader{}.Detect(doctest.Input("a", in))
		doctest.Read(t, bookmarks.Reader{}, "a", in)
	})
}
