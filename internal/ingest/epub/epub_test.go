package epub_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/ingest/epub"
)

func sample(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/trip.epub")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestContract(t *testing.T) { doctest.Contract(t, epub.New(), "trip.epub", sample(t)) }

func TestTrip(t *testing.T) {
	docs, report := doctest.Read(t, epub.New(), "books/trip.epub", sample(t))
	doctest.Golden(t, "testdata/trip.golden.json", docs, report)
}

// book makes a book of chapters, which are named in order.
func book(t testing.TB, more []string, chapters ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	add := func(name, text string) {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		f.Write([]byte(text))
	}
	add("mimetype", "application/epub+zip")
	add("META-INF/container.xml", `<container><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>`)
	var items, refs, points strings.Builder
	for i, c := range chapters {
		fmt.Fprintf(&items, `<item id="c%d" href="text/c%%20%d.xhtml" media-type="application/xhtml+xml"/>`, i, i)
		fmt.Fprintf(&refs, `<itemref idref="c%d"/>`, len(chapters)-1-i)
		fmt.Fprintf(&points, `<navPoint><navLabel><text>Part %d</text></navLabel><content src="text/c%%20%d.xhtml#top"/></navPoint>`, i, i)
		add(fmt.Sprintf("OEBPS/text/c %d.xhtml", i), c)
	}
	add("OEBPS/toc.ncx", "<ncx><navMap>"+points.String()+"</navMap></ncx>")
	add("OEBPS/book.opf", `<package xmlns:dc="d"><metadata><dc:title>A book</dc:title><dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator><dc:date>1998</dc:date><dc:subject>rivers</dc:subject></metadata>
<manifest><item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>`+items.String()+`</manifest><spine toc="ncx">`+refs.String()+`</spine></package>`)
	for i := 0; i+1 < len(more); i += 2 {
		add(more[i], more[i+1])
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestChapters(t *testing.T) {
	d := doctest.One(t, epub.New(), "a.epub", book(t, nil, "<html><body><p>Last in the order.", "<html><body><h1>Own heading</h1><p>First in the order.<aside>a footnote</aside>"))
	want := "# Own heading\n\nFirst in the order.\n\na footnote\n\n# Part 0\n\nLast in the order."
	if d.Body != want && d.Body != strings.Replace(want, "order.\n\na", "order.a", 1) && d.Body != strings.Replace(want, "order.\n\na", "order.\na", 1) {
		t.Errorf("%q", d.Body)
	}
	if d.Title != "A book" || d.Author.Name != "Ann" || len(d.To) != 1 || d.Time.Year() != 1998 || len(d.Tags) != 1 {
		t.Errorf("%+v", d)
	}
	if ref := d.Places[1].Ref; ref != "a.epub#OEBPS/text/c 0.xhtml" {
		t.Errorf("leads to %q", ref)
	}
}

func TestLocked(t *testing.T) {
	list := []string{"META-INF/encryption.xml", `<encryption><EncryptedData><CipherData><CipherReference URI="OEBPS/text/c%200.xhtml"/></CipherData></EncryptedData></encryption>`}
	if docs, report := doctest.Read(t, epub.New(), "a.epub", book(t, list, "\x01\x02")); len(docs) > 0 || report.Outcome != doc.NoText || !strings.Contains(report.Reason, "DRM") {
		t.Errorf("%+v", report)
	}
	fonts := []string{"META-INF/encryption.xml", strings.Replace(list[1], "text/c%200.xhtml", "font.otf", 1)}
	doctest.One(t, epub.New(), "a.epub", book(t, fonts, "<p>Words."))
}

func TestBounds(t *testing.T) {
	big := "<p>" + strings.Repeat("Words of a long book. ", 50_000)
	docs, report := doctest.Read(t, epub.New(), "a.epub", book(t, nil, big, big, big))
	if report.Outcome != doc.OK || len(docs) != 3 || docs[2].SourceRef != "a.epub#OEBPS/text/c 0.xhtml" {
		t.Errorf("%d documents, %+v", len(docs), report)
	}
	many := make([]string, 20)
	for i := range many {
		many[i] = big
	}
	if _, report := doctest.Read(t, epub.New(), "a.epub", book(t, nil, many...)); report.Outcome != doc.Partial {
		t.Errorf("%+v", report)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	f.Add(book(f, nil, "<p>x", "<h1>y"))
	f.Fuzz(func(t *testing.T, in []byte) {
		epub.New().Detect(doctest.Input("a.epub", in))
		doctest.Read(t, epub.New(), "a.epub", in)
		doctest.Read(t, epub.New(), "a.epub", book(t, []string{"META-INF/encryption.xml", string(in), "META-INF/x.opf", string(in)}, string(in)))
	})
}
