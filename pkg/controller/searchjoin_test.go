package controller_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/text"
	"github.com/openhuman/openhuman-core/pkg/controller"
	"github.com/openhuman/openhuman-core/pkg/policy"
	"github.com/openhuman/openhuman-core/pkg/store"
)

var boatNotes = []note{
	{id: "boat", title: "Lease of the boat", text: "It ends in autumn."},
	{id: "node", text: "The price of a node."},
	{id: "whole", text: "See boat/lease and POL-358."},
	{id: "near", text: "POL: 358 of them."},
	{id: "part", text: "POL-359, another one."},
	{id: "sum", text: "We paid 1,234.56 and then 98765."},
	{id: "thumb", text: "Great 👍🏽 thing!", day: "2024-04-01"},
	{id: "tag", text: "A #sailing trip in .NET with $HOME"},
}

// Words that signs join are found as they are written, then by their parts.
func TestSearchJoinedWords(t *testing.T) {
	c := searchable(t, nil, boatNotes...)
	for _, q := range []string{
		"lease,boat", "boat/lease", "boat;lease", "boat&lease", "boat|lease", "boat+lease", "boat—lease", "boat…lease", "boat...lease",
		"boat:lease", "boat(lease)", "title:lease", "lease\x00boat", "boat\u200blease", "boat-lease", "boat_lease", "boat.lease", "boat@lease",
		"boat=lease", "boat?lease", "[boat]lease", `boat"lease`, "boat~lease", `boat\lease`, "boat'lease", "boat、lease", "boat<lease>",
	} {
		res := search(t, c, q, 10)
		if !slices.Contains(ids(res.Chunks), "boat") || res.Hint != "" {
			t.Errorf("%q: %v, hint %q", q, ids(res.Chunks), res.Hint)
		}
		if q := `"` + q + `"`; !strings.Contains(q[1:len(q)-1], `"`) && slices.Contains(ids(search(t, c, q, 10).Chunks), "boat") {
			t.Errorf("%q is found although it is quoted", q)
		}
	}
	for q, want := range map[string][]string{
		"POL-358":    {"whole", "near", "part"},
		"boat/lease": {"whole", "boat"},
		"POL-35*":    {"part", "whole", "near"},
		"1234":       {"sum"},
		"98,765":     {"sum"},
		"👍":          {"thumb"},
		"great 👍🏽":   {"thumb"},
		"zzz 👍":      {"thumb"},
		"🎉":          {},
	} {
		got := ids(search(t, c, q, 10).Chunks)
		if q == "POL-35*" {
			slices.Sort(got[:2])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", q, diff)
		}
	}
	for _, q := range []string{"price,node", "price node", "price;node"} {
		res, err := c.ListChunks(t.Context(), controller.ListChunksParams{Query: q})
		if err != nil || res.Total != 1 || res.Chunks[0].ChunkID != "node" {
			t.Errorf("browse %q: %v, %v", q, ids(res.Chunks), err)
		}
	}
	// Browsing is a filter: what holds the query as it is written, else what holds its parts.
	for q, want := range map[string][]string{
		"boat/lease": {"whole"}, "lease/boat": {"boat", "whole"}, "autumn_lease": {"boat"}, "POL-358": {"whole"}, "358-pol": {"near", "whole"},
		"1234": {"sum"}, "98,765": {"sum"}, `"lease/boat"`: {}, "lease/boat -whole -358": {"boat"}, "lease/xyzzy": {},
	} {
		res, err := c.ListChunks(t.Context(), controller.ListChunksParams{Query: q})
		got := ids(res.Chunks)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" || err != nil || res.Total != len(want) {
			t.Errorf("browse %s: %d, %v (-want +got)\n%s", q, res.Total, err, diff)
		}
		first, err := c.ListChunks(t.Context(), controller.ListChunksParams{Query: q, K: 1, Offset: max(0, len(want)-1)})
		if err != nil || first.Total != len(want) || first.NextOffset != nil {
			t.Errorf("browse %s by pages: %+v, %v", q, first, err)
		}
	}
	for _, q := range []string{"-#sailing", "-.NET", "-$HOME", "-(trip)"} {
		if got := ids(search(t, c, q, 50).Chunks); slices.Contains(got, "tag") || len(got) != len(boatNotes)-1 {
			t.Errorf("%s: %v", q, got)
		}
	}
	if got := ids(search(t, c, "-👍", 50).Chunks); slices.Contains(got, "thumb") || len(got) != len(boatNotes)-1 {
		t.Errorf("-👍: %v", got)
	}
}

