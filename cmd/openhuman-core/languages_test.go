package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/config"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// reading is how a memory reads its texts.
type reading struct {
	Vectors   map[string][]string // of each text
	Glosses   map[string][]string // texts by words of their translation
	Summaries []string
}

// reading returns how the texts of the memory are read, for whatever order they came in.
func (s *session) reading(words ...string) (r reading) {
	s.t.Helper()
	m, err := store.Open(s.t.Context(), store.Options{Path: filepath.Join(s.dir, "memory", "memory.db"), ReadOnly: true})
	if err != nil {
		s.t.Fatal(err)
	}
	defer m.Close()
	check := func(err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatal(err)
		}
	}
	chunks, _, err := m.ListChunks(s.t.Context(), store.ListQuery{Limit: 1000})
	check(err)
	texts := map[int64]string{}
	for _, c := range chunks {
		texts[c.RowID] = c.Content
	}
	r.Vectors, r.Glosses = map[string][]string{}, map[string][]string{}
	models := map[int64]string{}
	_, err = m.Vectors(s.t.Context(), store.VectorState{}, store.VectorChanges{
		Models: func(list map[int64]store.ModelVectors) error {
			for id, x := range list {
				models[id] = x.Fingerprint
			}
			return nil
		},
		Vector: func(v *store.StoredVector) error {
			text := texts[v.Chunk]
			r.Vectors[text] = append(r.Vectors[text], fmt.Sprintf("%s %x", models[v.Model], v.Data))
			return nil
		},
		Dead: func(int64) error { return nil },
	})
	check(err)
	for _, w := range words {
		hits, err := m.SearchAny(s.t.Context(), store.AnyQuery{
			Terms: []store.AnyTerm{{Match: `"` + w + `"`}}, Glosses: true, Limit: 1000, Candidates: 1000,
			Scorer: func([]int, int) func(*store.Chunk) float64 {
				return func(c *store.Chunk) float64 { return float64(len(c.Content)) + float64(c.Content[0])/256 }
			},
		})
		check(err)
		found := []string{}
		for _, h := range hits {
			found = append(found, h.Content)
		}
		r.Glosses[w] = found
	}
	list, err := m.PendingSummaries(s.t.Context(), []string{"-"}, 0, 1000)
	check(err)
	for _, x := range list {
		r.Summaries = append(r.Summaries, fmt.Sprintf("%s %q", x.Title, x.Content))
	}
	slices.Sort(r.Summaries)
	return r
}

// TestReadingInAnyOrder: whatever comes first, notes that speak of people by their names, what tells that these are
// names, or the person's own words, the memory reads all texts alike in the end; and as if what went had never
// been there.
func TestReadingInAnyOrder(t *testing.T) {
	mail := func(from, id, body string) string {
		return "From: " + from + "\nTo: me@example.com\nSubject: 你好\nMessage-ID: <" + id + "@example.com>\nDate: Wed, 1 May 2024 10:00:00 +0800\n" +
			"Content-Type: text/plain; charset=utf-8\n\n" + body + "\n"
	}
	note := func(day int, body string) string { return fmt.Sprintf("---\ndate: 2024-05-%02d\n---\n%s\n", day, body) }
	files := map[string]string{
		"notes/a.md":   note(2, "小丽说周六来我们家吃饺子，让我多买一点韭菜。"),
		"notes/b.md":   note(3, "小麗的生日在六月，記得訂一個蛋糕。"),
		"notes/c.md":   note(4, "田中さんは駅の前で待っています。"),
		"notes/d.md":   note(5, "阿鲲明天上午来开会，讨论新的预算。"),
		"notes/e.md":   note(6, "The roof over the kitchen leaks when it rains for long."),
		"notes/f.md":   note(7, "房东答应下周修好漏水的屋顶。"),
		"notes/g.md":   note(8, "小丽和阿鲲一起去看了新房子。"),
		"mail/one.eml": mail("王小丽 <xiaoli@example.com>", "one", "我周六早上八点到。"),
		// A name that is a word too.
		"notes/h.md":    note(1, "天上有几朵白云飘过山顶。"),
		"mail/four.eml": mail("白云 <by@example.com>", "four", "好的。"),
		"mail/two.eml":  mail("田中太郎 <tanaka@example.jp>", "two", "見積書は来週の月曜日に届きます。"),
	}
	var more []string
	for i := range 20 {
		name := fmt.Sprintf("notes/more%02d.md", i)
		more = append(more, name)
		files[name] = note(9+i, fmt.Sprintf("小丽第%d次去看房东的花园。屋顶还在漏水，水管工说下周来修。", i))
	}
	words := []string{"small", "beauti", "rice", "field", "walrus", "roof", "cloud", "小丽", "田中"}
	type step struct {
		name string
		do   func(s *session)
	}
	ingest := func(s *session) { s.run(0, "ingest", filepath.Join(s.dir, "home")) }
	put := func(names ...string) step {
		return step{strings.Join(names, " "), func(s *session) {
			for _, n := range names {
				path := filepath.Join(s.dir, "home", filepath.FromSlash(n))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(files[n]), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			ingest(s)
		}}
	}
	explain := step{"glosses", func(s *session) {
		path := filepath.Join(s.dir, "memory", "glosses.tsv")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("阿鯤\twalrus tamer\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(s.dir, "memory", "memory.db")); err == nil {
			s.run(0, "embed")
		}
	}}
	unread := step{"without embedding", func(s *session) {
		if err := os.MkdirAll(filepath.Join(s.dir, "home"), 0o700); err != nil {
			t.Fatal(err)
		}
		s.run(0, "ingest", "--no-embed", filepath.Join(s.dir, "home"))
	}}
	// Somebody of whom the notes speak comes and goes.
	passing := step{"somebody passing", func(s *session) {
		path := filepath.Join(s.dir, "home", "mail", "three.eml")
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(mail("房东 <f@example.com>, 周六来 <z@example.com>", "three", "Hello.")), 0o600); err != nil {
			t.Fatal(err)
		}
		ingest(s)
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.dir, "home", "empty.md"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		ingest(s)
	}}
	steps := []step{
		put("notes/a.md", "notes/c.md", "notes/e.md"), put("notes/b.md", "notes/d.md"), put("notes/f.md", "notes/g.md"),
		put(more...), put("mail/one.eml"), put("mail/two.eml"), put("mail/four.eml"), put("notes/h.md"), explain, unread, passing,
	}
	var want reading
	for round := range uint64(4) {
		s := newSession(t)
		order := rand.New(rand.NewPCG(round, 0)).Perm(len(steps))
		var names []string
		for _, i := range order {
			names = append(names, steps[i].name)
			steps[i].do(s)
		}
		ingest(s)
		got := s.reading(words...)
		if round == 0 {
			want = got
			if len(got.Vectors) != len(files) || len(got.Summaries) == 0 || len(got.Glosses["walrus"]) != 2 || len(got.Glosses["small"]) != 0 ||
				len(got.Glosses["rice"]) != 0 || len(got.Glosses["roof"]) != 21 || len(got.Glosses["cloud"]) != 1 {
				t.Fatalf("%d texts, %d summaries, %q", len(got.Vectors), len(got.Summaries), got.Glosses)
			}
			continue
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-want +got):\n%s", names, d)
		}
	}
}

