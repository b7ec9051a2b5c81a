package chunk_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/chunk"
	"github.com/openhuman/openhuman-core/internal/doc"
)

var day = time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)

func note(body string) *doc.Document {
	return &doc.Document{Kind: doc.KindDocument, Key: "n.md", SourceRef: "n.md", Title: "Plan", Time: day, Markdown: true, Body: body}
}

func texts(cs []chunk.Chunk) []string {
	out := make([]string, len(cs))
	for i, c := range cs {
		out[i] = c.Text
	}
	return out
}

func words(n int, w string) string { return strings.TrimSpace(strings.Repeat(w+" ", n)) }

// squeeze leaves out what may be lost between two chunks: line ends and lines without text.
func squeeze(s string) string {
	var b strings.Builder
	for l := range strings.SplitSeq(s, "\n") {
		if strings.Trim(l, " \t\r") != "" {
			b.WriteString(l)
		}
	}
	return b.String()
}

func TestShortNoteIsOneChunk(t *testing.T) {
	body := "# Plan\n\nBuy paint.\n\n## Then\n\n- roll\n- dry\n"
	cs := chunk.Split("x", note(body))
	if diff := cmp.Diff([]string{strings.TrimRight(body, "\n")}, texts(cs)); diff != "" {
		t.Fatal(diff)
	}
	if c := cs[0]; c.Context != "Plan" || c.SourceRef != "n.md" || !c.Time.Equal(day) || c.Tokens == 0 || len(c.ID) != 32 {
		t.Errorf("chunk = %+v", c)
	}
}

