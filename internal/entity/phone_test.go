package entity_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/openhuman/openhuman-core/internal/doc"
	"github.com/openhuman/openhuman-core/internal/entity"
)

func TestPhoneValue(t *testing.T) {
	for in, want := range map[string]string{
		"+49 170 1234567": "tel:701234567", "0170/1234567": "tel:701234567", "0049 (170) 123-45.67": "tel:701234567", "+1 (555) 010-4477": "tel:550104477",
		"\u202a+86\u00a0138 0013 8000\u202c": "tel:800138000", "+44-20-7946-0123 ext. 42": "tel:079460123", "12345678": "tel:12345678",
		"112": "", "Ann Lee": "", "Room 12345678": "", "": "", "+": "", "2 + 1234567": "", "12345678901234567890": "", "ann@example.org": "",
	} {
		if got := entity.PhoneValue(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// TestWithoutName: somebody whom the structure names by an address alone can become a person.
func TestWithoutName(t *testing.T) {
	got := short(entity.Extract(entity.Input{
		Authors: []doc.Person{{Email: "Ann@Example.org"}, {Name: "bob@example.org"}, {Name: "+49 170 1234567"}, {Handle: "carl"}, {Name: "Dora", Phone: "0170 7654321"}},
		People:  []doc.Person{{Email: "noreply@shop.example"}, {Name: "me", Email: "ann@example.org"}},
	}))
	want := []string{"address:ann@example.org", "email:ann@example.org", "address:bob@example.org", "address:tel:701234567", "address:@carl", "handle:carl", "person:dora"}
	if d := cmp.Diff(want, got[:len(want)]); d != "" {
		t.Error(d)
	}
	links := entity.Links([]doc.Person{{Name: "Ann Lee", Phone: "+49 170 1234567"}})
	if d := cmp.Diff([]entity.Link{{Kind: "handle", Value: "tel:701234567", Person: "ann-lee"}}, links); d != "" {
		t.Error(d)
	}
}

// TestRoomForAll: people without names take no room from what is seen.
func TestRoomForAll(t *testing.T) {
	var people []doc.Person
	for i := range 100 {
		people = append(people, doc.Person{Email: fmt.Sprintf("a%d@example.org", i)})
	}
	emails, all := 0, entity.Extract(entity.Input{People: people})
	for _, m := range all {
		if m.Kind == "email" {
			emails++
		}
	}
	if emails != entity.MaxMentions || len(all) != 2*entity.MaxMentions {
		t.Errorf("%d addresses among %d mentions", emails, len(all))
	}
}

func TestOrganizationInBrackets(t *testing.T) {
	for name, want := range map[string]string{
		"Ann Lee (Acme GmbH)": "organization:acme", "Ann Lee (Acme, Inc.)": "organization:acme", "王小明（北京建材有限公司）": "", "王小明 (北京建材有限公司)": "organization:北京建材",
		"Ann Lee (she/her)": "", "Ann Lee (Berlin)": "", "(Acme GmbH)": "", "Ann (Ltd)": "", "Ann Lee": "",
	} {
		got := ""
		for _, m := range entity.Extract(entity.Input{Authors: []doc.Person{{Name: name}}}) {
			if m.Kind == "organization" {
				got = m.Kind + ":" + m.Value
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
