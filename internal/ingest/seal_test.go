package ingest_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/internal/summary"
	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

var subjects = []string{"the roof of the cabin", "the budget of the festival", "the invoice of the printer", "the flight to Lisbon", "项目的上线时间", "決済の見積書"}

// item makes document number n of a source: a mail or a day of a chat.
func item(source, kind string, n, edition int) store.DocumentRecord {
	r := rand.New(rand.NewPCG(uint64(n), uint64(edition)))
	at := 1_700_000_000_000 + int64(n)*21_600_000
	s := subjects[r.IntN(len(subjects))]
	person := store.Mention{Kind: "person", Value: fmt.Sprintf("p%d", n%5), Surface: fmt.Sprintf("Person %d", n%5), Count: 1}
	var texts []storetest.Text
	for i := range 1 + r.IntN(3) {
		body := fmt.Sprintf("Hi all,\n\nToday %s costs %d EUR in edition %d. Somebody has to decide about %s before week %d.\n\nBest regards\nPerson %d", s, r.IntN(900), edition, s, r.IntN(52), n%5)
		author := person.Surface
		if kind == "chat" {
			body = fmt.Sprintf("Ann: what does %s cost in edition %d?\nBob: %s costs %d EUR this year.\nAnn: thanks", s, edition, s, r.IntN(900))
			author = "Ann, Bob"
		}
		texts = append(texts, storetest.Text{Content: fmt.Sprintf("%s\nPart %d of item %d.", body, i, n), Author: author, TimeMS: at, Mentions: []store.Mention{person}})
	}
	return storetest.Doc(source, kind, fmt.Sprintf("item-%d", n), texts...)
}

