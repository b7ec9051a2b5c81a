package store_test

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// An author is also known by the addresses and handles that documents give.
func TestFilterAuthorsByAddress(t *testing.T) {
	st, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	alice := store.PersonLink{Kind: "email", Value: "alice@example.com", Person: "alice-moreau"}
	other := store.PersonLink{Kind: "email", Value: "alice@elsewhere.org", Person: "alice-moreau"}
	bob := store.PersonLink{Kind: "email", Value: "o'bob@example.com", Person: "bob-stone"}
	ann := store.PersonLink{Kind: "handle", Value: "annie", Person: "ann-lee"}
	err = st.Update(t.Context(), func(tx *store.Tx) error {
		for i, d := range []struct {
			author string
			links  []store.PersonLink
		}{
			{"Alice Moreau", []store.PersonLink{alice, bob}},     // 0
			{"Bob Stone", []store.PersonLink{alice, bob}},        // 1: to Alice
			{"Moreau, Alice", []store.PersonLink{alice}},         // 2
			{"Alice Moreau", []store.PersonLink{other}},          // 3: somebody of the same name
			{"Ann Lee, Bob Stone", []store.PersonLink{ann, bob}}, // 4: a chat
			{"dave@example.com", nil},                            // 5
		} {
			id := fmt.Sprint(i)
			if _, _, err := tx.PutDocument(store.DocumentRecord{
				Source: store.SourceMeta{SourceID: "gmail:x", Kind: "email"}, Identity: id, Author: d.author, TimestampMS: int64(100 - i),
				Hash: sha256.Sum256([]byte(id)), Links: d.links,
				Chunks: []store.ChunkRecord{{ChunkID: id, Author: d.author, Content: id, TimestampMS: int64(100 - i)}},
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for in, want := range map[string][]string{
		"alice@example.com":   {"0", "2"},
		"<ALICE@example.com>": {"0", "2"},
		"alice@elsewhere.org": {"3"},
		"o'bob@example.com":   {"1", "4"},
		"@example.com":        {"0", "1", "2", "4", "5"},
		"annie":               {"4"},
		"@annie":              {"4"},
		"ann":                 {"4"},
		"alice":               {"0", "2", "3"},
		"dave@example.com":    {"5"},
		"x'); --@":            nil,
		"@":                   {"5"},
		"nobody@example.com":  nil,
	} {
		for _, exclude := range []bool{false, true} {
			f, want := store.Filter{Authors: []string{in}}, want
			if exclude {
				f = store.Filter{Exclude: &store.Filter{Authors: []string{in}}}
				var rest []string
				for i := range 6 {
					if id := fmt.Sprint(i); !slices.Contains(want, id) {
						rest = append(rest, id)
					}
				}
				want = rest
			}
			page, total, err := st.ListChunks(t.Context(), store.ListQuery{Filter: f, Limit: 10})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, c := range page {
				got = append(got, c.ChunkID)
			}
			if diff := cmp.Diff(want, got); diff != "" || total != len(want) {
				t.Errorf("%s, excluded %v, total %d (-want +got)\n%s", in, exclude, total, diff)
			}
		}
	}
}

// A list that nobody counts reads no further than its page.
func TestListChunksWithoutTotal(t *testing.T) {
	texts := make([]string, 500)
	for i := range texts {
		texts[i] = fmt.Sprintf("text %d", i)
	}
	st := wordsStore(t, store.Memory, texts)
	defer st.Close()
	looked := 0
	q := store.ListQuery{Limit: 5, Offset: 2, Accept: func(c *store.Chunk) bool { looked++; return looked%2 == 0 }}
	whole, total, err := st.ListChunks(t.Context(), q)
	if err != nil || total != 250 {
		t.Fatalf("%d, %v", total, err)
	}
	looked, q.NoTotal = 0, true
	page, _, err := st.ListChunks(t.Context(), q)
	if err != nil || looked != 14 {
		t.Fatalf("%d chunks are looked at, %v", looked, err)
	}
	if diff := cmp.Diff(whole, page); diff != "" {
		t.Error(diff)
	}
}

// An author who is an address, a handle or a number alone is known by the name that others give it, as far
// as the caller can see who does.
func TestFilterAuthorsByContacts(t *testing.T) {
	st, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	contact := []store.PersonLink{
		{Kind: "email", Value: "wo77@post.example", Person: "wilhelmina-oberholtzer"},
		{Kind: "handle", Value: "tel:707654321", Person: "wilhelmina-oberholtzer"},
		{Kind: "handle", Value: "mina", Person: "wilhelmina-oberholtzer"},
	}
	for i := range 9 { // a list, which is nobody
		contact = append(contact, store.PersonLink{Kind: "email", Value: "list@post.example", Person: fmt.Sprintf("wilhelmina-%d", i)})
	}
	err = st.Update(t.Context(), func(tx *store.Tx) error {
		for i, d := range []struct {
			source, author string
			links          []store.PersonLink
		}{
			{"mail:x", "WO77@post.example", nil},              // 0
			{"mail:x", "Wilhelmina Oberholtzer", contact[:1]}, // 1
			{"chat:x", "+49 170 7654321", nil},                // 2
			{"chat:x", "Bob, 0170-765 43 21", nil},            // 3
			{"chat:x", "@mina", nil},                          // 4
			{"mail:x", "list@post.example", nil},              // 5
			{"mail:x", "other@post.example", nil},             // 6
			{"chat:x", "0170 7654322", nil},                   // 7
			{"notes:contacts", "", contact},                   // 8
		} {
			id := fmt.Sprint(i)
			if _, _, err := tx.PutDocument(store.DocumentRecord{
				Source: store.SourceMeta{SourceID: d.source, Kind: "email"}, Identity: id, Author: d.author, TimestampMS: int64(100 - i),
				Hash: sha256.Sum256([]byte(id)), Links: d.links,
				Chunks: []store.ChunkRecord{{ChunkID: id, Author: d.author, Content: id, TimestampMS: int64(100 - i)}},
			}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		in    string
		scope store.Scope
		want  []string
	}{
		{"wilhelmina", nil, []string{"0", "1", "2", "3", "4"}},
		{"Wilhelmina Oberholtzer", nil, []string{"0", "1", "2", "3", "4"}},
		{"wilhelmina-oberholtzer", nil, []string{"0", "2", "3", "4"}},
		{"0170 7654321", nil, []string{"2", "3"}},
		{"+49 (170) 765-4321", nil, []string{"2", "3"}},
		{"7654321", nil, []string{"2"}}, // a part of what is written
		{"wilhelmina", storetest.Without{"notes:contacts"}, []string{"0", "1"}},
		{"wilhelmina", storetest.Without{"notes:contacts", "mail:x"}, nil},
		{"0170 7654321", storetest.Without{"notes:contacts"}, []string{"2", "3"}},
		{"", nil, []string{"0", "1", "2", "3", "4", "5", "6", "7", "8"}},
	} {
		page, _, err := st.ListChunks(t.Context(), store.ListQuery{Filter: store.Filter{Authors: []string{c.in}, Scope: c.scope}, Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range page {
			got = append(got, p.ChunkID)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%q without %v (-want +got)\n%s", c.in, c.scope, diff)
		}
	}
}
