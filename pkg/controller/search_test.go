package controller_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
)

// A note is a document of one chunk.
type note struct {
	id, source, kind, author, title, text, day string
	tags                                       []string
}

// searchable returns a controller over a store in memory that holds the notes.
func searchable(t testing.TB, p *policy.Policy, notes ...note) *controller.Controller {
	t.Helper()
	st, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	putNotes(t, st, notes...)
	return controller.New(controller.Options{Store: st, Policy: p})
}

// fataler is what testing and rapid share.
type fataler interface {
	Helper()
	Fatal(...any)
}

func putNotes(t fataler, st *store.Store, notes ...note) {
	t.Helper()
	ctx := context.Background()
	err := st.Update(ctx, func(tx *store.Tx) error {
		for i, n := range notes {
			n.source, n.kind = or(n.source, "notes:work"), or(n.kind, "document")
			at, err := time.Parse(time.DateOnly, or(n.day, "2024-05-01"))
			if err != nil {
				return err
			}
			head := strings.TrimSpace(n.title + " " + n.author)
			id := or(n.id, fmt.Sprintf("n%04d", i))
			if _, _, err := tx.PutDocument(store.DocumentRecord{
				Source: store.SourceMeta{SourceID: n.source, Kind: n.kind}, Identity: id, Title: n.title, Author: n.author,
				TimestampMS: at.UnixMilli(), Tags: n.tags, Hash: sha256.Sum256([]byte(id + n.text)),
				Chunks: []store.ChunkRecord{{
					ChunkID: id, Title: n.title, Author: n.author, Context: head, Content: n.text, Tags: n.tags,
					TimestampMS: at.UnixMilli(), TokenCount: text.EstimateTokens(n.text),
					Index: store.IndexText{
						Head: string(text.AppendIndex(nil, head)), Body: string(text.AppendIndex(nil, n.text)),
						Extra: string(text.AppendExtra(nil, n.text)),
					},
				}},
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = st.Finish(ctx)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

func ids(rows []controller.Row) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, r.ChunkID)
	}
	return out
}

func search(t testing.TB, c *controller.Controller, query string, k int) controller.SearchResult {
	t.Helper()
	res, err := c.Search(t.Context(), controller.SearchParams{Query: query, K: k})
	if err != nil {
		t.Fatalf("search %q: %v", query, err)
	}
	checkRows(t, query, res.Chunks)
	return res
}

// checkRows checks what holds for every ranked list.
func checkRows(t interface {
	Helper()
	Errorf(string, ...any)
}, query string, rows []controller.Row) {
	t.Helper()
	if rows == nil {
		t.Errorf("%q: the list is null", query)
	}
	for i, r := range rows {
		if n := utf8.RuneCountInString(r.Preview); n > controller.MaxPreviewRunes {
			t.Errorf("%q: a preview of %d characters", query, n)
		}
		if r.Score < 0 || r.Score > 1 {
			t.Errorf("%q: score %v", query, r.Score)
		}
		if i == 0 {
			continue
		}
		a := rows[i-1]
		if a.Score < r.Score || a.Score == r.Score && (a.TimestampMS < r.TimestampMS || a.TimestampMS == r.TimestampMS && a.ChunkID >= r.ChunkID) {
			t.Errorf("%q: row %d (%s, %v, %d) after (%s, %v, %d)", query, i, r.ChunkID, r.Score, r.TimestampMS, a.ChunkID, a.Score, a.TimestampMS)
		}
	}
}

var searchNotes = []note{
	{id: "plan", title: "Migration plan", author: "Alice Moreau", text: "We move the billing database on Friday. Ticket POL-358 has the details, worker3 goes first.", day: "2024-05-02", tags: []string{"infra"}},
	{id: "retro", author: "Bob Stone", text: "The migration ran late; meetings were running long. Closed POL-359 and v1.0.21.", day: "2024-06-10"},
	{id: "mail", source: "gmail:a@x", kind: "email", author: "Zoë Kraus", title: "Crème brûlée", text: "Recipe for the crème brûlée, mail me at zoe@example.org.", day: "2024-05-03"},
	{id: "chat", source: "slack:#eng", kind: "chat", author: "Alice Moreau", text: "Alice Moreau: getUserName is in snake_case now, see C:\\Users\\x\\notes", day: "2024-05-01"},
	{id: "zh", text: "我们在里斯本开会，讨论个人记忆库的检索。重跑gen-itgc后再发布。", day: "2023-11-20"},
	{id: "ru", text: "Мы решили перенести базу данных в пятницу. Ёлка.", day: "2023-11-21"},
	{id: "th", text: "ฉันชอบภาษาไทยมาก", day: "2023-11-22"},
	{id: "long", text: strings.Repeat("filler sentence about nothing in particular. ", 150) + "The last word is xylophone.", day: "2022-01-01"},
}

func TestSearch(t *testing.T) {
	c := searchable(t, nil, searchNotes...)
	for _, tt := range []struct {
		query string
		want  []string // in any order
	}{
		{"migration billing", []string{"plan", "retro"}},
		{"+migration billing Friday ticket details", []string{"plan", "retro"}},
		{"migrations", []string{"plan", "retro"}},
		{"meeting run", []string{"retro"}},
		{"POL-358", []string{"plan", "retro"}},
		{`"POL-358"`, []string{"plan"}},
		{"pol", []string{"plan", "retro"}},
		{"358", []string{"plan"}},
		{"POL-35*", []string{"plan", "retro"}},
		{"worker", []string{"plan"}},
		{"worker3", []string{"plan"}},
		{"v1.0.21", []string{"retro"}},
		{"1.0.21", []string{"retro"}},
		{"getUser", []string{"chat"}},
		{"userName", []string{"chat"}},
		{"snake_case", []string{"chat"}},
		{"user name", []string{"chat"}},
		{`C:\Users\x\notes`, []string{"chat"}},
		{"zoe@example.org", []string{"mail"}},
		{"zoe", []string{"mail"}},
		{"ZOË", []string{"mail"}},
		{"creme brulee", []string{"mail"}},
		{`"creme brulee, mail"`, []string{"mail"}},
		{`"brulee creme"`, []string{}},
		{"migrat*", []string{"plan", "retro"}},
		{"migration -late", []string{"plan"}},
		{`migration -"ran late"`, []string{"plan"}},
		{"migration from:bob", []string{"retro"}},
		{"from:alice", []string{"plan", "chat"}},
		{"from:\"alice moreau\" kind:chat", []string{"chat"}},
		{"migration after:2024-06-10", []string{"retro"}},
		{"migration before:2024-06-09", []string{"plan"}},
		{"after:2024-06-10 before:2024-06-10", []string{"retro"}},
		{"before:2023", []string{"long", "zh", "ru", "th"}},
		{"after:2024-05-03 before:2024-05-04", []string{"mail"}},
		{"source:gmail", []string{"mail"}},
		{"source:#eng", []string{"chat"}},
		{"tag:INFRA", []string{"plan"}},
		{"-from:alice -kind:document", []string{"mail"}},
		{"里斯本", []string{"zh"}},
		{"记忆", []string{"zh"}},
		{"库", []string{"zh"}},
		{"记库", []string{}},
		{"gen", []string{"zh"}},
		{"gen-itgc", []string{"zh"}},
		{"后再", []string{"zh"}},
		{"елка", []string{"ru"}},
		{"данных", []string{"ru"}},
		{"ภาษา", []string{"th"}},
		{"xylophone", []string{"long"}},
		{"NEAR", []string{}},
		{`") OR (content:"`, []string{}},
		{"???", []string{}},
	} {
		res := search(t, c, tt.query, 50)
		got := ids(res.Chunks)
		slices.Sort(got)
		want := slices.Sorted(slices.Values(tt.want))
		if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b []string) bool { return slices.Equal(a, b) })); diff != "" {
			t.Errorf("%s: got %v, want %v", tt.query, got, want)
		}
		if (len(got) == 0) != (res.Hint != "") {
			t.Errorf("%s: %d rows, hint %q", tt.query, len(got), res.Hint)
		}
		for _, r := range res.Chunks {
			if !strings.Contains(tt.query, ":") && !slices.Equal(r.Matched, []string{"keyword"}) {
				t.Errorf("%s: matched %v", tt.query, r.Matched)
			}
		}
	}
}