func put(t tb, s *store.Store, docs ...store.DocumentRecord) {
	t.Helper()
	for part := range slices.Chunk(docs, 7) {
		must(t, s.Update(context.Background(), func(tx *store.Tx) error {
			for _, d := range part {
				id, _, err := tx.PutDocument(d)
				if err != nil {
					return err
				}
				file, err := tx.PutFile(store.FileRecord{Path: "/x/" + d.Identity, Root: "/x", Complete: true, Outcome: "ok"})
				if err != nil {
					return err
				}
				if err := tx.Hold(file, id); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	must(t, s.Finish(context.Background()))
}

func memory(t tb) *store.Store {
	t.Helper()
	s, err := store.Open(context.Background(), store.Options{Path: store.Memory})
	must(t, err)
	return s
}

func seal(t tb, o ingest.SealOptions) ingest.SealSummary {
	t.Helper()
	sum, err := ingest.Seal(context.Background(), o)
	must(t, err)
	return sum
}

// summaries returns everything about the trees of a store, by summary id.
func summaries(t tb, s *store.Store) map[string]store.SummaryDetail {
	t.Helper()
	out := map[string]store.SummaryDetail{}
	list, err := s.PendingSummaries(context.Background(), []string{"-"}, 0, 1_000_000)
	must(t, err)
	for _, x := range list {
		d, err := s.Summary(context.Background(), x.SummaryID, nil)
		must(t, err)
		d.RowID = 0
		out[x.SummaryID] = *d
	}
	return out
}

// TestSealSameTree takes documents in, changes and removes some, sealing in between, and compares with
// a store that got the rest at once, in another order.
func TestSealSameTree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := memory(t)
		defer s.Close()
		have := map[string]store.DocumentRecord{}
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			var docs []store.DocumentRecord
			for range rapid.IntRange(0, 60).Draw(t, "documents") {
				n := rapid.IntRange(0, 150).Draw(t, "n")
				d := item("gmail:a", "email", n, rapid.IntRange(0, 1).Draw(t, "edition"))
				if n%3 == 0 {
					d = item("slack:#eng", "chat", n, 0)
				}
				docs = append(docs, d)
				have[d.Identity] = d
			}
			put(t, s, docs...)
			if len(have) > 0 && rapid.Bool().Draw(t, "remove") {
				var names []string
				for name := range have {
					names = append(names, name)
				}
				slices.Sort(names)
				name := rapid.SampledFrom(names).Draw(t, "gone")
				delete(have, name)
				must(t, s.Update(context.Background(), func(tx *store.Tx) error { _, _, err := tx.DropFile("/x/" + name); return err }))
			}
			seal(t, ingest.SealOptions{Store: s})
		}
		if again := seal(t, ingest.SealOptions{Store: s}); again.Sources != 0 || again.Sealed != 0 {
			t.Fatalf("a second run did %+v", again)
		}
		fresh := memory(t)
		defer fresh.Close()
		var docs []store.DocumentRecord
		for _, d := range have { // in any order
			docs = append(docs, d)
		}
		put(t, fresh, docs...)
		seal(t, ingest.SealOptions{Store: fresh})
		if d := cmp.Diff(summaries(t, fresh), summaries(t, s)); d != "" {
			t.Fatal(d)
		}
	})
}

// many is enough for several levels.
func many(n int) []store.DocumentRecord {
	var docs []store.DocumentRecord
	for i := range n {
		docs = append(docs, item("gmail:a", "email", i, 0), item("slack:#eng", "chat", i, 0))
	}
	return docs
}

func TestSealedText(t *testing.T) {
	s := memory(t)
	defer s.Close()
	put(t, s, many(200)...)
	if sum := seal(t, ingest.SealOptions{Store: s}); sum.Sources != 2 || sum.Sealed < 40 {
		t.Fatalf("%+v", sum)
	}
	stats, err := s.TreeStats(t.Context())
	must(t, err)
	if stats.Levels < 2 || stats.Stale != 0 {
		t.Errorf("%+v", stats)
	}
	all := summaries(t, s)
	chunks := map[string]*store.ChunkDetail{}
	chunk := func(id string) *store.ChunkDetail {
		if chunks[id] == nil {
			c, err := s.Chunk(t.Context(), id, nil)
			must(t, err)
			chunks[id] = c
		}
		return chunks[id]
	}
	// under returns the chunks below a summary.
	var under func(id string) []string
	under = func(id string) []string {
		x := all[id]
		if x.Level == 1 {
			return x.Children
		}
		var out []string
		for _, c := range x.Children {
			if all[c].Level != x.Level-1 {
				t.Fatalf("%s of level %d is under level %d", c, all[c].Level, x.Level)
			}
			out = append(out, under(c)...)
		}
		return out
	}
	for id, x := range all {
		leaves := under(id)
		tokens, first, last := 0, int64(1)<<62, int64(0)
		for _, c := range leaves {
			tokens += chunk(c).TokenCount
			first, last = min(first, chunk(c).TimestampMS), max(last, chunk(c).TimestampMS)
			if chunk(c).SourceID != x.SourceID {
				t.Errorf("%s holds a chunk of %s", id, chunk(c).SourceID)
			}
		}
		if x.Chunks != len(leaves) || x.FirstMS != first || x.LastMS != last {
			t.Errorf("%s: %d chunks from %d to %d, want %d from %d to %d", id, x.Chunks, x.FirstMS, x.LastMS, len(leaves), first, last)
		}
		if x.TokenCount > tokens/2 || x.TokenCount > summary.MaxTokens || x.Content == "" {
			t.Errorf("%s: %d tokens over %d", id, x.TokenCount, tokens)
		}
		lines := strings.Split(x.Content, "\n")
		if len(lines) != len(x.Citations) {
			t.Fatalf("%s: %d lines, %d citations", id, len(lines), len(x.Citations))
		}
		for i, l := range lines {
			c := x.Citations[i][0]
			if !slices.Contains(leaves, c.ChunkID) {
				t.Errorf("%s cites %s, which is not under it", id, c.ChunkID)
				continue
			}
			_, said, chat := strings.Cut(l, ": ")
			if x.SourceKind != "chat" || !chat {
				said = l
			}
			if stands := chunk(c.ChunkID).Content[c.Start : c.Start+c.Length]; stands != said {
				t.Errorf("%q is not %q", l, stands)
			}
			if x.SourceKind == "chat" && !strings.HasPrefix(l, "Ann: ") && !strings.HasPrefix(l, "Bob: ") {
				t.Errorf("nobody says %q", l)
			}
		}
		if len(x.Entities) == 0 || !strings.Contains(x.Context, "Person") || !strings.HasPrefix(x.Title, "Summary of "+x.SourceID) {
			t.Errorf("%s: %q %q %v", id, x.Title, x.Context, x.Entities)
		}
	}
}

// TestOneMailSealsItsPath counts what a new, a late, a changed and a removed mail cost.
func TestOneMailSealsItsPath(t *testing.T) {
	s := memory(t)
	defer s.Close()
	put(t, s, many(300)...)
	seal(t, ingest.SealOptions{Store: s})
	stats, err := s.TreeStats(t.Context())
	must(t, err)
	for name, change := range map[string]func(){
		"new":     func() { put(t, s, item("gmail:a", "email", 301, 0)) },
		"late":    func() { put(t, s, item("gmail:a", "email", 1000, 0)) },
		"changed": func() { put(t, s, item("gmail:a", "email", 120, 5)) },
		"removed": func() {
			must(t, s.Update(t.Context(), func(tx *store.Tx) error {
				_, _, err := tx.DropFile("/x/gmail:a\x00item-70")
				return err
			}))
		},
	} {
		change()
		sum := seal(t, ingest.SealOptions{Store: s})
		if sum.Sources != 1 || sum.Sealed > 3*stats.Levels || sum.Removed > 3*stats.Levels {
			t.Errorf("a %s mail: %+v, %d levels", name, sum, stats.Levels)
		}
	}
}

// TestUnsealAtOnce checks that no summary outlives the text that it was made of.
func TestUnsealAtOnce(t *testing.T) {
	s := memory(t)
	defer s.Close()
	put(t, s, many(100)...)
	seal(t, ingest.SealOptions{Store: s})
	put(t, s, item("gmail:a", "email", 50, 9))
	for id, x := range summaries(t, s) {
		for _, line := range x.Citations {
			if _, err := s.Chunk(t.Context(), line[0].ChunkID, nil); err != nil {
				t.Errorf("%s cites what is gone: %v", id, err)
			}
		}
	}
	hits, err := s.SearchSummaries(t.Context(), store.SummaryQuery{Match: `"person"`, Limit: 1000})
	must(t, err)
	if n := len(summaries(t, s)); len(hits) != n {
		t.Errorf("%d in the index, %d there are", len(hits), n)
	}
	must(t, s.Update(t.Context(), func(tx *store.Tx) error { _, _, err := tx.ForgetSource("gmail:a"); return err }))
	for id, x := range summaries(t, s) {
		if x.SourceID == "gmail:a" {
			t.Errorf("%s is left", id)
		}
	}
}

// TestForgottenSummaryIsGone looks in the bytes of the file for what only summaries hold, after they
// have been replaced and given vectors.
func TestForgottenSummaryIsGone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s := openAt(t, path)
	for round := range 3 {
		var docs []store.DocumentRecord
		for i := range 80 {
			docs = append(docs, item("notes:gone", "document", i, round*(i%2)), item("gmail:kept", "email", i, 0))
		}
		put(t, s, docs...)
		seal(t, ingest.SealOptions{Store: s, Vectors: lengths(fmt.Sprint("v", round))})
	}
	must(t, s.Update(t.Context(), func(tx *store.Tx) error { _, _, err := tx.ForgetSource("notes:gone"); return err }))
	must(t, s.Finish(t.Context()))
	if len(summaries(t, s)) == 0 {
		t.Error("the summaries of the rest are gone too")
	}
	must(t, s.Close())
	file, err := os.ReadFile(path)
	must(t, err)
	if !strings.Contains(string(file), "Summary of gmail:kept") {
		t.Error("the rest is gone too")
	}
	for _, part := range []string{"Summary of notes:gone", "notes:gone, "} {
		if strings.Contains(string(file), part) {
			t.Errorf("%q is still in the file", part)
		}
	}
}

