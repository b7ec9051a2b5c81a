package origin_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/chunk"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/origin"
)

var when = time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)

// texts are made of what chunks are cut at.
func texts(least, most int) *rapid.Generator[string] {
	piece := rapid.SampledFrom([]string{
		"A sentence about mortar. ", "word ", "Is it so? ", "\n", "\n\n", " \n\t\n", "   ", "    indented\n", "# Heading\n", "## Sub\n\n", "Title\n=====\n", "- item\n", "> quote\n", "| a | b |\n", "```\n", "~~~\n",
		strings.Repeat("Long text without an end, ", 60), strings.Repeat("x", 900), strings.Repeat("漢字かな。", 80), strings.Repeat("line of a poem\n", 40), strings.Repeat(" ", 300), "é\u0301", "👍🏽", "\u3000", "\r", "name: ", "Ada: ", "?",
	})
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(piece, least, most).Draw(t, "pieces"), "")
	})
}

func person() *rapid.Generator[doc.Person] {
	some := func(list ...string) *rapid.Generator[string] { return rapid.SampledFrom(append(list, "")) }
	return rapid.Custom(func(t *rapid.T) doc.Person {
		return doc.Person{
			Name: some("Ada", "Ada Moreau", "Moreau, Ada", strings.Repeat("Long ", 50), " x  y ").Draw(t, "name"), Email: some("ada@example.com", "b@x").Draw(t, "email"),
			Handle: some("ada").Draw(t, "handle"), Phone: some("+1 555 0100").Draw(t, "phone"), Org: some("Acme").Draw(t, "org"),
		}
	})
}

func document() *rapid.Generator[*doc.Document] {
	return rapid.Custom(func(t *rapid.T) *doc.Document {
		d := &doc.Document{
			SourceID: "s:x", Kind: rapid.SampledFrom(doc.Kinds).Draw(t, "kind"), Key: "k", Title: rapid.SampledFrom([]string{"", "Plan", " Plan ", "A title: that says all?"}).Draw(t, "title"),
			SourceRef: rapid.SampledFrom([]string{"", "a.md", "a.md#L3", "mid:x", "p.pdf#page=1"}).Draw(t, "ref"), Time: when, Markdown: rapid.Bool().Draw(t, "markdown"),
			Author: person().Draw(t, "author"), To: rapid.SliceOfN(person(), 0, 3).Draw(t, "to"), Mentioned: rapid.SliceOfN(person(), 0, 2).Draw(t, "mentioned"),
			Aliases: rapid.SliceOfN(rapid.SampledFrom([]string{"one", "two"}), 0, 2).Draw(t, "aliases"),
		}
		if d.Kind != doc.KindChat {
			d.Body = texts(0, 40).Draw(t, "body")
			d.Line = rapid.IntRange(0, 5).Draw(t, "line")
			at := 0
			for range rapid.IntRange(0, 3).Draw(t, "places") {
				at += rapid.IntRange(0, 1+len(d.Body)/2).Draw(t, "offset")
				d.Places = append(d.Places, doc.Place{Offset: min(at, len(d.Body)), Ref: "p.pdf#page=" + strings.Repeat("i", len(d.Places)+1)})
			}
			return d
		}
		authors := rapid.SliceOfN(person(), 1, 4).Draw(t, "authors")
		at := when.Add(time.Duration(rapid.IntRange(0, 1000).Draw(t, "first")) * time.Second)
		for range rapid.IntRange(1, 30).Draw(t, "messages") {
			at = at.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 60, 5000, 90000}).Draw(t, "pause")) * time.Second)
			m := doc.Message{Author: rapid.SampledFrom(authors).Draw(t, "who"), Time: at, Text: texts(0, 12).Draw(t, "text"), SourceRef: rapid.SampledFrom([]string{"", "m"}).Draw(t, "ref")}
			if rapid.IntRange(0, 20).Draw(t, "undated") == 0 {
				m.Time = time.Time{}
			}
			d.Messages = append(d.Messages, m)
		}
		return d
	})
}

// again puts a document through Encode and Decode, with what the store would tell of it.
func again(t interface{ Fatal(...any) }, d *doc.Document) (*doc.Document, []byte, bool) {
	cs := chunk.Split("id", d)
	var content []string
	var stored []origin.Chunk
	for _, c := range cs {
		content = append(content, c.Text)
		stored = append(stored, origin.Chunk{Text: c.Text, Author: c.Author, SourceRef: c.SourceRef, Time: c.Time})
	}
	kept, err := origin.Encode(d, content)
	if err != nil {
		t.Fatal(err)
	}
	out := &doc.Document{
		SourceID: d.SourceID, Kind: d.Kind, Owner: d.Owner, Tags: d.Tags, Key: d.Key, SourceRef: d.SourceRef, Title: strings.TrimSpace(d.Title),
		Author: doc.Person{Name: d.Author.String()}, Time: time.UnixMilli(d.Time.UnixMilli()).UTC(),
	}
	exact := origin.Decode(kept, out, stored)
	return out, kept, exact
}

