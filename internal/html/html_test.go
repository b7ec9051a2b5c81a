package html_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/html"
)

func TestText(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", ""},
		{"plain text", "just words", "just words"},
		{"blanks collapse", "a \n\t b&nbsp;&nbsp;c", "a b c"},
		{"entities", "&lt;b&gt; &amp; &eacute; &#8364; &#x20AC; &hellip;", "<b> & é € € …"},
		{"paragraphs", "<p>one<p>two</p>three", "one\n\ntwo\n\nthree"},
		{"divs are lines", "<div>one</div><div>two</div><div><br></div><div>three</div>", "one\ntwo\n\nthree"},
		{"breaks", "one<br>two<br><br>three<br/></div>", "one\ntwo\n\nthree"},
		{"inline marks vanish", "a<b>b</b><i>c</i> <span>d</span>", "abc d"},
		{"headings", "<h1>Top</h1>text<h3>Sub <em>part</em></h3>more", "# Top\n\ntext\n\n### Sub part\n\nmore"},
		{"lists", "<ul><li>one<li>two<ul><li>inner</ul><li>three</ul>", "- one\n- two\n  - inner\n- three"},
		{"ordered lists", "<ol start=3><li>c</li><li>d<p>more</p></li></ol>", "3. c\n4. d\n\n   more"},
		{"quotes", "said<blockquote>one<br>two<blockquote>deep</blockquote></blockquote>end", "said\n\n> one\n> two\n>\n> > deep\n\nend"},
		{"code", "<pre>a\n  b</pre>", "```\na\n  b\n```"},
		{"rule", "a<hr>b", "a\n\n---\n\nb"},
		{"script and style", "<style>p{}</style>a<script>if (a<b) x()</script>b<noscript>c</noscript>", "ab"},
		{"svg and controls", "a<svg><title>t</title><text>x</text></svg><select><option>o</select><textarea>t</textarea><button>b</button>", "a"},
		{"form keeps its text", "<form>name<input value=x></form>", "name"},
		{"comments and conditional comments", "a<!-- b --><!--[if mso]><p>c</p><![endif]--><![if !mso]>d<![endif]>", "ad"},
		{"display none", `<div style="Display : NONE !important">pre<div>header</div></div>text`, "text"},
		{"hidden ends with its cell", `<table><tr><td><span style="display:none">x</td><td>shown</td></tr></table>`, "shown"},
		{"hidden paragraph ends at the next", `<p hidden>x<p>shown`, "shown"},
		{"visibility, aria, opacity, height", `<i style="visibility:hidden">a</i><i aria-hidden=true>b</i><i style="opacity:0">c</i><i style="max-height:0;overflow:hidden">d</i><i style="mso-hide:all">e</i><i style="opacity:0.9;">f</i>`, "f"},
		{"font size zero", `<div style="font-size:0px">pre<td style="font-size:14px">shown</td></div><p style="font-size:0.9em">small</p>`, "shown\n\nsmall"},
		{"preheader padding", "Hi&zwnj;&nbsp;&#847;&zwnj;&nbsp;&#847;&zwnj; there", "Hi\u200c there"},
		{"joiners inside words stay", "می\u200cخواهم 👨\u200d👩", "می\u200cخواهم 👨\u200d👩"},
		{"soft hyphens go", "Donau&shy;dampf\u200bschiff", "Donaudampfschiff"},
		{"tracking image", `a<img src=x width=1 height=1 alt="pixel">b`, "ab"},
		{"image text", `<img alt="The bridge at night"> <img alt="IMG_1.JPG"><img alt=logo>`, "The bridge at night"},
		{"link", `see <a href="https://example.org/report">the report</a>.`, "see [the report](https://example.org/report)."},
		{"link that says its target", `<a href="https://www.example.org/">example.org</a>`, "example.org"},
		{"link without tracking", `<a href="https://example.org/a?utm_source=x&id=7&fbclid=y#top">a</a>`, "[a](https://example.org/a?id=7#top)"},
		{"opaque tracker", `<a href="https://click.example.com/ls/AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789AbCdEf">Read</a>`, "Read"},
		{"safe links", `<a href="https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fexample.org%2Fplan&amp;data=05">plan</a>`, "[plan](https://example.org/plan)"},
		{"other schemes", `<a href="javascript:x()">a</a> <a href="mailto:a@b.c">a@b.c</a> <a href="#x">top</a>`, "a a@b.c top"},
		{"link around blocks", `<a href="https://e.org/x"><div>one</div><div>two</div></a>`, "one\ntwo"},
		{"data table", `<table border=1><tr><th>Name<th>Sum<tr><td>Ann<td>3 | 4</table>`, "| Name | Sum |\n| --- | --- |\n| Ann | 3 \\| 4 |"},
		{"table without marks", "<table><tr><td>a<td>b</tr><tr><td>c<td>d</tr><tr><td>e<td>f</tr></table>", "| a | b |\n| --- | --- |\n| c | d |\n| e | f |"},
		{"layout table", `<table role=presentation><tr><td>left<td>right</tr><tr><td><p>one</p><p>two</p></td></tr></table>`, "left right\n\none\n\ntwo"},
		{"nested layout tables", `<table><tr><td><table><tr><td>deep</td></tr></table></td></tr></table>after`, "deep\n\nafter"},
		{"text between cells is kept", `<table>stray<tr><td>in</table>`, "stray\n\nin"},
		{"unclosed everything", "<div><p>a<b>b<table><tr><td>c", "ab\n\nc"},
		{"stray ends", "</div></p>a</b></td>b", "ab"},
		{"Outlook empty elements", "a<o:p></o:p>b<o:p/>c", "abc"},
		{"cut tag", "text <a href=", "text"},
		{"attribute with angle", `<a title="a>b" href="https://e.org/y">c</a>`, "[c](https://e.org/y)"},
		{"definition list", "<dl><dt>term<dd>meaning<dt>other<dd>thing</dl>", "term\nmeaning\nother\nthing"},
		{"NUL and controls", "a\x00b\x1bc", "abc"},
	} {
		if got := html.Text([]byte(c.in), html.Options{}); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

func TestTextForMail(t *testing.T) {
	in := `<pre>line one
line two</pre>bye<div class="gmail_signature">Ann<br>Boss</div>`
	if got, want := html.Text([]byte(in), html.Options{Mail: true, DropSignature: true}), "line one\nline two\n\nbye"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := html.Text([]byte(in), html.Options{Mail: true}); !strings.HasSuffix(got, "Ann\nBoss") {
		t.Errorf("the signature is gone without being asked for: %q", got)
	}
}

func TestTextOfANewsletter(t *testing.T) {
	in, err := os.ReadFile(filepath.Join("testdata", "newsletter.html"))
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "newsletter.golden.md"), []byte(html.Text(in, html.Options{})+"\n"))
}

