package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/store"
)

func testHolders(t *testing.T, s *store.Store) {
	mail := Doc("mail:a", "email", "message", Text{Content: "in two files"})
	note := Doc("mail:a", "email", "other", Text{Content: "in one"})
	loose := Doc("mail:a", "email", "loose", Text{Content: "in no file"})
	check(t, s.Update(t.Context(), func(tx *store.Tx) error {
		inbox, err := tx.PutFile(store.FileRecord{Path: "/m/inbox", Root: "/m", Outcome: "ok", Complete: true})
		check(t, err)
		sent, err := tx.PutFile(store.FileRecord{Path: "/m/sent", Root: "/m", Outcome: "ok", Complete: true})
		check(t, err)
		m, _, err := tx.PutDocument(mail)
		check(t, err)
		n, _, err := tx.PutDocument(note)
		check(t, err)
		_, _, err = tx.PutDocument(loose)
		check(t, err)
		for _, h := range [][2]int64{{inbox, m}, {sent, m}, {inbox, n}, {inbox, n}} {
			check(t, tx.Hold(h[0], h[1]))
		}
		docs, chunks, err := tx.ReleaseExcept(inbox, []int64{m})
		check(t, err)
		if docs != 1 || chunks != 1 {
			t.Errorf("released %d documents, %d chunks; want 1, 1", docs, chunks)
		}
		if docs, _, err = tx.ReleaseExcept(sent, nil); err != nil || docs != 0 {
			t.Errorf("released %d documents that another file holds (%v)", docs, err)
		}
		if docs, _, err = tx.DropFile("/m/inbox"); err != nil || docs != 1 {
			t.Errorf("dropped %d documents with the last holder (%v), want 1", docs, err)
		}
		if docs, _, err = tx.DropFile("/m/unknown"); err != nil || docs != 0 {
			t.Errorf("dropped %d documents with an unknown file (%v)", docs, err)
		}
		return nil
	}))
	if got := contents(all(t, s)); got != "in no file" {
		t.Errorf("left is %q", got)
	}
}

func testFiles(t *testing.T, s *store.Store) {
	at := time.UnixMilli(1_700_000_000_123).UTC()
	a := store.FileRecord{
		Path: "/n/a.md", Root: "/n", Size: 5, MTimeNS: 7, Fingerprint: "v1", Complete: true, Outcome: "partial",
		Reason: "half of it", IngestedAt: at,
	}
	b := store.FileRecord{Path: "/other/b.md", Root: "/other", Outcome: "skipped", IngestedAt: at}
	check(t, s.Update(t.Context(), func(tx *store.Tx) error {
		first, err := tx.PutFile(store.FileRecord{Path: "/n/a.md", Root: "/n"})
		check(t, err)
		second, err := tx.PutFile(a)
		check(t, err)
		if first != second {
			t.Errorf("rows %d and %d for one path", first, second)
		}
		_, err = tx.PutFile(b)
		check(t, err)
		doc, _, err := tx.PutDocument(Doc("notes:n", "document", "a.md", Text{Content: "x"}))
		check(t, err)
		check(t, tx.Hold(first, doc))
		a.Documents = 1
		got, ok, err := tx.File("/n/a.md")
		check(t, err)
		if diff := cmp.Diff(a, got); diff != "" || !ok {
			t.Errorf("file, %v (-want +got):\n%s", ok, diff)
		}
		if _, ok, err := tx.File("/n/b.md"); ok || err != nil {
			t.Errorf("unknown file: %v, %v", ok, err)
		}
		under, err := tx.FilesUnder("/n")
		check(t, err)
		if diff := cmp.Diff([]store.FileRecord{a}, under); diff != "" {
			t.Errorf("under /n (-want +got):\n%s", diff)
		}
		return nil
	}))
	every, err := s.Files(t.Context(), "")
	check(t, err)
	if diff := cmp.Diff([]store.FileRecord{a, b}, every); diff != "" {
		t.Errorf("all (-want +got):\n%s", diff)
	}
}

