package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// TestHoldings: what files hold and who holds documents, asked for by name and by row.
func TestHoldings(t *testing.T) {
	s := open(t, store.Options{Path: store.Memory})
	hr := store.FileRecord{Path: "/home/hr.mbox", Root: "/home", Size: 7, MTimeNS: 8, Fingerprint: "print", Complete: true, Outcome: "ok", Reason: "why"}
	empty := store.FileRecord{Path: "/home/\"empty\" & <ä>", Root: "/home", Outcome: "no_text"}
	both := storetest.Doc("mail:hr", "email", "both", storetest.Text{Content: "äöü in both"}, storetest.Text{Content: "and more"})
	one := storetest.Doc("mail:hr", "email", "one", storetest.Text{Content: "in one"})
	again := both
	again.Source.SourceID = "mail:work"
	ids := map[string]int64{}
	err := s.Update(t.Context(), func(tx *store.Tx) error {
		for _, f := range []struct {
			rec  store.FileRecord
			docs []store.DocumentRecord
		}{{hr, []store.DocumentRecord{both, one}}, {store.FileRecord{Path: "/work.mbox", Root: "/"}, []store.DocumentRecord{again}}, {empty, nil}} {
			file, err := tx.PutFile(f.rec)
			if err != nil {
				return err
			}
			ids[f.rec.Path] = file
			for i := range f.docs {
				doc, held, err := tx.HeldBefore(f.docs[i].Identity, file)
				if err == nil && !held {
					doc, _, err = tx.PutDocument(f.docs[i])
				}
				if err != nil {
					return err
				}
				ids[f.docs[i].Identity] = doc
				if err := tx.HoldAs(file, doc, &f.docs[i]); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	hr.Documents = 2
	wantHR := store.HeldFile{FileRecord: hr, ID: ids[hr.Path], Held: []int64{ids[both.Identity], ids[one.Identity]}}
	wantEmpty := store.HeldFile{FileRecord: empty, ID: ids[empty.Path]}
	for _, ask := range []struct {
		paths []string
		ids   []int64
		want  []store.HeldFile
	}{
		{[]string{empty.Path, hr.Path, "/none"}, nil, []store.HeldFile{wantHR, wantEmpty}},
		{[]string{hr.Path}, []int64{ids[hr.Path], ids[empty.Path], 99}, []store.HeldFile{wantHR, wantEmpty}},
		{nil, nil, nil},
	} {
		got, err := s.HeldFiles(t.Context(), ask.paths, ask.ids)
		for i := range got {
			slices.Sort(got[i].Held)
			got[i].IngestedAt = time.Time{}
		}
		if diff := cmp.Diff(ask.want, got); diff != "" || err != nil {
			t.Errorf("files %q %v: %v %s", ask.paths, ask.ids, err, diff)
		}
	}
	wantBoth := store.HeldDocument{
		ID: ids[both.Identity], Identity: both.Identity, Hash: both.Hash[:], Source: "mail:hr",
		Holders: []store.Holder{{File: ids[hr.Path], Source: "mail:hr"}, {File: ids["/work.mbox"], Source: "mail:work"}},
	}
	for _, ask := range []struct {
		names []string
		ids   []int64
	}{{[]string{both.Identity, "none"}, nil}, {nil, []int64{ids[both.Identity], 99}}} {
		got, err := s.HeldDocuments(t.Context(), ask.names, ask.ids)
		if diff := cmp.Diff([]store.HeldDocument{wantBoth}, got); diff != "" || err != nil {
			t.Errorf("documents %q %v: %v %s", ask.names, ask.ids, err, diff)
		}
	}
	if n, err := s.Characters(t.Context(), ids[both.Identity]); n != len("xxx in both")+len("and more") || err != nil {
		t.Errorf("%d characters, %v", n, err)
	}
	sources, err := s.SourcesByFile(t.Context(), "/home", "/home")
	if diff := cmp.Diff(map[int64][]string{ids[hr.Path]: {"mail:hr"}}, sources); diff != "" || err != nil {
		t.Errorf("sources: %v %s", err, diff)
	}
}