func TestTitleAndCharset(t *testing.T) {
	page := []byte("<html><head><META http-equiv=content-type content='text/html; charset=KOI8-R'><title> A \n &amp; B </title></head><body>x")
	if got := html.Title(page); got != "A & B" {
		t.Errorf("Title = %q", got)
	}
	if got := html.Charset(page); got != "koi8-r" {
		t.Errorf("Charset = %q", got)
	}
	got := []string{
		html.Charset([]byte(`<meta charset="UTF-8">`)), html.Charset([]byte("<meta name=x>")), html.Charset([]byte("charset=x")),
		html.Title([]byte("<svg><title>x</title>")), html.Title([]byte("<title></title>")), html.Title(nil),
	}
	if diff := cmp.Diff([]string{"utf-8", "", "", "", "", ""}, got); diff != "" {
		t.Error(diff)
	}
}

// Hostile nesting must neither overflow nor take more than linear time, and the text must stay.
func TestTextOfHostileNesting(t *testing.T) {
	for name, in := range map[string]string{
		"divs":        strings.Repeat("<div>", 200_000) + "needle" + strings.Repeat("</div>", 200_000),
		"quotes":      strings.Repeat("<blockquote>", 200_000) + "needle",
		"tables":      strings.Repeat("<table><tr><td>", 100_000) + "needle",
		"lists":       strings.Repeat("<ul><li>", 100_000) + "needle",
		"links":       strings.Repeat("<a href=https://e.org/>", 200_000) + "needle",
		"formatting":  strings.Repeat("<b><i><p>", 100_000) + "needle",
		"stray ends":  strings.Repeat("<b></i></p></td>", 100_000) + "needle",
		"hidden ones": strings.Repeat("<div>", 2000) + "<div style='display:none'>x</div>needle",
		"entities":    strings.Repeat("&amp", 500_000) + " needle",
		"open angle":  strings.Repeat("<", 1_000_000) + " needle",
		"wide quotes": strings.Repeat("<blockquote>", 39) + strings.Repeat("word<br>", 20_000) + "needle",
	} {
		start := time.Now()
		got := html.Text([]byte(in), html.Options{})
		if !strings.Contains(got, "needle") {
			t.Errorf("%s: the text is lost", name)
		}
		if strings.Contains(got, "x</div>") {
			t.Errorf("%s: markup in the text", name)
		}
		if d := time.Since(start); d > 20*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}

// What surrounds the content of a page is left out, and never the content.
func TestTextOfAPage(t *testing.T) {
	long := strings.Repeat("Words that matter. ", 50)
	cases := []struct{ in, want string }{
		{"<nav>Home</nav><p>Text</p><footer>Imprint</footer>", "Text"},
		{"<article><p>Text</p><footer>By Ann</footer></article>", "Text\n\nBy Ann"},
		{"<div class='cookie-notice'>We value you</div><p>Text", "Text"},
		{"<div role=navigation>Home</div><p>Text", "Text"},
		{"<div class='page with-sidebar'><main>Text</main></div><p>More", "Text\n\nMore"},
		{"<div class=menu>" + long + "</div><p>More", strings.TrimSpace(long) + "\n\nMore"},
		{"<div class=menu>" + strings.Repeat("<a href=/x>One of many links</a> ", 50) + "</div><p>More", "More"},
		{"<nav>Only this</nav>", "Only this"},
		{"<span class=sr-only>Skip</span><p>Text", "Text"},
		{"<p><a href=https://www.e.org/a>here</a> and <a href=https://f.org/b>there</a>", "here and [there](https://f.org/b)"},
		{"<table><tr><td><nav>Home</nav><p>Text</table>", "Text"},
	}
	for _, c := range cases {
		if got := html.Text([]byte(c.in), html.Options{Page: true, Host: "e.org"}); got != c.want {
			t.Errorf("%.100s\ngot  %q\nwant %q", c.in, got, c.want)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("<table><tr><td style='font-size:0'>a<table><tr><th>b</table><ul><li>c<pre>d\n</pre></ul><a href=http://e/?utm_x=1>f</a>"))
	f.Add([]byte("<blockquote><p>x<br>y</blockquote></p><h1><div>z</h1><q>\xff\x00</q><!-- a"))
	f.Add([]byte("<div hidden><p></div><ol start=99999999><li><li></ol><img alt=x>"))
	f.Fuzz(func(t *testing.T, in []byte) {
		in = []byte(strings.ToValidUTF8(string(in), "\ufffd"))
		for _, opt := range []html.Options{{}, {Mail: true, DropSignature: true}, {Page: true, Host: "e"}} {
			got := html.Text(in, opt)
			if !utf8.ValidString(got) || strings.ContainsAny(got, "\x00\r\x1b") {
				t.Fatalf("unclean: %q", got)
			}
			if len(got) > 200*len(in)+64 {
				t.Fatalf("%d bytes became %d", len(in), len(got))
			}
		}
		html.Title(in)
		html.Charset(in)
	})
}

func BenchmarkText(b *testing.B) {
	in, err := os.ReadFile(filepath.Join("testdata", "newsletter.html"))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(in)))
	b.ReportAllocs()
	for b.Loop() {
		html.Text(in, html.Options{Mail: true})
	}
}