func TestSearchSummaries(t *testing.T) {
	s := memory(t)
	defer s.Close()
	put(t, s, many(100)...)
	seal(t, ingest.SealOptions{Store: s, Vectors: lengths("v1")})
	ctx := t.Context()
	search := func(q store.SummaryQuery) []store.SummaryHit {
		t.Helper()
		q.Limit = 10
		hits, err := s.SearchSummaries(ctx, q)
		must(t, err)
		return hits
	}
	hits := search(store.SummaryQuery{Match: `"lisbon"`})
	if len(hits) == 0 {
		t.Fatal("nothing found")
	}
	for i, h := range hits {
		if h.Score <= 0 || i > 0 && h.Score > hits[i-1].Score || !strings.Contains(h.Content, "Lisbon") || h.Model != "v1" || len(h.Vector) == 0 {
			t.Errorf("hit %d: %v %q %q", i, h.Score, h.Content, h.Model)
		}
	}
	chunks, _, err := s.ListChunks(ctx, store.ListQuery{Filter: store.Filter{SourceIDs: []string{"gmail:a"}}, Limit: 3, Offset: 150})
	must(t, err)
	rows := []int64{chunks[0].RowID, chunks[2].RowID}
	up := search(store.SummaryQuery{Chunks: rows})
	levels := map[int]bool{}
	for _, h := range up {
		levels[h.Level] = true
		if len(h.Held) == 0 || h.Score != 0 {
			t.Errorf("%+v", h)
		}
	}
	if !levels[1] || !levels[2] {
		t.Errorf("levels %v above two chunks", levels)
	}
	both := search(store.SummaryQuery{Match: `"lisbon"`, Chunks: rows})
	if len(both) < len(hits) || both[0].SummaryID != hits[0].SummaryID {
		t.Errorf("%d by both, %d by words", len(both), len(hits))
	}
	// What a caller may not see does not exist, by whatever way.
	hidden := storetest.Without{"gmail:a"}
	for _, h := range search(store.SummaryQuery{Match: `"person" OR "lisbon"`, Chunks: rows, Filter: store.Filter{Scope: hidden}}) {
		if h.SourceID == "gmail:a" {
			t.Errorf("hidden: %s", h.Title)
		}
	}
	if _, err := s.Summary(ctx, up[0].SummaryID, hidden); fault.CodeOf(err) != fault.NotFound {
		t.Errorf("hidden: %v", err)
	}
	// Filters hold for all that a summary covers.
	since, until := hits[0].FirstMS, hits[0].LastMS
	for _, h := range search(store.SummaryQuery{Match: `"person" OR "lisbon"`, Filter: store.Filter{SinceMS: &since, UntilMS: &until, SourceKinds: []string{"email"}}}) {
		if h.FirstMS < since || h.LastMS > until || h.SourceKind != "email" {
			t.Errorf("outside: %s", h.Title)
		}
	}
	if got := search(store.SummaryQuery{Match: `"lisbon"`, Filter: store.Filter{Authors: []string{"ann"}}}); len(got) != 0 {
		t.Errorf("by author: %d", len(got))
	}
	// What looks for chunks never meets a summary.
	found, err := s.SearchChunks(ctx, store.ChunkQuery{Match: `"lisbon"`, Limit: 1000})
	must(t, err)
	for _, h := range found {
		if strings.HasPrefix(h.ChunkID, "sum_") {
			t.Errorf("a summary among chunks: %s", h.ChunkID)
		}
	}
}

