package tools

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/openhuman/openhuman-core/internal/near"
	"github.com/openhuman/openhuman-core/pkg/fault"
)

// arguments decodes the parameters of one operation. Models send numbers as strings, null or "" for
// what they leave out and lists as JSON inside a string; all of these are taken as what they plainly
// mean. Names are not guessed: an ignored filter would be believed to have worked.
type arguments struct {
	of     string // whose parameters, for messages
	fields []field
}

type field struct {
	name     string
	index    int
	required bool
	minimum  *float64
	values   []string // the known values, where there is a list of them
}

// synonyms are names that models invent, with the one they mean. They serve messages only.
var synonyms = map[string]string{
	"limit": "k", "top_k": "k", "topk": "k", "n": "k", "count": "k", "size": "k", "max": "k", "max_results": "k", "num_results": "k", "page_size": "k",
	"q": "query", "text": "query", "search": "query", "keywords": "query", "question": "query",
	"id": "chunk_id", "chunk": "chunk_id",
	"skip": "offset", "start": "offset", "page": "offset", "cursor": "offset",
	"since": "since_ms", "after": "since_ms", "from": "since_ms", "start_ms": "since_ms",
	"until": "until_ms", "before": "until_ms", "to": "until_ms", "end_ms": "until_ms",
	"source": "source_ids", "sources": "source_ids", "entity": "entity_ids", "entities": "entity_ids",
	"type": "kind", "entity_kind": "kind", "email": "user_email_hint",
	"body": "content", "note": "content", "name": "title", "subject": "title", "labels": "tags", "tag": "tags",
}

func newArguments[T any](of string, s *jsonschema.Schema) *arguments {
	a := &arguments{of: of}
	t := reflect.TypeFor[T]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		p := s.Properties[name]
		if p == nil {
			panic(fmt.Sprintf("tools: %s: field %s has no schema", of, t.Field(i).Name))
		}
		f := field{name: name, index: i, required: slices.Contains(s.Required, name), minimum: p.Minimum}
		enum := p.Enum
		if p.Items != nil {
			enum = p.Items.Enum
		}
		for _, v := range enum {
			f.values = append(f.values, v.(string))
		}
		a.fields = append(a.fields, f)
	}
	return a
}

// decode fills the struct that into points to. Every failure is an Invalid fault.
func (a *arguments) decode(raw json.RawMessage, into any) error {
	members, err := a.members(raw)
	if err != nil {
		return err
	}
	if err := a.unknown(members); err != nil {
		return err
	}
	v := reflect.ValueOf(into).Elem()
	for _, f := range a.fields {
		value, given := members[f.name]
		if !given || f.absent(value) {
			if f.required {
				return a.invalid("%q is required and must not be empty.", f.name)
			}
			continue
		}
		if err := f.set(v.Field(f.index), value); err != nil {
			return a.invalid("%q %v.", f.name, err)
		}
	}
	return nil
}

// members splits the arguments; an object inside a JSON string and no arguments at all are both fine.
func (a *arguments) members(raw json.RawMessage) (map[string]json.RawMessage, error) {
	var s string
	if len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		raw = json.RawMessage(strings.TrimSpace(s))
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, a.invalid("The arguments must be a JSON object.")
	}
	return m, nil
}

func (a *arguments) invalid(format string, args ...any) error {
	return fault.New(fault.Invalid, format, args...).WithHint("%s", a.usage())
}

// unknown refuses the first unknown argument, in alphabetical order so that the message is repeatable.
func (a *arguments) unknown(members map[string]json.RawMessage) error {
	known := make([]string, len(a.fields))
	for i, f := range a.fields {
		known[i] = f.name
	}
	strangers := slices.DeleteFunc(slices.Sorted(maps.Keys(members)), func(n string) bool { return slices.Contains(known, n) })
	if len(strangers) == 0 {
		return nil
	}
	name := strangers[0]
	meant := near.Word(name, known)
	if s := synonyms[strings.ToLower(name)]; meant == "" && slices.Contains(known, s) {
		meant = s
	}
	if meant == "" {
		return a.invalid("There is no argument %q.", cut(name))
	}
	return a.invalid("There is no argument %q; did you mean %q?", cut(name), meant)
}

// usage lists what the operation takes.
func (a *arguments) usage() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s takes ", a.of)
	for i, f := range a.fields {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(f.name)
		if f.required {
			b.WriteString(" (required)")
		}
	}
	return b.String() + "."
}

