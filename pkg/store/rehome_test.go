package store_test

import (
	"testing"

	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// TestMailOfTwoMailboxes: a mail that two mailboxes hold stays with the other when the one that
// brought it goes, and is listed there.
func TestMailOfTwoMailboxes(t *testing.T) {
	for _, test := range []struct {
		name string
		drop func(tx *store.Tx) error
	}{
		{"forgotten", func(tx *store.Tx) error { _, _, err := tx.ForgetSource("mail:hr"); return err }},
		{"deleted", func(tx *store.Tx) error { _, _, err := tx.DropFile("/hr.mbox"); return err }},
		{"not there any more", func(tx *store.Tx) error { _, _, err := tx.ReleaseExcept(1, nil); return err }},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := open(t, store.Options{Path: store.Memory})
			update := func(fn func(tx *store.Tx) error) {
				t.Helper()
				if err := s.Update(t.Context(), fn); err != nil {
					t.Fatal(err)
				}
				if err := s.Finish(t.Context()); err != nil {
					t.Fatal(err)
				}
				expectNone(t, s, invariants, t)
			}
			bob := []store.Mention{{Kind: "person", Value: "bob", Surface: "Bob", Count: 2}}
			both := storetest.Doc("mail:hr", "email", "both", storetest.Text{Content: "in both", Mentions: bob})
			one := storetest.Doc("mail:hr", "email", "one", storetest.Text{Content: "in one", Mentions: bob})
			update(func(tx *store.Tx) error {
				hr, err := tx.PutFile(store.FileRecord{Path: "/hr.mbox", Complete: true})
				if err != nil {
					return err
				}
				for _, d := range []store.DocumentRecord{both, one} {
					id, _, err := tx.PutDocument(d)
					if err != nil {
						return err
					}
					if err := tx.Hold(hr, id); err != nil {
						return err
					}
				}
				return nil
			})
			update(func(tx *store.Tx) error {
				work, err := tx.PutFile(store.FileRecord{Path: "/work.mbox", Complete: true})
				if err != nil {
					return err
				}
				id, held, err := tx.HeldBefore(both.Identity, work)
				if err != nil || !held {
					t.Fatalf("held %v, %v", held, err)
				}
				return tx.HoldFor(work, id, store.SourceMeta{SourceID: "mail:work", Kind: "email"})
			})
			if src, err := s.Sources(t.Context(), nil); err != nil || len(src) != 1 || src[0].SourceID != "mail:hr" || src[0].ChunkCount != 2 {
				t.Fatalf("before: %+v, %v", src, err)
			}
			if n, err := s.HoldsFor(t.Context(), "mail:work"); err != nil || n != 1 {
				t.Errorf("mail:work holds %d of others, %v", n, err)
			}
			if shared, err := s.SharedWith(t.Context(), "mail:hr"); err != nil || len(shared) != 1 || shared["mail:work"] != 1 {
				t.Errorf("shared: %v, %v", shared, err)
			}
			update(test.drop)
			if shared, err := s.SharedWith(t.Context(), "mail:work"); err != nil || len(shared) != 0 {
				t.Errorf("shared after it: %v, %v", shared, err)
			}
			if src, err := s.Sources(t.Context(), nil); err != nil || len(src) != 1 || src[0].SourceID != "mail:work" || src[0].ChunkCount != 1 {
				t.Errorf("sources: %+v, %v", src, err)
			}
			page, total, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 10, Filter: store.Filter{EntityIDs: []string{"person:bob"}}})
			if err != nil || total != 1 || page[0].Content != "in both" || page[0].SourceID != "mail:work" {
				t.Errorf("chunks: %+v, %v", page, err)
			}
			if top, err := s.TopEntities(t.Context(), "", 5, storetest.Without{"mail:hr"}); err != nil || len(top) != 1 || top[0].Count != 1 {
				t.Errorf("entities: %+v, %v", top, err)
			}
			update(func(tx *store.Tx) error { _, _, err := tx.DropFile("/work.mbox"); return err })
			if _, total, err := s.ListChunks(t.Context(), store.ListQuery{}); err != nil || total != 0 {
				t.Errorf("%d chunks without a file, %v", total, err)
			}
		})
	}
}