// A run in which no file has changed says what it does nevertheless.
func TestReadingAnewIsSaid(t *testing.T) {
	s := newSession(t)
	dir := filepath.Join(s.dir, "home")
	glosses := filepath.Join(s.dir, "memory", "glosses.tsv")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(dir, "a.md"), "阿鲲明天上午来开会。\n")
	if out, _ := s.run(0, "ingest", dir); strings.Contains(out, "anew") {
		t.Error(out)
	}
	write(glosses, "阿鯤\twalrus tamer\n")
	out, _ := s.run(0, "ingest", dir)
	if !strings.Contains(out, "No file has changed") || !strings.Contains(out, "Reading 1 chunk anew, for words that glosses.tsv explains in another way now") {
		t.Error(out)
	}
	write(glosses, "阿鯤\tsea lion tamer\n")
	if out, _ := s.run(0, "ingest", "--json", dir); !strings.Contains(out, `"chunks_renewed":1`) {
		t.Error(out)
	}
	write(glosses, "阿鯤\tseal tamer\n")
	if out, _ := s.run(0, "embed"); !strings.Contains(out, "Reading 1 chunk anew") {
		t.Error(out)
	}
	if out, _ := s.run(0, "ingest", dir); !strings.Contains(out, "Nothing has changed") || strings.Contains(out, "anew") {
		t.Error(out)
	}
	// Without embedding the words are read at once, and what is left is said until it is done.
	write(glosses, "阿鯤\totter tamer\n")
	out, _ = s.run(0, "ingest", "--no-embed", dir)
	if !strings.Contains(out, "Read 1 chunk anew") || !strings.Contains(out, "Recall finds 1 chunk by the words in them, and by meaning only roughly, until you run: openhuman-core embed") {
		t.Error(out)
	}
	if d := cmp.Diff(map[string][]string{"otter": {"阿鲲明天上午来开会。"}, "seal": {}}, s.reading("otter", "seal").Glosses); d != "" {
		t.Error(d)
	}
	if out, _ := s.run(0, "ingest", "--no-embed", "--json", dir); !strings.Contains(out, `"pending":1`) {
		t.Error(out)
	}
	if out, _ := s.run(0, "status", "--json"); !strings.Contains(out, `"chunks_to_embed": 1`) {
		t.Error(out)
	}
	s.run(0, "embed")
	if out, _ := s.run(0, "ingest", "--no-embed", dir); strings.Contains(out, "openhuman-core embed") {
		t.Error(out)
	}
}

// A file of words that has not changed is not read for texts that do not need it, and what is wrong with it is
// said nevertheless.
func TestUnchangedGlossesAreNotRead(t *testing.T) {
	s := newSession(t)
	dir := s.notes(1)
	cfg := config.Defaults()
	cfg.Workspace = filepath.Join(s.dir, "memory")
	path := glossFile(cfg)
	if err := os.MkdirAll(cfg.Workspace, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("阿鲲\twalrus tamer\nno tab\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	learn := func() (w writers, bad error) {
		t.Helper()
		w, err := loadWriters(cfg)
		if err != nil {
			t.Fatal(err)
		}
		m, err := store.Open(context.Background(), store.Options{Path: storePath(cfg)})
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if _, bad, err = w.learn(t.Context(), cfg, m, time.Now()); err != nil {
			t.Fatal(err)
		}
		return w, bad
	}
	// read reports whether w reads the file from now on: it is another by now.
	read := func(w writers) bool {
		t.Helper()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := os.WriteFile(path, []byte("阿鲲\twalrus tamer\nno tab\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, old, old); err != nil {
				t.Fatal(err)
			}
		}()
		return len(w.glosses.read().own) == 1
	}
	s.run(0, "ingest", "--no-embed", dir)
	w, bad := learn()
	if bad == nil || !strings.Contains(bad.Error(), "line 2 has no tab") {
		t.Errorf("what is wrong: %v", bad)
	}
	if read(w) {
		t.Error("the file was read again although it is as it was")
	}
	if err := os.Chtimes(path, old.Add(time.Second), old.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	if w, _ := learn(); !read(w) {
		t.Error("a changed file was not read")
	}
}