// lengths is a model whose vectors are the lengths of texts.
type lengths string

func (m lengths) Fingerprint() string { return string(m) }

func (m lengths) Pack(ctx context.Context, texts []string) ([][]byte, error) {
	out := make([][]byte, len(texts))
	for i, s := range texts {
		out[i] = binary.LittleEndian.AppendUint32(nil, uint32(len(s)))
	}
	return out, ctx.Err()
}

func TestSummaryVectors(t *testing.T) {
	s := memory(t)
	defer s.Close()
	put(t, s, many(60)...)
	first := seal(t, ingest.SealOptions{Store: s, Vectors: lengths("v1")})
	if first.Embedded != first.Sealed || first.Sealed == 0 {
		t.Errorf("%+v", first)
	}
	if again := seal(t, ingest.SealOptions{Store: s, Vectors: lengths("v1")}); again.Embedded != 0 {
		t.Errorf("%+v", again)
	}
	if other := seal(t, ingest.SealOptions{Store: s, Vectors: lengths("v2")}); other.Embedded != first.Sealed || other.Sealed != 0 {
		t.Errorf("another model: %+v", other)
	}
}

// TestSealInterrupted stops a run at many places; the next one finishes it.
func TestSealInterrupted(t *testing.T) {
	want := memory(t)
	defer want.Close()
	docs := many(80)
	put(t, want, docs...)
	seal(t, ingest.SealOptions{Store: want})
	for stop := range 6 {
		s := memory(t)
		put(t, s, docs...)
		ctx, cancel := context.WithCancel(t.Context())
		events := 0
		_, err := ingest.Seal(ctx, ingest.SealOptions{Store: s, Now: ticking(), Progress: func(ingest.SealEvent) {
			if events++; events > stop {
				cancel()
			}
		}})
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		cancel()
		seal(t, ingest.SealOptions{Store: s})
		if d := cmp.Diff(summaries(t, want), summaries(t, s)); d != "" {
			t.Errorf("stopped after %d events: %s", stop, d)
		}
		must(t, s.Close())
	}
}

