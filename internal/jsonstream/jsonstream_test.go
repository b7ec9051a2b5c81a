package jsonstream_test

import (
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/openhuman/openhuman-core/internal/jsonstream"
)

// walk reads everything below a value through the Decoder.
func walk(d *jsonstream.Decoder) (any, error) {
	c, err := d.Kind()
	if err != nil {
		return nil, err
	}
	switch c {
	case '{':
		m := map[string]any{}
		err := d.Object(func(key string) error {
			v, err := walk(d)
			m[key] = v
			return err
		})
		return m, err
	case '[':
		l := []any{}
		err := d.Array(func() error {
			v, err := walk(d)
			l = append(l, v)
			return err
		})
		return l, err
	}
	var v any
	err = d.Value(&v)
	return v, err
}

func TestSameAsEncodingJSON(t *testing.T) {
	var gen func(depth int) *rapid.Generator[any]
	gen = func(depth int) *rapid.Generator[any] {
		return rapid.Custom(func(t *rapid.T) any {
			n := 3
			if depth > 0 {
				n = 5
			}
			switch rapid.IntRange(0, n).Draw(t, "kind") {
			case 0:
				return nil
			case 1:
				return rapid.Bool().Draw(t, "bool")
			case 2:
				return rapid.Float64Range(-1e9, 1e9).Draw(t, "number")
			case 3:
				return strings.ToValidUTF8(rapid.String().Draw(t, "string"), "x")
			case 4:
				l := rapid.SliceOfN(gen(depth-1), 0, 4).Draw(t, "array")
				if l == nil {
					l = []any{}
				}
				return l
			}
			m := map[string]any{}
			for k, v := range rapid.MapOfN(rapid.StringMatching(`[a-z"\\é ]{0,6}`), gen(depth-1), 0, 4).Draw(t, "object") {
				m[k] = v
			}
			return m
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		want := gen(4).Draw(t, "value")
		var b []byte
		var err error
		if rapid.Bool().Draw(t, "indent") {
			b, err = json.MarshalIndent(want, " ", "\t")
		} else {
			b, err = json.Marshal(want)
		}
		if err != nil {
			t.Fatal(err)
		}
		got, err := walk(jsonstream.New(iotest.OneByteReader(strings.NewReader(string(b))), 1<<20))
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatal(d)
		}
		// Cut anywhere inside, it is an error and no hang.
		if n := rapid.IntRange(0, len(b)-1).Draw(t, "cut"); n > 0 && (b[0] == '{' || b[0] == '[') {
			if _, err := walk(jsonstream.New(strings.NewReader(string(b[:n])), 1<<20)); !errors.Is(err, io.ErrUnexpectedEOF) && !errors.Is(err, jsonstream.ErrValue) && !errors.Is(err, jsonstream.ErrSyntax) {
				t.Fatalf("%q: %v", b[:n], err)
			}
		}
	})
}

func TestLeftAndLarge(t *testing.T) {
	d := jsonstream.New(strings.NewReader("\ufeff {\"a\":[1,{\"b\":\"]}\\\"\"}], \"big\":\"0123456789\",\"n\":7,\"o\":{\"x\":1},} trailing"), 8)
	var seen []string
	n := 0
	err := d.Object(func(key string) error {
		seen = append(seen, key)
		switch key {
		case "big":
			var s string
			if err := d.Value(&s); !errors.Is(err, jsonstream.ErrTooLarge) || s != "" {
				t.Errorf("%q, %v", s, err)
			}
		case "n":
			return d.Value(&n)
		}
		return nil // "a" and "o" are left
	})
	if err != nil || n != 7 {
		t.Errorf("n = %d, %v", n, err)
	}
	if d := cmp.Diff([]string{"a", "big", "n", "o"}, seen); d != "" {
		t.Error(d)
	}
}

func TestEach(t *testing.T) {
	for in, want := range map[string]int{`[1,{},"a"]`: 3, `[]`: 0, `{"a":[1,2]}`: 1, `7`: 1} {
		// What is left is passed over, so that nothing comes behind it.
		d, n := jsonstream.New(strings.NewReader(in), 8), 0
		if err := d.Each(func() error { n++; return nil }); err != nil || n != want {
			t.Errorf("%s: %d values, %v", in, n, err)
		}
		if _, err := d.Kind(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v behind it", in, err)
		}
	}
	if err := jsonstream.New(strings.NewReader(""), 8).Each(func() error { t.Error("a value"); return nil }); !errors.Is(err, io.EOF) {
		t.Errorf("of nothing: %v", err)
	}
}

