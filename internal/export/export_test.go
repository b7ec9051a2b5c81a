package export_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/demo"
	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/export"
	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/ingest/interchange"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

var when = time.Date(2024, 5, 1, 9, 0, 0, 0, time.UTC)

// tb is what helpers need of a test or of a check of rapid.
type tb interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func must(t tb, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens the store in a folder, or without one a store in memory.
func open(t *testing.T, dir string) *store.Store {
	t.Helper()
	path := store.Memory
	if dir != "" {
		path = filepath.Join(dir, "memory.db")
	}
	s, err := store.Open(t.Context(), store.Options{Path: path})
	must(t, err)
	t.Cleanup(func() { _ = s.Close() })
	return s
}

func take(t *testing.T, f tb, s *store.Store, formats []ingest.Format, paths ...string) ingest.Summary {
	f.Helper()
	sum, err := ingest.Run(t.Context(), ingest.Options{Store: s, Formats: formats, Limits: ingest.DefaultLimits()}, paths)
	must(f, err)
	return sum
}

func lines(t *testing.T, f tb, s *store.Store, source string) string {
	f.Helper()
	var b bytes.Buffer
	n, err := export.Write(t.Context(), export.Options{Store: s, Source: source}, &b)
	must(f, err)
	if n.Bytes != int64(b.Len()) || n.Documents != strings.Count(b.String(), "\n") || n.Rebuilt+n.TooLong > 0 {
		f.Fatalf("%+v, %d bytes", n, b.Len())
	}
	return b.String()
}

// view lists everything that readers of a store can see.
func view(t *testing.T, f tb, s *store.Store) []string {
	f.Helper()
	var out []string
	for offset := 0; ; {
		page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 500, Offset: offset})
		must(f, err)
		for _, c := range page {
			d, err := s.Chunk(t.Context(), c.ChunkID, nil)
			must(f, err)
			c.RowID = 0
			slices.SortFunc(d.Entities, func(a, b store.EntityRef) int { return strings.Compare(a.EntityID, b.EntityID) })
			out = append(out, fmt.Sprintf("%+v prev=%s next=%s %+v", c, d.PrevChunkID, d.NextChunkID, d.Entities))
		}
		if offset += len(page); len(page) == 0 {
			break
		}
	}
	slices.Sort(out)
	return out
}

// back takes an export in elsewhere and compares: what readers see, and the export of that, byte by
// byte. Taken in where it came from it changes nothing.
func back(t *testing.T, f tb, dir string, from *store.Store) {
	f.Helper()
	text := lines(t, f, from, "")
	file := filepath.Join(dir, "elsewhere", "lines.jsonl")
	must(f, os.MkdirAll(filepath.Dir(file), 0o700))
	must(f, os.WriteFile(file, []byte(text), 0o600))
	to := open(t, "")
	defer to.Close()
	sum := take(t, f, to, nil, file)
	if text != "" && (sum.Outcomes[doc.OK] != 1 || sum.Added != strings.Count(text, "\n")) {
		f.Fatalf("%+v", sum)
	}
	if diff := cmp.Diff(text, lines(t, f, to, "")); diff != "" {
		f.Fatalf("the second export is another: %s", diff)
	}
	if diff := cmp.Diff(view(t, f, from), view(t, f, to)); diff != "" {
		f.Fatalf("another memory: %s", diff)
	}
	before := view(t, f, from)
	if sum := take(t, f, from, nil, file); sum.Added+sum.Replaced+sum.Removed > 0 {
		f.Fatalf("taken in where it came from: %+v", sum)
	}
	if diff := cmp.Diff(before, view(t, f, from)); diff != "" {
		f.Fatalf("taken in where it came from: %s", diff)
	}
}

// stated reads documents as they are, from JSON.
type stated struct{}

func (stated) Name() string             { return "stated" }
func (stated) Version() int             { return 1 }
func (stated) Detect(in *doc.Input) int { return 100 }
func (stated) Read(ctx context.Context, in *doc.Input, emit doc.Emit) (doc.Report, error) {
	f, err := in.Open()
	if err != nil {
		return doc.Report{}, err
	}
	defer f.Close()
	var ds []*doc.Document
	if err := json.NewDecoder(f).Decode(&ds); err != nil {
		return doc.Report{}, err
	}
	for _, d := range ds {
		if err := emit(d); err != nil {
			return doc.Report{}, err
		}
	}
	return doc.Report{Outcome: doc.OK}, nil
}

func anyone() *rapid.Generator[doc.Person] {
	return rapid.Custom(func(t *rapid.T) doc.Person {
		of := func(name string, list ...string) string { return rapid.SampledFrom(list).Draw(t, name) }
		return doc.Person{
			Name: of("name", "", "Ada Moreau", "Orlov, Dmitri", `Q "Quote" <x`, "@eve", "李 明", "a@b.org", " x  y "), Email: of("email", "", "", "ada@example.com", "bob@x", "odd address@x"),
			Handle: of("handle", "", "", "ada"), Phone: of("phone", "", "", "+1 555 0100"), Org: of("org", "", "", "Acme GmbH"),
		}
	})
}

