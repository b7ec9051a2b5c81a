package office_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/ingest/doctest"
	"github.com/openhuman/openhuman-core/internal/ingest/office"
	"github.com/openhuman/openhuman-core/internal/ingest/zipped"
)

func samples(t testing.TB) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	for _, ext := range []string{"docx", "odt", "pptx", "odp", "xlsx", "ods", "rtf"} {
		paths, err := filepath.Glob("testdata/*." + ext)
		if err != nil || len(paths) == 0 {
			t.Fatalf("no sample of %s: %v", ext, err)
		}
		for _, p := range paths {
			b, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			out[filepath.Base(p)] = b
		}
	}
	return out
}

func TestSamples(t *testing.T) {
	for name, data := range samples(t) {
		t.Run(name, func(t *testing.T) {
			docs, report := doctest.Read(t, office.New(), name, data)
			doctest.Golden(t, "testdata/"+name+".golden.json", docs, report)
		})
	}
}

func TestContract(t *testing.T) {
	for _, name := range []string{"trip.docx", "trip.odt", "talk.pptx", "money.xlsx", "money.ods", "trip.rtf"} {
		t.Run(name, func(t *testing.T) { doctest.Contract(t, office.New(), name, samples(t)[name]) })
	}
}

// pack makes a container of parts, which are names and texts in turn.
func pack(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for i := 0; i+1 < len(parts); i += 2 {
		f, err := w.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(parts[i+1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const types = "[Content_Types].xml"

func docx(t testing.TB, body string, more ...string) []byte {
	t.Helper()
	return pack(t, append([]string{types, "<Types/>", "word/document.xml",
		`<w:document xmlns:w="w" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:mc="mc"><w:body>` + body + "</w:body></w:document>"}, more...)...)
}

// p is a paragraph with properties.
func p(props, text string) string {
	return "<w:p><w:pPr>" + props + "</w:pPr><w:r><w:t>" + text + "</w:t></w:r></w:p>"
}

func TestDOCX(t *testing.T) {
	styles := `<w:styles xmlns:w="w"><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
<w:style w:styleId="mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift1"/></w:style>
<w:style w:styleId="deep"><w:name w:val="Deep"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:styleId="loop"><w:name w:val="Loop"/><w:basedOn w:val="loop"/></w:style>
<w:style w:styleId="toc1"><w:name w:val="toc 1"/></w:style></w:styles>`
	numbers := `<w:numbering xmlns:w="w"><w:abstractNum w:abstractNumId="5"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="lowerLetter"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="6"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="5"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="6"/></w:num></w:numbering>`
	num := func(id, level int) string {
		return fmt.Sprintf(`<w:numPr><w:ilvl w:val="%d"/><w:numId w:val="%d"/></w:numPr>`, level, id)
	}
	for name, c := range map[string]struct{ body, want string }{
		"styles":           {p(`<w:pStyle w:val="berschrift1"/>`, "One") + p(`<w:pStyle w:val="mine"/>`, "Two") + p(`<w:pStyle w:val="deep"/>`, "Three") + p(`<w:pStyle w:val="loop"/>`, "Text"), "# One\n\n# Two\n\n### Three\n\nText"},
		"table of content": {p(`<w:pStyle w:val="toc1"/>`, "One 3") + p("", "Text"), "Text"},
		"lists":            {p(num(1, 0), "a") + p(num(1, 1), "b") + p(num(1, 1), "c") + p(num(1, 0), "d") + p(num(1, 1), "e") + p(num(2, 0), "f") + p(num(0, 0), "g"), "1. a\n  1. b\n  2. c\n2. d\n  1. e\n- f\n\ng"},
		"changes":          {`<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:moveFrom><w:r><w:t>away</w:t></w:r></w:moveFrom><w:ins><w:r><w:t> added</w:t></w:r></w:ins></w:p>`, "kept added"},
		"hidden":           {`<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret orders</w:t></w:r><w:r><w:rPr><w:vanish w:val="0"/></w:rPr><w:t>seen</w:t></w:r></w:p>`, "seen"},
		"fields":           {`<w:p><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t xml:space="preserve">d </w:t></w:r></w:p>`, "a\tb\nc-d"},
		"table":            {"<w:tbl><w:tr><w:tc>" + p("", "Name") + "</w:tc><w:tc>" + p("", "Town") + "</w:tc></w:tr><w:tr><w:tc>" + p("", "Ann") + "</w:tc><w:tc>" + p("", "Po|rto") + "</w:tc></w:tr></w:tbl>", "| Name | Town |\n| --- | --- |\n| Ann | Po\\|rto |"},
		"span":             {`<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>` + p("", "Both") + "</w:tc><w:tc>" + p("", "Third") + "</w:tc></w:tr><w:tr><w:tc>" + p("", "1") + "</w:tc><w:tc>" + p("", "2") + "</w:tc><w:tc>" + p("", "3") + "</w:tc></w:tr></w:tbl>", "| Both | | Third |\n| --- | --- | --- |\n| 1 | 2 | 3 |"},
		"layout":           {"<w:tbl><w:tr><w:tc>" + p("", "All") + p("", "text") + "</w:tc></w:tr></w:tbl>", "All\ntext"},
		"table in table":   {"<w:tbl><w:tr><w:tc>" + p("", "A") + "<w:tbl><w:tr><w:tc>" + p("", "in") + "</w:tc></w:tr></w:tbl></w:tc><w:tc>" + p("", "B") + "</w:tc></w:tr><w:tr><w:tc>" + p("", "C") + "</w:tc></w:tr></w:tbl>", "| A in | B |\n| --- | --- |\n| C | |"},
		"text box":         {`<w:p><w:r><w:t>Before</w:t><mc:AlternateContent><mc:Choice><w:txbxContent>` + p("", "boxed") + `</w:txbxContent></mc:Choice><mc:Fallback><w:txbxContent>` + p("", "boxed") + `</w:txbxContent></mc:Fallback></mc:AlternateContent></w:r></w:p>`, "Before\nboxed"},
		"link":             {`<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>the page</w:t></w:r></w:hyperlink><w:r><w:t>.</w:t></w:r></w:p>`, "See [the page](https://example.org/a)."},
		"notes":            {`<w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id="2"/><w:endnoteReference w:id="1"/></w:r></w:p>`, "Text[^2][^e1]\n\n[^2] a footnote\n\n[^e1] an endnote\n\n[Comment by Ann, 2024-05-01] what Ann thinks"},
	} {
		parts := []string{"word/styles.xml", styles, "word/numbering.xml", numbers,
			"word/_rels/document.xml.rels", `<Relationships><Relationship Id="r1" Type="x/hyperlink" Target="https://example.org/a" TargetMode="External"/></Relationships>`}
		if name == "notes" {
			parts = append(parts, "word/footnotes.xml", `<w:footnotes xmlns:w="w"><w:footnote w:type="separator" w:id="0">`+p("", "---")+`</w:footnote><w:footnote w:id="2">`+p("", "a footnote")+`</w:footnote></w:footnotes>`,
				"word/endnotes.xml", `<w:endnotes xmlns:w="w"><w:endnote w:id="1">`+p("", "an endnote")+`</w:endnote></w:endnotes>`,
				"word/comments.xml", `<w:comments xmlns:w="w"><w:comment w:author="Ann" w:date="2024-05-01T10:00:00Z">`+p("", "what Ann thinks")+`</w:comment></w:comments>`)
		}
		d := doctest.One(t, office.New(), "a.docx", docx(t, c.body, parts...))
		if diff := cmp.Diff(c.want, d.Body); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
	// A letterhead with nothing on the page is read all the same.
	d := doctest.One(t, office.New(), "a.docx", docx(t, "", "word/header1.xml", `<w:hdr xmlns:w="w">`+p("", "From the mill")+"</w:hdr>"))
	if d.Body != "From the mill" {
		t.Errorf("%q", d.Body)
	}
}

func xlsx(t testing.TB, sheet string, more ...string) []byte {
	t.Helper()
	return pack(t, append([]string{types, "<Types/>", "xl/workbook.xml",
		`<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="My sheet" r:id="a"/><sheet name="x" state="veryHidden" r:id="a"/></sheets></workbook>`,
		"xl/_rels/workbook.xml.rels", `<R><Relationship Id="a" Type="t/worksheet" Target="worksheets/sheet1.xml"/></R>`,
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="[$-407]dd/mm/yyyy\ hh:mm;@"/><numFmt numFmtId="171" formatCode="#,##0.00 &quot;days&quot;"/><numFmt numFmtId="172" formatCode="mmm yy"/><numFmt numFmtId="173" formatCode="[h]:mm"/></numFmts>
<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="170"/><xf numFmtId="171"/><xf numFmtId="10"/><xf numFmtId="172"/><xf numFmtId="20"/><xf numFmtId="173"/></cellXfs></styleSheet>`,
		"xl/sharedStrings.xml", `<sst><si><t>Item</t></si><si><r><t>Wh</t></r><r><t>en</t></r><rPh><t>aloud</t></rPh></si></sst>`,
		"xl/worksheets/sheet1.xml", "<worksheet><sheetData>" + sheet + "</sheetData></worksheet>"}, more...)...)
}

func TestXLSXCells(t *testing.T) {
	for cell, want := range map[string]string{
		`<c r="B2" s="1"><v>45413</v></c>`:                          "When: 2024-05-01",
		`<c r="B2" s="2"><v>45413.39583333333</v></c>`:              "When: 2024-05-01 09:30",
		`<c r="B2" s="3"><v>45413</v></c>`:                          "When: 45413",
		`<c r="B2" s="4"><v>0.125</v></c>`:                          "When: 12.5%",
		`<c r="B2" s="5"><v>45413</v></c>`:                          "When: 2024-05-01",
		`<c r="B2" s="6"><v>0.75</v></c>`:                           "When: 18:00",
		`<c r="B2" s="7"><v>30.5</v></c>`:                           "When: 30.5",
		`<c r="B2" s="1"><v>1</v></c>`:                              "When: 1900-01-01",
		`<c r="B2" s="1"><v>-4</v></c>`:                             "When: -4",
		`<c r="B2"><v>0.30000000000000004</v></c>`:                  "When: 0.3",
		`<c r="B2"><v>1E+20</v></c>`:                                "When: 1e+20",
		`<c r="B2" t="b"><v>1</v></c>`:                              "When: TRUE",
		`<c r="B2" t="inlineStr"><is><t>in</t><t>line</t></is></c>`: "When: inline",
		`<c r="B2" t="str"><f>A1&amp;"x"</f><v>Itemx</v></c>`:       "When: Itemx",
		`<c r="B2" t="d"><v>2024-05-01T00:00:00</v></c>`:            "When: 2024-05-01",
		`<c r="A2" t="s"><v>99</v></c><c r="C2"><v>7</v></c>`:       "7",
		`<c><v>5</v></c><c t="e"><v>#REF!</v></c>`:                  "Item: 5",
	} {
		d := doctest.One(t, office.New(), "a.xlsx", xlsx(t, `<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row><row r="2">`+cell+"</row>"))
		if want := "## My sheet\n- " + want; d.Body != want {
			t.Errorf("%s: %q, want %q", cell, d.Body, want)
		}
		if ref := d.Places[len(d.Places)-1].Ref; ref != "a.xlsx#'My sheet'!A2" {
			t.Errorf("%s: leads to %s", cell, ref)
		}
	}
	d := doctest.One(t, office.New(), "a.xlsx", xlsx(t, `<row><c t="s"><v>0</v></c></row>`,
		"xl/worksheets/_rels/sheet1.xml.rels", `<R><Relationship Id="c" Type="t/comments" Target="../comments1.xml"/></R>`,
		"xl/comments1.xml", `<comments><authors><author>Ann</author></authors><commentList><comment ref="B4" authorId="0"><text><r><t>Ann:</t></r><r><t> ask Bob</t></r></text></comment></commentList></comments>`))
	if !strings.HasSuffix(d.Body, "[Note on B4 by Ann] ask Bob") {
		t.Errorf("%q", d.Body)
	}
}

func TestODF(t *testing.T) {
	odf := func(kind, body string) []byte {
		return pack(t, "mimetype", "application/vnd.oasis.opendocument."+kind, "content.xml",
			`<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:svg="svg-compatible" xmlns:xlink="x" xmlns:dc="d"><office:body>`+body+"</office:body></office:document-content>")
	}
	for body, want := range map[string]string{
		`<text:h text:outline-level="2">One</text:h><text:p>a<text:s text:c="2"/>b <text:span> c</text:span><text:tab/>d<text:line-break/>e</text:p>`:                                                                                                                                                              "## One\n\na  b c\td\ne",
		`<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:p>kept <svg:title>alt</svg:title><text:title>Field</text:title></text:p>`:                                                                                                                                                         "kept Field",
		`<text:list><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list></text:list-item></text:list>`:                                                                                                                                                     "- a\n  - b",
		`<text:p>Word<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>a note</text:p></text:note-body></text:note>.</text:p>`:                                                                                                                                                          "Word[^1].\n\n[^1] a note",
		`<text:p>x<office:annotation><dc:creator>Ann</dc:creator><dc:date>2024-05-01T10:00:00</dc:date><text:p>why?</text:p></office:annotation>y</text:p>`:                                                                                                                                                        "xy\n\n[Comment by Ann, 2024-05-01] why?",
		`<text:p>See <text:a xlink:href="https://example.org/a">here</text:a></text:p>`:                                                                                                                                                                                                                            "See [here](https://example.org/a)",
		`<table:table><table:table-row><table:table-cell><text:p>A</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2"><text:p>B</text:p></table:table-cell></table:table-row><table:table-row><table:table-cell><text:p>1</text:p></table:table-cell></table:table-row></table:table>`: "| A | B | B |\n| --- | --- | --- |\n| 1 | | |",
	} {
		if d := doctest.One(t, office.New(), "a.odt", odf("text", "<office:text>"+body+"</office:text>")); d.Body != want {
			t.Errorf("%s\ngot  %q\nwant %q", body, d.Body, want)
		}
	}
	cell := func(s string) string { return "<table:table-cell><text:p>" + s + "</text:p></table:table-cell>" }
	d := doctest.One(t, office.New(), "a.ods", odf("spreadsheet", `<office:spreadsheet><table:table table:name="Sums"><table:table-row>`+cell("What")+cell("When")+`</table:table-row>
<table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
<table:table-row table:number-rows-repeated="2">`+cell("Rent")+`<table:table-cell office:value-type="date" office:date-value="2024-05-01"><text:p>1. Mai</text:p></table:table-cell></table:table-row>
<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table></office:spreadsheet>`))
	if want := "## Sums\n- What: Rent; When: 2024-05-01\n- What: Rent; When: 2024-05-01"; d.Body != want {
		t.Errorf("%q", d.Body)
	}
	if ref := d.Places[len(d.Places)-1].Ref; ref != "a.ods#Sums!A1003" {
		t.Errorf("leads to %s", ref)
	}
}

func TestRTF(t *testing.T) {
	for body, want := range map[string]string{
		`Hello\par World`:     "Hello\n\nWorld",
		`\'80 5 and \'e9\par`: "€ 5 and é",
		`{\fonttbl{\f0\fcharset0 A;}{\f1\fcharset204 B;}}\f1 \'cf\'f0\'e8\'e2\'e5\'f2\f0  x`:               "Привет x",
		`\uc1\u8364 ? and \u-10179?\u-8704?`:                                                               "€ and 😀",
		`\uc2\u1078\'3f\'3f!`:                                                                              "ж!",
		`{\v hidden orders}seen{\deleted gone}`:                                                            "seen",
		`{\pict\bin4 }}}}ff}{\*\unknown text}{\header H}kept`:                                              "kept",
		`{\field{\*\fldinst HYPERLINK "https://example.org"}{\fldrslt a link}}`:                            "a link",
		`{\stylesheet{\s1 heading 1;}{\s2\outlinelevel1 Mine;}}\pard\s1 One\par\pard\s2 Two\par\pard Text`: "# One\n\n## Two\n\nText",
		`\trowd\intbl A\cell B\cell\row\trowd\intbl 1\cell 2\cell\row\pard after`:                          "| A | B |\n| --- | --- |\n| 1 | 2 |\n\nafter",
		`\pard\ls1{\listtext 1.\tab}One\par{\listtext 2.\tab}Two\par`:                                      "1. One\n2. Two",
		`Word{\footnote  a note}.`:                                                                         "Word [a note].",
		`\ldblquote q\rdblquote  \{x\} a\~b a\_b`:                                                          "“q” {x} a b a-b",
	} {
		if d := doctest.One(t, office.New(), "a.rtf", []byte(`{\rtf1\ansi\ansicpg1252 `+body+"}")); d.Body != want {
			t.Errorf("%s\ngot  %q\nwant %q", body, d.Body, want)
		}
	}
	d := doctest.One(t, office.New(), "a.rtf", []byte(`{\rtf1{\info{\title A letter}{\author Ann}{\creatim\yr2023\mo4\dy18\hr7\min30}{\company X}{\keywords a, b}}Text}`))
	if d.Title != "A letter" || d.Author.Name != "Ann" || d.Time.Format("2006-01-02 15:04") != "2023-04-18 07:30" || len(d.Tags) != 2 || d.Body != "Text" {
		t.Errorf("%+v", d)
	}
	if _, report := doctest.Read(t, office.New(), "a.rtf", []byte(`{\rtf1 Text`+strings.Repeat("{", 5000))); report.Outcome != doc.Partial {
		t.Errorf("deep: %+v", report)
	}
}

func TestLocked(t *testing.T) {
	ole := append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 600)...)
	ole = append(ole, "E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"...)
	odt := pack(t, "mimetype", "application/vnd.oasis.opendocument.text", "content.xml", "\x01\x02", "META-INF/manifest.xml", "<m><encryption-data/></m>")
	for name, data := range map[string][]byte{"a.docx": ole, "a.odt": odt} {
		if office.New().Detect(doctest.Input(name, data)) == 0 {
			t.Errorf("%s is not known", name)
		}
		if _, report := doctest.Read(t, office.New(), name, data); report.Outcome != doc.NoText || !strings.Contains(report.Reason, "password") {
			t.Errorf("%s: %+v", name, report)
		}
	}
	if office.New().Detect(doctest.Input("old.doc", ole[:200])) > 0 {
		t.Error("an old document is taken")
	}
}

// What was made to exhaust memory or time is read up to a bound, and said so.
func TestBombs(t *testing.T) {
	big := strings.Repeat("word ", 1<<20)
	small := office.WithLimits(zipped.Limits{Directory: 1 << 20, Members: 100, Total: 20 << 20})
	for name, data := range map[string][]byte{
		"text.docx":   docx(t, strings.Repeat(p("", big), 6)),
		"blanks.docx": docx(t, p("", "Text")+strings.Repeat("<w:p/>", 4<<20)),
		"cells.xlsx":  xlsx(t, "<row>"+strings.Repeat(`<c t="inlineStr"><is><t>`+big+"</t></is></c>", 6)+"</row>"),
		"run.docx":    docx(t, p("", "Text")+p("", strings.Repeat("endless", 4<<20))),
		"deep.docx":   docx(t, p("", "Text")+strings.Repeat("<w:sdt>", 1<<20)),
	} {
		docs, report := doctest.Read(t, small, name, data)
		if report.Outcome == doc.OK && name != "cells.xlsx" || len(docs) == 0 {
			t.Errorf("%s: %d documents, %+v", name, len(docs), report)
		}
		total := 0
		for _, d := range docs {
			total += len(d.Body)
		}
		if total > 17<<20 {
			t.Errorf("%s: %d bytes of text", name, total)
		}
	}
	var many []string
	for i := range 101 {
		many = append(many, fmt.Sprintf("word/%d.xml", i), "")
	}
	if _, report := doctest.Read(t, small, "a.docx", docx(t, p("", "x"), many...)); report.Outcome != doc.Failed {
		t.Errorf("many members: %+v", report)
	}
}

// The codes of formats cost little, however long they are.
func TestLongFormatCodes(t *testing.T) {
	for _, mark := range []string{"[", "m", `"`} {
		d := doctest.One(t, office.New(), "a.xlsx", pack(t, types, "<Types/>", "xl/workbook.xml",
			`<workbook xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="S" r:id="a"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<R><Relationship Id="a" Type="t/worksheet" Target="worksheets/sheet1.xml"/></R>`,
			"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="170" formatCode="`+strings.ReplaceAll(strings.Repeat(mark, 4<<20), `"`, "&quot;")+`"/></numFmts></styleSheet>`,
			"xl/worksheets/sheet1.xml", `<worksheet><sheetData><row r="1"><c r="A1"><v>7</v></c></row></sheetData></worksheet>`))
		if d.Body != "## S\n- 7" {
			t.Errorf("%s: %q", mark, d.Body)
		}
	}
}

// A long document comes in parts, in order.
func TestParts(t *testing.T) {
	var body strings.Builder
	for i := range 60_000 {
		body.WriteString(p("", fmt.Sprintf("Paragraph %d of a long document with words in it.", i)))
	}
	docs, report := doctest.Read(t, office.New(), "a.docx", docx(t, body.String()))
	if report.Outcome != doc.OK || len(docs) < 2 {
		t.Fatalf("%d documents, %+v", len(docs), report)
	}
	n := 0
	for _, d := range docs {
		n += strings.Count(d.Body, "Paragraph")
	}
	if n != 60_000 {
		t.Errorf("%d paragraphs", n)
	}
}

func FuzzRead(f *testing.F) {
	for _, data := range samples(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		office.New().Detect(doctest.Input("a.docx", in))
		doctest.Read(t, office.New(), "a.docx", in)
	})
}

// FuzzParts damages what stands in the container, which a mutated container hides.
func FuzzParts(f *testing.F) {
	f.Add(uint8(0), []byte(p(`<w:pStyle w:val="a"/>`, "x")+"<w:tbl><w:tr><w:tc>"+p("", "y")))
	f.Add(uint8(1), []byte(`<row><c r="ZZ9" s="1"><v>45413.4</v></c><c t="s"><v>0</v></c></row>`))
	f.Add(uint8(2), []byte(`<table:table><table:table-row><table:table-cell table:number-columns-repeated="9"><text:p>1</text:p><text:list><text:p>x`))
	f.Add(uint8(3), []byte(`<p:sp><p:ph type="title"/><a:p><a:t>x</a:t></a:p></p:sp><a:tbl><a:tr><a:tc><a:p><a:t>y`))
	f.Add(uint8(4), []byte(`\\trowd\\intbl A\\cell{\\*\\x}\\u-8704?\\'e9{\\info{\\title`))
	f.Fuzz(func(t *testing.T, kind uint8, in []byte) {
		var data []byte
		switch kind % 5 {
		case 4:
			data = append([]byte(`{\rtf1 `), in...)
		case 0:
			data = docx(t, string(in), "word/styles.xml", string(in), "word/numbering.xml", string(in), "word/comments.xml", string(in))
		case 1:
			data = xlsx(t, string(in), "xl/comments1.xml", string(in))
		case 2:
			data = pack(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml", "<b><spreadsheet>"+string(in), "meta.xml", string(in))
		case 3:
			data = pack(t, types, "", "ppt/presentation.xml", `<p xmlns:r="relationships"><sldId r:id="a"/></p>`, "ppt/_rels/presentation.xml.rels", `<R><Relationship Id="a" Type="t/slide" Target="slides/slide1.xml"/></R>`, "ppt/slides/slide1.xml", string(in))
		}
		doctest.Read(t, office.New(), "a", data)
	})
}

// Values beyond the columns that are read are told of; empty cells there are none.
func TestXLSXFarColumns(t *testing.T) {
	for cell, want := range map[string]doc.Outcome{
		`<c r="XFD1" t="inlineStr"><is><t>far</t></is></c>`: doc.Partial,
		`<c r="ALM1"><v>7</v></c>`:                          doc.Partial,
		`<c r="ALL1"><v>7</v></c>`:                          doc.OK, // the thousandth
		`<c r="XFD1" s="1"/>`:                               doc.OK,
	} {
		docs, report := doctest.Read(t, office.New(), "a.xlsx", xlsx(t, `<row r="1"><c r="A1"><v>1</v></c>`+cell+`</row>`))
		if report.Outcome != want || (want == doc.Partial) != strings.Contains(report.Reason, "1000 columns") || len(docs) != 1 {
			t.Errorf("%s: %+v of %d documents", cell, report, len(docs))
		}
	}
}
