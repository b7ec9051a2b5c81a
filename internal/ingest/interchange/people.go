package interchange

import (
	"encoding/json"
	"net/mail"
	"strings"

	"github.com/openhuman/openhuman-core/internal/doc"
)

// people reads one address, a list of them in one string, or an array.
type people []doc.Person

func (p *people) UnmarshalJSON(b []byte) error {
	list := []json.RawMessage{b}
	if b[0] == '[' {
		list = nil
		if err := json.Unmarshal(b, &list); err != nil {
			return err
		}
	}
	for _, raw := range list {
		if raw[0] == '{' {
			var one object
			if err := json.Unmarshal(raw, &one); err != nil {
				return err
			}
			*p = append(*p, doc.Person(one))
			continue
		}
		var s *string
		if err := json.Unmarshal(raw, &s); err != nil {
			return err
		}
		if s != nil {
			*p = append(*p, persons(clean(*s))...)
		}
	}
	return nil
}

// someone reads one person.
type someone doc.Person

func (p *someone) UnmarshalJSON(b []byte) error {
	if b[0] == '{' {
		return json.Unmarshal(b, (*object)(p))
	}
	var s *string
	if err := json.Unmarshal(b, &s); err != nil || s == nil {
		return err
	}
	*p = someone(person(clean(*s)))
	return nil
}

// object is a person about whom one text does not say everything.
type object struct {
	Name   string `json:"name,omitempty"`
	Email  string `json:"email,omitempty"`
	Handle string `json:"handle,omitempty"`
	Phone  string `json:"phone,omitempty"`
	Org    string `json:"org,omitempty"`
}

// named is a person for a line: one text where reading it gives the same person again, else an object.
func named(p doc.Person, read func(string) []doc.Person) any {
	s := p.String()
	switch {
	case p.Name != "" && p.Email != "":
		s = p.Name + " <" + p.Email + ">"
	case s == p.Handle && s != "":
		s = "@" + s
	}
	if again := read(clean(s)); s == "" && p == (doc.Person{}) || len(again) == 1 && again[0] == p {
		return s
	}
	return object(p)
}

// single reads a text that names one person.
func single(s string) []doc.Person { return []doc.Person{person(s)} }

// listed reads a text of a list.
func listed(s string) []doc.Person { return persons(s) }

// persons reads an address list, and takes what is none as a name.
func persons(s string) []doc.Person {
	if s = strings.TrimSpace(s); s == "" {
		return nil
	}
	if as, err := mail.ParseAddressList(s); err == nil {
		out := make([]doc.Person, len(as))
		for i, a := range as {
			out[i] = doc.Person{Name: a.Name, Email: a.Address}
		}
		return out
	}
	return []doc.Person{person(s)}
}

// person reads "Name <address>", a bare address, or a name.
func person(s string) doc.Person {
	if s = strings.TrimSpace(s); s == "" {
		return doc.Person{}
	}
	if i := strings.LastIndexByte(s, '<'); i >= 0 && strings.HasSuffix(s, ">") && strings.Contains(s[i:], "@") {
		return doc.Person{Name: strings.Trim(s[:i], ` "`), Email: strings.TrimSpace(s[i+1 : len(s)-1])}
	}
	if !strings.ContainsAny(s, " \t") && strings.Count(s, "@") == 1 && s[0] != '@' && s[len(s)-1] != '@' {
		return doc.Person{Email: s}
	}
	if h, ok := strings.CutPrefix(s, "@"); ok && !strings.ContainsAny(h, " \t") {
		return doc.Person{Handle: h}
	}
	return doc.Person{Name: s}
}