// absent reports whether the value is one of the ways to say nothing.
func (f field) absent(raw json.RawMessage) bool {
	if string(raw) == "null" {
		return true
	}
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return false
	}
	s = strings.TrimSpace(s)
	if s == "" {
		return true
	}
	// A required text may well be the word "none".
	return !f.required && slices.Contains([]string{"null", "none", "undefined", "nil"}, strings.ToLower(s))
}

// set stores the value that is meant by raw. Its errors continue a sentence that names the argument.
func (f field) set(v reflect.Value, raw json.RawMessage) error {
	if v.Kind() == reflect.Pointer {
		v.Set(reflect.New(v.Type().Elem()))
		v = v.Elem()
	}
	if u, ok := v.Addr().Interface().(json.Unmarshaler); ok {
		if u.UnmarshalJSON(raw) != nil {
			return fmt.Errorf("must be a JSON object")
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Int, reflect.Int64:
		n, err := integer(raw)
		if err != nil {
			return err
		}
		if f.minimum != nil && float64(n) < *f.minimum {
			return fmt.Errorf("must be at least %v, not %d", *f.minimum, n)
		}
		if v.OverflowInt(n) {
			n = math.MaxInt32
		}
		v.SetInt(n)
	case reflect.String:
		s, err := text(raw)
		if err != nil {
			return err
		}
		v.SetString(f.known(s))
	case reflect.Bool:
		b, err := boolean(raw)
		if err != nil {
			return err
		}
		v.SetBool(b)
	case reflect.Slice:
		list, err := f.list(raw)
		if err != nil {
			return err
		}
		v.Set(reflect.ValueOf(list))
	default:
		if err := json.Unmarshal(raw, v.Addr().Interface()); err != nil {
			return fmt.Errorf("is malformed")
		}
	}
	return nil
}

// unquoted returns the text of a JSON string, and any other literal as it is written.
func unquoted(raw json.RawMessage) string {
	var s string
	if raw[0] == '"' && json.Unmarshal(raw, &s) == nil {
		return strings.TrimSpace(s)
	}
	return string(raw)
}

func integer(raw json.RawMessage) (int64, error) {
	s := unquoted(raw)
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return n, nil
	}
	x, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil && !math.IsInf(x, 0), math.IsNaN(x), x != math.Trunc(x):
		return 0, fmt.Errorf("must be a whole number")
	case x >= math.MaxInt64:
		return math.MaxInt64, nil
	case x <= math.MinInt64:
		return math.MinInt64, nil
	}
	return int64(x), nil
}

func boolean(raw json.RawMessage) (bool, error) {
	switch strings.ToLower(unquoted(raw)) {
	case "true", "1", "yes", "on":
		return true, nil
	case "false", "0", "no", "off":
		return false, nil
	}
	return false, fmt.Errorf("must be true or false")
}

func text(raw json.RawMessage) (string, error) {
	if raw[0] == '{' || raw[0] == '[' {
		return "", fmt.Errorf("must be a string")
	}
	var s string
	if raw[0] == '"' {
		err := json.Unmarshal(raw, &s)
		return s, err
	}
	return string(raw), nil // a number or a boolean, as written
}

// known returns the spelling of a listed value; anything else is for the controller to judge.
func (f field) known(s string) string {
	for _, v := range f.values {
		if strings.EqualFold(v, strings.TrimSpace(s)) {
			return v
		}
	}
	return s
}

// list takes an array, an array written as JSON in a string, or one bare value. Only where the values
// are listed can a comma be a separator: ids may hold one.
func (f field) list(raw json.RawMessage) ([]string, error) {
	if s := unquoted(raw); raw[0] == '"' && strings.HasPrefix(s, "[") && json.Valid([]byte(s)) {
		raw = json.RawMessage(s)
	}
	var items []json.RawMessage
	if raw[0] != '[' {
		items = []json.RawMessage{raw}
	} else if err := json.Unmarshal(raw, &items); err != nil {
		return nil, fmt.Errorf("must be a list of strings")
	}
	list := []string{}
	for _, item := range items {
		if item = bytes.TrimSpace(item); f.absent(item) {
			continue
		}
		s, err := text(item)
		if err != nil {
			return nil, fmt.Errorf("must be a list of strings")
		}
		if f.known(s) == s && f.values != nil && strings.Contains(s, ",") {
			for part := range strings.SplitSeq(s, ",") {
				if part = strings.TrimSpace(part); part != "" {
					list = append(list, f.known(part))
				}
			}
			continue
		}
		list = append(list, f.known(s))
	}
	return list, nil
}
