package store_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// twoMailboxes has one mail that hr and then work hold, one of hr alone and one of work alone.
func twoMailboxes(t *testing.T) *store.Store {
	t.Helper()
	s := open(t, store.Options{Path: store.Memory})
	bob := []store.Mention{{Kind: "person", Value: "bob", Surface: "Bob", Count: 2}}
	put := func(tx *store.Tx, file int64, d store.DocumentRecord, author string, links ...store.PersonLink) {
		t.Helper()
		d.Links, d.Tags = links, []string{"of-" + d.Source.SourceID}
		for i := range d.Chunks {
			d.Chunks[i].Author, d.Chunks[i].Tags = author, d.Tags
		}
		id, _, err := tx.PutDocument(d)
		if err != nil {
			t.Fatal(err)
		}
		if err := tx.Hold(file, id); err != nil {
			t.Fatal(err)
		}
	}
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		hr, err := tx.PutFile(store.FileRecord{Path: "/hr.mbox", Complete: true})
		if err != nil {
			return err
		}
		work, err := tx.PutFile(store.FileRecord{Path: "/work.mbox", Complete: true})
		if err != nil {
			return err
		}
		both := storetest.Doc("mail:hr", "email", "both", storetest.Text{Content: "word in both", TimeMS: 3000, Mentions: bob})
		put(tx, hr, both, "Annika Berg")
		put(tx, hr, storetest.Doc("mail:hr", "email", "one", storetest.Text{Content: "word in one", TimeMS: 2000, Mentions: bob}), "ann@example.com")
		put(tx, work, storetest.Doc("mail:work", "email", "work", storetest.Text{Content: "word at work", TimeMS: 1000}), "Anna Stone",
			store.PersonLink{Kind: "email", Value: "the.ann@example.org", Person: "anna-stone"})
		id, held, err := tx.HeldBefore(both.Identity, work)
		if err != nil || !held {
			t.Fatalf("held %v, %v", held, err)
		}
		return tx.HoldFor(work, id, store.SourceMeta{SourceID: "mail:work", Kind: "email"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	return s
}

// A mail of two mailboxes, of which one is hidden, is served under the other everywhere, and says
// nothing of the first.
func TestMailOfAHiddenAndAVisibleMailbox(t *testing.T) {
	s := twoMailboxes(t)
	ctx := t.Context()
	for name, c := range map[string]struct {
		scope   storetest.Without
		filter  store.Filter
		want    []string // source and content
		sources []store.SourceInfo
	}{
		"all seen": {nil, store.Filter{}, []string{"mail:hr word in both", "mail:hr word in one", "mail:work word at work"},
			[]store.SourceInfo{{SourceID: "mail:hr", Kind: "email", ChunkCount: 2, MostRecentMS: 3000}, {SourceID: "mail:work", Kind: "email", ChunkCount: 1, MostRecentMS: 1000}}},
		"first hidden": {storetest.Without{"mail:hr"}, store.Filter{}, []string{"mail:work word in both", "mail:work word at work"},
			[]store.SourceInfo{{SourceID: "mail:work", Kind: "email", ChunkCount: 2, MostRecentMS: 3000}}},
		"second hidden": {storetest.Without{"mail:work"}, store.Filter{}, []string{"mail:hr word in both", "mail:hr word in one"}, nil},
		"both hidden":   {storetest.Without{"mail:work", "mail:hr"}, store.Filter{}, nil, []store.SourceInfo{}},
		"by source":     {storetest.Without{"mail:hr"}, store.Filter{SourceIDs: []string{"mail:work"}}, []string{"mail:work word in both", "mail:work word at work"}, nil},
		"by the hidden": {storetest.Without{"mail:hr"}, store.Filter{SourceIDs: []string{"mail:hr"}}, nil, nil},
		"by its tag":    {storetest.Without{"mail:hr"}, store.Filter{Tags: []string{"of-mail:hr"}}, nil, nil},
		"without its tag": {storetest.Without{"mail:hr"}, store.Filter{Exclude: &store.Filter{Tags: []string{"of-mail:hr"}}},
			[]string{"mail:work word in both", "mail:work word at work"}, nil},
		"not of the source": {storetest.Without{"mail:hr"}, store.Filter{Exclude: &store.Filter{SourceIDs: []string{"mail:work"}}}, nil, nil},
	} {
		f := c.filter
		f.Scope = c.scope
		var got []string
		add := func(ch store.Chunk) {
			got = append(got, ch.SourceID+" "+ch.Content)
			if len(c.scope) > 0 && !slices.Contains(c.scope, "mail:work") && strings.Contains(strings.Join(ch.Tags, " ")+ch.SourceRef, "hr") {
				t.Errorf("%s: tags %q, reference %q", name, ch.Tags, ch.SourceRef)
			}
		}
		page, total, err := s.ListChunks(ctx, store.ListQuery{Filter: f, Limit: 10})
		for _, ch := range page {
			add(ch)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil || total != len(c.want) {
			t.Errorf("%s: list %d, %v (-want +got)\n%s", name, total, err, diff)
		}
		got = nil
		hits, err := s.SearchChunks(ctx, store.ChunkQuery{Match: "word", Filter: f, Limit: 10})
		for _, h := range hits {
			add(h.Chunk)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: search %v (-want +got)\n%s", name, err, diff)
		}
		got = nil
		some, err := s.SearchAny(ctx, store.AnyQuery{Terms: []store.AnyTerm{{Match: "word"}}, Filter: f, Limit: 10, Candidates: 10,
			Scorer: func([]int, int) func(*store.Chunk) float64 { return func(*store.Chunk) float64 { return 1 } }})
		for _, h := range some {
			add(h.Chunk)
		}
		if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
			t.Errorf("%s: search some %v (-want +got)\n%s", name, err, diff)
		}
		if c.sources != nil {
			sources, err := s.Sources(ctx, c.scope)
			if diff := cmp.Diff(c.sources, append([]store.SourceInfo{}, sources...)); diff != "" || err != nil {
				t.Errorf("%s: sources %v (-want +got)\n%s", name, err, diff)
			}
		}
	}
	for kind, want := range map[string]int{"": 1, "person": 1} {
		top, err := s.TopEntities(ctx, kind, 5, storetest.Without{"mail:hr"})
		if err != nil || len(top) != want || top[0].Count != 1 || top[0].Surface != "Bob" {
			t.Errorf("entities of kind %q: %+v, %v", kind, top, err)
		}
	}
	all, _, err := s.ListChunks(ctx, store.ListQuery{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	for _, ch := range all {
		d, err := s.Chunk(ctx, ch.ChunkID, storetest.Without{"mail:hr"})
		if ch.Content == "word in one" {
			if fault.CodeOf(err) != fault.NotFound {
				t.Errorf("a hidden mail: %v, %v", d, err)
			}
		} else if err != nil || d.SourceID != "mail:work" {
			t.Errorf("%s: %v, %v", ch.Content, d, err)
		}
		rows, err := s.ChunksByRow(ctx, []int64{ch.RowID}, store.Filter{Scope: storetest.Without{"mail:hr"}})
		if err != nil || (ch.Content == "word in one") != (len(rows) == 0) {
			t.Errorf("%s by row: %v, %v", ch.Content, rows, err)
		}
	}
}

// Whom only a hidden source names decides nothing about who else is meant: the address is looked up
// when nobody that can be seen has it in the name.
func TestAuthorsOfHiddenSources(t *testing.T) {
	s := twoMailboxes(t)
	for in, want := range map[string][]string{
		"the.ann": {"word at work"}, "annika": {"word in both"}, "ann@example.com": nil, "example.com": nil, "anna stone": {"word at work"},
		"example": {"word at work"}, // an author of hr has it in the name, one of work in the address
	} {
		page, _, err := s.ListChunks(t.Context(), store.ListQuery{Filter: store.Filter{Authors: []string{in}, Scope: storetest.Without{"mail:hr"}}, Limit: 10})
		var got []string
		for _, c := range page {
			got = append(got, c.Content)
		}
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got)\n%s", in, err, diff)
		}
	}
}

// TestSharedIsAsIfItWereOfTheOther: a document of a hidden source that a file of another holds as well
// is in every answer what it would be if it had come from that other alone, with the reference and the
// tags that it has there, whichever was taken in first.
func TestSharedIsAsIfItWereOfTheOther(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		hide := rapid.SampledFrom([]storetest.Without{{"mail:a"}, {"mail:b"}, {"mail:a", "mail:c"}}).Draw(rt, "hidden")
		full := open(t, store.Options{Path: store.Memory})
		part := open(t, store.Options{Path: store.Memory})
		defer full.Close()
		defer part.Close()
		order := rapid.Permutation([]string{"mail:a", "mail:b", "mail:c"}).Draw(rt, "order")
		// as is the document as a file of a source has it.
		as := func(d store.DocumentRecord, source string) store.DocumentRecord {
			d.Source.SourceID, d.Chunks = source, slices.Clone(d.Chunks)
			d.SourceRef = rapid.SampledFrom([]string{"mid:1@x", source + ".mbox#5"}).Draw(rt, "reference")
			d.Tags = rapid.SliceOfNDistinct(rapid.SampledFrom([]string{"red", "it's", "of-" + source}), 0, 2, rapid.ID[string]).Draw(rt, "tags")
			for k := range d.Chunks {
				if d.Chunks[k].SourceRef = d.SourceRef; k > 0 {
					d.Chunks[k].SourceRef += "&part=2"
				}
			}
			return storetest.Rehash(d)
		}
		for round := range 2 {
			n := rapid.IntRange(1, 5).Draw(rt, "documents")
			err := full.Update(t.Context(), func(tx *store.Tx) error {
				for i := range n {
					d := genMail(rt, 10*round+i)
					first, served := true, false
					for _, s := range order { // of the files, in which the first one brings the document
						file, err := tx.PutFile(store.FileRecord{Path: "/" + s, Complete: true})
						if err != nil {
							return err
						}
						if s != d.Source.SourceID && !rapid.Bool().Draw(rt, "held") {
							continue
						}
						mine := as(d, s)
						id, held, err := tx.HeldBefore(d.Identity, file)
						if err != nil {
							return err
						}
						if held == first {
							rt.Fatalf("held %v, first %v", held, first)
						}
						if first {
							if id, _, err = tx.PutDocument(mine); err != nil {
								return err
							}
							first = false
						}
						if err := tx.HoldAs(file, id, &mine); err != nil {
							return err
						}
						if !served && !hide.Hides(s) {
							served = true
							storetest.Put(t, part, mine)
						}
					}
				}
				return nil
			})
			if err != nil {
				rt.Fatal(err)
			}
			for _, s := range []*store.Store{full, part} {
				if err := s.Finish(t.Context()); err != nil {
					rt.Fatal(err)
				}
			}
			if diff := cmp.Diff(seen(rt, t, part, nil), seen(rt, t, full, hide)); diff != "" {
				rt.Fatalf("round %d without %v (-of the other alone +shared):\n%s", round, hide, diff)
			}
		}
	})
}