func TestSearchRanksTheHeadHigher(t *testing.T) {
	filler := strings.Repeat("other words stand here as well ", 5)
	c := searchable(t, nil,
		note{id: "body", text: "budget " + filler}, note{id: "title", title: "Budget", text: "numbers " + filler}, note{id: "none", text: filler})
	if diff := cmp.Diff([]string{"title", "body"}, ids(search(t, c, "budget", 0).Chunks)); diff != "" {
		t.Error(diff)
	}
	// All of the words stand before some of the words, whatever the numbers are.
	c = searchable(t, nil, note{id: "some", title: "Budget budget", text: "budget budget budget"}, note{id: "all", text: "budget " + filler + "review"})
	if diff := cmp.Diff([]string{"all", "some"}, ids(search(t, c, "budget review", 0).Chunks)); diff != "" {
		t.Error(diff)
	}
}

func TestSearchPages(t *testing.T) {
	var notes []note
	for i := range 120 {
		notes = append(notes, note{text: "equal words everywhere", day: fmt.Sprintf("2024-%02d-01", 1+i%12)})
		notes = append(notes, note{text: fmt.Sprintf("words %d", i)})
	}
	c := searchable(t, nil, notes...)
	whole := search(t, c, "equal words", 50)
	if len(whole.Chunks) != 50 || !whole.HasMore {
		t.Fatalf("%d rows, more %v", len(whole.Chunks), whole.HasMore)
	}
	for _, k := range []int{1, 10, 49} {
		res := search(t, c, "equal words", k)
		if diff := cmp.Diff(ids(whole.Chunks)[:k], ids(res.Chunks)); diff != "" || !res.HasMore {
			t.Errorf("k %d, more %v: %s", k, res.HasMore, diff)
		}
	}
	if n := len(search(t, c, "equal words", 1000).Chunks); n != 50 {
		t.Errorf("k is capped at 50, got %d", n)
	}
	if n := len(search(t, c, "equal words", 0).Chunks); n != 10 {
		t.Errorf("k is 10 by default, got %d", n)
	}
	if res := search(t, c, "99", 10); res.HasMore || len(res.Chunks) != 1 {
		t.Errorf("one row: %d rows, more %v", len(res.Chunks), res.HasMore)
	}
	res := search(t, c, "equal 99", 50)
	if len(res.Chunks) != 50 || !res.HasMore || res.Chunks[0].Preview != "words 99" {
		t.Errorf("relaxed: %d rows, more %v, first %q", len(res.Chunks), res.HasMore, res.Chunks[0].Preview)
	}
	// Exactly k rows with all the words: those with some of them are still to come.
	if res := search(t, c, "99", 1); res.HasMore {
		t.Errorf("one word in one row: more %v", res.HasMore)
	}
	if res := search(t, c, "words 99", 1); !res.HasMore || len(res.Chunks) != 1 {
		t.Errorf("all words in one row: %d rows, more %v", len(res.Chunks), res.HasMore)
	}
	// Filters decide before the limit does.
	if n := len(search(t, c, "equal words before:2024-01-02", 50).Chunks); n != 10 {
		t.Errorf("narrowed: %d rows, want 10", n)
	}
}

