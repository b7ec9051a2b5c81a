//go:build !nopdf

package pdf_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/ingest/pdf"
)

// reader is shared by the tests, since starting it takes a second.
var reader = pdf.New(pdf.DefaultOptions())

func TestMain(m *testing.M) {
	code := m.Run()
	if err := reader.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func sample(t testing.TB, name string) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// page is the content of a page with those lines.
func page(lines ...string) string {
	var b strings.Builder
	b.WriteString("BT /F 12 Tf 14 TL 50 780 Td\n")
	for _, l := range lines {
		fmt.Fprintf(&b, "(%s) Tj T*\n", strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(l))
	}
	b.WriteString("ET")
	return b.String()
}

// build makes a file of pages; info is the dictionary of what it says about itself.
func build(info string, pages ...string) []byte {
	var b bytes.Buffer
	var at []int
	obj := func(s string) {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", len(at), s)
	}
	b.WriteString("%PDF-1.4\n")
	var kids []string
	for i := range pages {
		kids = append(kids, fmt.Sprintf("%d 0 R", 5+2*i))
	}
	obj("<</Type/Catalog/Pages 2 0 R>>")
	obj(fmt.Sprintf("<</Type/Pages/Count %d/Kids[%s]>>", len(pages), strings.Join(kids, " ")))
	obj("<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>")
	obj("<<" + info + ">>")
	for i, p := range pages {
		obj(fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents %d 0 R>>", 6+2*i))
		obj(fmt.Sprintf("<</Length %d>>stream\n%s\nendstream", len(p), p))
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(at)+1)
	for _, o := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer<</Size %d/Root 1 0 R/Info 4 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(at)+1, xref)
	return b.Bytes()
}

func TestContract(t *testing.T) { doctest.Contract(t, reader, "small.pdf", sample(t, "small.pdf")) }

func TestSmall(t *testing.T) {
	docs, report := doctest.Read(t, reader, "papers/small.pdf", sample(t, "small.pdf"))
	for _, d := range docs {
		d.Time = doctest.FileTime // it has a time of its own, with the zone of the machine that made it
	}
	doctest.Golden(t, "testdata/small.golden.json", docs, report)
}

func TestOutcomes(t *testing.T) {
	picture := "q 100 0 0 100 50 600 cm BI /W 1 /H 1 /BPC 8 /CS /G ID x EI Q"
	whole := build("", page("Words."))
	for name, c := range map[string]struct {
		data    []byte
		outcome doc.Outcome
		reason  string
	}{
		"locked":             {sample(t, "locked.pdf"), doc.NoText, "only its password opens it"},
		"scan":               {build("", picture, picture), doc.NoText, "no text layer"},
		"no pages":           {build(""), doc.NoText, "no text layer"},
		"mostly pictures":    {build("", picture, picture, page("Words.")), doc.OK, "2 of 3 pages are pictures"},
		"garbage":            {[]byte("%PDF-1.4\nnothing that follows"), doc.Failed, "damaged"},
		"cut":                {whole[:200], doc.Failed, "damaged"},
		"without its tables": {whole[:bytes.Index(whole, []byte("xref"))], doc.Failed, "damaged"},
	} {
		if _, report := doctest.Read(t, reader, "a.pdf", c.data); report.Outcome != c.outcome || !strings.Contains(report.Reason, c.reason) {
			t.Errorf("%s: %+v", name, report)
		}
	}
}

func TestText(t *testing.T) {
	full := "This line is as long as the lines of this page are, and it goes on"
	for name, c := range map[string]struct {
		lines []string
		want  string
	}{
		"a paragraph":    {[]string{full, "to its end.", full, "and ends."}, full + " to its end.\n\n" + full + " and ends."},
		"hyphens":        {[]string{full + " with-", "out a break, and " + full, "so on."}, full + " without a break, and " + full + " so on."},
		"own hyphens":    {[]string{"A well-known word, which stands here in full, and again: well-", "known it is; the X-", "Ray is one too, and so is the year of 1999-", "2000."}, "A well-known word, which stands here in full, and again: well-known it is; the X-Ray is one too, and so is the year of 1999-2000."},
		"a list":         {[]string{full + ":", "- one", "- two", "1. three"}, full + ":\n- one\n- two\n1. three"},
		"special quotes": {[]string{"\x93Quoted\x94 \x96 and \x80 5"}, "“Quoted” – and € 5"},
	} {
		d := doctest.One(t, reader, "a.pdf", build("", page(c.lines...)))
		if diff := cmp.Diff(c.want, d.Body); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

// What stands on every page is no part of the text, and a page leads back to its number.
func TestPages(t *testing.T) {
	var pages []string
	for i := range 6 {
		pages = append(pages, page("The River Post", fmt.Sprintf("Otters were seen at the weir of village number %d in the spring of that year.", i), fmt.Sprintf("More is known about the others, which are %d or more, says the warden of the river.", i*i), fmt.Sprintf("Page %d of 6", i+1)))
	}
	d := doctest.One(t, reader, "a.pdf", build("/Title(Otters)/Author(Ann Moreau)/CreationDate(D:20230418073000+02'00')/Keywords(rivers, otters)", pages...))
	if strings.Contains(d.Body, "River Post") || strings.Contains(d.Body, "Page ") || strings.Count(d.Body, "Otters were seen") != 6 {
		t.Errorf("%q", d.Body)
	}
	if len(d.Places) != 6 || d.Places[3].Ref != "a.pdf#page=4" || !strings.HasPrefix(d.Body[d.Places[3].Offset:], "Otters were seen at the weir of village number 3") {
		t.Errorf("%+v", d.Places)
	}
	if d.Title != "Otters" || d.Author.Name != "Ann Moreau" || !d.Time.Equal(time.Date(2023, 4, 18, 5, 30, 0, 0, time.UTC)) || len(d.Tags) != 2 {
		t.Errorf("%q, %+v, %v, %q", d.Title, d.Author, d.Time, d.Tags)
	}
	for title, want := range map[string]string{"Microsoft Word - Plan for May": "Plan for May", "x.docx": "a", "untitled": "a", "": "a"} {
		if d := doctest.One(t, reader, "a.pdf", build("/Title("+title+")", page("Words."))); d.Title != want {
			t.Errorf("%q: %q", title, d.Title)
		}
	}
}

func TestBounds(t *testing.T) {
	o := pdf.DefaultOptions()
	o.Text, o.Part, o.Pages = 2000, 500, 30
	small := pdf.New(o)
	defer small.Close()
	var pages []string
	for i := range 100 {
		pages = append(pages, page(fmt.Sprintf("Page number %d has some words on it.", i)))
	}
	docs, report := doctest.Read(t, small, "a.pdf", build("", pages...))
	if report.Outcome != doc.Partial || !strings.Contains(report.Reason, "30 pages") || len(docs) < 3 {
		t.Errorf("%d documents, %+v", len(docs), report)
	}
	if docs[1].SourceRef == "a.pdf" || docs[1].Key != "a.pdf#part2" {
		t.Errorf("part two is %q at %q", docs[1].Key, docs[1].SourceRef)
	}
	for i := range pages {
		pages[i] = page(strings.Repeat("word ", 40))
	}
	if _, report := doctest.Read(t, small, "a.pdf", build("", pages...)); report.Outcome != doc.Partial || !strings.Contains(report.Reason, "its text") {
		t.Errorf("%+v", report)
	}
}

// A file that keeps the reader busy is given up, and the next one is read.
func TestSlow(t *testing.T) {
	o := pdf.DefaultOptions()
	o.Time = 300 * time.Millisecond
	quick := pdf.New(o)
	defer quick.Close()
	doctest.Read(t, quick, "a.pdf", build("", page("Starts the reader.")))
	var lines []string
	for range 3000 {
		lines = append(lines, strings.Repeat("word ", 15))
	}
	slow := make([]string, 40)
	for i := range slow {
		slow[i] = page(lines...)
	}
	start := time.Now()
	_, report := doctest.Read(t, quick, "slow.pdf", build("", slow...))
	if took := time.Since(start); report.Outcome == doc.OK || !strings.Contains(report.Reason, "longer") || took > 30*time.Second {
		t.Errorf("%+v after %v", report, took)
	}
	if _, report := doctest.Read(t, reader, "a.pdf", build("", page("Words."))); report.Outcome != doc.OK {
		t.Errorf("the next file: %+v", report)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	_, err := reader.Read(ctx, doctest.Input("slow.pdf", build("", slow...)), func(*doc.Document) error { return nil })
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f, "small.pdf"))
	f.Add(build("/Title(x)", page("Some words-", "on a page.", "1. more")))
	f.Add(build("", "BT /F 12 Tf (x) Tj"))
	o := pdf.DefaultOptions()
	o.Time = 5 * time.Second
	r := pdf.New(o)
	f.Fuzz(func(t *testing.T, in []byte) {
		r.Detect(doctest.Input("a.pdf", in))
		doctest.Read(t, r, "a.pdf", in)
	})
}
