package ingest_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/ingest"
	"github.com/openhuman/openhuman-core/pkg/store"
)

const (
	annCard = "BEGIN:VCARD\nVERSION:3.0\nFN:Ann Lee\nORG:Acme GmbH\nEMAIL:ann@acme.example\nEMAIL:granite.fan@example.org\nTEL;TYPE=CELL:0170 1234567\nEND:VCARD\n"
	bare    = "From: granite.fan@example.org\nTo: bob@example.org\nDate: Mon, 20 May 2024 10:00:00 +0000\nMessage-ID: <bare@x>\nSubject: Stones\n\nGranite is on sale.\n"
	named   = "From: Ann Lee <ann@acme.example>\nTo: bob@example.org\nDate: Tue, 21 May 2024 10:00:00 +0000\nMessage-ID: <named@x>\nSubject: Mortar\n\nThe mortar has come.\n"
	called  = "[20.05.24, 10:00:00] \u202a+49 170 1234567\u202c: Shall we meet at the quarry?\n[20.05.24, 10:01:00] Bob: Yes, at noon.\n[21.05.24, 10:02:00] \u202a+49 170 1234567\u202c: I am there now.\n"
	signed  = "From: \"A. Lee\" <ann@acme.example>\nTo: Bob Ray <bob@example.org>\nDate: Wed, 22 May 2024 10:00:00 +0000\nMessage-ID: <signed@x>\nSubject: Slate\n\nSlate is cheaper.\n"
)

// mentioning lists the first words of what mentions an entity.
func mentioning(t tb, s *store.Store, id string) []string {
	t.Helper()
	page, _, err := s.ListChunks(context.Background(), store.ListQuery{Limit: 100, Filter: store.Filter{EntityIDs: []string{id}}})
	must(t, err)
	out := []string{}
	for _, c := range page {
		out = append(out, firstWords(c.Content))
	}
	slices.Sort(out)
	return out
}

// TestContactsNamePeople: whoever a contact or a header gives an address or a number is one person, in
// whatever order they are taken in, and no longer when what said so is gone.
func TestContactsNamePeople(t *testing.T) {
	files := map[string]string{"ann.vcf": annCard, "bare.eml": bare, "named.eml": named, "signed.eml": signed, "WhatsApp Chat - Bob.txt": called, "stays.md": "Mortar."}
	names := slices.Sorted(maps.Keys(files))
	dirs := 0
	rapid.Check(t, func(rt *rapid.T) {
		dirs++
		base := folder(t, fmt.Sprint("c", dirs), nil)
		s := openAt(t, filepath.Join(t.TempDir(), "memory.db"))
		defer s.Close()
		o := ingest.Options{Store: s}
		for _, name := range rapid.Permutation(names).Draw(rt, "order") {
			write(rt, base, map[string]string{name: files[name]})
			if rapid.Bool().Draw(rt, "now") {
				run(t, o, base)
			}
		}
		run(t, o, base)
		for id, want := range map[string][]string{
			"person:ann-lee":         {"+49 170 1234567:", "+49 170 1234567:", "Contact: Ann Lee", "Granite is on", "Slate is cheaper.", "The mortar has"},
			"person:a-lee":           {"+49 170 1234567:", "+49 170 1234567:", "Contact: Ann Lee", "Granite is on", "Slate is cheaper.", "The mortar has"},
			"person:bob-ray":         {"Granite is on", "Slate is cheaper.", "The mortar has"},
			"organization:acme":      {"Contact: Ann Lee"},
			"email:ann@acme.example": {"Contact: Ann Lee", "Slate is cheaper.", "The mortar has"},
			"email:bob@example.org":  {"Granite is on", "Slate is cheaper.", "The mortar has"},
		} {
			if d := cmp.Diff(want, mentioning(rt, s, id)); d != "" {
				rt.Fatalf("%s: %s", id, d)
			}
		}
		top, err := s.TopEntities(t.Context(), "person", 10, nil)
		must(rt, err)
		var people []string
		for _, e := range top {
			people = append(people, fmt.Sprint(e.EntityID, " ", e.Surface, " ", e.Count))
		}
		if d := cmp.Diff([]string{"person:ann-lee Ann Lee 6", "person:bob-ray Bob Ray 3", "person:bob Bob 1"}, people); d != "" {
			rt.Fatal(d)
		}
		for _, line := range dump(t, s) {
			if strings.Contains(line, "address:") {
				rt.Fatal(line)
			}
		}
		must(rt, os.Remove(filepath.Join(base, "ann.vcf")))
		run(t, o, base)
		if d := cmp.Diff([]string{"Slate is cheaper.", "The mortar has"}, mentioning(rt, s, "person:ann-lee")); d != "" {
			rt.Fatalf("without the contact: %s", d)
		}
	})
}

// TestHiddenContact: what a hidden source says about an address is not known.
func TestHiddenContact(t *testing.T) {
	base, s := folder(t, "home", map[string]string{"cards/ann.vcf": annCard, "mails/bare.eml": bare, "mails/named.eml": named, "mails/signed.eml": signed}), open(t)
	for _, dir := range []string{"mails", "cards"} {
		run(t, ingest.Options{Store: s}, filepath.Join(base, dir))
	}
	seen := func(scope store.Scope) []string {
		top, err := s.TopEntities(t.Context(), "person", 10, scope)
		must(t, err)
		var people []string
		for _, e := range top {
			people = append(people, fmt.Sprint(e.EntityID, " ", e.Surface, " ", e.Count))
		}
		page, _, err := s.ListChunks(t.Context(), store.ListQuery{Limit: 10, Filter: store.Filter{EntityIDs: []string{"person:ann-lee"}, Scope: scope}})
		must(t, err)
		for _, c := range page {
			d, err := s.Chunk(t.Context(), c.ChunkID, scope)
			must(t, err)
			for _, e := range d.Entities {
				if e.Kind == "address" || strings.HasPrefix(e.EntityID, "address:") {
					t.Errorf("%s shows %+v", c.SourceRef, e)
				}
			}
			people = append(people, firstWords(c.Content))
		}
		return people
	}
	if d := cmp.Diff([]string{"person:ann-lee Ann Lee 4", "person:bob-ray Bob Ray 3", "Slate is cheaper.", "The mortar has", "Granite is on", "Contact: Ann Lee"}, seen(nil)); d != "" {
		t.Errorf("all: %s", d)
	}
	if d := cmp.Diff([]string{"person:bob-ray Bob Ray 3", "person:ann-lee A. Lee 2", "Slate is cheaper.", "The mortar has"}, seen(hiding("notes:cards"))); d != "" {
		t.Errorf("without the cards: %s", d)
	}
}

// hiding is a scope without one source.
type hiding string

func (h hiding) Hides(id string) bool { return id == string(h) }
func (hiding) All() bool              { return false }
