package markdown_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/golden"
	"github.com/openhuman/openhuman-core/internal/ingest/markdown"
)

var modTime = time.Date(2025, 6, 7, 8, 9, 10, 0, time.UTC)

func input(rel, text string) *doc.Input {
	return &doc.Input{
		Path: rel, Rel: rel, Root: "vault", Size: int64(len(text)), ModTime: modTime,
		Head: []byte(text[:min(len(text), doc.HeadSize)]),
		Open: func() (doc.File, error) { return doc.InMemory([]byte(text)), nil },
	}
}

func read(t testing.TB, rel, text string) (*doc.Document, doc.Report) {
	t.Helper()
	var got *doc.Document
	report, err := markdown.Reader{}.Read(t.Context(), input(rel, text), func(d *doc.Document) error {
		if got != nil {
			t.Error("more than one document")
		}
		got = d
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got, report
}

// mustRead reads a text that has to give a document.
func mustRead(t testing.TB, rel, text string) *doc.Document {
	t.Helper()
	d, report := read(t, rel, text)
	if d == nil || report.Outcome != doc.OK {
		t.Fatalf("%q: document %v, report %+v", text, d, report)
	}
	return d
}

func TestVault(t *testing.T) {
	root := filepath.Join("testdata", "vault")
	// view is what the reader sets, so that a new field of documents does not touch the golden file.
	type view struct {
		Key, Title    string
		Author        doc.Person
		To            []doc.Person
		Tags, Aliases []string
		Time          time.Time
		Line          int
		Body          string
	}
	var docs []view
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		text := strings.ReplaceAll(string(b), "\r\n", "\n")
		d := mustRead(t, filepath.ToSlash(rel), text)
		// Line is where the last line of the body stands in the file.
		line := max(d.Line, 1) + strings.Count(d.Body, "\n")
		if want := 1 + strings.Count(text, "\n"); line != want {
			t.Errorf("%s: the body ends on line %d, the file on line %d", rel, line, want)
		}
		if d.Kind != doc.KindDocument || !d.Markdown || d.SourceRef != d.Key {
			t.Errorf("%s: %+v", rel, d)
		}
		docs = append(docs, view{d.Key, d.Title, d.Author, d.To, d.Tags, d.Aliases, d.Time, d.Line, d.Body})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(docs); err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", "vault.golden.json"), b.Bytes())
}

func TestBodyIsTheTextWithoutFrontMatter(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"none", "# A\n\ntext\n", "# A\n\ntext\n"},
		{"yaml", "---\ntitle: A\n---\nbody [[Note|alias]] ![[embed]] %%c%% ^id\n", "body [[Note|alias]] ![[embed]] %%c%% ^id\n"},
		{"dots", "---\ntitle: A\n...\nbody\n", "body\n"},
		{"windows line ends and a byte order mark", "\ufeff---\r\ntitle: A\r\n---\r\nbody\r\nmore\r\n", "body\nmore\n"},
		{"toml", "+++\ntitle = 'A'\n+++\nbody\n", "body\n"},
		{"empty front matter", "---\n---\nbody\n", "body\n"},
		{"a ruler", "---\nbody\n", "---\nbody\n"},
		{"two rulers", "---\nsome prose\n---\nbody\n", "---\nsome prose\n---\nbody\n"},
		{"broken yaml", "---\ntitle: \"A\n---\nbody\n", "---\ntitle: \"A\n---\nbody\n"},
		{"broken list", "---\ntags: [a, b\nx: y\n---\nbody\n", "---\ntags: [a, b\nx: y\n---\nbody\n"},
		{"broken toml", "+++\ntitle = \n+++\nbody\n", "+++\ntitle = \n+++\nbody\n"},
		{"own keys stay", "---\ntitle: A\nmood: rather good\ndraft: true\nsource: https://example.com/x\n---\nbody\n", "mood: rather good\nsource: https://example.com/x\n\nbody\n"},
		{"a date that is none stays", "---\ndate: soon\n---\nbody\n", "date: soon\n\nbody\n"},
		{"nothing but front matter", "---\ntitle: A\naliases: [B]\n---\n", "---\ntitle: A\naliases: [B]\n---\n"},
		{"a drawing", "---\nexcalidraw-plugin: parsed\n---\ntext\n\n## Drawing\n```compressed-json\nN4KAk\n```\n", "text\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if d := cmp.Diff(c.want, mustRead(t, "a.md", c.text).Body); d != "" {
				t.Errorf("-want +got:\n%s", d)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"---\ntitle: Foo: bar\n---\n# Other\n", "Foo: bar"},
		{"---\ntitle: 'It''s # fine'\n---\nx", "It's # fine"},
		{"---\ntitle: \"caf\\u00e9 \\\"x\\\"\"\n---\nx", "café \"x\""},
		{"---\ntitle: >-\n  two\n  lines\n---\nx", "two lines"},
		{"---\ntitle: Plain # comment\n---\nx", "Plain"},
		{"---\ntitle: \"[[Note]]\"\n---\nx", "Note"},
		{"---\ntitle:\n---\n# The **bold** [link](https://x.org) [[N|alias]] ##\n", "The bold link alias"},
		{"Setext `code`\n======\n\ntext", "Setext code"},
		{"```\n# not this\n```\n    # nor this\n## nor this\n# this\n", "this"},
		{"#tag\ntext\n", "Some note"},
		{"text\n", "Some note"},
	} {
		if got := mustRead(t, "dir/Some note.md", c.text).Title; got != c.want {
			t.Errorf("%q: title %q, want %q", c.text, got, c.want)
		}
	}
}