// A filter that says nothing readable must not let everything pass.
func TestBrowseByNothingReadable(t *testing.T) {
	c := searchable(t, nil, searchNotes...)
	for _, q := range []string{"((", "...", "-", "\u200b!"} {
		res, err := c.ListChunks(t.Context(), controller.ListChunksParams{Query: q})
		if err != nil || len(res.Chunks) != 0 || res.Total != 0 || !strings.Contains(res.Hint, "no letter") {
			t.Errorf("%q: %d of %d rows, hint %q (%v)", q, len(res.Chunks), res.Total, res.Hint, err)
		}
	}
	for _, q := range []string{"", "  ", "kind:email", "-xyzzy"} {
		if res, err := c.ListChunks(t.Context(), controller.ListChunksParams{Query: q}); err != nil || len(res.Chunks) == 0 {
			t.Errorf("%q: no rows, hint %q (%v)", q, res.Hint, err)
		}
	}
}

func TestSearchHints(t *testing.T) {
	c := searchable(t, nil, append(searchNotes[:len(searchNotes):len(searchNotes)], note{id: "kind", text: "of a bogus kind"})...)
	for q, want := range map[string][]string{
		"kind:bogus":                      {"kind:bogus was not understood", "chat, email, document"},
		"migration kind:email,x":          {"kind:email,x was not understood"},
		"migration after:nonsense":        {"after:nonsense was not understood", "YYYY-MM-DD"},
		"after:2024-13-45":                {"after:2024-13-45 was not understood", "Nothing holds any of these words"},
		"migration source:notes:wrk":      {`no source "notes:wrk"`, "notes:work"},
		"source:notes:work,slack:nope":    {`no source "slack:nope"`},
		"migration from:nobody":           {`no author "nobody"`},
		"migration tag:infr":              {`the tag "infr"`},
		"after:2024-05-03 before:2024-05": nil,
		"after:2024-05-03 before:2024-04": {"after: is later than before:"},
		"migration":                       nil,
		"migration kind:email,document":   nil,
		"from:alice,zoë":                  nil,
		"the xyzzy":                       {"those aside that stand everywhere"},
		"xyzzy":                           {"Nothing holds any of these words. "},
		"xyzzy -migration":                {"excluded words"},
		`"nowhere said" migration`:        {"quotation marks"},
		"migration source:gmail from:bob": {"Leave out an operator"},
	} {
		res := search(t, c, q, 10)
		for _, part := range want {
			if !strings.Contains(res.Hint, part) {
				t.Errorf("%s: %d rows, hint %q, want %q", q, len(res.Chunks), res.Hint, part)
			}
		}
		if want == nil && (res.Hint != "" || len(res.Chunks) == 0) {
			t.Errorf("%s: %d rows, hint %q", q, len(res.Chunks), res.Hint)
		}
		if len(want) == 0 || !strings.Contains(want[0], " was not ") && !strings.Contains(want[0], "no ") && !strings.Contains(want[0], "the tag") {
			continue
		}
		// What of a query is not understood, or names nothing, is told to who browses as well.
		list, err := c.ListChunks(t.Context(), controller.ListChunksParams{Query: q})
		if err != nil || !strings.Contains(list.Hint, want[0]) {
			t.Errorf("browse %s: hint %q, want %q, %v", q, list.Hint, want[0], err)
		}
	}
	for _, id := range []string{"*", "notes:*"} {
		if list, err := c.ListChunks(t.Context(), controller.ListChunksParams{SourceIDs: []string{id}}); err != nil || !strings.Contains(list.Hint, "not patterns") {
			t.Errorf("source_ids %s: hint %q, %v", id, list.Hint, err)
		}
	}
	// Names that the caller may not see are not told.
	p, err := policy.New(policy.Options{DenySources: []string{"gmail:*"}})
	if err != nil {
		t.Fatal(err)
	}
	if res := search(t, searchable(t, p, searchNotes...), "source:gmail:a", 10); strings.Contains(res.Hint, "gmail:a@x") || res.Hint == "" {
		t.Errorf("hint %q", res.Hint)
	}
}

// commonStore says of one word that most of a large memory holds it.
type commonStore struct{ *store.Store }

func (s commonStore) TermCounts(ctx context.Context, terms []string) (map[string]int, int, error) {
	return map[string]int{text.Stem("everyday"): 90_000}, 100_000, nil
}

// A word in most of all chunks finds rows when rarer words do not.
func TestSearchByCommonWords(t *testing.T) {
	var notes []note
	for i := range 40 {
		notes = append(notes, note{text: fmt.Sprintf("everyday note%d", i)})
	}
	st, err := store.Open(t.Context(), store.Options{Path: store.Memory})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	putNotes(t, st, notes...)
	c := controller.New(controller.Options{Store: commonStore{st}})
	var many strings.Builder
	for i := range 40 {
		fmt.Fprintf(&many, "absent%c%c ", 'a'+i%26, 'a'+i/26)
	}
	for _, q := range []string{"xyzzy everyday", "note7 everyday", many.String() + "everyday"} {
		if res := search(t, c, q, 10); len(res.Chunks) != 10 || !res.HasMore {
			t.Errorf("%s: %d rows, more %v, %q", q, len(res.Chunks), res.HasMore, res.Hint)
		}
	}
}