// ticking is a clock that goes a second with every look.
func ticking() func() time.Time {
	at := when
	return func() time.Time { at = at.Add(time.Second); return at }
}

// sealChild is the process that TestSealKilled kills.
func sealChild(path string) {
	ctx := context.Background()
	s, err := store.Open(ctx, store.Options{Path: path})
	if err == nil {
		_, err = ingest.Seal(ctx, ingest.SealOptions{Store: s, Vectors: lengths("v1")})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func TestSealKilled(t *testing.T) {
	docs := many(250)
	want := memory(t)
	defer want.Close()
	put(t, want, docs...)
	begin := time.Now()
	seal(t, ingest.SealOptions{Store: want})
	whole := time.Since(begin)

	path := filepath.Join(t.TempDir(), "memory.db")
	s := openAt(t, path)
	put(t, s, docs...)
	must(t, s.Close())
	self, err := os.Executable()
	must(t, err)
	start := func() *exec.Cmd {
		cmd := exec.Command(self)
		cmd.Env = append(os.Environ(), "INGEST_TEST_SEAL="+path)
		cmd.Stderr = os.Stderr
		must(t, cmd.Start())
		return cmd
	}
	for i := range 5 {
		cmd := start()
		time.Sleep(time.Duration(rand.Int64N(int64(whole))) + time.Duration(i)*20*time.Millisecond)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		s := openAt(t, path)
		problems, err := s.Integrity(t.Context())
		must(t, err)
		if len(problems) > 0 {
			t.Errorf("after a kill: %q", problems)
		}
		must(t, s.Close())
	}
	must(t, start().Wait())
	if d := cmp.Diff(summaries(t, want), summaries(t, openAt(t, path))); d != "" {
		t.Error(d)
	}
}

// TestSealMeanwhile changes a source while it is being sealed.
func TestSealMeanwhile(t *testing.T) {
	s := memory(t)
	defer s.Close()
	put(t, s, many(120)...)
	n := 0
	enc := encoder(func() {
		if n++; n == 5 {
			put(t, s, item("gmail:a", "email", 7, 4))
		}
	})
	sum := seal(t, ingest.SealOptions{Store: s, Encoder: enc, EncoderName: "e", Workers: 1})
	if n < 6 || sum.Changed != 0 {
		t.Errorf("%d sentences lists, %+v", n, sum)
	}
	fresh := memory(t)
	defer fresh.Close()
	put(t, fresh, many(120)...)
	put(t, fresh, item("gmail:a", "email", 7, 4))
	seal(t, ingest.SealOptions{Store: fresh, Encoder: encoder(func() {}), EncoderName: "e"})
	if d := cmp.Diff(summaries(t, fresh), summaries(t, s)); d != "" {
		t.Error(d)
	}
}

// encoder calls the function for every list of sentences, of which all mean the same.
type encoder func()

func (e encoder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	e()
	out := make([][]float32, len(texts))
	for i := range out {
		out[i] = []float32{1}
	}
	return out, nil
}