func TestHeadingPathAndLines(t *testing.T) {
	para := words(220, "mortar")
	d := note("# Plan\n\nintro\n\n## Walls\n\n" + para + "\n\n### Kitchen\n\n" + para + "\n\n## Floor\n\n" + para + "\n")
	d.Line = 5 // four lines of front matter
	d.Author = doc.Person{Name: "Ada Byron"}
	var got []string
	for _, c := range chunk.Split("x", d) {
		first, _, _ := strings.Cut(c.Text, "\n")
		got = append(got, first+" | "+c.Context+" | "+c.SourceRef)
	}
	want := []string{
		"# Plan | Plan — Ada Byron | n.md",
		"### Kitchen | Plan › Walls — Ada Byron | n.md#L13",
		"## Floor | Plan — Ada Byron | n.md#L17",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestHeadingStaysWithItsText(t *testing.T) {
	d := note(words(150, "before") + "\n\n## Paint\n\n" + words(380, "colour") + "\n")
	cs := chunk.Split("x", d)
	for _, c := range cs {
		if strings.HasSuffix(c.Text, "## Paint") {
			t.Errorf("a heading ends a chunk: %q", c.Text)
		}
	}
}

func TestCodeAndTablesStayWhole(t *testing.T) {
	code := "```go\n" + strings.Repeat("x := f(a, b) // # not a heading\n\n", 60) + "```"
	table := "| a | b |\n|---|---|\n" + strings.Repeat("| left | right |\n", 90)
	cs := chunk.Split("x", note(words(150, "intro")+"\n\n"+code+"\n\n"+table+"\nend\n"))
	for _, want := range []string{code, strings.TrimRight(table, "\n")} {
		found := false
		for _, c := range cs {
			found = found || strings.Contains(c.Text, want)
		}
		if !found {
			t.Errorf("no chunk holds the whole of %q…", want[:20])
		}
	}
	t.Run("unless they are too large", func(t *testing.T) {
		big := "```\n" + strings.Repeat("\tindented line of code that is kept as it is\n", 400) + "```"
		cs := chunk.Split("x", note(big))
		if len(cs) < 5 {
			t.Fatalf("%d chunks", len(cs))
		}
		for _, c := range cs[1:] {
			if !strings.HasPrefix(c.Text, "\tindented") && !strings.HasPrefix(c.Text, "```") {
				t.Errorf("a line is cut or lost its indentation: %q", c.Text[:20])
			}
		}
	})
}

func TestLongParagraphIsCutAtSentences(t *testing.T) {
	var b strings.Builder
	for i := range 200 {
		fmt.Fprintf(&b, "Sentence number %d by Dr. Moreau costs 3.50 euros, e.g. for paint. ", i)
	}
	body := strings.TrimSpace(b.String())
	cs := chunk.Split("x", note(body))
	for i, c := range cs {
		if !strings.HasPrefix(c.Text, "Sentence number") {
			t.Errorf("chunk %d begins inside a sentence: %q", i, c.Text[:40])
		}
	}
	if got := strings.Join(texts(cs), ""); got != body {
		t.Error("text changed")
	}
	if last := cs[len(cs)-1].Text; !strings.HasSuffix(last, "number 199 by Dr. Moreau costs 3.50 euros, e.g. for paint.") {
		t.Errorf("the end is lost: %q", last)
	}
}

func TestChineseIsCutAfterFullStops(t *testing.T) {
	body := strings.Repeat("今天和团队讨论了数据库迁移方案，大家都同意。", 120)
	cs := chunk.Split("x", note(body))
	if len(cs) < 4 {
		t.Fatalf("%d chunks", len(cs))
	}
	for _, c := range cs {
		if !strings.HasPrefix(c.Text, "今天") || !strings.HasSuffix(c.Text, "。") {
			t.Errorf("cut inside a sentence: %q", c.Text)
		}
	}
}

func TestSizes(t *testing.T) {
	for name, body := range map[string]string{
		"words":        words(20000, "harbour"),
		"paragraphs":   strings.Repeat(words(60, "harbour")+"\n\n", 200),
		"one run":      strings.Repeat("QUJD", 20000),
		"family emoji": strings.Repeat("👨‍👩‍👧‍👦", 3000),
		"flags":        strings.Repeat("🇵🇹🇫🇷", 3000),
		"hangul":       strings.Repeat("회의록을 정리했다 ", 3000),
		"hangul run":   strings.Repeat("회의록을정리했다", 3000),
		"jamo":         strings.Repeat("\u1112\u116c\u11ab", 6000),
		"thai":         strings.Repeat("ประชุมเรื่องงบประมาณที่กรุงเทพ", 900),
		"devanagari":   strings.Repeat("क्षत्रिय", 3000),
		"kana":         strings.Repeat("メモリ検索を改善する", 2000),
		"list":         strings.Repeat("- an item of a long list, with some words in it\n", 900),
		"headings":     strings.Repeat("# Heading\n\n## Other\n\n", 900),
		"blank lines":  strings.Repeat("x"+strings.Repeat("\n", 3000), 20),
		"log":          strings.Repeat("2024-05-01T10:00:00Z level=info msg=started\n", 900),
	} {
		t.Run(name, func(t *testing.T) {
			cs := chunk.Split("x", note(body))
			sum := 0
			for _, c := range cs {
				if len(c.Text) > chunk.MaxBytes {
					t.Errorf("%d bytes", len(c.Text))
				}
				sum += c.Tokens
			}
			if mean := sum / len(cs); len(cs) > 3 && name != "blank lines" && mean < chunk.TargetTokens/2 {
				t.Errorf("%d chunks of %d tokens on average", len(cs), mean)
			}
			check(t, body, cs)
		})
	}
}

// check holds for every body: all text is there, in order, and no grapheme is cut.
func check(t interface{ Errorf(string, ...any) }, body string, cs []chunk.Chunk) {
	if got, want := squeeze(strings.Join(texts(cs), "\n")), squeeze(body); got != want {
		t.Errorf("text changed: %s", cmp.Diff(want, got))
	}
	borders := map[int]bool{0: true, len(body): true}
	for at, rest, state := 0, body, -1; rest != ""; {
		var g string
		g, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
		at += len(g)
		borders[at] = true
	}
	at := 0
	for _, c := range cs {
		i := strings.Index(body[at:], c.Text)
		if i < 0 {
			t.Errorf("a chunk is not a part of the text: %q", c.Text)
			return
		}
		if skipped := body[at : at+i]; strings.Trim(skipped, " \t\r\n") != "" {
			t.Errorf("lost: %q", skipped)
		}
		at += i
		if !borders[at] || !borders[at+len(c.Text)] {
			t.Errorf("a grapheme is cut at the borders of %q", c.Text)
		}
		at += len(c.Text)
	}
}

// piece draws the stuff that texts are made of.
var piece = rapid.SampledFrom([]string{
	"\n", "\n", "\n\n", "  \n", " ", " ", "\t", "word ", "Sentence ends. ", "Is it? ", "# Head\n", "## Sub\n\n", "Title\n===\n",
	"- item\n", "  - nested\n", "> quote\n", "```\n", "~~~\n", "| a | b |\n", "|---|---|\n", "1. first\n", "我们在里斯本开会。", "メモリ", "ー",
	"👨‍👩‍👧‍👦", "🇵🇹", "e\u0301", "\u0301", "\u200d", "\ufe0f", "क्ष", "한", "\u1112\u116c", "กำ", "(a) ", "\u00a0", "\u3000", "…", "“x” ",
	strings.Repeat("a", 300), strings.Repeat("long sentence of words ", 40), strings.Repeat("字", 200), strings.Repeat("\n", 50),
	strings.Repeat("x", 9000), strings.Repeat(" ", 400),
})

func TestPropertyBodyIsKept(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(piece, 0, 80).Draw(t, "pieces"), "")
		d := note(body)
		d.Markdown = rapid.Bool().Draw(t, "markdown")
		cs := chunk.Split("x", d)
		check(t, body, cs)
		ids := map[string]bool{}
		for _, c := range cs {
			if len(c.Text) > chunk.MaxBytes || strings.Trim(c.Text, " \t\r\n") == "" || !utf8.ValidString(c.Text) {
				t.Errorf("bad chunk %q", c.Text)
			}
			if ids[c.ID] {
				t.Errorf("id twice: %s", c.ID)
			}
			ids[c.ID] = true
		}
	})
}

