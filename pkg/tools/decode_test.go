package tools_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/pkg/fault"
	"github.com/openhuman/openhuman-core/pkg/tools"
)

type params struct {
	Query   string   `json:"query"`
	K       int      `json:"k,omitempty"`
	SinceMS *int64   `json:"since_ms,omitempty"`
	Kinds   []string `json:"source_kinds,omitempty"`
	IDs     []string `json:"source_ids,omitempty"`
	Kind    string   `json:"kind,omitempty"`
	Deep    bool     `json:"deep,omitempty"`
	Maybe   *bool    `json:"maybe,omitempty"`
}

func decode(raw string) (params, error) {
	return tools.Decode[params](raw,
		tools.Arg("k", "", tools.AtLeast(1)),
		tools.Arg("source_kinds", "", tools.OneOf([]string{"chat", "email", "document"})),
		tools.Arg("kind", "", tools.OneOf([]string{"person", "topic"})))
}

func ptr[T any](v T) *T { return &v }

func TestDecodeTakesWhatIsMeant(t *testing.T) {
	q := func(p params) params { p.Query = "x"; return p }
	for _, tc := range []struct {
		raw  string
		want params
	}{
		{`{"query":"x"}`, q(params{})},
		{`{"query":"  x "}`, params{Query: "  x "}},
		{`{"query":"null"}`, params{Query: "null"}}, // a word to look for
		{`{"query":"none","k":"none"}`, params{Query: "none"}},
		{`{"query":2024}`, params{Query: "2024"}},
		{`{"query":true}`, params{Query: "true"}},
		{`"{\"query\":\"x\",\"k\":3}"`, q(params{K: 3})},
		{` {"query" : "x", "k" : 10 } `, q(params{K: 10})},
		{`{"query":"x","k":10.0}`, q(params{K: 10})},
		{`{"query":"x","k":1e1}`, q(params{K: 10})},
		{`{"query":"x","k":"10"}`, q(params{K: 10})},
		{`{"query":"x","k":" 10.0 "}`, q(params{K: 10})},
		{`{"query":"x","k":51}`, q(params{K: 51})},
		{`{"query":"x","k":1e300}`, q(params{K: math.MaxInt64})},
		{`{"query":"x","k":99999999999999999999}`, q(params{K: math.MaxInt64})},
		{`{"query":"x","k":null,"since_ms":null,"source_ids":null,"kind":null,"deep":null,"maybe":null}`, q(params{})},
		{`{"query":"x","k":"","since_ms":"","source_ids":"","kind":"","deep":"","maybe":""}`, q(params{})},
		{`{"query":"x","k":"null","since_ms":"None","source_ids":"undefined","kind":"nil","deep":" null "}`, q(params{})},
		{`{"query":"x","since_ms":9007199254740993}`, q(params{SinceMS: ptr[int64](9007199254740993)})},
		{`{"query":"x","since_ms":-1}`, q(params{SinceMS: ptr[int64](-1)})},
		{`{"query":"x","since_ms":"1700000000000"}`, q(params{SinceMS: ptr[int64](1700000000000)})},
		{`{"query":"x","since_ms":0}`, q(params{SinceMS: ptr[int64](0)})},
		{`{"query":"x","source_ids":["a","b"]}`, q(params{IDs: []string{"a", "b"}})},
		{`{"query":"x","source_ids":"gmail:a@x|b@y"}`, q(params{IDs: []string{"gmail:a@x|b@y"}})},
		{`{"query":"x","source_ids":"notes:a, b"}`, q(params{IDs: []string{"notes:a, b"}})},
		{`{"query":"x","source_ids":"[\"a\",\"b\"]"}`, q(params{IDs: []string{"a", "b"}})},
		{`{"query":"x","source_ids":" [ \"a\" ] "}`, q(params{IDs: []string{"a"}})},
		{`{"query":"x","source_ids":"[not json]"}`, q(params{IDs: []string{"[not json]"}})},
		{`{"query":"x","source_ids":[]}`, q(params{IDs: []string{}})},
		{`{"query":"x","source_ids":"[]"}`, q(params{IDs: []string{}})},
		{`{"query":"x","source_ids":[null,"","a",7]}`, q(params{IDs: []string{"a", "7"}})},
		{`{"query":"x","source_kinds":"chat, email"}`, q(params{Kinds: []string{"chat", "email"}})},
		{`{"query":"x","source_kinds":["Chat","DOCUMENT"]}`, q(params{Kinds: []string{"chat", "document"}})},
		{`{"query":"x","source_kinds":["fax"]}`, q(params{Kinds: []string{"fax"}})}, // the controller says what is valid
		{`{"query":"x","kind":"Person"}`, q(params{Kind: "person"})},
		{`{"query":"x","deep":"true","maybe":false}`, q(params{Deep: true, Maybe: ptr(false)})},
		{`{"query":"x","deep":1,"maybe":"No"}`, q(params{Deep: true, Maybe: ptr(false)})},
	} {
		got, err := decode(tc.raw)
		if err != nil {
			t.Errorf("%s: %v", tc.raw, err)
			continue
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.raw, diff)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	const usage = " test.tool takes query (required), k, since_ms, source_kinds, source_ids, kind, deep, maybe."
	for _, tc := range []struct{ raw, want string }{
		{``, `"query" is required and must not be empty.`},
		{`null`, `"query" is required and must not be empty.`},
		{`{}`, `"query" is required and must not be empty.`},
		{`{"query":null}`, `"query" is required and must not be empty.`},
		{`{"query":"  "}`, `"query" is required and must not be empty.`},
		{`{"query":["x"]}`, `"query" must be a string.`},
		{`{"query":{"x":1}}`, `"query" must be a string.`},
		{`[]`, `The arguments must be a JSON object.`},
		{`5`, `The arguments must be a JSON object.`},
		{`"x"`, `The arguments must be a JSON object.`},
		{`{"query":"x","k":0}`, `"k" must be at least 1, not 0.`},
		{`{"query":"x","k":"0"}`, `"k" must be at least 1, not 0.`},
		{`{"query":"x","k":-5}`, `"k" must be at least 1, not -5.`},
		{`{"query":"x","k":3.5}`, `"k" must be a whole number.`},
		{`{"query":"x","k":"many"}`, `"k" must be a whole number.`},
		{`{"query":"x","k":"NaN"}`, `"k" must be a whole number.`},
		{`{"query":"x","k":true}`, `"k" must be a whole number.`},
		{`{"query":"x","k":[1]}`, `"k" must be a whole number.`},
		{`{"query":"x","source_ids":[["a"]]}`, `"source_ids" must be a list of strings.`},
		{`{"query":"x","source_ids":{"a":1}}`, `"source_ids" must be a list of strings.`},
		{`{"query":"x","deep":"perhaps"}`, `"deep" must be true or false.`},
		{`{"query":"x","Query":"y"}`, `There is no argument "Query"; did you mean "query"?`},
		{`{"query":"x","source_id":"y"}`, `There is no argument "source_id"; did you mean "source_ids"?`},
		{`{"query":"x","limit":5}`, `There is no argument "limit"; did you mean "k"?`},
		{`{"Query":"y"}`, `There is no argument "Query"; did you mean "query"?`},
		{`{"query":"x","zzzzzzzzzz":5,"aaaaaaaaaa":1}`, `There is no argument "aaaaaaaaaa".`},
	} {
		_, err := decode(tc.raw)
		if fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%s: got %v, want an invalid fault", tc.raw, err)
			continue
		}
		if diff := cmp.Diff(tc.want+usage, fault.Message(err)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.raw, diff)
		}
	}
}