func testForget(t *testing.T, s *store.Store) {
	kept := Doc("notes:kept", "document", "k.md", Text{Content: "kept secret", Author: "Ann", Mentions: mention("person", "ann", "Ann")})
	put(t, s, kept)
	check(t, s.Finish(t.Context()))
	before := dump(t, s)
	check(t, s.Update(t.Context(), func(tx *store.Tx) error {
		file, err := tx.PutFile(store.FileRecord{Path: "/g/g.md", Root: "/g", Complete: true})
		check(t, err)
		doc := Doc("notes:gone", "document", "g.md",
			Text{Content: "gone secret", Author: "Bob", Tags: []string{"t"}, Mentions: append(mention("person", "ann", "Anna"), mention("person", "bob", "Bob")...)},
			Text{Content: "gone more"})
		doc.Links = []store.PersonLink{{Kind: "email", Value: "a@x", Person: "ann"}, {Kind: "email", Value: "a@x", Person: "bob"}}
		id, _, err := tx.PutDocument(doc)
		check(t, err)
		return tx.Hold(file, id)
	}))
	check(t, s.Finish(t.Context()))
	check(t, s.Update(t.Context(), func(tx *store.Tx) error {
		if _, _, err := tx.ForgetSource("notes:nope"); fault.CodeOf(err) != fault.NotFound {
			t.Errorf("unknown source: %v, want a NotFound fault", err)
		}
		docs, chunks, err := tx.ForgetSource("notes:gone")
		check(t, err)
		if docs != 1 || chunks != 2 {
			t.Errorf("%d documents, %d chunks; want 1, 2", docs, chunks)
		}
		f, ok, err := tx.File("/g/g.md")
		check(t, err)
		if !ok || f.Complete || f.Documents != 0 {
			t.Errorf("file %+v, %v; want it incomplete and empty", f, ok)
		}
		return nil
	}))
	check(t, s.Finish(t.Context()))
	if diff := cmp.Diff(before, dump(t, s)); diff != "" {
		t.Errorf("the rest (-before +after):\n%s", diff)
	}
	if n := matches(t, s, "gone", nil); n != 0 {
		t.Errorf("%d matches of a forgotten word", n)
	}
	put(t, s, Doc("notes:gone", "document", "g.md", Text{Content: "again", Mentions: mention("person", "bob", "Bob")}))
	if n := count(t, s, store.Filter{EntityIDs: []string{"person:bob"}}); n != 1 {
		t.Errorf("%d chunks after taking it in again, want 1", n)
	}
}

// alices returns documents in which one person is written in three ways under one address.
func alices() []store.DocumentRecord {
	var docs []store.DocumentRecord
	for i, p := range []struct{ value, surface string }{
		{"alice-moreau", "Alice Moreau"}, {"alice-moreau", "Moreau, Alice"}, {"alice-moreau", "Alice Moreau"}, {"ally", "Ally"}, {"a-moreau", "A. Moreau"},
	} {
		doc := Doc("mail:in", "email", fmt.Sprint(i), Text{Content: fmt.Sprint("mail ", i), Mentions: append(
			mention("person", p.value, p.surface), mention("email", "alice@x.org", "alice@x.org")...)})
		doc.Links = []store.PersonLink{{Kind: "email", Value: "alice@x.org", Person: p.value}}
		docs = append(docs, Rehash(doc))
	}
	// A chunk with two of the forms counts once.
	both := Doc("mail:in", "email", "both", Text{Content: "both", Mentions: append(
		mention("person", "ally", "Ally"), mention("person", "alice-moreau", "Alice Moreau")...)})
	// Somebody else with the same nickname, and no evidence.
	return append(docs, both, Doc("chat:x", "chat", "x", Text{Content: "x", Mentions: mention("person", "alice", "alice")}))
}

func testPeople(t *testing.T, s *store.Store) {
	Put(t, s, alices()...)
	top, err := s.TopEntities(t.Context(), "person", 10, nil)
	check(t, err)
	want := []store.EntityCount{
		{EntityRef: store.EntityRef{EntityID: "person:alice-moreau", Kind: "person", Surface: "Alice Moreau"}, Count: 6},
		{EntityRef: store.EntityRef{EntityID: "person:alice", Kind: "person", Surface: "alice"}, Count: 1},
	}
	if diff := cmp.Diff(want, top); diff != "" {
		t.Errorf("entities (-want +got):\n%s", diff)
	}
	for _, id := range []string{"person:alice-moreau", "person:ally", "person:a-moreau"} {
		if n := count(t, s, store.Filter{EntityIDs: []string{id}}); n != 6 {
			t.Errorf("%s: %d chunks, want 6", id, n)
		}
	}
	if n := count(t, s, store.Filter{EntityIDs: []string{"email:alice@x.org"}}); n != 5 {
		t.Errorf("the address: %d chunks, want the 5 that mention it", n)
	}
	d, err := s.Chunk(t.Context(), alices()[3].Chunks[0].ChunkID, nil)
	check(t, err)
	if len(d.Entities) != 2 || d.Entities[1] != want[0].EntityRef {
		t.Errorf("entities of a chunk with a nickname: %v", d.Entities)
	}
	st, err := s.Stats(t.Context())
	check(t, err)
	if st.Entities != 3 { // alice-moreau, alice, the address
		t.Errorf("%d entities, want 3", st.Entities)
	}
}

func testPeoplePart(t *testing.T, s *store.Store) {
	docs := alices()
	Put(t, s, docs...)
	docs[3].Links = nil // Ally's mail no longer names the address
	Put(t, s, Rehash(docs[3]))
	if n := count(t, s, store.Filter{EntityIDs: []string{"person:ally"}}); n != 2 {
		t.Errorf("Ally alone: %d chunks, want 2", n)
	}
	if n := count(t, s, store.Filter{EntityIDs: []string{"person:a-moreau"}}); n != 5 {
		t.Errorf("the others: %d chunks, want 5", n)
	}
}