// What a document's own styles hide is as little text as what an attribute hides.
func TestHiddenByStyles(t *testing.T) {
	for _, c := range []struct{ name, css, in, want string }{
		{"class", ".pre{display:none !important}.a{color:red}", `<span class="pre">x</span><p class=a>y</p>`, "y"},
		{"one class of several", ".Pre { Display: None }", `<span class="b Pre c">x</span>y`, "y"},
		{"identifier", "#pre{visibility:hidden}", `<span id=pre>x</span>y`, "y"},
		{"tag", "aside{opacity:0}", `<aside>x</aside>y`, "y"},
		{"tag with class", "p.h{max-height:0;overflow:hidden}", `<p class=h>x<div class=h>y</div>`, "y"},
		{"list of selectors", "h9, .b,.h{font-size:0}", `<i class=h>x</i><i class=b>z</i>y`, "y"},
		{"off the screen", ".h{position:absolute;left:-9999px}.i{text-indent:-999em}", `<p class=h>x</p><p class=i>z</p>y`, "y"},
		{"off the screen by itself", "", `<p style="position:absolute;left:-9999px">x</p><p style="text-indent:-9999px">z</p>y`, "y"},
		{"a little to the left", ".h{position:absolute;left:-9px}.i{text-indent:-1em}", `<p class=h>x</p><p class=i>y</p>`, "x\n\ny"},
		{"comments", "/* .a{display:none} */<!-- .h{display:none} -->", `<i class=h>x</i><i class=a>y</i>`, "y"},
		{"two classes", ".h.i{display:none}", `<i class="h i">x</i><i class=h>y</i>`, "y"},
		{"the later rule", ".h{display:none}.h{display:block}", `<i class=h>y</i>`, "y"},
		{"the more specific rule", ".tab.open{display:block}.tab{display:none}", `<i class="tab open">y</i><i class=tab>x</i>`, "y"},
		{"importance", ".h{display:none!important}.h{display:block}", `<i class=h>x</i>y`, "y"},
		{"an attribute is stronger", ".h{display:none}", `<i class=h style="display:block">y</i>`, "y"},
		{"importance is stronger", ".h{display:none!important}", `<i class=h style="display:block">x</i>y`, "y"},
		{"what may be shown", ".tab{display:none}.tabs > .tab:target{display:block}", `<i class=tab>y</i>`, "y"},
		{"what may be shown elsewhere", ".h{display:none}@media (max-width:600px){.a{color:red}.h{display:block!important}}", `<i class=h>y</i>`, "y"},
		{"another property on some screens", ".h{display:none}@media (max-width:600px){.h, i{font-size:14px!important}}", `<i class=h>x</i>y`, "y"},
		{"hidden on some screens", "@media (max-width:600px){.a{color:red}.h{display:none}}.i{display:none}", `<i class=h>y</i><i class=i>x</i>`, "y"},
		{"hidden in some places", ".menu .h, .h:hover, .h[data-x], *{display:none}", `<i class=h>y</i>`, "y"},
		{"the whole", "html,body{display:none}*{opacity:0}", `<body style="visibility:hidden">y</body>`, "y"},
		{"everything", ".app{display:none}", `<div class=app>y</div>`, "y"},
		{"a picture", ".h{display:none}", `<img class=h alt="A red boat">y`, "y"},
		{"fonts and pages", "@font-face{font-family:x}@import url(x);.h{display:none}", `<i class=h>x</i>y`, "y"},
		{"never closed", ".h{display:none", `<i class=h>x</i>y`, "y"},
		{"white on white", "", `<p style="color:#fff;background:#FFFFFF">x</p>y`, "y"},
		{"white on white in words", "", `<p style="background-color: white; color: rgb(255, 255, 255)">x</p>y`, "y"},
		{"white on white, and black in it", "", `<div style="color:#fff;background:#fff">x<p style="color:#000">y</p>z</div>`, "y"},
		{"white on black", "", `<p style="color:#fff;background:#000">y</p>`, "y"},
		{"white on what is not known", "", `<p style="color:#fff;background:var(--x)">y</p>`, "y"},
	} {
		doc := "<html><head><style type=text/css>" + c.css + "</style></head>" + c.in
		for _, opt := range []html.Options{{}, {Mail: true, DropSignature: true}, {Page: true}} {
			if got := html.Text([]byte(doc), opt); got != c.want {
				t.Errorf("%s with %+v: got %q, want %q", c.name, opt, got, c.want)
			}
		}
	}
	for media, want := range map[string]string{"screen": "y", "all": "y", "print": "xy", "(max-width: 600px)": "xy"} {
		if got := html.Text([]byte(`<style media="`+media+`">.h{display:none}</style><i class=h>x</i>y`), html.Options{}); got != want {
			t.Errorf("styles for %s: %q", media, got)
		}
	}
	for _, in := range []string{`<!--[if mso]><style>.h{display:none}</style><![endif]--><i class=h>y</i>`, `<i class=h>y</i><p>&lt;style&gt;.h{display:none}&lt;/style&gt;</p>`} {
		if got := html.Text([]byte(in), html.Options{}); !strings.HasPrefix(got, "y") {
			t.Errorf("%s: %q", in, got)
		}
	}
}

// Whatever styles there are, reading takes linear time.
func TestHostileStyles(t *testing.T) {
	start := time.Now()
	for name, in := range map[string]string{
		"rules":     "<style>" + strings.Repeat(".a{display:none}", 100_000) + "</style>" + strings.Repeat("<i class=a>x</i>", 50_000),
		"selectors": "<style>" + strings.Repeat(".a,", 200_000) + ".b{display:none}</style>" + strings.Repeat("<i class=b>x</i>", 50_000),
		"classes":   "<style>.b{display:none}</style><i class='" + strings.Repeat("a ", 500_000) + "'>x</i>",
		"braces":    "<style>" + strings.Repeat("@media{", 100_000) + strings.Repeat("}", 200_000) + "</style>",
		"comments":  "<style>" + strings.Repeat("/*", 500_000) + "</style>",
		"sheets":    strings.Repeat("<style>.a{display:none}</style>", 50_000),
	} {
		if got := html.Text([]byte(in+"<p>needle"), html.Options{}); !strings.HasSuffix(got, "needle") {
			t.Errorf("%s: the text behind is lost", name)
		}
	}
	if d := time.Since(start); d > 20*time.Second {
		t.Errorf("took %v", d)
	}
}