func TestSearchRefuses(t *testing.T) {
	c := searchable(t, nil, searchNotes...)
	for name, p := range map[string]controller.SearchParams{
		"empty":    {Query: " \n"},
		"k":        {Query: "x", K: -1},
		"too long": {Query: strings.Repeat("字", controller.MaxQueryRunes+1)},
	} {
		if _, err := c.Search(t.Context(), p); fault.CodeOf(err) != fault.Invalid || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := c.Recall(t.Context(), controller.RecallParams(p)); fault.CodeOf(err) != fault.Invalid || fault.HintOf(err) == "" {
			t.Errorf("recall, %s: %v", name, err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Search(ctx, controller.SearchParams{Query: "migration"}); err == nil {
		t.Error("a cancelled search is answered")
	}
	empty := searchable(t, nil)
	if res := search(t, empty, "anything", 0); !strings.Contains(res.Hint, "openhuman-core ingest") {
		t.Errorf("the hint of an empty memory: %q", res.Hint)
	}
	if res := recall(t, empty, "anything", 0); !strings.Contains(res.Hint, "openhuman-core ingest") {
		t.Errorf("the hint of an empty memory: %q", res.Hint)
	}
}

func TestSearchHidesSources(t *testing.T) {
	p, err := policy.New(policy.Options{DenySources: []string{"gmail:*", "slack:*"}})
	if err != nil {
		t.Fatal(err)
	}
	c := searchable(t, p, searchNotes...)
	for _, q := range []string{"creme", "snake_case", "from:zoë", "source:gmail", "kind:chat", "alice creme snake"} {
		for _, r := range append(search(t, c, q, 50).Chunks, recall(t, c, q, 50).Chunks...) {
			if r.SourceID != "notes:work" {
				t.Errorf("%s: a row of %s", q, r.SourceID)
			}
		}
	}
}

func TestPreview(t *testing.T) {
	c := searchable(t, nil,
		note{id: "en", text: strings.Repeat("Some filler before it. ", 100) + "Here stands the zebra with an okapi.\n" + strings.Repeat("And more after it. ", 100)},
		note{id: "zh", text: strings.Repeat("这里没有什么可看的。", 100) + "斑马在这里。" + strings.Repeat("后面也没有什么。", 100)},
		note{id: "short", text: "A  short\nzebra."})
	for query, want := range map[string]string{"zebra okapi": "Here stands the zebra with an okapi.", "斑马": "斑马在这里。"} {
		r := search(t, c, query, 1).Chunks[0]
		n := utf8.RuneCountInString(r.Preview)
		if !strings.Contains(r.Preview, want) || n > 500 || n < 300 || !strings.HasPrefix(r.Preview, "…") || !strings.HasSuffix(r.Preview, "…") {
			t.Errorf("%s: preview %q", query, r.Preview)
		}
	}
	if got := search(t, c, "short", 1).Chunks[0].Preview; got != "A short zebra." {
		t.Errorf("preview %q", got)
	}
}

// Any string is a safe query; phrases always appear in what comes back and excluded words never do.
func TestAnyQueryIsAnswered(t *testing.T) {
	c := searchable(t, nil, searchNotes...)
	rapid.Check(t, func(t *rapid.T) {
		q := strings.Join(rapid.SliceOfN(rapid.OneOf(
			rapid.SampledFrom([]string{`"`, "-", "*", "(", ")", ":", "^", "NEAR", "AND", "OR", "NOT", "{", "'", "\\", "\x00", "from:", "source:*",
				"kind:chat", "tag:", "after:2024-01-01", "POL-358", "记忆库", "库", "ไทย", "migration", "run*", "\xff", "é", "C++", "\u0301", ";", "--", "/*"}),
			rapid.String(),
		), 1, 8).Draw(t, "parts"), rapid.SampledFrom([]string{"", " "}).Draw(t, "glue"))
		if strings.TrimSpace(q) == "" {
			return
		}
		for _, p := range []controller.SearchParams{{Query: q}, {Query: q, K: 1}} {
			res, err := c.Search(context.Background(), p)
			if err != nil {
				t.Fatalf("search %q: %v", q, err)
			}
			checkRows(t, q, res.Chunks)
			all, err := c.Recall(context.Background(), controller.RecallParams(p))
			if err != nil {
				t.Fatalf("recall %q: %v", q, err)
			}
			checkRows(t, q, all.Chunks)
		}
	})
}

func TestPhrasesAndExclusions(t *testing.T) {
	words := []string{"run", "runs", "running", "late", "mail", "e-mail", "the", "POL-1", "POL-2", "数据", "据库", "café"}
	rapid.Check(t, func(t *rapid.T) {
		var notes []note
		for range rapid.IntRange(1, 12).Draw(t, "notes") {
			notes = append(notes, note{text: strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 6).Draw(t, "text"), " ")})
		}
		st, err := store.Open(context.Background(), store.Options{Path: store.Memory})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		putNotes(t, st, notes...)
		c := controller.New(controller.Options{Store: st})
		phrase := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 3).Draw(t, "phrase"), " ")
		not := rapid.SampledFrom(words).Draw(t, "not")
		extra := rapid.SampledFrom([]string{"", "late", "mail nowhere"}).Draw(t, "extra")
		query := fmt.Sprintf(`"%s" -%s %s`, phrase, not, extra)
		res, err := c.Search(context.Background(), controller.SearchParams{Query: query, K: 50})
		if err != nil {
			t.Fatal(err)
		}
		var got, want []string
		for _, r := range res.Chunks {
			got = append(got, r.ChunkID)
		}
		for i, n := range notes {
			if holds(n.text, phrase) && !holds(n.text, not) {
				want = append(want, fmt.Sprintf("n%04d", i))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Fatalf("%s over %v: %v, want %v", query, notes, got, want)
		}
	})
}