func TestTags(t *testing.T) {
	for _, c := range []struct {
		front, body string
		want        []string
	}{
		{"tags: [a, \"b c\", d/e]", "", []string{"a", "b c", "d/e"}},
		{"tags:\n  - a\n  - '#b'\n  - # none", "", []string{"a", "b"}},
		{"tags:\n- a\n- b", "", []string{"a", "b"}},
		{"tags: a, b c", "", []string{"a", "b c"}},
		{"tags: a b", "", []string{"a", "b"}},
		{"tags: #a #b", "", []string{"a", "b"}},
		{"tags: [#a, #b]", "", []string{"a", "b"}},
		{"tags: [\n  a,\n  b\n]", "", []string{"a", "b"}},
		{"Tags: A\nkeywords: [B]\ncategory: c", "#a #B #d/e `#no` https://x.org/#no", []string{"A", "B", "c", "d/e"}},
		{"tags:", "", nil},
		{"tags: null", "", nil},
		{"tags: 2024", "", []string{"2024"}},
	} {
		d := mustRead(t, "a.md", "---\n"+c.front+"\n---\ntext "+c.body+"\n")
		if diff := cmp.Diff(c.want, d.Tags); diff != "" {
			t.Errorf("%q (-want +got):\n%s", c.front, diff)
		}
		if !strings.HasPrefix(d.Body, "text ") {
			t.Errorf("%q: front matter left in %q", c.front, d.Body)
		}
	}
}

func TestTime(t *testing.T) {
	for _, c := range []struct{ name, front, want string }{
		{"a.md", "date: 2024-05-01", "2024-05-01T00:00:00Z"},
		{"a.md", "date: 2024-05-01T10:20:30+02:00", "2024-05-01T08:20:30Z"},
		{"a.md", "date: 2024-05-01 10:20", "2024-05-01T10:20:00Z"},
		{"a.md", "date: \"1 May 2024\"", "2024-05-01T00:00:00Z"},
		{"a.md", "date: May 1st, 2024", "2024-05-01T00:00:00Z"},
		{"a.md", "date: \"[[2024-05-01]]\"", "2024-05-01T00:00:00Z"},
		{"a.md", "date: 01.05.2024", "2024-05-01T00:00:00Z"},
		{"a.md", "date: 2024年5月1日", "2024-05-01T00:00:00Z"},
		{"a.md", "date: 1714558830", "2024-05-01T10:20:30Z"},
		{"a.md", "created: 2024-05-02\nupdated: 2024-06-01", "2024-05-02T00:00:00Z"},
		{"a.md", "created: 2024-05-02\ndate: 2024-05-01", "2024-05-01T00:00:00Z"},
		{"2024-05-03 Trip.md", "updated: 2024-06-01", "2024-05-03T00:00:00Z"},
		{"2024-05-03 Trip.md", "created: 2024-05-02", "2024-05-02T00:00:00Z"},
		{"202405031830 Slip.md", "", "2024-05-03T18:30:00Z"},
		{"20240503.md", "", "2024-05-03T00:00:00Z"},
		{"2024-05.md", "", "2024-05-01T00:00:00Z"},
		{"2024-W18.md", "", "2024-04-29T00:00:00Z"},
		{"2020-W01.md", "", "2019-12-30T00:00:00Z"},
		{"Budget May 2024.md", "", "2025-06-07T08:09:10Z"},
		{"99999999.md", "", "2025-06-07T08:09:10Z"},
		{"a.md", "date: 0001-01-01", "2025-06-07T08:09:10Z"},
		{"a.md", "date: tomorrow\nupdated: 2024-06-01", "2024-06-01T00:00:00Z"},
	} {
		d := mustRead(t, "notes/"+c.name, "---\n"+c.front+"\n---\ntext\n")
		if got := d.Time.Format(time.RFC3339); got != c.want {
			t.Errorf("%s, %q: %s, want %s", c.name, c.front, got, c.want)
		}
	}
}