func TestPassed(t *testing.T) {
	d := jsonstream.New(strings.NewReader(`["0123456789",tru,7,"cut`), 8)
	n, passed := 0, 0
	err := d.Array(func() error {
		err := d.Value(&n)
		if err != nil {
			if err = jsonstream.Passed(err); err == nil {
				passed++
			}
		}
		return err
	})
	if passed != 2 || n != 7 || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("passed %d, n = %d, %v", passed, n, err)
	}
}

// endless is JSON that does not end.
type endless struct {
	head string
	left int64
}

func (e *endless) Read(p []byte) (int, error) {
	if e.head != "" {
		n := copy(p, e.head)
		e.head = e.head[n:]
		return n, nil
	}
	if e.left <= 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), e.left)
	for i := range p[:n] {
		p[i] = 'a'
	}
	e.left -= n
	return int(n), nil
}

func TestMemoryIsBounded(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	d := jsonstream.New(&endless{`{"k":"`, 256 << 20}, 1<<20)
	err := d.Object(func(string) error {
		var s string
		return d.Value(&s)
	})
	runtime.ReadMemStats(&after)
	if !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("err = %v", err)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("%d MB for a string of 256 MB", used>>20)
	}
	// Brackets without end nest nothing.
	if err := jsonstream.New(strings.NewReader(strings.Repeat("[", 1<<20)), 10).Skip(); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("err = %v", err)
	}
}

func TestShape(t *testing.T) {
	got := jsonstream.Shape([]byte(`[{"title":"x","mapping":{"a.b":{"id":1}},"l":[{"q":[1,2]}]},{"tail":"cut he`))
	want := map[string]bool{"[].title": true, "[].mapping": true, "[].mapping.a.b": true, "[].mapping.a.b.id": true, "[].l": true, "[].l[].q": true, "[].tail": true}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, s := range []string{"", "text", "\"string\"", "]", "{", "{]"} {
		if got := jsonstream.Shape([]byte(s)); len(got) > 0 {
			t.Errorf("%q: %v", s, got)
		}
	}
}

// TestShapeOfWhatNestsDeeply: nothing below the depth that is looked at has a path, nor has what is in a
// member with a long name; what comes after them has.
func TestShapeOfWhatNestsDeeply(t *testing.T) {
	deep := `{"a":{"b":{"c":{"d":{"e":{"f":1},"g":[[{"h":1}]]}}}},"` + strings.Repeat("k", 200) + `":{"in":[{"x":1}]},"after":{"z":1}}`
	want := map[string]bool{".a": true, ".a.b": true, ".a.b.c": true, ".a.b.c.d": true, ".a.b.c.d.e": true, ".a.b.c.d.g": true, ".after": true, ".after.z": true}
	if d := cmp.Diff(want, jsonstream.Shape([]byte(deep))); d != "" {
		t.Error(d)
	}
	for name, mark := range map[string]string{
		"arrays": "[", "objects": `{"a":`, "both": `[{"ab":`, "long names": `{"` + strings.Repeat("k", 3000) + `":`, "members": `{"a":[],`,
	} {
		used := func(n int) uint64 {
			head := []byte(strings.Repeat(mark, n/len(mark)+1))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			jsonstream.Shape(head)
			runtime.ReadMemStats(&after)
			return after.TotalAlloc - before.TotalAlloc
		}
		if small, large := used(10_000), used(40_000); large > 6*small {
			t.Errorf("%s: %d bytes for 10 KB, %d for 40 KB", name, small, large)
		}
	}
}

func FuzzDecoder(f *testing.F) {
	for _, s := range []string{`{"a":[1,"x\"",null,{"b":{}}]}`, `[{},[],"",0,]`, `{"a"`, `[[[[`, `nul`, "\"\xff\\u12\"", `{"a":1 2}`, `]`, `1]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := walk(jsonstream.New(strings.NewReader(string(b)), 1<<16))
		var want any
		if e := json.Unmarshal(b, &want); e == nil && len(b) < 1<<16 && !strings.Contains(string(b), "\xef") {
			if err != nil {
				t.Fatalf("%q: %v", b, err)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Fatalf("%q: %s", b, d)
			}
		}
		jsonstream.Shape(b)
	})
}

func TestLines(t *testing.T) {
	l := jsonstream.NewLines(strings.NewReader("one\n"+strings.Repeat("x", 200_000)+"\n\nlast"), 100)
	var got []string
	for {
		b, err := l.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			got = append(got, err.Error())
			continue
		}
		got = append(got, strings.TrimSuffix(string(b), "\n"))
	}
	if d := cmp.Diff([]string{"one", jsonstream.ErrTooLarge.Error(), "", "last"}, got); d != "" || l.Number() != 4 {
		t.Errorf("line %d: %s", l.Number(), d)
	}
}