// holds is a second opinion on what it is for a text of the words above to hold a phrase of them:
// the words one after another, runs of Chinese as parts, the halves of e-mail and POL-1 as well.
func holds(text, phrase string) bool {
	for i := 0; i+len(phrase) <= len(text); i++ {
		if text[i:i+len(phrase)] != phrase {
			continue
		}
		before := i == 0 || !isAlnum(text[i-1]) || phrase[0] >= utf8.RuneSelf
		end := i + len(phrase)
		after := end == len(text) || !isAlnum(text[end]) || phrase[len(phrase)-1] >= utf8.RuneSelf
		if before && after {
			return true
		}
	}
	return false
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// Queries as long as they may be are answered, whatever they are made of.
func TestLongQueries(t *testing.T) {
	c := searchable(t, nil, searchNotes...)
	var distinct strings.Builder
	for i := 0; distinct.Len() < controller.MaxQueryRunes-8; i++ {
		fmt.Fprintf(&distinct, "w%x ", i)
	}
	for name, q := range map[string]string{
		"words":      distinct.String(),
		"characters": strings.Repeat("a b c d e f g h ", controller.MaxQueryRunes/16),
		"a run":      strings.Repeat("记忆库检索质量很好", controller.MaxQueryRunes/9),
		"one word":   strings.Repeat("x", controller.MaxQueryRunes),
		"an id":      strings.Repeat("x-", controller.MaxQueryRunes/2),
		"a phrase":   `"` + strings.Repeat("migration ", controller.MaxQueryRunes/10-1) + `"`,
		"prefixes":   strings.Repeat("m* z1* ", controller.MaxQueryRunes/7),
		"exclusions": "migration " + strings.Repeat("-z1 ", controller.MaxQueryRunes/4-3),
		"signs":      strings.Repeat(`"(`, controller.MaxQueryRunes/2),
	} {
		start := time.Now()
		res := search(t, c, q, 10)
		recall(t, c, q, 10)
		if name == "exclusions" && len(res.Chunks) != 2 {
			t.Errorf("%s: %v", name, ids(res.Chunks))
		}
		if d := time.Since(start); d > 5*time.Second {
			t.Errorf("%s: took %v", name, d)
		}
	}
}