func TestPeople(t *testing.T) {
	alice := doc.Person{Name: "Alice Moreau"}
	bob := doc.Person{Name: "Bob Tanaka"}
	for _, c := range []struct {
		front  string
		author doc.Person
		to     []doc.Person
	}{
		{"author: Alice Moreau", alice, nil},
		{"author: Moreau, Alice", doc.Person{Name: "Moreau, Alice"}, nil},
		{"authors: [Alice Moreau, \"Bob Tanaka\"]", alice, []doc.Person{bob}},
		{"authors: Alice Moreau and Bob Tanaka", alice, []doc.Person{bob}},
		{"author: [Alice Moreau, Bob Tanaka]", alice, []doc.Person{bob}},
		{"author: [A One, B Two]", doc.Person{Name: "A One"}, []doc.Person{{Name: "B Two"}}},
		{"author:\n- A One\n- B Two", doc.Person{Name: "A One"}, []doc.Person{{Name: "B Two"}}},
		{"author: Alice Moreau <a@example.com>", doc.Person{Name: "Alice Moreau", Email: "a@example.com"}, nil},
		{"author: '@alice'", doc.Person{Handle: "alice"}, nil},
		{"authors:\n  - name: Alice Moreau\n    email: a@example.com\n    affiliation: Acme\n  - name: Bob Tanaka", doc.Person{Name: "Alice Moreau", Email: "a@example.com", Org: "Acme"}, []doc.Person{bob}},
		{"author:\n  name: Alice Moreau", alice, nil},
		{"attendees: [[Bob Tanaka]]", doc.Person{}, []doc.Person{bob}},
		{"company: Acme GmbH", doc.Person{}, []doc.Person{{Org: "Acme GmbH"}}},
		{"organizations:\n  - \"[[Acme]]\"\n  - Granite Works", doc.Person{}, []doc.Person{{Org: "Acme"}, {Org: "Granite Works"}}},
	} {
		d := mustRead(t, "a.md", "---\n"+c.front+"\n---\ntext\n")
		if diff := cmp.Diff(c.author, d.Author); diff != "" {
			t.Errorf("%q: author (-want +got):\n%s", c.front, diff)
		}
		if diff := cmp.Diff(c.to, d.To); diff != "" {
			t.Errorf("%q: others (-want +got):\n%s", c.front, diff)
		}
	}
}

