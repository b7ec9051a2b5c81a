package ingest_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
	"github.com/openhuman/openhuman-core/pkg/store/storetest"
)

// A mail of two mailboxes is to whom one of them is hidden what it would be without that one, whichever was
// taken in first: it has its own reference and the labels of the mailbox that is seen.
func TestSharedMailHasNoTraceOfTheHidden(t *testing.T) {
	mbox := func(label string) string {
		return fmt.Sprintf("From a Mon May  6 09:00:00 2024\nFrom: Ann <ann@x.example>\nTo: bob@x.example\nDate: Mon, 6 May 2024 09:00:00 +0000\n"+
			"Message-ID: <m1@x>\nX-Gmail-Labels: %s\nSubject: Plan\n\nThe plan for May.\n\n"+
			"From a Mon May  6 10:00:00 2024\nFrom: Ann <ann@x.example>\nTo: bob@x.example\nDate: Mon, 6 May 2024 10:00:00 +0000\n"+
			"X-Gmail-Labels: %s\nSubject: Without an id\n\nNothing names this one.\n\n", label, label)
	}
	hr, pub := folder(t, "a", map[string]string{"hr.mbox": mbox("Secret")}), folder(t, "b", map[string]string{"pub.mbox": mbox("Open")})
	type answers struct {
		Rows     []store.Chunk
		Entities []store.EntityCount
		Secret   []string // what the label of the hidden mailbox finds as a word
	}
	ask := func(scope store.Scope, paths ...string) (a answers) {
		t.Helper()
		s := open(t)
		for _, p := range paths {
			run(t, ingest.Options{Store: s}, p)
		}
		page, _, err := s.ListChunks(t.Context(), store.ListQuery{Filter: store.Filter{Scope: scope}, Limit: 10})
		must(t, err)
		for i := range page {
			page[i].RowID = 0
		}
		a.Rows = page
		a.Entities, err = s.TopEntities(t.Context(), "", 50, scope)
		must(t, err)
		hits, err := s.SearchChunks(t.Context(), store.ChunkQuery{Match: `"secret"`, Filter: store.Filter{Scope: scope}, Limit: 10})
		must(t, err)
		for _, h := range hits {
			a.Secret = append(a.Secret, h.ChunkID)
		}
		return a
	}
	want := ask(nil, pub)
	if r := want.Rows; len(r) != 2 || r[1].SourceRef != "mid:m1@x" || r[1].SourceID != "mail:pub" || !cmp.Equal(r[1].Tags, []string{"Open"}) || len(want.Entities) == 0 {
		t.Fatalf("alone: %+v", want)
	}
	for name, paths := range map[string][]string{"hidden first": {hr, pub}, "seen first": {pub, hr}} {
		if diff := cmp.Diff(want, ask(storetest.Without{"mail:hr"}, paths...)); diff != "" {
			t.Errorf("%s (-alone +hidden):\n%s", name, diff)
		}
	}
}