func documents() *rapid.Generator[[]*doc.Document] {
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
			"A sentence about mortar. ", "See #tag and @ada or ada@example.com. ", "\n\n", "# Heading\n\n", "\n- item", "Is it so?", "<b>&\u2028\u0001", "預約改到星期五。", "  indented\n", "\r\n",
			strings.Repeat("Long text without an end, ", 80), strings.Repeat("x", 3000),
		}), 0, 14).Draw(t, "pieces"), "")
	})
	// Times that no clock of today shows are in memories, too.
	at := rapid.SampledFrom([]time.Time{when, when, when.Add(1500 * time.Microsecond), time.Date(1965, 3, 1, 0, 0, 0, 0, time.UTC), time.Unix(1714554, 0), time.Date(2300, 1, 1, 0, 0, 0, 0, time.UTC), {}})
	return rapid.Custom(func(t *rapid.T) []*doc.Document {
		var out []*doc.Document
		for i := range rapid.IntRange(1, 6).Draw(t, "documents") {
			d := &doc.Document{
				Kind: rapid.SampledFrom(doc.Kinds).Draw(t, "kind"), Owner: rapid.SampledFrom([]string{"", "me"}).Draw(t, "owner"),
				Key: fmt.Sprint("k", i), SourceRef: rapid.SampledFrom([]string{"", "a.md", "sub/b.md#L3", "https://x/1"}).Draw(t, "ref"),
				Title: rapid.SampledFrom([]string{"", "Plan & more", " Plan ", "Überschrift"}).Draw(t, "title"), Time: at.Draw(t, "time"), Markdown: rapid.Bool().Draw(t, "markdown"),
				Tags: rapid.SliceOfN(rapid.SampledFrom([]string{"work", "a  b", "q3/x"}), 0, 2).Draw(t, "tags"), Aliases: rapid.SliceOfN(rapid.SampledFrom([]string{"Other name", ""}), 0, 2).Draw(t, "aliases"),
				Author: anyone().Draw(t, "author"), To: rapid.SliceOfN(anyone(), 0, 3).Draw(t, "to"), Mentioned: rapid.SliceOfN(anyone(), 0, 2).Draw(t, "mentioned"),
			}
			d.SourceID = rapid.SampledFrom([]string{"", "x:one", "x:two & more"}).Draw(t, "source")
			if d.SourceID != "" {
				d.SourceID += string(d.Kind)
			}
			if rapid.IntRange(0, 3).Draw(t, "global") == 0 {
				d.GlobalKey = fmt.Sprint("g", i)
			}
			switch d.Kind {
			case doc.KindChat:
				authors := rapid.SliceOfN(anyone(), 1, 3).Draw(t, "authors")
				for range rapid.IntRange(1, 12).Draw(t, "messages") {
					d.Messages = append(d.Messages, doc.Message{
						Author: rapid.SampledFrom(authors).Draw(t, "who"), Time: at.Draw(t, "at"), Text: text.Draw(t, "text"), SourceRef: rapid.SampledFrom([]string{"", "m1", "m2"}).Draw(t, "message"),
					})
				}
			default:
				d.Body = text.Draw(t, "body")
				d.Line = rapid.IntRange(0, 3).Draw(t, "line")
				for n := range rapid.IntRange(0, 2).Draw(t, "places") {
					d.Places = append(d.Places, doc.Place{Offset: n * len(d.Body) / 2, Ref: fmt.Sprint("p.pdf#page=", n+1)})
				}
			}
			out = append(out, d)
		}
		return out
	})
}

func TestPropertyRoundTrip(t *testing.T) {
	formats := []ingest.Format{{Reader: stated{}, Kind: doc.KindDocument, Source: ingest.Folder}}
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		must(rt, os.Mkdir(filepath.Join(dir, "home"), 0o700))
		for i := range rapid.IntRange(1, 2).Draw(rt, "files") {
			ds := documents().Draw(rt, "documents")
			for _, d := range ds {
				d.Key = fmt.Sprint(i, d.Key)
			}
			b, err := json.Marshal(ds)
			must(rt, err)
			must(rt, os.WriteFile(filepath.Join(dir, "home", fmt.Sprint(i, ".txt")), b, 0o600))
		}
		s := open(t, "")
		defer s.Close()
		take(t, rt, s, formats, filepath.Join(dir, "home"))
		back(t, rt, dir, s)
	})
}

