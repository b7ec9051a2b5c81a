package web_test

import (
	"os"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"golang.org/x/text/encoding/charmap"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/ingest/web"
)

func sample(t testing.TB) []byte {
	t.Helper()
	b, err := os.ReadFile("testdata/article.html")
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestContract(t *testing.T) { doctest.Contract(t, web.Reader{}, "article.html", sample(t)) }

func TestArticle(t *testing.T) {
	docs, report := doctest.Read(t, web.Reader{}, "pages/article.html", sample(t))
	doctest.Golden(t, "testdata/article.golden.json", docs, report)
	for _, gone := range []string{"privacy", "Home", "Skip to", "pixel", "keys", "Ten lakes", "Most read", "Imprint", "track", "utm_source"} {
		if strings.Contains(docs[0].Body, gone) {
			t.Errorf("%q is in the text", gone)
		}
	}
}

func TestDetect(t *testing.T) {
	cases := map[string]struct {
		body string
		want bool
	}{
		"page.txt":        {"\n<html lang=en><p>Hello", true},
		"page.md":         {"<!doctype html>\n<p>Hello", true},
		"x.xhtml":         {"<?xml version='1.0'?>\n<!DOCTYPE html><html/>", true},
		"commented":       {"<!-- a --><!-- b -->\n<HTML>", true},
		"fragment.htm":    {"Hello<br/>there", true},
		"words.html":      {"Just words.", false},
		"readme.md":       {"<p align=center>Logo</p>\n\n# Tool", false},
		"feed.xml":        {"<?xml version='1.0'?><rss/>", false},
		"about-html.txt":  {"The <html> element", false},
		"wide.htm":        {"\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00", true},
		"unfinished.html": {"<!-- never closed", true},
	}
	for name, c := range cases {
		if got := (web.Reader{}).Detect(doctest.Input(name, []byte(c.body))); (got > 0) != c.want {
			t.Errorf("%s: %d", name, got)
		}
	}
}

// A page is readable whatever its charset is and however that is said.
func TestCharsets(t *testing.T) {
	const text = "Grüße aus Köln — Żółw"
	page := func(head string) string {
		return "<html><head>" + head + "</head><body><p>" + text + "</p></body></html>"
	}
	latin := func(s string) string {
		b, err := charmap.ISO8859_2.NewEncoder().String(strings.ReplaceAll(s, "—", "-"))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	wide := func(s string) string {
		b := []byte("\xff\xfe")
		for _, u := range utf16.Encode([]rune(s)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	for name, body := range map[string]string{
		"meta":        latin(page(`<meta charset=iso-8859-2>`)),
		"http-equiv":  latin(page(`<meta http-equiv="Content-Type" content="text/html; charset=ISO-8859-2">`)),
		"declaration": latin(`<?xml version="1.0" encoding="iso-8859-2"?>` + page("")),
		"utf-8":       page(""),
		"wrong label": page("<meta charset=iso-8859-1>"),
		"utf-16":      wide(page("")),
	} {
		d := doctest.One(t, web.Reader{}, "a.html", []byte(body))
		if d.Body != text && d.Body != strings.ReplaceAll(text, "—", "-") {
			t.Errorf("%s: %q", name, d.Body)
		}
	}
}

func TestTitleAuthorTime(t *testing.T) {
	day := time.Date(2021, 3, 4, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		page, title, author string
		time                time.Time
	}{
		{"<title>A  title</title><p>x", "A title", "", doctest.FileTime},
		{"<h1>Heading</h1><p>x", "Heading", "", doctest.FileTime},
		{"<p>x", "page", "", doctest.FileTime},
		{"<meta name=DC.Creator content='Ann Moreau'><meta name=dc.date content=2021-03-04><p>x", "page", "Ann Moreau", day},
		{"<p>x <time datetime=2021-03-04>4 March</time>", "page", "", day},
		{"<meta name=date content='not a date'><meta name=last-modified content='Thu, 04 Mar 2021 00:00:00 GMT'><p>x", "page", "", day},
		{"<meta name=author content='Ann <ann@example.org>'><p>x", "page", "Ann", doctest.FileTime},
		{`<script type=application/ld+json>{"@type":["Article"],"author":"Ann","datePublished":"2021-03-04"}</script><p>x`, "page", "Ann", day},
		{`<script type=application/ld+json>{"@type":"Product","author":"Robot"</script><p>x`, "page", "", doctest.FileTime},
	} {
		d := doctest.One(t, web.Reader{}, "page.html", []byte("<html>"+c.page+"<p>y"))
		if d.Title != c.title || d.Author.Name != c.author || !d.Time.Equal(c.time) {
			t.Errorf("%s: %q, %+v, %v", c.page, d.Title, d.Author, d.Time)
		}
	}
}

// What surrounds content is never left out at the price of the content.
func TestNeverEmpty(t *testing.T) {
	long := strings.Repeat("Everything that matters stands here. ", 40)
	for name, page := range map[string]string{
		"all in a nav":       "<nav>" + long + "</nav>",
		"all in a class":     "<div class='menu'>" + long + "</div>",
		"short, in a class":  "<div class='menu'>Everything that matters.</div>",
		"around the content": "<div class='sidebar-left'><main>Everything that matters.</main></div>",
		"around the title":   "<div id='masthead'><h1>Everything that matters.</h1></div><p>x",
		"in a form":          "<form>Everything that matters.</form>",
	} {
		if d := doctest.One(t, web.Reader{}, "a.html", []byte("<html><body>"+page)); !strings.Contains(d.Body, "Everything that matters") {
			t.Errorf("%s: %q", name, d.Body)
		}
	}
}

func TestLarge(t *testing.T) {
	page := "<html><body>" + strings.Repeat("<p>Words that go on.</p>\n", web.MaxSize/24)
	docs, report := doctest.Read(t, web.Reader{}, "a.html", []byte(page+"<p>end"))
	if report.Outcome != doc.Partial || len(docs) != 1 || strings.Contains(docs[0].Body, "end") {
		t.Errorf("%+v", report)
	}
	if _, report := doctest.Read(t, web.Reader{}, "a.html", []byte("<html><script>x()</script></html>")); report.Outcome != doc.NoText {
		t.Errorf("%+v", report)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f))
	f.Add([]byte("<html><nav><div class=menu><main><table><nav><tr><td>a</nav><script type=application/ld+json>[[[{\"@graph\":"))
	f.Add([]byte("\xff\xfe<\x00h\x00t\x00m\x00l\x00>\x00<meta charset=utf-7>"))
	f.Add([]byte("<html><aside><a href=x>" + "<div class=share>" + "<ul><li><a>"))
	f.Fuzz(func(t *testing.T, in []byte) {
		web.Reader{}.Detect(doctest.Input("a.html", in))
		docs, report := doctest.Read(t, web.Reader{}, "a.html", in)
		doctest.Check(t, docs, report)
	})
}