// TestPropertyComesBack: what comes back gives the same chunks, names the same people, and would be kept
// in the same bytes.
func TestPropertyComesBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := document().Draw(rt, "document")
		before := chunk.Split("id", d)
		if len(before) == 0 {
			return
		}
		got, kept, exact := again(rt, d)
		if !exact {
			rt.Fatalf("not exact: %s", kept)
		}
		if strings.Contains(string(kept), `"w":{`) {
			rt.Fatalf("the text is kept a second time: %s", kept)
		}
		if diff := cmp.Diff(before, chunk.Split("id", got)); diff != "" {
			rt.Fatalf("other chunks: %s\nkept %s", diff, kept)
		}
		somebody := func(in []doc.Person) []doc.Person {
			return slices.DeleteFunc(slices.Clone(in), func(p doc.Person) bool { return p == doc.Person{} })
		}
		if diff := cmp.Diff(somebody(d.To), got.To, equateEmpty) + cmp.Diff(somebody(d.Mentioned), got.Mentioned, equateEmpty) + cmp.Diff(d.Author, got.Author) + cmp.Diff(d.Aliases, got.Aliases, equateEmpty); diff != "" {
			rt.Fatal(diff)
		}
		if d.Kind == doc.KindChat {
			if diff := cmp.Diff(len(d.Messages), len(got.Messages)); diff != "" {
				rt.Fatal(diff)
			}
			for i, m := range d.Messages {
				if g := got.Messages[i]; g.Author != m.Author || !g.Time.Equal(m.Time) || g.SourceRef != m.SourceRef ||
					strings.TrimSpace(m.Text) != "" && g.Text != strings.Trim(m.Text, "\n") {
					rt.Fatalf("message %d: %+v, was %+v", i, g, m)
				}
			}
		}
		once, keptAgain, _ := again(rt, got)
		if string(kept) != string(keptAgain) {
			rt.Fatalf("kept %s, then %s", kept, keptAgain)
		}
		if diff := cmp.Diff(got, once); diff != "" {
			rt.Fatal(diff)
		}
	})
}

var equateEmpty = cmp.FilterValues(func(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	return x.IsValid() && y.IsValid() && x.Kind() == reflect.Slice && x.Len() == 0 && y.Kind() == reflect.Slice && y.Len() == 0
}, cmp.Ignore())

// TestFields fails when a document can say something new: decide whether it is kept, and whether export
// writes it.
func TestFields(t *testing.T) {
	var got []string
	for f := range reflect.TypeFor[doc.Document]().Fields() {
		got = append(got, f.Name)
	}
	want := []string{
		"Kind", "Owner", "SourceID", "Tags", "Key", "GlobalKey", "Identity", "SourceRef", "Title", "Time", // of the store
		"Longest", // decides between files, of which one is left
		"Author", "To", "Mentioned", "Aliases", "Markdown", "Line", "Places", "Body", "Messages",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNothingKept: what an earlier version took in is put together from its chunks.
func TestNothingKept(t *testing.T) {
	for name, c := range map[string]struct {
		d      doc.Document
		chunks []origin.Chunk
		want   doc.Document
	}{
		"document": {doc.Document{Kind: doc.KindDocument, Title: "T", Author: doc.Person{Name: "Ada"}}, []origin.Chunk{{Text: "one"}, {Text: "two"}},
			doc.Document{Kind: doc.KindDocument, Title: "T", Author: doc.Person{Name: "Ada"}, Markdown: true, Body: "one\n\ntwo"}},
		"mail": {doc.Document{Kind: doc.KindEmail, Title: "T", Author: doc.Person{Name: "a@x.org"}}, []origin.Chunk{{Text: "T"}},
			doc.Document{Kind: doc.KindEmail, Title: "T", Author: doc.Person{Email: "a@x.org"}}},
		"chat": {doc.Document{Kind: doc.KindChat}, []origin.Chunk{{Text: "Ada: hello\nmore: of it\nBob: yes", Author: "Ada, Bob", SourceRef: "m1", Time: when}, {Text: "Bob: later", Author: "Bob", Time: when.Add(time.Hour)}},
			doc.Document{Kind: doc.KindChat, Messages: []doc.Message{
				{Author: doc.Person{Name: "Ada"}, Time: when, Text: "hello\nmore: of it", SourceRef: "m1"}, {Author: doc.Person{Name: "Bob"}, Time: when, Text: "yes"}, {Author: doc.Person{Name: "Bob"}, Time: when.Add(time.Hour), Text: "later"},
			}}},
	} {
		for _, kept := range []string{"", "{", `{"g":["","",""],"c":{"w":[1]}}`, `{"c":{"w":[0],"t":[0],"n":[900]},"s":[{"x":1}]}`, `{"c":{"w":[0],"t":[0],"n":[-9]},"s":[{"x":1}]}`} {
			d := c.d
			if exact := origin.Decode([]byte(kept), &d, c.chunks); exact && name == "chat" {
				t.Errorf("%s, %q: exact", name, kept)
			}
			if kept == "" && !cmp.Equal(c.want, d) {
				t.Errorf("%s: %s", name, cmp.Diff(c.want, d))
			}
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"c":{"w":[0,1],"t":[0,5],"n":[3,-2],"g":{"1":["","\n",""]}},"s":[{"n":"Ada","x":5},{"x":0}]}`), "Ada: one\nx", "Ada: two")
	f.Add([]byte(`{"g":["\n"],"l":4,"p":[{"o":3,"r":"p"}],"x":" "}`), "one", "two")
	f.Fuzz(func(t *testing.T, kept []byte, a, b string) {
		for _, kind := range doc.Kinds {
			d := doc.Document{Kind: kind, Time: when}
			origin.Decode(kept, &d, []origin.Chunk{{Text: a, Author: "Ada"}, {Text: b}})
		}
	})
}