func testSharedAddress(t *testing.T, s *store.Store) {
	var docs []store.DocumentRecord
	for i := range 12 {
		who := fmt.Sprint("writer-", i)
		doc := Doc("mail:list", "email", who, Text{Content: who, Mentions: mention("person", who, who)})
		doc.Links = []store.PersonLink{{Kind: "email", Value: "list@x.org", Person: who}}
		docs = append(docs, Rehash(doc))
	}
	Put(t, s, docs...)
	if n := count(t, s, store.Filter{EntityIDs: []string{"person:writer-1"}}); n != 1 {
		t.Errorf("%d chunks, want 1: twelve people write from one address", n)
	}
}

func testCrowding(t *testing.T, s *store.Store) {
	var texts []Text
	for i := range 5 {
		texts = append(texts, Text{Content: fmt.Sprint(i), Mentions: append(append(
			mention("datetime", "2024-05-01", "1 May"), mention("quantity", "5-kg", "5 kg")...), mention("url", "https://x.org", "x.org")...)})
	}
	texts[0].Mentions = append(texts[0].Mentions, mention("topic", "go", "Go")...)
	Put(t, s, Doc("notes:a", "document", "a.md", texts...))
	top, err := s.TopEntities(t.Context(), "", 10, nil)
	check(t, err)
	if len(top) != 1 || top[0].EntityID != "topic:go" {
		t.Errorf("without a kind: %v", top)
	}
	top, err = s.TopEntities(t.Context(), "datetime", 10, nil)
	check(t, err)
	if len(top) != 1 || top[0].Count != 5 {
		t.Errorf("datetime: %v", top)
	}
}

func testNearest(t *testing.T, s *store.Store) {
	Put(t, s, Doc("notes:a", "document", "a.md", Text{Content: "a", Mentions: append(append(
		mention("person", "alice-moreau", "Alice Moreau"), mention("email", "alice@x.org", "alice@x.org")...), mention("topic", "100%", "100%")...)}))
	for id, want := range map[string][]string{
		"person:alice":        {"person:alice-moreau", "email:alice@x.org"},
		"person:alice-moraeu": {"person:alice-moreau"},
		"alice@x.org":         {"email:alice@x.org"},
		"person:zzz":          nil,
		"topic:%":             nil,
		"":                    nil,
	} {
		got, err := s.NearestEntities(t.Context(), id, 3, nil)
		check(t, err)
		if diff := cmp.Diff(want, got, cmp.Transformer("nil", func(s []string) []string { return append([]string{}, s...) })); diff != "" {
			t.Errorf("%q (-want +got):\n%s", id, diff)
		}
	}
}

func testTerms(t *testing.T, s *store.Store) {
	var texts []Text
	for i := range 60 {
		texts = append(texts, Text{Content: fmt.Sprintf("everywhere n%d", i)})
	}
	Put(t, s, Doc("notes:a", "document", "a.md", texts...))
	counts, total, err := s.TermCounts(t.Context(), []string{"everywher", "n7", "absent"})
	check(t, err)
	if total != 60 {
		t.Errorf("total %d, want 60", total)
	}
	if diff := cmp.Diff(map[string]int{"everywher": 60}, counts); diff != "" {
		t.Errorf("common terms (-want +got):\n%s", diff)
	}
}

func testMeta(t *testing.T, s *store.Store) {
	check(t, s.Update(t.Context(), func(tx *store.Tx) error {
		for _, v := range []string{"", "one", "two", ""} {
			check(t, tx.SetMeta("key", v))
			got, err := tx.Meta("key")
			check(t, err)
			if got != v {
				t.Errorf("meta is %q, want %q", got, v)
			}
		}
		return nil
	}))
}

func testIntegrity(t *testing.T, s *store.Store) {
	Put(t, s, alices()...)
	check(t, s.Update(t.Context(), func(tx *store.Tx) error {
		_, _, err := tx.ForgetSource("mail:in")
		return err
	}))
	check(t, s.Finish(t.Context()))
	problems, err := s.Integrity(t.Context())
	check(t, err)
	if len(problems) > 0 {
		t.Errorf("%q", problems)
	}
}

// dump returns all that a reader can see.
func dump(t *testing.T, s *store.Store) map[string]any {
	t.Helper()
	sources, err := s.Sources(t.Context(), nil)
	check(t, err)
	out := map[string]any{"sources": sources}
	for _, c := range all(t, s) {
		d, err := s.Chunk(t.Context(), c.ChunkID, nil)
		check(t, err)
		out[c.ChunkID] = *d
	}
	for _, kind := range []string{"person", "email", "topic"} {
		top, err := s.TopEntities(t.Context(), kind, 100, nil)
		check(t, err)
		out["top "+kind] = top
	}
	st, err := s.Stats(t.Context())
	check(t, err)
	st.Bytes, st.Files = 0, 0
	out["stats"] = st
	return out
}