// TestUpgradeOfSharedDocuments: what earlier versions did not keep of a document that two files hold is
// read again, and until then nothing of the hidden source is served.
func TestUpgradeOfSharedDocuments(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	s := open(t, store.Options{Path: path})
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		for i, source := range []string{"mail:hr", "mail:work", "mail:other"} {
			file, err := tx.PutFile(store.FileRecord{Path: "/" + source, Complete: true})
			if err != nil {
				return err
			}
			d := storetest.Doc("mail:hr", "email", "both", storetest.Text{Content: "both"})
			if i == 2 {
				d = storetest.Doc(source, "email", "one", storetest.Text{Content: "one"})
			}
			id, _, err := tx.PutDocument(d)
			if err != nil {
				return err
			}
			if err := tx.HoldFor(file, id, store.SourceMeta{SourceID: source, Kind: "email"}); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, s.Close()); err != nil {
		t.Fatal(err)
	}
	script(t, path, "ALTER TABLE holders DROP COLUMN tags; ALTER TABLE holders DROP COLUMN source_ref; ALTER TABLE documents DROP COLUMN origin; PRAGMA user_version = 4")
	s = open(t, store.Options{Path: path})
	got, err := s.Strings(t.Context(), "SELECT path || ' ' || complete FROM files ORDER BY path")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"/mail:hr 1", "/mail:other 1", "/mail:work 0"}, got); diff != "" {
		t.Error(diff)
	}
	page, _, err := s.ListChunks(t.Context(), store.ListQuery{Filter: store.Filter{Scope: storetest.Without{"mail:hr"}}, Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range page {
		if c.Content == "both" && (c.SourceRef != "" || c.Tags != nil || c.SourceID != "mail:work") {
			t.Errorf("%+v", c)
		}
	}
	if len(page) != 2 {
		t.Errorf("%d chunks", len(page))
	}
}

// What is remembered of the sharing follows it.
func TestSharingThatEnds(t *testing.T) {
	s := twoMailboxes(t)
	hide := store.Filter{Scope: storetest.Without{"mail:hr"}}
	count := func() int {
		t.Helper()
		_, total, err := s.ListChunks(t.Context(), store.ListQuery{Filter: hide})
		if err != nil {
			t.Fatal(err)
		}
		return total
	}
	if n := count(); n != 2 {
		t.Fatalf("%d chunks", n)
	}
	drop := func(tx *store.Tx) error { _, _, err := tx.DropFile("/work.mbox"); return err }
	if err := s.Update(t.Context(), drop); err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 0 {
		t.Errorf("%d chunks without the mailbox that is seen", n)
	}
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		work, err := tx.PutFile(store.FileRecord{Path: "/work.mbox", Complete: true})
		if err != nil {
			return err
		}
		id, _, err := tx.HeldBefore("mail:hr\x00both", work)
		if err != nil {
			return err
		}
		return tx.HoldFor(work, id, store.SourceMeta{SourceID: "mail:work", Kind: "email"})
	})
	if err != nil {
		t.Fatal(err)
	}
	if n := count(); n != 1 {
		t.Errorf("%d chunks with it again", n)
	}
}