func TestDetect(t *testing.T) {
	for _, c := range []struct {
		name, head string
		mine       bool
	}{
		{"a.md", "text", true}, {"A.Markdown", "text", true}, {"a.mdx", "import x", true}, {"a.md", "", true},
		{"a.txt", "# heading", false}, {"README", "text", false}, {"README", "---\ntitle: x\n---\ntext", true},
		{"a.md", "PK\x03\x04rest", false}, {"a.md", "%PDF-1.7\n", false}, {"a.md", "ab\x00\x01\x00cd", false},
		{"a.md", "\x01\x02\x03\x04", false}, {"a.md", "\xff\xfeh\x00i\x00", true}, {"a.md", "h\x00i\x00 \x00y\x00", true},
		{"a.md", "caf\xe9", true}, {"a.html", "---\na: b\n---\n", false},
	} {
		if got := (markdown.Reader{}).Detect(input(c.name, c.head)) > 0; got != c.mine {
			t.Errorf("Detect(%s, %q) = %v, want %v", c.name, c.head, got, c.mine)
		}
	}
	big := input("a.md", "text")
	big.Size = markdown.MaxSize + 1
	if (markdown.Reader{}).Detect(big) != 0 {
		t.Error("a file over the limit was not left to another reader")
	}
}

func TestOutcomes(t *testing.T) {
	for _, text := range []string{"", "  \n\n", "\ufeff"} {
		if d, r := read(t, "a.md", text); d != nil || r.Outcome != doc.NoText || r.Reason == "" {
			t.Errorf("%q: %v, %+v", text, d, r)
		}
	}
	if d := mustRead(t, "a.md", "caf\xe9 na\xefve d\xe9j\xe0 vu\n"); d.Body != "café naïve déjà vu\n" {
		t.Errorf("Latin-1 gave %q", d.Body)
	}
	if d := mustRead(t, "a.md", "\xff\xfe#\x00 \x00h\x00i\x00"); d.Body != "# hi" || d.Title != "hi" {
		t.Errorf("UTF-16 gave %q", d.Body)
	}

	grown := strings.Repeat("words\n", markdown.MaxSize/6+10)
	d, r := read(t, "a.md", grown)
	if r.Outcome != doc.Partial || len(d.Body) != markdown.MaxSize {
		t.Errorf("a file that grew: %+v", r)
	}

	in := input("a.md", "text")
	in.Open = func() (doc.File, error) { return nil, fs.ErrPermission }
	if r, err := (markdown.Reader{}).Read(t.Context(), in, nil); err != nil || r.Outcome != doc.Failed {
		t.Errorf("a file that does not open: %+v, %v", r, err)
	}

	stop := errors.New("stop")
	if _, err := (markdown.Reader{}).Read(t.Context(), input("a.md", "text"), func(*doc.Document) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the error of emit came back as %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := (markdown.Reader{}).Read(ctx, input("a.md", "text"), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("the end of the context came back as %v", err)
	}
}

// TestHostileFrontMatter has shapes that take for ever when a parser goes back and forth.
func TestHostileFrontMatter(t *testing.T) {
	const n = 60000
	for _, front := range []string{
		strings.Repeat("[", n),
		"a: " + strings.Repeat("[", n/2) + strings.Repeat("]", n/2),
		"a: [" + strings.Repeat("[ \"", n/3) + "]",
		"a: [" + strings.Repeat("'", n) + "]",
		"a: \"" + strings.Repeat("\\\"", n/2),
		strings.Repeat("a: [\n", n/5),
		strings.Repeat("- ", n/2),
		"a:\n" + strings.Repeat(" - a:\n", n/7),
		strings.Repeat("a:\n ", n/4),
		strings.Repeat("a: \"\n", n/5),
	} {
		text := "---\n" + front + "\n---\nbody\n"
		start := time.Now()
		if d := mustRead(t, "a.md", text); !strings.HasSuffix(d.Body, "body\n") {
			t.Errorf("%.20q…: the text is gone", front)
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%.20q…: took %v", front, took)
		}
	}
}

// torn gives some bytes and then an error, as a failing disk does.
type torn struct{ doc.File }

func (f torn) Read(p []byte) (int, error) {
	n, err := f.File.Read(p)
	if err == io.EOF {
		err = errors.New("input/output error")
	}
	return n, err
}

func TestTornFile(t *testing.T) {
	in := input("a.md", "what could be read")
	open := in.Open
	in.Open = func() (doc.File, error) {
		f, err := open()
		return torn{f}, err
	}
	var body string
	r, err := markdown.Reader{}.Read(t.Context(), in, func(d *doc.Document) error { body = d.Body; return nil })
	if err != nil || r.Outcome != doc.Partial || body != "what could be read" {
		t.Errorf("%+v, %v, %q", r, err, body)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"---\ntitle: 'a''b'\ntags: [a, \"b\", [c], {d: e}]\nx: |\n  y\n---\n# T\n#tag", "+++\na = 1\n[extra]\nb = [1, 'x']\n+++\ntext",
		"---\n- a\n---\n", "---\na: [\"\n---\nb", "---\n'k': v\nauthors:\n - name: x\n   email: y\n---\nz", "\xff\xfea\x00", "---\n\ta: b\n---\nx",
		"---\na:\n  b:\n   - c:\n      d\n---\nx", "---\ndate: 2024-05-01\n---\n\n====\nx\n===",
	} {
		f.Add("notes/a.md", s)
	}
	f.Fuzz(func(t *testing.T, rel, text string) {
		d, report := read(t, rel, text)
		if d == nil {
			if report.Outcome == doc.OK || report.Reason == "" {
				t.Fatalf("no document, and %+v", report)
			}
			return
		}
		for _, s := range append([]string{d.Body, d.Title, d.Author.Name, d.Author.Email}, append(d.Tags, d.Aliases...)...) {
			if !utf8.ValidString(s) {
				t.Fatalf("invalid UTF-8 in %q", s)
			}
		}
		// What follows the front matter is there to the letter.
		cleaned := strings.ContainsFunc(text, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 || r == 0xfeff })
		if utf8.ValidString(text) && !cleaned && !strings.HasPrefix(text, "+++") {
			for line := range strings.SplitSeq(d.Body, "\n") {
				if !strings.Contains(text, line) {
					t.Fatalf("line %q is not in %q", line, text)
				}
			}
			if _, rest, ok := strings.Cut(text, "\n---\n"); ok && strings.TrimSpace(rest) != "" && !strings.HasSuffix(d.Body, rest) && !strings.Contains(text, "excalidraw") {
				t.Fatalf("the text %q does not end the body %q", rest, d.Body)
			}
		}
		if d.Line < 0 || d.Line > 1+strings.Count(text, "\n")+strings.Count(text, "\r") {
			t.Fatalf("line %d", d.Line)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	text := "---\ntitle: Budget Atlas 0001\ntags: [budget, atlas]\ndate: 2024-05-01\n---\n\n# Budget — Atlas 0001\n\n" +
		strings.Repeat("The deadline of the quarter was postponed after the review; see [[Reading List Iris]] and #budget.\n\n", 40)
	in := input("budget/0001.md", text)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := (markdown.Reader{}).Read(b.Context(), in, func(*doc.Document) error { return nil }); err != nil {
			b.Fatal(err)
		}
	}
}

// A few zeros that a fault has left in a note go, and the rest of it is taken in.
func TestStrayZeros(t *testing.T) {
	for _, text := range []string{"# List\n\nBuy milk, eggs and bread.\n", "# 会议\n\n和医生的预约改到星期五上午十点。\n"} {
		for at := range text {
			in := input("a.md", text[:at]+"\x00"+text[at:])
			if (markdown.Reader{}).Detect(in) == 0 {
				t.Fatalf("a zero at %d of %q: no Markdown", at, text)
			}
			if d, report := read(t, "a.md", text[:at]+"\x00"+text[at:]); report.Outcome != doc.OK || d.Body != text {
				t.Fatalf("a zero at %d: %+v, %+v", at, report, d)
			}
		}
	}
	if (markdown.Reader{}).Detect(input("a.md", strings.Repeat("word\x00word ", 100))) > 0 {
		t.Error("full of zeros, and taken")
	}
}

// A day that is none is no text either; what is said in words stays.
func TestNoSuchDay(t *testing.T) {
	for date, want := range map[string]string{
		"2024-02-30":   "# Locks\n",
		"2024-13-1":    "# Locks\n",
		`"2024-00-00"`: "# Locks\n",
		"last summer":  "date: last summer\n\n# Locks\n",
		"2024-Q3":      "date: 2024-Q3\n\n# Locks\n",
	} {
		d, report := read(t, "a.md", "---\ndate: "+date+"\n---\n# Locks\n")
		if d.Body != want || report.Outcome != doc.OK {
			t.Errorf("%s: %q, want %q", date, d.Body, want)
		}
	}
}