func TestIDsSurviveOtherChanges(t *testing.T) {
	section := func(n int) string { return fmt.Sprintf("## Part %d\n\n%s\n\n", n, words(300, fmt.Sprint("text", n))) }
	before := chunk.Split("x", note(section(1)+section(2)+section(3)))
	after := chunk.Split("x", note(section(1)+section(9)+section(3)))
	if len(before) != 3 || len(after) != 3 {
		t.Fatalf("%d and %d chunks", len(before), len(after))
	}
	if before[0].ID != after[0].ID || before[2].ID != after[2].ID || before[1].ID == after[1].ID {
		t.Error("ids follow the order, not the text")
	}
	if other := chunk.Split("y", note(section(1))); other[0].ID == before[0].ID {
		t.Error("two documents share an id")
	}
}

func TestSubjectOnlyMail(t *testing.T) {
	cs := chunk.Split("x", &doc.Document{Kind: doc.KindEmail, Title: "Dinner at eight?", Body: "\n \n"})
	if diff := cmp.Diff([]string{"Dinner at eight?"}, texts(cs)); diff != "" {
		t.Error(diff)
	}
	if cs := chunk.Split("x", note(" \n\n")); len(cs) != 0 {
		t.Errorf("an empty note has chunks: %v", texts(cs))
	}
}

func TestRefsThatTakeNoLine(t *testing.T) {
	for _, ref := range []string{"", "https://example.com/a", "book.md#chapter"} {
		d := note(strings.Repeat(words(100, "harbour")+"\n\n", 12))
		d.SourceRef = ref
		for _, c := range chunk.Split("x", d) {
			if c.SourceRef != ref {
				t.Errorf("%q became %q", ref, c.SourceRef)
			}
		}
	}
}

func FuzzSplit(f *testing.F) {
	f.Add("# A\n\ntext\n\n```\ncode\n", true)
	f.Add(strings.Repeat("👨‍👩‍👧‍👦", 400)+"\n|a|\n\xff\xfe", false)
	f.Add("a\n=\nb\n-\n> q\n1. x", true)
	f.Fuzz(func(t *testing.T, body string, markdown bool) {
		d := note(body)
		d.Markdown = markdown
		n := 0
		for _, c := range chunk.Split("x", d) {
			n += len(c.Text)
			if len(c.Text) > chunk.MaxBytes {
				t.Errorf("%d bytes", len(c.Text))
			}
		}
		if n > len(body) {
			t.Errorf("%d bytes out of %d", n, len(body))
		}
	})
}

func BenchmarkSplit(b *testing.B) {
	d := note(strings.Repeat("## Section\n\n"+words(200, "harbour")+".\n\n- item one\n- item two\n\n", 6))
	b.SetBytes(int64(len(d.Body)))
	for b.Loop() {
		chunk.Split("x", d)
	}
}

// TestHostileTextTakesLinearTime cuts a text of one grapheme and one of nothing but headings.
func TestHostileTextTakesLinearTime(t *testing.T) {
	for name, unit := range map[string]string{
		"marks": "\u0301", "headings": "# a\n", "fences": "```\n", "stops": ".", "quotes": ">", "pipes": "|\n", "blanks": " ", "joiners": "👩\u200d", "letters": "a", "underlines": "a\n=\n",
	} {
		begin := time.Now()
		chunk.Split("x", note(strings.Repeat(unit, 100_000)))
		once := time.Since(begin)
		begin = time.Now()
		chunk.Split("x", note(strings.Repeat(unit, 400_000)))
		if four := time.Since(begin); four > 12*once+2*time.Second {
			t.Errorf("%s: %v, four times as much %v", name, once, four)
		}
	}
}

// A chunk is told by the place in the original where it begins.
func TestPlaces(t *testing.T) {
	page := func(word string) string { return strings.Repeat(word+" words on a page. ", 80) + "\n\n" }
	d := &doc.Document{Kind: doc.KindDocument, SourceRef: "a.pdf", Title: "A", Body: page("First") + page("Second") + page("Third")}
	second := len(page("First"))
	d.Places = []doc.Place{{Offset: 0, Ref: "a.pdf#page=1"}, {Offset: second, Ref: "a.pdf#page=2"}, {Offset: second + len(page("Second")), Ref: "a.pdf#page=3"}}
	seen := map[string]bool{}
	for _, c := range chunk.Split("x", d) {
		first, _, _ := strings.Cut(c.Text, " ")
		want := map[string]string{"First": "a.pdf#page=1", "Second": "a.pdf#page=2", "Third": "a.pdf#page=3"}[first]
		if want != "" && c.SourceRef != want {
			t.Errorf("the chunk that begins with %s is told by %s", first, c.SourceRef)
		}
		seen[c.SourceRef] = true
	}
	if len(seen) != 3 {
		t.Errorf("references: %v", seen)
	}
	d.Places = []doc.Place{{Offset: 0, Ref: "a.docx"}}
	for _, c := range chunk.Split("x", d) {
		if c.SourceRef != "a.docx" {
			t.Errorf("without pages: %s", c.SourceRef)
		}
	}
}