func TestDecodeBoundsWhatItQuotes(t *testing.T) {
	_, err := decode(`{"query":"x","` + strings.Repeat("é", 10_000) + `":1}`)
	if msg := fault.Message(err); len(msg) > 500 {
		t.Errorf("the message has %d bytes", len(msg))
	}
}

// TestDecodeNeverPanics: whatever JSON comes, there is a value or an invalid fault.
func TestDecodeNeverPanics(t *testing.T) {
	names := []string{"query", "k", "since_ms", "source_kinds", "source_ids", "kind", "deep", "maybe", "other"}
	values := []string{`""`, `"x"`, `null`, `0`, `-1`, `1e400`, `-1e400`, `1.5`, `true`, `[]`, `{}`, `[null]`, `["a",1,[2]]`, `"[1,null]"`, `"[\"a\"]"`, `"NaN"`, `"Inf"`, `"\ud800"`, `"null"`}
	rapid.Check(t, func(t *rapid.T) {
		m := rapid.MapOf(rapid.SampledFrom(names), rapid.SampledFrom(values)).Draw(t, "arguments")
		var parts []string
		for n, v := range m {
			parts = append(parts, `"`+n+`":`+v)
		}
		p, err := decode("{" + strings.Join(parts, ",") + "}")
		if err != nil && fault.CodeOf(err) != fault.Invalid {
			t.Fatalf("%v: %v", m, err)
		}
		if err == nil && (strings.TrimSpace(p.Query) == "" || p.K < 0) {
			t.Fatalf("%v gave %+v", m, p)
		}
	})
}

func FuzzDecode(f *testing.F) {
	for _, s := range []string{``, `{}`, `{"query":"x"}`, `"{\"query\":1}"`, `{"query":"x","k":"1e9","source_ids":"[1]"}`, `{"query":"x","k":-0.0}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if _, err := decode(raw); err != nil && fault.CodeOf(err) != fault.Invalid {
			t.Errorf("%q: %v", raw, err)
		}
	})
}