// TestRealInputs exports what real programs have written: the invented memory and what the readers'
// tests have of each format.
func TestRealInputs(t *testing.T) {
	dir := t.TempDir()
	home := filepath.Join(dir, "home")
	must(t, os.MkdirAll(filepath.Join(home, "demo"), 0o700))
	_, err := demo.Write(demo.Memory(), filepath.Join(home, "demo"))
	must(t, err)
	readers, err := filepath.Glob("../ingest/*/testdata")
	must(t, err)
	for _, r := range readers {
		must(t, os.CopyFS(filepath.Join(home, filepath.Base(filepath.Dir(r))), os.DirFS(r)))
	}
	must(t, os.RemoveAll(filepath.Join(home, "pdf"))) // they take long, and their texts are as others
	s := open(t, dir)
	take(t, t, s, nil, home)
	text := lines(t, t, s, "")
	for _, kind := range doc.Kinds {
		if !strings.Contains(text, `"source_kind":"`+string(kind)+`"`) {
			t.Errorf("no %s", kind)
		}
	}
	back(t, t, dir, s)
}

// TestElsewhereTheSame: the same files under another path, taken in once or twice, are the same export.
func TestElsewhereTheSame(t *testing.T) {
	var want string
	for i, path := range []string{"a/notes", "b/deep/er/notes", "c/notes"} {
		dir := t.TempDir()
		home := filepath.Join(dir, filepath.FromSlash(path))
		must(t, os.MkdirAll(home, 0o700))
		_, err := demo.Write(demo.Memory(), home)
		must(t, err)
		must(t, filepath.WalkDir(home, func(p string, _ os.DirEntry, err error) error { return errors.Join(err, os.Chtimes(p, when, when)) }))
		s := open(t, dir)
		for range i + 1 {
			take(t, t, s, nil, home)
		}
		got := lines(t, t, s, "")
		if i == 0 {
			want = got
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		if strings.Contains(got, filepath.ToSlash(dir)) {
			t.Error("the path shows")
		}
	}
}

func TestOneSource(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.jsonl")
	var all []string
	for _, id := range []string{"n:a", "n:b"} {
		all = append(all, fmt.Sprintf(`{"source_kind":"document","source_id":%q,"payload":{"title":"t","body":"In %s.","modified_at":1714554000000}}`, id, id))
	}
	must(t, os.WriteFile(file, []byte(strings.Join(all, "\n")), 0o600))
	s := open(t, dir)
	take(t, t, s, nil, file)
	a, b := lines(t, t, s, "n:a"), lines(t, t, s, "n:b")
	if a == b || a+b != lines(t, t, s, "") || !strings.Contains(a, "In n:a.") {
		t.Errorf("%s\n%s", a, b)
	}
	if _, err := export.Write(t.Context(), export.Options{Store: s, Source: "n:c"}, &bytes.Buffer{}); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("%v", err)
	}
	if n, err := export.Write(t.Context(), export.Options{Store: open(t, t.TempDir())}, &bytes.Buffer{}); err != nil || n.Documents != 0 {
		t.Errorf("empty: %+v, %v", n, err)
	}
}

// full is a disk without room.
type full struct{ left int }

func (f *full) Write(b []byte) (int, error) {
	if f.left -= len(b); f.left < 0 {
		return 0, errors.New("no space left on device")
	}
	return len(b), nil
}

func TestNoRoomAndInterruption(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "x.jsonl")
	var b strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&b, `{"source_kind":"document","source_id":"n:a","payload":{"title":"t%d","body":%q,"modified_at":1714554000000}}`+"\n", i, strings.Repeat("word ", 100))
	}
	must(t, os.WriteFile(file, []byte(b.String()), 0o600))
	s := open(t, dir)
	take(t, t, s, nil, file)
	if _, err := export.Write(t.Context(), export.Options{Store: s}, &full{500_000}); err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	told := 0
	_, err := export.Write(ctx, export.Options{Store: s, Progress: func(n export.Counts) {
		if told++; n.Documents >= 1000 {
			cancel()
		}
	}}, &bytes.Buffer{})
	if !errors.Is(err, context.Canceled) || told != 2 {
		t.Errorf("%v after %d", err, told)
	}
	// A reader holds nothing once it has ended: the store takes more.
	must(t, s.Update(t.Context(), func(tx *store.Tx) error { return tx.SetMeta("k", "v") }))
}

// TestWritersGoOn: an export is of one instant, and nobody waits for it.
func TestWritersGoOn(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	line := func(i int) string {
		return fmt.Sprintf(`{"source_kind":"document","source_id":"n:a","payload":{"title":"t%d","body":"b%d","modified_at":%d}}`, i, i, when.UnixMilli()-int64(i))
	}
	put := func(i int) {
		ds, err := interchange.ParseWhole([]byte(line(i)))
		must(t, err)
		_, err = ingest.Take(t.Context(), ingest.TakeOptions{Store: s}, ds)
		must(t, err)
	}
	for i := range 600 {
		put(i)
	}
	var b bytes.Buffer
	n, err := export.Write(t.Context(), export.Options{Store: s, Progress: func(export.Counts) { put(1000) }}, &b)
	must(t, err)
	if n.Documents != 600 || strings.Contains(b.String(), "b1000") || !strings.Contains(lines(t, t, s, ""), "b1000") {
		t.Errorf("%+v", n)
	}
}
